"""The built wheel, in an environment of its own, beside modules of the user's with the names of our folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from builds import build, environment, run, working_copy
from docs_pages import tracked
from folders import ROOT

from rulespec.documents.versions import RULESPEC

OURS = "rulespec/"
BUILD_SDIST = (
    "import sys; sys.path.insert(0, 'release'); from build_backend import build_sdist; build_sdist(sys.argv[1])"
)
SCRIPT = """\
import json
import cli, engine, games.own, lsp, pages
from rulespec import Game, RulespecError, load_ruleset, replay_log
game = Game(load_ruleset("imperial"), ["Ann", "Bob"])
mine = [engine.MINE, cli.MINE, lsp.MINE, pages.MINE, games.own.MINE]
print(json.dumps([*mine, bool(game.legal_options), load_ruleset.__code__.co_filename]))
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    working_copy(folder)
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"), checkout)


@pytest.fixture(scope="module")
def archive(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    run(sys.executable, "-c", BUILD_SDIST, folder, folder=checkout)
    (result,) = folder.glob("*.tar.gz")
    return result


@pytest.mark.proof
def test_the_wheel_claims_one_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        tops = {name.split("/")[0] for name in file.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"rulespec"}


@pytest.mark.proof
def test_the_source_archive_makes_the_same_wheel(wheel: Path, archive: Path, tmp_path: Path) -> None:
    """The archive holds files where the checkout has links, and no tests without their fixtures."""
    with tarfile.open(archive) as file:
        members = file.getmembers()
    assert not [m.name for m in members if m.issym() or m.islnk() or "/tests/" in m.name]
    with zipfile.ZipFile(wheel) as direct, zipfile.ZipFile(build(tmp_path, archive)) as through:
        assert sorted(through.namelist()) == sorted(direct.namelist())


def test_the_version_is_that_of_the_program(wheel: Path) -> None:
    assert wheel.name.startswith(f"rulespec-{RULESPEC}-")
    with zipfile.ZipFile(wheel) as file:
        metadata = file.read(f"rulespec-{RULESPEC}.dist-info/METADATA").decode()
    assert "\n# Rulespec\n" in metadata and "Description-Content-Type: text/markdown" in metadata


def test_everything_that_ships_is_in_the_wheel(wheel: Path, checkout: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        shipped = {name for name in file.namelist() if name.startswith(OURS)}
    wanted = set()
    for top in ("rulespec", "engine", "drawing", "cli", "lsp", "pages", "serve", "guests", "games"):
        inside = "" if top == "rulespec" else f"{top}/"
        files = (p for p in (checkout / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        wanted |= {OURS + inside + p.relative_to(checkout / top).as_posix() for p in files}
    wanted |= {f"{OURS}diagnostics_pages/{p.name}" for p in (checkout / "docs" / "diagnostics").glob("*.md")}
    assert shipped == wanted


@pytest.mark.proof
def test_the_tables_of_the_parser_are_in_both_builds(wheel: Path, archive: Path, tmp_path: Path) -> None:
    """They are not in git: a build writes them."""
    tables = {f"rulespec/syntax/{name}.json" for name in ("automaton", "grammar")}
    assert tables.isdisjoint(path.relative_to(ROOT).as_posix() for path in tracked("rulespec/syntax/*"))
    with zipfile.ZipFile(wheel) as file:
        assert tables <= set(file.namelist())
        file.extractall(tmp_path)
    code = "from rulespec.syntax import parse_table; print(parse_table.is_current())"
    assert run(sys.executable, "-c", code, folder=tmp_path) == "True\n"
    with tarfile.open(archive) as packed:
        assert tables <= {name.partition("/")[2] for name in packed.getnames()}


def answers(python: str) -> bool:
    """Whether a Python is there, and no stand-in for one that is not."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def other_pythons() -> list[Any]:
    """Other versions that the project claims; in `make proof`, and where they are at hand: they ask for packages."""
    claimed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    names = [f"python{c.rpartition(' ')[2]}" for c in claimed if c.startswith("Programming Language :: Python :: 3.")]
    place = f"python{sys.version_info.major}.{sys.version_info.minor}"
    absent = pytest.mark.skipif
    return [
        pytest.param(name, marks=[pytest.mark.proof, absent(f"not answers({name!r})", reason=f"there is no {name}")])
        for name in names
        if name != place
    ]


@pytest.mark.skipif(os.name != "posix", reason="the folders of an environment are those of POSIX")
@pytest.mark.parametrize("python", [sys.executable, *other_pythons()])
@pytest.mark.proof
def test_a_users_own_modules_and_ours_leave_one_another_alone(python: str, wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "games").mkdir(parents=True)
    commands = environment(tmp_path / "env", python, wheel)
    for name in ("engine", "cli", "lsp", "pages", "games/own"):
        (home / f"{name}.py").write_text(f"MINE = '{name}'\n")
    (home / "script.py").write_text(SCRIPT)
    result = json.loads(run(commands / "python", home / "script.py", folder=home))
    assert result[:6] == ["engine", "cli", "lsp", "pages", "games/own", True] and result[6].startswith(
        str(tmp_path / "env")
    )
    assert run(commands / "rulespec", "--version", folder=home).startswith(f"rulespec {RULESPEC}\n")
    assert "sound" in run(commands / "rulespec", "validate", "imperial", folder=home)
    assert "sound" in run(commands / "python", "-m", "rulespec", "validate", "imperial", folder=home)
    log = next((tmp_path / "env").glob("lib/python*/site-packages/rulespec/games/imperial/logs/quickstart.jsonl"))
    assert "points" in run(commands / "rulespec", "replay", log, folder=home)
    assert "RS302" in run(commands / "rulespec", "explain", "RS302", folder=home)
