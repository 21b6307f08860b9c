"""`rulespec ask`: a prompt that evaluates expressions and runs statements on a copy of a position."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from rulespec.cli import output
from rulespec.cli.position_argument import Where, position_flags
from rulespec.cli.shared_screen import SharedScreen
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import IllegalOptionError, RulesetFaultError
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.prompt_statements import FILE, indented, run_statement
from rulespec.engine.why.why import Why

if TYPE_CHECKING:
    from rulespec.lsp.index import NameIndex

_HELP = """\
  EXPRESSION     its value
  STATEMENT      run it on the copy; after a line that ends in `:`, more lines
                 up to an empty one
  why OPTION     why an option is legal, or not
  why EXPRESSION the value with its parts
  do OPTION      take an option on the copy
  o, options     list the legal options
  e, effects     what the last option changed, statement by statement
  u, undo        take back the last statement or option
  ?, help        this list
  q, quit        quit"""
_STATEMENTS = frozenset(
    ["set", "pay", "move", "let", "for", "if", "match", "repeat", "add", "take", "shuffle", "end", "decide", "chance"]
)
_STATEMENTS |= {"roll", "choose", "require", "cost", "needs", "return", "leave", "again", "continue", "pass", "ask"}
"""First words of statements."""
MAX_LINE = 10_000
"""Maximum length of one input in characters."""
MAX_LINES = 200
"""Maximum number of lines of one statement."""
_TAKEN_BACK = 50
"""Maximum number of undo steps."""
_LISTED = 200
"""Maximum number of options listed."""


@click.command("ask")
@position_flags
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Evaluate expressions at a prompt: at the start of REF, at the end of LOG, or after N of its decisions.

    Expressions are in the rules language. The prompt also runs statements and takes options, on a copy of the position,
    and writes nothing. Statements and options need --omniscient if the game has secrets.

    Example: rulespec ask game.jsonl@12
    """
    where = Where.taken(values)
    game = where.game()
    prompt = Prompt(game, where.viewer.seat(game.names))
    _complete(game)
    ctx.exit(prompt.run(SharedScreen(wanted=False).read_whole))


class Prompt:
    """A prompt on a copy of a position.

    Args:
        game: the position.
        seat: the reader.
    """

    def __init__(self, game: Game, seat: str | None) -> None:
        self.game = game.copy()
        self.seat = seat
        self._printer = Printer(game.ruleset, game.omniscient.labels)
        self._before: list[Game] = []

    def run(self, read: Callable[[str], str | None]) -> int:
        """Answers inputs until there are no more; returns the exit code."""
        output.echo(f"{self.game.ruleset.title}, after {output.counted(self.game.ply, 'decision')} · `?` for help")
        while (line := read("> ")) is not None:
            text = line.strip()
            if text in ("q", "quit"):
                break
            try:
                self.answer(self._more(text, read))
            except DiagnosticsError as error:
                output.show(error.diagnostics, self._sources(text), err=False)
            except RulesetFaultError as error:
                output.show([error.diagnostic], self._sources(text), err=False)
            except IllegalOptionError as error:
                output.echo(str(error))
            except RecursionError:
                output.echo("this input is nested too deeply")
        return output.OK

    def _more(self, text: str, read: Callable[[str], str | None]) -> str:
        """Reads the remaining lines of a statement."""
        lines = [text]
        while (lines[-1].endswith(":") and len(lines) < MAX_LINES) or (len(lines) > 1 and lines[-1]):
            line = read(". ")
            lines.append((line or "").rstrip())
        return "\n".join(lines).rstrip()

    def _sources(self, text: str) -> dict[str, str]:
        return {**self.game.ruleset.sources, "<expression>": text, FILE: indented(text)}

    def answer(self, text: str) -> None:
        """Answers one input.

        Raises:
            DiagnosticsError: if the input is invalid.
            RulesetFaultError: if evaluating the input faults; the copy is then unchanged.
        """
        if len(text) > MAX_LINE:
            raise failure("RS874", f"the input is longer than {MAX_LINE:,} characters", None)
        word, _, rest = text.partition(" ")
        match word, rest.strip():
            case "", _:
                pass
            case (("?" | "help"), ""):
                for line in _HELP.split("\n"):
                    output.echo(line)
            case (("o" | "options"), ""):
                self._list()
            case (("e" | "effects"), ""):
                self._show(Why(self.game, self.seat).effects())
            case (("u" | "undo"), ""):
                self._undo()
            case "why", asked:
                self._why(asked)
            case "do", option:
                self._take(option)
            case _ if self._is_statement(word, text):
                self._run(text)
            case _:
                output.echo(self.game.omniscient.value(text, self.seat))

    def _is_statement(self, word: str, text: str) -> bool:
        """Whether an input is a statement: by its first word, or as a call of a procedure."""
        return word in _STATEMENTS or text.partition("(")[0].strip() in self.game.ruleset.rules.procedures

    def _list(self) -> None:
        if self.seat != OMNISCIENT and self.game.omniscient.secretive:
            output.echo("options may reveal hidden information: ask with --omniscient")
            return
        options = [str(option) for option in every_option(self.game)]
        for option in options[:_LISTED]:
            output.echo(f"  {option}")
        if len(options) > _LISTED:
            output.echo(f"  … and {len(options) - _LISTED:,} more")

    def _why(self, asked: str) -> None:
        why = Why(self.game, self.seat)
        try:
            self.game.parse(asked)
        except ValueError:
            self._show(why.value(asked) if asked else why.end() if self.game.is_over else why.asked())
        else:
            self._show(why.option(asked))

    def _show(self, answer: Answer) -> None:
        for line in self._printer.lines(whole(answer, fold=True)):
            output.echo(line)

    def _undo(self) -> None:
        if not self._before:
            output.echo("there is nothing to take back")
            return
        self.game = self._before.pop()
        output.echo(f"after {output.counted(self.game.ply, 'decision')}")

    def _keep(self) -> Game:
        """A copy of the position for changes.

        Raises:
            DiagnosticsError: RS874 if changes may reveal something hidden from the reader.
        """
        if self.seat != OMNISCIENT and self.game.omniscient.secretive:
            message = "statements and options may reveal hidden information"
            raise failure("RS874", message, None, "ask with --omniscient")
        return self.game.copy()

    def _go_on(self, game: Game) -> None:
        self._before = [*self._before[-_TAKEN_BACK + 1 :], self.game]
        self.game = game

    def _take(self, text: str) -> None:
        game = self._keep()
        try:
            option = game.parse(text)
        except ValueError as error:
            raise failure("RS873", str(error), None) from None
        game.apply(option)
        self._go_on(game)
        output.echo(str(self.game).split("\n", maxsplit=1)[0])

    def _run(self, text: str) -> None:
        game = self._keep()
        changes = run_statement(game, text)
        self._go_on(game)
        for name, before, after in changes:
            output.echo(f"  {name}: {before} → {after}")
        if not changes:
            output.echo("  nothing has changed")


# --- completion -----------------------------------------------------------------------------------


def _complete(game: Game) -> None:
    """Enables completion of names by the Tab key if input is from a terminal."""
    if not sys.stdin.isatty():
        return
    with suppress(ImportError):
        import readline

        completer = Completer(game)
        readline.set_completer_delims(" \t\n()[]{},;:+-*/%<>=!|&.")
        readline.set_completer(completer.complete)
        readline.parse_and_bind("tab: complete")
        completer.line = lambda: readline.get_line_buffer()[: readline.get_endidx()]


class Completer:
    """Completion of inputs by the language server, which indexes the ruleset on first use.

    Args:
        game: any game of the ruleset.
    """

    def __init__(self, game: Game) -> None:
        self.line: Callable[[], str] = str
        self._reference = game.ruleset.reference
        self._index: NameIndex | None = None
        self._words: list[str] = []

    def complete(self, word: str, number: int) -> str | None:
        """The completion at an index, or None if there are fewer completions."""
        if number == 0:
            self._words = self.words(self.line() or word)
        return self._words[number] if number < len(self._words) else None

    def words(self, before: str) -> list[str]:
        """The possible completions for the last word of a line."""
        from rulespec.lsp.complete import complete

        index = self._indexed()
        if index is None:
            return []
        last = before[len(before.rstrip("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) :]
        names = (name for name, _ in complete(before, [before], 0, "prompt.rules", index))
        return sorted({name for name in names if name.startswith(last)})

    def _indexed(self) -> NameIndex | None:
        """The index of the ruleset's names; None if it cannot be loaded again, such as from a bundle."""
        if self._index is None:
            from rulespec.lsp.files import EditorFiles
            from rulespec.lsp.index import NameIndex
            from rulespec.lsp.project import check

            with suppress(DiagnosticsError):
                checked, _ = check(self._reference, EditorFiles())
                self._index = NameIndex(checked) if checked is not None else None
        return self._index
