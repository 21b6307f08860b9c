"""The tables of a code store: the rules, seats and settings of games, and the meaning of the numbers in their codes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from rulespec.bundles.packed_bundle import Bundle, Contents, unpacked
from rulespec.bundles.place import InBundle
from rulespec.bundles.rules import ruleset_in
from rulespec.check.measures import declares_measures
from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.text_files import read_text
from rulespec.documents.written_files import write_text
from rulespec.engine.corpus.ruleset_words import NamedMeasure, measures_of, score_unit
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.carried import beside, write_beside
from rulespec.engine.lower.layout import NUMBERS
from rulespec.engine.search.recorded_rows import Coder
from rulespec.load import load_ruleset
from rulespec.references import parts_of
from rulespec.ruleset_files import files_at
from rulespec.typed import nodes as typed

VERSION = 1
FOLDER = "tables"
MAX_BYTES = 8_000_000
MAX_NAME = 400
SOUGHT = "position_sought"
"""The measure added by `Tables.seeking`."""
_OVERLAY = "overlays/position_sought.yaml"


class CodedOption(Struct, frozen=True):
    """The number, decision, name and parameter types of an option."""

    number: int
    decision: str
    option: str
    types: tuple[str, ...]


class CodeTable(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The rules, seats and settings of games, with the meaning of the numbers in their codes.

    Attributes:
        rulespec_codes: the version of the format.
        ruleset: the reference of the rules, as ids.
        ruleset_hash: the hash of the rules' meaning.
        sources_hash: the hash of the rules' texts, which locates their bundle in the folder `rules`.
        numbers: the version of the numbering.
        players: the number of seats.
        settings: all settings.
        width: the length of a code, which consists of option, seat and arguments.
        options: the options of the program.
        names: kind → the names of its entities, by number.
        title: the title of the ruleset.
        unit: the unit of the scores; empty for plain numbers.
        measures: the measures of the ruleset.
    """

    rulespec_codes: int
    ruleset: str
    ruleset_hash: str
    sources_hash: str
    numbers: int
    players: int
    settings: dict[str, str]
    width: int
    options: tuple[CodedOption, ...]
    names: dict[str, tuple[str, ...]]
    title: str = ""
    unit: str = ""
    measures: tuple[NamedMeasure, ...] = ()

    @classmethod
    def of(cls, game: Game) -> CodeTable:
        """The table of a game, with default seat ids."""
        coder, labels, rules = Coder(game), game.omniscient.labels, game.ruleset
        decisions = game.omniscient.program.decisions
        options = [
            CodedOption(number, decisions[d].name, choice.name, tuple(q.type for q in choice.params))
            for number, (d, k) in enumerate(coder.options)
            for choice in [decisions[d].choices[k]]
            if coder.number(d, k) == number
        ]
        names = {kind: tuple(of) for kind, of in labels.names.items()}
        settings = dict(game.settings)
        return cls(
            VERSION,
            rules.ref,
            rules.hash,
            rules.sources_hash,
            NUMBERS,
            len(game.seats),
            settings,
            coder.width,
            tuple(options),
            names,
            rules.title,
            score_unit(rules),
            measures_of(rules),
        )

    @cached_property
    def decisions(self) -> tuple[str, ...]:
        """The decision and name of each option by number, such as `turn.take`; "" for unused numbers."""
        names = {option.number: f"{option.decision}.{option.option}" for option in self.options}
        return tuple(names.get(number, "") for number in range(max(names, default=-1) + 1))

    @cached_property
    def key(self) -> str:
        """The name of the table: 16 hex digits of a hash of its meaning, which is independent of wording."""
        data = [self.ruleset_hash, self.numbers, self.players, self.settings, self.width]
        data += [[tuple(msgspec.structs.astuple(option)) for option in self.options], self.names]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def table_game(ruleset: typed.Ruleset, players: int, settings: Mapping[str, str]) -> Game:
    """A game at a table, with default seat ids."""
    return Game(ruleset, seat_names(players, ruleset.seats), settings, "python")


class Tables:
    """The tables of a store.

    Args:
        folder: the store.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, CodeTable] = {}

    def add(self, table: CodeTable, rules: Bundle) -> None:
        """Writes a table and its rules, unless they already exist.

        Raises:
            OSError: if they cannot be written.
        """
        if table.key in self._tables:
            return
        folder = self._folder / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{table.key}.json"
        if not path.exists():
            write_beside(self._folder, rules)
            write_text(path, msgspec.json.format(msgspec.json.encode(table), indent=1).decode() + "\n")
        self._tables[table.key] = table

    def read(self, key: str) -> CodeTable:
        """Reads a table by name.

        Raises:
            DiagnosticsError: RS601, RS602 if it cannot be read; RS605 if it has a different version; RS607 if it is not
                a table, or not the table with this name.
        """
        if key in self._tables:
            return self._tables[key]
        path = self._folder / FOLDER / f"{key}.json"
        place, help_ = Span(str(path), 1, 1, 1, 2), "import the games again"
        if not key.isalnum() or len(key) > MAX_NAME:
            raise failure("RS607", f"{shown(key[:80])} is not a valid table name", place, help_)
        text = read_text(path, str(path), MAX_BYTES)
        try:
            table = msgspec.json.decode(text, type=CodeTable)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            raise failure("RS607", f"{shown(str(path))} is not a table of codes", place, help_) from None
        if table.rulespec_codes != VERSION or table.numbers != NUMBERS:
            message = f"{shown(str(path))} numbers decisions differently from this version of Rulespec"
            raise failure("RS605", message, place, help_)
        if table.key != key:
            raise failure(
                "RS607", f"{shown(str(path))} has been changed: it now contains the table {table.key}", place, help_
            )
        self._tables[key] = table
        return table

    def bundle(self, table: CodeTable) -> Bundle:
        """The rules of a table.

        Raises:
            DiagnosticsError: RS601, RS602 or RS656 to RS659 if the store does not have the rules, or they are damaged.
        """
        bundle = beside(self._folder, table.sources_hash)
        if bundle is None:
            message = f"{shown(str(self._folder))} lacks the rules {shown(table.sources_hash[:16])}"
            raise failure("RS601", message, None, "import the games again")
        return bundle

    def game(self, table: CodeTable) -> Game:
        """A game at a table, under the table's rules.

        Raises:
            DiagnosticsError: see `bundle`; RS659 if its rules are not the table's.
        """
        return self._checked(table, ruleset_in(self.bundle(table)))

    def seeking(self, table: CodeTable, expression: str) -> Game:
        """A game at a table, with an additional measure of players that is 1 if an expression in the rules language
        holds.

        Bots do not use the measure as a value, since it is unrelated to the aim of the game.

        Raises:
            DiagnosticsError: see `game`; also if the expression has errors.
        """
        bundle = self.bundle(table)
        own = self._checked(table, ruleset_in(bundle)).ruleset
        contents = unpacked(bundle, Span(str(self._folder), 1, 1, 1, 2))
        of = own.declarations.player_kind
        measure = {"title": "Sought", "of": of, "value": f"1 if ({expression}) and {of} == {of} else 0"}
        overlay = {"id": SOUGHT, "title": "Sought", "version": "1", "for": parts_of(table.ruleset)[0]}
        added = {f"measures.{SOUGHT}": measure} if declares_measures(own) else {"measures": {SOUGHT: measure}}
        text = json.dumps(overlay | {"add": added})
        more = Contents(
            [*contents.reference, _OVERLAY], contents.rulesets, contents.rules | {_OVERLAY: text}, contents.shown
        )
        files = InBundle(bundle, more)
        return table_game(load_ruleset(files.reference, files=files_at(files)), table.players, table.settings)

    def _checked(self, table: CodeTable, ruleset: typed.Ruleset) -> Game:
        place = Span(str(self._folder / FOLDER / f"{table.key}.json"), 1, 1, 1, 2)
        try:
            game = table_game(ruleset, table.players, table.settings)
        except DiagnosticsError as error:
            message = f"the table does not match its rules: {error.diagnostics[0].message}"
            raise failure("RS659", message, place, "import the games again") from None
        own = CodeTable.of(game)
        if own.key != table.key:
            raise failure(
                "RS659", "the rules of the table do not match its description", place, "import the games again"
            )
        return game
