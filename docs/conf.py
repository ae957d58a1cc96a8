"""How the documentation is built, by ``python -m sphinx -W docs docs/_build/html`` in the checkout."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from mha_spec import __version__

project = "mha-spec"
author = "the authors of mha-spec"
copyright = "the authors of mha-spec, Apache License 2.0"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx_proof", "theorem_pages"]
exclude_patterns = ["_build", "_generated/parts"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# sphinx-proof numbers theorems by the numbers of figures.
numfig = True
proof_minimal_theme = True

# One file beside the pages: they show their mathematics without a network. The CHTML output clips glyphs.
mathjax_path = "mathjax-tex-svg.js"
mathjax3_config = {"svg": {"fontCache": "global"}, "options": {"enableMenu": False}}

html_theme = "furo"
html_title = "mha-spec"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_copy_source = False
