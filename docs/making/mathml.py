"""Equations as MathML, which browsers draw without a script.

docutils translates them: its own writer does so with the same function. Sphinx has no renderer for it.
"""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write an equation that stands in a line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation that stands by itself."""
    translator.body.append(f'<div class="equation">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name that `html_math_renderer` has."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
