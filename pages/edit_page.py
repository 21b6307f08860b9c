"""The page of a map that is edited: the same for all maps, and filled by the socket."""

from __future__ import annotations

from rulespec.pages.document import Rights, document, own_file

_SCRIPTS = (
    *("zoom.js", "edit_parts.js", "edit_board.js", "edit_list.js", "edit_form.js", "edit_faults.js"),
    *("edit_dialogs.js", "edit_tools.js", "edit.js", "edit_wire.js"),
)
_STYLES = ("viewer.css", "edit.css")


def edit_page() -> str:
    """The page. There is nothing of a map in it: the key in its address is read by its script alone."""
    return document(
        "Map",
        styles=[own_file(name) for name in _STYLES],
        body=own_file("edit.html"),
        data={},
        scripts=[own_file(name) for name in _SCRIPTS],
        rights=Rights(connects=True),
    )
