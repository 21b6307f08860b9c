"""One input under test: the commands run on it, and their messages."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import zlib

from rulespec.cli.main import run

_HEAD = re.compile(r"^(?:error|warning)\[(RS\d{3})\]: (.*)|^(?:diverges|reason|failed)\s+(.*)", re.MULTILINE)
_HARMFUL = re.compile(r"[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_WORKFLOW = re.compile(r"^\s*::(?!:).*|##\[.*", re.MULTILINE)
DETAIL = re.compile(r"`[^`]*`|\"[^\"]*\"|[\d,]+|\S*/\S*")


class Wrong(Exception):  # noqa: N818 - a finding of the fuzzer, not an error of ours
    """An outcome that must never occur."""


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


class Session:
    """Runs commands on one input, and records their messages; a new message makes the input interesting."""

    def __init__(self, data: bytes) -> None:
        self.rng = random.Random(zlib.crc32(data))
        self.said: set[str] = set()

    def command(self, *args: str, play: bool = False) -> tuple[int, str]:
        """Runs a command, and returns its exit code and its standard output.

        Without `play`, `validate` plays no games, because most targets play games themselves.

        Raises:
            Wrong: if the code is not 0, 1 or 2, if 1 or 2 comes without a message, if printed data is not JSON, or if
                printed text controls a terminal or a CI runner.
        """
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*args, *(["--no-play"] if args[0] == "validate" and not play else [])])
        text = f"{out.getvalue()}{err.getvalue()}"
        if code not in (0, 1, 2):
            raise Wrong(f"exit code {code} of {args}: {text[:2000]}")
        if code and not text.strip():
            raise Wrong(f"exit code {code} of {args} without a word")
        if "RS901" in text or "Traceback (most" in text:
            raise Wrong(f"{args}: {text[:2000]}")
        if result := _HARMFUL.search(text):
            raise Wrong(f"{args} prints {result.group()!r}: {text[max(0, result.start() - 300) : result.end()]!r}")
        if "github" not in args and (result := _WORKFLOW.search(text)):
            raise Wrong(f"{args} prints a workflow command: {result.group()!r}")
        if {"json", "sarif"} & set(args):
            for line in filter(None, out.getvalue().split("\n")):
                try:
                    json.loads(line, parse_constant=_no_number)
                except ValueError:
                    raise Wrong(f"{args} prints what is no JSON: {line[:2000]}") from None
        self.said.add(f"{args[0]} {code}")
        self.said.update(code + DETAIL.sub("_", "".join(rest)) for code, *rest in _HEAD.findall(text))
        return code, out.getvalue()
