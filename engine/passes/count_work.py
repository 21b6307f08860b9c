"""Step counting for machines that add up step bounds: long expressions count their own evaluation steps.

The maximum number of steps of an expression, computed from kind sizes, may be a thousand times the actual number:
conditions skip most members of a set, and most sets are small. A long expression therefore becomes a definition that
counts its steps on each call (`ir.Function.steps`); a loop counts the actual size of its set. The caller counts one
step for the definition.

Since counting may abort a decision, such a call may fault, so no pass removes it, moves it before its guard, or merges
two of its occurrences.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from rulespec.engine.passes.rewrite import in_block, in_decision
from rulespec.engine.program import ir
from rulespec.engine.program.builder import op
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.program.option_tests import option_tests
from rulespec.engine.program.rounds import times
from rulespec.engine.program.traversal import Facts, changed, free, highest, moved, walk

LONG = 1_000_000
"""The step bound of a block, by the sizes of kinds and the iterations of loops, beyond which its parts count their own
steps.
"""
LONG_VALUE = 100_000
"""The same threshold for the expressions evaluated per value of a parameter."""
LONG_SEVERAL = 5_000
"""The same threshold for sets and bags, of which a parameter may have thousands."""
LONG_LISTING = 500_000
"""The maximum step bound of a test for a legal option that does not count the values of parameters."""
_GRAIN = 4_000
"""The minimum steps of a part that counts its own, as counting takes time."""
_COARSE = 5_000
"""The maximum steps of a value, excluding its parts, above which smaller parts count too: most fail an early test."""
_FINE = 1_000
"""The minimum steps of a smaller part."""


def count_work(p: ir.Program, *, expressions: bool = True) -> ir.Program:
    """The program, with long expressions turned into definitions that count their steps; blocks and cells keep their
    numbers.

    Args:
        p: the program as first lowered.
        expressions: whether to rewrite expressions; otherwise, only the parameter values in option lists are counted.
    """
    coarse = _Counting(p, _GRAIN, expressions=expressions)
    result = coarse.prepared()
    return _Counting(p, _FINE, expressions=expressions).prepared() if coarse.most > _COARSE else result


class _Counting:
    """One preparation of a program, with definitions prepared as long expressions call them.

    Args:
        p: the program.
        grain: the minimum steps of a part that counts its own.
        expressions: as in `count_work`.

    Attributes:
        most: the maximum steps of a value, excluding parts that count their own.
    """

    def __init__(self, p: ir.Program, grain: int, *, expressions: bool) -> None:
        self._expressions = expressions
        self._grain, self.most = grain, 0
        self._p = replace(p, functions=[*p.functions])
        self._facts = Facts(self._p)
        self._whole = Costs(p)
        self._own = Costs(self._p, self._whole)
        self._done: set[int] = set()

    def prepared(self) -> ir.Program:
        """The program with step counting; code that runs between decisions, such as scoring, is unchanged."""
        p, blocks = self._p, [*self._p.blocks]
        often = times(Flow(p)) if self._expressions else {}
        for number, rounds in often.items():
            if rounds * self._whole.block(number) > LONG:
                blocks[number] = in_block(blocks[number], self._parts)
        idle = {b.exit.decision for b in p.blocks if isinstance(b.exit, ir.Ask) and b.exit.otherwise is not None}
        decisions = [self._decision(d, idle=number in idle) for number, d in enumerate(p.decisions)]
        return replace(p, blocks=blocks, decisions=decisions)

    def _decision(self, d: ir.Decision, *, idle: bool) -> ir.Decision:
        """A decision; if listing its options may take long, the listing counts actual values."""
        d = replace(d, choices=tuple([replace(c, depths=option_tests(c, self._facts).depths) for c in d.choices]))
        result = _listed(d, self._whole)
        fixed = sum(c.steps for c in result.choices)
        tried = max((q.steps for c in result.choices for q in c.params if q.several is not None), default=0)
        if fixed <= (LONG_LISTING if idle else MAX_LISTED) and tried <= LONG_SEVERAL:
            return replace(result, choices=tuple([replace(c, depths=None) for c in result.choices]))
        d = replace(d, counted=True)
        few = _few(result, LONG_LISTING if idle else MAX_LISTED // 4)
        result = _listed(d, self._whole, few)
        counting = [c for k, c in enumerate(result.choices) if k not in few]
        steps = max((x for c in counting for x in (c.steps, *(q.steps for q in c.params))), default=0)
        if not self._expressions or (steps <= LONG_VALUE and tried <= LONG_SEVERAL):
            return result
        result = _listed(in_decision(d, self._parts), self._own, few)
        self.most = max((self.most, *(q.steps for c in result.choices for q in c.params)))
        return result

    # --- expressions ---------------------------------------------------------------------------

    def _parts(self, e: ir.Expr, top: int = -1) -> ir.Expr:
        """An expression whose long parts count their own steps."""
        if self._whole.of(e) <= self._grain:
            return e
        e = changed(e, self._parts)
        if isinstance(e, ir.Call):
            self._definition(e.function)
        elif isinstance(e, ir.Suppose):
            return replace(e, counted=True)
        elif isinstance(e, ir.Fold | ir.Ranked):
            each = sum(self._own.of(x) for x in _each(e) if x is not None)
            if not isinstance(e.source, ir.Const) and self._own.members(e.source) * each > self._grain:
                return self._outlined(e, self._own.of(e) - self._own.members(e.source) * each, each)
        elif isinstance(e, ir.Closure):
            each = self._own.of(e.step)
            if self._own.largest * each > self._grain:
                return self._outlined(e, self._own.of(e.start), each)
        elif isinstance(e, ir.PathSearch) and e.finds:
            return replace(e, steps=1 + self._own.beginning(e))
        elif isinstance(e, ir.Spread):
            each, step = self._own.settling(e)
            if e.size * (each + self._own.members(e.near) * step) > self._grain:
                near = self._outlined(e.near, each, step, whole=True)
                return replace(e, near=near, counted=near is not e.near)
        return e

    def _definition(self, number: int) -> None:
        """Prepares a definition; it counts its own steps if it is long apart from its counting parts."""
        if number in self._done:
            return
        self._done.add(number)
        f = self._p.functions[number]
        lets = tuple([(slot, self._parts(value)) for slot, value in f.lets])
        f = self._p.functions[number] = replace(f, lets=lets, body=self._parts(f.body))
        steps = sum(self._own.of(value) for _, value in f.lets) + self._own.of(f.body)
        if steps > self._grain:
            self._p.functions[number] = replace(f, steps=ir.Const(steps))

    def _outlined(self, e: ir.Expr, steps: int, each: int, *, whole: bool = False) -> ir.Expr:
        """The call of a new definition that counts `steps`, and `each` for each member.

        The members are those of a loop's set, or of the result of a closure or, with `whole`, of any set expression.

        Variables of the rules become arguments, as machines do not hold them in cells.
        """
        cells = [x for x in walk(e) if isinstance(x, ir.Cell | ir.Positive | ir.Total | ir.Held)]
        variables = dict.fromkeys([x for x in cells if self._p.cells[x.base].group == "rules"])
        if not all(isinstance(x, ir.Cell) and isinstance(x.index, ir.Const) for x in variables):
            return e
        args = (*map(ir.Local, sorted(free(e))), *variables)
        if not args and not self._facts.reads_state(e):  # always the same
            return e
        by = 1 + highest(e) + len(args)
        params: dict[ir.Expr, ir.Local] = {arg: ir.Local(i) for i, arg in enumerate(args)}
        body = _put(moved(e, by), params, frozenset(range(by, by + by)))
        members = ir.Local(len(args))
        if whole or isinstance(body, ir.Closure):
            lets, body = ((members.slot, body),), members
        else:
            assert isinstance(body, ir.Fold | ir.Ranked)
            lets, body = ((members.slot, body.source),), replace(body, source=members)
        counted = op("+", op("*", op("count", members), ir.Const(each)), ir.Const(steps))
        self._p.functions.append(ir.Function("", len(args), lets, body, counted))
        return ir.Call(len(self._p.functions) - 1, args)


def _few(d: ir.Decision, most: int) -> frozenset[int]:
    """The options whose step bounds add up to at most `most`, so that counting their values is not worthwhile."""
    results: list[int] = []
    for k in sorted(range(len(d.choices)), key=lambda k: d.choices[k].steps):
        c = d.choices[k]
        most -= c.steps
        if most >= 0 and not any(q.several is not None and q.steps > LONG_SEVERAL for q in c.params):
            results.append(k)
    return frozenset(results)


def _listed(d: ir.Decision, costs: Costs, few: Collection[int] = ()) -> ir.Decision:
    """A decision with the steps of its options; if its listing is counted, all but `few` count their values."""
    choices = []
    for k, c in enumerate(d.choices):
        assert c.depths is not None
        result = costs.listing(c, c.depths, counted=d.counted and k not in few)
        params = [
            replace(q, steps=steps, tested=tested) for q, (steps, tested) in zip(c.params, result.params, strict=True)
        ]
        choices.append(replace(c, params=tuple(params), steps=result.fixed))
    return replace(d, choices=tuple(choices))


def _each(e: ir.Fold | ir.Ranked) -> tuple[ir.Expr | None, ...]:
    """The parts of a loop evaluated for each member."""
    return (e.where, e.body) if isinstance(e, ir.Fold) else (e.where, *e.keys)


def _put(e: ir.Expr, values: dict[ir.Expr, ir.Local], bound: frozenset[int]) -> ir.Expr:
    """The expression with variables and slots replaced, except for its own bindings."""
    if isinstance(e, ir.Local) and e.slot in bound:
        return e
    result = values.get(e) if isinstance(e, ir.Local | ir.Cell) else None
    return result if result is not None else changed(e, lambda part: _put(part, values, bound))
