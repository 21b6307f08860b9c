"""Commands run in the process of the tests, with the tests' own rulesets known by id."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result
from folders import RULESETS

from rulespec.cli.main import cli


@pytest.fixture
def known_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tests' rulesets known; for all tests of a file: `pytest.mark.usefixtures("known_rulesets")`."""
    monkeypatch.setenv("RULESPEC_PATH", str(RULESETS))


def invoke(*args: object, stdin: str = "") -> tuple[int, str, str]:
    """Runs a command; returns its exit code, standard output and standard error."""
    result = _run(args, stdin)
    return result.exit_code, result.stdout, result.stderr


def spoken(*args: object, stdin: str = "") -> tuple[int, str]:
    """Runs a command; returns its exit code, and its interleaved output as at a terminal."""
    result = _run(args, stdin)
    return result.exit_code, result.output


def _run(args: tuple[object, ...], stdin: str) -> Result:
    result = CliRunner().invoke(cli, [str(a) for a in args], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
