"""No command writes into a ruleset that is not at hand: what a reference only looks up by its id is somebody else's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import invoke
from folders import RULESETS

from rulespec.own_files import own_files

OVERLAY = 'id: mine\ntitle: Mine\nfor: nim\nversion: "1.0"\nchanges: {constants.mots: 4}\n'


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ruleset that is found by its id, with a mistake and a line out of layout; `mine.yaml` lies elsewhere."""
    (tmp_path / "here").mkdir()
    shutil.copytree(RULESETS / "nim", tmp_path / "known" / "nim")
    (tmp_path / "here" / "mine.yaml").write_text(OVERLAY)
    (tmp_path / "here" / "mine.rules").write_text("def few(n: int)   ->   bool:\n    n < most\n")
    rules = tmp_path / "known" / "nim" / "rules" / "play.rules"
    rules.write_text(rules.read_text() + "\ndef   much(n: int) -> bool:\n    n > most\n")
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path / "known"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "known" / "nim"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.proof  # 0.4 s
def test_an_overlay_is_put_right_and_its_base_is_not_touched(base: Path) -> None:
    before = contents(base)
    invoke("validate", "nim+./mine.yaml", "--fix", "--yes")
    assert "constants.most: 4" in Path("mine.yaml").read_text()
    tables = base / "tables.yaml"
    tables.write_text(tables.read_text().replace("stones: 9", "stones: yes"))
    before = contents(base)
    assert "there are no safe fixes" in invoke("validate", "nim+./mine.yaml", "--fix", "--yes")[1]
    assert contents(base) == before


def test_an_overlay_is_formatted_and_its_base_is_not_touched(base: Path) -> None:
    before = contents(base)
    assert "1 file, 1 changed" in invoke("format", "nim+./mine.yaml")[2]
    assert Path("mine.rules").read_text().startswith("def few(n: int) -> bool:")
    assert contents(base) == before


@pytest.mark.parametrize("command", [["--record"], ["--check"]])
def test_a_record_of_an_overlay_does_not_lie_in_its_base(base: Path, command: list[str]) -> None:
    Path("mine.yaml").write_text(OVERLAY.replace("mots", "most"))
    before = contents(base)
    invoke("perft", "nim+./mine.yaml", "--record")
    assert invoke("perft", "nim+./mine.yaml", *command)[0] == 0
    assert contents(base) == before
    assert Path("perft/nim+mine.yaml").is_file()


def test_new_writes_its_own_folder_alone(base: Path) -> None:
    before = contents(base)
    assert invoke("new", "other", "--from", "nim")[0] == 0
    assert contents(base) == before


def test_which_files_are_at_hand(base: Path) -> None:
    place = Path.cwd()
    own, folder = own_files("nim+./mine.yaml"), own_files("nim")
    assert place / "mine.rules" in own and place / "mine.yaml" in own
    assert base / "tables.yaml" not in own and base / "tables.yaml" in folder
    assert base / "tables.yaml" in own_files(f"{base}+./mine.yaml")
    (place / "titles").mkdir()
    for name in ("mine.yaml", "mine.de.yaml", "other.yaml"):
        (place / "titles" / name).write_text("")
    assert [p.name for p in sorted((place / "titles").iterdir()) if p in own] == ["mine.de.yaml", "mine.yaml"]
    (place / "link.yaml").symlink_to(base / "tables.yaml")
    assert place / "link.yaml" not in own_files(f"nim+{place}/link.yaml")
