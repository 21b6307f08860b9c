"""Hash of a ruleset's meaning, which is equal for rulesets whose games are identical, option for option.

The typed ruleset is serialised as words: records with their fields, shared objects in full at their first occurrence
and by number afterwards. Source places, human-readable texts and derived values are omitted; declarations are sorted by
name. Of a reason, only the rule ids are included, because dialects compare them. Fields with default values are also
omitted, so that additions to the language do not change the hashes of older rules.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from msgspec import NODEFAULT, Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.rule_ids import cited
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions

VERSION = 1
"""Version of the serialisation, incremented whenever the hashes of unchanged rules, or the numbers of cells or options,
change."""
LENGTH = 32
"""Length of a hash in hexadecimal digits; the first two are the version."""

FOR_PEOPLE = frozenset({"doc", "title", "position"})
PLACES = frozenset({"span", "type_span", "result_span", "key_span", "value_span", "unit_span"})
LEFT_OUT: dict[type[Struct], frozenset[str]] = {
    typed.BoardDecl: frozenset({"at"}),
    typed.Declarations: frozenset(
        {
            *("bounds", "checks", "measures", "values", "stakes", "playouts", "questions", "usual", "was"),
            *("entities", "places", "used", "broken", "references"),
        }
    ),
    typed.FactDecl: frozenset({"places"}),
    typed.Kind: frozenset({"index"}),
    typed.Match: frozenset({"places"}),
    typed.Cases: frozenset({"places"}),
    typed.Once: frozenset({"call"}),
    typed.Repeat: frozenset({"draws"}),
    typed.Rules: frozenset({"suppositions", "told"}),
    typed.TableDecl: frozenset({"places"}),
    typed.Var: frozenset({"reads", "value", "table"}),
}
"""The omitted fields of each record: derived values, places, and fields without effect on games."""

_STATE = (typed.Field, typed.PieceCount, typed.Room, typed.RoomTogether, typed.Call, typed.Once)
"""Expressions that may read cells set by other start values."""


def meaning_hash(start: str, declarations: typed.Declarations, rules: typed.Rules) -> str:
    """The hash of the meaning, as `LENGTH` hexadecimal digits.

    Args:
        start: name of the procedure that starts a game.
        declarations: the checker's declarations.
        rules: the checker's rules.
    """
    words = written((start, declarations, tuple(_order_of_starts(declarations)), rules))
    digest = hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{VERSION:02x}{digest}"[:LENGTH]


def of_other_version(hash_: str) -> bool:
    """Whether a string is a hash of another version, and so cannot be compared with current hashes."""
    return re.fullmatch(f"[0-9a-f]{{{LENGTH}}}", hash_) is not None and hash_[:2] != f"{VERSION:02x}"


def written(root: object) -> list[str]:
    """The serialisation of a typed ruleset or part of one; iterative, because rules may be deeply nested."""
    words: list[str] = []
    numbers: dict[int, int] = {}
    stack: list[Any] = [root]
    while stack:
        part = stack.pop()
        kind: type[Any] = type(part)
        if kind is str:
            words.append(f"{len(part)}:{part}")
        elif kind is tuple or kind is list:
            part = [each for each in part if type(each) is not typed.Remark]
            words.append(f"({len(part)}")
            stack += part[::-1]
        elif kind is dict:
            words.append(f"{{{len(part)}")
            for key in sorted(part, reverse=True):
                stack += (part[key], key)
        elif kind is Span:
            words.append("0:")
        elif issubclass(kind, Struct):
            form = _form(kind)
            if form.is_thing:
                if id(part) in numbers:
                    words.append(f"#{numbers[id(part)]}")
                    continue
                numbers[id(part)] = len(numbers)
            held = [(name, value) for name, default in form.fields if (value := getattr(part, name)) != default]
            words.append(" ".join([form.name, *[name for name, _ in held]]))
            stack += [_relevant(kind, name, value) if name in _IN_PART else value for name, value in reversed(held)]
        else:
            words.append(str(part))
    return words


class _Form(NamedTuple):
    """The serialised form of a record type: its name, its relevant fields with defaults, whether it has identity."""

    name: str
    fields: tuple[tuple[str, Any], ...]
    is_thing: bool


@cache
def _form(type_: type[Struct]) -> _Form:
    names, defaults = type_.__struct_fields__, type_.__struct_defaults__
    padded = [NODEFAULT] * (len(names) - len(defaults)) + [_default(value) for value in defaults]
    out = FOR_PEOPLE | PLACES | LEFT_OUT.get(type_, frozenset())
    fields = [(name, default) for name, default in zip(names, padded, strict=True) if name not in out]
    return _Form(type_.__name__, tuple(fields), not type_.__struct_config__.frozen)


def _default(value: Any) -> Any:
    """The default value of a field; msgspec stores a factory for mutable ones."""
    return value.factory() if hasattr(value, "factory") else value


_IN_PART = frozenset({"reason", "placements", "places", "dead_ends", "units"})
"""Fields of which only a part is relevant for the hash, or whose order is not."""


def _relevant(kind: type[Struct], field: str, value: Any) -> Any:
    """The part of a field's value that is relevant for the hash."""
    if field == "reason":
        return cited(value)
    if field == "placements":  # those with the same target keep their source order
        return sorted(value, key=_target)
    if kind is typed.Kind and field == "places":  # tokens start in the first one
        return list(value.values())
    return value if field == "places" else sorted(value)


def _target(placement: typed.Placement) -> tuple[str, ...]:
    target = placement.target
    if isinstance(target, typed.FieldDecl):
        return (target.kind, target.name)
    return ("", "", target[0].name, target[1].name)


def _order_of_starts(declarations: typed.Declarations) -> Iterator[tuple[str, ...]]:
    """The order of all start values, if one of them may read state set by an earlier one."""
    fields = [*declarations.fields.values(), *(f for k in declarations.kinds.values() for f in k.state.values())]
    values = [*(f.start for f in fields if f.start is not None), *(p.value for p in declarations.placements)]
    if _reads_state(values):
        yield from ((field.kind, field.name) for field in fields)
        yield from map(_target, declarations.placements)


def _reads_state(values: Iterable[typed.Expr]) -> bool:
    return any(isinstance(part, _STATE) for value in values for part in expressions(value))
