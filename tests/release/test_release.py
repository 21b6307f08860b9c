"""The release: refusals before anything is built, and the examples that it tries. `make release DRY=1` is the whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from builds import build, environment, run, working_copy
from folders import ROOT

from release.__main__ import ReleaseError, tag_of, version
from release.smoke import commands, pattern, run_examples
from rulespec.documents.versions import RULESPEC

AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with what a release reads before it builds."""
    (tmp_path / "rulespec" / "documents").mkdir(parents=True)
    (tmp_path / "rulespec" / "documents" / "versions.py").write_text('RULESPEC = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2030-01-01)\n")
    run("git", "init", "--quiet", folder=tmp_path)
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    run("git", "add", "--all", folder=folder)
    run("git", *AUTHOR, "commit", "--quiet", "-m", "All files", folder=folder)


def test_the_version_is_that_of_the_program() -> None:
    assert version(ROOT) == RULESPEC


def test_a_commit_is_tagged_by_its_version(project: Path) -> None:
    assert tag_of(project, dry=False) == "v1.2.3"


@pytest.mark.parametrize("dry", [False, True])
def test_changes_that_are_not_committed_are_refused(project: Path, *, dry: bool) -> None:
    (project / "new.py").touch()
    with pytest.raises(ReleaseError, match="not committed"):
        tag_of(project, dry=dry)


def test_a_version_is_released_once(project: Path) -> None:
    run("git", "tag", "v1.2.3", folder=project)
    with pytest.raises(ReleaseError, match="there is a tag v1"):
        tag_of(project, dry=False)
    assert tag_of(project, dry=True) == "v1.2.3"


def test_a_version_without_changes_is_refused(project: Path) -> None:
    (project / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.2.30\n")
    commit(project)
    with pytest.raises(ReleaseError, match="no heading `## 1"):
        tag_of(project, dry=False)
    assert tag_of(project, dry=True) == "v1.2.3"


def test_an_example_that_fails_ends_the_check(tmp_path: Path) -> None:
    page = "```yaml a.yaml\na: 1\n```\n```python\nprint(open('a.yaml').read())\n```\n```sh\nnothing\n```\n"
    assert run_examples(page, tmp_path) == 1
    with pytest.raises(SystemExit, match="ended with 1"):
        run_examples("```python\n1 / 0\n```\n", tmp_path)


def test_the_readme_has_examples() -> None:
    assert pattern("a …\n…\nb\n") == r"\s*a\s+.*\s*\n(?:.*\n)*b\s*\n\s*"
    assert commands("$ rulespec a\nb\n$ rulespec c \\\n  d\n") == [("rulespec a", "b\n"), ("rulespec c    d", "")]


@pytest.mark.proof
def test_the_readme_runs_from_the_wheel(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    working_copy(tmp_path / "source")
    python = environment(tmp_path / "env", sys.executable, build(tmp_path, tmp_path / "source")) / "python"
    printed = run(python, ROOT / "release" / "smoke.py", ROOT / "README.md", folder=tmp_path)
    assert "examples of README.md run as shown" in printed
