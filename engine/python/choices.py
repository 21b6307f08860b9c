"""Options of decisions as generated source."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from rulespec.engine.passes.rewrite import membership
from rulespec.engine.program import ir
from rulespec.engine.program.alike import kind_of
from rulespec.engine.program.cost import fixed_steps
from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.program.option_tests import conditions, option_tests, same_for_all
from rulespec.engine.program.taint import choice_expressions
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.step_limits import UNBOUNDED

_YIELD = re.compile(r"\byield .*")
_SEVERAL = re.compile(r"\bseveral\(")
_LEFT = re.compile(r"\bleft\[0\]")


class ChoiceWriter:
    """A writer of the functions of decisions: lists of options (`own3`, `out3`), tests (`test3_1`), the decider
    (`who3`).
    """

    def __init__(self, writer: ExpressionWriter) -> None:
        self.w = writer

    def functions(self) -> dict[str, Callable[[], None]]:
        """The writers of the functions of all decisions, by function name."""
        exits = (block.exit for block in self.w.p.blocks)
        idle = {e.decision for e in exits if isinstance(e, ir.Ask) and e.otherwise is not None}
        results: dict[str, Callable[[], None]] = {}
        for i, d in enumerate(self.w.p.decisions):
            if d.by is not None:
                results[f"who{i:d}"] = partial(self.w.value, f"who{i:d}", ["s"], d.by)
            results[f"own{i:d}"] = partial(self._list, i, d, interrupts=False)
            if i in idle:
                results[f"any{i:d}"] = partial(self._any, i, d)
            results[f"out{i:d}"] = partial(self._list, i, d, interrupts=True)
            for k, c in enumerate(d.choices):
                results[f"test{i:d}_{k:d}"] = partial(self._test, f"test{i:d}_{k:d}", c)
                if c.by is not None:
                    results[f"by{i:d}_{k:d}"] = partial(self.w.value, f"by{i:d}_{k:d}", _params(c), c.by)
        return results

    def _listing(self, number: int, d: ir.Decision, *, interrupts: bool, representatives: bool) -> list[str]:
        """The lines that list the options of the decider, or of other seats; empty without options.

        With `representatives`, only one of the options for alike tokens is listed.
        """
        chosen = [(k, c) for k, c in enumerate(d.choices) if (c.by is not None) == interrupts]
        body = self._keep(d, [c for _, c in chosen]) if self.w.features.hoist else []
        body += [line for k, c in chosen for line in self._listed(number, k, c, representatives=representatives)]
        kinds = (
            sorted({kind_of(param) for _, c in chosen for param in c.params if param.alike}) if representatives else []
        )
        if steps := fixed_steps([c for _, c in chosen]):
            body[:0] = [f"left[0] -= {steps:d}", "if left[0] < 0: doubtful()"]
        body[:0] = [f"a_{kind} = alike(s, {number:d}, '{kind}', interrupts={interrupts})" for kind in kinds]
        self.w.shared = {}
        return body

    def _list(self, number: int, d: ir.Decision, *, interrupts: bool) -> None:
        """Writes the function that lists options."""
        lines = self._listing(number, d, interrupts=interrupts, representatives=True)
        again = f"    yield from exactly(s, {number:d}, n, interrupts={interrupts})"
        if any(_LEFT.search(line) for line in lines) and not self._charges(d):
            lines = [_YIELD.sub(r"n += 1; \g<0>", _LEFT.sub("left", line)) for line in lines]
            lines = [f"left, n = {MAX_LISTED:d}, 0", "try:", *("    " + line for line in lines)]
            lines += ["except DoubtfulError:", again]
        elif lines and self._charges(d):  # between two options, the budget is free for other uses
            free = f"left[0] = {UNBOUNDED:d}"
            lines = [_YIELD.sub(rf"m = left[0]; {free}; n += 1; \g<0>; left[0] = m", line) for line in lines]
            lines = [f"left[0], n = {MAX_LISTED:d}, 0", "try:", *("    " + line for line in [*lines, free])]
            lines += ["except (DoubtfulError, RecursionError):", f"    {free}", again]
            lines += ["except GeneratorExit:", "    raise", "except BaseException:", f"    {free}", "    raise"]
        self.w.function(f"{'out' if interrupts else 'own'}{number:d}", ["s"], lines or ["return", "yield"])

    def _charges(self, d: ir.Decision) -> bool:
        """Whether the listing code counts its own steps, in which case the budget cannot be a local variable."""
        return d.counted and any(self.w.facts.counts(e) for c in d.choices for e in choice_expressions(c))

    def _any(self, number: int, d: ir.Decision) -> None:
        """Writes the function that tests for a legal option of the decider."""
        lines = self._listing(number, d, interrupts=False, representatives=False)
        results = [_SEVERAL.sub("some_of_several(", _YIELD.sub("return True", line)) for line in lines]
        self.w.function(f"any{number:d}", ["s"], [*results, "return False"])

    def _keep(self, d: ir.Decision, choices: list[ir.Choice]) -> list[str]:
        """The lines for values shared by all arguments, computed on first use."""
        same = same_for_all(d, choices, self.w.facts)
        names = [f"h{i:d}" for i in range(len(same))]
        rest = {e: f"({h} if {h} is not None else ({h} := {self.w.x(e)}))" for e, h in zip(same, names, strict=True)}
        self.w.shared |= rest
        return [f"{h} = None" for h in names]

    def _listed(self, decision: int, number: int, c: ir.Choice, *, representatives: bool) -> list[str]:
        """The lines that list the legal arguments of an option; with `representatives`, one for all alike tokens."""
        places = [f"({decision:d}, {number:d}, {at:d})" for at in range(len(c.params))]
        slots = [param.slot for param in c.params]
        order = option_tests(c, self.w.facts)
        faults, wheres = order.faults, order.wheres
        tests = [[self._condition(lets, e) for lets, e in result] for result in order.tests]
        body: list[str] = []
        pad = ""
        for depth in range(len(slots) + 1):
            where = wheres[depth - 1] if depth else None
            if where is not None:
                body.append(f"{pad}if {self.w.x(where)}:")
                pad += "    "
            if representatives and depth and c.params[depth - 1].alike:
                slot = slots[depth - 1]
                body += [f"{pad}k{slot:d} = {self._mark(c, depth - 1)}", f"{pad}if k{slot:d} not in done{slot:d}:"]
                pad += "    "
            counted = depth < len(slots) and (faults[depth] or c.params[depth].steps > 0)
            if counted:
                body += [pad + line for line in self._counted(f"r{depth:d}", c.params[depth], places[depth])]
            if tests[depth]:
                body.append(f"{pad}if {' and '.join(tests[depth])}:")
                pad += "    "
            if depth < len(slots):
                source = f"r{depth:d}" if counted else self._domain(c.params[depth], places[depth])
                if representatives and c.params[depth].alike:
                    body.append(f"{pad}done{slots[depth]:d} = {{}}")
                body.append(f"{pad}for v{c.params[depth].slot:d} in {source}:")
                pad += "    "
        by = self.w.x(c.by) if c.by is not None else "-1"
        body += [f"{pad}done{q.slot:d}[k{q.slot:d}] = 1" for q in c.params if representatives and q.alike]
        body.append(f"{pad}yield {number:d}, ({''.join(f'v{i:d}, ' for i in slots)}), {by}")
        return body

    def _mark(self, c: ir.Choice, depth: int) -> str:
        """The mark shared by alike arguments (see `alike.marked`)."""
        param = c.params[depth]
        kind, v = kind_of(param), f"v{param.slot:d}"
        mark = f"a_{kind}[{v}]"
        if before := [f"v{q.slot:d}" for q in c.params[:depth] if kind_of(q) == kind]:
            mark = f"-2 - {v} if {v} in ({', '.join(before)},) else {mark}"
        return mark if param.none is None else f"-1 if {v} < 0 else {mark}"

    def _test(self, name: str, c: ir.Choice) -> None:
        """Writes the legality test for one tuple of arguments."""
        checks = []
        for param in c.params:
            v = f"v{param.slot:d}"
            if param.walk is not None:
                within = [f"is_path({self.w.ways(param.walk)}, {v})"]
            elif param.several is not None:
                of = ", ".join(self.w.x(e) for e in param.domain)
                within = [f"{'is_bag' if param.is_bag else 'is_subset'}({v}, {of})"]
            elif param.high is None:
                within = [f"{v} >= 0", self.w.x(membership(ir.Local(param.slot), param.low))]
            else:
                within = [f"{self.w.x(param.low)} <= {v} <= {self.w.x(param.high)}"]
            if param.none is not None:
                within = [f"({v} == {param.none:d} or {' and '.join(within)})"]
            checks += within
            if param.where is not None:
                checks.append(self.w.x(param.where.expr))
        checks += [self._condition(lets, e) for lets, e in conditions(c)]
        self.w.function(name, _params(c), [f"return bool({' and '.join(checks) or 'True'})"])

    def _condition(self, lets: dict[int, ir.Expr], e: ir.Expr) -> str:
        """A condition that stores its bindings in variables for later conditions of the same function."""
        if not lets:
            return self.w.x(e)
        return (
            f"({', '.join([f'(v{slot:d} := {self.w.x(value)})' for slot, value in lets.items()])}, {self.w.x(e)})[-1]"
        )

    def _counted(self, name: str, param: ir.Param, place: str) -> list[str]:
        """The lines that put a domain into a variable, and count its values."""
        results = [f"{name} = {self._domain(param, place)}"]
        if param.steps:
            steps = f"{param.values * param.steps:d}" if param.values else f"len({name}) * {param.steps:d}"
            results += [f"left[0] -= {steps}", "if left[0] < 0: doubtful()"]
        return results

    def _domain(self, param: ir.Param, place: str) -> str:
        if param.walk is not None:
            return f"paths({place}, {self.w.ways(param.walk)})"
        if param.several is not None:
            return f"several({place}, {', '.join(self.w.x(e) for e in param.domain)})"
        if param.high is None:
            result = self.w.members_of(param.low)
        else:
            result = f"numbers({place}, {self.w.x(param.low)}, {self.w.x(param.high)})"
        return result if param.none is None else f"(*{result}, {param.none:d})"


def _params(c: ir.Choice) -> list[str]:
    """The parameters of a function that takes an option's arguments."""
    return ["s", *(f"v{param.slot:d}" for param in c.params)]
