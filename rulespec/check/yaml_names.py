"""Names of rules in YAML: the start procedure, and decisions with dead ends, usual answers, weights or former names.

All of these except the start procedure are read only if the rule bodies are valid, so that every decision is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import did_you_mean, either, nearest
from rulespec.documents.yaml_nodes import Scalar, entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def offered(rules: typed.Rules, *, chance: bool = True) -> dict[str, dict[str, typed.OptionDef]]:
    """The decisions by name, optionally including chance; each contains its options by name."""
    results: dict[str, dict[str, typed.OptionDef]] = {}
    for decision in (s for procedure in rules.procedures.values() for s in walk(procedure.body)):
        if isinstance(decision, typed.Decide) and (chance or decision.form != "chance"):
            results.setdefault(decision.name, {}).update({option.name: option for option in decision.options})
    return results


def on_top(c: Context, place: Scalar) -> bool:
    """Whether a place belongs to the top layer."""
    layers = c.source.layers
    top = max(layers.values(), default=0)
    return layers.get(place.span.file, top) == top


def check_start(c: Context) -> None:
    """Finds the start procedure of a game; reports it if it is missing, has parameters or returns a value."""
    node = get(c.source.root, "game", "start")
    c.start = name = text(node, "play")
    span = node.span if node is not None else c.source.root.span
    procedure = c.rules.procedures.get(name)
    if procedure is None:
        hint, notes = nearest(name, {p.name: p.span for p in c.rules.procedures.values()})
        c.report.error("RS221", f"no procedure is called `{name}`", span, notes=notes, help=hint)
    elif procedure.params:
        notes = (Label(procedure.span, "declared here"),)
        c.report.error("RS226", f"the game starts with `{name}`, which must take no parameters", span, notes=notes)
    elif procedure.result is not None:
        notes = (Label(procedure.result_span or procedure.span, "declared here"),)
        c.report.error("RS262", f"the game starts with `{name}`, which must not return a value", span, notes=notes)
    if procedure is not None and node is not None:
        c.declarations.refer(span, procedure)


def check_dead_ends(c: Context) -> None:
    """Reads the declared dead ends; each must be the name of a decision."""
    declared = list(entries(get(c.source.root, "game", "dead_ends")))
    if not declared:
        return
    statements = (s for procedure in c.rules.procedures.values() for s in walk(procedure.body))
    decisions = {s.name: s.span for s in statements if isinstance(s, typed.Decide)}
    for name, place, reason in declared:
        if name in decisions:
            c.declarations.dead_ends[name] = text(reason)
        else:
            hint, notes = nearest(name, decisions)
            message = f"`{name}` cannot be a dead end: there is no such decision"
            c.report.error("RS720", message, place.span, notes=notes, help=hint)


def check_usual(c: Context) -> None:
    """Reads the usual answers, which are options without parameters and never affect a game.

    An upper layer that removes decisions need not remove their usual answers.
    """
    declared = list(entries(get(c.source.root, "game", "usual")))
    if not declared:
        return
    decisions = offered(c.rules)
    for name, place, answer in declared:
        if not isinstance(answer, Scalar):
            continue
        option = decisions.get(name, {}).get(answer.text)
        if option is not None and not option.params:
            c.declarations.usual[name] = answer.text
        elif on_top(c, place):
            _warn_of_answer(c, decisions, place, answer)


def _warn_of_answer(
    c: Context, decisions: dict[str, dict[str, typed.OptionDef]], decision: Scalar, answer: Scalar
) -> None:
    """Warns of a usual answer without a matching decision or option."""
    options = decisions.get(decision.text)
    if options is None:
        hint, notes = nearest(decision.text, dict.fromkeys(decisions))
        c.report.warning("RS728", f"there is no decision `{decision.text}`", decision.span, notes=notes, help=hint)
        return
    free = [option.name for option in options.values() if not option.params]
    message = f"`{decision.text}` has no option `{answer.text}` without parameters"
    help_ = f"write {either(free)}" if free else "remove this usual answer: every option has parameters"
    c.report.warning("RS728", message, answer.span, help=help_)


def check_playouts(c: Context) -> None:
    """Reads the weights of options in playouts, which never affect a game.

    An upper layer that removes decisions need not remove their weights.
    """
    declared = list(entries(get(c.source.root, "playouts")))
    if not declared:
        return
    decisions = offered(c.rules, chance=False)
    for name, place, node in declared:
        if name not in decisions:
            _warn_of_weight(c, f"players have no decision `{name}`", place, decisions)
            continue
        for option, own_place, weight in entries(node):
            if option in decisions[name]:
                c.declarations.playouts.setdefault(name, {})[option] = int(text(weight))
            else:
                _warn_of_weight(c, f"the decision `{name}` has no option `{option}`", own_place, decisions[name])


def _warn_of_weight(c: Context, message: str, place: Scalar, names: Iterable[str]) -> None:
    if on_top(c, place):
        hint, notes = nearest(place.text, dict.fromkeys(names))
        c.report.warning("RS579", message, place.span, notes=notes, help=hint)


def check_was(c: Context) -> None:
    """Reads the former names for migrating recorded games; they never affect a game."""
    declared = list(entries(get(c.source.root, "game", "was")))
    if not declared:
        return
    d, was = c.declarations, c.declarations.was
    options: dict[str, set[str]] = {}
    for procedure in c.rules.procedures.values():
        for decision in (s for s in walk(procedure.body) if isinstance(s, typed.Decide)):
            options.setdefault(decision.name, set()).update(option.name for option in decision.options)
    entities = {kind.name: {entity.name for entity in kind.entities} for kind in d.kinds.values()}
    for path, place, old in declared:
        if not isinstance(old, Scalar):
            continue
        name, _, part = path.partition(".")
        if part in options.get(name, ()):
            was.options[name, old.text] = part
            today: Collection[str] = options[name]
        elif part in entities.get(name, ()):
            was.entities[name, old.text] = part
            today = entities[name]
        elif path in options:
            was.decisions[old.text] = path
            today = options
        elif path in d.settings:
            was.settings[old.text] = path
            today = d.settings
        else:
            if on_top(c, place):
                names = [*options, *d.settings, *(f"{k}.{n}" for k, of in (options | entities).items() for n in of)]
                hint = did_you_mean(path, names) or "write a decision, `decision.option`, `kind.entity` or a setting"
                c.report.error(
                    "RS729", f"a former name is given for `{path}`, which does not exist", place.span, help=hint
                )
            continue
        if old.text in today:
            message = f"`{old.text}` is in use, so it cannot be a former name of `{path}`"
            c.report.error("RS729", message, old.span, help="write a name that is no longer in use, or remove it")
