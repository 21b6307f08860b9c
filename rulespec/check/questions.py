"""Questions: numbers about finished games that a rule may affect, declared in `measures.yaml` and overlays."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.yaml_names import offered, on_top
from rulespec.diagnostics.suggestions import did_you_mean, either
from rulespec.documents.yaml_nodes import Scalar, entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk
from rulespec.types import Ent

GAME_NUMBERS = ("length", "margin", "wins", "lead_changes", "lead_taken", "widest_lead")
"""Numbers defined for every game; all others are measures."""
ENDING, USES = "ending", "uses"
"""Numbers about names in the rules: the share of games with an ending, the uses of an option per game."""
SHARES = ("wins", ENDING)
"""Numbers that are shares of all games."""
MANY = ("most", "least", "all")
"""Selections among measured entities: the one with the most, the one with the least, their sum."""
WINNER = "winner"


def check_questions(c: Context) -> None:
    """Resolves the questions for playtests."""
    for name, place, node in entries(get(c.source.root, "questions")):
        asks, of = get(node, "asks"), get(node, "of")
        if not isinstance(asks, Scalar):
            continue
        whose = of if isinstance(of, Scalar) else None
        if asks.text in GAME_NUMBERS:
            if whose is not None:
                message = f"`{asks.text}` is about the whole game, not about `{whose.text}`"
                c.report.error("RS577", message, whose.span, help="remove `of`")
                continue
        elif asks.text in (ENDING, USES):
            if not _named(c, asks, whose):
                continue
        elif not _measured(c, asks, whose):
            continue
        title = text(get(node, "title")) or name.replace("_", " ").capitalize()
        doc, matters = text(get(node, "doc")), int(text(get(node, "matters")) or 1)
        whose_text = whose.text if whose is not None else ""
        c.declarations.questions[name] = typed.Question(name, title, doc, asks.text, whose_text, matters, place.span)


def _named(c: Context, asks: Scalar, of: Scalar | None) -> bool:
    """Whether the rules have the ending or option that a question names.

    If a layer removes the subject of a question in a lower layer, the question is dropped.
    """
    if asks.text == ENDING:
        names = sorted(
            {s.ending for each in c.rules.procedures.values() for s in walk(each.body) if isinstance(s, typed.EndGame)}
        )
    else:
        decisions = offered(c.rules, chance=False)
        names = [f"{decision}.{option}" for decision, options in decisions.items() for option in options]
    wanted = of.text.partition("(")[0] if of is not None else ""
    if wanted in names:
        return True
    if c.report.ok and on_top(c, of or asks):
        what = "an ending" if asks.text == ENDING else "an option, such as `decision.option`"
        message = f"the question needs `of` with {what}"
        if of is not None:
            message = f"the rules have no {'ending' if asks.text == ENDING else 'option'} `{wanted}`"
        hint = did_you_mean(wanted, names) if of is not None else ""
        hint = hint or (f"write `of:` with {either(names[:8])}" if names else "remove the question")
        c.report.error("RS577", message, (of or asks).span, help=hint)
    return False


def _measured(c: Context, asks: Scalar, of: Scalar | None) -> bool:
    """Whether a question has a valid measure and subject; reports it otherwise."""
    d = c.declarations
    measure = d.measures.get(asks.text)
    if measure is None and any(name == asks.text for name, _, _ in entries(get(c.source.root, "measures"))):
        return False  # its error is reported elsewhere
    if measure is None:
        names = [*GAME_NUMBERS, ENDING, USES, *d.measures]
        hint = did_you_mean(asks.text, names) or f"write {either(names)}"
        c.report.error("RS577", f"there is no measure `{asks.text}`", asks.span, help=hint)
        return False
    c.reader.refer(asks, measure)
    kind = d.kinds[measure.var.type.kind] if measure.var is not None and isinstance(measure.var.type, Ent) else None
    if kind is None:
        if of is None:
            return True
        message = f"the measure `{asks.text}` is about the whole game, not about `{of.text}`"
        c.report.error("RS577", message, of.span, help="remove `of`")
        return False
    names = [*MANY, *([WINNER] if kind.name == d.player_kind else []), *(e.name for e in kind.entities)]
    if of is not None and of.text in names:
        c.reader.refer(of, *(kind.entities[at] for at in [kind.index.get(of.text)] if at is not None))
        return True
    if of is None:
        message = f"the measure `{asks.text}` is declared for every `{kind.name}`, so the question must name one"
    else:
        message = f"no `{kind.name}` is called `{of.text}`"
    hint = (did_you_mean(of.text, names) if of is not None else "") or f"write `of:` with {either(names[:8])}"
    c.report.error("RS577", message, (of or asks).span, help=hint)
    return False
