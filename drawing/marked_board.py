"""The board of a map with mistakes: each mistake is marked in red with its number, and described next to the board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.drawing import svg
from rulespec.drawing.board import Board
from rulespec.drawing.colours import FAULT, INK
from rulespec.drawing.plan import Plan
from rulespec.drawing.scene import Scene, SceneItem
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width
from rulespec.records import Brief
from rulespec.typed import nodes as typed

MAX_SHOWN = 40
"""The maximum number of mistakes drawn on the board; the messages list all of them."""
_WIDTH = 460.0
_SIZE = 12.0
_LINES = 5
_DISC = 9.0


class BoardFault(Brief, Struct, frozen=True):
    """A mistake and its place on the board.

    Attributes:
        number: its number, from 1.
        kind: the kind of the affected place; "" if no drawn place is affected.
        place: the number of the affected place.
        other: for a link, the place at the other end; otherwise -1.
    """

    number: int
    diagnostic: Diagnostic
    kind: str = ""
    place: int = -1
    other: int = -1


def faults_of(
    d: typed.Declarations,
    kinds: Sequence[str],
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, str],
    most: int = MAX_SHOWN,
) -> list[BoardFault]:
    """The mistakes, each with the place on the board that it affects.

    Args:
        d: the declarations.
        kinds: the drawn kinds.
        diagnostics: the mistakes.
        sources: the texts of the files.
        most: the maximum number of diagnostics to consider.
    """
    lines = sorted(
        (e.span.file, e.span.line, e.span.column, kind, i)
        for kind in kinds
        for i, e in enumerate(d.kinds[kind].entities)
    )
    results = []
    for number, diagnostic in enumerate(diagnostics[:most], 1):
        span = diagnostic.span
        kind, place = _owner(lines, span, sources) if span is not None else ("", -1)
        other = -1
        if kind and span is not None and diagnostic.code != "RS242":
            other = d.kinds[kind].index.get(_text(sources, span), -1)
        if kind and diagnostic.code == "RS555":
            named = diagnostic.notes
            other = _owner(lines, named[0].span, sources)[1] if named else -1
        if not kind:
            kind, place, other = _named(d, kinds, diagnostic, _text(sources, span) if span is not None else "")
        results.append(BoardFault(number, diagnostic, kind, place, other if other != place else -1))
    return results


def _named(d: typed.Declarations, kinds: Sequence[str], diagnostic: Diagnostic, text: str) -> tuple[str, int, int]:
    """The places concerned by a mistake elsewhere: those that it names or misspells."""
    said = re.findall(r"[a-z0-9_]+", text) + re.findall(r"`([a-z0-9_]+)`", f"{diagnostic.message} {diagnostic.help}")
    for kind in kinds:
        index = d.kinds[kind].index
        if result := [index[name] for name in dict.fromkeys(said) if name in index]:
            return kind, result[0], result[1] if len(result) > 1 else -1
    return "", -1, -1


def _owner(lines: list[tuple[str, int, int, str, int]], span: Span, sources: Mapping[str, str]) -> tuple[str, int]:
    """The place whose definition contains a span: from its name to the next line with the same indentation."""
    before = [each for each in lines if each[0] == span.file and (each[1], each[2]) <= (span.line, span.column)]
    if not before:
        return "", -1
    file, line, column, kind, number = before[-1]
    text = sources.get(file, "").split("\n")
    for between in text[line : span.line]:
        if between.strip() and not between.lstrip().startswith("#") and len(between) - len(between.lstrip()) < column:
            return "", -1
    return kind, number


def _text(sources: Mapping[str, str], span: Span) -> str:
    lines = sources.get(span.file, "").split("\n")
    if span.line != span.end_line or span.line > len(lines):
        return ""
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


def faulty_scene(board: Board, faults: Sequence[BoardFault]) -> Scene:
    """The board without pieces, marked with its mistakes."""
    empty = board.scene(None)
    items = [*_marks(board, faults), *_list(faults, (empty.width, 24.0))]
    count = len([f for f in faults if f.diagnostic.severity is Severity.ERROR])
    note = f"{len(faults)} problems, {count} of them errors. " + " ".join(f"{f.number}: {_message(f)}." for f in faults)
    height = max(empty.height, 60.0 + sum(_height(f) for f in faults))
    width = empty.width + _WIDTH + 20
    return Scene(width, height, empty.title, f"{empty.description} {note}", (*empty.static, *items), ())


def _message(fault: BoardFault) -> str:
    return " ".join(fault.diagnostic.message.replace("`", "").split())


def _marks(board: Board, faults: Sequence[BoardFault]) -> Iterator[SceneItem]:
    """The outlines of places with mistakes, the wrong links, and the numbers of the mistakes."""
    drawn: set[tuple[str, int]] = set()
    numbers: dict[tuple[str, int], list[BoardFault]] = {}
    for fault in faults:
        plan = board.plans.get(fault.kind)
        if plan is None or fault.place not in plan.slots:
            continue
        numbers.setdefault((fault.kind, fault.place), []).append(fault)
        if (fault.kind, fault.place) not in drawn and fault.place in plan.outlines:
            drawn.add((fault.kind, fault.place))
            shape = svg.element("path", d=plan.outlines[fault.place], fill=FAULT, fill_opacity="0.12", **_STROKE)
            yield SceneItem(f"fault.{fault.kind}.{fault.place}", "faults", shape)
        if fault.other in plan.slots:
            yield SceneItem(f"fault_link.{fault.number}", "faults", _broken(plan, fault))
    for (kind, place), result in numbers.items():
        yield SceneItem(f"fault_numbers.{kind}.{place}", "faults", "".join(_numbers(board, kind, place, result)))


_STROKE: svg.Values = {"stroke": FAULT, "stroke_width": 3, "stroke_dasharray": "8 4"}


def _broken(plan: Plan, fault: BoardFault) -> str:
    """A red line to the other end, with a cross in the middle."""
    (ax, ay), (bx, by) = _middle(plan.slots[fault.place]), _middle(plan.slots[fault.other])
    x, y = (ax + bx) / 2, (ay + by) / 2
    cross = f"M{svg.number(x - 6)} {svg.number(y - 6)}l12 12m0 -12l-12 12"
    line = svg.element("path", d=svg.path([(ax, ay), (bx, by)]) + cross, fill="none", **_STROKE)
    return svg.group([line], _message(fault))


def _middle(box: Box) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _numbers(board: Board, kind: str, place: int, faults: Sequence[BoardFault]) -> Iterator[str]:
    slot, title = board.plans[kind].slots[place], board.sheet.titles(kind)[place]
    x, y = _middle(slot)
    size = min(_DISC, (slot[2] - slot[0]) / len(faults) / 2, (slot[3] - slot[1]) / 2)
    x -= size * (len(faults) - 1)
    for fault in faults:
        yield svg.group([_disc(fault, x, y, size)], f"{title}: {_message(fault)}")
        x += 2 * size


def _disc(fault: BoardFault, x: float, y: float, size: float) -> str:
    fill = FAULT if fault.diagnostic.severity is Severity.ERROR else "#a05a00"
    disc = svg.element("circle", cx=x, cy=y, r=size, fill=fill, stroke="#ffffff", stroke_width=1)
    return disc + svg.words(str(fault.number), x, y, size * 1.15, bold=True, fill="#ffffff")


# --- the list ------------------------------------------------------------------------------------


def _list(faults: Sequence[BoardFault], corner: Point) -> Iterator[SceneItem]:
    x, y = corner
    yield SceneItem(
        "faults_head", "faults", svg.words("What is wrong", x, y, 15, bold=True, anchor="start", fill=FAULT)
    )
    y += 26
    for fault in faults:
        span = fault.diagnostic.span
        place = fault.diagnostic.code
        if span is not None:
            place += f"  {Path(span.file).name}:{span.line}:{span.column}"
        parts = [_disc(fault, x + _DISC, y, _DISC)]
        parts.append(svg.words(shortened(place, 10, _WIDTH - 30), x + 26, y - 4, 10, anchor="start", fill="#555"))
        for i, line in enumerate(_lines(fault)):
            parts.append(svg.words(line, x + 26, y + 10 + i * 15, _SIZE, anchor="start", fill=INK))
        yield SceneItem(f"fault_text.{fault.number}", "faults", "".join(parts))
        y += _height(fault)


def _height(fault: BoardFault) -> float:
    return 22.0 + 15 * len(_lines(fault))


def _lines(fault: BoardFault) -> list[str]:
    """The message, wrapped to fit beside the board."""
    room, result = _WIDTH - 30, [""]
    for word in _message(fault).split():
        longer = f"{result[-1]} {word}".strip()
        if text_width(longer, _SIZE) <= room:
            result[-1] = longer
        else:
            result.append(shortened(word, _SIZE, room))
    if len(result) > _LINES:
        result[_LINES - 1 :] = [shortened(result[_LINES - 1] + " …", _SIZE, room)]
    return result
