"""Sides of a board's spaces, as entities: two neighbouring spaces share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulespec.check.declarations.entities import Entry
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.documents import yaml_nodes
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar
from rulespec.typed import nodes as typed
from rulespec.types import SetOf

_HEX_SIDES = frozenset([(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)])
_OTHER_SIDES = frozenset([(1, 0), (0, 1), (-1, 0), (0, -1)])
"""The steps to spaces with a common side, in grids and along lines."""


def declare_sides(r: DeclarationReader, board: typed.BoardDecl, node: Node | None) -> str:
    """Declares the kind of the sides of a board; returns its name, or "" if there is none."""
    if not isinstance(node, Scalar):
        return ""
    if not board.direction:
        help_ = "add `directions:` to the board: a space has a side in each of them"
        r.report.error(
            "RS361", f"the board `{board.kind}` has no directions, so it has no sides", node.span, help=help_
        )
        return ""
    if not r.claim(node.text, node.span):
        return ""
    r.d.kinds[node.text] = typed.Kind(node.text, node.span)
    return node.text


def declare_spaces_of_sides(r: DeclarationReader, board: typed.BoardDecl, node: Node | None) -> None:
    """Declares the fact of a side with its spaces: two, or one at the edge of the board."""
    if not board.sides or node is None:
        return
    kind = r.d.kinds[board.sides]
    if "spaces" in kind.facts:
        r.report.error("RS223", "`spaces` already has a meaning", kind.facts["spaces"].span)
    kind.facts["spaces"] = typed.FactDecl("spaces", SetOf(board.kind), node.span)


def sides_of(r: DeclarationReader, board: typed.BoardDecl, directions: Sequence[Entry]) -> Iterator[Entry]:
    """The sides of a board, space by space; each is named by its first space and the direction from there."""
    kind = r.d.kinds[board.sides]
    if not _lie_between(r, board, directions):
        return
    known: dict[tuple[int, typed.Step], int] = {}
    number = 0
    spaces = r.d.kinds[board.kind].entities
    for space, entity in enumerate(spaces):
        row: list[int] = []
        for (_, direction, _, _), (x, y) in zip(directions, board.steps, strict=True):
            if (space, (x, y)) not in known:
                beyond = board.to(space, (x, y))
                known[space, (x, y)] = known[beyond, (-x, -y)] = number
                number += 1
                names = [entity.name, *([spaces[beyond].name] if beyond >= 0 else [])]
                members = [Scalar(name, name, kind.span) for name in names]
                key = Scalar("spaces", "spaces", kind.span)
                facts = Mapping({"spaces": (key, yaml_nodes.Sequence([*members], kind.span))}, kind.span)
                name = f"{entity.name}_{direction}"
                yield kind, name, Scalar(name, name, kind.span), facts
            row.append(known[space, (x, y)])
        board.side_of.append(row)


def _lie_between(r: DeclarationReader, board: typed.BoardDecl, directions: Sequence[Entry]) -> bool:
    """Whether there is a side in each direction; reports directions without one."""
    beside = _HEX_SIDES if board.form == "hexes" else _OTHER_SIDES
    wrong = [entry for entry, step in zip(directions, board.steps, strict=True) if step not in beside]
    for _, name, place, _ in wrong:
        message = f"there is no side in the direction `{name}`"
        help_ = "only adjacent spaces share a side: declare other steps as `links:` of the board"
        r.report.error("RS361", message, place.span, help=help_)
    return not wrong
