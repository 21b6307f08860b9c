"""The rules of tables: a ruleset with its words and its board, which all tables with these rules share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import bundle_of
from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.engine.game.game import Game
from rulespec.engine.game.secrets import GuardedState
from rulespec.engine.game.state_json import ShownCells
from rulespec.engine.words.helps import helps
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.template import Hole, Optional
from rulespec.engine.words.words import Words
from rulespec.errors import RulespecError
from rulespec.pages.other_values import OtherValues
from rulespec.pages.rules_page import house_rules
from rulespec.typed import nodes as typed
from rulespec.types import Num, Type

PAGE_WORDS = (
    *("and_more", "chance", "nobody", "none", "out_of_turn", "won_by", "decisions", "secret", "yes", "no"),
    *("page_board", "page_moves", "page_closer", "page_farther", "page_whole"),
    "variation",
)
"""The program's words on the pages of tables, in addition to those of the pages themselves."""


class TableRules:
    """The rules that tables share.

    Args:
        ruleset: the ruleset.
        language: the language of texts; None for the ruleset's language.
        bundle: the bundle from which the ruleset was read; None to create one.
    """

    def __init__(self, ruleset: typed.Ruleset, language: str | None = None, bundle: Bundle | None = None) -> None:
        self.ruleset = ruleset
        self.words = Words(ruleset, language)
        self.bundle = bundle or bundle_of(ruleset)
        self._boards: dict[tuple[tuple[str, ...], int], tuple[str, dict[str, Any] | None]] = {}
        self._cells: dict[tuple[str, ...], tuple[ShownCells, list[list[str]]]] = {}
        self._values: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        self._helps: dict[tuple[object, ...], dict[str, dict[str, Any]]] = {}

    def board(self, seats: tuple[str, ...], viewer: int = 0) -> tuple[str, dict[str, Any] | None]:
        """The static picture and the drawing plan, with seats identified by ids; "" and None if the board cannot be
        drawn.

        `viewer` is the number of the seat whose own spaces can be clicked, if seats have such spaces.
        """
        key = seats, viewer
        if key not in self._boards:
            try:
                board = board_of(self.ruleset, seats, self.words, apart=True)
                if any(each.each for each in board.plans.values()):
                    board = board_of(self.ruleset, seats, self.words, viewer=viewer, apart=True)
                self._boards[key] = board.backdrop(), plan(board)
            except RulespecError:  # the drawing has mistakes: the game can still be played in text form
                self._boards[key] = "", None
        return self._boards[key]

    def cells(self, game: Game) -> tuple[ShownCells, list[list[str]]]:
        """The cells of all games with the same seats as `game`, and their names."""
        if game.seats not in self._cells:
            shown = ShownCells(game)
            self._cells[game.seats] = shown, shown.names()
        return self._cells[game.seats]

    def values(self, game: Game) -> list[dict[str, Any]]:
        """The values that the picture does not show, for games with the same seats as `game`."""
        if game.seats not in self._values:
            try:
                board = board_of(self.ruleset, game.seats, self.words)
            except RulespecError:
                board = None
            self._values[game.seats] = OtherValues(board, game, self.words).to_json()
        return self._values[game.seats]

    @cached_property
    def page_words(self) -> dict[str, str]:
        """The words used on pages, in the language of the rules."""
        from rulespec.engine.words.program_words import ENGLISH, program_words

        names = [name for name in program_words(ENGLISH) if name.startswith("table_")]
        return {name: self.words.word(name, **_holes(name)) for name in (*names, *PAGE_WORDS)}

    def titles(self, game: Game) -> dict[str, str]:
        """Maps `kind.entity` to its title, for all entities that options can name, except seats."""
        program, player = game.omniscient.program, game.ruleset.declarations.player_kind
        kinds = {p.type.removesuffix("?") for d in program.decisions for c in d.choices for p in c.params}
        names = game.omniscient.labels.names
        return {
            f"{kind}.{id_}": title
            for kind in sorted(kinds & {*names} - {player})
            for id_, title in zip(names[kind], self._titles(game, kind), strict=True)
        }

    def _titles(self, game: Game, kind: str) -> Sequence[str]:
        """The titles of a kind valid in any position; a title that depends on the state becomes that of the kind."""
        if self.words.text("each", kind) is None:
            return self.words.titles(kind, game.shown_names)
        narrator, state = Narrator(self.words, game, None), game.omniscient.numbers.state
        narrator.past = GuardedState(state, range(len(state)))
        return [
            narrator.entity(kind, number) if narrator.names_whole(kind, number) else self.words.kind(kind)
            for number in range(len(game.omniscient.labels.names[kind]))
        ]

    @cached_property
    def house_rules(self) -> list[dict[str, Any]]:
        """The overlays on the ruleset, lowest first."""
        return [msgspec.to_builtins(rule) for rule in house_rules(self.ruleset)]

    def helps(self, game: Game) -> dict[str, dict[str, Any]]:
        """The help texts for games with the same seats and settings as `game`, by subject."""
        key = game.seats, *sorted(game.settings.items())
        if key not in self._helps:
            self._helps[key] = {name: help_.to_json() for name, help_ in helps(self.words, game).items()}
        return self._helps[key]

    def calls(self, game: Game) -> dict[str, dict[str, Any]]:
        """Maps `decision.option` to a text template, for options out of turn that have too many instances to list.

        Numbers in `parts` are parameters; their singular and plural texts are in `units`. Texts that depend on anything
        besides the parameters are omitted.
        """
        results: dict[str, dict[str, Any]] = {}
        for decision in game.omniscient.program.decisions:
            for choice in decision.choices:
                name = f"{decision.name}.{choice.name}"
                text = self.words.offered(decision.name, choice.name) or self.words.text("options", name)
                names = [param.name for param in choice.params]
                if choice.by is None or text is None or not all(_is_filled_by(part, names) for part in text.other):
                    continue
                parts = [names.index(part.text) if isinstance(part, Hole) else part for part in text.other]
                params = self.words.decisions.options[decision.name][choice.name].params
                results[name] = {"parts": parts, "units": [self._amounts(p.var.type) for p in params]}
        return results

    def _amounts(self, type_: Type) -> list[str] | None:
        """The text templates of a number with its unit: singular, and plural."""
        if not isinstance(type_, Num) or not type_.unit:
            return None
        return [self.words.amount(1, type_.unit), self.words.amount(2, type_.unit).replace("2", "{number}")]

    def option_names(self, game: Game) -> dict[str, str]:
        """Maps the name of each option that has a title to the title."""
        names = {c.name for d in game.omniscient.program.decisions for c in d.choices}
        return {
            name: self.words.decision(name) for name in sorted(names) if self.words.text("decisions", name) is not None
        }


def _is_filled_by(part: str | Hole | Optional, names: list[str]) -> bool:
    """Whether a part of a text is plain, or a hole for one of the names."""
    return isinstance(part, str) or (isinstance(part, Hole) and part.text in names)


def _holes(name: str) -> dict[str, Any]:
    """Replaces parameters by holes, which the page fills."""
    from rulespec.engine.words.program_words import ENGLISH, program_words

    return {hole: "{" + hole + "}" for hole in program_words(ENGLISH)[name].holes()}
