"""Limits on the steps of an expression; nested definition calls and nested iterations over sets multiply them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

from rulespec.check.context import Context
from rulespec.check.dearest import Product, dearest, dearest_listing
from rulespec.check.measures import SCORE
from rulespec.check.set_sizes import SetSizes
from rulespec.check.steps import Work
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.language.paths import MAX_PATHS
from rulespec.language.several import MAX_SEVERAL
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import (
    called,
    definition_expressions,
    expressions,
    expressions_by_rule,
    head_expressions,
    rings,
    secrecies,
    statement_expressions,
    walk,
)
from rulespec.typed.seat_kinds import size
from rulespec.types import FAST_MEMBERS, MAX_STEPS

MAX_WORK = 10**7
"""Maximum number of steps of one expression, or of a value of positions for all players, estimated from kind sizes."""
MAX_LISTING_WORK = 10**12
"""Maximum number of steps of all conditions of a decision's options, over all arguments; play counts the actual
steps."""
MAX_INVARIANT_WORK = 10**7
"""Maximum number of steps of all invariants together."""
MAX_START_WORK = 3 * 10**6
"""Maximum number of steps of all start values, over all numbers of players."""
MAX_CHECK_WORK = 10**6
"""Maximum number of steps of all checks of facts, for all entities."""
MAX_POINTS_WORK = 10**6
"""Maximum number of steps for the points of all players, estimated from the sizes of kinds."""
MAX_MEASURE_WORK = 10**6
"""Maximum number of steps of all measures, for all entities."""


_HELP = (
    "declare the maximum size of sets that are smaller than their kinds, `def few(p: player) -> set item at most 10:`, "
    "or name a value with `let` instead of computing it twice"
)
_FEWER = "allow fewer steps (`within n`) or fewer targets (`where c`), or let nothing repeat (`once y`)"
_OF_PATHS = {
    "path": f"{_FEWER}: each path is an option",
    "longest": f"{_FEWER}: `longest` visits each path and its beginnings",
    "trail": f"{_FEWER}; if things may be used twice, `reach(x from s: t)` visits each stop once",
    "along": "a loop along a path counts as 64 steps, the most that a path has: name its value with `let`, outside "
    "other loops",
}
"""The ways out for forms with paths."""
_HELP_OF_SEVERAL = f"limit the number chosen, as in `choose 0 .. min(3, n) of …`, or {_HELP}"


def check_work(c: Context) -> None:
    """Warns of expressions and nested calls that may exceed the step limit."""
    work = Work(SetSizes(c.declarations, c.ranges.values))
    _check_members(c)
    # Callees come first: callers of a reported definition are not reported as well.
    for definition in _by_depth(c.rules):
        shown = partial(dearest, work, definition_expressions(definition))
        name = f"the definition `{definition.name}`"
        if not _check(c, work.of_definition(definition), name, definition.span, shown):
            return
    for guard in c.rules.guards.values():
        for e in head_expressions(guard.head):
            _check(c, work.of(e), "this", e.span, partial(dearest, work, [e]))
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for e in statement_expressions(s):
                _check(c, work.of(e), "this", e.span, partial(dearest, work, [e]))
            steps = 0
            for option in s.options if isinstance(s, typed.Decide) else ():
                if isinstance(s, typed.Decide) and s.form != "chance":
                    _check_several(c, work, option)
                steps += work.of_listing(option)
                name = f"listing the option `{option.name}`"
                shown = partial(dearest_listing, work, option)
                several = any(p.several is not None and work.values(p) >= MAX_SEVERAL for p in option.params)
                help_ = _HELP_OF_SEVERAL if several else _HELP
                if not _check(c, steps, name, option.span, shown, MAX_LISTING_WORK, help_):
                    break
    _check_searches(c, work)
    _check_totals(c, work)
    _check_rings(c, work)


def _check_totals(c: Context, work: Work) -> None:
    """Reports start values, checks and invariants that may take too many steps in total."""
    total = 0
    for times, value in _starts(c.declarations, work):
        total += times * work.of(value)
        shown = partial(dearest, work, [value], times)
        name = "the start values, with every number of players,"
        if not _check(c, total, name, value.span, shown, MAX_START_WORK):
            break
    total = 0
    for check in c.declarations.checks:
        times, asked = work.sizes.kind(check.var.type), [e for e in (check.where, check.that) if e is not None]
        total += times * sum(map(work.of, asked))
        shown = partial(dearest, work, asked, times, check.var.name)
        if not _check(c, total, "the checks of all entities together", check.span, shown, MAX_CHECK_WORK):
            break
    total = 0
    for secrecy in secrecies(c.declarations, c.rules):
        times = prod(work.sizes.kind(var.type) for var in secrecy.at)
        asked = [e for e in (secrecy.to, secrecy.open) if e is not None]
        total += times * sum(map(work.of, asked))
        name = "the viewers of private values, for all entities together,"
        if not _check(c, total, name, secrecy.span, partial(dearest, work, asked, times), MAX_CHECK_WORK):
            break
    total = 0
    for measure in c.declarations.measures.values():
        times = work.sizes.kind(measure.var.type) if measure.var is not None else 1
        total += times * work.of(measure.value)
        name = f"the measure `{measure.name}`, with those before it, for all entities"
        if not _check(c, total, name, measure.span, partial(dearest, work, [measure.value], times), MAX_MEASURE_WORK):
            break
    for worth in c.declarations.values.values():  # bots evaluate one of them
        times = work.sizes.kind(worth.var.type) if worth.var is not None else 1
        shown = partial(dearest, work, [worth.value], times)
        name = f"the value `{worth.name}`, for all players,"
        _check(c, times * work.of(worth.value), name, worth.span, shown)
    total = 0
    for invariant in c.rules.invariants.values():
        total += work.of(invariant.condition)
        name = f"the invariant `{invariant.name}`, with those before it,"
        shown = partial(dearest, work, [invariant.condition])
        if not _check(c, total, name, invariant.span, shown, MAX_INVARIANT_WORK):
            break


def _check_rings(c: Context, work: Work) -> None:
    """Warns of recursive procedures that may take too long without a decision."""
    known = rings(c.rules)
    for ring in {id(ring): ring for ring in known.values()}.values():
        if any(isinstance(s, typed.Decide) for p in called(ring) for s in walk(p.body)):
            continue
        deep = sum(p.deep or 0 for p in ring)
        calls, steps = work.of_ring(ring)
        if steps * sum(calls**level for level in range(deep)) > MAX_STEPS:
            first = next(p for p in ring if p.deep is not None)
            power = f"{calls:,} calls in each, {deep} deep: {steps:,} · {calls:,}^{deep - 1}"
            message = f"`{first.name}` may take more than {MAX_STEPS:,} steps without a decision: {power} steps"
            help_ = (
                "reduce its recursive calls or its depth, or add a decision; if the state ends the calls sooner, as in "
                "a chain that reaches each place once, accept it: `# accept: RS422 each place once`"
            )
            c.report.warning("RS422", message, first.deep_span or first.span, help=help_)


def _check_several(c: Context, work: Work, option: typed.OptionDef) -> None:
    """Warns of a parameter with more sets or paths than are listed, if their number is known."""
    for p in option.params:
        if isinstance(p.low, typed.PathDomain) and (least := work.paths(p.low)) > MAX_PATHS:
            message = f"`{p.var.name}` has {least:,} possible paths, but at most {MAX_PATHS:,} are listed"
            help_ = "allow fewer steps or targets: neither pages nor bots list this many options"
            c.report.warning("RS418", message, p.low.span, notes=(Label(option.span, "the option"),), help=help_)
        if p.several is None or not isinstance(p.low, typed.Lit | typed.KindSet | typed.Fact):
            continue
        if (number := work.ways(p)) > MAX_SEVERAL:
            message = f"`{p.var.name}` has {number:,} possible sets, but at most {MAX_SEVERAL:,} are listed"
            help_ = "choose fewer members, or from a smaller set: neither pages nor bots list this many options"
            c.report.warning("RS418", message, p.low.span, notes=(Label(option.span, "the option"),), help=help_)


def _check_searches(c: Context, work: Work) -> None:
    """Warns of a `longest` search over more paths than are visited, if their number is known."""
    for e in (e for group in expressions_by_rule(c.rules) for e in group if isinstance(e, typed.PathQuery)):
        if e.op == "longest" and (least := work.paths(e.paths)) > MAX_PATHS:
            message = f"there are {least:,} paths, but `longest` tries at most {MAX_PATHS:,}"
            help_ = "allow fewer steps or targets, or restrict reuse: `once y`, `once line[x, y]`"
            c.report.warning("RS360", message, e.paths.span, help=help_)


def _check_members(c: Context) -> None:
    """Warns of the largest kind if it has too many members for fast sets in wasm."""
    d = c.declarations
    sizes = {kind.name: size(d.kinds, kind.name, d.max_players) for kind in d.kinds.values()}
    largest = max(sizes, key=sizes.__getitem__, default="")
    if largest and sizes[largest] > FAST_MEMBERS:
        message = f"`{largest}` has {sizes[largest]:,} members, but sets of more than {FAST_MEMBERS:,} are slow in wasm"
        help_ = "split the kind, or count indistinguishable entities instead of listing them"
        c.report.warning("RS880", message, d.kinds[largest].span, help=help_)


def _check(
    c: Context,
    steps: int,
    name: str,
    span: Span,
    shown: Callable[[], Product],
    most: int = MAX_WORK,
    help_: str = _HELP,
) -> bool:
    if steps > most:
        product = shown()
        help_ = next((text for form, text in _OF_PATHS.items() if form in product.paths), help_)
        message = f"{name} may take more than {most:,} steps: {product.text}"
        c.report.warning("RS411", message, span, notes=product.notes, help=help_)
    return steps <= most


def _starts(d: typed.Declarations, work: Work) -> list[tuple[int, typed.Expr]]:
    """The start values and capacities, with the number of evaluations of each over all numbers of players."""
    games = d.max_players - d.min_players + 1
    fields = [*d.fields.values(), *(f for k in d.kinds.values() for f in k.state.values())]
    times = [work.sizes.kind(field.at.type) if field.at is not None else 1 for field in fields]
    starts = [(games * n, field.start) for field, n in zip(fields, times, strict=True) if field.start is not None]
    for placement in d.placements:
        each = [work.sizes.kind(key.type) for key in placement.keys if isinstance(key, typed.Var)]
        starts.append((prod(each) * (games if placement.players is None else 1), placement.value))
    places = [place for kind in d.kinds.values() for place in kind.places.values()]
    each = [work.sizes.kind(place.var.type) if place.var is not None else 1 for place in places]
    starts += [(games * times, p.at_most) for p, times in zip(places, each, strict=True) if p.at_most is not None]
    return starts


def _by_depth(rules: typed.Rules) -> list[typed.Definition]:
    """The definitions, callees first."""
    depth: dict[typed.Definition, int] = {}

    def of(definition: typed.Definition) -> int:
        if definition not in depth:
            called = [
                e.definition
                for r in definition_expressions(definition)
                for e in expressions(r)
                if isinstance(e, typed.Call)
            ]
            depth[definition] = 1 + max((of(d) for d in called), default=0)
        return depth[definition]

    return sorted(rules.definitions.values(), key=of)


def check_points(c: Context) -> None:
    """Removes the implicit points measure if evaluating it may be slow. The rules must not be recursive."""
    scoring, measure = c.rules.scoring, c.declarations.measures.get(SCORE)
    if scoring is None or measure is None or measure.span != scoring.span:
        return
    work = Work(SetSizes(c.declarations, c.ranges.values))
    if work.sizes.kind(scoring.var.type) * work.of(scoring.score) > MAX_POINTS_WORK:
        del c.declarations.measures[SCORE]
