"""A ruleset names the oldest version that reads it; an older one says that, and nothing besides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli, run
from rulespec.cli.new_game import game_files
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents import versions
from rulespec.documents.schema_check import check_schema
from rulespec.documents.versions import check_needs
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.load import load_ruleset
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import check
from rulespec.schemas import load_schema

WRONG = {
    '"0.2"': "rulespec >=0.2",
    "0.2": "rulespec >=0.2",
    "1": "rulespec >=1",
    "rulespec 0.2": "rulespec >=0.2",
    "rulespec > 0.2": "rulespec >=0.2",
    "rulespec ==0.2": "rulespec >=0.2",
    "rulespec >=0.2, <1": "rulespec >=0.2",
    "rulespec >=v0.2": "rulespec >=0.2",
    "rulespec >=0.2.0.1": "rulespec >=0.2.0",
    ">=0.2": "rulespec >=0.2",
    "python >=3.11": versions.NEEDS,
    "[rulespec >=0.2]": versions.NEEDS,
    "{rulespec: 0.2}": "rulespec >=0.2",
    "": versions.NEEDS,
}
"""Mistakes that authors make → what the message says to write."""


@pytest.fixture
def heap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game as `rulespec new` writes it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in game_files("heap", "Heap", tmp_path / "heap"):
        file = tmp_path / "heap" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "heap"


def says(file: Path, needs: str) -> None:
    """Replaces the line `needs:` of a file."""
    lines = [f"needs: {needs}" if line.startswith("needs:") else line for line in file.read_text("utf-8").splitlines()]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def reported(ref: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a reference, sound or not."""
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return report.diagnostics


@pytest.mark.parametrize("overlay", [False, True], ids=["game", "overlay"])
def test_new_files_need_the_version_that_writes_them(heap: Path, overlay: bool) -> None:
    result = CliRunner().invoke(cli, ["new", "own", "--from", "./heap", *(["--overlay"] if overlay else [])])
    assert result.exit_code == 0, result.output
    file = Path("own.yaml" if overlay else "own/game.yaml")
    assert f"needs: {versions.NEEDS}\n" in file.read_text("utf-8")
    assert f"needs: {versions.NEEDS}\n" in (heap / "game.yaml").read_text("utf-8")
    assert not reported("./heap+./own.yaml" if overlay else "./own")


def test_what_is_needed_is_no_part_of_the_meaning(heap: Path) -> None:
    before = load_ruleset("./heap").hash
    says(heap / "game.yaml", "rulespec >=0.0.1")
    assert load_ruleset("./heap").hash == before


@pytest.mark.parametrize("needs", ["rulespec >=0.1", "rulespec>=0", "'rulespec >= 0.1.0'", "rulespec >=0.0.99"])
def test_a_version_that_is_there_is_enough(heap: Path, needs: str) -> None:
    says(heap / "game.yaml", needs)
    assert not reported("./heap")


@pytest.mark.parametrize("needs", ["0.10", "0.1.1", "999999999"])
def test_versions_are_compared_by_their_numbers(heap: Path, needs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    says(heap / "game.yaml", f"rulespec >={needs}")
    (only,) = reported("./heap")
    assert only.code == "RS160"
    assert str(only.span) == "heap/game.yaml:5:8"
    assert f"pip install --upgrade 'rulespec>={needs}'" in only.help
    monkeypatch.setattr(versions, "RULESPEC", needs)
    assert not reported("./heap")


@pytest.mark.parametrize("needs", WRONG)
def test_another_form_is_a_mistake_with_a_way_out(heap: Path, needs: str) -> None:
    says(heap / "game.yaml", needs)
    (only,) = reported("./heap")
    assert only.code == "RS161"
    assert f"write `needs: {WRONG[needs]}`" in only.help
    assert check_needs(parse_yaml(f"needs: {WRONG[needs]}".replace("0.2", "0.1").replace(">=1", ">=0"), "it")) is None


def test_a_key_that_is_nearly_this_one_is_named(heap: Path) -> None:
    file = heap / "game.yaml"
    file.write_text(file.read_text("utf-8").replace("needs:", "need:"), "utf-8")
    (only,) = reported("./heap")
    assert (only.code, only.help) == ("RS211", "did you mean `needs`?")


# --- a reader that is too old -----------------------------------------------------------------------------------------


def from_later(folder: Path) -> None:
    """Makes a ruleset one of a later version: with keys, rules and files that this one calls mistakes."""
    says(folder / "game.yaml", "rulespec >=9.1")
    for name, more in (
        ("game.yaml", "climate: {storms: true}\n"),
        ("kinds.yaml", "weather: [rain, sun]\n"),
        ("kinds.yml", "kinds: {}\n"),
        ("rules/play.rules", "storm rain: %!\n"),
    ):
        file = folder / name
        file.write_text((file.read_text("utf-8") if file.is_file() else "") + more, "utf-8")


COMMANDS = ["validate ./heap --format json", "format ./heap --check", "diff ./heap ./heap", "new other --from ./heap"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_is_too_old_says_so_and_nothing_else(
    heap: Path, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    from_later(heap)
    assert run(command.split()) != 0
    printed = "".join(capfd.readouterr())
    assert "needs rulespec 9.1 or newer" in printed.replace("these rules need", "needs")
    assert "pip install --upgrade 'rulespec>=9.1'" in printed
    assert not {"RS109", "RS131", "RS132", "RS211"} & set(printed.replace("[", " ").replace("]", " ").split())


def test_so_does_one_that_cannot_read_the_yaml_of_later_versions(heap: Path) -> None:
    from_later(heap)
    file = heap / "game.yaml"
    file.write_text(file.read_text("utf-8") + "- &later x: *y\n", "utf-8")
    assert [d.code for d in reported("./heap")] == ["RS160"]


def test_so_does_one_of_an_overlay_and_of_a_base(heap: Path) -> None:
    (heap / "variants").mkdir()
    text = 'id: own\ntitle: Own\nfor: heap\nversion: "1"\nneeds: rulespec >=9.1\nclimate: rain\n'
    (heap / "variants/own.yaml").write_text(text, "utf-8")
    (heap / "variants/own.rules").write_text("storm rain: %!\n", "utf-8")
    assert not reported("./heap")
    assert [(d.code, d.span and d.span.line) for d in reported("./heap+own")] == [("RS160", 5)]
    assert CliRunner().invoke(cli, ["new", "other", "--from", "./heap"]).exit_code == 0
    from_later(heap)
    assert [(d.code, d.span and Path(d.span.file).parent.name) for d in reported("./other")] == [("RS160", "heap")]


def test_an_editor_shows_it_alone(heap: Path) -> None:
    from_later(heap)
    _, diagnostics = check(str(heap), EditorFiles())
    assert [d.code for d in diagnostics] == ["RS160"]


def test_a_log_that_carries_such_rules_says_so(heap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Path("game.jsonl")
    with monkeypatch.context() as later:
        later.setattr(versions, "RULESPEC", "9.1.2")
        says(heap / "game.yaml", "rulespec >=9.1")
        write_log(log, Game(load_ruleset("./heap"), ["A", "B"]))
    printed = CliRunner().invoke(cli, ["replay", str(log)])
    assert "RS160" in printed.output


def test_a_version_before_this_key_points_at_the_line(heap: Path) -> None:
    """Its schema has no such key; it was tried with that version itself, too."""
    schema = json.loads(json.dumps(load_schema("game")))
    del schema["properties"]["needs"]
    report = Report()
    check_schema(parse_yaml((heap / "game.yaml").read_text("utf-8"), "game.yaml"), schema, report, what="game file")
    (only,) = report.diagnostics
    assert (only.code, str(only.span)) == ("RS211", "game.yaml:5:1")
