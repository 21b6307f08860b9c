"""Help texts for new players: a title and a sentence about a place, a card, a space or a decision."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.records import Brief
from rulespec.rule_ids import cited, uncited
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk

_SENTENCES = 3
"""The number of sentences from the list of rules for a decision without a help text."""


class Help(Brief, Struct, frozen=True):
    """A help text: the title, the sentence, and the ids of its rules."""

    title: str
    text: str
    rules: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object in the first message of a table."""
        return {"title": self.title, "text": self.text, "rules": list(self.rules)}


def helps(words: Words, game: Game) -> dict[str, Help]:
    """The help texts of a ruleset, by subject; the game's position does not matter.

    A decision without a help text gets the sentences of the rules that it or its options cite; if there are none, it
    gets its docstring.
    """
    narrator = Narrator(words, game, None)
    results: dict[str, Help] = {}
    for name in words.help_names():
        text = words.text("help", name)
        sentence = narrator.event(text, []) if text is not None else None
        if sentence:
            title, rules = words.help_note(name)
            results[name] = Help(title or title_of(words, name), sentence, rules)
    listed = game.ruleset.listed
    for decision, (rules, doc) in _sources(game.ruleset).items():
        ids = tuple(id_ for id_ in rules if id_ in listed)[:_SENTENCES]
        sentence = " ".join(listed[id_].text for id_ in ids) or uncited(doc)
        if decision not in results and sentence:
            results[decision] = Help(words.decision(decision), sentence, ids)
    return results


def title_of(words: Words, name: str) -> str:
    """The title of a help text's subject, such as an entity or a decision."""
    d, (first, dot, rest) = words.ruleset.declarations, name.partition(".")
    kind = d.kinds.get(first)
    if kind is not None and rest in kind.index:
        return words.title(first, kind.index[rest], ())
    if first in words.decisions.options:
        return words.decision(rest or first)
    if dot:
        place = (d.pieces[first] if first in d.pieces else d.kinds[first]).places[rest]
        return words.place(first, rest, *((words.kind(place.index), place.index) if place.index else ()))
    return (
        words.kind(first)
        if kind is not None
        else words.pieces(first, [(k, words.kind(k)) for k in d.pieces[first].each])
    )


def _sources(ruleset: typed.Ruleset) -> dict[str, tuple[tuple[str, ...], str]]:
    """Decision → the rules cited by itself, or else by its options, or else by its procedure; and a docstring."""
    results: dict[str, tuple[tuple[str, ...], str]] = {}
    for procedure in ruleset.rules.procedures.values():
        for s in walk(procedure.body):
            if isinstance(s, typed.Decide) and s.name not in results:
                docs = (s.doc, " ".join(option.doc for option in s.options), procedure.doc)
                results[s.name] = next(filter(None, map(cited, docs)), ()), s.doc or procedure.doc
    return results
