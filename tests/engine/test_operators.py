"""Operators of programs: each generator supports each operator with all operands, and machines agree on the value."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import pytest
from cases import small
from msgspec.structs import replace

from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.program.builder import apply_op
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.python.expressions import _FORMS, ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.engine.python.runtime import runtime_names
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.operators import _CALLS
from rulespec.engine.wasm.program import WasmProgram
from rulespec.language.bags import BITS as BAG_BITS
from rulespec.language.intervals import COUNTS, Interval
from rulespec.language.operators import OPERATORS
from rulespec.language.orders import packed
from rulespec.language.paths import path_of
from rulespec.types import MAX_NUMBER

MOST = 6
"""The maximum number of operands tried for variadic operators."""
PASSED = 4
"""The maximum number of arguments passed to a wasm function in a test; further operands are constants."""
BITS = 3
MEMBERS = range(2**BITS - 2)
KINDS = {
    **dict.fromkeys(["|", "&", "diff"], "ss"),
    **dict.fromkeys(["==", "!="], "nn"),
    **dict.fromkeys(["in", "in?"], "ms"),
    **dict.fromkeys(["bit", "one"], "m"),
    **dict.fromkeys(["append", "without", "place"], "omb"),
    **dict.fromkeys(["members", "front", "behind"], "ob"),
    **dict.fromkeys(["count", "the"], "s"),
    "not": "t",
    "pick": "sm",
    "next": "mk",
    "until": "sst",
    "moved": "sds",
    "lot": "nmk",
    "amount": "gm",
    "total": "g",
    "entities": "gk",
    "stop": "pmk",
    "stops": "pk",
}
"""Operator → its operands: sets, members, orders, bags, paths, truth values, distances between members, the bits of a
member, the size of a kind.

The operands of all other operators are numbers.
"""
FORMS = [(name, count) for name, each in OPERATORS.items() for count in range(MOST + 1) if each.takes(count)]


def operand(kind: str, rng: random.Random) -> int:
    """A random operand."""
    if kind == "s":
        return rng.randrange(1 << len(MEMBERS))
    if kind == "g":
        return rng.randrange(1 << BAG_BITS * len(MEMBERS))
    if kind == "p":
        return path_of(rng.choices(MEMBERS, k=rng.randrange(7)), len(MEMBERS))
    if kind == "o":
        return packed(rng.sample(MEMBERS, rng.randrange(len(MEMBERS))), BITS)
    if kind == "d":
        return rng.randrange(-len(MEMBERS), len(MEMBERS) + 1)
    if kind == "n":
        return rng.choice((rng.randrange(-9, 10), rng.randrange(-9, 10), rng.randrange(-MAX_NUMBER, MAX_NUMBER)))
    return {"m": rng.choice(MEMBERS), "t": rng.randrange(2), "b": BITS, "k": len(MEMBERS)}[kind]


def operands(name: str, count: int, rng: random.Random) -> list[int]:
    """Random operands for an operator; those in `passed` increase."""
    values = [operand(kind, rng) for kind in KINDS.get(name, "n" * count)]
    return [values[0], *sorted(values[1:])] if OPERATORS[name].any_number and not OPERATORS[name].chooses else values


def expression(name: str, values: Sequence[int]) -> ir.Expr:
    """An operator over its operands: slots, except operands with one value and types that cannot be passed to wasm."""
    fixed = [kind in "bdk" for kind in KINDS.get(name, "n" * len(values))]
    args = [ir.Const(v) if fixed[i] or i >= PASSED else ir.Local(i) for i, v in enumerate(values)]
    return ir.Op(name, tuple(args), 0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ir.Program:
    rules = "procedure play():\n    end game\n--- kinds.yaml\nkinds: {player: {}}\n"
    return lower(small(tmp_path_factory.mktemp("operators") / "small", rules), 1, {})


def outcomes(program: ir.Program, seed: int) -> Iterator[tuple[str, list[int], int | None, ir.Expr]]:
    """Operands for each operator and each number of operands, with the value, or None for a fault."""
    rng = random.Random(seed)
    for name, count in FORMS:
        values = operands(name, count, rng)
        yield name, values, apply_op(name, values), expression(name, values)


def test_an_operator_has_as_many_operands_as_its_record_says() -> None:
    rng = random.Random(0)
    for name, count in FORMS:
        assert len(operands(name, count, rng)) == count, name
        apply_op(name, operands(name, count, rng))


@pytest.mark.parametrize("seed", range(12))
def test_generated_python_has_each_operand_and_gives_the_same(seed: int, program: ir.Program) -> None:
    """A template with fewer slots than the operator has operands would silently drop one."""
    for name, values, expected, e in outcomes(program, seed):
        text = ExpressionWriter(program, ALL_FEATURES).x(e)
        slots = {f"v{i}": value for i, value in enumerate(values)}
        assert all(f"v{part.slot}" in text for part in e.args if isinstance(part, ir.Local)), name  # type: ignore[attr-defined]
        try:
            result = eval(text, runtime_names(len(MEMBERS)) | slots)  # noqa: S307 - the source of a machine
        except ProgramFaultError:
            result = None
        assert result == expected, (name, values)


@pytest.mark.skipif(not find_spec("wasmtime"), reason="wasm needs wasmtime")
def test_wasm_gives_the_same(program: ir.Program) -> None:
    tried = [one for seed in range(12) for one in outcomes(program, seed)]
    asides = tuple(ir.Aside(PASSED, e) for *_, e in tried)
    instance = WasmProgram(replace(program, asides=asides, slots=PASSED), passes=()).instance()
    for number, (name, values, expected, _) in enumerate(tried):
        passed = [*values, *[0] * PASSED][:PASSED]
        try:
            result: Any = instance.call(f"aside{number}", *passed, 0)
        except TrapError:
            result = None
        assert result == expected, (name, values)


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.fault is not None])
def test_an_operator_that_may_be_a_fault_is_no_call_of_its_meaning(name: str) -> None:
    """The meaning alone does not report the fault."""
    assert name in _FORMS and name in _CALLS


@pytest.mark.parametrize("name", [name for name in OPERATORS if name not in _FORMS])
def test_an_operator_without_a_form_is_a_function_that_python_knows(name: str) -> None:
    assert name.isidentifier() and callable(runtime_names(1)[name])


def inside(values: Sequence[int], rng: random.Random) -> list[Interval]:
    """Intervals around operands, some of them unbounded."""
    results = []
    for value in values:
        low, high = value - rng.randrange(4), value + rng.randrange(4)
        results.append(Interval(rng.choice((low, low, low, None)), rng.choice((high, high, high, None))))
    return results


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.interval is not None])
def test_the_interval_holds_the_value(name: str) -> None:
    rng, each = random.Random(name), OPERATORS[name]
    assert each.interval is not None
    for _ in range(600):
        count = each.operands + (rng.randrange(3) if each.any_number else 0)
        values = operands(name, count, rng)
        held = each.interval(*inside(values, rng))
        value = apply_op(name, values)
        below = value is not None and held.low is not None and value < held.low
        above = value is not None and held.high is not None and value > held.high
        assert not (below or above), values


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.interval is not None])
def test_the_interval_of_finite_numbers_is_finite_and_fits_into_64_bits(name: str) -> None:
    each = OPERATORS[name]
    assert each.interval is not None
    most = 1000 * MAX_NUMBER
    held = each.interval(*[Interval(-most, most)] * each.operands)
    assert held.low is not None and (held.high is not None or held == COUNTS)
    if name != "*":  # numbers whose product stays small
        assert held.low >= -(1 << 63) and (held.high or 0) < 1 << 63


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.members is not None])
def test_a_set_has_no_more_members_than_its_record_says(name: str) -> None:
    rng, each = random.Random(name), OPERATORS[name]
    assert each.members is not None
    for _ in range(200):
        values = operands(name, each.operands, rng)
        sizes = [value.bit_count() for value in values]
        assert each.meaning(*values).bit_count() <= each.members(*sizes)


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.turned])
def test_a_turned_comparison_is_the_other_truth(name: str) -> None:
    each = OPERATORS[name]
    assert OPERATORS[each.turned].turned == name
    for a in range(-2, 3):
        for b in range(-2, 3):
            assert each.meaning(a, b) == 1 - OPERATORS[each.turned].meaning(a, b)


@pytest.mark.parametrize("name", [name for name, each in OPERATORS.items() if each.chooses])
def test_an_operator_that_chooses_gives_one_of_its_operands(name: str) -> None:
    rng = random.Random(name)
    for _ in range(200):
        values = operands(name, OPERATORS[name].operands, rng)
        assert OPERATORS[name].meaning(*values) in values
