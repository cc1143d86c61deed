"""The page for people at `/`: rows of a new task in, the features to measure out."""

from aiohttp import web

from tffs.web import asset, csp_hash, page_environment

# One idea each; later ones use what earlier ones define.
SCRIPTS = (
    *("csv.js", "model.js", "elements.js", "about.js", "support.js"),
    *("curve.js", "ranking.js", "reconstruction.js", "main.js"),
)


class Page:
    """One self-contained HTML page; its script asks the REST API for the rest.

    Nothing in it depends on the version that is served, so it is written once.

    Args:
        model_name: as clients call the model.
    """

    def __init__(self, model_name: str) -> None:
        style = asset("tffs.web", "look.css") + asset(__name__, "page.css")
        script = "".join(asset(__name__, name) for name in SCRIPTS)
        template = page_environment(__name__).get_template("page.html")
        self._body = template.render(model_name=model_name, style=style, script=script).encode()
        self._policy = "; ".join(
            (
                "default-src 'none'",
                "connect-src 'self'",
                f"script-src {csp_hash(script)}",
                f"style-src {csp_hash(style)}",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
                "frame-ancestors 'none'",
            )
        )

    def response(self) -> web.Response:
        """Give the page; a browser asks for it again each time, so it fits the server."""
        headers = {
            "Content-Security-Policy": self._policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
        }
        return web.Response(body=self._body, content_type="text/html", charset="utf-8", headers=headers)
