"""A launcher of `rulespec` that simulates a system without POSIX-only modules and functions.

`python without_posix.py ARGUMENT…`. Files are opened as on Windows: in text mode unless `O_BINARY` is set, and never
folders.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    *("chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg"),
    *("lchown", "mkfifo", "openpty", "pread", "sched_getaffinity", "setsid", "sysconf", "wait4"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
)
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2")
BINARY = 0x8000


def remove_posix() -> None:
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]  # so an import is an ImportError
    for name in FUNCTIONS:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    opened = os.open

    def opened_as_on_windows(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if os.path.isdir(path):  # noqa: PTH112 - a descriptor or bytes, too
            raise PermissionError(13, "Permission denied", path)
        if path != os.devnull and not flags & BINARY:
            raise AssertionError(f"{path} is opened as text")
        return opened(path, flags & ~BINARY, *rest, **named)

    os.O_BINARY = BINARY  # type: ignore[attr-defined]  # Windows has it
    os.open = opened_as_on_windows


if __name__ == "__main__":
    remove_posix()
    from rulespec.cli.main import main

    main()
