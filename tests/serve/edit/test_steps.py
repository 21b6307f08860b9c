"""Next steps with a map: their commands, and programs that a page starts."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE, until
from servers import Client

from editors import EditPage, copied, editing
from rulespec.serve.edit.editor import Editor

_LONG = 120
"""Seconds that a program may take before the test fails."""


def outcome(page: EditPage, step: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Reads until the program of a step is as wanted."""
    while not wanted(result := page.programs.get(step, {"state": ""})):
        page.read(_LONG)
    return dict(result)


def ended(program: dict[str, Any]) -> bool:
    return program["state"] in ("done", "failed")


@pytest.mark.proof  # 0.3 s
def test_commands_name_the_players_and_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = Editor(copied("tutorial", tmp_path / "lake")).steps()
    assert [step.command for step in steps] == [
        "rulespec serve ./lake --players 2",
        "rulespec play ./lake --players 2",
        "rulespec playtest imperial ./lake --players 2 --minutes 2",
        "rulespec simulate ./lake --players 3 --games 200 --bots flat:8 --details",
        "rulespec test ./lake",
        "rulespec validate ./lake",
        "rulespec draw ./lake",
    ]


def test_scenarios_run_and_are_shown_to_all_pages(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    for path in (folder / "scenarios").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with editing(folder) as serving:
        page, other = serving.page(), serving.page()
        page.until("picture"), other.until("picture")
        assert page.ask(do="start", step="scenarios") == {"done": "started: Run its scenarios"}
        assert page.ask(do="start", step="scenarios") == {"refused": "it is already running"}
        result = outcome(page, "scenarios", ended)
        assert result["state"] == "failed" and result["text"].startswith("tutorial 0.1: nothing to test")
        assert "Fatal" not in result["text"]
        assert outcome(other, "scenarios", ended) == result
    assert serving.desk.programs.shown["scenarios"].state == "failed"


@pytest.mark.proof
def test_a_table_is_opened_and_goes_on_with_the_next_map_and_ends_with_the_server(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    game = folder / "game.yaml"  # its title is printed before the links
    game.write_text(game.read_text("utf-8").replace('"The Lake"', '"The Lake; Ctrl-C stops it"'), "utf-8")
    with editing(folder) as serving:
        page = serving.page()
        page.until("picture")
        page.ask(do="start", step="table")
        first = outcome(page, "table", ended)
        assert [name for name, _ in first["links"]] == ["A", "B", "spectators", "owner"]
        address, _, key = first["links"][0][1].partition("/#")
        socket = address.replace("http", "ws", 1) + "/socket"
        ann = Client(socket, key)
        ann.send(do="name", name="Ann")
        ann.wait(lambda: ann.state)
        page.edit("set isle title Island")
        page.ask(do="start", step="table")
        again = outcome(page, "table", lambda each: ended(each) and each != first)
        assert again["links"][0][1].startswith(address), "who plays already finds the table where it was"
        back = Client(socket, key)
        back.wait(lambda: back.state)

    def is_closed() -> bool:
        try:
            urllib.request.urlopen(address, timeout=DEADLINE).close()
        except OSError:
            return True
        return False

    until(is_closed, lambda: "the table goes on without its server")


@pytest.mark.proof
def test_a_report_is_written_and_has_an_address_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.serve.edit.step_programs._MINUTES", 0.05)
    with editing(copied("tutorial", tmp_path / "lake")) as serving:
        page = serving.page()
        page.until("picture")
        page.ask(do="start", step="report")
        result = outcome(page, "report", ended)
        ((name, path),) = result["links"]
        with urllib.request.urlopen(serving.base + path) as answer:
            assert name == "the report" and b"<html" in answer.read()
        with pytest.raises(OSError, match="404"):
            urllib.request.urlopen(serving.base + "/report/other")


@pytest.mark.proof  # it plays games in a process of its own
def test_who_wins_is_counted_by_what_players_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.serve.edit.step_programs._GAMES", 4)
    monkeypatch.setattr("rulespec.serve.edit.step_programs._BOT", "random")
    with editing(copied("tutorial", tmp_path / "lake")) as serving:
        page = serving.page()
        page.until("picture")
        assert page.ask(do="start", step="shares") == {"done": "started: See who wins"}
        result = outcome(page, "shares", ended)
        assert result["state"] == "done", result
        lines = [" ".join(line.split()) for line in result["text"].splitlines()]
        heading = next(i for i, line in enumerate(lines) if line.startswith("role"))
        roles = [line for line in lines[heading + 1 :] if "%" in line and "share would be" not in line]
        assert len(roles) >= 3, result["text"]
