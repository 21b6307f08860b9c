"""Expressions of a program as Python source, which contains only numbers, never text from a ruleset.

Each number is formatted as an integer (`:d`), which fails for anything else; each operator comes from a table.
"""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.domains import members
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.engine.program.traversal import Binding, Facts, at_hand, free, inside
from rulespec.engine.python.features import Features
from rulespec.language.operators import OPERATORS

_TRUTHS = {"==", "!=", "<", "<=", ">", ">=", "not"}
_LOGIC = {"and": " and ", "or": " or "}
_FORMS = {
    **{op: f"({{0}} {op} {{1}})" for op in ("+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "|", "&")},
    "neg": "(-{0})",
    "not": "(not {0})",
    "/": "divide({0}, {1}, {site:d})",
    "%": "modulo({0}, {1}, {site:d})",
    "diff": "({0} & ~{1})",
    "bit": "(1 << {0})",
    "one": "(1 << {0} + 1 >> 1)",
    "count": "({0}).bit_count()",
    "next": "(({0} + 1) % {1})",
    "mul": "product({0}, {1}, {site:d})",
    "fit": "fitting({0}, {site:d})",
    "the": "the({0}, {site:d})",
    "in": "({1} >> {0} & 1)",
    "in?": "held({0}, {1})",
    "front": "(({0} & (1 << {1}) - 1) - 1)",
    "behind": "({0} >> {1})",
}
"""Operator → its Python source; any other operator is a call of its meaning, by its name."""
_KNOWN_DIVISOR = {"/": "({0} // {1})", "%": "({0} % {1})"}


_SHORT = 120
"""The length in characters up to which an expression may be repeated to save a call."""
IN_DOUBT = "if left[0] < 0: doubtful()"
_SET_SLOT = 99_999
"""The slot for the set of a loop that is memoised by its set."""


class ExpressionWriter:
    """A writer of expressions, with functions for their loops.

    In the source, `s` is the state, `v3` slot 3, `A5` an array, `T2` a table, `f7` a definition, `g4` a loop, and `F7`
    and `G4` the memos of these; `o1` is the value of an expression after a hypothetical call.

    Attributes:
        lines: the source.
        shared: expression → the Python variable that holds its value.
        supposed: expression with `once` → the name of its function; these functions are emitted last.
        memos: name of a memoised function → the number of its arguments.
        counting_memos: the same for functions that count steps.
        member_arrays, inverse_arrays: the arrays of sets needed as tuples of members, and the arrays whose indices are
            needed by value.
    """

    def __init__(self, program: ir.Program, features: Features) -> None:
        self.p = program
        self.features = features
        self.facts = Facts(program)
        self.lines: list[str] = []
        self.shared: dict[ir.Expr, str] = {}
        self.member_arrays: set[int] = set()
        self.inverse_arrays: set[int] = set()
        self.memos: dict[str, int] = {}
        self.counting_memos: dict[str, int] = {}
        self.supposed: dict[ir.Suppose, str] = {}
        self._called_before: set[int] = set()
        self._loops: dict[ir.Expr, str] = {}
        self._new: list[str] = []

    def x(self, e: ir.Expr) -> str:
        """The source of an expression."""
        if self.shared and e in self.shared:  # hashing a tree is slow
            return self.shared[e]
        # `type(…) is`, because a negative `isinstance` is slow for classes made in C.
        if type(e) is ir.Const:
            return f"{e.value:d}" if e.value >= 0 else f"({e.value:d})"
        if type(e) is ir.Cell:
            return f"s[{self.address(e)}]"
        if type(e) is ir.Local:
            return f"v{e.slot:d}"
        if type(e) is ir.Row:
            return f"A{e.array:d}[{self.x(e.index)}]"
        if type(e) is ir.Lookup:
            return f"lookup(T{e.table:d}, {self.x(e.key)}, {e.site:d})"
        if type(e) is ir.Op:
            return self._op(e)
        if type(e) is ir.Logic and e.op == "??":
            return f"(q if (q := {self.x(e.args[0])}) >= 0 else {self.x(e.args[1])})"
        if type(e) is ir.Logic and e.op == "?number":
            return f"(q if (q := {self.x(e.args[0])}) != {NO_NUMBER:d} else {self.x(e.args[1])})"
        if type(e) is ir.Logic:
            return "(" + _LOGIC[e.op].join(self.x(a) for a in e.args) + ")"
        if type(e) is ir.If:
            return f"({self.x(e.then)} if {self.x(e.condition)} else {self.x(e.other)})"
        if type(e) is ir.Call:
            return self._call(e)
        if type(e) is ir.Positive:
            return f"positive[tuple({self._cut(e)})]"
        if type(e) is ir.Total:
            return f"sum({self._cut(e)})"
        if type(e) is ir.Held:
            return f"holders(s[{e.base:d}:{e.base + e.count:d}], A{e.array:d}, {self.x(e.value)})"
        if type(e) is ir.Inverse:
            self.inverse_arrays.add(e.array)
            return f"I{e.array:d}.get({self.x(e.value)}, 0)"
        if type(e) is ir.Suppose:
            if e not in self.supposed:
                self.supposed[e] = f"o{len(self.supposed)}"
            return self._called(self.supposed[e], [f"v{i:d}" for i in sorted(free(e))])
        return self._loop(e)

    def address(self, c: ir.Cell) -> str:
        """The index of a cell in the state."""
        if isinstance(c.index, ir.Const):
            return f"{c.base + c.index.value:d}"
        return f"{c.base:d} + {self.x(c.index)}"

    def number(self, e: ir.Expr) -> str:
        """The source of an expression whose value is stored in the state, and so must not be a Python bool."""
        plain = isinstance(e, ir.Logic) or (isinstance(e, ir.Op) and e.op in _TRUTHS)
        plain = (
            plain or isinstance(e, ir.If | ir.Call | ir.Suppose) or (isinstance(e, ir.Fold) and e.op in ("any", "all"))
        )
        return f"+{self.x(e)}" if plain else self.x(e)

    def members_of(self, source: ir.Expr, start: ir.Expr | None = None) -> str:
        """The source of an iterable over the members of a set."""
        if start is not None:
            return f"around[{self.x(source)}, {self.x(start)}]"
        if isinstance(source, ir.Const):
            return str(tuple(members(source.value, 0)))
        if isinstance(source, ir.Row):
            self.member_arrays.add(source.array)
            return f"M{source.array:d}[{self.x(source.index)}]"
        if isinstance(source, ir.Inverse):
            self.inverse_arrays.add(source.array)
            return f"J{source.array:d}.get({self.x(source.value)}, ())"
        return f"bits[{self.x(source)}]"

    def function(self, name: str, params: list[str], body: list[str]) -> None:
        """Adds a function to the module, after the functions on which it depends."""
        self.lines += self._new
        self._new = []
        self.lines += [f"def {name}({', '.join(params)}):", *("    " + line for line in body)]

    def value(self, name: str, params: list[str], e: ir.Expr, *, whole: bool = False) -> None:
        """Adds the function of an expression; with `whole`, its value is an int, never a Python bool."""
        self.function(name, params, [f"return {self.number(e) if whole else self.x(e)}"])

    def definition(self, number: int) -> None:
        """Adds the function of a definition."""
        f = self.p.functions[number]
        body = [f"v{slot:d} = {self.x(value)}" for slot, value in f.lets]
        if f.steps is not None:
            body += [f"left[0] -= {self.x(f.steps)}", IN_DOUBT]
        body += self.returned(f.body)
        name, params = f"f{number}", [f"v{k:d}" for k in range(f.params)]
        if f.steps is not None and self.features.memo and self._worth_memo(f):
            self.counting_memos[f"c{number}"] = f.params
            self.function(f"c{number}", ["s", *params], body)
            body = [f"w, n = C{number}[{', '.join(params)}]", "left[0] -= n", IN_DOUBT, "return w"]
        self.function(name, ["s", *params], body)

    def _worth_memo(self, f: ir.Function) -> bool:
        return self.facts.worth_memo((*(value for _, value in f.lets), f.body), f.params)

    def _call(self, e: ir.Call) -> str:
        """The call of a definition; it has a memo if its value depends only on the arguments."""
        name = f"f{e.function:d}"
        if self.features.memo and e.function not in self._called_before:
            self._called_before.add(e.function)
            f = self.p.functions[e.function]
            if self._worth_memo(f) and not self.facts.counts(e):
                self.memos[name] = f.params
        return self._called(name, [self.x(a) for a in e.args])

    def _called(self, name: str, args: list[str]) -> str:
        """A call, or a memo look-up."""
        if name in self.memos:
            return f"{name.upper()}[{', '.join(args)}]"
        return f"{name}({', '.join(['s', *args])})"

    def _op(self, e: ir.Op) -> str:
        a = [self.x(arg) for arg in e.args]
        if e.op in _KNOWN_DIVISOR and isinstance(e.args[1], ir.Const) and e.args[1].value:
            return _KNOWN_DIVISOR[e.op].format(*a)
        if e.op == "pick" and e.args[1] == ir.Const(0):
            return f"lowest({a[0]})"
        if e.op == "until" and (isinstance(e.args[2], ir.Const) or sum(map(len, a)) <= _SHORT):
            # Rising: the bits up to the lowest stop, or all without one. Falling: the bits from the
            # highest stop on, or all without one.
            up = f"(o := {a[0]}) & ((r := o & {a[1]}) ^ r - 1)"
            down = f"(o := {a[0]}) >> (r := (o & {a[1]} | 1).bit_length() - 1) << r"
            if isinstance(e.args[2], ir.Const):
                return f"({up if e.args[2].value else down})"
            return f"({up} if {a[2]} else {down})"
        if e.op == "moved":
            by = e.args[1]
            assert isinstance(by, ir.Const)
            way = "<<" if by.value >= 0 else ">>"
            return f"({a[0]} {way} {abs(by.value):d} & {a[2]})"
        if e.op == "passed":
            return f"bisect_left(({''.join(f'{end}, ' for end in a[1:])}), {a[0]})"
        if e.op == "in" and all(self.facts.may_fault(arg) for arg in e.args):
            return _FORMS["in?"].format(*a)  # the first fault to report is that of the member
        if e.op not in _FORMS:
            return f"{OPERATORS[e.op].name}({', '.join(a)})"
        return _FORMS[e.op].format(*a, site=e.site)

    def _cut(self, e: ir.Positive | ir.Total) -> str:
        """The cells of neighbours, as a slice."""
        span = e.count * e.stride
        if isinstance(e.index, ir.Const):
            first = e.base + e.index.value
            cut = f"{first:d}:{first + span:d}"
        else:
            cut = f"(p := {e.base:d} + {self.x(e.index)}):p + {span:d}"
        return f"s[{cut}{f':{e.stride:d}' if e.stride > 1 else ''}]"

    # --- loops -----------------------------------------------------------------------------

    def _loop(self, e: ir.Expr) -> str:
        """The call of a separate function for a loop inside an expression."""
        args = [f"v{i:d}" for i in sorted(free(e))]
        memo = self.features.memo and not self.facts.counts(e)
        if isinstance(e, ir.Fold) and memo and self.facts.reads_state(e.source):
            # A loop that depends on nothing but its set has a memo by this set.
            over_any = replace(e, source=ir.Local(_SET_SLOT))
            if free(over_any) == {_SET_SLOT} and self.facts.worth_memo((over_any,), 1):
                self._loop(over_any)
                return self._called(self._loops[over_any], [self.x(e.source)])
        if e not in self._loops:
            outer, self.shared = self.shared, {}  # a separate function has separate variables
            body = self.returned(e)
            self.shared = outer
            name = self._loops[e] = f"g{len(self._loops)}"
            if memo and self.facts.worth_memo((e,), len(args)):
                self.memos[name] = len(args)
            self._new += [f"def {name}({', '.join(['s', *args])}):", *("    " + line for line in body)]
        return self._called(self._loops[e], args)

    def returned(self, e: ir.Expr) -> list[str]:
        """The lines that return the value of an expression."""
        if not isinstance(e, Binding) or not self.features.hoist:
            return self._plainly(e)
        # Evaluated on first use, and only once, as it is the same for all members.
        each = inside(e)
        same = dict.fromkeys(x for part in each for x in self._same_for_all(part, free(e)))
        variables = {x: f"h{i:d}" for i, x in enumerate(same)}
        self.shared |= {x: self._shared(x, h) for x, h in variables.items()}
        lines = [*(f"{h} = None" for h in variables.values()), *self._plainly(e)]
        for x in same:
            del self.shared[x]
        return lines

    def _shared(self, e: ir.Expr, h: str) -> str:
        """The source of an expression that is evaluated once; steps that it counts are counted at each further use."""
        if not self.facts.counts(e):
            return f"({h} if {h} is not None else ({h} := {self.x(e)}))"
        n = f"n{h}"
        first = f"[{n} := left[0], {h} := {self.x(e)}, {n} := {n} - left[0]][1]"
        return f"({h} if {h} is not None and not charge({n}) else {first})"

    def _same_for_all(self, e: ir.Expr, outside: frozenset[int]) -> list[ir.Expr]:
        """The expensive parts of a loop that do not depend on its bindings."""
        if isinstance(e, Binding | ir.Call):
            same = free(e) <= outside and (self.facts.counts(e) or not self.facts.may_fault(e))
            if same and e not in self.shared:
                return [e]
            if not isinstance(e, ir.Call):
                return []  # it is a separate function
        return [x for part in at_hand(e) for x in self._same_for_all(part, outside)]

    def _plainly(self, e: ir.Expr) -> list[str]:
        if isinstance(e, ir.Closure):
            return [
                f"fresh = {self.x(e.start)}",
                "found = 0",
                "while fresh:",
                "    found |= fresh",
                "    reached = 0",
                f"    for v{e.slot:d} in bits[fresh]:",
                f"        reached |= {self.x(e.step)}",
                "    fresh = reached & ~found",
                "return found",
            ]
        if isinstance(e, ir.Ranked):
            return self._ranked(e)
        if isinstance(e, ir.Spread):
            return self._spread(e)
        if isinstance(e, ir.PathSearch):
            return self._query(e)
        if not isinstance(e, ir.Fold):
            return [f"return {self.x(e)}"]
        v = f"v{e.slot:d}"
        loop = f"for {v} in {self.members_of(e.source, e.start)}:"
        test = [f"    if {self.x(e.where)}:"] if e.where is not None else []
        deep = "        " if test else "    "
        value = self.number(e.body) if e.body is not None else v
        if e.op == "any":
            return [loop, *test, f"{deep}return 1", "return 0"]
        if e.op == "all":
            return [loop, *test, f"{deep}if not {value}:", f"{deep}    return 0", "return 1"]
        if e.op == "first":
            return [loop, *test, f"{deep}return {v}", "return -1"]
        if e.op in ("count", "sum", "union", "set"):
            step = {"count": "n += 1", "sum": f"n += {value}", "union": f"n |= {value}", "set": f"n |= 1 << {value}"}
            return ["n = 0", loop, *test, f"{deep}{step[e.op]}", "return n"]
        assert e.default is not None
        sign = "<" if e.op == "min" else ">"
        better = [f"{deep}w = {value}", f"{deep}if n is None or w {sign} n:", f"{deep}    n = w"]
        return ["n = None", loop, *test, *better, f"return {self.number(e.default)} if n is None else n"]

    def _ranked(self, e: ir.Ranked) -> list[str]:
        """The lines that rank the members of a set by keys."""
        v = f"v{e.slot:d}"
        keys = [self.number(key) for key in e.keys]
        key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        head = [f"for {v} in {self.members_of(e.source, e.start)}:"]
        head += [f"    if not {self.x(e.where)}: continue"] if e.where is not None else []
        if e.op == "order":
            lines = ["found = []", *head, f"    found.append(({key}, len(found), {v}))", "found.sort()"]
            return [*lines, f"return packed([member for _, _, member in found], {e.bits:d})"]
        better = [f"    w = {key}", f"    if n is None or w {'<' if e.op == 'first' else '>'} n:", "        n = w"]
        if e.op == "first":
            return ["n, a = None, -1", *head, *better, f"        a = {v}", "return a"]
        equal = ["    elif w == n:", f"        a |= 1 << {v}"]
        return ["n, a = None, 0", *head, *better, f"        a = 1 << {v}", *equal, "return a"]

    def _spread(self, e: ir.Spread) -> list[str]:
        """The lines that compute minimum costs of paths from a set."""
        at, to = f"v{e.slot:d}", f"v{e.to:d}"
        lines = [f"sums = dict.fromkeys(bits[{self.x(e.start)}], 0)"]
        if e.limit is not None:
            lines += [f"limit = {self.x(e.limit)}", "if limit < 0: return 0"]
        lines += ["ahead = [(0, k) for k in sums]", "settled = 0", "while ahead:", f"    total, {at} = heappop(ahead)"]
        lines += [f"    if settled >> {at} & 1: continue", f"    settled |= 1 << {at}"]
        if e.until is not None:
            lines += [f"    {to} = {at}", f"    if {self.x(e.until)}: return total"]
        lines.append(f"    for {to} in {self.members_of(e.near)}:")
        lines += [f"        if not {self.x(e.where)}: continue"] if e.where is not None else []
        lines += [f"        cost = {self.number(e.cost)}", f"        if cost < 0: below_nothing(cost, {e.below:d})"]
        lines.append("        cost += total")
        over = "> limit: continue" if e.limit is not None else f"> {MAX_NUMBER}: beyond({e.above:d})"
        lines += [f"        if cost {over}", f"        if cost < sums.get({to}, cost + 1):"]
        lines += [f"            sums[{to}] = cost", f"            heappush(ahead, (cost, {to}))"]
        return [*lines, "return settled" if e.default is None else f"return {self.number(e.default)}"]

    def _query(self, e: ir.PathSearch) -> list[str]:
        """The lines that compute the result of a search among paths."""
        if e.reachable is not None:
            return [f"return trail_of({self.ways(e)}, {self.x(e.reachable)}, {e.site:d})"]
        assert e.worth is not None and e.default is not None
        ways, outer = self.ways(e), self.shared
        self.shared = {}  # a separate function has separate variables
        where = f" if {self.x(e.where)} else None" if e.where is not None else ""
        worth = f"lambda v{e.slot:d}: {self.number(e.worth)}{where}"
        self.shared = outer
        lines = [f"n = longest_of({ways}, {worth}, {e.site:d})"]
        return [*lines, f"return {self.number(e.default)} if n is None else n"]

    def ways(self, walk: ir.PathSearch) -> str:
        """The source of a call of `ways`, which describes a parameter's possible paths by functions of a
        partial path.
        """
        outer, self.shared = self.shared, {}  # a separate function has separate variables
        known = ", ".join(f"v{slot:d}" for slot in (walk.slot, walk.at, walk.left, *walk.used))
        onward = f"lambda {known}: {f'charge({walk.steps:d}) or ' if walk.steps else ''}{self.x(walk.onward)}"
        counted = [self.number(walk.cost), *map(self.x, walk.uses)]
        first = [False, *walk.of_stops]  # a first stop has only the uses by stops
        guarded = [e if own else f"({e} if v{walk.slot:d} else 0)" for e, own in zip(counted, first, strict=True)]
        step = f"lambda v{walk.to:d}, {known}: ({', '.join(guarded)},)"
        self.shared = outer
        sets = f"{self.x(walk.start)}, {self.number(walk.within)}"
        return f"ways({walk.size:d}, {sets}, {walk.of_stops}, {walk.whole}, {onward}, {step})"
