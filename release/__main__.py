"""`python -m release`: builds wheel and source archive, checks both, and tags the commit; uploads nothing.

`--dry-run` omits the tag.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("build", "twine")


class ReleaseError(Exception):
    """A refused release; the text is the reason."""


def version(root: Path) -> str:
    """The version in the project's metadata."""
    text = (root / "rulespec" / "documents" / "versions.py").read_text("utf-8")
    line = re.search(r'^RULESPEC = "(.+)"$', text, re.MULTILINE)
    if line is None:
        raise ReleaseError("rulespec/documents/versions.py has no line `RULESPEC = …`")
    return line[1]


def tag_of(root: Path, *, dry: bool) -> str:
    """The tag for a release of the current commit.

    Raises:
        ReleaseError: if there are uncommitted changes; or, except in a dry run, if the tag exists or the changelog has
            no heading for the version.
    """
    number = version(root)
    tag = f"v{number}"
    if _run("git", "status", "--porcelain", folder=root):
        raise ReleaseError("the checkout has changes that are not committed: a release is built from a commit")
    if dry:
        return tag
    if _run("git", "tag", "--list", tag, folder=root):
        raise ReleaseError(f"there is a tag {tag}: raise RULESPEC in rulespec/documents/versions.py")
    if not re.search(rf"^## \[?{re.escape(number)}\b", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        raise ReleaseError(f"CHANGELOG.md has no heading `## {number}`")
    return tag


def build(root: Path, folder: Path, dist: Path) -> list[Path]:
    """Builds wheel and source archive from a fresh clone of the current commit, and checks their metadata."""
    tools = _environment(folder / "tools", *TOOLS)
    _run("git", "clone", "--quiet", root, folder / "checkout", folder=folder)
    _run(tools, "-m", "build", "--outdir", folder / "dist", folder / "checkout", folder=folder)
    built = sorted((folder / "dist").iterdir())
    _run(tools, "-m", "twine", "check", "--strict", *built, folder=folder)
    dist.mkdir(exist_ok=True)
    return [path.replace(dist / path.name) for path in built]


def check(root: Path, built: Path, folder: Path) -> str:
    """Installs a build in a fresh environment, and runs the README's examples there; returns the last output line."""
    python = _environment(folder / f"env-{built.suffix[1:]}", built)
    return _run(python, root / "release" / "smoke.py", root / "README.md", folder=folder).splitlines()[-1]


def release(root: Path, *, dry: bool) -> None:
    """Builds, checks and tags the current commit.

    Raises:
        ReleaseError: if the commit is not fit for a release.
    """
    tag = tag_of(root, dry=dry)
    with tempfile.TemporaryDirectory(prefix="rulespec-release-") as name:
        for path in build(root, Path(name), root / "dist"):
            _say(f"dist/{path.name} ({path.stat().st_size / 1e6:.1f} MB): {check(root, path, Path(name))}")
    if dry:
        _say(f"dry run: no tag {tag}")
        return
    _run("git", "tag", "--annotate", tag, "--message", f"Rulespec {tag[1:]}", folder=root)
    _say(f"tagged {tag}; nothing is uploaded. Next: `git push origin {tag}`, `twine upload dist/*{tag[1:]}*`")


def _environment(folder: Path, *packages: str | Path) -> Path:
    """The Python interpreter of a new environment with the given packages."""
    _run(sys.executable, "-m", "venv", folder, folder=folder.parent)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, folder=folder)
    return python


def _run(*words: str | Path, folder: Path) -> str:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONUTF8": "1"}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        release(ROOT, dry="--dry-run" in sys.argv[1:])
    except ReleaseError as error:
        sys.exit(f"no release: {error}")
