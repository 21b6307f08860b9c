"""Commands in processes of their own, which can be stopped as at a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys

from folders import ROOT


def process(*args: object) -> subprocess.Popen[str]:
    """A command in a process of its own, with a group of its own as at a terminal."""
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
    """A shell that has put the tests into the background has them ignore it, and so would their processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


HEEDS_CTRL_C = heeds_ctrl_c if sys.platform != "win32" else None
