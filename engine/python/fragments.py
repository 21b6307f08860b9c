"""Functions for expressions outside the program, compiled if they are evaluated often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import walk
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.engine.python.runtime import array_names, memo_of, runtime_names

_memo = CodeMemo()


class Fragments:
    """Writes and compiles functions over the expressions of a growing program.

    Args:
        program: the definitions, arrays and tables that the expressions use.
        names: additional names for the functions, distinct from those of `ExpressionWriter`.
    """

    def __init__(self, program: ir.Program, names: dict[str, Any]) -> None:
        self.program = program
        self._writer = ExpressionWriter(program, ALL_FEATURES)
        self._names = runtime_names(max(program.sizes.values(), default=1)) | names
        self._defined: set[int] = set()

    def x(self, e: ir.Expr) -> str:
        """The source of an expression for a function body; `o`, `p`, `q` and `r` are free for other use."""
        return self._writer.x(e)

    def can_write(self, uses: Iterable[ir.Expr]) -> bool:
        """Whether expressions contain no `once`, which would require all procedures of the rules."""
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
