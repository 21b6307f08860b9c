"""Checkouts without links, as git on Windows and unpacked zips are: installs that work, and a refusal."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest
from builds import PIP, environment, finished, run, working_copy
from folders import ROOT

from release.build_backend import plain_links

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the folders of an environment are those of POSIX")
LINKS = {"cli", "diagnostics_pages", "drawing", "engine", "games", "guests", "lsp", "pages", "serve"}
TABLES = ("syntax/automaton.json", "syntax/grammar.json")
BUILD_EDITABLE = (
    "import sys; sys.path.insert(0, 'release'); from build_backend import build_editable; build_editable(sys.argv[1])"
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit: the files of this checkout as they are now."""
    folder = tmp_path_factory.mktemp("repository")
    working_copy(folder)
    run("git", "init", "--quiet", folder, folder=folder)
    run("git", "add", "--all", folder=folder)
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    run("git", *author, "commit", "--quiet", "-m", "All files", folder=folder)
    return folder


@pytest.fixture(scope="module")
def clone(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone") / "rulespec"
    as_on_windows = ("-c", "core.symlinks=false", "-c", "core.autocrlf=true")
    run("git", "clone", "--quiet", *as_on_windows, repository, folder, folder=folder.parent)
    return folder


@pytest.fixture(scope="module")
def unpacked(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that hosts of repositories offer, unpacked by a program that makes no links."""
    folder = tmp_path_factory.mktemp("archive")
    packed = folder / "source.zip"
    run("git", "archive", "--format=zip", f"--output={packed}", "HEAD", folder=repository)
    with zipfile.ZipFile(packed) as file:
        file.extractall(folder / "rulespec")
    return folder / "rulespec"


def test_a_checkout_with_links_is_built_where_it_is() -> None:
    assert plain_links(ROOT) == {}


@pytest.mark.proof
def test_a_clone_on_windows_has_the_same_bytes(clone: Path, repository: Path) -> None:
    paths = [Path("rulespec", "syntax", "grammar.lark"), Path("games", "imperial", "game.yaml")]
    assert [(clone / path).read_bytes() for path in paths] == [(repository / path).read_bytes() for path in paths]


def files(source: Path) -> list[Path]:
    """The files of a checkout, but for what Python compiles."""
    return sorted(path for path in source.rglob("*") if "__pycache__" not in path.parts)


@pytest.mark.parametrize("kind", ["clone", "unpacked"])
@pytest.mark.proof
def test_an_install_from_a_checkout_without_links_works(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source: Path = request.getfixturevalue(kind)
    before = files(source)
    assert {path.name for path in plain_links(source)} == LINKS
    commands = environment(tmp_path / "env", sys.executable, source)
    assert files(source) == before
    assert run(commands / "rulespec", "--version", folder=tmp_path).startswith("rulespec ")
    (installed,) = (tmp_path / "env").glob("lib/python*/site-packages/rulespec")
    assert all((installed / table).is_file() for table in TABLES)
    log = installed / "games/imperial/logs/quickstart.jsonl"
    assert "points" in run(commands / "rulespec", "replay", log, folder=tmp_path)
    assert "RS302" in run(commands / "rulespec", "explain", "RS302", folder=tmp_path)
    licences = (tmp_path / "env").glob("lib/python*/site-packages/rulespec-*.dist-info/licenses/**/LICENSE")
    assert len(list(licences)) == 2


@pytest.mark.proof
def test_an_editable_install_writes_the_parsers_tables(repository: Path, tmp_path: Path) -> None:
    run("git", "clone", "--quiet", repository, tmp_path / "rulespec", folder=tmp_path)
    tables = [tmp_path / "rulespec" / "rulespec" / table for table in TABLES]
    assert not any(table.exists() for table in tables)
    run(sys.executable, "-c", BUILD_EDITABLE, tmp_path, folder=tmp_path / "rulespec")
    assert all(table.is_file() for table in tables)
    assert run("git", "status", "--porcelain", "rulespec", folder=tmp_path / "rulespec") == ""


@pytest.mark.proof
def test_an_editable_install_without_links_is_refused_with_the_way_out(clone: Path) -> None:
    done = finished(*PIP, "install", "--no-deps", "--no-build-isolation", "--editable", clone, folder=clone)
    assert done.returncode != 0
    assert "an editable install needs the links: install it without --editable" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.proof  # 1.5 s
def test_the_way_out_is_one(clone: Path, tmp_path: Path) -> None:
    run("git", "clone", "--quiet", "-c", "core.symlinks=true", clone, tmp_path / "rulespec", folder=tmp_path)
    assert plain_links(tmp_path / "rulespec") == {}


@pytest.mark.parametrize("words", [("-m", "rulespec.cli.main"), ("-m", "rulespec"), ("-m", "pytest", "-q")])
@pytest.mark.sampled(2)
def test_a_checkout_without_links_says_why_it_does_not_run(words: tuple[str, ...], clone: Path) -> None:
    done = finished(sys.executable, *words, folder=clone)
    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("this checkout has plain files in rulespec/ where git has links") == 1
