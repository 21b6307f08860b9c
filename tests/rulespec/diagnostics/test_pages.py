"""Every code has a page, and the pages are true: the bad example has exactly that code where its mark is."""

from __future__ import annotations

import contextlib
import io
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import ROOT
from page_examples import BLOCK, PAGES, Example, Place, base, diagnostics, read_example

from rulespec.cli.main import COMMANDS, cli
from rulespec.cli.main import run as run_command
from rulespec.diagnostics.codes import CODES, FAMILIES
from rulespec.diagnostics.pages import HEADINGS, folder, index, parse_page, read_page
from rulespec.engine.verify import play_check

CANNOT_BE_SHOWN = {
    "RS103": "it needs a file of megabytes",
    "RS104": "it needs bytes that no page can hold",
    "RS106": "it needs a symbolic link",
    "RS107": "it needs hundreds of files or tens of thousands of values",
    "RS113": "it needs tens of thousands of values",
    "RS136": "it is a mistake of the formatter that nobody knows yet",
    "RS220": "the schemas hold nothing that has no code of its own",
    "RS556": "it needs an installation without a library",
    "RS557": "it needs a board of thousands of places",
    "RS567": "it needs YAML of a form that nobody has thought of yet",
    "RS569": "it needs a letter that no font of the system has",
    "RS741": "it is found in Python, by what no command asks",
    "RS742": "it needs a recorded game with a decision out of turn",
    "RS743": "it is found in Python, by what no command asks",
    "RS744": "it needs a CSV file",
    "RS415": "it needs millions of steps",
    "RS416": "it needs millions of steps",
    **dict.fromkeys(("RS470", "RS471", "RS472"), "it needs a picture"),
    "RS574": "it needs a log of tens of thousands of moves",
    "RS575": "it needs millions of steps",
    **dict.fromkeys(("RS580", "RS581"), "it needs a store of games"),
    **dict.fromkeys(("RS583", "RS584"), "it needs recorded situations"),
    "RS602": "it needs a log of megabytes",
    "RS614": "it needs a log of megabytes",
    "RS638": "it needs millions of steps",
    "RS657": "it needs a log of megabytes",
    **dict.fromkeys(("RS680", "RS681", "RS682", "RS683", "RS684"), "it needs a file of SQLite"),
    "RS718": "scenarios report it as RS813; it is seen by programs that set up positions",
    "RS727": "it needs rules that a machine cannot carry out by itself",
    "RS801": "scenarios report it as RS813; it is seen by programs that set up positions",
    "RS802": "scenarios report it as RS813; it is seen by programs that set up positions",
    "RS803": "scenarios report it as RS813; it is seen by programs that set up positions",
    "RS874": "it needs input at a prompt",
    "RS902": "it needs hundreds of mistakes",
    "RS901": "it is a mistake of the program that nobody knows yet",
    "RS903": "it is a mistake of the program that nobody knows yet",
}


def run(example: Example, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The output of the command, in the folder of the ruleset."""
    files = base()
    if "rules/play.rules" in example.files:  # a ruleset of its own, but for the game.yaml
        files = {"game.yaml": files["game.yaml"]}
    home = folder / "market"
    for name, text in {**files, **example.files}.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    monkeypatch.chdir(home)
    monkeypatch.setenv("RULESPEC_PATH", str(folder))
    program, *args = shlex.split(example.command)
    assert program == "rulespec"
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        run_command(args)
    return output.getvalue()


def counted(places: list[Place], example: Example) -> list[Place]:
    """Warnings about the base are not the example's: it leaves unused what it does not show."""
    return sorted(p for p in places if not (p[0] == "RS405" and p[1] not in example.files))


def section(code: str, heading: str) -> str:
    page = read_page(code)
    assert page is not None, f"docs/diagnostics/{code}.md is missing"
    return page.sections[heading]


# --- the pages --------------------------------------------------------------------------------------------------------


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {p.stem for p in PAGES.glob("*.md")} == {"README", "codes", *CODES}


def test_every_code_is_of_a_family() -> None:
    assert all(any(code.startswith(start) for start in FAMILIES) for code in CODES)


@pytest.mark.parametrize("code", CODES)
def test_page_has_its_title_and_its_headings(code: str) -> None:
    page = read_page(code)
    assert page is not None
    assert page.text.startswith(f"# {code}: {CODES[code]}\n")
    assert tuple(page.sections) == HEADINGS
    assert all(page.sections.values())
    assert all(len(line) <= 120 for line in BLOCK.sub("", page.text).split("\n"))


@pytest.mark.parametrize("code", sorted(CODES.keys() - CANNOT_BE_SHOWN.keys()))
@pytest.mark.sampled(18)
def test_the_bad_example_has_this_code_at_its_mark(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = read_example(section(code, "Bad example"))
    if code == "RS721":  # the work of the product, of which tests do a tenth
        monkeypatch.setattr(play_check, "STEPS", 10 * play_check.STEPS)
    output = run(example, tmp_path, monkeypatch)
    assert {place[0] for place in example.places} == {code}
    assert counted(diagnostics(output), example) == sorted(example.places), output
    for line in example.shown:
        assert line in output


@pytest.mark.parametrize("code", CODES)
@pytest.mark.sampled(6)
def test_the_good_example_has_nothing(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = read_example(section(code, "Good example"))
    assert example.files or code in CANNOT_BE_SHOWN
    output = run(example, tmp_path, monkeypatch)
    assert counted(diagnostics(output), example) == [], output
    for line in example.shown:
        assert line in output


@pytest.mark.parametrize("code", sorted(CANNOT_BE_SHOWN.keys() & CODES.keys()))
def test_what_cannot_be_shown_says_how_it_happens(code: str) -> None:
    assert not read_example(section(code, "Bad example")).places


def test_the_base_of_the_examples_has_no_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = run(Example(), tmp_path, monkeypatch)
    assert diagnostics(output) == []


def test_the_index_is_current() -> None:
    assert (PAGES / "codes.md").read_text("utf-8") == index(), "run `python -m rulespec.diagnostics.pages`"


# --- the command ------------------------------------------------------------------------------------------------------


def test_explain_prints_pages_and_the_list() -> None:
    result = CliRunner().invoke(cli, ["explain", "rs221", "RS230"])
    assert result.exit_code == 0
    assert "# RS221: nothing has this name" in result.stdout and "# RS230" in result.stdout
    everything = CliRunner().invoke(cli, ["explain"]).stdout
    assert all(f"  {code}  {title}\n" in everything + "\n" for code, title in CODES.items())
    assert "explain" in COMMANDS


@pytest.mark.parametrize("code", ["RS999", "../RS221", "README", "", "x" * 100_000])
def test_a_code_that_is_none_is_wrong_usage(code: str) -> None:
    result = CliRunner().invoke(cli, ["explain", code])
    assert result.exit_code == 2
    assert "there is no code" in result.stderr


def test_the_pages_ship_with_the_program() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert "diagnostics_pages/*.md" in settings["package-data"]["rulespec"]
    assert folder().resolve() == PAGES


def test_a_page_is_read_by_its_headings() -> None:
    page = parse_page("# RS221: a title\n\n## What it says\n\nThis.\n\n## Bad example\n\nThat.\n")
    assert page.sections == {"What it says": "This.", "Bad example": "That."}
