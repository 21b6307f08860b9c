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
    space = _space(x, e.track, env, "only a space of a board has `.to(…)`")
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
    space = _space(x, e.track, env, "only a space of a board has `.side(…)`")
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


def _space(x: ExpressionContext, e: ast.Expr, env: Env, what: str) -> typed.Expr:
    """Types an expression that must be a space of a board; reports others."""
    result = x.infer(e, env)
    if isinstance(result.type, Bad):
        return result
    if not isinstance(result.type, Ent) or result.type.kind not in x.decls.boards:
        boards = " or ".join(f"`{kind}`" for kind in x.decls.boards)
        return x.wrong(result, what, f"write a space of {boards}" if boards else "declare a board in boards.yaml")
    return x.expect(result, Ent(result.type.kind), "the space before the step")


def _direction(x: ExpressionContext, e: ast.Expr, board: typed.BoardDecl, env: Env) -> typed.Expr:
    if not board.direction:
        help_ = "add `directions:` to the board"
        return x.bad("RS225", f"the board `{board.kind}` has no directions", e.span, help=help_)
    return x.check(e, env, Ent(board.direction), f"a direction of `{board.kind}`", board.span)


_OF_DIRECTIONS = frozenset(
    ["back", "ahead", "behind", "opposite", "reverse", "left", "right", "turn", "turned", "rotate"]
)
_OF_SPACES = frozenset(["side", "sides", "edge", "edges", "border", "borders"])
_STEPS = frozenset(["next", "step", "move", "ahead", "neighbour", "neighbor", "adjacent_in"])
_NEIGHBOURS = frozenset(["neighbours", "neighbors", "adjacent", "around", "near"])
_RAYS = frozenset(["ray", "line", "row_in"])
_OF_SIDES = frozenset(["to", "from", "other", "opposite", "across", "ends", "space", "between"])


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
        if kind == board.kind and board.sides and name in {*_OF_SPACES, board.sides}:
            return (
                f"write `s.side(d)` for one side, `{{s.side(d) for d in {board.direction}}}` for all sides of a space"
            )
        if kind == board.sides and name in _OF_SIDES:
            return "write `s.spaces` for the spaces beside it, `first(s.spaces - {c})` for the one across from `c`"
    return ""
