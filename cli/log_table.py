"""`rulespec log STORE --table ID`: the log of a stored table that is not being served."""

from __future__ import annotations

from pathlib import Path

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.logs.saved_game import SaveError
from rulespec.serve.stored_log import stored_log


def print_table(store: Path, game: str, out: Path | None) -> int:
    """Prints or writes the log of a stored table, up to the first damage; returns the exit code."""
    try:
        log = stored_log(store, game)
    except SaveError as error:
        output.echo(str(error), err=True)
        return output.UNUSABLE
    if log.fault:
        message = f"the table {game} of {store} is damaged: {log.fault}"
        help_ = f"these {output.counted(log.lines, 'line')} of its log are sound"
        output.show([Diagnostic("RS682", Severity.ERROR, message, None, help=help_)])
    if out is None:
        for line in log.text.rstrip("\n").split("\n"):
            output.echo(line)
    else:
        with output.written(out, secret=True) as file:
            file.write(log.text)
        output.echo(f"written: {out}")
    return output.PROBLEMS if log.fault else output.OK
