"""Marks of play on a picture: the last roll as dice, link states, ways, and the status line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import LinkLines, Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import ShownState
from rulespec.drawing.svg import Point
from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Decision, Option
from rulespec.engine.game.views import View
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.rolls import rolled
from rulespec.engine.words.words import Words

_SIDE, _SCALE = 24.0, 1.5
_HEAD, _BESIDE = 9.0, 6.0  # the length of an arrow's head, and the room between two steps between the same places
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


def ways(plans: Mapping[str, Plan], chosen: Iterable[tuple[str, Sequence[int]]], title: str) -> Iterator[SceneItem]:
    """The items that show chosen paths, each the kind and the numbers of its stops, as lines that end in an arrow."""
    for number, (kind, stops) in enumerate(chosen):
        points = [at for stop in stops if kind in plans and (at := _middle(plans[kind], stop)) is not None]
        steps, often = [], Counter[frozenset[Point]]()
        for start, end in pairwise(points):
            far = hypot(end[0] - start[0], end[1] - start[1])
            if far:
                gap = _BESIDE * often[frozenset((start, end))] / far
                often[frozenset((start, end))] += 1
                dx, dy = (end[1] - start[1]) * gap, (start[0] - end[0]) * gap
                steps.append([(start[0] + dx, start[1] + dy), (end[0] + dx, end[1] + dy)])
        if steps:
            data = "".join(svg.path(line) for line in [*steps, _head(*steps[-1])])
            looks = (("#ffffff", 7.0, 0.8), ("#7b2d8b", 4.0, 0.85))
            drawn = [
                svg.element(
                    "path", d=data, stroke=tone, stroke_width=wide, fill="none", stroke_linecap="round",
                    stroke_linejoin="round", opacity=opacity,
                )
                for tone, wide, opacity in looks
            ]  # fmt: skip
            yield SceneItem(f"way.{number}", "marks", svg.group(drawn, title, data_way="chosen"))


def _middle(plan: Plan, stop: int) -> Point | None:
    """The middle of where pieces stand at a stop; None if it is not drawn."""
    if (stands := plan.stands.get(stop)) and stands[0].spots:
        return stands[0].spots[0]
    if (slot := plan.slots.get(stop)) is None:
        return None
    left, top, right, bottom = slot
    return (left + right) / 2, (top + bottom) / 2


def _head(start: Point, end: Point) -> list[Point]:
    """The head of an arrow that ends at a point."""
    far = hypot(end[0] - start[0], end[1] - start[1])
    ux, uy = (end[0] - start[0]) / far * _HEAD, (end[1] - start[1]) / far * _HEAD
    wings = [(end[0] - ux + side * uy * 0.6, end[1] - uy - side * ux * 0.6) for side in (1, -1)]
    return [wings[0], end, wings[1]]


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
