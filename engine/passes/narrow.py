"""A pass that narrows the sets that loops run over."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from rulespec.engine.passes.fold_constants import holding
from rulespec.engine.passes.rewrite import conjuncts, everywhere
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, logic, op, together
from rulespec.engine.program.control_flow import Flow, Loop, loops
from rulespec.engine.program.domains import members
from rulespec.engine.program.option_tests import option_tests, unguarded
from rulespec.engine.program.traversal import Elsewhere, Facts, changed, free, meet, span, targets, walk

_FEW = 8
"""The set size up to which a loop tests members one by one, not all cells at once; sets of pieces always narrow."""
_WORD, _DISTANCES = 64, 4
"""The maximum size of a kind whose neighbours are found by shifting a set, and the maximum number of distances."""
_MAX_WAY = 300
"""The maximum number of blocks searched for changes by a loop; beyond it, all members are tested."""


def narrow(p: ir.Program) -> ir.Program:
    """Narrows the sets of loops by turning conditions on facts or cells into sets."""
    facts = Facts(p)

    def of(e: ir.Expr, top: int) -> ir.Expr:
        e = changed(e, lambda part: of(part, top))
        if not isinstance(e, ir.Fold | ir.Ranked) or e.where is None:
            if isinstance(e, ir.Fold) and e.op == "all":
                return _all(e, facts)
            return summed(e, facts) if isinstance(e, ir.Fold) else e
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
    """The members of a loop's set for which its condition can hold, if they can be determined without testing each."""
    slot = facts.p.slots  # unused elsewhere, and not in the result

    def bound(e: ir.Expr) -> ir.Expr:
        return ir.Local(slot) if e == ir.Cell(loop.at, FALSE, 1) else changed(e, bound)

    result, _ = _narrowed(loop.over, slot, conjuncts(bound(test.condition)), facts)
    return result if isinstance(loop.over, ir.Const) and result != loop.over else None


def _lasts(e: ir.Expr, flow: Flow, first: int, head: int) -> bool:
    """Whether no path from a loop's body to the next decision adds a member to a set."""
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
    raised = [at for i in body if not isinstance(i, ir.Clear) for at in targets(i)[-1:]]
    written = [at for i in body for at in targets(i)]

    def lasts(e: ir.Expr) -> bool:
        if isinstance(e, ir.Positive):  # a decrease of its cells adds no member
            return lasts_exactly(e.index) and not _touch(range(e.base, e.base + e.size), raised)
        if isinstance(e, ir.Op) and e.op in ("&", "|"):
            return all(map(lasts, e.args))
        if isinstance(e, ir.Op) and e.op == "diff":
            return lasts(e.args[0]) and lasts_exactly(e.args[1])
        return lasts_exactly(e)

    def lasts_exactly(e: ir.Expr) -> bool:
        for part in walk(e):
            if isinstance(part, ir.Total | Elsewhere):
                return False
            if isinstance(part, ir.Cell) and _touch(span(part), written):
                return False
            if isinstance(part, ir.Positive) and _touch(range(part.base, part.base + part.size), written):
                return False
            if isinstance(part, ir.Held) and _touch(range(part.base, part.base + part.count), written):
                return False
        return True

    return lasts(e)


def _touch(cells: range, others: Collection[range]) -> bool:
    return any(meet(cells, other) for other in others)


def _all(e: ir.Fold, facts: Facts) -> ir.Expr:
    """Whether a condition holds for all: the set of members for which it fails is empty."""
    if e.body is None:
        return e
    failing, left = _narrowed(e.source, e.slot, [op("not", e.body)], facts)
    return op("==", failing, FALSE) if not left and _in_state(failing, facts) else e


def summed(e: ir.Fold, facts: Facts) -> ir.Expr:
    """A sum over evenly spaced cells, one per member, computed without a loop; other folds are unchanged."""
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
    """An option whose set for a parameter is narrowed by conditions on that parameter alone, if nothing may fault."""
    asked = [x for q in c.params for x in (*q.domain, q.where.expr if q.where else None) if x is not None]
    asked += [x for r in c.requires for x in (*(value for _, value in r.lets), r.expr)]
    if any(len(q.domain) > 1 for q in c.params) or any(facts.may_fault(x) for x in asked):
        return c
    if c.depths is not None and option_tests(replace(c, depths=None), facts).depths != c.depths:
        return c  # some may fault in the lowered program
    requires = list(c.requires)
    params = []
    slots: set[int] = set()
    for q in c.params:
        slots.add(q.slot)
        counted = q.low.value.bit_count() if q.tested and isinstance(q.low, ir.Const) else 0
        if q.none is not None or (q.tested and not counted):  # conditions on members do not apply to none
            params.append(q)
            continue
        place = [r for r in requires if not r.lets and q.slot in free(r.expr) and free(r.expr) <= slots]
        tests = [*conjuncts(q.where.expr if q.where else None), *(x for r in place for x in conjuncts(r.expr))]
        if requires[: len(place)] != place:  # one of them precedes a remaining condition
            sure = [p.slot for p in c.params if p.none is None]
            tests = [unguarded(x, sure) for x in tests]
        low, left = _narrowed(q.low, q.slot, tests, facts, early=requires[: len(place)] != place)
        requires = [r for r in requires if r not in place]
        where = None
        if left:
            known = q.where or place[0]
            where = replace(known, expr=logic("and", left))
        params.append(replace(q, low=low, where=where, values=counted))
    return replace(c, params=tuple(params), requires=tuple(requires), depths=None)


def _narrowed(
    source: ir.Expr, slot: int, tests: Collection[ir.Expr], facts: Facts, *, early: bool = False
) -> tuple[ir.Expr, list[ir.Expr]]:
    """A smaller set, and the remaining conditions; `early`: the tests come before conditions that guard them."""
    left: list[ir.Expr] = []
    whole = source
    for number, test in enumerate(tests):
        result = None if any(facts.may_fault(x) for x in (*left, test)) else _mask(test, slot, whole, facts)
        if result is None:
            left.append(test)
        else:
            mask, without = result
            mask = before_guards(mask, facts) if number or early else mask
            source = op("diff", source, mask) if without else _both(source, mask, facts)
    return source, left


def before_guards(mask: ir.Expr, facts: Facts) -> ir.Expr:
    """A form of a set that can safely be computed before the conditions that guard it.

    If an entity is none, an arbitrary other cell is read in place of its cell. Where the value of such a cell selects a
    maintained set, it is clamped to the valid range.
    """

    def bounded(e: ir.Expr) -> ir.Expr:
        e = changed(e, bounded)
        if not isinstance(e, ir.Held) or not any(_may_be_of_none(x) for x in walk(e.value)):
            return e
        greatest = ir.Const(max(facts.p.arrays[e.array]))
        return replace(e, value=op("max", op("min", e.value, greatest), ir.Const(-1)))

    return bounded(unguarded(mask, ()))


def _may_be_of_none(e: ir.Expr) -> bool:
    return isinstance(e, ir.Cell | ir.Row) and not isinstance(e.index, ir.Const)


def _both(a: ir.Expr, b: ir.Expr, facts: Facts) -> ir.Expr:
    """The intersection of two sets."""
    for one, other in ((a, b), (b, a)):
        size = _size(other, facts)
        if size and isinstance(one, ir.Const) and one.value & (1 << size) - 1 == (1 << size) - 1:
            return other
    return op("&", a, b)


def _size(e: ir.Expr, facts: Facts) -> int:
    """An upper bound of all members of a set; 0 if none is known."""
    if isinstance(e, ir.Const):
        return e.value.bit_length()
    if isinstance(e, ir.Inverse):
        return len(facts.p.arrays[e.array])
    if isinstance(e, ir.Positive | ir.Held):
        return e.count
    if isinstance(e, ir.Op) and e.op in ("&", "diff"):
        return _size(e.args[0], facts) or (_size(e.args[1], facts) if e.op == "&" else 0)
    return 0


def _mask(e: ir.Expr, slot: int, source: ir.Expr, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The set of members for which a condition holds, or (True) fails, determined without testing each."""
    if isinstance(e, ir.Op) and e.op == "not":
        result = _mask(e.args[0], slot, source, facts)
        return (result[0], not result[1]) if result else None
    if isinstance(source, ir.Const):
        if not facts.reads_state(e) and free(e) <= {slot}:
            settled = holding(facts.p, unguarded(e, (slot,)), slot, source.value)
            return None if settled is None else (ir.Const(settled), False)
        if isinstance(e, ir.Logic) and e.op in ("and", "or"):
            return _joined(e, slot, source, facts)
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
            if (held := _held(one, slot, other, many, facts)) is not None:
                return held, e.op == "!="
            if isinstance(one, ir.Row) and one.index == ir.Local(slot):
                return ir.Inverse(one.array, other), e.op == "!="
    if (none := _none(e, slot, many, facts)) is not None:
        return none
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
    return _near(e, slot, source, facts) if isinstance(source, ir.Const) and many else None


def _joined(e: ir.Logic, slot: int, source: ir.Const, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The members for which all conditions hold, or any."""
    # The guards of a condition are among the preceding ones, and exclude none.
    tests = [e.args[0], *(unguarded(test, (slot,)) for test in e.args[1:])]
    masks = [_mask(test, slot, source, facts) or _common(test, slot, source) for test in tests]
    masks[1:] = [one and (before_guards(one[0], facts), one[1]) for one in masks[1:]]
    held = [op("diff", source, one[0]) if one[1] else one[0] for one in masks if one is not None]
    if len(held) < len(masks) or not all(_in_state(one, facts) for one in held):
        return None
    return together("|" if e.op == "or" else "&", held), False


def _common(e: ir.Expr, slot: int, source: ir.Const) -> tuple[ir.Expr, bool] | None:
    """The set of all members, or the empty set, for a condition that does not depend on the member."""
    return None if slot in free(e) else (ir.If(e, source, FALSE), False)


def _near(e: ir.Expr, slot: int, source: ir.Const, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The members that an array maps to members for which a condition holds, or fails, found by a reverse shift."""
    rows = {part for part in walk(e) if isinstance(part, ir.Row) and part.index == ir.Local(slot)}
    if len(rows) != 1:
        return None
    (row,) = rows
    array, there = facts.p.arrays[row.array], max(facts.p.slots, slot) + 1  # a slot that is not in the result

    def moved(part: ir.Expr) -> ir.Expr:
        return ir.Local(there) if part == row else changed(part, moved)

    condition, size = moved(e), max(array, default=-1) + 1
    if slot in free(condition) or not 0 < max(size, source.value.bit_length()) <= _WORD:
        return None
    distances: dict[int, int] = {}
    for member in members(source.value, 0):
        if (other := array[member]) >= 0:  # none has no conditions
            distances[member - other] = distances.get(member - other, 0) | 1 << member
    mask = _mask(condition, there, ir.Const((1 << size) - 1), facts)
    if mask is None or len(distances) > _DISTANCES or not _in_state(mask[0], facts):
        return None
    back = [op("moved", mask[0], ir.Const(by), ir.Const(to)) for by, to in distances.items()]
    return together("|", back), mask[1]


def _in_state(e: ir.Expr, facts: Facts) -> bool:
    """Whether a set is composed of sets in the state, so that it costs less than testing one member."""
    return all(facts.p.cells[part.base].group == "pieces" for part in walk(e) if isinstance(part, ir.Positive))


def _held(e: ir.Expr, slot: int, value: ir.Expr, many: bool, facts: Facts) -> ir.Held | None:
    """The entities whose state is a value, or the tokens whose place, or a fact of it, is a value."""
    cell = e.index if isinstance(e, ir.Row) else e
    if not isinstance(cell, ir.Cell) or cell.index != ir.Local(slot):
        return None
    if cell.base in facts.p.tokens:
        return ir.Held(cell.base, cell.size, e.array if isinstance(e, ir.Row) else facts.p.tokens[cell.base], value)
    if cell is e and many and cell.base in facts.p.few:
        return ir.Held(cell.base, cell.size, facts.p.few[cell.base], value)
    return None


def _none(e: ir.Op, slot: int, many: bool, facts: Facts) -> tuple[ir.Held, bool] | None:
    """The entities whose state is none, or (True) is not."""
    if e.op not in (">=", "<") or e.args[1] != FALSE:
        return None
    result = _held(e.args[0], slot, ir.Const(-1), many, facts)
    return None if result is None else (result, e.op == ">=")


def held_mask(e: ir.Expr, slot: int, facts: Facts) -> tuple[ir.Held, bool] | None:
    """The members whose own cell satisfies (or, if the flag is True, fails) a comparison with a value common to all
    members.
    """
    if not isinstance(e, ir.Op):
        return None
    if e.op == "not":
        result = held_mask(e.args[0], slot, facts)
        return (result[0], not result[1]) if result else None
    if e.op in ("==", "!="):
        for one, other in (e.args, e.args[::-1]):
            if slot not in free(other) and (held := _held(one, slot, other, True, facts)) is not None:
                return held, e.op == "!="
    return _none(e, slot, True, facts)


def _is_truth(e: ir.Cell, facts: Facts) -> bool:
    return facts.p.cells[e.base].type == "bool"


def _summands(e: ir.Expr) -> list[ir.Expr]:
    if isinstance(e, ir.Op) and e.op == "+":
        return [*_summands(e.args[0]), *_summands(e.args[1])]
    return [e]


def _positive(e: ir.Cell, slot: int, source: ir.Expr, facts: Facts) -> tuple[ir.Expr, bool] | None:
    """The set of members with a positive cell."""
    linear = _linear(e.index, slot)
    if linear is None or linear[0] <= 0 or facts.may_fault(e.index):
        return None
    assert isinstance(source, ir.Const)
    return ir.Positive(e.base, linear[1], source.value.bit_length(), linear[0], e.size), False


def _linear(e: ir.Expr, slot: int) -> tuple[int, ir.Expr] | None:
    """A linear address as (factor, rest): factor times a slot, plus the rest; None for another form."""
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
