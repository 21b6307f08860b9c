"""Compiled functions by source: programs of one ruleset share most functions across settings and numbers of players."""

from __future__ import annotations

from types import CodeType

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
