"""The reference machine, which defines the meaning of programs; all other machines must agree with it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType

from rulespec.engine.program import ir
from rulespec.engine.program.alike import AlikeTokens, kind_of, marked
from rulespec.engine.program.blanks import Unknown
from rulespec.engine.program.cells import Journal, State, compact, overwrite, restore
from rulespec.engine.program.domains import (
    Place,
    Several,
    members,
    numbers,
    paths,
    several,
    some_of_several,
    too_many,
    ways_of,
)
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.execution import Observer, put
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import CHECK_EVERY, MAX_LISTED, MAX_STEPS
from rulespec.engine.program.machine import Blind, Listed, Lookups
from rulespec.engine.program.option_tests import option_tests
from rulespec.engine.program.traversal import Facts
from rulespec.language.paths import PathForm, is_path

Firsts = Mapping[str, Sequence[int]]
Named = Mapping[int, int]
_Order = tuple[Sequence[Sequence[ir.Condition | None]], Sequence[bool]]
"""For each number of bound parameters, the conditions tested at that point (None: the weight); and for each parameter,
whether its domain may fault."""
_NOTHING: Named = MappingProxyType({})


class Interpreter(Evaluator):
    """A machine that interprets a program directly. See `Machine` for the common methods.

    Args:
        program: the program to run.
        patience: the limit on the total number of steps, for trial runs; `left` counts down from it.
        observer: an observer notified of everything that is evaluated, run and listed.
        steps: the step limit from one decision to the next.
    """

    listing = None
    late = None

    def __init__(
        self,
        program: ir.Program,
        patience: int = sys.maxsize,
        observer: Observer | None = None,
        steps: int = MAX_STEPS,
    ) -> None:
        super().__init__(program, patience, observer)
        self.steps = steps
        self._orders: dict[int, _Order] = {}
        self._facts = Facts(program)
        self._at: Place = (0, 0, 0)
        """The parameter whose domain was computed last."""

    @cached_property
    def asked(self) -> Mapping[int, int]:
        """The blocks where a game waits for a decision, each with the decision's number."""
        return self.p.asked()

    @cached_property
    def _arguments_of(self) -> dict[int, tuple[int, ...]]:
        return self.p.arguments()

    def start(self) -> State:
        """A new state, as it is before the first block runs."""
        return list(self.p.start)

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Writes values to cells; returns the journal."""
        return overwrite(state, values)

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end of the game; a fault leaves the state unchanged."""
        if self.observer is not None:
            self.observer.entered(block, -1)
        journal = overwrite(state, dict(zip(self._arguments_of.get(block, ()), args, strict=True)))
        patience = self.left
        allowed = self.left = min(patience, self.steps)
        try:
            self._run(state, block, journal)
        except ProgramFaultError:
            restore(state, journal)
            if self.left < 0:
                raise ProgramFaultError(-1, f"no decision within {allowed:,} steps") from None
            raise
        finally:
            self.left += patience - allowed
        return journal

    def run_without(self, state: State, unknown: Unknown, block: int, args: tuple[int, ...] = ()) -> Blind:
        """Always None: the interpreter does not support runs with unknown cells, since an observer can watch its reads
        instead.
        """
        return None

    def _run(self, state: State, block: int, journal: Journal) -> None:
        slots = [0] * (self.p.slots + 1)
        look = self.left
        while True:
            if self.left <= look:
                compact(journal)
                look = self.left - max(CHECK_EVERY, len(journal))
            place, before = self.p.blocks[block], block
            self.count(1)
            for i in place.body:
                self.execute(i, state, slots, journal)
            if isinstance(place.exit, ir.Ask) and place.exit.otherwise is not None and self._is_idle(place.exit, state):
                block = place.exit.otherwise
            elif isinstance(place.exit, ir.Ask | ir.End):
                self._stop(place.exit, block, state, slots, journal)
                return
            else:
                block = self.following(place.exit, state, slots, journal)
            if self.observer is not None:
                self.observer.entered(block, before)

    def _is_idle(self, ask: ir.Ask, state: State) -> bool:
        """Whether the decider has no legal option; evaluations count as steps."""
        return next(self._listed(state, ask.decision, interrupts=False, all_=True), None) is None

    def _stop(self, exit_: ir.Ask | ir.End, block: int, state: State, slots: State, journal: Journal) -> None:
        put(state, ir.PC, block, journal)
        if isinstance(exit_, ir.End):
            put(state, ir.ENDING, exit_.ending + 1, journal)
            winners = self.evaluate(exit_.winners, state, slots) if exit_.winners is not None else -1
            put(state, ir.WINNERS, winners, journal)

    def decider(self, state: State, decision: int) -> int:
        """The deciding seat; -1 if chance decides."""
        asked = self.p.decisions[decision]
        if (by := asked.by) is None:
            return -1
        return self.alone(lambda: self.value(by, state), f"who decides `{asked.name}`", asked.span)

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the broken invariants; tests all, regardless of `since`."""
        if self.observer is not None and not self.observer.wants_invariants():
            return []
        return [i for i in range(len(self.p.invariants)) if not self.keeps(state, i)]

    def keeps(self, state: State, invariant: int) -> bool:
        """Whether an invariant holds."""
        v, slots = self.p.invariants[invariant], [0] * (self.p.slots + 1)
        return self.alone(lambda: self._holds(v.condition, state, slots), f"the invariant `{v.name}`", v.condition.span)

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""
        return self._within(MAX_LISTED, self._listed(state, decision, interrupts=False))

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal out-of-turn options, in order."""
        return self._within(MAX_LISTED, self._listed(state, decision, interrupts=True))

    def _within(self, steps: int, options: Iterator[Listed]) -> Iterator[Listed]:
        """The options from an iterator, with a limit of `steps` steps per option."""
        while True:
            patience = self.left
            allowed = self.left = min(patience, steps)
            try:
                option = next(options, None)
            except ProgramFaultError:
                if self.left < 0 and steps < patience:
                    too_many(self.p, self._at)
                raise
            finally:
                used = allowed - self.left
                self.left, steps = patience - used, steps - used
            if option is None:
                return
            yield option

    def _listed(self, state: State, decision: int, *, interrupts: bool, all_: bool = False) -> Iterator[Listed]:
        """The legal options, in order; `all_` includes every alike token instead of representatives."""
        chosen = [(k, c) for k, c in enumerate(self.p.decisions[decision].choices) if (c.by is not None) == interrupts]
        kinds = {kind_of(param) for _, c in chosen for param in c.params if param.alike and not all_}
        firsts = {kind: self._alike.firsts(state, decision, kind, interrupts=interrupts) for kind in sorted(kinds)}
        for k, _ in chosen:
            for args in self._arguments(state, (decision, k), 0, [0] * (self.p.slots + 1), firsts, some=all_):
                who = self.actor(state, decision, k, args) if interrupts else -1
                if self.observer is not None:
                    self.observer.legal(decision, k)
                yield k, args, who

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an out-of-turn option."""
        c = self.p.decisions[decision].choices[choice]
        assert c.by is not None
        slots = [0] * (self.p.slots + 1)
        for param, value in zip(c.params, args, strict=True):
            slots[param.slot] = value
        by = c.by
        return self.alone(lambda: self.evaluate(by, state, slots), f"who takes `{c.name}`", c.span)

    def _arguments(
        self,
        state: State,
        of: tuple[int, int],
        depth: int,
        slots: State,
        firsts: Firsts,
        named: Named = _NOTHING,
        *,
        some: bool,
    ) -> Iterator[tuple[int, ...]]:
        """The legal argument tuples of an option, with the arguments before `depth` in their slots.

        `of`: the numbers of the decision and the option.
        `firsts`: kind → first alike token of each token, which represents all.
        `named`: slot → value bound in conditions, to be restored since later evaluations may reuse the slots.
        `some`: whether a single legal tuple is sought (see `some_of_several`).
        """
        c = self.p.decisions[of[0]].choices[of[1]]
        tests, faults = self._order(c)
        # A domain that may fault is evaluated before the conditions, so its fault does not depend on them.
        result = (
            self._domain(state, (*of, depth), slots, some=some) if depth < len(c.params) and faults[depth] else None
        )
        for r in tests[depth]:
            for slot, value in named.items():
                slots[slot] = value
            if not (self._has_weight(state, c, slots) if r is None else self._holds(r, state, slots)):
                return
            named = {**named, **{slot: slots[slot] for slot, _ in r.lets}} if r is not None and r.lets else named
        if depth == len(c.params):
            yield tuple(slots[param.slot] for param in c.params)
            return
        param = c.params[depth]
        listed: set[int] = set()
        for value in result if result is not None else self._domain(state, (*of, depth), slots, some=some):
            self.count(1)
            slots[param.slot] = value
            if param.where is not None and not self._holds(param.where, state, slots):
                continue
            mark = value
            if param.alike and firsts:
                known = [slots[before.slot] for before in c.params[: depth + 1]]
                mark = marked(c, known, firsts.__getitem__, depth)
            if mark in listed:
                continue
            for args in self._arguments(state, of, depth + 1, slots, firsts, named, some=some):
                listed.add(mark)
                yield args

    def _order(self, c: ir.Choice) -> _Order:
        """The order of an option's tests while its arguments are listed."""
        if c.block not in self._orders:
            order = option_tests(c, self._facts)
            results: list[list[ir.Condition | None]] = [[] for _ in range(len(c.params) + 1)]
            every = (*c.requires, *([None] if c.weight is not None else []))
            for r, depth in zip(every, order.depths, strict=True):
                results[depth].append(r)
            self._orders[c.block] = results, order.faults
        return self._orders[c.block]

    @cached_property
    def _alike(self) -> AlikeTokens:
        return AlikeTokens(self)

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments, with each token replaced by the listed token that represents it; None if nothing changes."""
        return self._alike.standing(state, decision, choice, args)

    def _domain(self, state: State, at: Place, slots: State, *, some: bool) -> Iterable[int]:
        """A parameter's domain, before its `where`."""
        self._at = at
        param = self.p.decisions[at[0]].choices[at[1]].params[at[2]]
        if param.walk is not None:
            return paths(self.p, at, self.ways(param.walk, state, slots))
        low = self.evaluate(param.low, state, slots)
        results: Collection[int]
        if param.several is not None:
            return (some_of_several if some else several)(
                self.p, at, low, *(self.evaluate(e, state, slots) for e in param.several)
            )
        if param.high is None:
            results = [*members(low, 0)]
        else:
            results = numbers(self.p, at, low, self.evaluate(param.high, state, slots))
        return results if param.none is None else [*results, param.none]

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments is legal and listed."""
        c = self.p.decisions[decision].choices[choice]
        legal = self.allows(state, decision, choice, args)
        if legal and any(param.alike for param in c.params):
            legal = self.standing(state, decision, choice, args) is None
        if legal and self.observer is not None:
            self.observer.legal(decision, choice)
        return legal

    def allows(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether the rules allow an option with these arguments, even if it is not listed because an option with
        interchangeable tokens represents it.
        """
        c = self.p.decisions[decision].choices[choice]
        return self.alone(lambda: self._is_legal(state, c, args), f"whether `{c.name}` is legal", c.span)

    @cached_property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, its pure look-up functions."""
        return [self._lookups(number, len(d.choices)) for number, d in enumerate(self.p.decisions)]

    def _lookups(self, decision: int, choices: int) -> Lookups:
        def legal(choice: int, state: State, *args: int) -> bool:
            return self.is_legal(state, decision, choice, args)

        def actor(choice: int, state: State, *args: int) -> int:
            return self.actor(state, decision, choice, args)

        decider = partial(self.decider, decision=decision)
        return Lookups(
            [partial(legal, k) for k in range(choices)], decider, [partial(actor, k) for k in range(choices)]
        )

    def _is_legal(self, state: State, c: ir.Choice, args: tuple[int, ...]) -> bool:
        slots = [0] * (self.p.slots + 1)
        for param, value in zip(c.params, args, strict=True):
            if not self._in_domain(state, param, value, slots):
                return False
            slots[param.slot] = value
            if param.where is not None and not self._holds(param.where, state, slots):
                return False
        return self._permitted(state, c, slots)

    def _in_domain(self, state: State, param: ir.Param, value: int, slots: State) -> bool:
        """Whether a value is in a parameter's domain, before its `where`."""
        result = value == param.none
        if param.walk is not None:
            result = is_path(self.ways(param.walk, state, slots), value)
        elif not result:
            low = self.evaluate(param.low, state, slots)
            if param.several is not None:
                least, most = (self.evaluate(e, state, slots) for e in param.several)
                result = value in Several(low, least, most, bag=param.is_bag)
            elif param.high is None:
                result = value >= 0 and bool(low >> value & 1)
            else:
                result = low <= value <= self.evaluate(param.high, state, slots)
        if self.observer is not None:
            self.observer.compared(param, result)
        return result

    def ways(self, walk: ir.PathSearch, state: State, slots: State) -> PathForm:
        """The search space of a parameter's paths. Searching it overwrites the slots of the search."""
        return ways_of(walk, slots, lambda e: self.evaluate(e, state, slots))

    def _permitted(self, state: State, c: ir.Choice, slots: State) -> bool:
        """Whether all conditions of an option hold, with its arguments in their slots."""
        return all(self._holds(r, state, slots) for r in c.requires) and self._has_weight(state, c, slots)

    def _has_weight(self, state: State, c: ir.Choice, slots: State) -> bool:
        """Whether chance may take an option: it has no declared weight, or a positive one."""
        return c.weight is None or self.evaluate(c.weight, state, slots) > 0

    def _holds(self, condition: ir.Condition, state: State, slots: State) -> bool:
        for slot, value in condition.lets:
            slots[slot] = self.evaluate(value, state, slots)
        result = bool(self.evaluate(condition.expr, state, slots))
        if self.observer is not None:
            self.observer.tested(condition, result)
        return result
