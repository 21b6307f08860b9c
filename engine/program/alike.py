"""Tokens that are alike: of several, the first for which an option is legal stands for all.

Two of them are alike if they have one owner, place and state, and nothing that rules may still read names one of them
and not the other: no state, no variable. What the one who decides does not see tells them apart: a list of options
that depended on it would tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product

from rulespec.engine.program import ir
from rulespec.engine.program.journal import State
from rulespec.engine.program.liveness import Frames
from rulespec.engine.program.machine import Machine
from rulespec.engine.program.orders import members_of

Firsts = Callable[[str], Sequence[int]]
"""For each token of a kind the first one that is alike."""


class AlikeTokens:
    """Tells which tokens are alike where a game waits.

    Args:
        machine: runs the program.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.p = machine.p

    def firsts(self, state: State, decision: int, kind: str, *, interrupts: bool) -> list[int]:
        """For each token of a kind the first one that is alike.

        Args:
            state: the position.
            decision: the number of the open decision.
            kind: of the tokens.
            interrupts: whether others than the decider act: what everybody sees counts then.
        """
        public = interrupts or self.p.decisions[decision].among is not None
        seat = -1 if public else self.machine.decider(state, decision)
        alike, size = self.p.alike[kind], self.p.sizes[kind]
        unseen = self._unseen(state, kind, seat)
        blocks = self._frames.of(state, self.p.decisions[decision].block)
        named = {*alike.named, *(at for block in blocks for at in alike.live.get(block, ()))}
        if not unseen.isdisjoint(named) or not alike.told.isdisjoint(named):
            return list(range(size))
        apart = {first + token: token for first in alike.fields for token in range(size)}
        alone = {apart[at] for at in unseen}
        sets = []
        for at in named:
            form = self.p.cells[at].type
            if form.startswith("set "):
                sets.append(state[at])
            elif form.startswith("order "):
                members = members_of(state[at], size.bit_length())
                alone.update(token for token in range(size) if members >> token & 1)
            else:
                alone.add(state[at])
        found: dict[tuple[int, ...], int] = {}
        firsts = []
        for token, known in enumerate(zip(*(state[first : first + size] for first in alike.fields), strict=True)):
            key = (token // alike.number, *known, *(one >> token & 1 for one in sets))
            firsts.append(token if token in alone else found.setdefault(key, token))
        return firsts

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """See `Machine.standing`. Where nothing that is listed is the same but for alike tokens, it is empty."""
        c = self.p.decisions[decision].choices[choice]
        interrupts = c.by is not None
        kinds = {kind_of(param) for param in c.params if param.alike}
        found = {kind: self.firsts(state, decision, kind, interrupts=interrupts) for kind in sorted(kinds)}
        firsts, every = found.__getitem__, range(len(args))
        if not any(_has_twin_before(c, args, firsts, depth) for depth in every):
            return None
        marks = [marked(c, args, firsts, depth) for depth in every]
        instead: tuple[int, ...] = ()
        for k, other, _ in (self.machine.interrupts if interrupts else self.machine.own)(state, decision):
            if k == choice and other == args:
                return None
            if k == choice and not instead and marks == [marked(c, other, firsts, depth) for depth in every]:
                instead = other
        return instead

    @cached_property
    def _frames(self) -> Frames:
        return Frames(self.p)

    def _unseen(self, state: State, kind: str, seat: int) -> set[int]:
        """The cells that may tell tokens apart and that a seat does not see."""
        alike, size = self.p.alike[kind], self.p.sizes[kind]
        asked = {*alike.named, *(at for first in alike.fields for at in range(first, first + size))}
        wanted = (1 << self.p.seats) - 1 if seat < 0 else 1 << seat
        found = set()
        for secret in self.p.secrets:
            if asked.isdisjoint(secret.cells):
                continue
            for at, entities in enumerate(product(*map(range, secret.sizes)), secret.cells.start):
                if self.machine.value(secret.to, state, entities) & wanted == wanted:
                    continue
                if secret.open is None or not self.machine.value(secret.open, state, entities):
                    found.add(at)
        return found


def marked(choice: ir.Choice, args: Sequence[int], firsts: Firsts, depth: int) -> int:
    """An argument as a number that it has in common with those that are alike; below 0: none, or an earlier argument.

    Earlier arguments are told from all others.
    """
    param, value = choice.params[depth], args[depth]
    if not param.alike or value < 0:
        return value
    same = _earlier(choice, args, depth)
    return -2 - same[value] if value in same else firsts(kind_of(param))[value]


def kind_of(param: ir.Param) -> str:
    """The kind of the entities that a parameter ranges over."""
    return param.type.removesuffix("?")


def _earlier(choice: ir.Choice, args: Sequence[int], depth: int) -> dict[int, int]:
    """The arguments of the same kind before one, each with its place."""
    kind = kind_of(choice.params[depth])
    return {args[i]: i for i in range(depth - 1, -1, -1) if kind_of(choice.params[i]) == kind}


def _has_twin_before(choice: ir.Choice, args: Sequence[int], firsts: Firsts, depth: int) -> bool:
    """Whether a token that is no earlier argument is alike to an argument, and comes before it."""
    token, earlier = args[depth], _earlier(choice, args, depth)
    if not choice.params[depth].alike or token < 0 or token in earlier:
        return False
    first = firsts(kind_of(choice.params[depth]))
    return any(first[other] == first[token] and other not in earlier for other in range(token))
