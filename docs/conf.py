"""How Sphinx builds these pages. Two parts are written while it does: the table of activations and the reference."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import isotone

project = "isotone"
author = copyright = "the isotone developers"
release = version = isotone.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "written_pages",
    "formulas",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# shown as they are written, not as the unions that they stand for
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "DTypeLike", "Function", "NDArray")}
autodoc_default_options = {"members": True}

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "isotone"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["style"]
html_css_files = ["pages.css"]
