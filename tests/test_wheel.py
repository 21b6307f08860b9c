"""The built wheel, in an environment of its own, beside modules of the user's with the names of our folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from folders import ROOT

OURS = "rulespec/"
SCRIPT = """\
import json, sys
import cli, engine, lsp
from rulespec import Game, RulespecError, load_ruleset, replay_log
game = Game(load_ruleset("imperial"), ["Ann", "Bob"])
print(json.dumps([engine.MINE, cli.MINE, lsp.MINE, len(game.legal_options) > 0, load_ruleset.__code__.co_filename]))
"""


def run(*words: object, folder: Path, path: Path | None = None) -> str:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run(list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def build(folder: Path, source: Path) -> Path:
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps")
    run(*pip, "--no-build-isolation", "--wheel-dir", folder, source, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files: a build leaves its own files in the folder that it builds."""
    folder = tmp_path_factory.mktemp("source")
    listed, packed = folder.parent / "names", folder.parent / "source.tar"
    listed.write_bytes(subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT))
    run("tar", "-C", ROOT, "--null", "-T", listed, "-cf", packed, folder=folder)
    run("tar", "-C", folder, "-xf", packed, folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"), checkout)


def test_the_wheel_claims_one_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        tops = {name.split("/")[0] for name in file.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"rulespec"}


def test_the_source_archive_makes_the_same_wheel(wheel: Path, checkout: Path, tmp_path: Path) -> None:
    """The archive holds files where the checkout has links, and no tests without their fixtures."""
    build_sdist = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build_sdist, tmp_path, folder=checkout)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        members = file.getmembers()
    assert not [m.name for m in members if m.issym() or m.islnk() or "/tests/" in m.name]
    with zipfile.ZipFile(wheel) as direct, zipfile.ZipFile(build(tmp_path, archive)) as through:
        assert sorted(through.namelist()) == sorted(direct.namelist())


def test_everything_that_ships_is_in_the_wheel(wheel: Path, checkout: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        shipped = {name for name in file.namelist() if name.startswith(OURS)}
    wanted = set()
    for top, inside in (("rulespec", ""), ("engine", "engine/"), ("cli", "cli/"), ("lsp", "lsp/"), ("games", "games/")):
        files = (p for p in (checkout / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        wanted |= {OURS + inside + p.relative_to(checkout / top).as_posix() for p in files}
    wanted |= {f"{OURS}diagnostics_pages/{p.name}" for p in (checkout / "docs" / "diagnostics").glob("*.md")}
    assert shipped == wanted


def test_a_users_own_modules_and_ours_leave_one_another_alone(wheel: Path, tmp_path: Path) -> None:
    site, home = tmp_path / "site", tmp_path / "home"
    (home / "games").mkdir(parents=True)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-compile",
    )
    run(*pip, "--target", site, wheel, folder=tmp_path)
    for name in ("engine", "cli", "lsp"):
        (home / f"{name}.py").write_text(f"MINE = '{name}'\n")
    (home / "script.py").write_text(SCRIPT)
    found = json.loads(run(sys.executable, home / "script.py", folder=home, path=site))
    assert found[:4] == ["engine", "cli", "lsp", True] and found[4].startswith(str(site))
    log = site / "rulespec/games/imperial/logs/quickstart.jsonl"
    assert "sound" in run(sys.executable, "-m", "rulespec", "validate", "imperial", folder=home, path=site)
    assert "points" in run(sys.executable, "-m", "rulespec", "replay", log, folder=home, path=site)
    assert "RS302" in run(sys.executable, "-m", "rulespec", "explain", "RS302", folder=home, path=site)
