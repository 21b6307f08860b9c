"""Interchangeable tokens, all represented by the first one with a legal option.

Two tokens are alike if they have the same owner, place and state, and no state or live variable refers to only one of
them. A token with state hidden from the decider is alike to no other token, since a list of options that depended on
this state would reveal it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import product

from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.liveness import Frames
from rulespec.engine.program.machine import Machine
from rulespec.language.orders import members_of

Firsts = Callable[[str], Sequence[int]]
"""A function that returns, for each token of a kind, the first token interchangeable with it."""


class AlikeTokens:
    """A finder of interchangeable tokens in positions.

    Args:
        machine: the machine that runs the program.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.p = machine.p

    def firsts(self, state: State, decision: int, kind: str, *, interrupts: bool) -> list[int]:
        """For each token of a kind, the first token interchangeable with it.

        Args:
            state: the position.
            decision: the number of the open decision.
            kind: the kind of the tokens.
            interrupts: whether the options are out of turn, in which case the public view determines which tokens are
                interchangeable.
        """
        alike, size = self.p.alike[kind], self.p.sizes[kind]
        unseen: set[int] = set()
        if secrets := self._secrets[kind]:
            public = interrupts or self.p.decisions[decision].among is not None
            unseen = self._unseen(state, secrets, -1 if public else self.machine.decider(state, decision))
        named = alike.named
        for block, place in self._frames.of(state, self.p.decisions[decision].block):
            named += tuple([place(at) for at in alike.live.get(block, ())])
        if not unseen.isdisjoint(named) or not alike.revealed.isdisjoint(named):
            return list(range(size))
        columns = [self._owners[kind], *(state[first : first + size] for first in alike.fields)]
        alone = {(at - first) for first in alike.fields for at in unseen if first <= at < first + size}
        for at in named:
            form = self.p.cells[at].type
            if form.startswith("set "):
                columns.append([state[at] >> token & 1 for token in range(size)])
            elif form.startswith("order "):
                members = members_of(state[at], size.bit_length())
                alone.update(token for token in range(size) if members >> token & 1)
            else:
                alone.add(state[at])
        if alone:
            columns.append([token + 1 if token in alone else 0 for token in range(size)])
        rows = list(zip(*columns, strict=True))
        first = dict(zip(rows[::-1], range(size - 1, -1, -1), strict=True))  # equal rows: the first token wins
        return [first[row] for row in rows]

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments with each token replaced by the listed token that represents it; see `Machine.standing`. () if
        none is listed.
        """
        c = self.p.decisions[decision].choices[choice]
        interrupts = c.by is not None
        kinds = {kind_of(param) for param in c.params if param.alike}
        results = {kind: self.firsts(state, decision, kind, interrupts=interrupts) for kind in sorted(kinds)}
        firsts, every = results.__getitem__, range(len(args))
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

    @cached_property
    def _owners(self) -> dict[str, list[int]]:
        """Kind → number of each token's owner."""
        return {kind: [token // alike.number for token in range(self.p.sizes[kind])] for kind, alike in self._kinds}

    @cached_property
    def _secrets(self) -> dict[str, list[ir.Secret]]:
        return secrets_of(self.p)

    @property
    def _kinds(self) -> Iterable[tuple[str, ir.Alike]]:
        return self.p.alike.items()

    def _unseen(self, state: State, secrets: list[ir.Secret], seat: int) -> set[int]:
        """The private cells hidden from a seat, or for -1, from at least one seat."""
        wanted = (1 << self.p.seats) - 1 if seat < 0 else 1 << seat
        results = set()
        for secret in secrets:
            for at, entities in enumerate(product(*map(range, secret.sizes)), secret.cells.start):
                if self.machine.value(secret.to, state, entities) & wanted == wanted:
                    continue
                if secret.open is None or not self.machine.value(secret.open, state, entities):
                    results.add(at)
        return results


def secrets_of(p: ir.Program) -> dict[str, list[ir.Secret]]:
    """For each kind with interchangeable tokens, the declarations of private cells that may tell such tokens apart."""
    results: dict[str, list[ir.Secret]] = {}
    for kind, alike in p.alike.items():
        size = p.sizes[kind]
        asked = {*alike.named, *(at for first in alike.fields for at in range(first, first + size))}
        results[kind] = [secret for secret in p.secrets if not asked.isdisjoint(secret.cells)]
    return results


def marked(choice: ir.Choice, args: Sequence[int], firsts: Firsts, depth: int) -> int:
    """A number that represents an argument and all tokens interchangeable with it.

    The number is negative if the argument is none or repeats an earlier one.

    A token that is also an earlier argument is interchangeable with no other token.
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
    """The preceding arguments of the same kind: token → parameter number."""
    kind = kind_of(choice.params[depth])
    return {args[i]: i for i in range(depth - 1, -1, -1) if kind_of(choice.params[i]) == kind}


def _has_twin_before(choice: ir.Choice, args: Sequence[int], firsts: Firsts, depth: int) -> bool:
    """Whether a lower-numbered token is interchangeable with an argument and is not itself an earlier argument."""
    token, earlier = args[depth], _earlier(choice, args, depth)
    if not choice.params[depth].alike or token < 0 or token in earlier:
        return False
    first = firsts(kind_of(choice.params[depth]))
    return any(first[other] == first[token] and other not in earlier for other in range(token))
