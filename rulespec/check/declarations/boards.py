"""Regular boards: generated spaces, directions, and links given by steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulespec.check.declarations.borders import borders_of, declare_borders, declare_facts_of_borders
from rulespec.check.declarations.entities import Entry, fact_value, unknown_facts
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, entries, get, integer, text, words
from rulespec.typed import nodes as typed
from rulespec.types import INT, Ent, Num, SetOf, Type, may_be_none, none_of

FORMS = ("grid", "line", "hexes")
_RANGE = re.compile(r"([a-z_]*)([0-9]+)\.\.([a-z_]*)([0-9]+)")
_HEX_STEPS: dict[str, typed.Step] = {
    "e": (1, 0),
    "ne": (1, -1),
    "nw": (0, -1),
    "w": (-1, 0),
    "sw": (-1, 1),
    "se": (0, 1),
}
"""The directions of hexes as steps in the coordinates (q, r); r grows downwards."""


def boards_in(root: Node) -> Iterator[tuple[Scalar, Node, str, str]]:
    """Yields the name, node, form and direction kind ("" if there are no directions) of each board."""
    for _, place, node in entries(get(root, "boards")):
        form = next((f for f in FORMS if get(node, f) is not None), "")
        directions = form == "hexes" or get(node, "directions") is not None
        yield place, node, form, text(get(node, "direction"), "direction") if directions else ""


def count_spaces(node: Node, form: str) -> int:
    """The number of spaces on a board, computed before any space is created."""
    if form == "grid":
        return len(_axis(get(node, form, "columns"))) * len(_axis(get(node, form, "rows")))
    if form == "line":
        return len(_axis(get(node, form)))
    return sum(integer(length, 0) for length in words(get(node, form)))


def count_steps(node: Node) -> int:
    """The number of a board's directions plus the number of steps in its links."""
    links = (len(node.items) for _, _, node in entries(get(node, "links")) if isinstance(node, Sequence))
    return max(6, len(list(entries(get(node, "directions"))))) + sum(links)


def declare_boards(r: DeclarationReader) -> None:
    """Declares the kinds of all spaces and directions."""
    for place, node, form, direction in boards_in(r.root):
        named = get(node, "direction")
        if [f for f in FORMS if get(node, f) is not None] != [form]:
            help_ = (
                "write `grid` with columns and rows, `line` such as `p1..p24`, or `hexes` with the length of each row"
            )
            message = f"the board `{place.text}` must have exactly one of `grid`, `line` and `hexes`"
            r.report.error("RS227", message, place.span, help=help_)
        _check_axes(r, node, form)
        if not r.claim(place.text, place.span):
            continue
        r.d.kinds[place.text] = typed.Kind(place.text, place.span, doc=text(get(node, "doc")))
        at = (named or get(node, "directions") or place).span
        if direction and r.claim(direction, at):
            r.d.kinds[direction] = typed.Kind(direction, at)
        elif direction and named is None:
            direction = ""
        board = r.d.boards[place.text] = typed.BoardDecl(place.text, direction, place.span, form)
        declare_borders(r, board, node)
        mark_generated(r, place.text, direction, *(kind for kind in (board.sides, board.corners) if kind))


def _check_axes(r: DeclarationReader, node: Node, form: str) -> None:
    """Reports ranges that count down, which are empty."""
    axes = [get(node, form, "columns"), get(node, form, "rows")] if form == "grid" else [get(node, form)]
    for axis in axes if form in ("grid", "line") else ():
        if axis is not None and not _axis(axis):
            first, _, last = text(axis).partition("..")
            message = f"the range `{text(axis)}` is empty, because ranges count up"
            help_ = f"write `{last}..{first}`"
            r.report.error("RS227", message, axis.span, help=help_)


def mark_generated(r: DeclarationReader, *kinds: str) -> None:
    """Marks kinds as generated, and reports entities that are listed for them."""
    for kind in kinds:
        r.generated.add(kind)
        for key in ("entities", "product"):
            written = get(r.root, "kinds", kind, key)
            if written is not None:
                message = f"entities of `{kind}` are generated, so they cannot be listed"
                help_ = f"remove the list; write facts of single entities where `{kind}` is declared"
                r.report.error("RS227", message, written.span, help=help_)


def declare_links(r: DeclarationReader) -> None:
    """Declares the facts of all board spaces: their coordinates and their links."""
    for place, node, form, _ in boards_in(r.root):
        if place.text not in r.d.boards:
            continue
        kind = r.d.kinds[place.text]
        numbers = {"line": ("number",), "": ()}.get(form, ("column", "row"))
        inputs: list[tuple[str, Type, Span]] = [(name, INT, place.span) for name in numbers]
        inputs += [(name, SetOf(kind.name), key.span) for name, key, _ in entries(get(node, "links"))]
        for name, type_, span in inputs:
            if name in kind.facts:
                at = span if isinstance(type_, SetOf) else kind.facts[name].span
                r.report.error("RS223", f"`{name}` already has a meaning", at)
            kind.facts[name] = typed.FactDecl(name, type_, span)
        declare_facts_of_borders(r, r.d.boards[place.text], node)


def board_entities(r: DeclarationReader) -> list[Entry]:
    """Creates the spaces; returns the directions, sides and corners, whose facts are read like those of listed
    entities.
    """
    results: list[Entry] = []
    for place, node, form, _ in boards_in(r.root):
        board = r.d.boards.get(place.text)
        if board is None:
            continue
        kind = r.d.kinds[board.kind]
        for name, step, numbers in _spaces(node, form):
            if name in kind.index:
                r.report.error("RS223", f"two entities of `{kind.name}` would be called `{name}`", place.span)
                continue
            own = get(node, "spaces", name)
            span = next((key.span for each, key, _ in entries(get(node, "spaces")) if each == name), place.span)
            title = text(get(own, "title")) or name.replace("_", " ")
            r.writable(name, place.span)
            board.at[step] = len(board.spaces)
            board.spaces.append(step)
            r.d.add_entity(kind, typed.Entity(name, title, span, text(get(own, "doc"))))
            for fact, number in numbers.items():
                if fact in kind.facts:
                    kind.facts[fact].values.append(number)
        directions = list(_directions(r, board, node, form, place)) if board.direction in r.d.kinds else []
        results += [*directions, *borders_of(r, board, directions)]
    return results


def _directions(r: DeclarationReader, board: typed.BoardDecl, node: Node, form: str, place: Scalar) -> Iterator[Entry]:
    kind = r.d.kinds[board.direction]
    nothing = Mapping({}, place.span)
    written = list(entries(get(node, "directions")))
    if not written:
        for name, step in _HEX_STEPS.items():
            board.steps.append(step)
            yield kind, name, Scalar(name, name, place.span), nothing
        return
    for name, key, value in written:
        source = get(value, "step") if isinstance(value, Mapping) else value
        board.steps.append(_step(r, source or key, form))
        facts = {k: v for k, v in value.entries.items() if k != "step"} if isinstance(value, Mapping) else {}
        yield kind, name, key, Mapping(facts, value.span)


def _called(kind: typed.Kind) -> str:
    """The names of the first spaces and of the last one."""
    names = [f"`{name}`" for name in kind.index]
    shown = names if len(names) < 5 else [*names[:3], "…", names[-1]]
    return f"the spaces are called {', '.join(shown)}"


def read_spaces(r: DeclarationReader) -> None:
    """Reads the facts of all spaces, and resolves their links."""
    for place, node, form, _ in boards_in(r.root):
        board = r.d.boards.get(place.text)
        if board is None:
            continue
        kind = r.d.kinds[board.kind]
        inputs = {name: (key, value) for name, key, value in entries(get(node, "spaces"))}
        for name, (key, value) in inputs.items():
            if name in kind.index:
                unknown_facts(r, kind, value)
            else:
                notes = [Label(kind.span, "the board is declared here")]
                help_ = did_you_mean(name, kind.index) or _called(kind)
                r.report.error("RS221", f"no `{kind.name}` is called `{name}`", key.span, notes=notes, help=help_)
        links = dict.fromkeys(name for name, _, _ in entries(get(node, "links")))
        for fact in kind.facts.values():
            if fact.name in links:
                steps = _link(r, board, get(node, "links", fact.name), form)
                fact.values += _led_to(board, steps)
            elif not fact.values:
                _own_fact(r, kind, fact, {name: get(value, fact.name) for name, (_, value) in inputs.items()})


def _own_fact(r: DeclarationReader, kind: typed.Kind, fact: typed.FactDecl, nodes: dict[str, Node | None]) -> None:
    """Reads a fact declared by the ruleset itself."""
    missing: list[str] = []
    for number, entity in enumerate(kind.entities):
        value = nodes.get(entity.name)
        if value is not None:
            fact.places[number] = value.span
            fact.values.append(fact_value(r, fact, value))
            continue
        optional = may_be_none(fact.type)
        fact.values.append(none_of(fact.type) if optional else 0)
        if isinstance(fact.type, Num | Ent) and not optional:
            missing.append(f"`{entity.name}`")
    if missing:
        names = ", ".join(missing[:6]) + (" …" if len(missing) > 6 else "")
        help_ = f"add `{fact.name}: …` for each of them under `spaces:` of the board `{kind.name}`"
        notes = [Label(fact.span, f"{fact.type}, declared here")]
        r.report.error("RS228", f"`{fact.name}` is missing for {names}", fact.span, notes=notes, help=help_)


def _link(r: DeclarationReader, board: typed.BoardDecl, node: Node | None, form: str) -> list[typed.Step]:
    steps: list[typed.Step] = []
    named: set[str] = set()
    for item in node.items if isinstance(node, Sequence) else []:
        if isinstance(item, Scalar) and isinstance(item.value, str):
            if board.direction not in r.d.kinds:
                r.report.error("RS221", f"the board `{board.kind}` has no directions", item.span)
            else:
                number = r.entity(item, board.direction)
                steps += board.steps[number : number + 1]
                if item.text in named:
                    r.report.error("RS223", f"`{item.text}` is listed twice", item.span)
                named.add(item.text)
        else:
            steps.append(_step(r, item, form))
    return steps


def _led_to(board: typed.BoardDecl, steps: list[typed.Step]) -> Iterator[int]:
    """For each space, the set of spaces reached by the steps, as a bit mask."""
    for space in range(len(board.spaces)):
        mask = 0
        for step in steps:
            there = board.to(space, step)
            mask |= 1 << there if there >= 0 else 0
        yield mask


def _step(r: DeclarationReader, node: Node, form: str) -> typed.Step:
    """Parses a step; reports malformed steps, and the zero step."""
    numbers = [integer(item, 0) for item in node.items] if isinstance(node, Sequence) else [integer(node, 0)]
    if isinstance(node, Sequence) == (form == "line"):
        help_ = (
            "write a number of spaces, such as `2`" if form == "line" else "write `[columns, rows]`, such as `[1, 2]`"
        )
        r.report.error("RS227", "this is not a valid step on this board", node.span, help=help_)
    elif not any(numbers):
        r.report.error("RS227", "this step does not leave its space", node.span)
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (numbers[0] or 1, 0)


def _axis(node: Node | None) -> list[tuple[str, int]]:
    """The names along an axis with their numbers; a list without numbers counts from 1, a reversed range is empty."""
    if isinstance(node, Sequence):
        return [(word.text, n) for n, word in enumerate(words(node), 1)]
    result = _RANGE.fullmatch(text(node))
    if result is not None:
        return [(f"{result[1]}{n}", n) for n in range(int(result[2]), int(result[4]) + 1)]
    first, _, last = text(node).partition("..")
    return [(chr(c), n) for n, c in enumerate(range(ord(first[:1] or "b"), ord(last[:1] or "a") + 1), 1)]


def _spaces(node: Node, form: str) -> Iterator[tuple[str, typed.Step, dict[str, int]]]:
    """The spaces in order: the name, the coordinates and the coordinate facts of each."""
    if form == "grid":
        columns, rows = _axis(get(node, form, "columns")), _axis(get(node, form, "rows"))
        for y, (row, up) in enumerate(rows):
            for x, (column, along) in enumerate(columns):
                yield f"{column}{row}", (x, y), {"column": along, "row": up}
    elif form == "line":
        for x, (name, number) in enumerate(_axis(get(node, form))):
            yield name, (x, 0), {"number": number}
    elif form == "hexes":
        lengths = [integer(word, 0) for word in words(get(node, form))]
        for y, length in enumerate(lengths):
            # In half hexes: rows are centred, or else shifted half a hex to the right to align.
            first = 1 - length
            first += (first + y + 1 - lengths[0]) % 2
            for x in range(length):
                yield f"{chr(ord('a') + y)}{x + 1}", ((first + 2 * x - y) // 2, y), {"column": x + 1, "row": y + 1}
