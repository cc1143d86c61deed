"""Write HTML pages from templates; names are escaped, and nothing is loaded from another host."""

import base64
import hashlib
from importlib import resources

import jinja2


def page_environment(package: str) -> jinja2.Environment:
    """Give what renders the templates of a package; everything that is written into them is escaped.

    Args:
        package: the package in which the templates are, such as "tffs.report".
    """
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(package: str, name: str) -> str:
    """Read a style sheet or a script that lies in a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """Give the source expression that lets a content security policy allow just this inline text."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
