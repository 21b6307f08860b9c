"""Tables and generated functions from which the fixed functions determine the cells that a seat can see."""

from __future__ import annotations

from rulespec.engine.program import ir
from rulespec.engine.program.builder import choose, logic, op
from rulespec.engine.program.draws import word
from rulespec.engine.program.long_values import LongValues
from rulespec.engine.program.taint import Count, Taint, choice_expressions, counts_of
from rulespec.engine.program.traversal import changed
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.layout import Memory
from rulespec.engine.wasm.rows import RowForm
from rulespec.engine.wasm.runtime.program import OPEN
from rulespec.engine.wasm.wasm_format import I64


def write_sights(x: ExpressionEmitter, long: LongValues) -> None:
    """For each secret, writes a function that tests whether its cell is hidden from a seat, the first parameter."""
    for number, secret in enumerate(x.p.secrets):
        params = 1 + len(secret.sizes)
        code = x.begin(params)
        seat = ir.Local(len(secret.sizes))
        x.slots = {slot: 1 + slot for slot in range(len(secret.sizes))} | {seat.slot: 0}
        if number in long.secrets:
            code.do("unreachable")
        x.truth(_is_in(seat, secret.to))
        code.do("i32.eqz")
        if secret.open is not None:
            x.truth(secret.open)
            code.do("i32.eqz", "i32.and")
        code.do("extend")
        x.module.define(f"hides{number}", code, params, I64)


def _is_in(seat: ir.Expr, seats: ir.Expr) -> ir.Expr:
    """Whether a seat is in a set; avoids building sets with one member and conditional sets."""
    if isinstance(seats, ir.If):
        return choose(seats.condition, _is_in(seat, seats.then), _is_in(seat, seats.other))
    if isinstance(seats, ir.Op) and seats.op == "bit":
        return op("==", seats.args[0], seat)
    return op("in", seat, seats)


def sight_source(p: ir.Program, memory: Memory) -> str:
    """The source of the fixed function that marks the private cells hidden from a seat."""
    lines = ["def sees(seat: int) -> None:"]
    for number, secret in enumerate(p.secrets):
        lines.append(f"    at = {memory.constants['UNSEEN'] + 8 * secret.cells.start}")
        if hidden := _hidden_at(p, secret):
            by_place, cell = memory.numbers(hidden), memory.address(secret.cells.start)
            lines += [f"    cell = {cell}", f"    while cell < {cell + 8 * len(secret.cells)}:"]
            lines.append(f"        store(at, load({by_place} + 8 * load(cell)) >> seat & 1)")
            lines += ["        at = at + 8", "        cell = cell + 8"]
            continue
        indent = "    "
        for k, size in enumerate(secret.sizes):
            lines += [f"{indent}e{k} = 0", f"{indent}while e{k} < {size}:"]
            indent += "    "
        args = "".join(f", e{k}" for k in range(len(secret.sizes)))
        lines += [f"{indent}store(at, hides{number}(seat{args}))", f"{indent}at = at + 8"]
        for k in reversed(range(len(secret.sizes))):
            lines.append(f"{indent}e{k} = e{k} + 1")
            indent = indent[4:]
    return "\n".join([*lines, "    return", ""])


def _hidden_at(p: ir.Program, secret: ir.Secret) -> list[int]:
    """For each place of a token, the set of seats that do not see it; empty if visibility depends on more."""
    place_of = ir.Cell(secret.cells.start, ir.Local(0), len(secret.cells))

    def known(e: ir.Expr, place: int) -> ir.Expr:
        if e == place_of:
            return ir.Const(place)
        result = changed(e, lambda part: known(part, place))
        if isinstance(result, ir.Op):
            return op(result.op, *result.args, site=result.site)
        if isinstance(result, ir.Logic):
            return logic(result.op, list(result.args))
        return choose(result.condition, result.then, result.other) if isinstance(result, ir.If) else result

    if not secret.places or secret.open is not None:
        return []
    seats = [known(secret.to, place) for place in range(p.sizes[p.cells[secret.cells.start].type])]
    results = [~each.value for each in seats if isinstance(each, ir.Const) and each.value >= 0]
    return results if len(results) == len(seats) else []


def shown_cells(p: ir.Program) -> list[int]:
    """The named cells: all except the rules' variables."""
    return [at for at, cell in enumerate(p.cells) if cell.group != "rules"]


def sight_tables(p: ir.Program, memory: Memory) -> dict[str, int]:
    """Lays out the lookup tables for the functions in `runtime/seen.py`; returns their constants."""
    unseen, further = memory.room(8 * len(p.cells)), RowForm(p).further
    places: dict[int, int] = {}
    hidden: dict[int, int] = {}
    for number, secret in enumerate(p.secrets, 1):
        if by_place := _hidden_at(p, secret):
            hidden |= dict.fromkeys(secret.cells, memory.numbers(by_place))
        if secret.places:
            size = p.sizes[p.cells[secret.cells.start].type]
            weights = memory.numbers([word(number, place) for place in range(size)])
            places |= dict.fromkeys(secret.cells, weights)
    sights: list[int] = []
    entries = [0] * ((memory.end - memory.state) // 8)
    first = memory.room(24 * len(entries))
    for at in shown_cells(p):
        for k in range(1 + len(further.get(at, ()))):
            address = memory.address(at) + 8 * k
            entries[(address - memory.state) // 8] = first + 8 * len(memory.sight_weights)
            memory.sight_weights += (word(0, len(sights)), places.get(at, 0), hidden.get(at, 0))
            sights += (unseen + 8 * at, address)
    counts = [(count, memory.numbers(_count(p, memory, count))) for count in counts_of(p)]
    taint = Taint(p)
    telling = [any(taint.told_by(e) for c in d.choices for e in choice_expressions(c)) for d in p.decisions]
    questions: dict[tuple[str, str], int] = {}
    asks = [questions.setdefault((d.name, d.doc), number) for number, d in enumerate(p.decisions)]
    sums = [at for count, at in counts if count.place < 0]
    tables = {"SIGHTS": sights, "COUNTS": [at for _, at in counts], "SUMS": sums}
    result = {"UNSEEN": unseen, "OPEN": OPEN, "SIGHT_WEIGHTS": first}
    by_value = bool(p.secrets) and all(at in hidden for secret in p.secrets for at in secret.cells)
    result["SIGHT_OF"] = memory.numbers(entries) if by_value else 0
    for name, numbers in tables.items():
        result[name] = memory.numbers(numbers)
        result[f"{name}_END"] = result[name] + 8 * len(numbers)
    return result | {"QUESTIONS": memory.numbers(asks), "TELLING": memory.numbers([int(tells) for tells in telling])}


def _count(p: ir.Program, memory: Memory, count: Count) -> list[int]:
    """A public count, as the fixed functions read it; see `runtime.program`."""
    cells, first = count.cells, memory.address(count.cells[0])
    if count.place >= 0:
        return [1, first, len(cells), count.place]
    form = p.cells[cells[0]].type
    if form.startswith("order "):
        return [3, first, memory.words if cells[0] in memory.ranks else 1, p.sizes[form[6:]].bit_length()]
    return [2, len(cells), *(memory.address(at) for at in cells)]
