"""Cost attribution for work bounds: nested iterations over sets, and the definitions called within them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from rulespec.check.steps import Work
from rulespec.diagnostics.diagnostic import Label
from rulespec.language.paths import MAX_STOPS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, head_expressions, parts

_LOOPS = (typed.Each, typed.Reach, typed.Ways, typed.PathQuery, typed.Along, typed.OverSubsets)
_MOST_NOTES = 3
_Factor = tuple[int, str]


class Product(NamedTuple):
    """The product of iteration counts that accounts for most steps.

    Attributes:
        text: the factors, such as `48 x · 20 near · 31 step_cost`.
        notes: the products inside the definitions that it calls.
        paths: the forms with paths among its factors: `path`, `trail`, `longest`, or `along` for loops over a path.
    """

    text: str
    notes: tuple[Label, ...]
    paths: frozenset[str] = frozenset()


def dearest(work: Work, expressions: Sequence[typed.Expr], times: int = 1, name: str = "times") -> Product:
    """The costliest product of iteration counts in expressions evaluated `times` times; `name` labels that number."""
    return _product(work, [(times, name)], expressions)


def dearest_listing(work: Work, option: typed.OptionDef) -> Product:
    """The costliest product of iteration counts when all arguments of an option are enumerated."""
    factors: list[_Factor] = []
    ways: list[tuple[int, int, list[typed.Expr]]] = []
    times = 1
    for at, param in enumerate(option.params):
        ways.append((times, at, param.domain))
        many = work.values(param)
        factors.append((many, param.var.name))
        times *= many
        ways.append((times, at + 1, [param.where] if param.where is not None else []))
    ways.append((times, len(factors), head_expressions(option.head)))
    _, many, asked = max(ways, key=lambda way: way[0] * (1 + sum(map(work.of, way[2]))))
    product = _product(work, factors[:many], asked)
    walked = any(isinstance(param.low, typed.PathDomain) for param in option.params[:many])
    return product._replace(paths=product.paths | {"path"}) if walked else product


def _product(work: Work, outer: list[_Factor], asked: Sequence[typed.Expr]) -> Product:
    paths: set[str] = set()
    factors, called = _factors(work, asked, paths)
    text = _text([*outer, *factors])
    notes: list[Label] = []
    while called is not None and len(notes) < _MOST_NOTES:
        factors, inner = _factors(work, definition_expressions(called), paths)
        notes.append(Label(called.span, f"`{called.name}`: {_text(factors)}"))
        called = inner
    return Product(text, tuple(notes), frozenset(paths))


def _text(factors: Sequence[_Factor]) -> str:
    return " · ".join(f"{number:,} {name}" for number, name in factors if number > 1)


def _factors(work: Work, asked: Sequence[typed.Expr], paths: set[str]) -> tuple[list[_Factor], typed.Definition | None]:
    """The factors of the most expensive part of some expressions, and the definition of the last factor, if any; adds
    the forms with paths to `paths`.
    """
    factors: list[_Factor] = []
    while True:
        loops: list[typed.Expr] = []
        called: dict[typed.Definition | typed.Procedure, list[int]] = {}
        for e in _at_once(asked):
            if isinstance(e, typed.Call):
                called.setdefault(e.definition, []).append(work.of_definition(e.definition))
            elif isinstance(e, typed.Once):
                called.setdefault(e.procedure, []).append(work.of_procedure(e.procedure))
            elif isinstance(e, _LOOPS):
                loops.append(e)
        loop = max(loops, key=work.of, default=None)
        rule = max(called, key=lambda each: sum(called[each]), default=None)
        if loop is not None and (rule is None or work.of(loop) >= sum(called[rule])):
            more, asked = _dearest_of(work, loop)
            factors += more
            if more and isinstance(loop, typed.PathQuery | typed.Along):
                paths.add(loop.op if isinstance(loop, typed.PathQuery) else "along")
        elif rule is not None:
            factors += [(len(called[rule]), "times"), (called[rule][0], rule.name)]
            return factors, rule if isinstance(rule, typed.Definition) else None
        else:
            return [*factors, (sum(map(work.of, asked)), "steps")], None


def _at_once(asked: Iterable[typed.Expr]) -> Iterator[typed.Expr]:
    """Expressions and the parts evaluated once per evaluation; loops without their parts."""
    todo = [*asked]
    while todo:
        e = todo.pop()
        yield e
        if not isinstance(e, _LOOPS):
            todo += parts(e)


def _dearest_of(work: Work, loop: typed.Expr) -> tuple[list[_Factor], list[typed.Expr]]:
    """The most expensive part of a loop: its factors, and the expressions that they multiply."""
    ways: list[tuple[list[_Factor], list[typed.Expr]]] = []
    if isinstance(loop, typed.Each):
        b = loop.binder
        name = b.var.name
        ways.append(([], [x for x in (b.source, b.start, loop.default) if x is not None]))
        ways.append(([(work.sizes.of(b.source), name)], [b.where] if b.where is not None else []))
        results = [x for x in (loop.body, *b.keys) if x is not None]
        ways.append(([(work.sizes.matches(b), name)], results))
    elif isinstance(loop, typed.Reach):
        ways.append(([], [loop.start]))
        ways.append(([(work.sizes.kind(loop.var.type), loop.var.name)], [loop.step]))
    elif isinstance(loop, typed.PathQuery):
        near, looked = loop.paths.near, (work.beginnings(loop), "paths")
        ways.append(([], [loop.paths.start, *([loop.default] if loop.default is not None else [])]))
        ways.append(([looked], [near.source, *(x for x in (loop.where, loop.worth) if x is not None)]))
        asked = [x for x in (near.where, *loop.paths.uses, loop.paths.cost) if x is not None]
        ways.append(([looked, (work.sizes.of(near.source), near.var.name)], asked))
    elif isinstance(loop, typed.OverSubsets):
        ways.append(([], [loop.source, *([loop.default] if loop.default is not None else [])]))
        asked = [x for x in (loop.where, loop.body) if x is not None]
        ways.append(([(work.subsets(loop), loop.var.name)], asked))
    elif isinstance(loop, typed.Along):
        ways.append(([], [loop.path]))
        ways.append(([(MAX_STOPS, loop.var.name)], [x for x in (loop.where, loop.body) if x is not None]))
    elif isinstance(loop, typed.Ways):
        near, settled = loop.near, (work.sizes.kind(loop.var.type), loop.var.name)
        ways.append(([], [loop.start, *([loop.default] if loop.default is not None else [])]))
        ways.append(([settled], [near.source, loop.bound]))
        ways.append(([settled, (work.sizes.of(near.source), near.var.name)], [near.where] if near.where else []))
        ways.append(([settled, (work.sizes.matches(near), near.var.name)], [loop.cost]))
    return max(ways, key=lambda way: prod(many for many, _ in way[0]) * (1 + sum(map(work.of, way[1]))))
