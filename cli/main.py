"""The command `rulespec`: its subcommands, each in a module imported on first use."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import IO, NoReturn

import click

from rulespec.cli import output
from rulespec.cli.audience import is_of_seats
from rulespec.cli.outputs import guarded

COMMANDS = {
    "games": "List the playable games and their sample logs.",
    "validate": "Check rulesets, play them, and report all problems.",
    "explore": "Explore the positions of a ruleset for mistakes, with the shortest game of each.",
    "explain": "Explain diagnostic codes, with bad and good examples.",
    "replay": "Replay recorded games: final standings, or the decision that breaks a rule.",
    "identify": "Find the edition and the settings of a recorded game.",
    "corpus": "Store games as codes, and query them all at once.",
    "migrate": "Carry recorded games over to changed rules.",
    "test": "Run the scenarios and recorded games of a ruleset.",
    "coverage": "Measure which rules of a ruleset its scenarios and recorded games run.",
    "simulate": "Play random games: length, winners, endings, invariants.",
    "match": "Let bots play against each other.",
    "playtest": "Measure the effect of a house rule by paired games of bots.",
    "perft": "Count the positions at a depth; compare them with a record.",
    "why": "Explain why an option is legal or refused, the effects of a decision, or the winner.",
    "ask": "Evaluate expressions and run statements on a copy of a position, at a prompt.",
    "play": "Play a game at the terminal.",
    "serve": "Serve tables in the browser, for people, bots and spectators.",
    "mcp": "Serve an agent: the holder of a seat, or the author of a ruleset.",
    "draw": "Draw the board of a ruleset, or a position of a recorded game.",
    "view": "Write a page that steps through a recorded game.",
    "page": "Write a page that plays a game without a server.",
    "rules": "Write a page with all rules of a game, to read or print.",
    "log": "Print the part of a recorded game that a seat has seen.",
    "export": "Write a ruleset as a WebAssembly module.",
    "diff": "List the differences between two rulesets.",
    "titles": "List the languages of a ruleset and the missing texts.",
    "facts": "List the facts of one kind, such as degrees of certainty.",
    "new": "Start a game, a variant or a map of your own.",
    "edit": "Edit a map on a page or by commands: regions, facts, links.",
    "format": "Put rules files into one layout.",
    "schema": "Print the JSON Schema of a ruleset's own files, for editors.",
    "lsp": "Serve an editor: problems as you type, meanings, definitions, completion.",
}
INTERRUPTED, BROKEN_PIPE = 130, 141  # as shells report SIGINT and SIGPIPE


@cache
def _command(name: str) -> click.Command:
    """Imports a command, protected from overwriting its own input files."""
    command: click.Command = import_module(f"rulespec.cli.{name}").command
    assert command.callback is not None
    command.callback = guarded(command.callback)
    return command


class Commands(click.Group):
    """A command group that imports each command's module on first use, for a fast start."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in display order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with a given name, or None."""
        if cmd_name not in COMMANDS:
            return None
        return _command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Prints the help if there are no arguments; rejects arguments that cannot be file names."""
        if not args and not ctx.resilient_parsing:
            for line in ctx.get_help().split("\n"):  # click itself would print it as a usage error
                output.echo(line)
            ctx.exit()
        for arg in args:
            try:
                named = b"\0" not in os.fsencode(arg)
            except UnicodeEncodeError:
                named = False
            if not named:
                ctx.fail(f"`{arg[:60]}` has characters that no argument can contain")
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves the command; the error for an unknown name suggests the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from rulespec.diagnostics.suggestions import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or "the commands are " + ", ".join(COMMANDS)
            ctx.fail(f"there is no command `{args[0][:60]}`; {hint}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from rulespec.cache import place
    from rulespec.documents.versions import RULESPEC

    output.echo(f"rulespec {RULESPEC}")
    output.echo(f"cache: {place()}")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and the folder of the cache, and exit.",
)
def cli() -> None:
    """Rules as data for board games.

    A ruleset reference REF is a folder or an id, followed by overlays: imperial, ./my_game, imperial+playimperial.
    A LOG is a file, or a sample log of a ruleset: imperial:quickstart.

    Exit codes: 0 success, 1 problems found, 2 unreadable input or wrong usage.
    """


def run(args: list[str] | None = None) -> int:
    """Runs a command and returns its exit code. Raises only `BrokenPipeError`."""
    try:
        # Not `cli.main`: it answers a closed pipe with exit code 1, as if there were problems.
        with cli.make_context("rulespec", sys.argv[1:] if args is None else args) as context:
            return _invoked(context)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        return _tell_usage(error)
    except (click.Abort, KeyboardInterrupt):
        output.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return _last_resort(error)


def _invoked(context: click.Context) -> int:
    """Runs the command of a context; unexpected exceptions become a message."""
    try:
        code = cli.invoke(context)
    except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
        raise
    except Exception as error:  # people get a line, never a traceback
        return _last_resort(error)
    return code if isinstance(code, int) else 0


def _tell_usage(error: click.ClickException) -> int:
    """Prints a usage error with escaped arguments, unlike click."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        for line in context.get_usage().split("\n"):
            output.echo(line, err=True)
        output.echo(f"Try '{context.command_path} {context.help_option_names[0]}' for help.", err=True)
        output.echo(err=True)
    output.echo(f"Error: {error.format_message()}", err=True)
    return output.UNUSABLE


def _last_resort(error: Exception) -> int:
    from rulespec.diagnostics.report import DiagnosticsError
    from rulespec.engine.game.option import RulesetFaultError

    if isinstance(error, DiagnosticsError):
        output.show(error.diagnostics)
        return output.UNUSABLE
    if isinstance(error, RulesetFaultError):
        output.show([error.diagnostic])
        return output.PROBLEMS
    if os.environ.get("RULESPEC_DEBUG"):
        raise error
    if isinstance(error, OSError):
        return _tell_failure(error)
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":  # bots, stores and whole games need it
        output.echo("Error: this needs numpy: pip install 'rulespec[wasm]'", err=True)
        return output.UNUSABLE
    if isinstance(error, MemoryError) or str(error) == "can't start new thread":
        output.echo("Error: there is not enough memory", err=True)
        return output.UNUSABLE
    detail = f": {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    head = output.style("error[RS901]", err=True, fg="red", bold=True)
    output.echo(f"{head}: this program has failed{'' if is_of_seats() else detail}", err=True)
    output.echo(" = help: please report it; RULESPEC_DEBUG=1 shows the traceback", err=True)
    return output.UNUSABLE


def _tell_failure(error: OSError) -> int:
    """Prints a system error; one without a file name concerns the output."""
    name, reason = error.filename, error.strerror or str(error)
    text = f"the output cannot be written: {reason}" if name is None else f"{os.fsdecode(name)}: {reason}"
    output.echo(f"Error: {text}", err=True)
    return output.UNUSABLE


def main() -> None:
    """The entry point of the process."""
    _open_streams()
    # Rulesets stay in memory: collecting garbage every 700 objects would take a tenth of the time.
    gc.set_threshold(200_000)
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        code = BROKEN_PIPE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:  # the last output, or even the message, cannot be written
        code = output.UNUSABLE
        with suppress(OSError):
            _tell_failure(error)
    _close_streams()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Exits the process at once, as Python would first free all objects one by one."""
    alone = "multiprocessing" not in sys.modules and threading.active_count() == 1
    if alone and sys.gettrace() is None and sys.getprofile() is None:  # otherwise a regular exit is needed
        atexit._run_exitfuncs()
        _close_streams()
        os._exit(code)
    gc.freeze()
    sys.exit(code)


class _Closed(io.TextIOBase):
    """Standard output that was closed before the program started; writing to it fails, as in other programs."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, "the stream is closed")


def _open_streams() -> None:
    with suppress(OSError):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass  # otherwise the next opened file would take the number of a closed stream
        os.close(descriptor)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A character that a terminal cannot show becomes a question mark, not an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=piped_encoding(stream, os.name), errors="replace")
    if sys.stdout is None:
        sys.stdout = _Closed()


def piped_encoding(stream: IO[str], system: str) -> str | None:
    """The encoding to set on a stream; None to keep its own. On Windows, pipes and files have a legacy encoding."""
    as_is = system != "nt" or stream.isatty() or "PYTHONIOENCODING" in os.environ
    return None if as_is else "utf-8"


def _close_streams() -> None:
    """Closes the standard streams, so that a failed flush at exit prints no traceback."""
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), number)


if __name__ == "__main__":
    main()
