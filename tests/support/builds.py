"""Copies of the checkout, their builds, and environments in which to install these."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from folders import ROOT

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def finished(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, check=False)


def run(*words: object, folder: Path) -> str:
    done = finished(*words, folder=folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def working_copy(folder: Path) -> None:
    """Copies the tracked files to a folder, since a build leaves files in its source folder."""
    listed, packed = folder.parent / "names", folder.parent / "source.tar"
    listed.write_bytes(subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT))
    run("tar", "-C", ROOT, "--null", "-T", listed, "-cf", packed, folder=folder)
    run("tar", "-C", folder, "-xf", packed, folder=folder)


def build(folder: Path, source: Path) -> Path:
    """The wheel built from a checkout or a source archive."""
    run(*PIP, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder: Path, python: str, source: Path) -> Path:
    """The commands' folder of a new environment with a build or checkout; dependencies are installed or borrowed."""
    run(python, "-m", "venv", "--without-pip", folder, folder=folder.parent)
    own = folder / "bin" / "python"
    lent = [] if python != sys.executable else ["--no-deps"]
    if lent:  # a `.pth` file adds folders, but does not process `.pth` files in these
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
        lent += ["--no-build-isolation"]
    run(*PIP, "--python", own, "install", "--quiet", "--no-compile", *lent, source, folder=folder.parent)
    return own.parent
