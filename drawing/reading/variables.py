"""Variables of style sheets, such as `var(--land)`, which are expanded in values within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tinycss2
from msgspec import Struct
from tinycss2 import ast

_DEEPEST = 8  # nesting depth of variables in variables
_MOST = 64  # variables in one value
_LONGEST = 200  # characters of an expanded value


class _UnknownError(Exception):
    """A variable without a value, or an expansion beyond the limits."""


def with_variables(value: str, known: Mapping[str, str]) -> str:
    """A value after expanding its variables; "" if a variable has no value.

    Args:
        value: the text of a value, such as `var(--land, #fc0)`.
        known: maps a variable to its value, which may contain other variables.
    """
    try:
        result = _Variables(known).of(value, 0).strip()
    except _UnknownError:
        return ""
    return result if len(result) <= _LONGEST else ""


class _Variables(Struct):
    known: Mapping[str, str]
    count: int = 0

    def of(self, value: str, depth: int) -> str:
        """A value with its variables replaced.

        Raises:
            _UnknownError: if a variable has no value.
        """
        if "var(" not in value.lower():
            return value
        if depth > _DEEPEST or len(value) > _LONGEST:
            raise _UnknownError
        return self._text(tinycss2.parse_component_value_list(value, skip_comments=True), depth)

    def _text(self, tokens: Sequence[ast.Node], depth: int) -> str:
        return "".join(self._token(token, depth) for token in tokens)

    def _token(self, token: ast.Node, depth: int) -> str:
        if token.type != "function":
            return str(token.serialize())
        if token.lower_name != "var":
            return f"{token.name}({self._text(token.arguments, depth)})"
        self.count += 1
        if self.count > _MOST:
            raise _UnknownError
        name, comma, fallback = _parted(token.arguments)
        if name in self.known:
            return self.of(self.known[name], depth + 1)
        if not comma:
            raise _UnknownError
        return self._text(fallback, depth + 1)


def _parted(arguments: Sequence[ast.Node]) -> tuple[str, bool, Sequence[ast.Node]]:
    """The name of a variable, and the fallback after a comma, if there is one."""
    at = next((i for i, token in enumerate(arguments) if token.type == "literal" and token.value == ","), None)
    names = [token for token in arguments[:at] if token.type not in ("whitespace", "comment")]
    if len(names) != 1 or names[0].type != "ident":
        raise _UnknownError
    return str(names[0].value), at is not None, arguments[at + 1 :] if at is not None else []
