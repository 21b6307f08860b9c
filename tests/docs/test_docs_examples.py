"""The documentation is followed word for word: files are written, commands and Python run, what they print compared."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from docs_pages import Block, blocks, pages
from folders import ROOT
from proofs import proofs_but

from release.smoke import commands, pattern
from rulespec.cli.main import cli
from rulespec.engine.verify import play_check

PAGES = [
    "README.md",
    "docs/concepts.md",
    "docs/explanation/drawing.md",
    "docs/guides/bag_of_cards.md",
    "docs/guides/stack_of_effects.md",
    "docs/guides/bidding.md",
    "docs/guides/longest_road.md",
    "docs/guides/plan.md",
    "docs/guides/draw_a_map.md",
    "docs/guides/hidden_information.md",
    "docs/guides/perft.md",
    "docs/guides/playtest.md",
    "docs/guides/read_a_foreign_log.md",
    "docs/guides/search.md",
    "docs/guides/study_a_game.md",
    "docs/guides/train_a_player.md",
    "docs/guides/variants.md",
    "docs/reference/commands.md",
    "docs/reference/python.md",
    "docs/reference/words.md",
    "docs/tutorials/from_an_idea_to_a_verdict.md",
    "docs/tutorials/from_nothing.md",
    "docs/tutorials/house_rule.md",
    "docs/tutorials/your_own_map.md",
    "games/rails_1889/README.md",
    "games/shadow_of_the_emperor/README.md",
    "games/tetrarchia/README.md",
]
"""The pages that are followed from the first block to the last. Each has a folder of its own, with `games` in it."""

RUN = ("console", "python", "pycon")


def run(command: str, folder: Path) -> str:
    """The output of a command. `rulespec` is the program of this tree; nothing else is run."""
    words = shlex.split(command.partition("#")[0])
    assert words[0] == "rulespec", f"the documentation calls rulespec only, not {words[0]}"
    return CliRunner().invoke(cli, words[1:], env={"COLUMNS": "160"}).output


def follow(block: Block, folder: Path, names: dict[str, Any]) -> None:
    """Writes the file that a block is, or runs it; `names` are the variables of the page's Python."""
    if block.language == "console":
        for command, shown in commands(block.body):
            printed = run(command, folder)
            assert re.fullmatch(pattern(shown), printed + "\n"), f"$ {command}\n{printed}"
    elif block.language == "pycon":
        options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
        example = doctest.DocTestParser().get_doctest(block.body, names, "example", None, block.line)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=options)
        assert runner.run(example, out=report.write, clear_globs=False).failed == 0, report.getvalue()
        names.update(example.globs)
    elif block.name:
        path = folder / block.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, "utf-8")
    elif block.language == "python":
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block.body, f"line {block.line}", "exec"), names)  # noqa: S102  the project's own examples


LONG = ("README.md", "docs/guides/playtest.md", "docs/guides/variants.md", "docs/reference/python.md")
"""Pages whose examples take seconds."""


@pytest.mark.parametrize("page", proofs_but(PAGES, *(page for page in PAGES if page not in LONG)))
@pytest.mark.sampled(3)
def test_a_page_works_word_for_word(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play_check, "STEPS", 150_000_000)  # several games, as pages show
    (tmp_path / "games").symlink_to(ROOT / "games")
    names: dict[str, Any] = {"__name__": "example"}
    for block in blocks(page):
        if not block.reason:
            follow(block, tmp_path, names)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_enough(page: str) -> None:
    """At most one block does not run, and every block names its language."""
    place = [block for block in blocks(page) if block.language in RUN]
    assert sum(not block.reason for block in place) >= max(1, len(place) - 1)
    assert not [block for block in blocks(page) if not block.language], "a block without a language"


def test_no_page_shows_a_command_or_python_without_saying_whether_it_runs() -> None:
    """Elsewhere a block for reading is `text` or `sh`; what is `console` or `python` runs, or says why it does not."""
    unsaid = [
        f"{page}:{block.line}"
        for page in pages()
        if page not in PAGES
        for block in blocks(page)
        if block.language in RUN and not block.reason and not block.name
    ]
    assert unsaid == []


def test_the_map_of_the_tutorial_is_shipped() -> None:
    """It is the ruleset `tutorial`: the same files, with the modelines of this tree."""
    page = blocks("docs/tutorials/your_own_map.md")
    written = {block.name: block.body for block in page if block.name.startswith("lake/")}
    assert len(written) == 6
    for name, body in written.items():
        shipped = (ROOT / "games" / "tutorial" / name.removeprefix("lake/")).read_text("utf-8")
        assert shipped.partition("\n")[2] == body.replace("id: lake", "id: tutorial")
