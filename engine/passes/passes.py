"""Passes over a program: each makes it faster and keeps what it means, faults included.

A pass changes expressions only. Blocks, cells and decisions keep their numbers, so that positions, their hashes and
logs do not depend on which passes have run. `PASSES` lists them in their order; tests switch them off one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, choose, logic, op, together
from rulespec.engine.program.control_flow import Flow, Loop, loops
from rulespec.engine.program.interpreter import evaluate, members
from rulespec.engine.program.traversal import (
    Facts,
    changed,
    free,
    highest,
    meet,
    moved,
    span,
    substituted,
    targets,
    walk,
)

Change = Callable[[ir.Expr, int], ir.Expr]
"""What a pass does to an expression, given the highest slot that is in use around it."""

_INLINE_SIZE = 60
"""Parts of a definition that is written into the rules that use it."""
_FEW = 8
"""A set of fewer members is gone through faster than the cells of all are asked at once; not where pieces are."""
_MAX_WAY = 300
"""Blocks that are looked at to see what a loop changes on its way; one that goes through more asks all members."""


def fold_constants(p: ir.Program) -> ir.Program:
    """Works out what facts alone decide, and takes members out of loops whose conditions say no whatever the state."""
    facts = Facts(p)

    def fold(e: ir.Expr, top: int) -> ir.Expr:
        e = changed(e, lambda part: fold(part, top))
        if isinstance(e, ir.Op):
            return _folded_op(e)
        if isinstance(e, ir.Logic) and e.op != "??":
            return logic(e.op, list(e.args))
        if isinstance(e, ir.If):
            return choose(e.condition, e.then, e.other)
        if isinstance(e, ir.Row) and isinstance(e.index, ir.Const) and 0 <= e.index.value < len(p.arrays[e.array]):
            return ir.Const(p.arrays[e.array][e.index.value])
        if isinstance(e, ir.Call):
            body = p.functions[e.function].body
            return body if isinstance(body, ir.Const) and not any(facts.may_fault(a) for a in e.args) else e
        if isinstance(e, ir.Fold):
            return _folded_loop(e, facts)
        return e

    return everywhere(p, fold)


def _folded_op(e: ir.Op) -> ir.Expr:
    args = e.args
    if e.op in ("==", "!=", ">") and args[1] == FALSE and isinstance(args[0], ir.Op) and args[0].op == "count":
        e = ir.Op("!=" if e.op == ">" else e.op, (args[0].args[0], FALSE))
        args = e.args
    if e.op in ("==", "!=") and args[1] == FALSE and isinstance(args[0], ir.Fold) and args[0].op == "set":
        some = replace(args[0], op="any", body=None)
        return some if e.op == "!=" else ir.Op("not", (some,))
    if e.op == "count" and isinstance(args[0], ir.Fold) and args[0].op == "set" and args[0].body is None:
        return replace(args[0], op="count")
    if e.op == "/" and args[1] == TRUE:
        return args[0]
    if e.op == "in" and isinstance(args[0], ir.Local):
        return membership(args[0], args[1])
    if e.op == "&" and args[0] == args[1]:
        return args[0]
    return op(e.op, *args, site=e.site)


def membership(member: ir.Local, of: ir.Expr) -> ir.Expr:
    """Whether an entity is in a set, without making the set."""
    if isinstance(of, ir.Fold) and of.op == "set" and of.body is None and of.where is not None:
        return logic("and", [membership(member, of.source), substituted(of.where, {of.slot: member})])
    if isinstance(of, ir.Inverse):
        return op("==", ir.Row(of.array, member), of.value)
    if isinstance(of, ir.Positive):
        index = op("+", of.index, op("*", member, ir.Const(of.stride)))
        return op(">", ir.Cell(of.base, index, of.size), FALSE)
    if isinstance(of, ir.Op) and of.op in ("&", "|", "diff"):
        one, other = (membership(member, part) for part in of.args)
        if of.op == "diff":
            other = op("not", other)
        return logic("or" if of.op == "|" else "and", [one, other])
    return op("in", member, of)


def _folded_loop(e: ir.Fold, facts: Facts) -> ir.Expr:
    if isinstance(e.source, ir.Const):
        kept: list[ir.Expr] = []
        mask = e.source.value
        for c in conjuncts(e.where):
            settled = not facts.reads_state(c) and free(c) <= {e.slot}
            if settled and not any(facts.may_fault(x) for x in (*kept, c)):
                mask = sum(1 << m for m in members(mask, 0) if _holds(facts.p, c, e.slot, m))
            else:
                kept.append(c)
        e = replace(e, source=ir.Const(mask), where=logic("and", kept) if kept else None)
        if mask == 0 and e.default is None:
            return ir.Const({"any": 0, "all": 1, "first": -1}.get(e.op, 0))
    if e.where is None and e.body is None:
        if e.op == "count":
            return op("count", e.source)
        if e.op == "any":
            return op("!=", e.source, FALSE)
        if e.op == "set":
            return e.source
        if e.op == "first":
            return op("pick", e.source, e.start or FALSE)
    return e


def _holds(p: ir.Program, e: ir.Expr, slot: int, member: int) -> bool:
    slots = [0] * (max(p.slots, highest(e), slot) + 1)
    slots[slot] = member
    return bool(evaluate(p, e, [], slots))


def conjuncts(e: ir.Expr | None) -> tuple[ir.Expr, ...]:
    """The conditions that all must hold."""
    if e is None:
        return ()
    return e.args if isinstance(e, ir.Logic) and e.op == "and" else (e,)


def inline(p: ir.Program) -> ir.Program:
    """Writes small definitions into what uses them."""
    facts = Facts(p)
    functions: list[ir.Function] = []

    def put(e: ir.Expr, top: int) -> ir.Expr:
        inner = max(top, e.slot) if isinstance(e, ir.Fold | ir.Closure) else top
        e = changed(e, lambda part: put(part, inner))
        if not isinstance(e, ir.Call):
            return e
        f = functions[e.function]
        if f.lets or sum(1 for _ in walk(f.body)) > _INLINE_SIZE:
            return e
        if facts.worth_keeping((f.body,), f.params):
            return e
        reads = [x.slot for x in walk(f.body) if isinstance(x, ir.Local)]
        for slot, a in enumerate(e.args):
            # What is not read, or later than something else, must not be what reports a fault.
            if facts.may_fault(a) or not (_is_plain(a) or reads.count(slot) == 0):
                return e
        by = max([top, *(highest(a) for a in e.args)]) + 1
        return substituted(moved(f.body, by), dict(enumerate(e.args)))

    for f in p.functions:
        top = max([f.params - 1, *(slot for slot, _ in f.lets)])
        lets = tuple((slot, put(value, top)) for slot, value in f.lets)
        functions.append(replace(f, lets=lets, body=put(f.body, top)))
    return everywhere(replace(p, functions=functions), put, functions_too=False)


def _is_plain(e: ir.Expr) -> bool:
    """Whether evaluating it twice costs no more than keeping it."""
    if isinstance(e, ir.Cell | ir.Row):
        return isinstance(e.index, ir.Const | ir.Local)
    return isinstance(e, ir.Const | ir.Local)


def narrow(p: ir.Program) -> ir.Program:
    """Makes sets smaller before they are gone through: what a condition says of facts or cells becomes a set itself."""
    facts = Facts(p)

    def of(e: ir.Expr, top: int) -> ir.Expr:
        e = changed(e, lambda part: of(part, top))
        if not isinstance(e, ir.Fold) or e.where is None:
            return _summed(e, facts) if isinstance(e, ir.Fold) else e
        source, where = _narrowed(e.source, e.slot, conjuncts(e.where), facts)
        return replace(e, source=source, where=logic("and", where) if where else None)

    p = everywhere(p, of)
    facts = Facts(p)
    for number, d in enumerate(p.decisions):
        p.decisions[number] = replace(d, choices=tuple(_narrowed_choice(c, facts) for c in d.choices))
    flow = Flow(p)
    for head, loop in loops(p).items():
        test = p.blocks[loop.body].exit
        if len(p.blocks[loop.body].body) == 2 and isinstance(test, ir.Branch) and test.no == head:
            within = _within(loop, test, facts)
            if within is not None and _lasts(within, flow, test.yes, head):
                p.blocks[loop.body].exit = replace(test, within=within)
    return p


def _within(loop: Loop, test: ir.Branch, facts: Facts) -> ir.Expr | None:
    """The members of a loop's set for which its condition can hold, if they need not be asked one by one."""
    slot = facts.p.slots  # one that nobody uses; nothing is left of it afterwards

    def bound(e: ir.Expr) -> ir.Expr:
        return ir.Local(slot) if e == ir.Cell(loop.at, FALSE, 1) else changed(e, bound)

    found, _ = _narrowed(loop.over, slot, conjuncts(bound(test.condition)), facts)
    return found if isinstance(loop.over, ir.Const) and found != loop.over else None


def _lasts(e: ir.Expr, flow: Flow, first: int, head: int) -> bool:
    """Whether no member comes into a set on any way from a loop's body on, as far as the next decision."""
    seen: set[int] = set()
    todo = [first]
    while todo and len(seen) <= _MAX_WAY:
        block = todo.pop()
        if block in seen or block == head:
            continue
        seen.add(block)
        todo += flow.successors(block)
        if isinstance(exit_ := flow.p.blocks[block].exit, ir.Enter):
            todo.append(exit_.block)
    if len(seen) > _MAX_WAY:
        return False
    body = [i for b in seen for i in flow.p.blocks[b].body]
    raised = [span(i.target) for i in body if isinstance(i, ir.Store | ir.Transfer)]
    written = [at for i in body for at in targets(i)]

    def lasts(e: ir.Expr) -> bool:
        if isinstance(e, ir.Positive):  # what is taken away from its cells brings no member
            return lasts_exactly(e.index) and not _touch(range(e.base, e.base + e.size), raised)
        if isinstance(e, ir.Op) and e.op in ("&", "|"):
            return all(map(lasts, e.args))
        if isinstance(e, ir.Op) and e.op == "diff":
            return lasts(e.args[0]) and lasts_exactly(e.args[1])
        return lasts_exactly(e)

    def lasts_exactly(e: ir.Expr) -> bool:
        for part in walk(e):
            if isinstance(part, ir.Call | ir.Total):
                return False
            if isinstance(part, ir.Cell) and _touch(span(part), written):
                return False
            if isinstance(part, ir.Positive) and _touch(range(part.base, part.base + part.size), written):
                return False
        return True

    return lasts(e)


def _touch(cells: range, others: Collection[range]) -> bool:
    return any(meet(cells, other) for other in others)


def _summed(e: ir.Fold, facts: Facts) -> ir.Expr:
    """The sum of the same cells of all members at once."""
    source = e.source
    if e.op != "sum" or e.body is None or not isinstance(source, ir.Const) or source.value & (source.value + 1):
        return e
    totals: list[ir.Expr] = []
    for c in _summands(e.body):
        linear = _linear(c.index, e.slot) if isinstance(c, ir.Cell) and not facts.may_fault(c.index) else None
        if linear is None or linear[0] <= 0 or not isinstance(c, ir.Cell):
            return e
        totals.append(ir.Total(c.base, linear[1], source.value.bit_length(), linear[0]))
    return together("+", totals)


def _narrowed_choice(c: ir.Choice, facts: Facts) -> ir.Choice:
    """Conditions on a single parameter narrow its set, where nothing of the option may fault."""
    asked = [x for q in c.params for x in (q.low, q.where.expr if q.where else None) if x is not None]
    asked += [r.expr for r in c.requires]
    if any(q.high is not None for q in c.params) or any(facts.may_fault(x) for x in asked):
        return c
    requires = list(c.requires)
    params = []
    slots: set[int] = set()
    for q in c.params:
        slots.add(q.slot)
        here = [r for r in requires if q.slot in free(r.expr) and free(r.expr) <= slots]
        tests = [*conjuncts(q.where.expr if q.where else None), *(x for r in here for x in conjuncts(r.expr))]
        low, left = _narrowed(q.low, q.slot, tests, facts)
        requires = [r for r in requires if r not in here]
        where = None
        if left:
            known = q.where or here[0]
            where = replace(known, expr=logic("and", left))
        params.append(replace(q, low=low, where=where))
    return replace(c, params=tuple(params), requires=tuple(requires))


def _narrowed(source: ir.Expr, slot: int, tests: Collection[ir.Expr], facts: Facts) -> tuple[ir.Expr, list[ir.Expr]]:
    """A smaller set, and the conditions that are left."""
    kept: list[ir.Expr] = []
    whole = source
    for test in tests:
        found = None if any(facts.may_fault(x) for x in (*kept, test)) else _mask(test, slot, whole, facts)
        if found is None:
            kept.append(test)
        else:
            mask, without = found
            source = op("diff", source, mask) if without else _both(source, mask, facts)
    return source, kept


def _both(a: ir.Expr, b: ir.Expr, facts: Facts) -> ir.Expr:
    """What two sets share."""
    for one, other in ((a, b), (b, a)):
        size = _size(other, facts)
        if size and isinstance(one, ir.Const) and one.value & (1 << size) - 1 == (1 << size) - 1:
            return other
    return op("&", a, b)


def _size(e: ir.Expr, facts: Facts) -> int:
    """A bound below which the members of a set are; 0 if none is known."""
    if isinstance(e, ir.Const):
        return e.value.bit_length()
    if isinstance(e, ir.Inverse):
        return len(facts.p.arrays[e.array])
    if isinstance(e, ir.Positive):
        return e.count
    if isinstance(e, ir.Op) and e.op in ("&", "diff"):
        return _size(e.args[0], facts) or (_size(e.args[1], facts) if e.op == "&" else 0)
    return 0


def _mask(e: ir.Expr, slot: int, source: ir.Expr, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The members for which a condition holds, or (True) fails, as a set that is found without asking each of them."""
    if isinstance(e, ir.Op) and e.op == "not":
        found = _mask(e.args[0], slot, source, facts)
        return (found[0], not found[1]) if found else None
    many = isinstance(source, ir.Const) and source.value.bit_count() >= _FEW
    if many and isinstance(e, ir.Cell) and _is_truth(e, facts):
        return _positive(e, slot, source, facts)
    if not isinstance(e, ir.Op):
        return None
    if e.op in ("in", "in?") and e.args[0] == ir.Local(slot) and slot not in free(e.args[1]):
        return e.args[1], False
    if e.op in ("==", "!="):
        for one, other in (e.args, e.args[::-1]):
            if slot in free(other):
                continue
            if one == ir.Local(slot):
                return op("one", other), e.op == "!="
            if isinstance(one, ir.Row) and one.index == ir.Local(slot):
                return ir.Inverse(one.array, other), e.op == "!="
    if isinstance(source, ir.Const) and e.op in (">", "==", "!=") and e.args[1] == FALSE:
        cells = _summands(e.args[0])
        pieces = all(isinstance(c, ir.Cell) and facts.p.cells[c.base].group == "pieces" for c in cells)  # never below
        if (many and len(cells) == 1 and e.op == ">") or (pieces and len(cells) <= 3):
            masks = [_positive(c, slot, source, facts) for c in cells if isinstance(c, ir.Cell)]
            if len(masks) == len(cells) and all(masks):
                joined = masks[0][0]  # type: ignore[index]
                for m in masks[1:]:
                    joined = op("|", joined, m[0])  # type: ignore[index]
                return joined, e.op == "=="
    return None


def _is_truth(e: ir.Cell, facts: Facts) -> bool:
    return facts.p.cells[e.base].type == "bool"


def _summands(e: ir.Expr) -> list[ir.Expr]:
    if isinstance(e, ir.Op) and e.op == "+":
        return [*_summands(e.args[0]), *_summands(e.args[1])]
    return [e]


def _positive(e: ir.Cell, slot: int, source: ir.Expr, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The set of members whose cell is above zero."""
    linear = _linear(e.index, slot)
    if linear is None or linear[0] <= 0 or facts.may_fault(e.index):
        return None
    assert isinstance(source, ir.Const)
    return ir.Positive(e.base, linear[1], source.value.bit_length(), linear[0], e.size), False


def _linear(e: ir.Expr, slot: int) -> tuple[int, ir.Expr] | None:
    """How often an address counts a slot, and the rest of it."""
    if e == ir.Local(slot):
        return 1, FALSE
    if slot not in free(e):
        return 0, e
    if isinstance(e, ir.Op) and e.op == "+":
        a, b = _linear(e.args[0], slot), _linear(e.args[1], slot)
        return (a[0] + b[0], op("+", a[1], b[1])) if a and b else None
    if isinstance(e, ir.Op) and e.op == "*" and isinstance(e.args[1], ir.Const):
        a = _linear(e.args[0], slot)
        return (a[0] * e.args[1].value, op("*", a[1], e.args[1])) if a else None
    return None


PASSES: dict[str, Callable[[ir.Program], ir.Program]] = {
    "fold": fold_constants,
    "inline": inline,
    "fold again": fold_constants,
    "narrow": narrow,
    "fold narrowed": fold_constants,
}


def optimized(p: ir.Program, passes: Collection[str] = tuple(PASSES)) -> ir.Program:
    """The program after the passes named; `p` itself is not changed."""
    for name, run in PASSES.items():
        if name in passes:
            p = run(p)
    return p


def everywhere(p: ir.Program, change: Change, *, functions_too: bool = True) -> ir.Program:
    """A copy of a program with every expression changed."""
    most = p.slots

    def of(e: ir.Expr, top: int = -1) -> ir.Expr:
        nonlocal most
        found = change(e, top)
        if found is not e:
            most = max(most, highest(found) + 1)
        return found

    def maybe(e: ir.Expr | None, top: int = -1) -> ir.Expr | None:
        return None if e is None else of(e, top)

    def function(f: ir.Function) -> ir.Function:
        top = max([f.params - 1, *(slot for slot, _ in f.lets)])
        return replace(f, lets=tuple((slot, of(value, top)) for slot, value in f.lets), body=of(f.body, top))

    def cell(c: ir.Cell) -> ir.Cell:
        index = of(c.index)
        return ir.Cell(c.base + index.value, FALSE, 1) if isinstance(index, ir.Const) else replace(c, index=index)

    def instruction(i: ir.Instruction) -> ir.Instruction:
        if isinstance(i, ir.Store):
            return replace(i, target=cell(i.target), value=of(i.value))
        if isinstance(i, ir.Transfer):
            return replace(i, source=cell(i.source), target=cell(i.target), amount=of(i.amount))
        return i

    def ending(e: ir.Exit | None) -> ir.Exit | None:
        if isinstance(e, ir.Branch):
            return replace(e, condition=of(e.condition), within=maybe(e.within))
        if isinstance(e, ir.Switch):
            return replace(e, value=of(e.value))
        if isinstance(e, ir.End):
            return replace(e, winners=maybe(e.winners))
        return e

    def condition(c: ir.Condition, top: int) -> ir.Condition:
        return replace(c, expr=of(c.expr, top))

    def choice(c: ir.Choice) -> ir.Choice:
        top = max((q.slot for q in c.params), default=-1)
        params = tuple(
            replace(
                q,
                low=of(q.low, top),
                high=maybe(q.high, top),
                where=None if q.where is None else condition(q.where, top),
            )
            for q in c.params
        )
        requires = tuple(condition(r, top) for r in c.requires)
        return replace(c, params=params, by=maybe(c.by, top), weight=maybe(c.weight, top), requires=requires)

    def tiebreak(t: ir.Tiebreak) -> ir.Tiebreak:
        return replace(t, source=maybe(t.source, 0), key=maybe(t.key, t.slot), value=of(t.value, t.slot))

    functions = [function(f) for f in p.functions] if functions_too else p.functions
    blocks = [ir.Block([instruction(i) for i in b.body], ending(b.exit)) for b in p.blocks]
    decisions = [replace(d, by=maybe(d.by), choices=tuple(choice(c) for c in d.choices)) for d in p.decisions]
    invariants = [replace(v, condition=condition(v.condition, v.each[0] if v.each else -1)) for v in p.invariants]
    new = {"functions": functions, "blocks": blocks, "decisions": decisions, "invariants": invariants}
    if p.scoring is not None:
        tiebreaks = tuple(tiebreak(t) for t in p.scoring.tiebreaks)
        new["scoring"] = replace(p.scoring, score=of(p.scoring.score, 0), tiebreaks=tiebreaks)
    return replace(p, **new, slots=most)
