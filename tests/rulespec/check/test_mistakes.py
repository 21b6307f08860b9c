"""Mistakes that authors make: small bad rulesets, each with what a user sees of it.

A folder of tests/fixtures/mistakes holds the files of a ruleset and `expected.txt`: the command, which is run in that
folder, all that it prints (100 columns, no colours), and its exit code. This writes these files again, from
their first lines; read the difference before you keep it:

    RULESPEC_UPDATE=1 pytest tests/rulespec/check/test_mistakes.py
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
from pathlib import Path

import pytest
from folders import TESTS

from rulespec.cli import output
from rulespec.cli.main import run

MISTAKES = sorted(path for path in (TESTS / "fixtures" / "mistakes").iterdir() if path.is_dir())
EXPECTED = "expected.txt"


@pytest.mark.parametrize("mistake", MISTAKES, ids=[path.name for path in MISTAKES])
def test_what_an_author_is_told(mistake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (mistake / EXPECTED).read_text("utf-8")
    command = expected.partition("\n")[0]
    program, *args = shlex.split(command.removeprefix("$ "))
    assert program == "rulespec"
    folder = tmp_path / "mill"
    shutil.copytree(mistake, folder, ignore=shutil.ignore_patterns(EXPECTED))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    monkeypatch.setattr(output, "width", lambda _=None: 100)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = run(args)
    result = f"{command}\n{printed.getvalue()}exit code {code}\n"
    if os.environ.get("RULESPEC_UPDATE"):
        (mistake / EXPECTED).write_text(result, "utf-8")
    else:
        assert result == expected


def test_there_are_as_many_as_were_asked_for() -> None:
    assert len(MISTAKES) >= 40
