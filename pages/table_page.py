"""The page of a table and of the server's owner, identical for all and filled through the socket."""

from __future__ import annotations

from rulespec.pages.document import VIEWER_SCRIPTS, Rights, document, own_file

POLICY = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The policy in the HTTP header, in addition to that in the page: no other page may embed it in a frame."""
_SCRIPTS = (
    "draw.js",
    "zoom.js",
    "choose.js",
    "grid.js",
    "pictures.js",
    "panels.js",
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
_STYLES = ("viewer.css", "table.css", "owner.css")


def table_page() -> str:
    """The page of a table; only its script reads the key in its address."""
    return document(
        "Rulespec",
        styles=[own_file(name) for name in _STYLES],
        body=own_file("table.html"),
        data={},
        scripts=[own_file(name) for name in _SCRIPTS],
        rights=Rights(connects=True, opens=tuple(own_file(name) for name in VIEWER_SCRIPTS)),
    )
