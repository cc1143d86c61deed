"""Links from a page to a file of the repository that is no page of the site: the file comes along.

The same link works where the Markdown itself is read, beside the other files.
"""

import os
import pathlib
from typing import Any

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class RepositoryLinks(SphinxTransform):
    """Turn links to Markdown files outside docs/ into downloads; MyST does so for all other files."""

    default_priority = 10

    def apply(self, **_: Any) -> None:
        """Replace the links of one page."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = pathlib.Path(f"{link['reftarget']}.md")
            if link.get("refdomain") == "doc" and target.is_absolute() and target.is_file():
                page = pathlib.Path(self.env.doc2path(self.env.docname)).parent
                given = os.path.relpath(target, page)
                download = addnodes.download_reference("", "", *link.children, reftarget=given)
                download["refdoc"] = self.env.docname
                link.replace_self(download)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
