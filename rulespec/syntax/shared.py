"""Options inside `with …:` and `when …:`, which share parameters and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from rulespec.syntax import ast


def members(options: Iterable[ast.Member]) -> Iterator[ast.OptionDef | ast.Name]:
    """The options and included groups of a decision, at any depth, in source order."""
    todo = [*options][::-1]
    while todo:
        member = todo.pop()
        if isinstance(member, ast.Shared):
            todo += reversed(member.options)
        else:
            yield member


def mapped(options: Iterable[ast.Member], change: Callable[[ast.OptionDef], ast.OptionDef]) -> tuple[ast.Member, ...]:
    """The members of a decision with `change` applied to each option."""
    results: list[ast.Member] = []
    for member in options:
        if isinstance(member, ast.OptionDef):
            member = change(member)
        elif isinstance(member, ast.Shared):
            member = replace(member, options=mapped(member.options, change))
        results.append(member)
    return tuple(results)


def spread(
    options: Iterable[ast.Member], groups: Callable[[ast.Name], Iterable[ast.Member]]
) -> Iterator[ast.OptionDef]:
    """The options of a decision, each with the shared parameters and conditions around it.

    Args:
        options: the members of the decision.
        groups: the function from an included group's name to its members; nested groups are skipped.
    """
    for member in options:
        if isinstance(member, ast.OptionDef):
            yield member
        elif isinstance(member, ast.Name):
            yield from spread(groups(member), lambda _: ())
        else:
            conditions = [ast.Require(member.span, e, member.reason) for e in (member.condition,) if e is not None]
            for option in spread(member.options, groups):
                yield replace(option, params=(*member.params, *option.params), body=(*conditions, *option.body))
