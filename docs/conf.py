"""The documentation site: ``sphinx-build -W docs site``. Nothing in it is loaded from elsewhere."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for site_pages

project = "Rhetree"
author = "The Rhetree developers"
copyright = author
version = release = installed_version("rhetree")

extensions = ["myst_parser", "sphinx.ext.autodoc", "site_pages"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

suppress_warnings = ["toc.not_included"]
"""A page that is in no list yet can still be found by search and by links."""

myst_heading_anchors = 4
"""Links to headings are those of GitHub."""
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {"members": True, "undoc-members": False}
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Rhetree {version}"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "default"
smartquotes = False
