"""Text output of `rulespec replay`: moves, standings, the state, or the place where a log diverges."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.seat_flags import Viewer
from rulespec.cli.state_text import standings, state_lines
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.notes import Notes, SeenNotes, note_texts
from rulespec.engine.logs.variations import Anchored
from rulespec.engine.replay.divergence import Divergence
from rulespec.engine.replay.other_result import other_result
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.replay.shown_variations import shown_variations

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game
    from rulespec.engine.words.changes import Change
    from rulespec.engine.words.moves import Move, Moves
    from rulespec.engine.words.words import Words

_NOT_TOLD = "the reason may disclose private information: omit `--for` and `--public` to see it"
_MAX_CHANGES = 60
"""Maximum number of changes printed for a move."""


class Showing(Struct, frozen=True):
    """The parts of a game to print.

    Attributes:
        moves: whether to list the moves.
        first: the number of the first move listed; None means 1.
        last: the number of the last move listed; None means the last of the log.
        at: the number of the move whose position is printed instead of the last.
        state: whether to print the state.
        viewer: the viewer, who determines which moves are visible.
    """

    moves: bool
    first: int | None
    last: int | None
    at: int | None
    state: bool
    viewer: Viewer


def tell_moves(result: ReplayResult, words: Words, showing: Showing) -> Iterator[Move]:
    """The requested moves, in words."""
    moves = _moves(result, words, showing)
    yield from islice(moves, (showing.first or 1) - 1, showing.last)


def seen_json(result: ReplayResult, showing: Showing) -> dict[str, Any]:
    """The object printed by `--format json`: the view of a seat, or everything for an omniscient viewer."""
    outcome = result.to_json()
    if showing.viewer.omniscient:
        return outcome
    view = result.game.view(showing.viewer.seat(result.game.names))
    outcome |= {
        "hash": view.hash,
        "state": {key: view.state[key] for key in ("entities", "pieces")},
        "ignored": [],
    }
    outcome.pop("known_faults", None)
    if view.result is None:
        outcome["scores"] = {}
    outcome["end"] = None
    outcome["notes"] = _notes(result, showing).header
    if outcome["divergence"] is not None:
        outcome["divergence"].pop("known_fault", None)
        outcome["divergence"] |= {
            "action": None,
            "reason": _NOT_TOLD,
            "rule": [],
            "values": {},
            "nearest": [],
            "known_fault": None,
        }
    return outcome


def _moves(result: ReplayResult, words: Words, showing: Showing) -> Moves:
    from rulespec.engine.words.moves import Moves  # lazily: most runs list no moves

    return Moves(words, result.game, result.moves, showing.viewer.seat(result.game.names))


def show(result: ReplayResult, words: Words, showing: Showing, *, stopped: bool) -> None:
    """Prints a game, or the first illegal decision in its log."""
    output.echo(f"{output.style(result.log, bold=True)} · {words.game} · {result.game.ruleset.ref}")
    if whose(result.game.ruleset):
        output.echo(whose(result.game.ruleset))
    notes = _notes(result, showing)
    _show_notes(notes.header, result, indent="")
    output.echo()
    if result.ignored:
        first = result.ignored[0]
        why = first.refusal.reason if showing.viewer.omniscient else _NOT_TOLD
        output.echo(f"{ignored(result)}; the first is entry {first.foreign_index}: {why}")
        output.echo()
    faults = {fault.move: fault for fault in result.passed} if showing.viewer.omniscient else {}
    if faults:
        output.echo(output.style(f"{passed(result)}:", fg="yellow"))
        for fault in faults.values():
            output.echo(f"  entry {fault.foreign_index}, move {fault.move}: {fault.title}")
        output.echo()
    if showing.moves:
        places = _places(result, showing)
        variations = _Variations(result, words, showing)
        last = places[(showing.first or 1) - 2] if 1 < (showing.first or 1) <= len(places) + 1 else 1
        for move in tell_moves(result, words, showing):
            line = places[move.number - 1]
            _show_remarks(result, notes, last, line)
            _show_move(move, words)
            _show_notes(notes.of(line), result)
            variations.show(move.number)
            last = line
            if move.number in faults:
                output.echo(
                    output.style(f"       known fault of {result.system}: {faults[move.number].title}", fg="yellow")
                )
        if showing.last is None and not stopped and result.native is not None:
            _show_remarks(result, notes, last, result.native.text.count("\n") + 2)
        if showing.last is None and not stopped:
            variations.show(len(places) + 1)
        output.echo()
    if result.divergence is not None and not showing.viewer.omniscient:
        output.echo(output.style(f"diverges  {seen_where(result.divergence)}: {_NOT_TOLD}", fg="red"))
    elif result.divergence is not None and showing.at is None:
        _diverged(result, result.divergence, words)
    elif showing.viewer.omniscient:
        _show_position(result, words, showing, stopped=stopped)


def _show_move(move: Move, words: Words) -> None:
    """Prints a move with its effects below it."""
    output.echo(f"{move.number:>5}  {output.style(move.text, bold=True)}")
    _show_changes(move.own, words, " " * 7)
    for cause in move.causes:
        output.echo(f"       {cause.text}")
        _show_changes(cause.changes, words, " " * 9)


def _show_changes(changes: Sequence[Change], words: Words, indent: str) -> None:
    for change in changes[:_MAX_CHANGES]:
        output.echo(f"{indent}{output.style(change.text, fg='cyan')}")
    if len(changes) > _MAX_CHANGES:
        output.echo(f"{indent}{words.word('and_more', len(changes) - _MAX_CHANGES)}")


def _show_position(result: ReplayResult, words: Words, showing: Showing, *, stopped: bool) -> None:
    game = result.game
    if showing.at is not None:
        moves = _moves(result, words, showing)
        if showing.at > len(moves):
            raise click.UsageError(
                f"the game has {output.counted(len(moves), 'move')}, so there is no position {showing.at}"
            )
        last = next(islice(moves, showing.at - 1, None), None) if showing.at else None
        if last is not None:
            _show_move(last, words)
            output.echo()
        game, stopped = moves.game, True
    for line in standings(game, words):
        output.echo(output.style(line, fg="green") if line.endswith(words.word("won")) else line)
    output.echo()
    if showing.state:
        from rulespec.engine.words.changes import Changes
        from rulespec.engine.words.narrator import Narrator

        for line in state_lines(Changes(Narrator(words, game)).state()):
            output.echo(line)
    decisions = words.word("decisions", game.ply)
    end = "" if stopped else no_end(result).replace(", ", " · ")
    output.echo(f"{_how(game, words, stopped)} · {decisions} · hash {game.hash}{end}")
    if not stopped and (text := other_result(game, result.notes.header, words)):
        output.echo(words.word("other_result", result=text))


def no_end(result: ReplayResult) -> str:
    """A note that a native log has no end line."""
    native = result.native
    ends = native is None or (native.end is not None and native.end.entries == len(native.entries))
    return "" if ends else ", no end recorded"


def _notes(result: ReplayResult, showing: Showing) -> SeenNotes:
    """The notes of the log visible to the viewer's seat, or all notes for an omniscient viewer."""
    if result.native is None:
        return SeenNotes({}, (), None, False)
    from rulespec.engine.logs.seat_log import seen_notes  # lazily: foreign logs have no notes

    viewer = showing.viewer
    seat = None if viewer.omniscient else viewer.seat(result.game.names)
    return seen_notes(result.native, seat, not viewer.omniscient and result.game.omniscient.secretive)


def _places(result: ReplayResult, showing: Showing) -> list[int]:
    """The line in the log of each visible move."""
    return [result.places[number] for number in _visible(result, showing)]


def _visible(result: ReplayResult, showing: Showing) -> list[int]:
    """The numbers of the visible moves; for a seat, undone moves are excluded."""
    if showing.viewer.omniscient:
        return [*range(len(result.places))]
    from rulespec.engine.logs.log_file import standing

    return standing(result.moves)


class _Variations:
    """The variations of a log, each printed below the move that it replaces."""

    def __init__(self, result: ReplayResult, words: Words, showing: Showing) -> None:
        self._result, self._words = result, words
        whole = showing.viewer.omniscient or not result.game.omniscient.secretive
        seat = OMNISCIENT if whole else showing.viewer.seat(result.game.names)
        visible = _visible(result, showing)
        rows = {number: row for row, number in enumerate([*visible, len(result.moves)], 1)}
        self._of: dict[int, list[Anchored]] = {}
        for each in shown_variations(result, seat):
            if each.after in rows:
                self._of.setdefault(rows[each.after], []).append(each)
        self._plays = whole

    def show(self, row: int) -> None:
        """Prints the variations at one move."""
        from rulespec.engine.replay.told_variations import Teller, lines_of  # lazily: few logs have any

        result, words = self._result, self._words
        teller = Teller(words, result.game.shown_names, plays=self._plays)
        for each in self._of.get(row, ()):
            branch = teller.tell(result.at(each.after), each.variation, each.by)
            for line in lines_of(branch, words.word("variation"), " " * 7):
                output.echo(output.style(line, dim=True))


def _show_remarks(result: ReplayResult, notes: SeenNotes, first: int, end: int) -> None:
    """Prints the remarks between two moves."""
    for remark in notes.between(first, end, set(result.places)):
        _show_notes(remark, result)


def _show_notes(notes: Notes, result: ReplayResult, indent: str = " " * 7) -> None:
    for text in note_texts(notes, result.game.shown_names):
        output.echo(output.style(f"{indent}{text}", dim=True))


def _how(game: Game, words: Words, stopped: bool) -> str:
    """The ending of the game, or its open decision."""
    decision, ended = game.decision, game.result
    if ended is not None:
        return words.word("ended", ending=words.ending(ended.ending))
    from rulespec.engine.words.narrator import Narrator  # lazily: most games are over

    assert decision is not None
    narrator = Narrator(words, game)
    asked = f"`{decision.name}`" if words.names == "id" else narrator.decision(decision)
    return words.word("stopped" if stopped else "goes_on", actor=narrator.subject(decision), decision=asked)


def ignored(result: ReplayResult) -> str:
    """A phrase with the number of entries that the recording system ignored."""
    return f"{output.counted(len(result.ignored), 'entry', 'entries')} ignored, as by the recording system"


def passed(result: ReplayResult) -> str:
    """A phrase with the number of entries skipped because of known faults."""
    return f"{output.counted(len(result.passed), 'entry', 'entries')} skipped as known faults of {result.system}"


def known_fault(result: ReplayResult, divergence: Divergence) -> str:
    """The line about an illegal decision that a known fault of the recording system has caused."""
    return f"a known fault of {result.system}: {divergence.known_fault}"


def where(divergence: Divergence) -> str:
    """The place of a log's first illegal decision."""
    return f"at {divergence.place}"


def seen_where(divergence: Divergence) -> str:
    """The place of a log's first illegal decision, without information hidden from seats."""
    return where(divergence) if divergence.seen_line is None else f"at line {divergence.seen_line}"


def _diverged(result: ReplayResult, divergence: Divergence, words: Words) -> None:
    action = divergence.action
    if isinstance(action, dict) and set(action) == {"decision", "by", "option"}:
        text = f"{result.game.shown_names.get(action['by'], action['by']) or 'chance'}: {action['option']}"
    else:
        text = action if isinstance(action, str) else json.dumps(action, ensure_ascii=False)
    rows = [
        ("diverges", f"{where(divergence)}, after {output.counted(divergence.index, 'legal decision')}"),
        *output.refused(text if len(text) <= 500 else text[:500] + "…", divergence.refusal, None, None, ()),
        *_why(result, divergence),
        *_known(result, divergence),
        *_open(result.game, words, divergence.nearest),
    ]
    for line in output.table(rows):
        output.echo(output.style(line, fg="red") if line.startswith(("diverges", "reason")) else line)


def _why(result: ReplayResult, divergence: Divergence) -> Iterator[tuple[str, str]]:
    """The row with the command that explains the refusal of an option in a native log."""
    action = divergence.action
    if result.native is None or not divergence.refusal.condition or not isinstance(action, dict):
        return
    words = ["rulespec", "why", f"{result.log}@{divergence.index}", str(action.get("option", ""))]
    if result.native.header.ruleset != result.game.ruleset.ref:
        words += ["--rules", result.game.ruleset.reference]
    yield "why", shlex.join([*words, *["--omniscient"] * result.game.omniscient.secretive])


def _known(result: ReplayResult, divergence: Divergence) -> Iterator[tuple[str, str]]:
    """The row about a known fault of the recording system."""
    if divergence.known_fault:
        yield "known", f"this is {known_fault(result, divergence)}; use --past-known-faults to continue"


def _open(game: Game, words: Words, nearest: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The rows on the open decision: its name, and the nearest legal options in notation and in words."""
    from rulespec.engine.words.narrator import Narrator

    try:
        decision = game.decision
    except RulesetFaultError:  # the refusal reports it
        decision = None
    narrator = Narrator(words, game)
    if decision is not None:
        title = "" if words.names == "id" else f": {narrator.decision(decision)}"
        yield "open", f"`{decision.name}` by {narrator.subject(decision)}{title}"
    notes = []
    for option in nearest:
        with suppress(ValueError):  # it may belong to an earlier decision
            notes.append((option, "" if words.names == "id" else narrator.option(game.parse(option))))
            continue
        notes.append((option, ""))
    for number, line in enumerate(output.table(notes)):
        yield "legal" if number == 0 else "", line
