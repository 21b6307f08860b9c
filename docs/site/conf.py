"""Sphinx: from the staged pages of `docs/` to HTML that loads nothing from elsewhere. `make docs` runs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "site")]

from lexer import RulesLexer  # noqa: E402

from rulespec.documents.versions import RULESPEC  # noqa: E402

project = "Rulespec"
author = "The Rulespec authors"
project_copyright = author
version = release = RULESPEC

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 6
default_role = "literal"
suppress_warnings = ["misc.highlighting_failure"]  # examples of mistakes fit no language

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # as written: values may hold paths of this machine
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Rulespec {RULESPEC}"
html_static_path = ["static"]
html_css_files = ["custom.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def shallow_navigation(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Leaves single diagnostics and decisions to the pages that list them: with them, each page would hold them all."""
    whole = context["toctree"]
    context["toctree"] = lambda **options: whole(**{**options, "maxdepth": 1})


def plain_properties(app: Sphinx, what: str, name: str, item: object, options: object, lines: list[str]) -> None:
    """Keeps docstrings of properties whole: Napoleon takes a text before a colon in the first line as a type."""
    if what in ("attribute", "property"):
        lines[:0] = ["..", ""]  # a comment


def setup(app: Sphinx) -> None:
    """Makes the languages of the examples known, and the navigation short."""
    app.connect("autodoc-process-docstring", plain_properties, priority=400)  # before Napoleon
    app.connect("html-page-context", shallow_navigation, priority=400)  # before the theme, which draws it
    for alias in RulesLexer.aliases:
        app.add_lexer(alias, RulesLexer)
