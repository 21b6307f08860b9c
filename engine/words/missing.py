"""The parts of a ruleset that lack words in a language."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.diagnostics.report import Report
from rulespec.engine.words.program_words import ENGLISH, program_words
from rulespec.engine.words.titles import Key, languages, read_titles, unknown_language
from rulespec.engine.words.valid_words import fitting_titles
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.types import BagOf, Ent, Order, PathOf, SetOf


def shown(words: Words) -> list[Key]:
    """The texts that a table displays, as pairs of section and name in word files."""
    return list(dict.fromkeys(_shown(words)))


def _shown(words: Words) -> Iterator[Key]:
    d, seen = words.ruleset.declarations, _kinds(words)
    for unit in d.units:
        yield "units", unit
    for name, field in d.fields.items():
        if not words.internal("", name):
            yield "fields", field.name
    yield from (("measures", name) for name in d.measures)
    for kind in d.kinds.values():
        if not kind.nameless:
            yield from _of_kind(words, kind, kind.name in seen)
    for piece in d.pieces.values():
        if not words.internal(piece.name):
            yield "pieces", piece.name
            yield from _places(words, piece.name, piece.places)
    for decision, options in words.decisions.options.items():
        yield "decisions", decision
        yield from (("options", f"{decision}.{option}") for option in options)
    for ending in words.decisions.endings:
        yield "endings", ending


def _kinds(words: Words) -> set[str]:
    """The kinds named by texts: those with state, of pieces and places, or of displayed values.

    A combination without a text of its own names its parts.
    """
    d = words.ruleset.declarations
    seen = {kind.name for kind in d.kinds.values() if kind.state or kind.places}
    piles: list[typed.PieceDecl | typed.Kind] = [
        *d.pieces.values(),
        *(kind for kind in d.kinds.values() if kind.places),
    ]
    seen |= {place.index for pile in piles for place in pile.places.values()}
    seen |= {kind for piece in d.pieces.values() for kind in piece.each}
    fields = [("", field) for field in d.fields.values()]
    fields += [(kind.name, field) for kind in d.kinds.values() for field in kind.state.values()]
    options = [o for options in words.decisions.options.values() for o in options.values()]
    types = [field.type for owner, field in fields if not words.internal(owner, field.name)]
    types += [p.var.type for o in options for p in o.params]
    seen |= {type_.kind for type_ in types if isinstance(type_, Ent | SetOf | Order | BagOf | PathOf)}
    joined = [kind for kind in d.kinds.values() if kind.name in seen and words.text("each", kind.name) is None]
    return seen | {part for kind in joined for part in kind.product}


def _of_kind(words: Words, kind: typed.Kind, seen: bool) -> Iterator[Key]:
    if seen and words.text("each", kind.name) is not None:
        yield "each", kind.name
    elif seen and not kind.product and not kind.is_player:
        yield from (("entities", f"{kind.name}.{entity}") for entity in kind.index)
    state = [field for field in kind.state.values() if not words.internal(kind.name, field.name)]
    if state:
        yield "kinds", kind.name
    yield from (("fields", f"{kind.name}.{field.name}") for field in state)
    yield from _places(words, kind.name, kind.places)


def _places(words: Words, pile: str, places: dict[str, typed.PlaceDecl]) -> Iterator[Key]:
    yield from (("places", f"{pile}.{place}") for place in places if not words.internal(pile, place))


def missing(ruleset: typed.Ruleset, language: str | None = None) -> tuple[list[Key], list[Key]]:
    """The keys without a text in a language's files, and all possible keys.

    The program's own words are included if they are not available in the language. In the ruleset's own language,
    entities and measures have titles from their declarations.

    Raises:
        DiagnosticsError: see `Words`.
    """
    words = Words(ruleset)
    wanted = shown(words)
    wanted += [key for key in words.own.texts if key[0] in ("choices", "help")]
    if not program_words(words.own_language if language is None else language):
        wanted += [("words", name) for name in program_words(ENGLISH)]
    if language is None or language == words.own_language:
        declared = {key for key in wanted if key[0] in ("entities", "measures")}
        return [key for key in wanted if key not in words.own.texts and key not in declared], wanted
    if language not in languages(ruleset):
        raise unknown_language(ruleset, language, words.languages)
    report = Report()
    result = fitting_titles(ruleset, read_titles(ruleset, language, report), words.own, report)
    report.raise_if_errors()
    return [key for key in wanted if key not in result.texts], wanted
