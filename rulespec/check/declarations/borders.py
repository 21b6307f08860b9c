"""The sides and corners of a board: entities shared by adjacent spaces, with facts about the entities they touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulespec.check.declarations.entities import Entry
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.documents import yaml_nodes
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, get
from rulespec.typed import nodes as typed
from rulespec.types import SetOf

_HEX_SIDES = frozenset([(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)])
_OTHER_SIDES = frozenset([(1, 0), (0, 1), (-1, 0), (0, -1)])
"""The steps to spaces with a common side, in grids and along lines."""
_N, _E, _S, _W = (0, 1), (1, 0), (0, -1), (-1, 0)
_HEX_E, _HEX_NE, _HEX_NW, _HEX_W, _HEX_SW, _HEX_SE = (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)
Corner = tuple[str, typed.Step, typed.Step]
"""A corner of a space: its name there, and the steps across the sides that meet in it."""
_CORNERS: dict[str, tuple[Corner, ...]] = {
    "grid": (("ne", _N, _E), ("se", _E, _S), ("sw", _S, _W), ("nw", _W, _N)),
    "hexes": (
        ("n", _HEX_NW, _HEX_NE),
        ("ene", _HEX_NE, _HEX_E),
        ("ese", _HEX_E, _HEX_SE),
        ("s", _HEX_SE, _HEX_SW),
        ("wsw", _HEX_SW, _HEX_W),
        ("wnw", _HEX_W, _HEX_NW),
    ),
}
"""The corners of a space, clockwise."""
_SPREAD = {"grid": 2, "hexes": 3}
"""The factor of the coordinates of a space in those of its corners, `_SPREAD * space + first step + second step`."""


def declare_borders(r: DeclarationReader, board: typed.BoardDecl, node: Node) -> None:
    """Declares the kinds of the sides and corners of a board."""
    sides, corners = get(node, "sides"), get(node, "corners")
    if isinstance(sides, Scalar):
        if not board.direction:
            message = f"the board `{board.kind}` has no directions, so it has no sides"
            help_ = "add `directions:` to the board: a space has a side in each direction"
            r.report.error("RS361", message, sides.span, help=help_)
        elif r.claim(sides.text, sides.span):
            r.d.kinds[sides.text] = typed.Kind(sides.text, sides.span)
            board.sides = sides.text
    if isinstance(corners, Scalar):
        if board.form == "line":
            message = f"the board `{board.kind}` is a line, so its spaces have no corners"
            r.report.error("RS375", message, corners.span, help="remove `corners`, or write a `grid` or `hexes`")
        elif board.form in _CORNERS and r.claim(corners.text, corners.span):
            r.d.kinds[corners.text] = typed.Kind(corners.text, corners.span)
            board.corners = corners.text


def declare_facts_of_borders(r: DeclarationReader, board: typed.BoardDecl, node: Node) -> None:
    """Declares the facts in which spaces, sides and corners list the entities that they touch."""
    if board.sides:
        _declare(r, board.sides, "spaces", board.kind, get(node, "sides"))
    if board.corners:
        at = get(node, "corners")
        for kind in (board.kind, *([board.sides] if board.sides else []), board.corners):
            _declare(r, kind, "corners", board.corners, at)
        _declare(r, board.corners, "spaces", board.kind, at)
        if board.sides:
            _declare(r, board.corners, "sides", board.sides, at)


def _declare(r: DeclarationReader, of: str, name: str, members: str, at: Node | None) -> None:
    kind, span = r.d.kinds[of], at.span if at is not None else r.d.kinds[of].span
    if name in kind.facts:
        r.report.error("RS223", f"`{name}` already has a meaning", kind.facts[name].span)
    kind.facts[name] = typed.FactDecl(name, SetOf(members), span)


def borders_of(r: DeclarationReader, board: typed.BoardDecl, directions: Sequence[Entry]) -> list[Entry]:
    """The sides and corners of a board, with their facts; also sets the corners of its spaces."""
    ring = _CORNERS.get(board.form, ()) if board.corners else ()
    corners = _corners(r, board, ring)
    lie_between = board.sides != "" and _lie_between(r, board, directions)
    sides = _sides(r, board, directions) if lie_between else []
    touching: list[list[str]] = [[] for _ in sides]
    at_corner: list[list[str]] = [[] for _ in corners]
    for space, row in enumerate(board.side_of):
        for step, side in zip(board.steps, row, strict=True):
            for (_, first, second), corner in zip(ring, board.corner_of[space] if ring else (), strict=True):
                if step in (first, second):
                    touching[side].append(corners[corner][0])
                    at_corner[corner].append(sides[side][0])
    results = [
        _entry(r.d.kinds[board.sides], name, {"spaces": spaces} | ({"corners": touching[i]} if ring else {}))
        for i, (name, spaces) in enumerate(sides)
    ]
    beside = _beside(board)
    for i, (name, spaces) in enumerate(corners):
        facts = {"spaces": spaces, "corners": [corners[other][0] for other in beside[i]]}
        facts |= {"sides": at_corner[i]} if board.sides else {}
        results.append(_entry(r.d.kinds[board.corners], name, facts))
    return results


def _entry(kind: typed.Kind, name: str, facts: dict[str, list[str]]) -> Entry:
    """An entity with sets of names as facts."""
    values: dict[str, tuple[Scalar, Node]] = {}
    for fact, members in facts.items():
        names = [Scalar(each, each, kind.span) for each in dict.fromkeys(members)]
        values[fact] = Scalar(fact, fact, kind.span), yaml_nodes.Sequence([*names], kind.span)
    return kind, name, Scalar(name, name, kind.span), Mapping(values, kind.span)


def _sides(r: DeclarationReader, board: typed.BoardDecl, directions: Sequence[Entry]) -> list[tuple[str, list[str]]]:
    """The sides of a board with their spaces, space by space; each is named after its first space and the direction."""
    known: dict[tuple[int, typed.Step], int] = {}
    results: list[tuple[str, list[str]]] = []
    spaces = r.d.kinds[board.kind].entities
    for space, entity in enumerate(spaces):
        row: list[int] = []
        for (_, direction, _, _), (x, y) in zip(directions, board.steps, strict=True):
            if (space, (x, y)) not in known:
                beyond = board.to(space, (x, y))
                known[space, (x, y)] = known[beyond, (-x, -y)] = len(results)
                names = [entity.name, *([spaces[beyond].name] if beyond >= 0 else [])]
                results.append((f"{entity.name}_{direction}", names))
            row.append(known[space, (x, y)])
        board.side_of.append(row)
    return results


def _corners(r: DeclarationReader, board: typed.BoardDecl, ring: Iterable[Corner]) -> list[tuple[str, list[str]]]:
    """The corners of a board with their spaces, space by space; each is named after its first space and its place."""
    known: dict[typed.Step, int] = {}
    results: list[tuple[str, list[str]]] = []
    if not board.corners:
        return results
    spread = _SPREAD[board.form]
    for entity, (x, y) in zip(r.d.kinds[board.kind].entities, board.spaces, strict=True):
        row: list[int] = []
        for name, first, second in ring:
            at = spread * x + first[0] + second[0], spread * y + first[1] + second[1]
            if at not in known:
                known[at] = len(results)
                results.append((f"{entity.name}_{name}", []))
            results[known[at]][1].append(entity.name)
            row.append(known[at])
        board.corner_of.append(row)
    r.d.kinds[board.kind].facts["corners"].values += [sum(1 << corner for corner in row) for row in board.corner_of]
    return results


def _beside(board: typed.BoardDecl) -> dict[int, list[int]]:
    """For each corner, those at the other ends of its sides."""
    results: dict[int, list[int]] = {}
    for row in board.corner_of:
        for i, corner in enumerate(row):
            others = results.setdefault(corner, [])
            others += [other for other in (row[i - 1], row[(i + 1) % len(row)]) if other not in others]
    return results


def _lie_between(r: DeclarationReader, board: typed.BoardDecl, directions: Sequence[Entry]) -> bool:
    """Whether there is a side in each direction; reports directions without one."""
    beside = _HEX_SIDES if board.form == "hexes" else _OTHER_SIDES
    wrong = [entry for entry, step in zip(directions, board.steps, strict=True) if step not in beside]
    for _, name, place, _ in wrong:
        message = f"there is no side in the direction `{name}`"
        help_ = "declare other steps as `links:` of the board: only adjacent spaces share a side"
        r.report.error("RS361", message, place.span, help=help_)
    return not wrong
