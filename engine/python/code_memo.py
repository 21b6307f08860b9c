"""Compiled functions by source: programs of one ruleset share most functions across settings and players."""

from __future__ import annotations

from types import CodeType

MAX_SOURCE = 3_000_000
"""Characters of source whose code is kept."""


class CodeMemo:
    """Compiles functions, and caches their code up to a limit."""

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
