"""Incomplete set-ups: entries missing for some player counts, or piles that do not add up to their total size."""

from __future__ import annotations

from itertools import product

from rulespec.check.context import Context
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Node, Scalar, content_column, entries, get
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr
from rulespec.typed import nodes as typed


def check_set_ups(c: Context) -> None:
    """Warns of set-up entries that exist for most player counts but not for all."""
    d, setup = c.declarations, get(c.source.root, "setup")
    counts = {int(n): node for n, _, node in entries(get(setup, "players"))}
    everybody = range(d.min_players, d.max_players + 1)
    first: dict[tuple[str, str], tuple[Scalar, set[int]]] = {}
    for number, node in counts.items():
        for section in ("pieces", "state", "accounts"):
            for path, where, _ in entries(get(node, section)):
                first.setdefault((section, path), (where, set()))[1].add(number)
    for (section, path), (where, result) in first.items():
        missing = [n for n in everybody if n not in result]
        if missing and 2 * len(result) > len(everybody) and get(setup, section, path) is None:
            names = ", ".join(map(str, missing))
            message = f"`{path}` is set up for most player counts, but not for {names}"
            help_ = "add it for these numbers, or once for all numbers directly under `setup:`"
            c.report.warning("RS236", message, where.span, help=help_)


def check_piles(c: Context) -> None:
    """Warns of entries such as `supply: all - 12` if the set-up places a different number of pieces elsewhere."""
    for path, _, node in entries(get(c.source.root, "setup", "pieces")):
        taken = _taken(node)
        piece_name, _, place_name = path.partition(".")
        piece = c.declarations.pieces.get(piece_name)
        if taken is None or piece is None:
            continue
        elsewhere = _elsewhere(c.declarations, piece, place_name)
        if elsewhere is None or elsewhere == taken:
            continue
        much = f"{elsewhere - taken} too many" if elsewhere > taken else f"{taken - elsewhere} too few"
        message = f"`{path}` leaves {taken} for other places, but {elsewhere} are set up there: {much}"
        c.report.warning(
            "RS237", message, node.span, help=f"subtract {elsewhere}, or correct the numbers in the other places"
        )


def _taken(node: Node) -> int | None:
    """The number in an expression `name - number`; None for any other value."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or "-" not in node.text:
        return None
    try:
        tree = parse_expr(node.text, node.span.file, node.span.line, content_column(node), cached=True)
    except DiagnosticsError:
        return None
    fits = isinstance(tree, ast.Binary) and tree.op == "-" and isinstance(tree.left, ast.Ref | ast.Attribute)
    if isinstance(tree, ast.Binary) and fits and isinstance(tree.right, ast.Number):
        return tree.right.value
    return None


def _elsewhere(d: typed.Declarations, piece: typed.PieceDecl, place: str) -> int | None:
    """The number of pieces of a single pile placed elsewhere by the set-up; None unless given as plain numbers."""
    counts: dict[tuple[str, tuple[int, ...]], int] = {}
    for p in d.placements:
        if not isinstance(p.target, tuple) or p.target[0] is not piece or p.target[1].name == place:
            continue
        if piece.each or p.players is not None or not isinstance(p.value, typed.Lit):
            return None
        kinds = [p.target[1].index] if p.target[1].index else []
        if any(d.kinds[k].by_seat for k in kinds):
            return None
        members = [
            range(len(d.kinds[kind].entities)) if isinstance(key, typed.Var) else [key]
            for kind, key in zip(kinds, p.keys, strict=True)
        ]
        for ids in product(*members):
            counts[p.target[1].name, ids] = p.value.value
    return sum(counts.values())
