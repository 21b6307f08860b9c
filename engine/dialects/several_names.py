"""Sets, bags and paths in foreign logs: a list of names, or for a bag also the number of each name.

The members of a set or a bag may be in any order; the stops of a path are in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulespec.language import bags, paths

MAX_ITEMS = 1_000
"""Elements of a list that several decisions share, or that an option has; a longer list counts as none."""


def is_several(type_: str) -> bool:
    """Whether a parameter of this type is a set, a bag or a path."""
    return " " in type_


def is_name(field: Any, name: str) -> bool:
    """Whether a field is this name; numeric names may be numbers."""
    return bool((str(field) if type(field) is int else field) == name)


def is_these(type_: str, names: Sequence[str]) -> Callable[[Any, int], bool]:
    """The test whether a value in a record denotes a set, a bag or a path.

    Args:
        type_: its type.
        names: the foreign names of the entities of its kind.

    Returns:
        The test. A set may also be given as the name of its only member, and with repetitions if names are unique.
    """
    if type_.startswith("set "):
        alone = one_each(names)

        def is_set(field: Any, value: int) -> bool:
            members = [names[i] for i in range(value.bit_length()) if value >> i & 1]
            if isinstance(field, list):
                named = _named(field)
                if named is None:
                    return False
                return set(named) == set(members) if alone else sorted(named) == sorted(members)
            return any(is_name(field, name) for name in members)

        return is_set
    if type_.startswith("bag "):

        def is_bag(field: Any, value: int) -> bool:
            pieces: Counter[str] = Counter()
            for member, count in bags.counts(value):
                pieces[names[member]] += count
            return _pieces(field) == pieces

        return is_bag

    def is_path(field: Any, value: int) -> bool:
        named = _named(field) if isinstance(field, list) else None
        return named == [names[stop] for stop in paths.stops(value, len(names)) if stop >= 0]

    return is_path


def one_each(names: Sequence[str]) -> bool:
    """Whether all entities have different names in the log; otherwise options are listed and compared."""
    return len(set(names)) == len(names)


def these(type_: str, field: Any, names: Sequence[str]) -> int | None:
    """The set, bag or path denoted by a value in a record, or None; names must be unique."""
    number = {name: i for i, name in enumerate(names)}
    pieces = _pieces(field) if type_.startswith("bag ") else None
    named = _named(field) if isinstance(field, list) else None
    if pieces is not None:
        known = all(name in number and count <= bags.MOST for name, count in pieces.items())
        return sum(bags.lot(count, number[name], len(names)) for name, count in pieces.items()) if known else None
    if named is None or any(name not in number for name in named):
        return None
    if type_.startswith("set "):
        return sum(1 << number[name] for name in named) if len(set(named)) == len(named) else None
    return paths.path_of([number[name] for name in named], len(names)) if len(named) <= paths.MAX_STOPS else None


def written(type_: str, value: int, names: Sequence[str]) -> list[str]:
    """The names in a set, a bag or a path, as a list in log form."""
    if type_.startswith("set "):
        return [names[i] for i in range(value.bit_length()) if value >> i & 1]
    if type_.startswith("bag "):
        return [names[member] for member, count in bags.counts(value) for _ in range(count)]
    return [names[stop] for stop in paths.stops(value, len(names)) if stop >= 0]


def _named(field: list[Any]) -> list[str] | None:
    """The names in a list; None where something else is in it."""
    if len(field) > MAX_ITEMS or not all(isinstance(name, str) or type(name) is int for name in field):
        return None
    return [str(name) for name in field]


def _pieces(field: Any) -> Counter[str] | None:
    """The pieces in a list of names, in numbers by names, or in one name; None of anything else."""
    if isinstance(field, dict):
        whole = len(field) <= MAX_ITEMS and all(type(count) is int and count >= 0 for count in field.values())
        return Counter({name: count for name, count in field.items() if count}) if whole else None
    named = _named(field if isinstance(field, list) else [field])
    return None if named is None else Counter(named)
