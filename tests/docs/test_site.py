"""The sources of the site, and the check that a site loads nothing from elsewhere. `make docs` builds it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_pages import anchor, headings, prose
from folders import ROOT

from rulespec.load import load_ruleset

SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "source"
    subprocess.run([sys.executable, SITE / "stage.py", folder], check=True)
    return folder


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.md"))


@pytest.mark.proof  # 1.0 s
def test_links_of_the_site_lead_to_its_pages(staged: Path) -> None:
    wrong = []
    for page in pages(staged):
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(str(page))):
            path, _, part = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            linked = (page.parent / path).resolve() if path else page
            there = linked.is_relative_to(staged) and linked.is_file()
            if not there or (part and part not in {anchor(title) for _, title in headings(str(linked))}):
                wrong.append(f"{page.relative_to(staged)}: {target}")
    assert not wrong


def test_every_page_of_the_site_is_in_its_navigation_once(staged: Path) -> None:
    listed = []
    for page in pages(staged):
        for part in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            entries = [line for line in part.splitlines() if line and not line.startswith(":")]
            listed += [(page.parent / f"{entry}.md").resolve().relative_to(staged) for entry in entries]
    assert sorted(listed) == [path for p in pages(staged) if (path := p.relative_to(staged)) != Path("index.md")]


def test_the_index_of_the_language_is_one_click_from_the_start(staged: Path) -> None:
    """A click there leads to the section: every entry of the index is a link."""
    assert "(reference/index.md)" in prose(str(staged / "index.md"))
    entries = re.findall(r"^\* .*$", prose(str(staged / "reference" / "index.md")), re.MULTILINE)
    assert entries and all(re.match(r"\* `[^`]+`: \[", entry) for entry in entries)


@pytest.mark.parametrize(
    "name, text, loads",
    [
        ("page.html", '<a href="https://example.org/">elsewhere</a><img src="_static/a.svg">', False),
        ("page.html", '<img src="https://example.org/a.svg">', True),
        ("page.html", '<script src="//example.org/a.js"></script>', True),
        ("page.html", '<link rel="stylesheet" href="https://example.org/a.css">', True),
        ("page.html", "<style>body { background: url(https://example.org/a.png) }</style>", True),
        ("page.html", '<p style="background: url(https://example.org/a.png)"></p>', True),
        ("style.css", '@import "https://example.org/a.css";', True),
        ("style.css", "/* https://example.org */ body { background: url(a.png) }", False),
        (
            "picture.svg",
            '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://example.org/a.png"/></svg>',
            True,
        ),
        ("picture.svg", '<svg xmlns="http://www.w3.org/2000/svg"><a href="https://example.org/"/></svg>', False),
    ],
)
def test_a_site_loads_nothing_from_elsewhere(tmp_path: Path, name: str, text: str, loads: bool) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    run = subprocess.run([sys.executable, SITE / "offline.py", tmp_path], capture_output=True, text=True)
    assert (run.returncode, "example.org" in run.stderr) == ((1, True) if loads else (0, False))


def test_the_page_of_verdicts_has_a_row_for_each_variant(staged: Path) -> None:
    """Every overlay that Imperial and Imperial 2030 offer as a rule is on it, but for the seven players."""
    page = (staged / "explanation" / "verdicts.json.md").read_text("utf-8")
    editions = {"playimperial", "playimperial_2030", "first_edition", "pd", "economy_2030", "seven_players"}
    for base in ("imperial", "imperial_2030"):
        _, _, rest = page.partition(f"## {base}, ")
        section, _, _ = rest.partition("\n## ")
        rows = re.findall(r"^\| `\+(\w+)`: \w.* \|$", section, re.MULTILINE)
        assert sorted(rows) == sorted({*load_ruleset(base).offered} - editions)
        assert re.search(r"^rulespec playtest .* --seed \d+", section, re.MULTILINE)
        assert all(word in section for word in ("| Length |", "**more**", "undecided"))
