"""Marks of play on a picture: the last roll as dice, link states, and the status line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import LinkLines, Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import ShownState
from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Decision, Option
from rulespec.engine.game.views import View
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.rolls import rolled
from rulespec.engine.words.words import Words

_SIDE, _SCALE = 24.0, 1.5
_TWO = ((-1, -1), (1, 1))
_FOUR = (*_TWO, (-1, 1), (1, -1))
SPOTS = {
    1: ((0, 0),),
    2: _TWO,
    3: (*_TWO, (0, 0)),
    4: _FOUR,
    5: (*_FOUR, (0, 0)),
    6: (*_FOUR, (-1, 0), (1, 0)),
}
"""The spots of a die by its number: offsets from the centre, to the right and down."""


def last_roll(history: Sequence[Option | Event]) -> list[int]:
    """The numbers of the last roll; empty before the first roll, or if a number is hidden or outside 1 to 6."""
    roll = next((each for each in reversed(history) if each.by is None), None)
    return rolled(None if roll is None else roll.option if isinstance(roll, Event) else str(roll))


def shows_rolls(plans: Mapping[str, Plan]) -> bool:
    """Whether any board shows the last roll."""
    return any(plan.dice is not None for plan in plans.values())


def dice(plans: Mapping[str, Plan], history: Sequence[Option | Event]) -> Iterator[SceneItem]:
    """The dice on each board that shows rolls."""
    for kind, plan in plans.items():
        if plan.dice is None or not (numbers := last_roll(history)):
            continue
        (x, y), parts = plan.dice, []
        for i, number in enumerate(numbers):
            left = x / _SCALE + (i - len(numbers) / 2) * _SIDE
            parts.append(die(number, left + (_SIDE - 18) / 2, y / _SCALE))
        scaled = svg.group(parts, transform=f"scale({_SCALE})")
        yield SceneItem(f"dice.{kind}", "pieces", svg.group([scaled], ", ".join(map(str, numbers))))


def die(value: int, x: float, y: float) -> str:
    """A die showing a number from 1 to 6, as SVG; `x` is its left edge."""
    box = {"x": x, "y": y - 9, "width": 18, "height": 18, "rx": 4}
    spots = [
        svg.element("circle", cx=x + 9 + 5 * across, cy=y + 5 * down, r=1.9, fill=INK) for across, down in SPOTS[value]
    ]
    return svg.element("rect", **box, fill="#ffffff", stroke=INK, stroke_width=1.2) + "".join(spots)


def link_states(sheet: Sheet, kind: str, lines: LinkLines, shown: ShownState) -> Iterator[tuple[int, SceneItem]]:
    """The items that show the states of a kind's links, each with the number of its link."""
    field = sheet.d.kinds[kind].state[lines.field]
    for number, value in shown.fields.get((kind, lines.field), {}).items():
        if value in (None, False, 0) or number not in lines.lines:
            continue
        path, title = lines.lines[number]
        of = sheet.known.entity(field.type, value)
        ink = colour(sheet.value_look(*of).colour) if of is not None else INK
        title += f" {sheet.titles(of[0])[of[1]]}" if of is not None else "" if value is True else f" {value}"
        looks = ((INK, 8.0), (ink, 5.6)) if of is not None else ((INK, 5.6),)
        drawn = [
            svg.element("path", d=path, stroke=tone, stroke_width=wide, fill="none", stroke_linecap="round")
            for tone, wide in looks
        ]
        yield number, SceneItem(f"link_state.{kind}.{sheet.names(kind)[number]}", lines.layer, svg.group(drawn, title))


def status_of(words: Wording, position: Game | View) -> str:
    """The status of a game in words."""
    result, decision, word = position.result, position.decision, words.word
    after = word("decisions", position.ply)
    if result is not None:
        winners = ", ".join(result.winners) or word("nobody")
        return word("over", decisions=after, ending=words.ending(result.ending), winners=winners)
    assert decision is not None
    actor = decision.by or word("chance")
    return word("asked", decisions=after, decision=_prompt(words, position, decision), actor=actor)


def _prompt(words: Wording, position: Game | View, decision: Decision) -> str:
    """The title of the current decision; with the whole game, also its subject."""
    if isinstance(position, Game) and isinstance(words, Words):
        return Narrator(words, position).decision(decision)
    return words.decision(decision.name)
