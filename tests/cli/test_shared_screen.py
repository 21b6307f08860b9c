"""Two people at one screen: it is wiped and handed over, and nobody finds what another one typed."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deadlines import Deadline, pause
from folders import ROOT, RULESETS

WIPED = "\x1b[H\x1b[2J\x1b[3J"
PLAY = ("play", "wager", "--players", "2", "--names", "Ann,Bob", "--seed", "1")


class Terminal:
    """A command at a terminal of its own."""

    def __init__(self, *args: object) -> None:
        self.screen, end = pty.openpty()
        env = os.environ | {"TERM": "xterm", "RULESPEC_PATH": str(RULESETS), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "rulespec.cli.main", *map(str, args)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=end, stdout=end, stderr=end, env=env, start_new_session=True
        )
        os.close(end)
        self.shown = ""

    def until(self, text: str) -> str:
        """New output, up to a text."""
        begin, deadline = len(self.shown), Deadline()
        while text not in self.shown[begin:]:
            assert not deadline.is_over, self.shown[begin:]
            if select.select([self.screen], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self.screen, 65536).decode("utf-8", "replace").replace("\r\n", "\n")
                except OSError:
                    break
        return self.shown[begin:]

    def type(self, text: str, then: str) -> str:
        """Types a line, and returns what is shown up to a text."""
        os.write(self.screen, f"{text}\n".encode())
        return self.until(then)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.screen)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(*PLAY, "--log", tmp_path / "game.jsonl")
    yield terminal
    terminal.close()


def on_screen(shown: str) -> str:
    """The output that can still be seen, also by scrolling back."""
    return shown.rpartition(WIPED)[2]


def test_the_screen_is_handed_over_and_wiped(played: Terminal) -> None:
    assert "pass the screen to Ann, who presses Enter" in played.until("Enter")
    assert WIPED not in played.shown  # nothing has been shown yet, and what was there before is somebody's
    played.type("", "Ann> ")
    handed = played.type("bid(3)", "Enter")
    assert WIPED in handed and "bid" not in on_screen(handed) and "Bob" in on_screen(handed)
    before_bob = played.type("", "Bob> ")
    assert "3" not in re.findall(r"Ann: (?:has chosen|bids?).*", on_screen(before_bob))
    assert "bid(3)" not in on_screen(played.shown) and "has chosen" in on_screen(played.shown)


@pytest.mark.parametrize("keys", ["\x1b[A", "\x10", "\x12bid\n", "\x19", "\x1b[A\x1b[A", "\x1bp"])
@pytest.mark.sampled(1)
def test_nobody_calls_back_what_another_one_typed(keys: str, played: Terminal) -> None:
    """Arrows, searching and yanking give nothing: what was typed, or deleted, is nowhere."""
    played.until("Enter")
    played.type("", "Ann> ")
    played.type("zebra\x15Ann: bid(3)", "Enter")
    played.type("", "Bob> ")
    answer = played.type(keys, "Bob> ")
    assert not [word for word in ("zebra", "Ann: bid") if word in answer or word in on_screen(played.shown)]


@pytest.mark.proof  # 0.2 s
def test_keys_that_were_pressed_before_hand_nothing_over(played: Terminal) -> None:
    played.until("Enter")
    played.type("", "Ann> ")
    os.write(played.screen, b"bid(3)\n\n\n")
    played.until("Enter")
    pause(0.5)
    assert not select.select([played.screen], [], [], 0)[0]
    assert "Bob> " in played.type("", "Bob> ")


def test_who_speaks_at_the_turn_of_another_one_has_the_screen_for_it(played: Terminal) -> None:
    played.until("Enter")
    played.type("", "Ann> ")
    assert "pass the screen to Bob" in on_screen(played.type("Bob: o", "Enter"))
    assert "bid" in on_screen(played.type("", "to wipe"))
    back = played.type("", "presses Enter")
    assert "pass the screen to Ann" in on_screen(back) and "bid" not in on_screen(back)
    assert "Ann" in on_screen(played.type("", "Ann> "))


@pytest.mark.proof  # 0.2 s
def test_at_the_end_all_see_what_all_may(played: Terminal) -> None:
    played.until("Enter")
    played.type("", "Ann> ")
    left = played.type("q", "\x1b[3J")
    assert WIPED in left and played.process.wait(30) == 0


@pytest.mark.proof  # 0.4 s
def test_alone_or_without_secrets_there_is_nothing_to_hand_over() -> None:
    for args in ((*PLAY, "--bots", "1"), ("play", "nim", "--players", "2")):
        terminal = Terminal(*args)
        try:
            assert "Enter" not in terminal.until("> ")
        finally:
            terminal.close()


def test_the_file_is_its_owners_from_the_first_byte_on(played: Terminal, tmp_path: Path) -> None:
    played.until("Enter")
    played.type("", "Ann> ")
    assert stat.S_IMODE((tmp_path / "game.jsonl").stat().st_mode) == 0o600
