"""Tools for the holder of one seat: rules, view, options, decisions, explanations, and a few random games.

Each answer, including errors, uses only the seat's information, so positions that the seat cannot tell apart give equal
answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from rulespec.bundles.rules import portable_names
from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.game.views import SeenOption, View
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.search import Search
from rulespec.engine.search.twins import particle_rows
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.why import Why
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.guests.tools import Tool, ToolError, ToolParameter, shortened
from rulespec.rule_ids import cited

MOST_GAMES = 50
"""The maximum number of random games per call."""
MOST_GAMES_IN_ALL = 5_000
"""The maximum number of random games per session."""
MOST_LISTED = 100
"""The maximum number of past decisions, and of options, in an answer."""
MOST_REASONS = 30_000
"""The maximum number of characters in an answer of `why`; beyond that, its deepest levels are omitted."""
_CAP = 1_000
"""The number of decisions after which a random game is cut off."""
_TRIED = 10_000
"""The maximum number of decisions of other seats tried to find an equivalent game if none can be drawn: about five
seconds."""
_NOT_OPEN = "another program has the file of the game, or it cannot be written: try again later"
"""A message without the path, which would reveal something about the machine."""
_T = TypeVar("_T")


class SeatedTable(Protocol):
    """The interface through which a seat's tools use a game."""

    def look(self, ask: Callable[[Game], Any]) -> Any:
        """The result of calling `ask` with the game."""

    def take(self, chosen: Callable[[Game], Option]) -> None:
        """Plays a decision; `chosen` is the function that returns a legal option, or raises."""


class SeatTools:
    """The tools of a seat.

    Args:
        table: the game.
        seat: the id of the seat.
    """

    def __init__(self, table: SeatedTable, seat: str) -> None:
        self._table, self.seat = table, seat
        self._words: Words | None = None
        self._search: Search | None = None
        self._games_left = MOST_GAMES_IN_ALL

    def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        first = ToolParameter("first", "integer", "the number of the first option to list", 0)
        return (
            Tool(
                "rules",
                "The rules: decisions and options with titles; for a single one, also its help text and rule ids.",
                (
                    ToolParameter(
                        "name", "string", "the id of a decision or an option; default: all, without help texts", ""
                    ),
                ),
                self.rules,
            ),
            Tool(
                "view",
                "The game as your seat sees it: state, hidden parts, the open decision, and the history.",
                (ToolParameter("since", "integer", "the number of decisions to omit from the history", 0),),
                self.view,
            ),
            Tool("options", "Your legal options now, as texts for `take` and in words.", (first,), self.options),
            Tool(
                "take",
                "Take one of your options. Answers with the view afterwards.",
                (
                    ToolParameter("option", "string", "the text of the option, as `options` lists it"),
                    ToolParameter("ply", "integer", "the number of decisions taken so far, as given by `view`"),
                ),
                self.take,
            ),
            Tool(
                "why",
                "Why an option is legal or refused, why an expression has its value, or why a seat is asked.",
                (
                    ToolParameter("option", "string", "the text of an option, legal or not", ""),
                    ToolParameter("value", "string", "an expression of the rules language", ""),
                ),
                self.why,
            ),
            Tool(
                "simulate",
                f"Random games, {MOST_GAMES} at most, from copies of the game drawn from what your seat has seen: "
                "the share of the win that your seat gets.",
                (
                    ToolParameter("option", "string", "your first option; default: none", ""),
                    ToolParameter("games", "integer", "how many games", 20),
                ),
                self.simulate,
            ),
        )

    def _look(self, ask: Callable[[Game], _T]) -> _T:
        """An answer about the game as seen by the seat, without another seat's open plan.

        A fault in the rules is reported without details, as they might reveal hidden information.
        """
        try:
            answer: _T = self._table.look(lambda game: ask(as_shown(game, self.seat)))
            return answer
        except RulesetFaultError:
            raise ToolError("the rules fault in this position") from None
        except SaveError:
            raise ToolError(_NOT_OPEN) from None

    # --- rules -------------------------------------------------------------------------------

    def rules(self, name: str) -> dict[str, Any]:
        """The answer to a `rules` call."""
        return self._look(lambda game: self._rules(game, name))

    def _rules(self, game: Game, name: str) -> dict[str, Any]:
        words = self._titled(game)
        decisions = list(self._decisions(game, words, name))
        if name:
            if not decisions:
                raise ToolError(f"there is no decision or option `{name[:80]}`")
            return {"decisions": decisions}
        return {
            "ruleset": game.ruleset.ref,
            "version": game.ruleset.version,
            "title": words.game,
            "seats": {seat: game.shown_names[seat] for seat in game.seats},
            "you": self.seat,
            "settings": dict(game.settings),
            "decisions": decisions,
        }

    def _decisions(self, game: Game, words: Words, name: str) -> Iterator[dict[str, Any]]:
        """The decisions, one per name; with `name`, only that decision and those with an option called `name`."""
        known: set[str] = set()
        for d in game.omniscient.program.decisions:
            choices = [c for c in d.choices if name in ("", d.name, c.name)]
            if d.name in known or not choices:
                continue
            known.add(d.name)
            options = []
            for c in choices:
                option = {
                    "id": c.name,
                    "title": words.plain("options", f"{d.name}.{c.name}", words.decision(c.name)),
                    "parameters": {param.name: param.type for param in c.params},
                }
                options.append(option | ({"help": c.doc, "rules": list(cited(c.doc))} if name else {}))
            decision = {"id": d.name, "title": words.decision(d.name), "options": options}
            yield decision | ({"help": d.doc, "rules": list(cited(d.doc))} if name else {})

    def _titled(self, game: Game) -> Words:
        if self._words is None:
            self._words = Words(game.ruleset)
        return self._words

    # --- the position ------------------------------------------------------------------------

    def view(self, since: int) -> dict[str, Any]:
        """The answer to a `view` call."""
        return self._look(lambda game: self._view(game, since))

    def _view(self, game: Game, since: int) -> dict[str, Any]:
        first = min(max(since, game.ply - MOST_LISTED), game.ply)
        result: dict[str, Any] = json.loads(game.view(self.seat, first).text())
        for listed in ("options", "interrupts"):  # listed by `options`, in parts
            result[listed] = len(result[listed])
        return result | {"since": first, "names": {seat: game.shown_names[seat] for seat in game.seats}}

    def options(self, first: int) -> dict[str, Any]:
        """The answer to an `options` call."""
        return self._look(lambda game: self._options(game, first))

    def _options(self, game: Game, first: int) -> dict[str, Any]:
        own = _own(game.view(self.seat, game.ply))
        narrator = Narrator(self._titled(game), game, self.seat)
        listed = [
            {"option": str(option), "words": _worded(narrator, game, option), "out_of_turn": option.interrupt}
            for option in own[first : first + MOST_LISTED]
        ]
        return {"ply": game.ply, "all": len(own), "first": first, "options": listed}

    def take(self, option: str, ply: int) -> dict[str, Any]:
        """The answer to a `take` call."""
        try:
            self._table.take(lambda game: self._chosen(game, option, ply))
        except RulesetFaultError:
            raise ToolError("the rules fault after this option, so it was not taken") from None
        except SaveError:
            raise ToolError(_NOT_OPEN) from None
        return self.view(ply)

    def _chosen(self, game: Game, text: str, ply: int) -> Option:
        """The option denoted by a text, if the seat can play it now, judged by the seat's view."""
        game = as_shown(game, self.seat)
        if ply != game.ply:
            raise ToolError(f"{game.ply} decisions have been taken, not {ply}: call `view` again")
        option = self._parsed(game, text)
        decision = game.decision
        assert decision is not None
        if decision.together and decision.by != self.seat and not option.interrupt:
            raise ToolError(f"`{decision.by}` chooses first")
        if (refusal := game.why_not(option, self.seat)) is not None:
            raise ToolError(f"{option} is refused: {refusal}")
        return replace(option, by=self.seat)

    def _parsed(self, game: Game, text: str) -> Option:
        if game.is_over:
            raise ToolError("the game is over")
        try:
            return game.parse(text)
        except ValueError as error:
            raise ToolError(str(error)) from None

    def why(self, option: str, value: str) -> dict[str, Any]:
        """The answer to a `why` call."""
        if option and value:
            raise ToolError("`option` and `value` are two questions: ask only one")
        return self._look(lambda game: self._why(game, option, value))

    def _why(self, game: Game, option: str, value: str) -> dict[str, Any]:
        why = Why(game, self.seat)
        if option:
            answer = why.option(option)
        else:
            answer = why.value(value) if value else why.end() if game.is_over else why.asked()
        printer = Printer(game.ruleset, game.omniscient.labels, portable_names(game.ruleset))
        return shortened(printer.json(whole(answer, fold=True)), MOST_REASONS)

    # --- random games ------------------------------------------------------------------------

    def simulate(self, option: str, games: int) -> dict[str, Any]:
        """The answer to a `simulate` call."""
        if not 1 <= games <= MOST_GAMES:
            raise ToolError(f"`games` must be from 1 to {MOST_GAMES}")
        if games > self._games_left:
            raise ToolError(f"this session may play only {self._games_left} more random games")
        self._games_left -= games
        return self._look(lambda game: self._simulated(game, option, games))

    def _simulated(self, game: Game, text: str, games: int) -> dict[str, Any]:
        if self._search is None:
            self._search = open_search(game)
        search, view = self._search, game.view(self.seat, game.ply)
        if view.result is not None:
            raise ToolError("the game is over")
        if text and text not in map(str, view.options):
            raise ToolError("that is not one of your current options: `options` lists them")
        seed = int(view.memory[:12], 16)
        try:
            rows = particle_rows(search, game, self.seat, games, seed, _TRIED)
        except NotFoundError:
            raise ToolError("no copy of the game was found that matches your seat's observations") from None
        rows = rows[np.arange(games) % len(rows)]
        if text:
            rows = np.array([self._after(search, row, text) for row in rows])
        ends = search.playouts(rows, seed, cap=_CAP)
        shares = ends.payoffs[:, game.seats.index(self.seat)]
        error = 1.96 * float(shares.std()) / games**0.5
        return {"games": games, "ended": int(ends.ended.sum()), "share": float(shares.mean()), "plus_minus": error}

    def _after(self, search: Search, row: Any, text: str) -> Any:
        """The position after an option of the seat, as a row."""
        game = search.game(row)
        while game.decision is not None and game.decision.together and game.decision.by != self.seat:
            game.apply(game.legal_options[0])  # a simultaneous decision: the state is the same for all
        game.apply(game.parse(text))
        return search.rows([game])[0]


def _own(view: View) -> tuple[SeenOption, ...]:
    return (*view.options, *view.interrupts)


def _worded(narrator: Narrator, game: Game, option: SeenOption) -> str:
    """An option in words; its plain text if another seat is first in a simultaneous decision."""
    try:
        return narrator.option(replace(game.parse(str(option)), by=option.by))
    except ValueError:
        return str(option)
