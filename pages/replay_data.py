"""The contents of a replay page as plain data: moves, their rules, the board, the measures, the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import failure
from rulespec.documents.json_text import to_json_text
from rulespec.drawing.board import board_of
from rulespec.drawing.played_marks import dice, shows_rolls, ways
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.table_texts import Cell, TextTable
from rulespec.engine.game.game import Game, seen_events, seen_state
from rulespec.engine.game.named_state import NamedStates
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.log_file import standing
from rulespec.engine.program.budget import Budget
from rulespec.engine.replay.other_result import other_result
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.words.move_records import Record
from rulespec.engine.words.moves import Move, Moves
from rulespec.engine.words.words import Words
from rulespec.pages.beside_moves import Cited, MoveNotes, MoveRules, RulesOfMoves
from rulespec.pages.board_changes import BoardChanges
from rulespec.pages.curves import Curves
from rulespec.pages.endings import Rows, ending, stop
from rulespec.pages.other_values import OtherValues
from rulespec.pages.owned_boards import owned_boards, owned_figure
from rulespec.pages.study_parts import OpinionRows, StudyParts, VariationRows
from rulespec.records import Brief

if TYPE_CHECKING:
    from rulespec.engine.corpus.position_moves import MoveCounts

MAX_MOVES = 20_000
"""The maximum number of moves on a page; the longest shipped game has 1,142."""
MAX_CHANGES = 100
"""The maximum number of changes in the text of one move."""
MAX_REASONS = 200
"""The maximum number of lines of reasons for one move."""
_ROLLED = 20
"""The number of recent decisions searched for the last roll."""
_PAGE_WORDS = (
    *("page_board", "page_move", "page_moves", "page_chart", "page_charts", "page_values", "page_keys"),
    *("page_first", "page_back", "page_next", "page_last", "page_closer", "page_farther", "page_whole"),
    *("page_play", "page_turn_back", "page_turn_next", "page_quiet", "page_tables"),
    "page_no_script",
)
_SCRIPT_WORDS = (
    *("start", "page_rests", "page_ran", "page_of", "page_archive", "page_archive_times", "page_archive_won"),
    "table_why",
    "variation",
)
"""The words of the page itself, and those inserted by its scripts."""


class Replay(Brief, Struct, frozen=True):
    """The content of a replay page.

    Attributes:
        title: the title of the game.
        about: the ruleset, the log, the seats, and the reader, on one line.
        board: the static picture, as our own SVG.
        language: the language of the texts.
        words: the words of the page itself.
        data: the input of the scripts.
        warnings: warnings about words and measures that take too long to evaluate.
    """

    title: str
    about: str
    board: str
    language: str
    words: dict[str, str]
    data: dict[str, Any]
    warnings: tuple[Diagnostic, ...] = ()


def told_replay(
    result: ReplayResult,
    seat: str | None,
    language: str | None = None,
    counts: MoveCounts | None = None,
    *,
    reasons: bool = False,
    parts: StudyParts | None = None,
) -> Replay:
    """The content of a page for a replayed log.

    Args:
        result: a replayed log.
        seat: the reader (None for everybody); `OMNISCIENT` sees everything.
        language: the language of the texts; None for the ruleset's language.
        counts: the options taken in an archive; shown only to omniscient readers.
        reasons: whether each move lists the statements behind its changes, with their values.
        parts: variations and opinions; None for the variations of the log.

    Raises:
        DiagnosticsError: RS574 if there are too many moves; RS534 if there is no such language.
    """
    game, parts = result.game, parts or StudyParts()
    reader, seat = seat, seat if game.omniscient.secretive else OMNISCIENT
    moves = result.moves
    _check_length(len(moves))
    words = Words(game.ruleset, language, budget=Budget())
    film = _Film(game, moves, seat, words, reader)
    film.variations = VariationRows(result, seat, film.visible, parts.variations)
    numbers: dict[Cited, int] = {}
    notes = MoveNotes(result, seat, film.visible)
    judged = OpinionRows(parts, game, _standing(moves, film.visible), words)
    rows = list(_rows(film, result, numbers, notes, judged, reasons=reasons))
    stopped = stop(result, seat, words)
    variations = film.tell_variations(game.shown_names)
    listed = game.ruleset.listed
    data = {
        "moves": rows,
        "rules": [[id_, listed[id_].text if id_ in listed else "", overlay] for id_, overlay in numbers],
        "board": film.pictures.to_json(),
        "tables": film.tables(),
        "measures": film.curves.to_json(),
        "ending": [*ending(game, seat, words), *_recorded(result, seat, words)],
        "stop": stopped,
        "begin": len(rows) + bool(stopped) if stopped or parts.at_end else 0,
        "words": {name: _unfilled(words, name) for name in _SCRIPT_WORDS},
    }
    data |= {"variations": variations} if variations else {}
    data |= {"opinions": judged.to_json([row["text"] for row in rows])} if parts.bot else {}
    if counts is not None and seat == OMNISCIENT:
        from rulespec.pages.archive_rows import archive_rows  # lazy: few need it, or numpy

        data["archive"] = archive_rows(game, moves, counts, words)
    about = " · ".join([parts.about or _about(result, seat, words), *notes.header])
    page = {name: words.word(name) for name in _PAGE_WORDS}
    return Replay(words.game, about, film.picture(), words.language, page, data, words.too_long())


def _recorded(result: ReplayResult, seat: str | None, words: Words) -> Rows:
    """The row with the result that another system recorded, if the whole log was replayed."""
    text = other_result(result.game, result.notes.header, words) if seat == OMNISCIENT and not result.divergence else ""
    return [(words.word("other_result_head"), text)] if text else []


def _rows(
    film: _Film,
    result: ReplayResult,
    numbers: dict[Cited, int],
    notes: MoveNotes,
    judged: OpinionRows,
    *,
    reasons: bool,
) -> Iterator[dict[str, Any]]:
    """The rows of a page's moves, with the numbers of their rules and with comments."""
    rules_of, turn = RulesOfMoves(result.game), ""
    for number, (move, at) in enumerate(zip(film.run(), film.visible, strict=True)):
        taken = result.moves[at]
        option = taken if isinstance(taken, Option) else None
        rules = rules_of.of(option, film.record) if option is not None and film.record is not None else MoveRules()
        row = _row(move, rules if film.seat == OMNISCIENT else _public(move, rules), numbers, notes.of(number))
        if opinion := judged.of(number, option):
            row["opinion"] = opinion
        if reasons and option is not None and (lines := film.reasons()):
            row["why"] = lines
        whose_turn = move.actor or move.by
        if whose_turn is not None and whose_turn != turn:
            row["turn"], turn = 1, whose_turn
        yield row


def _standing(moves: Sequence[Option | TakenBack], visible: Sequence[int]) -> list[int]:
    """The row on the page for each decision that was not undone."""
    rows = {number: row for row, number in enumerate(visible)}
    return [rows[number] for number in standing(moves)]


def _check_length(moves: int) -> None:
    if moves > MAX_MOVES:
        message = f"this log has {moves:,} moves, but a page holds at most {MAX_MOVES:,}"
        raise failure("RS574", message, None, help=f"show its beginning: --until {MAX_MOVES}")


class _Film:
    """A game, narrated and drawn position by position.

    Attributes:
        seat: the viewer.
        visible: the indices of the narrated moves among all moves.
        pictures: the board of each position, those of variations last.
        variations: the variations that branch off from these positions.
        curves: the measures of each position.
    """

    def __init__(
        self, game: Game, moves: Sequence[Option | TakenBack], seat: str | None, words: Words, reader: str | None
    ) -> None:
        self._moves = Moves(words, game, moves, seat, recording=True)
        self.visible = self._moves.visible
        self.seat = seat
        self._words = words
        self._board = board_of(game.ruleset, game.names, words, tables=False, parted=True)
        self._rows = BoardChanges(())
        self._last_rows: dict[int, tuple[list[Cell], SceneItem]] = {}
        self._states = NamedStates(game.omniscient.program, game.omniscient.labels)
        self._values = OtherValues(self._board, game, words, game.shown_names)
        self._owned = owned_boards(self._board, reader)
        self.pictures = BoardChanges(self._board.static, [panel.id for panel in self._owned])
        measures, colours = game.ruleset.declarations.measures, self._board.sheet.colours
        self.curves = Curves(measures, words, lambda kind: words.titles(kind, game.shown_names), colours)
        self.variations: VariationRows | None = None

    @property
    def record(self) -> Record | None:
        """The record of the last move; None after an undo."""
        return self._moves.record

    def run(self) -> Iterator[Move]:
        """Steps through the game and narrates its moves."""
        self._note(0)
        for number in range(len(self.visible)):
            yield self._moves.tell(number)
            self._note(number + 1)

    def reasons(self) -> list[str]:
        """The statements behind the last move's changes, with their values, as indented lines."""
        from rulespec.bundles.rules import portable_names  # imported lazily: few pages show reasons
        from rulespec.engine.why.answer_output import Printer, whole
        from rulespec.engine.why.why import Why

        game = self._moves.game
        answer = whole(Why(game, self.seat).effects(), fold=True)
        lines = Printer(game.ruleset, game.omniscient.labels, portable_names(game.ruleset)).lines(answer)
        return list(islice(lines, 1, MAX_REASONS + 1))

    def _note(self, number: int) -> None:
        game, seat = self._moves.game, self.seat
        self.curves.note(number, game.omniscient.measures(seat, self._words.budget))
        self._draw(game, self._moves.ways)
        if self.variations is not None:
            self.variations.note(number, game)

    def _draw(self, game: Game, chosen: Iterable[tuple[str, Sequence[int]]] = ()) -> None:
        """Adds the current position to the pictures and the tables; `chosen` has the paths of the last move."""
        if self.seat == OMNISCIENT:
            state = self._states.of(game.omniscient.numbers.state)
        else:
            state = seen_state(game, self.seat)
        shown = self._board.names.read(state)
        passed = ways(self._board.plans, chosen, self._words.word("way"))
        self.pictures.note([*self._board.items(shown), *self._dice(game), *passed])
        values = self._values.texts(game, self.seat)
        others: Iterator[list[Cell]] = ([[text]] for text in values)
        rows = chain(self._board.text_rows(shown), others)
        self._rows.note(self._row(number, row) for number, row in enumerate(rows))

    def _row(self, number: int, row: list[Cell]) -> SceneItem:
        """A row of a table; if unchanged, the same object as at the last position."""
        last = self._last_rows.get(number)
        if last is None or last[0] != row:
            last = row, SceneItem(f"{number:05}", "tables", to_json_text(row))
            self._last_rows[number] = last
        return last[1]

    def tell_variations(self, names: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """The variations by starting position, narrated after all moves of the game."""
        drawn = count(len(self.visible) + 1)

        def draw(game: Game) -> int:
            self._draw(game)
            return next(drawn)

        return {} if self.variations is None else self.variations.rows(self._words, names, draw)

    def _dice(self, game: Game) -> Iterator[SceneItem]:
        """The last visible roll, for boards that show it."""
        if shows_rolls(self._board.plans):
            seat, since = self.seat, max(game.ply - _ROLLED, 0)
            seen = game.history[since:] if seat == OMNISCIENT else seen_events(game, seat, since)
            yield from dice(self._board.plans, seen)

    def tables(self) -> dict[str, Any]:
        """The tables beside the board: their static parts, and their rows over time."""
        tables = [table for _, table in self._board.text_tables()]
        if self._values.titles:
            tables.append(TextTable(self._words.word("table_values"), [""], [[title] for title in self._values.titles]))
        return {"tables": [table.to_json() for table in tables], **self._rows.to_json()}

    def picture(self) -> str:
        """The static picture of the sheet, and those of the boards of owners."""
        width, height = self._board.size
        note, enlarge = self._words.word("board", game=self._words.game), self._words.word("table_enlarge")
        owned = "".join(owned_figure(self._board, panel, self.pictures, enlarge) for panel in self._owned)
        if self._owned and not any(panel.owner is None for panel in self._board.panels):
            return owned
        return self.pictures.svg(width, height, self._words.game, note) + owned


def _unfilled(words: Words, name: str) -> str:
    """A word whose holes the scripts fill."""
    return words.word(name, number="{number}", end="{end}", times="{times}")


def _row(move: Move, rules: MoveRules, numbers: dict[Cited, int], notes: Sequence[str]) -> dict[str, Any]:
    """A move and its notes; each rule is listed once, by number."""
    row: dict[str, Any] = {"text": move.text}
    for name, cited in (("own", rules.own), ("ran", rules.ran)):
        if cited:
            row[name] = [numbers.setdefault(rule, len(numbers)) for rule in cited]
    if move.own or move.causes or notes:
        row["changes"] = [*_changes(move), *notes]
    if move.by is None:
        row["chance"] = 1
    return row


def _changes(move: Move) -> list[str | list[str]]:
    """The changes of a move; those of each automatic effect are a nested list that starts with its sentence."""
    own = [change.text for change in move.own[:MAX_CHANGES]]
    causes = move.causes[:MAX_CHANGES]
    return [*own, *([c.text, *(change.text for change in c.changes[:MAX_CHANGES])] for c in causes)]


def _public(move: Move, rules: MoveRules) -> MoveRules:
    """The rules that reveal nothing hidden, as the list of executed procedures might."""
    return MoveRules(rules.own) if move.option is not None else MoveRules()


def _about(result: ReplayResult, seat: str | None, words: Words) -> str:
    game = result.game
    rules = whose(game.ruleset) or game.ruleset.ref
    parts = [rules, result.log.replace("\\", "/").rpartition("/")[2], ", ".join(game.shown_names.values())]
    if game.omniscient.secretive:
        seen = words.word("seen_by_all") if seat is None else words.word("seen_by", seat=game.shown_names.get(seat, ""))
        parts.append(words.word("everything") if seat == OMNISCIENT else seen)
    return " · ".join([*parts, *[result.random] * bool(result.random)])
