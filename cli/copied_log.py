"""Complete logs written by `rulespec log`: with embedded rules, with rules next to them, or from a store."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.logs.carried import bundle_for, with_bundle, write_beside
from rulespec.engine.logs.native import read_log
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.replay.replay import named_ruleset
from rulespec.load import load_ruleset
from rulespec.references import is_shipped
from rulespec.serve.stored_log import stored_log
from rulespec.typed.rule_traversal import may_hide


def print_bundled(log: Path, rules: str | None, out: Path | None) -> int:
    """Prints or writes a log with embedded rules; returns the exit code."""
    native = read_log(log)
    output.show(native.warnings)
    ruleset = load_ruleset(rules) if rules is not None else named_ruleset(native)
    text = with_bundle(native, bundle_for(native, ruleset))
    if out is None:
        for line in text.rstrip("\n").split("\n"):
            output.echo(line)
        return output.OK
    with output.written(out, secret=may_hide(ruleset)) as file:
        file.write(text)
    output.echo(f"written: {out}, with the rules {ruleset.ref}")
    return output.OK


def write_bundles(logs: tuple[Path, ...], rules: str | None) -> int:
    """Writes the rules of logs next to them, once per ruleset; returns the exit code."""
    load, result = cache(load_ruleset), set()
    for log in logs:
        if is_shipped(log):
            raise click.UsageError(
                f"{log} is a shipped log, which is already beside its rules: copy the log elsewhere first"
            )
        native = read_log(log)
        ruleset = load(rules) if rules is not None else named_ruleset(native, load)
        bundle = bundle_for(native, ruleset, beside=True)
        try:
            path = write_beside(log.parent, bundle)
        except OSError as error:
            raise output.unwritten(log.parent, error) from None
        if path not in result:
            output.echo(f"{path}: the rules {ruleset.ref}")
        result.add(path)
    return output.OK


def print_table(store: Path, game: str, out: Path | None) -> int:
    """Prints or writes the log of a stored table up to the first damage; returns the exit code."""
    try:
        log = stored_log(store, game)
    except SaveError as error:
        output.echo(str(error), err=True)
        return output.UNUSABLE
    if log.fault:
        message = f"the table {game} of {store} is damaged: {log.fault}"
        help_ = f"only the {output.counted(log.lines, 'line')} before the damage can be recovered"
        output.show([Diagnostic("RS682", Severity.ERROR, message, None, help=help_)])
    if out is None:
        for line in log.text.rstrip("\n").split("\n"):
            output.echo(line)
    else:
        with output.written(out, secret=True) as file:
            file.write(log.text)
        output.echo(f"written: {out}")
    return output.PROBLEMS if log.fault else output.OK
