"""Usual answers to decisions, from `usual` in `game.yaml`."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.decisions import offered, on_top
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Scalar, entries, get
from rulespec.typed import nodes as typed


def check_usual(c: Context) -> None:
    """Reads the usual answers, which are options without parameters, and never affect a game.

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
            _warn(c, decisions, place, answer)


def _warn(c: Context, decisions: dict[str, dict[str, typed.OptionDef]], decision: Scalar, answer: Scalar) -> None:
    """Warns of a usual answer without a matching decision or option."""
    options = decisions.get(decision.text)
    if options is None:
        hint, notes = nearest(decision.text, dict.fromkeys(decisions))
        c.report.warning("RS728", f"there is no decision `{decision.text}`", decision.span, notes=notes, help=hint)
        return
    free = [f"`{option.name}`" for option in options.values() if not option.params]
    has = f"it has {', '.join(free)}" if free else "each of its options has parameters"
    message = f"`{answer.text}` is not an option without parameters of `{decision.text}`: {has}"
    c.report.warning("RS728", message, answer.span, help="a usual answer must be possible at every position")
