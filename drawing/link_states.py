"""States of links: a line over each link, in the colour of the entity named by its state."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour
from rulespec.drawing.plan import LinkLines, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import ShownState


def link_states(sheet: Sheet, kind: str, lines: LinkLines, shown: ShownState) -> Iterator[SceneItem]:
    """The items of the links of a kind."""
    field = sheet.d.kinds[kind].state[lines.field]
    for number, value in shown.fields.get((kind, lines.field), {}).items():
        if value in (None, False, 0) or number not in lines.lines:
            continue
        path, title = lines.lines[number]
        of = sheet.known.entity(field.type, value)
        ink = colour(sheet.look(*of).colour) if of is not None else INK
        title += f" {sheet.titles(of[0])[of[1]]}" if of is not None else "" if value is True else f" {value}"
        looks = ((INK, 8.0), (ink, 5.6)) if of is not None else ((INK, 5.6),)
        drawn = [
            svg.element("path", d=path, stroke=tone, stroke_width=wide, fill="none", stroke_linecap="round")
            for tone, wide in looks
        ]
        yield SceneItem(f"link_state.{kind}.{sheet.names(kind)[number]}", lines.layer, svg.group(drawn, title))
