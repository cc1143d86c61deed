"""The documentation's site: `make docs` builds it into docs/_build/html."""

import pathlib
import sys

sys.path.insert(
    0, str(pathlib.Path(__file__).parents[1])
)  # for docs.making, and for tffs where it is not installed

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

import tffs
from tffs.startup import import_tensorflow

import_tensorflow()  # without its start-up messages

project = "tffs"
author = "the authors of tffs"
release = version = tffs.__version__
copyright = f"2026, {author}"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "docs.making.mathml",
    "docs.making.flags_table",
    "docs.making.repository_links",
]
exclude_patterns = ["_build", "making"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables_and_equations.css"]
html_title = f"tffs {release}"
# Every equation becomes MathML while the site is built. Browsers draw it themselves; Sphinx's default, MathJax,
# would be loaded from another host by every reader.
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "attrs_inline"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # tests/tutorial_test.py runs the tutorial and compares its outputs

autodoc_typehints = "none"  # the docstrings say what is expected, in words
autodoc_member_order = "bysource"
# scikit-learn adds these to every estimator, with references to its own pages.
autodoc_default_options = {
    "exclude-members": ", ".join(
        f"set_{name}_request" for name in ("fit", "score", "transform", "inverse_transform")
    )
}
napoleon_use_rtype = False
napoleon_use_ivar = False

default_role = "code"  # of a word in single backticks in a docstring
smartquotes_action = "De"  # dashes and dots; quotes stay, because many are around values

nitpicky = True
# There is no index of other projects' names without asking their hosts.
nitpick_ignore_regex = [("py:.*", r"(?!tffs\.).*")]


def setup(app: Sphinx) -> None:
    """Show files of values as they are: Pygments has no lexer for them."""
    app.add_lexer("csv", TextLexer)
