"""The examples on the diagnostics pages.

An example consists of the code blocks in its section. A block's info string names a file, as in ```` ```yaml kinds.yaml
````. The file replaces one of the ruleset `market` of docs/diagnostics/README.md, and the command runs in that folder.
A line `    ^ RS221` is not part of the file: it marks a place in the line above. A block `console` has the command, by
default `rulespec validate market`, and parts of its expected output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from folders import ROOT

PAGES = ROOT / "docs" / "diagnostics"

Place = tuple[str, str, int, int]
"""A place: code, file, line and column; "" and 0 without a place."""

BLOCK = re.compile(r"^```(?P<language>\w+) ?(?P<file>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r" *\^ (RS\d{3})")
_DIAGNOSTIC = re.compile(r"^(?:error|warning)\[(RS\d{3})\]: .*(?:\n *--> (.+):(\d+):(\d+))?", re.MULTILINE)


@dataclass
class Example:
    """An example: files by name, the command, its expected output, and the expected diagnostics."""

    files: dict[str, str] = field(default_factory=dict)
    command: str = "rulespec validate market"
    shown: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


def diagnostics(text: str) -> list[Place]:
    return [(code, file, int(line or 0), int(column or 0)) for code, file, line, column in _DIAGNOSTIC.findall(text)]


def read_example(section: str) -> Example:
    example = Example()
    for block in BLOCK.finditer(section):
        lines = block["body"].split("\n")[:-1]
        if block["language"] == "console":
            example.command = lines[0].removeprefix("$ ")
            example.shown = lines[1:]
            example.places += diagnostics("\n".join(lines[1:]))
            continue
        if not block["file"]:
            continue
        rest: list[str] = []
        for line in lines:
            if mark := _MARK.fullmatch(line):
                example.places.append((mark[1], block["file"], len(rest), line.index("^") + 1))
            else:
                rest.append(line)
        # without a final line end, so that the last line of a log can be truncated
        example.files[block["file"]] = "\n".join(rest) + ("" if block["file"].endswith(".jsonl") else "\n")
    return example


def base() -> dict[str, str]:
    return read_example((PAGES / "README.md").read_text("utf-8")).files
