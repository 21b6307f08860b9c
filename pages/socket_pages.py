"""Pages that are identical for all readers and receive their contents through a socket: the table page, which the
server's owner also uses, and the map editor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulespec.pages.document import VIEWER_SCRIPTS, Rights, document, own_file

POLICY = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The policy in the HTTP header, in addition to that in the page: no other page may embed it in a frame."""
_TABLE_SCRIPTS = (
    "draw.js",
    "zoom.js",
    "choose.js",
    "number_field.js",
    "grid.js",
    "pictures.js",
    "panels.js",
    "ways.js",
    "news.js",
    "undo.js",
    "helps.js",
    "notices.js",
    "preview.js",
    "reasons.js",
    "own_lines.js",
    "typed.js",
    "table.js",
    "owner.js",
    "wire.js",
)
_TABLE_STYLES = ("viewer.css", "table.css", "owner.css")


def table_page() -> str:
    """The page of a table; only its script reads the key in the page's address."""
    return document(
        "Rulespec",
        styles=[own_file(name) for name in _TABLE_STYLES],
        body=own_file("table.html"),
        data={},
        scripts=[own_file(name) for name in _TABLE_SCRIPTS],
        rights=Rights(connects=True, opens=tuple(own_file(name) for name in VIEWER_SCRIPTS)),
    )


def page_not_found() -> str:
    """The page at all other addresses of a server."""
    body = "<main><div><h1>There is no page at this address</h1><p>Open the link that you were given, with all that"
    body += " follows <code>#</code>: it is the key to your seat.</p></div></main>"
    return document("No page", styles=[own_file("viewer.css")], body=body, data={}, scripts=[])


_SCRIPTS = (
    *("zoom.js", "edit_parts.js", "edit_board.js", "edit_list.js", "edit_form.js", "edit_faults.js"),
    *("edit_offers.js", "edit_data.js"),
    *("edit_dialogs.js", "edit_steps.js", "edit_tools.js"),
)
_MODULES = ("outline_geometry.js", "outline_tool.js")
_AFTER = ("edit_outlines.js", "edit.js", "edit_wire.js")
_STYLES = ("viewer.css", "edit.css")

_IMPORT = re.compile(r'^import \{[^}]*\} from "[^"]*";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function\*?) (\w+))", re.MULTILINE)


def edit_page() -> str:
    """The page of a map editor; only its script reads the key in the page's address."""
    return document(
        "Map",
        styles=[own_file(name) for name in _STYLES],
        body=own_file("edit.html"),
        data={},
        scripts=[*map(own_file, _SCRIPTS), _as_script(_MODULES), *map(own_file, _AFTER)],
        rights=Rights(connects=True),
    )


def start_page() -> str:
    """The page for starting a map in a folder, which is identical for all folders."""
    return document(
        "Map",
        styles=[own_file(name) for name in (*_STYLES, "start.css")],
        body=own_file("start.html"),
        data={},
        scripts=[own_file(name) for name in ("edit_parts.js", "start.js")],
        rights=Rights(connects=True),
    )


def _as_script(modules: Sequence[str]) -> str:
    """Modules combined into one script, which declares the exports of the last one."""
    texts = [_IMPORT.sub("", own_file(name)) for name in modules]
    names = ", ".join(_EXPORT.findall(texts[-1]))
    body = "\n".join(_EXPORT.sub("", text) for text in texts)
    return f"const {{ {names} }} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();\n"
