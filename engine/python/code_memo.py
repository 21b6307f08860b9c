"""Compiled functions, memoised by source for all programs of a ruleset, and functions for expressions outside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import walk
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.engine.python.runtime import array_names, memo_of, runtime_names

MAX_SOURCE = 3_000_000
"""The maximum length of all source with cached code, in characters."""


class CodeMemo:
    """A bounded cache of compiled functions."""

    def __init__(self) -> None:
        self._codes: dict[str, CodeType] = {}
        self._size = 0

    def code(self, source: str) -> CodeType:
        """The code object of a function's source, for `exec`."""
        result = self._codes.get(source)
        if result is None:
            result = compile(source, "<generated>", "exec")
            self._size += len(source)
            if self._size > MAX_SOURCE:
                self._codes.clear()
                self._size = len(source)
            self._codes[source] = result
        return result


_memo = CodeMemo()


class Fragments:
    """A compiler of functions over the expressions of a growing program.

    Args:
        program: the program with the definitions, arrays and tables that the expressions use.
        names: additional names for the functions, distinct from those of `ExpressionWriter`.
    """

    def __init__(self, program: ir.Program, names: dict[str, Any]) -> None:
        self.program = program
        self._writer = ExpressionWriter(program, ALL_FEATURES)
        self._names = runtime_names(max(program.sizes.values(), default=1)) | names
        self._defined: set[int] = set()

    def x(self, e: ir.Expr) -> str:
        """The source of an expression for a function body; the names `o`, `p`, `q` and `r` are free for other uses."""
        return self._writer.x(e)

    def can_write(self, uses: Iterable[ir.Expr]) -> bool:
        """Whether functions can be written for expressions: those with `once` would require all procedures of the
        rules.
        """
        return not any(isinstance(e, ir.Suppose) for e in self._reached(uses, set()))

    def function(self, name: str, params: list[str], body: list[str], uses: Iterable[ir.Expr]) -> Callable[..., Any]:
        """Compiles a function, and the definitions that the expressions in its body call."""
        writer, names, program = self._writer, self._names, self.program
        begun, before = len(writer.lines), frozenset(self._defined)
        writer.function(name, params, body)
        for _ in self._reached(uses, self._defined):
            pass
        for number in sorted(self._defined - before):
            writer.definition(number)
        names.update((f"A{i}", array) for i, array in enumerate(program.arrays))
        names.update((f"T{i}", table) for i, table in enumerate(program.tables))
        array_names(writer.member_arrays, writer.inverse_arrays, names)
        exec(_memo.code("\n".join(writer.lines[begun:])), names)  # noqa: S102 - holds numbers only
        for function, count in writer.memos.items():
            if function.upper() not in names:
                names[function.upper()] = memo_of(names[function], count)
        result: Callable[..., Any] = names[name]
        return result

    def _reached(self, uses: Iterable[ir.Expr], defined: set[int]) -> Iterator[ir.Expr]:
        """All parts of expressions, and of called definitions that are not yet `defined`."""
        todo = [*uses]
        while todo:
            for e in walk(todo.pop()):
                yield e
                if isinstance(e, ir.Call) and e.function not in defined:
                    defined.add(e.function)
                    called = self.program.functions[e.function]
                    todo += [*(value for _, value in called.lets), called.body]
