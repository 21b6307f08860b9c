"""Arguments and flags shared by commands: logs, settings, words, fractions, number of players, backend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.documents.carried_over import BACKENDS, FLAGS
from rulespec.engine.program.long_values import counting
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.logs.native import LogHeader
    from rulespec.engine.words.words import Names, Words
    from rulespec.typed import nodes as typed


class LogPath(click.ParamType[Path]):
    """The parameter type of an existing log."""

    name = "log"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path of the given file or sample log."""
        return Path(with_samples(str(value)))


class RefOrLog(click.ParamType[str]):
    """The parameter type of a ruleset reference or an existing log."""

    name = "reference"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The reference, or the path of the given file or sample log."""
        return with_samples(str(value))


def with_samples(text: str) -> str:
    """The path of the sample log that an argument names; any other argument is returned unchanged.

    Raises:
        DiagnosticsError: as for `sample`.
    """
    if ":" not in text:
        return text
    from rulespec.engine.logs.samples import sample

    path = sample(text)
    return text if path is None else str(path)


_F = TypeVar("_F", bound=Callable[..., object])
_NEW = "--set"


def settings_flag(command: _F) -> _F:
    """Adds `--set` to a command, as `settings`; the flag's former name is a usage error with a hint."""
    for old, new in FLAGS.items():
        if new == _NEW:
            command = click.option(old, multiple=True, hidden=True, expose_value=False, callback=_renamed)(command)
    help_ = "A setting of the ruleset; repeatable."
    return click.option(_NEW, "settings", multiple=True, metavar="KEY=VALUE", help=help_)(command)


def _renamed(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    if values and not ctx.resilient_parsing:
        raise click.UsageError(f"{param.opts[0]} is now called {_NEW}: write {_NEW} {values[0]}")


def number_of_players(ruleset: typed.Ruleset, said: int | None) -> int:
    """The given number of players, or the only number that the game supports.

    Raises:
        click.UsageError: if no number is given and several are possible.
    """
    least, most = ruleset.players
    if said is None and least != most:
        raise click.UsageError(f"give --players N: `{ruleset.ref}` is for {least} to {most} players")
    return least if said is None else said


def same_table(
    file: str | Path,
    header: LogHeader,
    ruleset: typed.Ruleset,
    players: int | None,
    settings: Mapping[str, str],
) -> None:
    """Checks that a saved game has the ruleset, number of players and settings given on the command line.

    Raises:
        click.UsageError: if any of them differs.
    """
    if header.ruleset != ruleset.ref:
        raise click.UsageError(f"{file} is a game of `{header.ruleset}`, not of `{ruleset.ref}`")
    if players is not None and len(header.seats) != players:
        raise click.UsageError(f"{file} is a game of {len(header.seats)} players, not of {players}")
    for name, value in settings.items():
        if header.settings.get(name) != value:
            raise click.UsageError(f"{file} is a game with {name}={header.settings.get(name)}, not {name}={value}")


class BackendChoice(click.Choice[str]):
    """The parameter type of a backend; a former name is a usage error with a hint."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the backend."""
        if (new := BACKENDS.get(value)) is not None:
            self.fail(f"{value} is now called {new}: write --backend {new}", param, ctx)
        return super().convert(value, param, ctx)


YEAR = 366 * 24 * 60
"""A year in minutes, the maximum of any duration on the command line."""


class Finite(click.FloatRange):
    """The parameter type of a finite number within a range; unlike click's range type, it excludes NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number as a float."""
        number: float = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{str(value)[:40]!r} is not a finite number.", param, ctx)
        return float(super().convert(number, param, ctx))


_Command = TypeVar("_Command", bound=Callable[..., Any])


def word_options(command: _Command) -> _Command:
    """Adds `--language` and `--names` to a command."""
    for option in (
        click.option(
            "--names",
            "shown",
            type=click.Choice(["title", "id"]),
            default="title",
            help="Show titles, or ids as files and logs write them.",
        ),
        click.option("--language", metavar="LANGUAGE", help="Show words in this language; default: the ruleset's own."),
    ):
        command = option(command)
    return command


def words_of(ruleset: typed.Ruleset, language: str | None, names: Names) -> Words:
    """The words of a ruleset. If evaluating them takes too many steps, the command warns when it ends.

    Raises:
        DiagnosticsError: as for `Words`.
    """
    from rulespec.engine.program.budget import Budget
    from rulespec.engine.words.words import Words  # lazily: not every run prints words

    words = Words(ruleset, language, names, Budget())
    click.get_current_context().call_on_close(lambda: output.show(words.too_long(), ruleset.sources))
    return words


_OMIT = "omit --backend: the fastest suitable machine then plays the same games"
ELSEWHERE = "play at a table: `rulespec serve` needs no module"
"""The way out for commands that write a module."""
MACHINES = {"wasm": "wasm", "python": "Python", "interpreter": "the interpreter"}
"""The display names of the backends."""


@contextmanager
def wasm_errors(help_: str = _OMIT) -> Iterator[None]:
    """Converts a missing wasm module or engine into a command error; `help_` is the help if the module is missing."""
    from rulespec.engine.wasm.compiler import NoWasmError  # lazily: most runs need none
    from rulespec.engine.wasm.engine import NoWasmtimeError

    try:
        yield
    except NoWasmtimeError as error:
        raise click.ClickException(str(error)) from None
    except NoWasmError as error:
        not_used(f"there is no wasm module for these rules: {error}", help_)


@contextmanager
def backend_errors(backend: str) -> Iterator[None]:
    """At the end of the block, exits with an error if another backend played instead of the requested one."""
    if backend not in ("wasm", "python"):
        yield
        return
    with counting() as handed, wasm_errors():
        yield
    check_used(backend, handed)


def check_used(backend: str, handed: Mapping[str, int]) -> None:
    """Exits with an error if another backend played instead of the requested one."""
    if handed and backend in ("wasm", "python"):
        others = [f"{MACHINES[to]} played instead, {output.counted(n, 'time')}" for to, n in handed.items()]
        not_used(f"the backend `{backend}` was requested, but {' and '.join(others)}")


def played_by(backend: str, handed: Mapping[str, int]) -> str:
    """The backend that played, with the number of decisions that each fallback backend took over."""
    others = (f"{MACHINES[to]} {output.counted(times, 'decision')}" for to, times in handed.items())
    return ", ".join([MACHINES[backend], *others])


def not_used(message: str, help_: str = _OMIT) -> NoReturn:
    """Reports that the requested backend was not used, and exits with code 1."""
    output.show([Diagnostic("RS727", Severity.ERROR, message, None, help=help_)])
    raise click.exceptions.Exit(output.PROBLEMS)
