"""`rulespec playtest --without OPTION[:SEAT]`: a game in which one option is forbidden, for all seats or for one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import click
from msgspec import Struct

from rulespec.check.yaml_names import offered
from rulespec.cli.failing_game import write_into
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.foreign_files import bytes_of
from rulespec.ruleset_files import MAX_YAML
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk
from rulespec.types import Ent

_FORM = re.compile(r"(?:([a-z][a-z0-9_]*)\.)?([a-z][a-z0-9_]*)(?:\(([a-z0-9_-]+)\))?(?::([A-Za-z][A-Za-z0-9_]*))?")
_OVERLAY = 'id: {id}\ntitle: "{title}"\nfor: {base}\nversion: "1"\n'
_RULES = 'change option {option} of {place}:\n    require {condition} "{reason}"\n'
_HEAD = re.compile(r"(?:\w+ )?(options|decide|draft|decision) (\w+)")
_LISTED = 12


class Without(Struct, frozen=True):
    """A forbidden option.

    Attributes:
        text: the option as typed.
        decision: the decision; empty means the only decision that has the option.
        option: the option.
        argument: its only argument; empty means any argument.
        seat: the restricted seat; empty means all seats.
    """

    text: str
    decision: str
    option: str
    argument: str
    seat: str


class OptionPlace(NamedTuple):
    """An option of a ruleset, with the decision that offers it."""

    decision: typed.Decide
    option: typed.OptionDef


def without_of(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[Without, ...]:
    """Parses options such as `move.castle:A`."""
    results = []
    for text in value:
        form = _FORM.fullmatch(text)
        if form is None:
            message = f"`{text[:80]}` is not of the form DECISION.OPTION, OPTION(ARGUMENT) or OPTION:SEAT"
            raise click.BadParameter(message)
        results.append(Without(text, *(part or "" for part in form.groups())))
    return tuple(results)


def overlay(without: Without, ruleset: typed.Ruleset, seats: tuple[str, ...], folder: Path) -> Path:
    """Writes the overlay that forbids an option.

    Args:
        without: the option.
        ruleset: the game.
        seats: its seats.
        folder: the folder for the overlay.

    Raises:
        click.BadParameter: if the option, argument or seat does not exist, or the decision has no other option.
        click.ClickException: if the overlay cannot be written.
    """
    at = _place(without, ruleset)
    conditions = [*_argument(without, at, ruleset), *_seat(without, at, ruleset, seats)]
    if not conditions and len(offered(ruleset.rules)[at.decision.name]) == 1 and at.decision.otherwise is None:
        raise _wrong(f"`{without.option}` is the only option of `{at.decision.name}`, so it cannot be excluded")
    id_ = re.sub(r"[^a-z0-9]+", "_", f"without_{without.text}".lower()).strip("_")
    title = f"without {without.text}"
    condition = f"not ({' and '.join(conditions)})" if conditions else "false"
    rules = _RULES.format(option=at.option.name, place=_offers(at), condition=condition, reason=title)
    write_into(folder, f"{id_}.rules", rules)
    return write_into(folder, f"{id_}.yaml", _OVERLAY.format(id=id_, title=title, base=ruleset.id)).resolve()


def _place(without: Without, ruleset: typed.Ruleset) -> OptionPlace:
    """The place of the option in the rules."""
    decisions = [
        s
        for procedure in ruleset.rules.procedures.values()
        for s in walk(procedure.body)
        if isinstance(s, typed.Decide) and s.form != "chance"
    ]
    places = [OptionPlace(decision, option) for decision in decisions for option in decision.options]
    fitting = [p for p in places if p.option.name == without.option and without.decision in ("", p.decision.name)]
    names = list(dict.fromkeys(f"{p.decision.name}.{p.option.name}" for p in fitting or places))
    if not fitting:
        wanted = f"{without.decision}.{without.option}".strip(".")
        known = names if without.decision else list(dict.fromkeys(p.option.name for p in places))
        hint = (
            did_you_mean(wanted, known)
            or f"the options are {', '.join(names[:_LISTED])}{', …' * (len(names) > _LISTED)}"
        )
        raise _wrong(f"there is no option `{wanted}`; {hint}")
    if len(names) > 1:
        raise _wrong(f"several decisions have the option `{without.option}`: write one of {', '.join(names)}")
    return fitting[0]


def _argument(without: Without, at: OptionPlace, ruleset: typed.Ruleset) -> list[str]:
    """The condition that the option has the given argument."""
    if not without.argument:
        return []
    if len(at.option.params) != 1:
        raise _wrong(
            f"`{at.option.name}` has {len(at.option.params)} arguments, but a value can be excluded only from one"
        )
    var = at.option.params[0].var
    if isinstance(var.type, Ent):
        kind = ruleset.declarations.kinds.get(var.type.kind)
        names = [] if kind is None else [each.name for each in kind.entities]
        if without.argument not in names:
            hint = did_you_mean(without.argument, names) or f"its values are {', '.join(names[:_LISTED])}"
            raise _wrong(f"no `{var.type.kind}` is called `{without.argument}`; {hint}")
        return [f"{var.name} == {var.type.kind}.{without.argument}"]
    return [f"{var.name} == {without.argument}"]


def _seat(without: Without, at: OptionPlace, ruleset: typed.Ruleset, seats: tuple[str, ...]) -> list[str]:
    """The condition that the given seat decides."""
    if not without.seat:
        return []
    if without.seat not in seats:
        raise _wrong(f"there is no seat `{without.seat}`; the seats are {', '.join(seats)}")
    by = at.option.by or at.decision.by
    kind = ruleset.declarations.player_kind
    if at.option.by is None and at.decision.each is not None:
        decider = at.decision.each.var.name
    elif by is None or not (isinstance(by.type, Ent) and by.type.kind == kind):
        raise _wrong(
            f"`{at.decision.name}` is open to several seats at once: exclude the option for all, without `:SEAT`"
        )
    else:
        decider = _text(by.span)
    return [f"({decider}) == first(restricted in {kind} where restricted.index == {seats.index(without.seat)})"]


def _offers(at: OptionPlace) -> str:
    """The name of the decision, or of the option group, that contains the option."""
    lines = _lines(at.option.span.file)[: at.option.span.line]
    indent = len(lines[-1]) - len(lines[-1].lstrip())
    for line in reversed(lines[:-1]):
        inner = len(line) - len(line.lstrip())
        if line.strip() and inner < indent:
            head = _HEAD.match(line.strip())
            return head[2] if head is not None and head[1] == "options" else at.decision.name
    return at.decision.name


def _text(span: Span) -> str:
    """The source text of an expression."""
    lines = _lines(span.file)[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(line.strip() for line in lines)


def _lines(file: str) -> list[str]:
    """The lines of a rules file."""
    return bytes_of(Path(file), MAX_YAML.size).decode("utf-8").splitlines()


def _wrong(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--without")
