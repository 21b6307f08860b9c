"""Serialisation of typed rulesets for the on-disk cache, so that loading skips the checker.

The bytes are a pickle of two parts: first all shared objects (mutable records such as definitions) without their
fields, then these fields, with references into the first part. Recursive calls therefore cause no cycle of records, and
nothing is nested deeper than a single expression. Only instances of the classes below can be restored.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import Struct

from rulespec import types
from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

Checked = tuple[str, typed.Declarations, typed.Rules]
"""The hash of the meaning, with the declarations and rules from the checker."""
_LEAVES = frozenset({str, int, bool, type(None), Span})
"""Classes of values without parts."""


class PackedRuleset:
    """A decoder for cache entries."""

    def decode(self, data: bytes) -> Checked:
        """The checked ruleset, restored from the bytes made by `pack`.

        Raises:
            ValueError: if the data are not a packed ruleset.
        """
        try:
            things, fields, result = _Unpickler(io.BytesIO(data)).load()
        except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(str(error)) from None
        for thing, values in zip(things, fields, strict=True):
            for name, value in zip(thing.__struct_fields__, values, strict=True):
                setattr(thing, name, value)
        checked: Checked = result
        return checked


def pack(checked: Checked) -> bytes:
    """A checked ruleset as bytes; empty if its expressions are nested too deep."""
    things = _things(checked)
    fields = [_values(thing.__class__)(thing) for thing in things]
    data = io.BytesIO()
    try:
        _Pickler(data, pickle.HIGHEST_PROTOCOL).dump((things, fields, checked))
    except RecursionError:
        return b""
    return data.getvalue()


@cache
def _is_shared(kind: type[Any]) -> bool:
    """Whether instances of a class are shared objects."""
    return issubclass(kind, Struct) and not kind.__struct_config__.frozen


@cache
def _values(kind: type[Struct]) -> Callable[[Struct], tuple[Any, ...]]:
    """A function that returns the values of a record's fields, in their order."""
    names = kind.__struct_fields__
    if len(names) < 2:  # a getter of one name returns no tuple
        return lambda record: tuple([getattr(record, name) for name in names])
    return attrgetter(*names)


def _things(root: object) -> list[Any]:
    """The shared objects reachable from a value, without repetition."""
    things: list[Any] = []
    seen: set[int] = set()
    rest: list[Any] = [root]
    while rest:
        part = rest.pop()
        kind: type[Any] = type(part)
        if kind in _LEAVES or id(part) in seen:
            continue
        seen.add(id(part))
        if kind is tuple or kind is list or kind is set:
            rest += part
        elif kind is dict:
            rest += [*part, *part.values()]
        elif issubclass(kind, Struct):
            if _is_shared(kind):
                things.append(part)
            rest += _values(kind)(part)
    return things


def _blank(kind: type[Struct]) -> Struct:
    """A shared object whose fields are not yet set."""
    return kind(*[None] * len(kind.__struct_fields__))


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        kind = value.__class__
        return (_blank, (kind,)) if _is_shared(kind) else NotImplemented


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return _classes()[module, name]


@cache
def _classes() -> dict[tuple[str, str], Any]:
    """The names allowed in a pickle: the records of a typed ruleset, and the function that creates blank ones."""
    records = [each for home in (typed, types, ast) for each in vars(home).values() if isinstance(each, type)]
    known: list[type] = [Span, *(each for each in records if issubclass(each, Struct))]
    return {(_blank.__module__, "_blank"): _blank} | {(each.__module__, each.__qualname__): each for each in known}
