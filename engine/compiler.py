"""The default backend: a program as Python source.

Nothing of a ruleset's text gets into the source, only numbers. Blocks become functions that return the number of the
next one; a block that only one other leads to is written into that one, and a loop back to a function's own first block
becomes a loop in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import program as ir
from engine.build import MAX_NUMBER
from engine.interpreter import MAX_STEPS, Interpreter, ProgramFault, State, members, numbers

_MAX_INLINE = 24
_MAX_CHAIN = 150
_MEMO_LIMIT = 50_000
_TRUTHS = {"==", "!=", "<", "<=", ">", ">=", "not"}


def divide(a: int, b: int, site: int) -> int:
    """Division that rounds down and reports its place."""
    if b == 0:
        raise ProgramFault(site)
    return a // b


def modulo(a: int, b: int, site: int) -> int:
    """The remainder that goes with `divide`."""
    if b == 0:
        raise ProgramFault(site)
    return a % b


def product(a: int, b: int, site: int) -> int:
    """A product that may not grow without end."""
    value = a * b
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise ProgramFault(site)
    return value


def held(member: int, mask: int) -> int:
    """Whether what may be none is a member of a set."""
    return mask >> member & 1 if member >= 0 else 0


def pick(mask: int, start: int) -> int:
    """The first member of a set from `start` on, cyclic; -1 if there is none."""
    if not mask:
        return -1
    chosen = mask >> start << start or mask
    return (chosen & -chosen).bit_length() - 1


def lookup(table: dict[int, int], key: int, site: int) -> int:
    """A row of a table."""
    if key not in table:
        raise ProgramFault(site)
    return table[key]


def transfer(s: State, source: int, target: int, amount: int, unlimited: bool, site: int) -> None:
    """Moves money or pieces."""
    if amount < 0 or amount > (MAX_NUMBER if unlimited else s[source]):
        raise ProgramFault(site, f"{amount} of {s[source]}")
    s[source] -= amount
    s[target] += amount


def store(s: State, target: int, value: int, low: int, high: int, site: int) -> None:
    """Assigns a cell with a range."""
    if not low <= value <= high:
        raise ProgramFault(site, f"it would be {value}")
    s[target] = value


def too_long() -> None:
    """Ends what does not come to a decision."""
    raise ProgramFault(-1, f"no decision within {MAX_STEPS:,} steps")


def _unreached(state: State) -> int:
    """Stands for a block that is written into another one."""
    raise AssertionError(state)


class _Memo(dict[int, tuple[int, ...]]):
    """Set → its members in order; forgotten as a whole when it grows too large."""

    def __missing__(self, mask: int) -> tuple[int, ...]:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        found = self[mask] = tuple(members(mask, 0))
        return found


class _Writer:
    """Writes the source of a program."""

    def __init__(self, program: ir.Program) -> None:
        self.p = program
        self.lines: list[str] = []
        self.extra: list[str] = []
        self.count = 0
        self.member_arrays: set[int] = set()
        self.faults = [False] * len(program.functions)
        for i, f in enumerate(program.functions):
            self.faults[i] = any(self.can_fault(e) for e in [*(v for _, v in f.lets), f.body])

    # --- expressions -----------------------------------------------------------------------

    def x(self, e: ir.Expr) -> str:
        """An expression as Python."""
        if isinstance(e, ir.Const):
            return str(e.value) if e.value >= 0 else f"({e.value})"
        if isinstance(e, ir.Cell):
            return f"s[{self.address(e)}]"
        if isinstance(e, ir.Local):
            return f"v{e.slot}"
        if isinstance(e, ir.Row):
            return f"A{e.array}[{self.x(e.index)}]"
        if isinstance(e, ir.Lookup):
            return f"lookup(T{e.table}, {self.x(e.key)}, {e.site})"
        if isinstance(e, ir.Op):
            return self.op(e)
        if isinstance(e, ir.Logic) and e.op == "??":
            return f"(q if (q := {self.x(e.args[0])}) >= 0 else {self.x(e.args[1])})"
        if isinstance(e, ir.Logic):
            return "(" + f" {e.op} ".join(self.x(a) for a in e.args) + ")"
        if isinstance(e, ir.If):
            return f"({self.x(e.then)} if {self.x(e.condition)} else {self.x(e.other)})"
        if isinstance(e, ir.Call):
            return f"f{e.function}(" + ", ".join(["s", *(self.x(a) for a in e.args)]) + ")"
        if isinstance(e, ir.Closure):
            return self.closure(e)
        assert isinstance(e, ir.Fold)
        return self.fold(e)

    def address(self, c: ir.Cell) -> str:
        if isinstance(c.index, ir.Const):
            return str(c.base + c.index.value)
        return f"{c.base} + {self.x(c.index)}"

    def number(self, e: ir.Expr) -> str:
        """An expression whose value goes into the state: never a Python bool."""
        plain = isinstance(e, ir.Logic) or (isinstance(e, ir.Op) and e.op in _TRUTHS)
        plain = plain or isinstance(e, ir.If | ir.Call) or (isinstance(e, ir.Fold) and e.op in ("any", "all"))
        return f"+{self.x(e)}" if plain else self.x(e)

    def op(self, e: ir.Op) -> str:
        a = [self.x(arg) for arg in e.args]
        if e.op in ("/", "%"):
            if isinstance(e.args[1], ir.Const) and e.args[1].value:
                return f"({a[0]} {'//' if e.op == '/' else '%'} {a[1]})"
            return f"{'divide' if e.op == '/' else 'modulo'}({a[0]}, {a[1]}, {e.site})"
        if e.op == "mul":
            return f"product({a[0]}, {a[1]}, {e.site})"
        if e.op in ("min", "max", "abs"):
            return f"{e.op}({', '.join(a)})"
        if e.op == "in":
            return f"({a[1]} >> {a[0]} & 1)"
        if e.op == "in?":
            return f"held({a[0]}, {a[1]})"
        if e.op == "pick":
            return f"pick({a[0]}, {a[1]})"
        forms = {
            "neg": "(-{0})",
            "not": "(not {0})",
            "diff": "({0} & ~{1})",
            "bit": "(1 << {0})",
            "count": "({0}).bit_count()",
            "next": "(({0} + 1) % {1})",
        }
        return forms.get(e.op, "({0} " + e.op + " {1})").format(*a)

    def used(self, e: ir.Expr | None, bound: frozenset[int] = frozenset()) -> set[int]:
        """The slots an expression reads that are not bound in it."""
        if e is None:
            return set()
        if isinstance(e, ir.Local):
            return set() if e.slot in bound else {e.slot}
        if isinstance(e, ir.Fold):
            inner = bound | {e.slot}
            found = self.used(e.source, bound) | self.used(e.start, bound) | self.used(e.default, bound)
            return found | self.used(e.where, inner) | self.used(e.body, inner)
        if isinstance(e, ir.Closure):
            return self.used(e.start, bound) | self.used(e.step, bound | {e.slot})
        return set().union(*(self.used(part, bound) for part in self.parts(e)))

    @staticmethod
    def parts(e: ir.Expr) -> list[ir.Expr]:
        """The expressions an expression is directly made of."""
        if isinstance(e, ir.Op | ir.Logic | ir.Call):
            return list(e.args)
        if isinstance(e, ir.Cell | ir.Row):
            return [e.index]
        if isinstance(e, ir.Lookup):
            return [e.key]
        if isinstance(e, ir.If):
            return [e.condition, e.then, e.other]
        if isinstance(e, ir.Fold):
            return [part for part in (e.source, e.start, e.where, e.body, e.default) if part is not None]
        if isinstance(e, ir.Closure):
            return [e.start, e.step]
        return []

    def can_fault(self, e: ir.Expr) -> bool:
        """Whether evaluating may report a fault, so that it must not come before what guards it."""
        if isinstance(e, ir.Lookup) or (isinstance(e, ir.Call) and self.faults[e.function]):
            return True
        if isinstance(e, ir.Op) and e.op == "mul":
            return True
        if isinstance(e, ir.Op) and e.op in ("/", "%") and not (isinstance(e.args[1], ir.Const) and e.args[1].value):
            return True
        return any(self.can_fault(part) for part in self.parts(e))

    def _helper(self, free: set[int], body: list[str]) -> str:
        """A function of its own for a loop inside an expression; gives the call."""
        self.count += 1
        args = ", ".join(["s", *(f"v{i}" for i in sorted(free))])
        self.extra += [f"def g{self.count}({args}):", *("    " + line for line in body)]
        return f"g{self.count}({args})"

    def members_of(self, source: ir.Expr, start: ir.Expr | None = None) -> str:
        """An iterable over a set."""
        if start is not None:
            return f"members({self.x(source)}, {self.x(start)})"
        if isinstance(source, ir.Const):
            return str(tuple(members(source.value, 0)))
        if isinstance(source, ir.Row):
            self.member_arrays.add(source.array)
            return f"M{source.array}[{self.x(source.index)}]"
        return f"bits[{self.x(source)}]"

    def fold(self, e: ir.Fold) -> str:
        v = f"v{e.slot}"
        loop = f"for {v} in {self.members_of(e.source, e.start)}:"
        test = [f"    if {self.x(e.where)}:"] if e.where is not None else []
        deep = "        " if test else "    "
        value = self.number(e.body) if e.body is not None else v
        if e.op == "any":
            body = [loop, *test, f"{deep}return 1", "return 0"]
        elif e.op == "all":
            body = [loop, *test, f"{deep}if not {value}:", f"{deep}    return 0", "return 1"]
        elif e.op == "first":
            body = [loop, *test, f"{deep}return {v}", "return -1"]
        elif e.op == "count":
            body = ["n = 0", loop, *test, f"{deep}n += 1", "return n"]
        elif e.op == "sum":
            body = ["n = 0", loop, *test, f"{deep}n += {value}", "return n"]
        elif e.op == "union":
            body = ["n = 0", loop, *test, f"{deep}n |= {value}", "return n"]
        elif e.op == "set":
            body = ["n = 0", loop, *test, f"{deep}n |= 1 << {value}", "return n"]
        else:
            assert e.default is not None
            sign = "<" if e.op == "min" else ">"
            better = [f"{deep}w = {value}", f"{deep}if n is None or w {sign} n:", f"{deep}    n = w"]
            body = ["n = None", loop, *test, *better, f"return {self.number(e.default)} if n is None else n"]
        return self._helper(self.used(e), body)

    def closure(self, e: ir.Closure) -> str:
        body = [
            f"fresh = {self.x(e.start)}",
            "found = 0",
            "while fresh:",
            "    found |= fresh",
            "    reached = 0",
            f"    for v{e.slot} in bits[fresh]:",
            f"        reached |= {self.x(e.step)}",
            "    fresh = reached & ~found",
            "return found",
        ]
        return self._helper(self.used(e), body)

    def function(self, name: str, params: list[str], body: list[str]) -> None:
        """A function of the module, behind the helpers it needs."""
        self.lines += self.extra
        self.extra = []
        self.lines += [f"def {name}({', '.join(params)}):", *("    " + line for line in body)]

    # --- the module ------------------------------------------------------------------------

    def write(self) -> str:
        """The source of everything."""
        for i, f in enumerate(self.p.functions):
            params = ["s", *(f"v{k}" for k in range(f.params))]
            body = [f"v{slot} = {self.x(value)}" for slot, value in f.lets]
            self.function(f"f{i}", params, [*body, f"return {self.x(f.body)}"])
        for i, d in enumerate(self.p.decisions):
            if d.by is not None:
                self.function(f"who{i}", ["s"], [f"return {self.x(d.by)}"])
            for k, c in enumerate(d.choices):
                self.choice(f"{i}_{k}", c)
        for i, v in enumerate(self.p.invariants):
            self.function(f"inv{i}", ["s"], [f"return {self.x(v.condition.expr)}"])
        self.blocks()
        return "\n".join(self.lines) + "\n"

    def choice(self, name: str, c: ir.Choice) -> None:
        """How the legal arguments of an option are listed, and how one tuple of them is tested."""
        slots = [param.slot for param in c.params]
        tests: list[list[str]] = [[] for _ in range(len(slots) + 1)]
        conditions = [(r.expr, len(slots)) for r in c.requires]
        if c.weight is not None:
            conditions.append((ir.Op(">", (c.weight, ir.Const(0))), len(slots)))
        # Nothing is tested before what may fault and comes first in the rules: all backends fault alike.
        pure = True
        faults = [self._domain_can_fault(param) for param in c.params]
        wheres = [param.where.expr if param.where is not None else None for param in c.params]
        late = [d + 1 for d, e in enumerate(wheres) if e is not None and self.can_fault(e)]
        earliest = max([0, *late, *(d for d, may in enumerate(faults) if may)])
        for e, depth in conditions:
            pure = pure and not self.can_fault(e)
            if pure:  # as early as its parameters are known
                needed = self.used(e) & set(slots)
                depth = next(d for d in range(earliest, len(slots) + 1) if needed <= set(slots[:d]))
            tests[depth].append(self.x(e))
        body: list[str] = []
        pad = ""
        for depth in range(len(slots) + 1):
            where = wheres[depth - 1] if depth else None
            if where is not None:
                body.append(f"{pad}if {self.x(where)}:")
                pad += "    "
            if depth < len(slots) and faults[depth]:
                body.append(f"{pad}r{depth} = {self._domain(c.params[depth])}")
            if tests[depth]:
                body.append(f"{pad}if {' and '.join(tests[depth])}:")
                pad += "    "
            if depth < len(slots):
                source = f"r{depth}" if faults[depth] else self._domain(c.params[depth])
                body.append(f"{pad}for v{c.params[depth].slot} in {source}:")
                pad += "    "
        body.append(f"{pad}yield ({', '.join(f'v{i}' for i in slots)}{',' if len(slots) == 1 else ''})")
        self.function(f"list{name}", ["s"], body)
        checks = []
        for param in c.params:
            v = f"v{param.slot}"
            if param.high is None:
                checks.append(f"{v} >= 0 and {self.x(param.low)} >> {v} & 1")
            else:
                checks.append(f"{self.x(param.low)} <= {v} <= {self.x(param.high)}")
            if param.where is not None:
                checks.append(self.x(param.where.expr))
        checks += [self.x(e) for e, _ in conditions]
        self.function(
            f"test{name}", ["s", *(f"v{i}" for i in slots)], [f"return bool({' and '.join(checks) or 'True'})"]
        )
        if c.by is not None:
            self.function(f"by{name}", ["s", *(f"v{i}" for i in slots)], [f"return {self.x(c.by)}"])

    def _domain(self, param: ir.Param) -> str:
        if param.high is None:
            return self.members_of(param.low)
        return f"numbers({self.x(param.low)}, {self.x(param.high)})"

    def _domain_can_fault(self, param: ir.Param) -> bool:
        return param.high is not None or self.can_fault(param.low)  # numbers may be too many

    # --- blocks ----------------------------------------------------------------------------

    def blocks(self) -> None:
        entries = {self.p.main, *(first for first, _ in self.p.entries.values())}
        for d in self.p.decisions:
            entries |= {d.block, *(c.block for c in d.choices)}
        reached: dict[int, int] = {}
        for block in self.p.blocks:
            for i in block.body:
                if isinstance(i, ir.Store) and isinstance(i.value, ir.Const):
                    entries.add(i.value.value)  # perhaps a place to return to; one function more does no harm
            for target in self.targets(block.exit):
                reached[target] = reached.get(target, 0) + 1
        self.alone = {b for b, n in reached.items() if n == 1 and b not in entries}
        done: set[int] = set()
        todo = sorted(b for b in entries if 0 <= b < len(self.p.blocks))
        while todo:
            head = todo.pop()
            if head in done:
                continue
            done.add(head)
            self.head, self.loops, self.chain = head, False, 0
            self.needed: list[int] = []
            body = self.block(head, "", 0)
            if self.loops:
                body = ["while True:", *("    " + line for line in body)]
                body.insert(1, "    left[0] -= 1")
                body.insert(2, "    if left[0] < 0: too_long()")
            self.function(f"b{head}", ["s"], body)
            todo += self.needed
        self.done = done

    @staticmethod
    def targets(exit_: ir.Exit | None) -> list[int]:
        """The blocks an exit may lead to."""
        if isinstance(exit_, ir.Goto):
            return [exit_.block]
        if isinstance(exit_, ir.Branch):
            return [exit_.yes, exit_.no]
        if isinstance(exit_, ir.Switch):
            return [*(b for _, b in exit_.cases), exit_.other]
        return []

    def block(self, number: int, pad: str, depth: int) -> list[str]:
        """The lines of a block; every way through them ends in `return` or `continue`."""
        here = self.p.blocks[number]
        out: list[str] = []
        for i in here.body:
            if isinstance(i, ir.Store):
                if i.low is not None:
                    value, place = self.number(i.value), self.address(i.target)
                    out.append(f"{pad}store(s, {place}, {value}, {i.low}, {i.high}, {i.site})")
                else:
                    out.append(f"{pad}s[{self.address(i.target)}] = {self.number(i.value)}")
            elif isinstance(i, ir.Transfer):
                source, target = self.address(i.source), self.address(i.target)
                out.append(f"{pad}transfer(s, {source}, {target}, {self.number(i.amount)}, {i.unlimited}, {i.site})")
            elif isinstance(i, ir.Clear):
                out.append(f"{pad}s[{i.base}:{i.base + i.size}] = Z{i.size}")
        exit_ = here.exit
        if isinstance(exit_, ir.Goto):
            out += self.jump(exit_.block, pad, depth)
        elif isinstance(exit_, ir.Branch):
            out.append(f"{pad}if {self.x(exit_.condition)}:")
            out += self.jump(exit_.yes, pad + "    ", depth + 1)
            out += self.jump(exit_.no, pad, depth)
        elif isinstance(exit_, ir.Switch):
            out.append(f"{pad}w = {self.x(exit_.value)}")
            by_block: dict[int, list[int]] = {}
            for case, block in exit_.cases:
                by_block.setdefault(block, []).append(case)
            for block, values in by_block.items():
                out.append(f"{pad}if w in {tuple(values)}:" if len(values) > 1 else f"{pad}if w == {values[0]}:")
                self.alone.discard(block)
                out += self.jump(block, pad + "    ", depth + 1)
            out += self.jump(exit_.other, pad, depth)
        elif isinstance(exit_, ir.Return):
            out += [f"{pad}w = s[{exit_.cell}]", f"{pad}s[{exit_.cell}] = 0", f"{pad}return w"]
        elif isinstance(exit_, ir.Ask):
            out += [f"{pad}s[0] = {number}", f"{pad}return -1"]
        elif isinstance(exit_, ir.End):
            winners = self.x(exit_.winners) if exit_.winners is not None else "-1"
            out += [f"{pad}s[0] = {number}", f"{pad}s[1] = {exit_.ending + 1}", f"{pad}s[2] = {winners}"]
            out.append(f"{pad}return -1")
        else:  # behind a jump: nothing leads here
            out.append(f"{pad}return -1")
        return out

    def jump(self, target: int, pad: str, depth: int) -> list[str]:
        if target == self.head:
            self.loops = True
            return [f"{pad}continue"]
        if target in self.alone and depth < _MAX_INLINE and self.chain < _MAX_CHAIN:
            self.chain += 1
            lines = self.block(target, pad, depth)
            self.chain -= 1
            return lines
        self.needed.append(target)
        return [f"{pad}return {target}"]


class PythonBackend(Interpreter):
    """Runs a program through generated Python source."""

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        writer = _Writer(program)
        self.source = writer.write()
        self._left = [0]
        names: dict[str, Any] = {
            "divide": divide,
            "modulo": modulo,
            "product": product,
            "pick": pick,
            "held": held,
            "lookup": lookup,
            "transfer": transfer,
            "store": store,
            "members": members,
            "numbers": numbers,
            "bits": _Memo(),
            "left": self._left,
            "too_long": too_long,
            "__builtins__": {"min": min, "max": max, "abs": abs, "bool": bool},
        }
        for i, array in enumerate(program.arrays):
            names[f"A{i}"] = array
            if i in writer.member_arrays:
                names[f"M{i}"] = tuple(tuple(members(mask, 0)) for mask in array)
        for i, table in enumerate(program.tables):
            names[f"T{i}"] = table
        for block in program.blocks:
            for instruction in block.body:
                if isinstance(instruction, ir.Clear):
                    names[f"Z{instruction.size}"] = [0] * instruction.size
        exec(compile(self.source, "<generated>", "exec"), names)  # noqa: S102 - holds numbers only
        self._blocks: list[Callable[[State], int]] = [
            names.get(f"b{i}", _unreached) for i in range(len(program.blocks))
        ]
        self._lists = [[names[f"list{i}_{k}"] for k in range(len(d.choices))] for i, d in enumerate(program.decisions)]
        self._tests = [[names[f"test{i}_{k}"] for k in range(len(d.choices))] for i, d in enumerate(program.decisions)]
        self._who = [names.get(f"who{i}") for i in range(len(program.decisions))]
        self._invariants = [names[f"inv{i}"] for i in range(len(program.invariants))]

    def run(self, state: State, block: int) -> None:
        """Runs from a block to the next decision or the end."""
        left, blocks = self._left, self._blocks
        left[0] = MAX_STEPS
        while block >= 0:
            left[0] -= 1
            if left[0] < 0:
                too_long()
            block = blocks[block](state)

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        who = self._who[decision]
        return -1 if who is None else who(state)

    def legal(self, state: State, decision: int, choice: int) -> Iterator[tuple[int, ...]]:
        """The argument tuples with which an option is legal, in order."""
        found: Iterator[tuple[int, ...]] = self._lists[decision][choice](state)
        return found

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        legal: bool = self._tests[decision][choice](state, *args)
        return legal

    def broken(self, state: State) -> list[int]:
        """The invariants that do not hold."""
        return [i for i, holds in enumerate(self._invariants) if not holds(state)]
