"""Patterns that cover the whole content of a place: sets, sums, loops, and options that take any part of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulespec.check.lints.keys import key_of
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, head_expressions, parts


def token_at(e: typed.Op) -> tuple[typed.Expr | None, typed.PlaceValue | None]:
    """The token and the place that an expression compares; None if it is not a test of a token's place."""
    of, place = e.args
    if isinstance(of, typed.Field) and isinstance(place, typed.PlaceValue):
        return of.owner, place
    return None, None


def in_place(e: typed.Expr) -> typed.PlaceValue | None:
    """The place whose tokens are exactly the members of a set; None for other sets."""
    return _place_of(e.binder) if isinstance(e, typed.Each) and e.op == "set" and e.body is None else None


def all_of_place(b: typed.Binder) -> typed.PlaceValue | None:
    """The place whose tokens a binder iterates over without exception; None for other binders."""
    return in_place(b.source) if b.where is None else _place_of(b)


def _place_of(b: typed.Binder) -> typed.PlaceValue | None:
    if not isinstance(b.source, typed.KindSet) or not isinstance(b.where, typed.Op) or b.where.op != "==":
        return None
    token, place = token_at(b.where)
    return place if isinstance(token, typed.Local) and token.var is b.var else None


def all_of_pile(e: typed.Each) -> typed.PieceCount | None:
    """The place whose pieces an expression counts, summed over all kinds; None for other expressions."""
    pile, b = e.body, e.binder
    if not isinstance(pile, typed.PieceCount) or not isinstance(b.source, typed.KindSet) or b.where is not None:
        return None
    whole = [isinstance(k, typed.Local) and k.var is b.var for k in pile.ids]
    return pile if whole == [True] and not b.source.kind.by_seat else None


def within_place(b: typed.Binder) -> typed.PlaceValue | None:
    """A place known to contain all tokens in a binder's set; None if no place is known."""
    inner = b.source.binder if isinstance(b.source, typed.Each) and b.source.op == "set" else None
    for one in (b, inner):
        if one is not None and isinstance(one.where, typed.Op):
            tests = one.where.args if one.where.op == "and" else (one.where,)
            for test in tests:
                token, place = token_at(test) if isinstance(test, typed.Op) and test.op == "==" else (None, None)
                if place is not None and isinstance(token, typed.Local) and token.var is one.var:
                    return place
    return None


def emptied(s: typed.For) -> list[typed.Transfer]:
    """The moves of a loop that transfers the whole content of one place to another, for all kinds of pieces; empty for
    other loops.
    """
    if not _is_all(s.binder):
        move = s.body[0] if len(s.body) == 1 else None
        some = s.binder.where is not None and isinstance(move, typed.Transfer) and _is_some(s.binder.where, move.source)
        if not some or not isinstance(s.binder.source, typed.KindSet) or s.binder.source.kind.by_seat:
            return []
    moves: list[typed.Transfer] = []
    return moves if _only_moves(s.body, (s.binder.var,), (s.binder.var,), {}, moves) else []


def _only_moves(
    body: typed.Block,
    kinds: tuple[typed.Var, ...],
    bound: tuple[typed.Var, ...],
    lets: Mapping[typed.Var, typed.Expr],
    moves: list[typed.Transfer],
) -> bool:
    """Whether statements consist only of moves, all executed for each member; appends the moves of whole places.

    `kinds` are the variables that iterate over a whole kind of pieces, and `bound` all variables bound in the loop.
    """
    for s in body:
        if isinstance(s, typed.Let):
            lets, bound = {**lets, s.var: s.value}, (*bound, s.var)
        elif isinstance(s, typed.For):
            inner = (*kinds, s.binder.var) if _is_all(s.binder) else kinds
            if not _is_public(s.binder) or reads([s.binder.where], bound):
                return False
            # the players of an inner loop do not depend on the member
            if not _only_moves(s.body, inner, (*bound, s.binder.var) if inner is not kinds else bound, lets, moves):
                return False
        elif isinstance(s, typed.Transfer) and _is_move_of_all(s, kinds, bound, lets):
            moves.append(s)
            lets = {}  # earlier counts are outdated
        else:
            return False
    return True


def _is_all(b: typed.Binder) -> bool:
    """Whether a binder iterates over a whole kind of pieces."""
    whole = b.start is None and b.where is None
    return whole and isinstance(b.source, typed.KindSet) and not b.source.kind.by_seat


def _is_public(b: typed.Binder) -> bool:
    """Whether the members of a binder's set are independent of the state."""
    where = expressions(b.where) if b.where is not None else ()
    return isinstance(b.source, typed.KindSet) and all(isinstance(e, typed.Local | typed.Lit | typed.Op) for e in where)


def _is_move_of_all(
    s: typed.Transfer,
    kinds: Sequence[typed.Var],
    inner: Sequence[typed.Var],
    lets: Mapping[typed.Var, typed.Expr],
) -> bool:
    amount = lets.get(s.amount.var) if isinstance(s.amount, typed.Local) else s.amount
    if amount is None or not isinstance(s.source, typed.PieceCount) or not _is_pile(amount, s.source):
        return False
    ids = [e.var for e in s.source.ids if isinstance(e, typed.Local) and any(e.var is var for var in kinds)]
    if len(ids) != len(s.source.ids) or len(set(map(id, ids))) != len(ids):
        return False
    ends = (s.source, s.target)
    return all(_is_same_for_all(end.index, inner) for end in ends if isinstance(end, typed.PieceCount))


def _is_same_for_all(index: typed.Expr | None, inner: Sequence[typed.Var]) -> bool:
    """Whether the index of a place is the same in each iteration of a loop that only moves pieces."""
    plain = (typed.Local, typed.Lit, typed.Field, typed.Fact, typed.Op)
    return index is None or (all(isinstance(e, plain) for e in expressions(index)) and not reads([index], inner))


def reads(roots: Iterable[typed.Expr | None], variables: Iterable[typed.Var]) -> bool:
    """Whether the expressions read one of the variables."""
    ids = set(map(id, variables))
    return any(
        isinstance(e, typed.Local) and id(e.var) in ids for root in roots if root is not None for e in expressions(root)
    )


def _is_some(e: typed.Expr, pile: typed.Expr) -> bool:
    """Whether a condition tests a pile for being nonempty."""
    if not isinstance(e, typed.Op) or len(e.args) != 2:
        return False
    one, other = e.args
    if isinstance(one, typed.Lit):
        return _is_pile(other, pile) and (e.op, one.value) in {("<", 0), ("<=", 1), ("!=", 0)}
    return (
        isinstance(other, typed.Lit) and _is_pile(one, pile) and (e.op, other.value) in {(">", 0), (">=", 1), ("!=", 0)}
    )


def _is_pile(e: typed.Expr, pile: typed.Expr) -> bool:
    """Whether an expression is the number of pieces of a pile."""
    if not isinstance(e, typed.PieceCount) or not isinstance(pile, typed.PieceCount) or e.place is not pile.place:
        return False
    keys = [[key_of(part, {}) for part in parts(one)] for one in (e, pile)]
    return keys[0] == keys[1] and None not in keys[0]


def one_of_all(option: typed.OptionDef, p: typed.OptionParam) -> typed.Expr | None:
    """The set or pile from which an option takes any one member or piece.

    None if the option restricts the argument further. A pile stands for the pieces of all kinds in its place.
    """
    var = (p.var,)
    others = [e for q in option.params if q is not p for e in (*q.domain, q.where)]
    if (
        p.high is not None
        or p.several is not None
        or getattr(p.var.type, "optional", False)
        or reads((*others, option.by), var)
    ):
        return None
    head = [part for part in option.head if reads(head_expressions([part]), var)]
    if not head and p.where is None:
        return p.low
    if not isinstance(p.low, typed.KindSet):
        return None
    if not head:
        chosen = typed.Each(p.low.type, p.span, "set", typed.Binder(p.var, p.low, "", None, p.where), None, None)
        if in_place(chosen) is not None:
            return chosen
    return _one_piece(p, head) if not p.low.kind.by_seat else None


def _one_piece(p: typed.OptionParam, head: Sequence[typed.HeadPart]) -> typed.PieceCount | None:
    """The pile of which an option requires one piece, if nothing else is required of its kind."""
    tests = [p.where] if p.where is not None else []
    pile: typed.Expr | None = None
    for part in head:
        if pile is not None:  # a part after the payment requires more
            return None
        if isinstance(part, typed.Cost) and isinstance(part.amount, typed.Lit) and part.amount.value == 1:
            pile = part.source
        elif isinstance(part, typed.Requirement):
            tests.append(part.condition)
        else:
            return None
    if pile is None and isinstance(tests[0], typed.Op):
        pile = next((e for e in tests[0].args if isinstance(e, typed.PieceCount)), None)
    if not isinstance(pile, typed.PieceCount) or reads([pile.index], (p.var,)):
        return None
    whole = [isinstance(k, typed.Local) and k.var is p.var for k in pile.ids] == [True]
    return pile if whole and all(_is_some(test, pile) for test in tests) else None
