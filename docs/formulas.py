"""Formulas as MathML, which browsers draw themselves: no network, no script, and the colour of the text around."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def mathml(tex: str, **settings: bool) -> str:
    """Return a formula as MathML; without braces a fraction of two digits would become another one."""
    if re.search(r"frac(?!\{)|frac\{[^{}]*\}(?!\{)", tex):
        raise ValueError(f"numerator and denominator stand in braces each; got {tex}.")
    return str(tex2mathml(tex, **settings))


def write_inline(writer: nodes.NodeVisitor, node: nodes.math) -> None:
    """Write a formula inside a line."""
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def write_block(writer: nodes.NodeVisitor, node: nodes.math_block) -> None:
    """Write a formula that stands alone."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer to Sphinx as ``mathml``."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
