"""Upper bounds on the steps of expressions; the bounds of nested iterations and nested definition calls multiply."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from rulespec.check.set_sizes import SetSizes, maintained_condition
from rulespec.language.bags import MOST
from rulespec.language.paths import MAX_PATHS, MAX_STOPS
from rulespec.language.several import MAX_SEVERAL, MOST_MEMBERS, ways
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, head_expressions, parts, statement_expressions
from rulespec.types import MAX_ONCE_STEPS, BagOf, Ent, may_be_none

_MANY = 1 << 60
"""The step count of a marked call, from which the number of calls is derived."""


class Work:
    """Upper bounds on the steps of expressions, estimated from set sizes."""

    def __init__(self, sizes: SetSizes) -> None:
        self.sizes = sizes
        self._of_definitions: dict[typed.Definition, int] = {}
        self._of_procedures: dict[typed.Procedure, int] = {}
        self._of_guards: dict[typed.Guard, int] = {}

    def of(self, e: typed.Expr) -> int:
        """The number of steps for one evaluation of an expression."""
        if type(e) is typed.Each:  # `type(…) is`, because `isinstance` is slow to reject classes made in C
            b = e.binder
            if (asked := maintained_condition(e, self.sizes.kind(b.var.type))) is not None:
                return 1 + sum(self.of(x) for x in parts(asked))
            outer = sum(self.of(x) for x in (b.source, b.start, e.default) if x is not None)
            tested = 1 + (self.of(b.where) if b.where is not None else 0)
            inner = sum(self.of(x) for x in (e.body, *b.keys) if x is not None)
            return 1 + outer + self.sizes.of(b.source) * tested + self.sizes.matches(b) * inner
        if type(e) is typed.Reach:
            return 1 + self.of(e.start) + self.sizes.kind(e.var.type) * (1 + self.of(e.step))
        if type(e) is typed.Ways:
            return self._of_ways(e)
        if type(e) is typed.PathDomain:  # the search for paths is limited in listings
            return 1 + self.of(e.start) + self.of(e.within)
        if type(e) is typed.PathQuery:
            return self._of_query(e)
        if type(e) is typed.Along:
            return 1 + self.of(e.path) + MAX_STOPS * (1 + sum(self.of(x) for x in (e.where, e.body) if x is not None))
        if type(e) is typed.OverSubsets:
            inner = sum(self.of(x) for x in (e.where, e.body) if x is not None)
            return 1 + self.of(e.source) + self.subsets(e) * (1 + 4 * self.sizes.of(e.source) + inner)
        if type(e) is typed.Room:
            return 1 + self.sizes.kind(Ent(e.place.kind.name)) * (4 + self.of(e.place))  # tests the place of each token
        if type(e) is typed.RoomTogether:
            return 1 + self._of_counted(e.capacity) + sum(self.of(x) for x in parts(e))
        called = self.of_definition(e.definition) if type(e) is typed.Call else 0
        if type(e) is typed.Once:
            called = self.of_procedure(e.procedure)
        return 1 + called + sum(self.of(x) for x in parts(e))

    def _of_counted(self, capacity: typed.CapacityDecl) -> int:
        """The steps to count the pieces of each owner in a capacity, and to test the place of each token."""
        steps = 0
        for owner, _ in capacity.of:
            counted = (owner.name,) if isinstance(owner, typed.Kind) else owner.each
            steps += 4 * prod(self.sizes.kind(Ent(kind)) for kind in counted)
        return steps

    def _of_ways(self, e: typed.Ways) -> int:
        """The steps of a search by cost: each entity is settled at most once, and then the costs of its steps are
        computed.
        """
        step = 1 + (self.of(e.near.where) if e.near.where is not None else 0)
        single, each = (self.of(e.bound), 0) if e.op == "reach" else (0, self.of(e.bound))
        each += (
            self.of(e.near.source) + self.sizes.of(e.near.source) * step + self.sizes.matches(e.near) * self.of(e.cost)
        )
        single += self.of(e.default) if e.default is not None else 0
        return 1 + self.of(e.start) + single + self.sizes.kind(e.var.type) * (1 + each)

    def _of_query(self, e: typed.PathQuery) -> int:
        """The steps of a path query: for each path prefix, its next stops and its worth are computed."""
        return 1 + sum(self.of(x) for x in (e.paths, e.default) if x is not None) + self.beginnings(e) * self.looked(e)

    def subsets(self, e: typed.OverSubsets) -> int:
        """An upper bound on the number of subsets."""
        return 1 << min(self.sizes.of(e.source), MOST_MEMBERS)

    def beginnings(self, e: typed.PathQuery) -> int:
        """An upper bound on the number of path prefixes that a search visits."""
        return min(MAX_PATHS, self._ways_of(e.paths))

    def looked(self, e: typed.PathQuery) -> int:
        """The steps that the search takes for each path prefix."""
        near = e.paths.near
        step = 1 + sum(self.of(x) for x in (near.where, *e.paths.uses, e.paths.cost) if x is not None)
        each = sum(self.of(x) for x in (near.source, e.where, e.worth) if x is not None)
        return 1 + each + self.sizes.of(near.source) * step

    def of_definition(self, definition: typed.Definition) -> int:
        """The number of steps for a call to a definition, excluding the arguments."""
        if definition not in self._of_definitions:
            self._of_definitions[definition] = sum(self.of(e) for e in definition_expressions(definition))
        return self._of_definitions[definition]

    def of_procedure(self, procedure: typed.Procedure) -> int:
        """The number of steps for a procedure under `once`, at most the engine's limit."""
        if procedure not in self._of_procedures:
            self._of_procedures[procedure] = min(MAX_ONCE_STEPS, self._block(procedure.body))
        return self._of_procedures[procedure]

    def of_ring(self, ring: Collection[typed.Procedure]) -> tuple[int, int]:
        """The maximum number of calls within a cycle of procedures, and the steps of one call without nested calls."""
        results = []
        for each in (_MANY, 0):
            self._of_procedures |= dict.fromkeys(ring, each)
            results.append(max(self._block(p.body) for p in ring))
        with_calls, steps = results
        return with_calls // _MANY, steps

    def _block(self, block: typed.Block) -> int:
        """The steps of a block: the most expensive branch, and all iterations of a loop."""
        steps = 0
        for s in block:
            steps += 1 + sum(map(self.of, statement_expressions(s)))
            if isinstance(s, typed.LetTable):
                steps += self.sizes.kind(s.key.type) * (1 + self.of(s.value))
            elif isinstance(s, typed.CallProcedure):
                steps += self.of_procedure(s.procedure)
            elif isinstance(s, typed.If):
                steps += max(self._block(body) for _, body in s.branches)
            elif isinstance(s, typed.Match):
                steps += max(self._block(body) for body in (*(body for _, body in s.cases), s.other or ()))
            elif isinstance(s, typed.For):
                where = self.of(s.binder.where) if s.binder.where is not None else 0
                steps += self.sizes.of(s.binder.source) * (1 + where)
                steps += self.sizes.matches(s.binder) * self._block(s.body)
            elif isinstance(s, typed.Repeat):
                times = s.limit.value if isinstance(s.limit, typed.Lit) else MAX_ONCE_STEPS
                steps += times * self._block(s.body)
        return steps

    def of_listing(self, option: typed.OptionDef) -> int:
        """The steps to enumerate all arguments of an option; a range of numbers counts as one, since the engine limits
        it.
        """
        steps, times = 1, 1
        for param in option.params:
            steps += times * sum(map(self.of, param.domain))
            times *= self.values(param)
            steps += times * (self.of(param.where) if param.where is not None else 1)
        return steps + times * self.of_head(option.head)

    def values(self, param: typed.OptionParam) -> int:
        """An upper bound on the number of a parameter's values, including none."""
        if param.several is not None:
            return min(MAX_SEVERAL, self.ways(param))
        if isinstance(param.low, typed.PathDomain):
            return min(MAX_PATHS, self._ways_of(param.low))
        return (self.sizes.of(param.low) if param.high is None else 1) + may_be_none(param.var.type)

    def _ways_of(self, walk: typed.PathDomain) -> int:
        """An upper bound on the number of a parameter's possible paths."""
        steps = walk.within.value if isinstance(walk.within, typed.Lit) else MAX_STOPS
        result = self.sizes.of(walk.start)
        for _ in range(min(steps, MAX_STOPS)):
            result = min(result * max(1, self.sizes.matches(walk.near)), MAX_PATHS + 1)
        return result

    def paths(self, walk: typed.PathDomain) -> int:
        """The number of a parameter's possible paths if all stops have equally many successors; otherwise 0."""
        near, within = walk.near, walk.within
        known = all(isinstance(e, typed.Lit | typed.KindSet) for e in (walk.start, near.source, walk.cost, within))
        own = all(isinstance(use, typed.Local) and use.var is near.var for use in walk.uses)
        if not known or not own or near.where is not None or not isinstance(within, typed.Lit):
            return 0
        total, now, many = 0, self.sizes.of(walk.start), self.sizes.of(near.source)
        for number in range(1, min(within.value, MAX_STOPS - 1) + 1):
            now *= max(0, many - number) if walk.uses else many  # earlier stops are excluded
            total = now if walk.whole else total + now
        return total

    def ways(self, param: typed.OptionParam) -> int:
        """An upper bound on the number of sets or bags that a parameter can have as values."""
        assert param.several is not None
        low, high = param.several
        least, most = low.value if isinstance(low, typed.Lit) else None, _at_most(high)
        if isinstance(param.var.type, BagOf):
            rooms = [MOST if most is None else most] * self.sizes.kind(param.var.type)
        else:
            rooms = [1] * self.sizes.of(param.low)
        return ways(rooms, least or 0, sum(rooms) if most is None else most)

    def of_head(self, head: tuple[typed.HeadPart, ...]) -> int:
        """The number of steps for one evaluation of a head, including its guards."""
        steps = sum(self.of(e) for e in head_expressions(head))
        return steps + sum(self.of_guard(part.guard) for part in head if isinstance(part, typed.Needs))

    def of_guard(self, guard: typed.Guard) -> int:
        """The number of steps for evaluating the head of a guard, excluding its arguments."""
        if guard not in self._of_guards:
            self._of_guards[guard] = self.of_head(guard.head)
        return self._of_guards[guard]


def _at_most(e: typed.Expr) -> int | None:
    """An upper bound on a number that its expression shows: a literal, or one among the arguments of `min`."""
    if isinstance(e, typed.Lit):
        return e.value
    if not isinstance(e, typed.Op) or e.op != "min":
        return None
    return min((bound for arg in e.args if (bound := _at_most(arg)) is not None), default=None)
