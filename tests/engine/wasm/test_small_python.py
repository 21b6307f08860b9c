"""The compiler of small Python: what it does not know it refuses, and which functions a host may call."""

from __future__ import annotations

import pytest

from rulespec.engine.wasm.runtime import program
from rulespec.engine.wasm.runtime.registers import REGISTERS
from rulespec.engine.wasm.runtime.sources import MODULES, functions, meanings, stack_functions
from rulespec.engine.wasm.small_python import compile_functions, parsed
from rulespec.engine.wasm.wasm_format import Module

KNOWN = '"""Text."""\nfrom a import b\n\ndef f(a: int) -> int:\n    """Text."""\n    return {}\n'


def compiled(source: str) -> None:
    compile_functions(parsed(source), Module(), {"LIMIT": 3})


@pytest.mark.parametrize("expression", ["a", "LIMIT", "a + 1", "-a", "~a", "not a", "a < 1", "f(a) if a else 1"])
def test_small_python_is_compiled(expression: str) -> None:
    compiled(KNOWN.format(expression))


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "OTHER",
            "b",
            "a / 2",
            "a ** 2",
            "a is 1",
            "0 < a < 9",
            "f(a=1)",
            "f(*a)",
            "a.f(1)",
            "a[0]",
            "'text'",
            "None",
        ),
        *("[a]", "(a, a)", "lambda: a", "(b := a)", "f'{a}'", "+a", "a @ a"),
    ],
)
def test_other_expressions_are_refused(expression: str) -> None:
    with pytest.raises(AssertionError, match="not small Python, in line"):
        compiled(KNOWN.format(expression))


@pytest.mark.parametrize(
    "statement",
    [
        *("a += 1", "a = b = 1", "a, b = 1, 2", "a.b = 1", "a: int = 1", "del a", "pass", "a", "'text'", "assert a"),
        *("for b in a: trap()", "with a: trap()", "raise a", "global a", "import a", "from a import b"),
        *("try: trap()\n    finally: trap()", "while a: trap()\n    else: trap()", "def g() -> None: trap()"),
    ],
)
def test_other_statements_are_refused(statement: str) -> None:
    with pytest.raises(AssertionError, match="not small Python, in line"):
        compiled(f"def f(a: int) -> None:\n    a = 1\n    {statement}\n")


@pytest.mark.parametrize(
    "head",
    [
        *("f()", "f(a) -> None", "f(a: float) -> None", "f(a: int = 1) -> None", "f(*a: int) -> None", "f() -> float"),
        *("f(*, a: int) -> None", "f(a: int, /) -> None", "f(**a: int) -> None", "f(a: int)", "f() -> str"),
    ],
)
def test_other_signatures_are_refused(head: str) -> None:
    with pytest.raises(AssertionError, match="not small Python, in line"):
        compiled(f"def {head}:\n    trap()\n")


@pytest.mark.parametrize("line", ["a = 1", "import a", "class A: b = 1", "f()", "if a: b()", "async def f(): a()"])
def test_a_module_has_imports_and_functions(line: str) -> None:
    with pytest.raises(AssertionError, match="not small Python, in line 2"):
        parsed(f"'''Text.'''\n{line}\n")


def test_other_decorators_are_refused() -> None:
    compiled("@exported\ndef f() -> None:\n    trap()\n")
    with pytest.raises(AssertionError, match="not small Python"):
        compiled("@cache\ndef f() -> None:\n    trap()\n")


def test_a_call_of_a_function_that_is_not_there_is_named() -> None:
    module = Module()
    compile_functions(parsed("def f(a: int) -> int:\n    return min(a, 1)\n"), module, {})
    with pytest.raises(AssertionError, match="called and not defined: min"):
        module.encoded(1)


def test_a_function_has_the_numbers_of_each_module() -> None:
    """Compiled once, it calls and pushes in each module what has the name there."""
    wasmtime = pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    both = parsed(
        "@exported\ndef f(a: int) -> int:\n    return g(a) + LIMIT\n\ndef g(a: int) -> int:\n    return a * a\n"
    )
    for some, limit in ((both, 3), (both[::-1], 1 << 40), (both, -70)):
        module = Module()
        compile_functions(some, module, {"LIMIT": limit})
        store = wasmtime.Store(wasmtime.Engine())
        exports = wasmtime.Instance(store, wasmtime.Module(store.engine, module.encoded(1)), []).exports(store)
        assert exports["f"](store, 5) == 25 + limit


def test_functions_of_the_runtime_have_names_of_their_own() -> None:
    names = [each.name for module in MODULES for each in functions(module)]
    names += [each.name for each in (*stack_functions(16), *meanings())]
    assert len(names) == len(set(names))
    assert [each.name for each in stack_functions(1)] == ["from_start", "row_fits", "lowest1", "pick1", "only1"]


def test_no_name_is_a_register_and_a_number_of_the_program() -> None:
    assert not REGISTERS.keys() & vars(program).keys()
    assert len(set(REGISTERS.values())) == len(REGISTERS)
