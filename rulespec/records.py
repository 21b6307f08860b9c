"""Records with a one-line repr of bounded length, for consoles, notebooks, test failures and logs."""

from __future__ import annotations

from collections.abc import Iterable, Sized

from msgspec import Struct

MAX_REPR = 240
"""Maximum length of a repr in characters."""
_MAX_TEXT = 40
_MAX_NUMBER = 10**18


class Brief:
    """Base of structs and dataclasses whose repr shows each field, but shows nested values only by name or size.

    List this class before `Struct` in the bases; a dataclass needs `repr=False`.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        fields = getattr(self, "__struct_fields__", None)
        return brief(self, fields if fields is not None else self.__dataclass_fields__)  # type: ignore[attr-defined]


def brief(record: object, fields: Iterable[str]) -> str:
    """The one-line repr of a record with these fields."""
    shown: list[str] = []
    room = MAX_REPR - len(type(record).__name__) - len("(, …)")
    for field in fields:
        text = f"{field}={_value(getattr(record, field))}"
        room -= len(text) + 2
        if room < 0:
            shown.append("…")
            break
        shown.append(text)
    return f"{type(record).__name__}({', '.join(shown)})"


def _value(value: object) -> str:
    """The repr of a field's value: a short one in full, otherwise its type."""
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_TEXT else value[:_MAX_TEXT] + "…")
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < _MAX_NUMBER):
        return repr(value)
    kind = type(value).__name__
    if isinstance(value, Struct) or hasattr(value, "__dataclass_fields__"):
        name = getattr(value, "name", None)
        return f"<{kind} {_value(name)}>" if isinstance(name, str) else f"<{kind}>"
    if isinstance(value, Sized):
        return f"<{kind} of {len(value)}>"
    return f"<{kind}>"
