"""The reasons why options are illegal: the first failing condition with its values, or a path's first wrong step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.option import Labels, Option, Refusal, RulesetFaultError
from rulespec.engine.program import ir
from rulespec.engine.program.domains import Several, members, ways_of
from rulespec.language.paths import MAX_STOPS, Break, PathForm, broken, is_path, listed
from rulespec.rule_ids import cited

_TRIED = 200
"""Maximum number of argument tuples tried per option."""
Value = Callable[[ir.Expr, tuple[int, ...]], int]
"""A function that evaluates an expression with its first slots filled."""


def refused(reason: str, span: Span | None = None) -> Refusal:
    """A refusal for a reason that is not a condition of the rules."""
    return Refusal(reason, (), "", {}, span)


def stood_for(listed: Option, span: Span) -> Refusal:
    """The refusal of a legal option that is not listed because an interchangeable token represents its token."""
    return refused(f"`{listed}` is listed instead: the tokens are alike", span)


def why_not(value: Value, labels: Labels, choice: ir.Choice, args: Sequence[int], slots: int) -> Refusal:
    """The reason why an illegal option is illegal.

    Args:
        value: a function that evaluates an expression in the game's position.
        labels: the displayed names.
        choice: the option, at the open decision.
        args: the arguments of the option.
        slots: the number of slots for the program's expressions.
    """
    bound = [0] * slots
    for param, arg in zip(choice.params, args, strict=True):
        if not in_domain(value, param, arg, tuple(bound)):
            return _out_of_domain(value, labels, param, arg, tuple(bound))
        bound[param.slot] = arg
        if param.where is not None and not value(param.where.expr, tuple(bound)):
            return failed(value, labels, param.where, tuple(bound))
    for condition in choice.requires:
        if not _holds(value, condition, bound):
            return failed(value, labels, condition, tuple(bound))
    return _by_rule("chance never takes this", "", {}, choice.span)


def why_never(value: Value, labels: Labels, choice: ir.Choice, slots: int) -> list[str]:
    """The reasons why an option of the open decision is never legal, one line per reason, with an example."""
    results = []
    for args, refusal, number in never(value, labels, choice, slots):
        more = f", and {number - 1} more" if number > 1 else ""
        results.append(f"{with_arguments(labels, choice, args)}: {refusal}{more}")
    return results


def with_arguments(labels: Labels, choice: ir.Choice, args: Sequence[int]) -> str:
    """The text of an option with the given arguments, or with its first few arguments if the rest are missing."""
    shown = ", ".join(labels.show(p.type, a) for p, a in zip(choice.params, args, strict=False))
    return f"{choice.name}({shown})" if shown else choice.name


def never(value: Value, labels: Labels, choice: ir.Choice, slots: int) -> list[tuple[tuple[int, ...], Refusal, int]]:
    """The reasons why an option is never legal, each as example arguments, refusal and number of occurrences.

    The arguments end at the first parameter that has no value or whose value is refused.
    """
    reasons: dict[str, tuple[tuple[int, ...], Refusal, int]] = {}
    for args, refusal in islice(_refusals(value, labels, choice, slots), _TRIED):
        first, example, number = reasons.get(refusal.reason, (args, refusal, 0))
        reasons[refusal.reason] = (first, example, number + 1)
    return list(reasons.values())


def why_not_with(
    value: Value, labels: Labels, choice: ir.Choice, at: int, arg: int, slots: int
) -> tuple[tuple[int, ...], Refusal] | None:
    """The reason why an option is never legal with a given argument, as example arguments and their refusal.

    None if the option can be legal, or if none of the arguments tried shows a reason.

    Args: those of `why_not`, and
        at: the number of the parameter.
        arg: the argument of that parameter.
    """
    param = choice.params[at]
    if at == 0:
        if not in_domain(value, param, arg, (0,) * slots):
            return (arg,), _out_of_domain(value, labels, param, arg, (0,) * slots)
        bound = [0] * slots
        bound[param.slot] = arg
        if param.where is not None and not value(param.where.expr, tuple(bound)):
            return (arg,), failed(value, labels, param.where, tuple(bound))
    refusals = islice(_refusals(value, labels, choice, slots, (arg,) if at == 0 else ()), _TRIED)
    return next((each for each in refusals if len(each[0]) > at and each[0][at] == arg), None)


def _refusals(
    value: Value, labels: Labels, choice: ir.Choice, slots: int, args: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Refusal]]:
    """The argument tuples of an illegal option within their domains, each with its refusal."""
    bound = [0] * slots
    for param, arg in zip(choice.params, args, strict=False):
        bound[param.slot] = arg
    if len(args) == len(choice.params):
        for condition in choice.requires:
            if not _holds(value, condition, bound):
                yield args, failed(value, labels, condition, tuple(bound))
                return
        return
    param = choice.params[len(args)]
    members: Iterable[int]
    low = value(param.low, tuple(bound)) if param.walk is None else 0
    if param.walk is not None:
        members = listed(_ways(value, param.walk, bound), _TRIED)[0]
    elif param.several is not None:
        least, most = (value(e, tuple(bound)) for e in param.several)
        members = islice(Several(low, least, most, bag=param.is_bag), _TRIED)
    elif param.high is None:
        members = (n for n in range(low.bit_length()) if low >> n & 1)
    else:
        members = range(low, value(param.high, tuple(bound)) + 1)
    empty = True
    for member in chain(members, () if param.none is None else (param.none,)):
        empty = False
        bound[param.slot] = member
        if param.where is not None and not value(param.where.expr, tuple(bound)):
            yield (*args, member), failed(value, labels, param.where, tuple(bound))
        else:
            yield from _refusals(value, labels, choice, slots, (*args, member))
    if empty:
        high = f" .. {value(param.high, tuple(bound))}" if param.high is not None else ""
        values = {param.text: f"{labels.show(param.type, low)}{high}"} if high or param.several is not None else {}
        reason = f"there is no `{param.name}` in {param.text}"
        if param.several is not None:
            reason = f"there are not {param.text}"
        yield args, _by_rule(reason, param.text, values, param.span)


def conditions_held(value: Value, choice: ir.Choice, args: Sequence[int], slots: int) -> Iterator[tuple[bool, ir.Expr]]:
    """For each condition of an option, whether it holds, and its expression; stops at the first condition without a
    value.

    The arguments are those of `why_not`. A parameter's domain, its `where` and each `require` are separate conditions.
    """
    bound = [0] * slots
    try:
        for param, arg in zip(choice.params, args, strict=True):
            domain = param.low if param.walk is None else param.walk.onward
            yield in_domain(value, param, arg, tuple(bound)), domain
            bound[param.slot] = arg
            if param.where is not None:
                yield bool(value(param.where.expr, tuple(bound))), param.where.expr
        for condition in choice.requires:
            yield _holds(value, condition, bound), condition.expr
    except RulesetFaultError:  # conditions after a failed one need not have a value
        return


def _holds(value: Value, condition: ir.Condition, bound: list[int]) -> bool:
    """Whether a condition of an option holds; stores the names that it binds in their slots."""
    for slot, named in condition.lets:
        bound[slot] = value(named, tuple(bound))
    return bool(value(condition.expr, tuple(bound)))


def in_domain(value: Value, param: ir.Param, arg: int, bound: tuple[int, ...]) -> bool:
    """Whether a value is in a parameter's domain, before its `where`."""
    if arg == param.none:
        return True
    if param.walk is not None:
        return is_path(_ways(value, param.walk, bound), arg)
    low = value(param.low, bound)
    if param.several is not None:
        return arg in Several(low, *(value(e, bound) for e in param.several), bag=param.is_bag)
    if param.high is None:
        return arg >= 0 and bool(low >> arg & 1)
    return low <= arg <= value(param.high, bound)


def _ways(value: Value, walk: ir.PathSearch, bound: Sequence[int]) -> PathForm:
    """The paths in a parameter's domain, given the preceding arguments."""
    slots = [*bound, *[0] * (5 + len(walk.uses))]
    return ways_of(walk, slots, lambda e: value(e, tuple(slots)))


def _out_of_domain(value: Value, labels: Labels, param: ir.Param, arg: int, bound: tuple[int, ...]) -> Refusal:
    """The refusal of a value outside a parameter's domain; `bound` holds the preceding arguments."""
    shown = labels.show(param.type, arg)
    if param.walk is not None and (place := broken(_ways(value, param.walk, bound), arg)) is not None:
        return _by_rule(path_reason(labels, param, place), param.text, {param.name: shown}, param.span)
    within = "is not" if param.several is not None else "is not in"
    reason = param.reason or f"`{shown}` {within} {param.text}"
    return _by_rule(reason, param.text, {param.name: shown}, param.span)


def failed(value: Value, labels: Labels, condition: ir.Condition, bound: tuple[int, ...]) -> Refusal:
    """The refusal for a failed condition."""
    seen = {}
    for shown in condition.shown:
        args = [labels.show(a.type, value(a.expr, bound)) for a in shown.args]
        single = f" once {shown.after}({', '.join(args)})" if shown.after else ""
        seen[shown.text + single] = labels.show(shown.type, value(shown.expr, bound))
    return _by_rule(condition.reason, condition.text, seen, condition.span)


def _by_rule(reason: str, condition: str, values: dict[str, str], span: Span) -> Refusal:
    return Refusal(reason, cited(reason), condition, values, span)


def path_reason(labels: Labels, param: ir.Param, place: Break) -> str:
    """The reason why a path is refused, as text; preceded by the rules' own reason if that reason concerns only the
    path.
    """
    reason = _said(labels, param, place)
    return f"{param.reason}: {reason}" if param.reason and param.where is None else reason


def _said(labels: Labels, param: ir.Param, place: Break) -> str:
    assert param.walk is not None
    kind = param.type.removeprefix("path ")

    def named(entity: int, of: str = kind) -> str:
        return f"`{labels.show(of, entity)}`"

    if place.part == "steps":
        return f"a path has at least one step, and at most {MAX_STOPS} stops"
    if place.part == "until":
        onward = ", ".join(named(entity) for entity in members(place.amount, 0))
        return f"the path does not end at {named(place.way.at)}: it goes on to {onward}"
    if place.part == "from":
        return f"no path begins at {named(place.to)}"
    ends = f"from {named(place.way.at)} to {named(place.to)}"
    if place.part == "to":
        return f"no step leads {ends}"
    if place.part == "once":
        of = param.walk.use_kinds[place.use]
        return f"the step {ends} uses {', '.join(named(entity, of) for entity in members(place.amount, 0))} again"
    left = place.way.left
    return f"the step {ends} counts {place.amount}, but only {left} {'is' if left == 1 else 'are'} left"
