"""Sets, bags and paths in foreign logs: lists of names, or, for bags, also mappings from names to counts.

Members of sets and bags may be in any order; the stops of a path are in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulespec.language import bags, paths

MAX_ITEMS = 1_000
"""Maximum length of a list shared by several decisions, or of an option; a longer list counts as missing."""


def is_several(type_: str) -> bool:
    """Whether a parameter of this type is a set, a bag or a path."""
    return " " in type_


def is_name(field: Any, name: str) -> bool:
    """Whether a field equals a name, which may be recorded as a number."""
    return bool((str(field) if type(field) is int else field) == name)


def is_these(type_: str, names: Sequence[str]) -> Callable[[Any, int], bool]:
    """A predicate that tests whether a recorded value denotes a set, a bag or a path.

    Args:
        type_: the type of the value.
        names: the foreign names of the entities of its kind.

    Returns:
        The predicate. A record may give a set as the name of its only member, and may repeat members if names are
        unique.
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
    """Whether foreign names are unique; if they are not, options must be listed and compared."""
    return len(set(names)) == len(names)


def these(type_: str, field: Any, names: Sequence[str]) -> int | None:
    """The set, bag or path denoted by a value in a record; None if there is none. The names must be unique."""
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
    """The members of a set or bag, or the stops of a path, as a list of foreign names."""
    if type_.startswith("set "):
        return [names[i] for i in range(value.bit_length()) if value >> i & 1]
    if type_.startswith("bag "):
        return [names[member] for member, count in bags.counts(value) for _ in range(count)]
    return [names[stop] for stop in paths.stops(value, len(names)) if stop >= 0]


def _named(field: list[Any]) -> list[str] | None:
    """The names in a list; None if it contains anything else."""
    if len(field) > MAX_ITEMS or not all(isinstance(name, str) or type(name) is int for name in field):
        return None
    return [str(name) for name in field]


def _pieces(field: Any) -> Counter[str] | None:
    """Name → count from a mapping, a list of names, or a single name; None for anything else."""
    if isinstance(field, dict):
        whole = len(field) <= MAX_ITEMS and all(type(count) is int and count >= 0 for count in field.values())
        return Counter({name: count for name, count in field.items() if count}) if whole else None
    named = _named(field if isinstance(field, list) else [field])
    return None if named is None else Counter(named)
