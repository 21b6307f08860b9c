"""Commands in separate processes, which can be interrupted as at a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys

from folders import ROOT


def process(*args: object) -> subprocess.Popen[str]:
    """A command in a separate process with its own process group, as at a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "rulespec.cli.main", *map(str, args)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=HEEDS_CTRL_C,
    )


def heeds_ctrl_c() -> None:
    """Restores the handling of Ctrl-C, which processes would ignore if a shell runs the tests in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


HEEDS_CTRL_C = heeds_ctrl_c if sys.platform != "win32" else None
