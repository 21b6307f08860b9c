"""The form of the documentation: short lines, links that lead somewhere, YAML that every reader takes, all commands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from docs_pages import anchor, blocks, headings, pages, prose, text, tracked
from folders import ROOT

from rulespec.cli.main import COMMANDS, run

WIDTH = 120

FORMED = pages()
DECISIONS = "docs/explanation/decisions"


def long_lines(page: str) -> list[str]:
    """Lines over 120 columns that could be broken: a row of a table cannot, nor a row of a shipped map."""
    shipped = {
        line
        for block in blocks(page)
        if block.name.endswith("/map.yaml")
        for line in block.body.splitlines()
        if line in (ROOT / "games" / "tutorial" / "map.yaml").read_text("utf-8").splitlines()
    }
    lines = enumerate(text(page).splitlines(), 1)
    return [f"{page}:{n}" for n, line in lines if len(line) > WIDTH and line[:1] != "|" and line not in shipped]


@pytest.mark.parametrize("page", FORMED)
def test_lines_are_short(page: str) -> None:
    assert long_lines(page) == []


@pytest.mark.parametrize("page", FORMED)
def test_a_sentence_ends_its_line(page: str) -> None:
    """A diff then shows the sentences that have changed. Tables and headings are not prose."""
    running = [line for line in prose(page).splitlines() if not line.startswith(("|", "#"))]
    without_code = [re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\([^)]*\)|\"[^\"]*\"", "x", line) for line in running]
    assert [line for line in without_code if re.search(r"[a-z]{3}[.!?] [A-Z]", line)] == []


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, part = target.partition("#")
        linked = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert linked.exists(), f"{page}: {target}"
        if part:
            assert part in {anchor(title) for _, title in headings(str(linked.relative_to(ROOT)))}, f"{page}: {target}"


def test_every_page_is_on_the_map() -> None:
    """A page whose folder has a README is on the map through it."""
    maps = [page for page in pages() if page.startswith("docs/") and page.endswith("/README.md")]
    assert maps[0] == "docs/README.md"
    linked = {
        (ROOT / page).parent / target for page in maps for target in re.findall(r"\]\(([^)#]+\.md)\)", prose(page))
    }
    listed = {ROOT / page for page in pages() if page.startswith("docs/")}
    assert listed - {ROOT / "docs" / "README.md"} <= linked


def test_decisions_are_listed_by_number_and_title() -> None:
    rows = re.findall(
        r"^\| \[(\d+)\]\((\d{4}-[a-z0-9-]+\.md)\) \| (.+) \|$", text(f"{DECISIONS}/README.md"), re.MULTILINE
    )
    assert [name for _, name, _ in rows] == sorted(path.name for path in (ROOT / DECISIONS).glob("0*.md"))
    assert [int(number) for number, *_ in rows] == list(range(1, len(rows) + 1))
    for number, name, title in rows:
        parts = headings(f"{DECISIONS}/{name}")
        assert int(name[:4]) == int(number)
        assert parts[:2] == [(1, title), (2, "Decision")]
        assert parts[2:] in ([], [(2, "Turned down")])


@pytest.mark.parametrize("page", pages())
def test_modules_and_files_that_are_named_exist(page: str) -> None:
    for name in set(re.findall(r"`(rulespec(?:\.[a-z_]+)+)`", prose(page))):
        parent, _, last = name.rpartition(".")
        assert find_spec(name) if last not in vars_of(parent) else True, f"{page}: {name}"
    for name in set(re.findall(r"`((?:rulespec|engine|cli|lsp|tests|docs|games|bench)/[\w/.]+\.\w+)`", prose(page))):
        assert (ROOT / name).exists() or (ROOT / name.replace("NAME", "log")).exists(), f"{page}: {name}"


def vars_of(module: str) -> set[str]:
    """The names that a module defines at its top level, without importing it."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return set()
    return set(re.findall(r"^(?:def |class )?(\w+)", Path(spec.origin).read_text("utf-8"), re.MULTILINE))


def test_every_command_is_in_the_reference() -> None:
    listed = set(re.findall(r"^\| `([a-z]+)", text("docs/reference/commands.md"), re.MULTILINE))
    assert listed == set(COMMANDS)


@pytest.mark.parametrize("page", [page for page in pages() if page != "docs/diagnostics/README.md"])
def test_yaml_in_the_documentation_is_read_by_other_readers(page: str) -> None:
    """But the ruleset `market`: logs in the pages on diagnostics name its hash."""
    for block in blocks(page):
        if block.language == "yaml":
            yaml.safe_load(block.body)


@pytest.mark.proof  # 0.6 s
def test_yaml_that_ships_is_read_by_other_readers() -> None:
    for path in (*tracked("games/*.yaml"), *tracked("tests/rulesets/*.yaml")):
        yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@pytest.mark.parametrize("arguments", [["mine", "--from", "imperial"], ["mine", "--from", "imperial", "--overlay"]])
@pytest.mark.sampled(1)
def test_yaml_that_new_writes_is_read_by_other_readers(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", *arguments]) == 0
    written = [path for path in tmp_path.rglob("*.yaml") if path.is_file()]
    assert written
    for path in written:
        yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("page", FORMED)
def test_pages_import_public_names_alone(page: str) -> None:
    """Public are the names of `rulespec`, of `rulespec.testing` and of `rulespec.guests`."""
    lines = re.findall(r"^(?:>>> |\.\.\. )?\s*(?:from|import) rulespec\..*$", text(page), re.MULTILINE)
    assert [line for line in lines if not re.search(r"from rulespec\.(testing|guests) import", line)] == []
