"""Boards of owners on a replay page: each is a part that can be folded and enlarged, that of the reader first."""

from __future__ import annotations

from html import escape

from rulespec.drawing import svg
from rulespec.drawing.board import Board
from rulespec.drawing.board_panels import MARGIN_ON_PAGE, Panel
from rulespec.drawing.cards import chip, chip_width
from rulespec.drawing.scene import panel as picture
from rulespec.pages.board_changes import BoardChanges


def owned_boards(board: Board, seat: str | None) -> list[Panel]:
    """The panels of the boards of owners: those of the reading seat first, then in the order of the owners."""
    d, names = board.sheet.d, board.sheet.known
    panels = [panel for panel in board.panels if panel.owner is not None]

    def is_others(panel: Panel) -> bool:
        kind, number = panel.owner or ("", 0)
        return not d.kinds[kind].is_player or names.names(kind)[number] != seat

    return sorted(panels, key=is_others)


def owned_figure(board: Board, panel: Panel, pictures: BoardChanges, enlarge: str) -> str:
    """The board of an owner as HTML: the owner as heading, and the picture, to be filled by the page.

    Args:
        board: the board.
        panel: the panel of the owner's board.
        pictures: the pictures of all positions.
        enlarge: the title of the button that enlarges it.
    """
    kind, number = panel.owner or ("", 0)
    look, name = board.sheet.look(kind, number), board.sheet.titles(kind)[number]
    wide = chip_width(look.letter) + 2
    mark = svg.element(
        "svg", chip(look, wide / 2, 11), viewBox=f"0 0 {wide:g} 22", width=wide, height=22, aria_hidden="true"
    )
    drawn = picture(panel.box.grown(MARGIN_ON_PAGE), f"{panel.title}: {name}", pictures.layers(panel.id, panel.items))
    note = f"<p>{escape(panel.note)}</p>" if panel.note else ""
    button = f'<button type="button" title="{escape(enlarge)}" aria-label="{escape(f"{enlarge}: {name}")}">⤢</button>'
    head = f"<summary>{mark} <bdi>{escape(name)}</bdi></summary>"
    return f'<details class="owned" open>{head}{button}{note}{drawn}</details>'
