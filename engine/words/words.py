"""The words of a ruleset in a language: titles of its declarations. `Narrator` adds words about a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import Report
from rulespec.engine.program.budget import Budget
from rulespec.engine.words.asked import Decisions
from rulespec.engine.words.program_words import ENGLISH, Word, program_words
from rulespec.engine.words.template import Filled, Hole, fill
from rulespec.engine.words.titles import Titles, TitleText, languages, read_titles, unknown_language
from rulespec.engine.words.valid_words import fitting_titles
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names, named, size
from rulespec.types import Ent, Maybe, Num, Type

Names = Literal["title", "id"]

_MAX_TITLES = 2_000
"""The maximum number of cached title lists, by kind and seat names."""


class Words:
    """Titles of a ruleset's declarations.

    Args:
        ruleset: a checked ruleset.
        language: one of `languages`; None for the ruleset's own.
        names: whether to show titles rather than ids.
        budget: a step budget shared by all narrators of these words and by measures; by default, a budget per text.
            Once the budget is exhausted, ids are shown.

    Raises:
        DiagnosticsError: RS534 if there is no such language; RS53x for mistakes in the word files.
    """

    def __init__(
        self, ruleset: typed.Ruleset, language: str | None = None, names: Names = "title", budget: Budget | None = None
    ) -> None:
        self.ruleset = ruleset
        self.budget = budget or Budget()
        self.names = names
        self._at_first = names
        self._shared = budget is not None
        report = Report()
        own = read_titles(ruleset, "", report)
        self.own_language = own.language
        self.language = own.language if language is None else language
        checked = [fitting_titles(ruleset, own, own, report)]
        if self.language != own.language:
            if self.language not in self.languages:
                raise unknown_language(ruleset, self.language, self.languages)
            checked.insert(0, fitting_titles(ruleset, read_titles(ruleset, self.language, report), own, report))
        report.raise_if_errors()
        self._read = checked
        self._titles: dict[tuple[object, ...], tuple[str, ...]] = {}
        self._words: dict[str, Word] = {}

    @cached_property
    def languages(self) -> list[str]:
        """All languages, the ruleset's own first."""
        return [self.own_language, *(name for name in languages(self.ruleset) if name != self.own_language)]

    @cached_property
    def decisions(self) -> Decisions:
        """The decisions of the rules."""
        return Decisions(self.ruleset)

    @property
    def own(self) -> Titles:
        """The content of the files in the ruleset's own language, which also declare actors and internal state."""
        return self._read[-1]

    def begin(self) -> None:
        """Starts a narration, with a new budget unless one is shared."""
        if not self._shared and self.budget.used:
            self.budget = Budget()
            if self.names != self._at_first:
                self.names = self._at_first
                self._titles.clear()

    def stop_telling(self) -> None:
        """Shows ids from now on."""
        self.names = "id"
        self._titles.clear()

    def too_long(self) -> tuple[Diagnostic, ...]:
        """The warning that texts and measures have exhausted their step budget; empty if they have not."""
        help_ = "simplify them: a state field or a fact costs one step, a loop one per member;"
        help_ += " beyond the limit, texts are shown as ids and measures are omitted"
        return self.budget.warnings("RS575", Severity.WARNING, "the words and measures of this game", help_)

    def text(self, section: str, name: str) -> TitleText | None:
        """The text from the language's files or, if they have none, from the files of the ruleset's own language; None
        if neither has one, or if ids are shown.

        The sections are the sections of word files; `each` has one text for all entities of a kind.
        """
        if self.names == "id":
            return None
        return next((read.texts[section, name] for read in self._read if (section, name) in read.texts), None)

    def offered(self, decision: str, option: str) -> TitleText | None:
        """The text of an option's button; None if the first language with a text for the option has none for its
        button.
        """
        name = f"{decision}.{option}"
        for read in self._read if self.names != "id" else ():
            if ("choices", name) in read.texts:
                return read.texts["choices", name]
            if ("options", name) in read.texts:
                return None
        return None

    @cached_property
    def has_causes(self) -> bool:
        """Whether there are texts for automatic effects."""
        sections = {section for read in self._read for section, _ in read.texts}
        return not sections.isdisjoint(("procedures", "resumed"))

    def plain(self, section: str, name: str, default: str) -> str:
        """A text without holes; the default if there is none."""
        text = self.text(section, name)
        return fill(text.other, lambda hole: Filled(hole)).text if text is not None else default

    # --- what is declared ----------------------------------------------------------------------

    @property
    def game(self) -> str:
        """The title of the game."""
        return next((read.title for read in self._read if read.title), self.ruleset.title)

    def word(self, name: str, number: int | None = None, /, **values: str) -> str:
        """A word of the program, such as `chance`; `values` fill its holes, and `number` selects singular or plural."""
        if name not in self._words:
            self._words[name] = self._word(name)
        return self._words[name].filled(number, values)

    def _word(self, name: str) -> Word:
        """A word from the files of each language, or else from the program; the ruleset's own language comes last."""
        languages_ = [self.language, self.own_language] if len(self._read) > 1 else [self.language]
        for read, language in zip(self._read, languages_, strict=True):
            text = read.texts.get(("words", name)) if self.names == "title" else None
            if text is not None:
                return Word(text.other, text.one)
            if name in (known := program_words(language)):
                return known[name]
        return program_words(ENGLISH)[name]

    def hidden(self, type_: Type | None = None) -> str:
        """The words for a hidden value, such as `a hidden card` for an entity; without a type, words that fit several
        values.
        """
        if isinstance(type_, Ent):
            return self.word("hidden_entity", kind=self.kind(type_.kind))
        return self.word("hidden_number" if isinstance(type_, Num | Maybe) else "hidden_value")

    def kind(self, name: str) -> str:
        """The title of a kind."""
        return self.plain("kinds", name, self._readable(name))

    def field(self, kind: str, name: str) -> str:
        """The title of a state field or an account; the kind is "" or `game` for fields of the game."""
        path = name if kind in ("", "game") else f"{kind}.{name}"
        return self.plain("fields", path, self._readable(name))

    def measure(self, name: str) -> str:
        """The title of a measure."""
        measure = self.ruleset.declarations.measures.get(name)
        return self.plain("measures", name, measure.title if measure is not None else self._readable(name))

    def measure_doc(self, name: str) -> str:
        """The description of a measure in a sentence; "" if there is none."""
        measure = self.ruleset.declarations.measures.get(name)
        return self.plain("measure_docs", name, measure.doc if measure is not None else "")

    def board(self, kind: str, title: str) -> str:
        """The heading of a board; `title` comes from the drawing."""
        return self.plain("boards", kind, title)

    def picture(self, doc: str) -> str:
        """The description of the picture for screen readers; `doc` comes from the drawing."""
        return next((read.picture for read in self._read if read.picture), doc)

    def ending(self, name: str) -> str:
        """The text of an ending."""
        return self.plain("endings", name, self._readable(name))

    def help_names(self) -> list[str]:
        """The subjects of the help texts, in file order."""
        names = [name for read in reversed(self._read) for section, name in read.texts if section == "help"]
        return list(dict.fromkeys(names)) if self.names != "id" else []

    def help_note(self, name: str) -> tuple[str, tuple[str, ...]]:
        """The title of a help text ("" if it has none), and the ids of its rules."""
        notes = [read.notes[name] for read in self._read if name in read.notes]
        rules = next((note.rules for note in notes if note.rules), ())
        return next((note.title for note in notes[:1]), ""), tuple(rule.text for rule in rules)

    def decision(self, name: str) -> str:
        """The title of a decision, independent of a position; bracketed parts are left out."""
        text = self.text("decisions", name)
        if text is None or any(isinstance(part, Hole) for part in text.other):
            return self._readable(name)
        return fill(text.other, lambda hole: Filled(hole, nothing=True)).text

    def amount(self, number: int, unit: str = "") -> str:
        """A number, with its unit if the files have words for it."""
        text = self.text("units", unit) if unit else None
        if text is None:
            return str(number)
        parts = text.one if text.one is not None and number == 1 else text.other
        return fill(parts, lambda _: Filled(str(number))).text

    def follows(self, unit: str) -> bool:
        """Whether the words of a unit follow its number, as in `2 pence`."""
        text = self.text("units", unit)
        return text is not None and isinstance(text.other[0], Hole)

    def names_unit(self, title: str, unit: str) -> bool:
        """Whether a title contains the words of a unit, such as `pence`."""
        text = self.text("units", unit) if unit else None
        words = "".join(part for part in text.other if isinstance(part, str)).strip() if text is not None else ""
        return bool(words) and f" {words} ".casefold() in f" {title} ".casefold()

    def place(self, pile: str, place: str, index: str = "", kind: str = "") -> str:
        """The title of a place of pieces or tokens; `index` is the title of its index entity, if it has one."""
        text = self.text("places", f"{pile}.{place}")
        if text is not None:
            return fill(text.other, lambda hole: Filled(index if hole == kind else hole)).text
        if self.names == "id":
            return f"{place}[{index}]" if index else place
        return f"{self._readable(place)} {index}".rstrip()

    def pieces(self, name: str, owners: Sequence[tuple[str, str]] = ()) -> str:
        """The title of a type of pieces; `owners` has the kind and title of each owner."""
        text = self.text("pieces", name)
        known = dict(owners)
        if text is not None:
            return fill(text.other, lambda hole: Filled(known.get(hole, hole))).text
        parts = [name, *known.values()] if self.names == "id" else [*known.values(), self._readable(name)]
        return " ".join(parts)

    def title(self, kind: str, number: int, seats: Mapping[str, str] | Sequence[str]) -> str:
        """The title of an entity, independent of a position; seats have their displayed names."""
        return self.titles(kind, seats)[number]

    def titles(self, kind: str, seats: Mapping[str, str] | Sequence[str]) -> tuple[str, ...]:
        """The titles of all entities of a kind; `seats` maps ids to displayed names."""
        names = named(seats)
        key = (kind, *names.items()) if kind in self._seated else (kind,)
        if key not in self._titles:
            if len(self._titles) >= _MAX_TITLES:  # people at many tables may choose any names
                del self._titles[next(iter(self._titles))]
            self._titles[key] = tuple(self._names(kind, names))
        return self._titles[key]

    @cached_property
    def _seated(self) -> frozenset[str]:
        """The kinds with seat names in their titles; the titles of all others are fixed."""
        kinds = self.ruleset.kinds

        def is_seated(name: str) -> bool:
            kind = kinds[name]
            return kind.by_seat or any(map(is_seated, (*kind.product, *(p.index for p in kind.sum_of if p.index))))

        return frozenset(filter(is_seated, kinds))

    def seat(self, id_: str, seats: Mapping[str, str]) -> str:
        """The displayed name of a seat; its id if ids are displayed."""
        return id_ if self.names == "id" else seats[id_]

    def _names(self, name: str, seats: Mapping[str, str]) -> list[str]:
        kinds = self.ruleset.kinds
        kind, ids = kinds[name], entity_names(kinds, name, tuple(seats))
        if self.names == "id":
            return list(ids)
        if kind.is_player:
            return list(seats.values())
        if kind.sum_of:
            return [text for place in kind.sum_of for text in self._of_place(kind, place, seats)]
        if kind.product:
            parts = [self.titles(part, seats) for part in kind.product]
            sizes = [size(kinds, part, len(seats)) for part in kind.product]
            return [self.plain("entities", f"{name}.{ids[n]}", _joined(parts, sizes, n)) for n in range(len(ids))]
        return [self.plain("entities", f"{name}.{entity.name}", entity.title) for entity in kind.entities]

    def _of_place(self, kind: typed.Kind, place: typed.PlaceDecl, seats: Mapping[str, str]) -> list[str]:
        pile = kind.name.rpartition(".")[0]
        if not place.index:
            return [self.place(pile, place.name)]
        return [self.place(pile, place.name, title, place.index) for title in self.titles(place.index, seats)]

    def _readable(self, name: str) -> str:
        return name if self.names == "id" else name.replace("_", " ")

    # --- what people are not shown -------------------------------------------------------------

    def internal(self, owner: str, name: str = "") -> bool:
        """Whether only the rules use a field of a kind (or of "game"), a type of pieces, or one of its places."""
        path = name if owner in ("", "game") else f"{owner}.{name}" if name else owner
        return path in self._internal or owner in self._internal

    @cached_property
    def _internal(self) -> frozenset[str]:
        """State without meaning for people: listed in the files, or an account with neither limit nor title."""
        d = self.ruleset.declarations
        fields = [*d.fields.values(), *(field for kind in d.kinds.values() for field in kind.state.values())]
        unlimited = {f"{f.kind}.{f.name}" if f.kind else f.name for f in fields if f.unlimited}
        titled = {name for section, name in self.own.texts if section == "fields"}
        return frozenset((unlimited - titled) | set(self.own.internal))


def _joined(parts: list[tuple[str, ...]], sizes: list[int], number: int) -> str:
    """The title of a composite entity."""
    results = []
    for titles, many in zip(reversed(parts), reversed(sizes), strict=True):
        results.append(titles[number % many])
        number //= many
    return " ".join(reversed(results))
