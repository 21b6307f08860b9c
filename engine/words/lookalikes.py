"""Look-alikes: entities with indistinguishable titles."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.engine.words.template import Filled, fill
from rulespec.engine.words.titles import Titles
from rulespec.typed import nodes as typed
from rulespec.types import Ent


def warn_of_lookalikes(ruleset: typed.Ruleset, titles: Titles, own: Titles, report: Report) -> None:
    """Warns if two entities of a kind have titles that differ only in case, accents or spaces.

    There is no warning if each owner has entities with the same titles, since these are never offered together.

    Args:
        ruleset: the ruleset.
        titles: the words of a language.
        own: the default words, used for titles that the language lacks.
        report: the report that receives the warnings.
    """
    for kind in ruleset.declarations.kinds.values():
        if kind.is_player or kind.nameless or kind.product or kind.sum_of:
            continue
        seen: dict[str, tuple[str, str, Span, bool]] = {}
        called = list(_titles(kind, titles, own))
        if _has_one_set_each(kind, [_look(title) for _, title, _, _ in called]):
            continue
        for name, title, span, written in called:
            first = seen.setdefault(_look(title), (name, title, span, written))
            if first[0] != name and (written or first[3] or titles is own):
                _warn(report, kind, first[:3], (name, title, span))


def _has_one_set_each(kind: typed.Kind, looks: list[str]) -> bool:
    """Whether a fact divides a kind into sides that each have the same titles, without duplicates."""
    for fact in kind.facts.values():
        if isinstance(fact.type, Ent):
            parts: dict[int, list[str]] = {}
            for value, look in zip(fact.values, looks, strict=True):
                parts.setdefault(value, []).append(look)
            sets = [sorted(part) for part in parts.values()]
            if len(sets) > 1 and len(set(sets[0])) == len(sets[0]) > 1 and all(part == sets[0] for part in sets):
                return True
    return False


def _titles(kind: typed.Kind, titles: Titles, own: Titles) -> Iterator[tuple[str, str, Span, bool]]:
    """The name of each entity, its title and place, and whether the language has it."""
    for entity in kind.entities:
        key = ("entities", f"{kind.name}.{entity.name}")
        text = titles.texts.get(key) or own.texts.get(key)
        if text is None:
            yield entity.name, entity.title, entity.span, False
        else:
            yield entity.name, fill(text.other, lambda hole: Filled(hole)).text, text.node.span, key in titles.texts


def _warn(report: Report, kind: typed.Kind, first: tuple[str, str, Span], second: tuple[str, str, Span]) -> None:
    (name, title, span), (other, other_title, at) = first, second
    called = f"both are called `{title}`" if title == other_title else f"called `{title}` and `{other_title}`"
    message = f"people cannot tell the {kind.name} `{other}` from `{name}`: {called}"
    help_ = "give one of them a title that differs in more than case, accents and spaces"
    report.warning("RS860", message, at, notes=[Label(span, f"the title of `{name}`")], help=help_)


def _look(title: str) -> str:
    """A title as it looks at a glance, without case, accents and blanks."""
    letters = unicodedata.normalize("NFKD", title).casefold()
    return "".join(c for c in letters if unicodedata.category(c) not in ("Mn", "Cf") and not c.isspace())
