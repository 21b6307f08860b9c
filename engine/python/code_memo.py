"""Compiled functions, memoised by source for all programs of a ruleset, and functions for expressions outside these
programs.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from types import CodeType
from typing import Any
from weakref import finalize

from rulespec import cache
from rulespec.engine.program import ir
from rulespec.engine.program.traversal import walk
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.engine.python.runtime import array_names, memo_of, runtime_names

MAX_SOURCE = 3_000_000
"""The maximum length of all source with memoised code, in characters."""
MAX_ENTRY = 2_000_000
"""The maximum size of a ruleset's compiled functions in the cache, in bytes."""


class _Codes:
    """The decoder of a cache entry: code objects by the hash of their source."""

    def decode(self, data: bytes, /) -> dict[bytes, CodeType]:
        """The code objects in a cache entry; only entries signed by this user are passed to this function."""
        result: dict[bytes, CodeType] = marshal.loads(data)
        return result


class CodeMemo:
    """A bounded memo of compiled functions.

    Args:
        key: the key of the cache entry with the functions that earlier processes compiled; "" means none. New functions
            are added to it when the memo is no longer used, at the latest at the end of the process.
    """

    def __init__(self, key: str = "") -> None:
        self._codes: dict[bytes, CodeType] = (cache.read(key, _Codes()) or {}) if key else {}
        self._used: set[bytes] = set()
        self._size = 0
        if key:
            finalize(self, _save, key, self._codes, self._used, frozenset(self._codes))

    def code(self, source: str) -> CodeType:
        """The code object of a function's source, for `exec`."""
        number = blake2b(source.encode(), digest_size=16).digest()
        result = self._codes.get(number)
        if result is None:
            result = compile(source, "<generated>", "exec")
            self._size += len(source)
            if self._size > MAX_SOURCE:
                self._codes.clear()
                self._used.clear()
                self._size = len(source)
            self._codes[number] = result
        self._used.add(number)
        return result


def _save(key: str, codes: dict[bytes, CodeType], used: set[bytes], known: frozenset[bytes]) -> None:
    """Writes functions to the cache if some are new; if they are too many, only those used by this process."""
    if codes.keys() - known:
        data = marshal.dumps(codes)
        if len(data) > MAX_ENTRY:
            data = marshal.dumps({number: codes[number] for number in used})
        if len(data) <= MAX_ENTRY:
            cache.write(key, data)


@lru_cache(maxsize=16)
def code_memo(ref: str, kind: str = "functions") -> CodeMemo:
    """The memo of a ruleset's functions, shared by its programs, and by processes through the cache.

    Functions are looked up by their source, so functions of an earlier version of the ruleset do no harm.

    Args:
        ref: the reference of the ruleset.
        kind: the name of the cache entry for one part of the functions, since a process rarely needs all of them.
    """
    python = f"{sys.implementation.cache_tag} {sys.hexversion} {sys.flags.optimize}"
    return CodeMemo(cache.key(kind, ref, python, rooms=()))


class Fragments:
    """A compiler of functions over the expressions of a growing program.

    Args:
        program: the program with the definitions, arrays and tables that the expressions use.
        names: additional names for the functions, distinct from those of `ExpressionWriter`.
        codes: the memo of compiled functions.
    """

    def __init__(self, program: ir.Program, names: dict[str, Any], codes: CodeMemo) -> None:
        self.program = program
        self._codes = codes
        self._writer = ExpressionWriter(program, ALL_FEATURES)
        self._names = runtime_names(max(program.sizes.values(), default=1)) | names
        self._defined: set[int] = set()

    def x(self, e: ir.Expr) -> str:
        """The source of an expression for a function body; the names `o`, `p`, `q` and `r` are free for other uses."""
        return self._writer.x(e)

    def can_write(self, uses: Iterable[ir.Expr]) -> bool:
        """Whether functions can be written for expressions; expressions with `once` would require all procedures of the
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
        exec(self._codes.code("\n".join(writer.lines[begun:])), names)  # noqa: S102 - holds numbers only
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
