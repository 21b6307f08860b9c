"""The page with all rules of a game: titles, help texts, listed sentences, docstrings, and changes by house rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import escape
from itertools import pairwise

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diff import RULES, Difference, diff
from rulespec.documents.yaml_nodes import Mapping, get, text
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.words.helps import Help, helps
from rulespec.engine.words.template import Hole, Template
from rulespec.engine.words.words import Words
from rulespec.load import load_source
from rulespec.pages.document import document, own_file
from rulespec.rule_ids import cited, uncited
from rulespec.ruleset_files import files_at
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk

_SAID = 6
"""The maximum number of docstring sentences below one rule."""
_OF_FAMILY = 0.45
"""The least share of a file's citations for which the file gives its name to a family of rules."""
_LINES = 12
"""The maximum number of lines shown of a changed rule."""


class Change(Struct, frozen=True):
    """A change made by a house rule: the overlay's title, a sentence, and the ids of the affected rules."""

    by: str
    text: str
    lines: tuple[str, ...]
    rules: tuple[str, ...]


class HouseRule(Struct, frozen=True):
    """An overlay: its title, and its doc or, if it has none, the paths that it changes."""

    title: str
    doc: str
    changes: list[str] = []


def rules_page(ruleset: typed.Ruleset, language: str | None = None) -> str:
    """The page with all rules of a ruleset, for reading and printing: one file without scripts.

    Args:
        ruleset: the ruleset, with its overlays.
        language: the language of titles, help texts and words; None for the ruleset's language. Listed rules are not
            translated.

    Raises:
        DiagnosticsError: if there are no words in that language.
    """
    words = Words(ruleset, language)
    named = words.help_names()
    at_hand = {name: each for name, each in helps(words, _any_game(ruleset)).items() if name in named} if named else {}
    changes = list(_changes(ruleset, words))
    said = _said(ruleset, words)
    body = [
        f"<h1>{escape(words.game)}</h1>",
        f'<p class="faint">{escape(f"{ruleset.ref} {ruleset.version}")}</p>',
        *_house(ruleset, changes),
        *_at_hand(at_hand),
        *_chapters(ruleset, said, changes),
    ]
    if not ruleset.listed:
        body += _own_words(said)
    styles = [own_file("rules.css")]
    title = f"{words.game}: {words.word('table_rules')}"
    return document(title, language=words.language, styles=styles, body="\n".join(body), data={}, scripts=[])


def _any_game(ruleset: typed.Ruleset) -> Game:
    """A game with the least number of players for which a game can start.

    Raises:
        DiagnosticsError: if there is none.
    """
    least, most = ruleset.players
    for number in range(least, most):
        with suppress(DiagnosticsError):
            return Game(ruleset, seat_names(number, ruleset.seats))
    return Game(ruleset, seat_names(most, ruleset.seats))


# --- house rules ----------------------------------------------------------------------------------


def house_rules(ruleset: typed.Ruleset) -> list[HouseRule]:
    """The overlays on a ruleset, lowest first."""
    layers, results = ruleset.layers, []
    own = max(layer for file, layer in layers.items() if file.rpartition("/")[2] == "game.yaml")
    over = [file for file, layer in layers.items() if layer > own and file.endswith(".yaml")]
    for file in sorted(over, key=layers.__getitem__):
        root = parse_yaml(ruleset.sources[file], file)
        if title := text(get(root, "title")):
            doc, changes = text(get(root, "doc")), get(root, "changes")
            paths = list(changes.entries) if isinstance(changes, Mapping) and not doc else []
            results.append(HouseRule(title, doc, paths))
    return results


def _changes(ruleset: typed.Ruleset, words: Words) -> Iterator[Change]:
    """The changes made by each overlay of the reference to the layers below it."""
    place = ruleset.place
    parts = place.parts(ruleset.reference)
    sources = [
        load_source("+".join(parts[:n]), Report(), files_at(place), lints=False) for n in range(1, len(parts) + 1)
    ]
    for before, after in pairwise(sources):
        title = after.titles[-1] if after.titles else after.overlays[-1]
        for each in diff(before, after):
            ids = each.rules or _near(each, ruleset)
            yield Change(title, *_in_words(each, words), ids)
        for id_, rule in after.listed.items():
            if id_ not in before.listed or before.listed[id_].text != rule.text:
                yield Change(title, rule.text, (), (id_,))


def _in_words(each: Difference, words: Words) -> tuple[str, tuple[str, ...]]:
    """A difference as a sentence; for a rule without a describing docstring, also its text."""
    name = each.keys[-1].replace("_", " ")
    if each.section != RULES:
        path = " · ".join(key.replace("_", " ") for key in each.keys[1:] if key not in ("entities", "facts", "rows"))
        if each.kind != "changed":
            return f"{path}: {each.kind}", ()
        return f"{path}: {_value(each.old, words)} → {_value(each.new, words)}", ()
    note = uncited(each.note)
    lines = str(each.new if each.new is not None else each.old or "").split("\n")
    return f"{name} ({each.kind}){f': {note}' if note else ''}", () if note else tuple(lines[:_LINES])


def _value(value: object, words: Words) -> str:
    """A fact's value, shortened, with its unit in words."""
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    number, _, unit = shown.partition(" ")
    if number.isdecimal() and unit in words.ruleset.declarations.units:
        return words.amount(int(number), unit)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"


def _near(each: Difference, ruleset: typed.Ruleset) -> tuple[str, ...]:
    """The ids cited beside a changed constant or table in the rules: on its lines, or in the docstring above."""
    if each.section != "tables" or len(each.keys) < 2:
        return ()
    name = re.compile(rf"\b{re.escape(each.keys[1])}\b")
    beside, around = dict[str, None](), dict[str, None]()
    for file, source in ruleset.sources.items():
        above: tuple[str, ...] = ()
        for line in source.split("\n") if file.endswith(".rules") else ():
            ids = cited(line)
            if line.strip().startswith('"') and ids:
                above = ids
            if name.search(line):
                beside |= dict.fromkeys(ids)
                around |= dict.fromkeys(above)
    return tuple(beside or around)


def _house(ruleset: typed.Ruleset, changes: list[Change]) -> Iterator[str]:
    """The house rules, which come first on the page."""
    docs = {rule.title: rule.doc for rule in house_rules(ruleset)}
    for title in dict.fromkeys([*docs, *(change.by for change in changes)]):
        yield f'<section class="house"><h2>{escape(title)}</h2><p>{escape(docs.get(title, ""))}</p><ul>'
        for change in changes:
            if change.by == title:
                links = ", ".join(map(_link, change.rules))
                code = f"<pre>{escape(chr(10).join(change.lines))}</pre>" if change.lines else ""
                yield f"<li>{escape(change.text)}{f' <small>{links}</small>' if links else ''}{code}</li>"
        yield "</ul></section>"


# --- rules ----------------------------------------------------------------------------------------


def _at_hand(at_hand: dict[str, Help]) -> Iterator[str]:
    """The help texts, each with links to its rules."""
    if at_hand:
        yield '<section class="helps"><dl>'
        for each in at_hand.values():
            links = ", ".join(map(_link, each.rules))
            yield f"<dt>{escape(each.title)}</dt><dd>{escape(each.text)} <small>{links}</small></dd>"
        yield "</dl></section>"


def _chapters(ruleset: typed.Ruleset, said: dict[str, list[str]], changes: list[Change]) -> Iterator[str]:
    """The listed rules by family of their ids, under the name of the file that cites most of them."""
    files = Counter(
        (id_.rpartition("-")[0], file.rpartition("/")[2].removesuffix(".rules"))
        for file, source in ruleset.sources.items()
        if file.endswith(".rules")
        for id_ in cited(source)
    )
    cites = Counter(file for (_, file), number in files.items() for _ in range(number))
    family = ""
    for id_, rule in ruleset.listed.items():
        if id_.rpartition("-")[0] != family:
            family = id_.rpartition("-")[0]
            names = [(number / cites[name], name) for (of, name), number in files.items() if of == family]
            share, name = max(names, default=(0, ""))
            heading = name.replace("_", " ").capitalize() if share >= _OF_FAMILY else ""
            yield f"<h2>{escape(heading)} <small>{escape(family)}</small></h2>"
        own = [change for change in changes if id_ in change.rules]
        editions = f" <small>({escape(', '.join(rule.editions))})</small>" if rule.editions else ""
        yield f'<article id="{escape(id_)}"{" class=changed" if own else ""}>'
        yield f"<p><b>{escape(id_)}</b> {escape(rule.text)}{editions}</p>"
        yield from (f'<p class="house">{escape(each.by)}: {escape(each.text)}</p>' for each in own)
        if notes := said.get(id_, [])[:_SAID]:
            yield f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>"
        yield "</article>"


def _own_words(said: dict[str, list[str]]) -> Iterator[str]:
    """The rules of a ruleset without a list: its docstrings."""
    notes = dict.fromkeys(note for of in said.values() for note in of)
    yield f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>"


def _link(id_: str) -> str:
    return f'<a href="#{escape(id_)}">{escape(id_)}</a>'


def _said(ruleset: typed.Ruleset, words: Words) -> dict[str, list[str]]:
    """Id → the sentences of docstrings and reasons that cite it, with their subjects; "" for those without an id."""
    results: dict[str, list[str]] = {}
    for subject, doc in _docs(ruleset, words):
        sentence = uncited(doc)
        note = ": ".join(part for part in (subject, sentence) if part)
        for id_ in cited(doc) or ("",):
            if note and note not in results.setdefault(id_, []):
                results[id_].append(note)
    return results


def _docs(ruleset: typed.Ruleset, words: Words) -> Iterator[tuple[str, str]]:
    """All docstrings and reasons of the rules, each with its subject's title."""
    rules = ruleset.rules
    for procedure in rules.procedures.values():
        sentence = words.text("procedures", procedure.name)
        title = _plain(sentence.other) if sentence is not None else ""
        yield title, procedure.doc
        for s in walk(procedure.body):
            if isinstance(s, typed.Remark):
                yield title, s.doc
            if isinstance(s, typed.Decide):
                yield words.decision(s.name), s.doc
                for option in s.options:
                    offered = words.offered(s.name, option.name) or words.text("options", f"{s.name}.{option.name}")
                    subject = _plain(offered.other) if offered is not None else words.decision(option.name)
                    yield from ((subject, doc) for doc in _of_option(option))
    yield from (("", rule.doc) for rule in rules.definitions.values())
    yield from (("", rule.doc) for rule in rules.invariants.values())
    if rules.scoring is not None:
        yield words.word("points_head"), rules.scoring.doc


def _of_option(option: typed.OptionDef) -> Iterable[str]:
    """The docstring of an option, and the reasons for refusing it."""
    yield option.doc
    yield from (param.reason for param in option.params if param.reason)
    for part in option.head:
        if isinstance(part, typed.Requirement | typed.Cost) and part.reason:
            yield part.reason


def _plain(template: Template) -> str:
    """A text without its holes: dots in place of values, and nothing in place of brackets."""
    shown = "".join("…" if isinstance(p, Hole) else p if isinstance(p, str) else "" for p in template)
    return shown.replace(" (…)", "")
