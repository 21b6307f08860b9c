"""Boards: the next space in a direction, rays, turns and sides."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.foreign import TURNS
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import counted
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Bad, Ent, SetOf


def infer_to(x: ExpressionContext, e: ast.TrackCall, env: Env) -> typed.Expr:
    """Types `space.to(d)` and `space.to(d, k)`."""
    space = _space(x, e.track, env, "only a space of a board has `.to(…)`", "to")
    board = x.decls.boards.get(getattr(space.type, "kind", ""))
    if board is None:
        return typed.Lit(BAD, e.span, 0)
    if len(e.args) > 2:
        return x.bad(
            "RS226", f"`to` takes a direction and a number of steps, not {counted(len(e.args), 'value')}", e.span
        )
    args = [space, _direction(x, e.args[0], board, env)]
    args += [x.check(times, env, INT, "the number of steps") for times in e.args[1:]]
    values = [a.value for a in args if isinstance(a, typed.Lit) and not isinstance(a.type, Bad)]
    if len(values) == len(args):
        there = board.to(values[0], board.steps[values[1]], *values[2:])
        return typed.Lit(Ent(board.kind, there < 0), e.span, there)
    return typed.BoardOp(Ent(board.kind, True), e.span, "to", board, tuple(args))


def infer_side(x: ExpressionContext, e: ast.TrackCall, env: Env) -> typed.Expr:
    """Types `space.side(d)`."""
    space = _space(x, e.track, env, "only a space of a board has `.side(…)`", "side")
    board = x.decls.boards.get(getattr(space.type, "kind", ""))
    if board is None:
        return typed.Lit(BAD, e.span, 0)
    if not board.sides:
        notes = (Label(board.span, "the board is declared here"),)
        help_ = "add `sides: side` to the board: it declares the kind `side`, with one for each pair of adjacent spaces"
        return x.bad("RS362", f"the board `{board.kind}` has no sides", e.span, notes=notes, help=help_)
    if len(e.args) != 1:
        return x.bad("RS226", f"`side` takes a direction, not {counted(len(e.args), 'value')}", e.span)
    args = (space, _direction(x, e.args[0], board, env))
    return typed.BoardOp(Ent(board.sides), e.span, "side", board, args)


def infer_ray(x: ExpressionContext, e: ast.Ray, env: Env) -> typed.Expr:
    """Types `ray(space, d)` and `ray(space, d until stops)`."""
    space = _space(x, e.space, env, "a ray begins at a space of a board")
    board = x.decls.boards.get(getattr(space.type, "kind", ""))
    if board is None:
        return typed.Lit(BAD, e.span, 0)
    args = [space, _direction(x, e.direction, board, env)]
    if e.stops is not None:
        args.append(x.check(e.stops, env, SetOf(board.kind), "the set after `until`"))
    return typed.BoardOp(SetOf(board.kind), e.span, "ray", board, tuple(args))


def _space(x: ExpressionContext, e: ast.Expr, env: Env, what: str, member: str = "") -> typed.Expr:
    """Types an expression that must be a space of a board; reports others, with the way to say `member` for them."""
    result = x.infer(e, env)
    if isinstance(result.type, Bad):
        return result
    if not isinstance(result.type, Ent) or result.type.kind not in x.decls.boards:
        boards = " or ".join(f"`{kind}`" for kind in x.decls.boards)
        help_ = of_boards(x.decls, result.type.kind, member) if isinstance(result.type, Ent) and member else ""
        help_ = help_ or (f"write a space of {boards}" if boards else "declare a board in boards.yaml")
        return x.wrong(result, what, help_)
    return x.expect(result, Ent(result.type.kind), "the space before the step")


def _direction(x: ExpressionContext, e: ast.Expr, board: typed.BoardDecl, env: Env) -> typed.Expr:
    if not board.direction:
        help_ = "add `directions:` to the board"
        return x.bad("RS225", f"the board `{board.kind}` has no directions", e.span, help=help_)
    return x.check(e, env, Ent(board.direction), f"a direction of `{board.kind}`", board.span)


_OF_DIRECTIONS = frozenset(
    ["back", "ahead", "behind", "opposite", "reverse", "left", "right", "turn", "turned", "rotate"]
)
_SIDES = frozenset(["side", "sides", "edge", "edges", "border", "borders"])
_CORNERS = frozenset(["corner", "corners", "vertex", "vertices", "point", "points", "node", "nodes"])
_ENDS = frozenset(["end", "ends", "from", "to", "vertex", "vertices", "corner", "corners", "points", "nodes"])
_SPACES = frozenset(["space", "cells", "cell", "hex", "hexes", "tile", "tiles", "square", "squares", "fields"])
_STEPS = frozenset(["next", "step", "move", "ahead", "neighbour", "neighbor", "adjacent_in"])
_NEIGHBOURS = frozenset(["neighbours", "neighbors", "adjacent", "around", "near"])
_RAYS = frozenset(["ray", "line", "row_in"])
_ACROSS = frozenset(["other", "opposite", "across"])
_OF_SIDES = _ACROSS | {"to", "from", "ends", "space", "between"}


def of_boards(decls: typed.Declarations, kind: str, name: str) -> str:
    """The help for an unknown member of a direction, space or side of a board; "" for other kinds."""
    for board in decls.boards.values():
        if kind == board.direction and name in _OF_DIRECTIONS:
            return TURNS.replace("direction.", f"{kind}.")
        if kind == board.kind and board.direction:
            directions = [entity.name for entity in decls.kinds[board.direction].entities]
            if name in directions:
                sides = f", `s.side({name})` the side between them" if board.sides else ""
                return f"`s.to({name})` is the space in this direction, or none{sides}"
            if name in _STEPS:
                return "the next space in a direction is `s.to(d)`, or none"
            if name in _NEIGHBOURS:
                return f"the spaces around it are `{{s.to(d) for d in {board.direction}}}`"
            if name in _RAYS:
                return "all spaces in a direction are `ray(s, d)`"
        if help_ := _of_borders(decls, board, kind, name):
            return help_
    return ""


def _of_borders(decls: typed.Declarations, board: typed.BoardDecl, kind: str, name: str) -> str:
    """The help for an unknown member that means the sides or corners of a board, or their spaces."""
    if kind not in {board.kind, board.sides, board.corners} - {""}:
        return ""
    if name == "corners" and not board.corners and board.form != "line":
        return "add `corners: corner` to the board: it declares the kind `corner`, shared by the spaces around it"
    if kind == board.kind:
        if board.sides and name in {*_SIDES, board.sides}:
            return (
                f"write `s.side(d)` for one side, `{{s.side(d) for d in {board.direction}}}` for all sides of a space"
            )
        if board.corners and name in {*_CORNERS, board.corners}:
            return "write `s.corners` for the corners of a space; a single one is an entity with a name"
        names = _names(decls, board.corners, board.corner_of[0]) if board.corner_of else []
        named = next((n for n in names if n.endswith(f"_{name}")), "")
        return f"write the name of a corner, such as `{board.corners}.{named}`" if named else ""
    if kind == board.corners:
        if name in _SIDES | {board.sides}:
            return _SIDES_OF_CORNER if board.sides else "add `sides: side` to the board: it declares the kind `side`"
        if name in _NEIGHBOURS | _STEPS | _CORNERS | {"to"}:
            return "write `c.corners` for the corners at the other ends of its sides"
        return "write `c.spaces` for the spaces around a corner" if name in _SPACES | {board.kind} else ""
    if board.corners and name in _ACROSS:
        return "write `first(s.corners - {c})` for the other end, `first(s.spaces - {x})` for the space across from `x`"
    if board.corners and name in _ENDS | {board.corners}:
        return "write `s.corners` for the two ends of a side"
    if name in _OF_SIDES:
        return "write `s.spaces` for the spaces beside it, `first(s.spaces - {c})` for the one across from `c`"
    return ""


def _names(decls: typed.Declarations, kind: str, numbers: list[int]) -> list[str]:
    entities = decls.kinds[kind].entities
    return [entities[number].name for number in numbers if number < len(entities)]


_SIDES_OF_CORNER = "write `c.sides` for the sides that end in a corner, `the(a.sides & b.sides)` for one between two"
