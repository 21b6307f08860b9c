"""A small ruleset with files put over it, and `rulespec validate` over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import write
from click.testing import CliRunner
from folders import RULESETS

from rulespec.cli.main import cli

BASE = RULESETS / "errors"

Make = Callable[[dict[str, str]], Path]


@pytest.fixture
def ruleset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a ruleset of the base and some files over it, in the folder `errors` below the current one."""
    monkeypatch.chdir(tmp_path)

    def make(files: dict[str, str]) -> Path:
        return write(tmp_path / "errors", files, BASE)

    return make


def validate(*args: str, answer: str = "") -> tuple[int, str]:
    """The exit code and the output of a command that plays no games, whose questions get `answer`."""
    result = CliRunner().invoke(cli, ["validate", "--no-play", *args], input=answer)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout
