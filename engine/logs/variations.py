"""Variations: trees of alternative continuations from positions of a game, recorded as notes in a log.

    {"decision": "turn", "by": "A", "option": "take(2)", "glyphs": [2], "variations": [{"moves": [{"decision": "turn",
     "by": "A", "option": "take(1)", "remark": "better"}]}]}
    {"variations": [{"at": 3, "name": "the slow way", "moves": […]}], "by": "A"}

A variation on the line of a decision replaces that decision. A variation on a separate line starts after the first `at`
decisions in force at that line, by default after all of them. Each move of a variation can have variations that replace
it. The moves need not be legal; readers play them up to the first illegal move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

MAX_NAME = 200
MAX_TEXT = 2_000
"""Maximum length of a remark, or of an option's text, in characters."""
MAX_DEPTH = 20
"""Maximum nesting of variations."""
MAX_MOVES = 2_000
"""Maximum number of moves in the variations of a line."""
_Name = Annotated[str, Meta(max_length=MAX_NAME)]
_Text = Annotated[str, Meta(max_length=MAX_TEXT)]
MAX_GLYPH, MAX_GLYPHS = 255, 20
_Glyph = Annotated[int, Meta(ge=0, le=MAX_GLYPH)]
Glyphs = Annotated[tuple[_Glyph, ...], Meta(max_length=MAX_GLYPHS)]
"""The numeric annotation glyphs of a move, from the PGN standard of 1994: for instance, 1 is a good move, 2 a poor
move.
"""


class LineMove(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A move of a variation.

    Attributes:
        decision, by, option: the same as in a log line.
        remark: the comment on the move.
        glyphs: numeric annotation glyphs.
        variations: the alternatives to the move.
    """

    decision: _Name
    by: _Name | None
    option: _Text
    remark: _Text = ""
    glyphs: Glyphs = ()
    variations: tuple[SideLine, ...] = ()


class SideLine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An alternative continuation.

    Attributes:
        moves: the moves, in order.
        name: the name of the variation.
        remark: the comment on the variation.
        at: the number of decisions before the variation; None if the variation replaces the decision on its line, or
            follows all decisions.
    """

    moves: Annotated[tuple[LineMove, ...], Meta(min_length=1)]
    name: _Name = ""
    remark: _Text = ""
    at: Annotated[int, Meta(ge=0, le=10**6)] | None = None


class KeptLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A single line of play from a private tree of variations, in which lines with a common start share those moves.

    Attributes:
        at: the number of decisions before the line.
        moves: for each move, the decision, the seat ("" for chance) and the option.
        name: the name of the line.
        remark: the comment on the line.
        text: some of the moves in words.
        published: whether the line is in the log.
    """

    at: int
    moves: tuple[tuple[str, str, str], ...]
    name: str = ""
    remark: str = ""
    text: str = ""
    published: bool = False


def variations_in(value: object) -> tuple[SideLine, ...]:
    """The variations of a log line, parsed from plain data.

    Raises:
        ValueError: if the data is malformed; the message gives the reason.
    """
    if not isinstance(value, list) or not value:
        raise ValueError("must be a list of objects with `moves`")
    try:
        results = msgspec.convert(value, tuple[SideLine, ...])
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"is malformed: {str(error)[:200]}") from None
    left = MAX_MOVES
    for depth, move in moves_of(results):
        left -= 1
        if depth > MAX_DEPTH:
            raise ValueError(f"is nested more than {MAX_DEPTH} levels deep")
        if any(of.at is not None for of in move.variations):
            raise ValueError("has `at` in a nested variation, which can only replace its move")
    if left < 0:
        raise ValueError(f"has more than {MAX_MOVES:,} moves")
    return results


def is_glyphs(value: object) -> bool:
    """Whether a note is a list of numeric annotation glyphs."""
    try:
        msgspec.convert(value, Glyphs)
    except msgspec.ValidationError:
        return False
    return isinstance(value, list)


def moves_of(variations: Sequence[SideLine]) -> Iterator[tuple[int, LineMove]]:
    """All moves of variations, each with its depth, which starts at 1."""
    left = [(1, move) for of in variations for move in of.moves]
    while left:
        depth, move = left.pop()
        yield depth, move
        if depth <= MAX_DEPTH:
            left += [(depth + 1, inner) for of in move.variations for inner in of.moves]


def plain(variations: Sequence[SideLine]) -> list[dict[str, Any]]:
    """Variations as plain data, in the form of a log line."""
    result: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(variations))  # lists, no tuples
    return result


def tree_of(lines: Sequence[KeptLine]) -> list[SideLine]:
    """The variations formed by lines; lines with a common start form one variation, which branches where they differ.

    A line that is a prefix of another is merged into it; its name or remark becomes a remark on its last move.
    """
    results: list[SideLine] = []
    for at in sorted({line.at for line in lines}):
        own = [line for line in lines if line.at == at]
        first = [line.moves[0] for line in own]
        branches = [_grown([line for line in own if line.moves[0] == move], 0) for move in dict.fromkeys(first)]
        results += [SideLine(moves, *said, at) for moves, said in branches]
    return results


def _grown(lines: Sequence[KeptLine], depth: int) -> tuple[tuple[LineMove, ...], tuple[str, str]]:
    """The merged moves from a depth on of lines that share the move there, with the longest one's name and remark."""
    main = max(lines, key=lambda line: len(line.moves))
    moves: list[LineMove] = []
    for number in range(depth, len(main.moves)):
        alike = [line for line in lines if line.moves[: number + 1] == main.moves[: number + 1]]
        others = [line for line in lines if len(line.moves) > number > depth and line not in alike]
        others = [line for line in others if line.moves[:number] == main.moves[:number]]
        firsts = dict.fromkeys(line.moves[number] for line in others)
        inner = [_grown([line for line in others if line.moves[number] == move], number) for move in firsts]
        ends = [_said(line) for line in alike if len(line.moves) == number + 1 and line is not main]
        decision, by, option = main.moves[number]
        variations = tuple(SideLine(branch, *said) for branch, said in inner)
        moves.append(LineMove(decision, by or None, option, "\n".join(filter(None, ends)), (), variations))
    return tuple(moves), (main.name, main.remark)


def _said(line: KeptLine) -> str:
    return ": ".join(filter(None, (line.name, line.remark)))


class Anchored(Struct, frozen=True):
    """A variation with its place among the moves of a replay, including undone moves.

    Attributes:
        after: the number of moves before the variation.
        by: the author of the variation; None if unknown.
    """

    after: int
    variation: SideLine
    by: str | None = None


def anchored(
    backs: Sequence[int | None], places: Sequence[int], notes: Mapping[int, Mapping[str, Any]], by: Mapping[int, Any]
) -> list[Anchored]:
    """The variations among the notes of a log, in order, without those that start at an undone decision.

    Args:
        backs: for each move, the number of decisions that it undoes; None for a decision.
        places: the line or entry of each move; several decisions may share one.
        notes: line → notes.
        by: line → author of the notes.
    """
    lines = sorted(line for line, of in notes.items() if "variations" in of)
    results: list[Anchored] = []
    standing: list[int] = []  # for each decision in force, the number of moves up to it
    number, begun = 0, 0
    for line in lines:
        while number < len(backs) and places[number] < line:
            _stand(standing, backs[number], number + 1)
            number += 1
        own = number < len(backs) and places[number] == line
        begun = len(standing)
        for variation in variations_in(notes[line]["variations"]):
            at = begun if variation.at is None else variation.at
            if at <= begun:
                after = standing[at - 1] if at else 0
                results.append(Anchored(number if own and at == begun else after, variation, by.get(line)))
    return results


def _stand(standing: list[int], back: int | None, number: int) -> None:
    """Adds a move to the decisions in force, or removes those that it undoes."""
    if back is None:
        standing.append(number)
    elif back:
        del standing[-back:]


def lasting(notes: Mapping[str, Any], begun: int, left: int) -> dict[str, Any]:
    """The notes of a line, without variations at decisions that were undone later.

    Args:
        notes: the notes of the line.
        begun: the number of decisions in force before the line.
        left: the number of these decisions still in force at the end of the log.
    """
    if "variations" not in notes:
        return dict(notes)
    lasts = [v for v in variations_in(notes["variations"]) if (begun if v.at is None else v.at) <= left]
    rest = {key: value for key, value in notes.items() if key != "variations"}
    if lasts:
        return rest | {"variations": plain(lasts)}
    return rest if rest.keys() - {"by"} else {}


def counted_at(backs: Sequence[int | None], places: Sequence[int], lines: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For each line, the number of decisions in force before it, and the number of these still in force at the end.

    Args:
        backs: see `anchored`.
        places: see `anchored`.
        lines: the line numbers, in order.
    """
    begun: dict[int, int] = {}
    depth, depths, at = 0, [0], 0
    for back, place in zip(backs, places, strict=True):
        while at < len(lines) and lines[at] <= place:
            begun[lines[at]], at = len(depths) - 1, at + 1
        depth = depth + 1 if back is None else depth - back
        depths.append(depth)
    begun |= {line: len(depths) - 1 for line in lines[at:]}
    least, low = [0] * len(depths), depth
    for number in range(len(depths) - 1, -1, -1):
        low = min(low, depths[number])
        least[number] = low
    return {line: (depths[number], least[number]) for line, number in begun.items()}
