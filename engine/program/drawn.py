"""Random choice of a legal option when there are too many sets, bags or paths to list.

Sets and bags are uniformly distributed; a path is drawn stop by stop, uniformly among its continuations. A candidate is
an option with its arguments; if the last parameter is a set or bag, each of its values gives a candidate. Candidates
are numbered, and numbers are drawn until the candidate is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.domains import Several, ways_of
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_LISTED
from rulespec.language.paths import MAX_PATHS, PathForm, wandered

MAX_TRIES = 10_000
"""Maximum number of candidates drawn; beyond it, the rules are at fault."""
Number = Callable[[int, int], int]
"""A function of the attempt number and a bound that returns a random number from 0 to the bound minus 1."""
_Candidates = tuple[int, tuple[int, ...], "Several | _Walks | None", int]
"""An option number, its first arguments, the domain of a last composite parameter or None, and the weight."""


def drawn(
    p: ir.Program, state: State, decision: int, number: Number, *, weighing: bool
) -> tuple[int, tuple[int, ...]] | None:
    """A random legal option of the decider and its arguments; None if there are no candidates.

    Args:
        p: the program.
        state: the position.
        decision: the open decision.
        number: the source of random numbers.
        weighing: whether to weigh options as in playouts; chance options always have the weights of the rules.

    Raises:
        ProgramFaultError: if none of `MAX_TRIES` candidates is legal.
    """
    machine = _Drawing(p, MAX_LISTED)
    candidates = list(machine.candidates(state, decision, weighing=weighing))
    total = sum(weight * (1 if values is None else values.number) for _, _, values, weight in candidates)
    if not total:
        return None
    for attempt in range(MAX_TRIES):
        choice, args = _picked(candidates, number(attempt, total))
        if machine.is_legal(state, decision, choice, args):
            return choice, args
    d = p.decisions[decision]
    message = f"none of {MAX_TRIES:,} options of `{d.name}` drawn at random is legal"
    raise ProgramFaultError(-1, message, span=d.span)


def _picked(candidates: list[_Candidates], number: int) -> tuple[int, tuple[int, ...]]:
    """The option number and arguments of the candidate with a number."""
    for choice, args, values, weight in candidates:
        size = weight * (1 if values is None else values.number)
        if number < size:
            return choice, args if values is None else (*args, values.picked(number // weight))
        number -= size
    raise AssertionError


class _Walks:
    """The paths of a parameter, drawn by number: each of `MAX_PATHS` numbers seeds a random walk."""

    number = MAX_PATHS

    def __init__(self, ways: PathForm) -> None:
        self._ways = ways

    def picked(self, number: int) -> int:
        """The path found by the random walk that a number seeds; -1 if the walk finds none."""
        path = wandered(self._ways, _numbers(number))
        return -1 if path is None else path


def _numbers(seed: int) -> Iterator[int]:
    """A sequence of 31-bit pseudo-random numbers from a seed."""
    while True:
        seed = (seed * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        yield seed >> 33


class _Drawing(Interpreter):
    """An interpreter that lists the candidates of a decision."""

    def candidates(self, state: State, decision: int, *, weighing: bool) -> Iterator[_Candidates]:
        """The decider's candidates, option by option, without options of weight 0."""
        d = self.p.decisions[decision]
        for number, c in enumerate(d.choices):
            if c.by is not None:
                continue
            slots = [0] * (self.p.slots + 1)
            for args, values in self._in_domains(state, (decision, number), slots, ()):
                if c.weight is not None and values is not None:
                    message = f"`{d.name}.{c.name}` has a weight and too many sets, bags or paths to list"
                    raise ProgramFaultError(-1, message, span=c.span)
                weight = self.evaluate(c.weight, state, slots) if c.weight is not None else c.policy if weighing else 1
                if weight > 0:
                    yield number, args, values, weight

    def _in_domains(
        self, state: State, of: tuple[int, int], slots: State, args: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], Several | _Walks | None]]:
        """Argument tuples within the domains of an option, with the domain of a last set, bag or path in place of it.

        Preceding arguments are in their slots.
        """
        params, depth = self.p.decisions[of[0]].choices[of[1]].params, len(args)
        if depth == len(params):
            yield args, None
            return
        param = params[depth]
        if param.walk is not None and depth == len(params) - 1:
            own = [*slots]
            yield args, _Walks(ways_of(param.walk, own, lambda e: self.evaluate(e, state, own)))
            return
        if param.several is not None and depth == len(params) - 1:
            source, least, most = (self.evaluate(e, state, slots) for e in param.domain)
            yield args, Several(source, least, most, bag=param.is_bag)
            return
        for value in self._domain(state, (*of, depth), slots, some=False):
            self.count(1)
            slots[param.slot] = value
            if param.where is None or self._holds(param.where, state, slots):
                yield from self._in_domains(state, of, slots, (*args, value))
