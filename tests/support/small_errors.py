"""A small ruleset with some files replaced, and its validation by `rulespec validate`."""

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
    """Writes the base ruleset with some files replaced into the folder `errors`."""
    monkeypatch.chdir(tmp_path)

    def make(files: dict[str, str]) -> Path:
        return write(tmp_path / "errors", files, BASE)

    return make


def validate(*args: str, answer: str = "") -> tuple[int, str]:
    """The exit code and the output of `validate` without games; its questions are answered with `answer`."""
    result = CliRunner().invoke(cli, ["validate", "--no-play", *args], input=answer)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout
