"""Compiler from a small subset of Python to WebAssembly, for the fixed functions of every module.

A source has imports and functions. All variables are 64-bit integers that wrap around, except those to which a `float`
is assigned. A function may use `if`, `while`, assignments to one name, `return`, `break`, `continue`, `a if c else b`,
comparisons (signed), `and`, `or`, `not`, `+ - * // %`, unary minus, bit operators and shifts, and call other small
functions by position: Python's `min`, `max` and `abs` are not available. `//` and `%` require non-negative numbers, and
`>>` shifts zeros in. Names in capitals are constants; `runtime.intrinsics` declares instructions as functions. Anything
else is rejected.

A function is compiled once per process, because the module of a small game consists almost entirely of functions that
all modules share.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from rulespec.engine.wasm.wasm_format import F64, I32, I64, Module, Template

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "div_u",
    ast.Mod: "rem_u",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shr_u",
}
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt_s",
    ast.LtE: "le_s",
    ast.Gt: "gt_s",
    ast.GtE: "ge_s",
}
_FLOAT_COMPARED = {"lt_s": "f64.lt", "gt_s": "f64.gt"}
_INTRINSICS = {
    "below": ("lt_u", "extend"),
    "count": ("popcnt",),
    "lowest": ("ctz",),
    "leading": ("clz",),
    "divided": ("div_s",),
    "float": ("float",),
}


@lru_cache(maxsize=64)
def parsed(source: str) -> list[SmallFunction]:
    """The functions of a source, cached because parsing takes as long as compiling."""
    results = []
    for number, statement in enumerate(ast.parse(source).body):
        if isinstance(statement, ast.FunctionDef):
            assert _is_simple(statement), _refused(statement)
            results.append(SmallFunction(statement))
        else:
            assert isinstance(statement, ast.ImportFrom) or (number == 0 and _is_text(statement)), _refused(statement)
    return results


def compile_functions(functions: Iterable[SmallFunction], module: Module, constants: Mapping[str, int]) -> None:
    """Adds functions to a module. The host can call the functions decorated with `exported`.

    Args:
        functions: functions in small Python.
        module: the module to add them to.
        constants: numbers by name, in upper case.
    """
    for function in functions:
        function.define(module, constants)


def _is_simple(function: ast.FunctionDef) -> bool:
    """Whether a function's parameters and result are plain numbers."""
    args, returns = function.args, function.returns
    return (
        not (args.posonlyargs or args.vararg or args.kwonlyargs or args.kwarg or args.defaults)
        and all(_is_name(arg.annotation, "int") for arg in args.args)
        and (_is_name(returns, "int") or (isinstance(returns, ast.Constant) and returns.value is None))
        and all(_is_name(each, "exported") for each in function.decorator_list)
    )


def _is_name(e: ast.expr | None, name: str) -> bool:
    return isinstance(e, ast.Name) and e.id == name


def _refused(node: ast.AST) -> str:
    """The message for syntax outside small Python."""
    return f"not small Python, in line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


def _is_text(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)


class SmallFunction:
    """A function in small Python.

    Attributes:
        name: the name in calls.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.name = function.name
        self._function = function

    def define(self, module: Module, constants: Mapping[str, int]) -> None:
        """Adds the function to a module; the host can call it if it is decorated with `exported`."""
        function = self._function
        result = I64 if isinstance(function.returns, ast.Name) else b""
        for e in self._written.used:
            assert -(1 << 63) <= constants.get(e.id, 1 << 63) < 1 << 63, _refused(e)
        code, exported = self._written.code.filled(module, constants), bool(function.decorator_list)
        module.define(self.name, code, len(function.args.args), result, export=exported)

    @cached_property
    def _written(self) -> _Writer:
        return _Writer(self._function)


class _Writer:
    """The compiler of one function.

    Attributes:
        code: its instructions.
        used: the constants in it.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.used: list[ast.Name] = []
        params = [arg.arg for arg in function.args.args]
        self.code = Template([I64] * len(params))
        self.locals: dict[str, int] = {name: i for i, name in enumerate(params)}
        self.floats: set[str] = set()
        self.loops: list[tuple[int, int]] = []
        self._statements(function.body[_is_text(function.body[0]) :])
        if isinstance(function.returns, ast.Name):
            self.code.do("unreachable")

    def _statement(self, s: ast.stmt) -> None:
        code = self.code
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
            self._assign(s.targets[0].id, s.value)
        elif isinstance(s, ast.If):
            self._truth(s.test)
            code.if_()
            self._statements(s.body)
            if s.orelse:
                code.else_()
                self._statements(s.orelse)
            code.end()
        elif isinstance(s, ast.While) and not s.orelse:
            self._while(s)
        elif isinstance(s, ast.Return):
            if s.value is not None:
                self._value(s.value)
            code.do("return")
        elif isinstance(s, ast.Break | ast.Continue):
            code.br(self.loops[-1][0 if isinstance(s, ast.Break) else 1])
        else:
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call), _refused(s)
            self._call(s.value)

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _while(self, s: ast.While) -> None:
        code = self.code
        outside, again = code.block(), code.loop()
        self.loops.append((outside, again))
        self._truth(s.test)
        code.do("i32.eqz")
        code.br_if(outside)
        self._statements(s.body)
        code.br(again)
        code.end()
        code.end()
        self.loops.pop()

    def _assign(self, name: str, value: ast.expr) -> None:
        if name not in self.locals:
            is_float = self._is_float(value)
            self.locals[name] = self.code.local(F64 if is_float else I64)
            if is_float:
                self.floats.add(name)
        self._value(value)
        self.code.set(self.locals[name])

    def _is_float(self, e: ast.expr) -> bool:
        if isinstance(e, ast.BinOp):
            return self._is_float(e.left)
        if isinstance(e, ast.Call):
            return _is_name(e.func, "float")
        if isinstance(e, ast.Constant):
            return isinstance(e.value, float)
        return isinstance(e, ast.Name) and e.id in self.floats

    def _value(self, e: ast.expr) -> None:
        code = self.code
        if isinstance(e, ast.Constant):
            assert isinstance(e.value, int | float), _refused(e)
            if isinstance(e.value, float):
                code.out += b"\x44" + struct.pack("<d", e.value)
                return
            code.const(e.value - (1 << 64) if e.value >> 63 else e.value)
        elif isinstance(e, ast.Name):
            if e.id in self.locals:
                code.get(self.locals[e.id])
            else:
                assert e.id.isupper(), _refused(e)
                self.used.append(e)
                code.named(e.id)
        elif isinstance(e, ast.BinOp):
            assert type(e.op) in _BINARY, _refused(e)
            self._value(e.left)
            self._value(e.right)
            code.do(f"f64.{_BINARY[type(e.op)]}" if self._is_float(e.left) else _BINARY[type(e.op)])
        elif isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            code.const(0)
            self._value(e.operand)
            code.do("sub")
        elif isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Invert):
            self._value(e.operand)
            code.const(-1)
            code.do("xor")
        elif isinstance(e, ast.IfExp):
            self._truth(e.test)
            code.if_(I64)
            self._value(e.body)
            code.else_()
            self._value(e.orelse)
            code.end()
        elif isinstance(e, ast.Call):
            self._call(e)
        else:
            negated = isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not)
            assert negated or isinstance(e, ast.Compare | ast.BoolOp), _refused(e)
            self._truth(e)
            code.do("extend")

    def _truth(self, e: ast.expr) -> None:
        """Pushes the truth value of a condition as a 32-bit number."""
        code = self.code
        if isinstance(e, ast.Compare):
            assert len(e.ops) == 1 and type(e.ops[0]) in _COMPARED, _refused(e)
            self._value(e.left)
            self._value(e.comparators[0])
            name = _COMPARED[type(e.ops[0])]
            code.do(_FLOAT_COMPARED[name] if self._is_float(e.left) else name)
        elif isinstance(e, ast.BoolOp):
            self._truth(e.values[0])
            for value in e.values[1:]:
                code.if_(I32)
                if isinstance(e.op, ast.And):
                    self._truth(value)
                    code.else_()
                    code.const32(0)
                else:
                    code.const32(1)
                    code.else_()
                    self._truth(value)
                code.end()
        elif isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
            self._truth(e.operand)
            code.do("i32.eqz")
        else:
            self._value(e)
            code.const(0)
            code.do("ne")

    def _call(self, e: ast.Call) -> None:
        code = self.code
        assert isinstance(e.func, ast.Name) and not e.keywords, _refused(e)
        name = e.func.id
        if name == "trap":
            code.do("unreachable")
            return
        if name in ("load", "store"):
            self._value(e.args[0])
            code.do("wrap")
            for arg in e.args[1:]:
                self._value(arg)
            if name == "load":
                code.load()
            else:
                code.store()
            return
        if name in ("copy", "fill"):
            for arg in e.args:
                self._value(arg)
                code.do("wrap")
            code.do(name)
            return
        for arg in e.args:
            self._value(arg)
        if name in _INTRINSICS:
            code.do(*_INTRINSICS[name])
        else:
            code.call(name)
