"""Files with secrets are their owner's alone from the first byte on, also where an old file was everybody's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from commands import spoken

from rulespec.documents.written_files import replaced
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture(autouse=True)
def everybody_may_read(tmp_path: Path) -> object:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    game = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    for text in ("deal(queen)", "deal(king)"):
        game.apply(game.parse(text))
    write_log(tmp_path / "secret.jsonl", game)
    return tmp_path / "secret.jsonl"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


WRITTEN = {
    "a trace": ("x.jsonl", ["replay", "@", "--trace", "x.jsonl"]),
    "a whole log": ("x.jsonl", ["replay", "@", "--out", "x.jsonl"]),
    "the page of the table": ("x.html", ["view", "@", "--omniscient", "--out", "x.html"]),
    "the page of a seat": ("x.html", ["view", "@", "--for", "Ann", "--out", "x.html"]),
    "the log of a seat": ("x.jsonl", ["log", "@", "--for", "Ann", "--out", "x.jsonl"]),
    "the picture of the table": ("x.svg", ["draw", "@", "--out", "x.svg"]),
    "the picture of a seat": ("x.svg", ["draw", "@", "--for", "Bob", "--out", "x.svg"]),
    "a game that is played": ("x.jsonl", ["play", "kuhn_poker", "--players", "2", "--log", "x.jsonl"]),
    "what is played by a seat": ("x.jsonl", ["play", "kuhn_poker", "--players", "2", "--seed", "1"]),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("what", WRITTEN)
def test_what_has_secrets_is_its_owners(
    what: str, old: bool, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, args = WRITTEN[what]
    monkeypatch.chdir(tmp_path)
    out = tmp_path / name
    stdin = f"w {name}\nq\ny\n" if what == "what is played by a seat" else ""
    if old and not stdin:
        out.write_text(secret.read_text("utf-8") if args[0] == "play" else "")
        out.chmod(0o666)
    result = _modes_of_new_files(monkeypatch)
    code, note = spoken(*(str(secret) if arg == "@" else arg for arg in args), stdin=stdin)
    assert code == 0, note
    assert mode(out) == 0o600
    assert not [m for path, m in result if m & 0o077 and Path(path).parent.resolve() == tmp_path and not old]


def _modes_of_new_files(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The permissions with which files are created: what is given away for a moment can be opened in it."""
    results: list[tuple[str, int]] = []
    real = os.open

    def noted(path: str, flags: int, mode: int = 0o777, **more: int | None) -> int:
        if flags & os.O_CREAT:
            results.append((os.fspath(path), mode))
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", noted)
    return results


PUBLIC = {
    "the page of all": ("x.html", ["view", "@", "--out", "x.html"]),
    "the log of all": ("x.jsonl", ["log", "@", "--public", "--out", "x.jsonl"]),
    "the picture of all": ("x.svg", ["draw", "@", "--public", "--out", "x.svg"]),
}


@pytest.mark.parametrize("what", PUBLIC)
def test_what_all_may_see_is_a_file_as_others(
    what: str, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, args = PUBLIC[what]
    monkeypatch.chdir(tmp_path)
    assert spoken(*(str(secret) if arg == "@" else arg for arg in args))[0] == 0
    assert mode(tmp_path / name) == 0o644


def test_a_game_without_secrets_is_a_file_as_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert spoken("play", "nim", "--players", "2", "--log", "nim.jsonl", stdin="1\nq\n")[0] == 0
    assert spoken("view", "nim.jsonl", "--omniscient", "--out", "nim.html")[0] == 0
    assert mode(tmp_path / "nim.jsonl") == mode(tmp_path / "nim.html") == 0o644


def test_a_link_to_an_old_file_leads_to_a_secret_one(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("")
    (tmp_path / "old").chmod(0o644)
    (tmp_path / "link").symlink_to("old")
    with replaced(tmp_path / "link", secret=True) as file:
        file.write("secret\n")
    assert (tmp_path / "link").is_symlink() and mode(tmp_path / "old") == 0o600
