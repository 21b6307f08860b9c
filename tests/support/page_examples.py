"""The examples of the pages of diagnostics.

An example is the code blocks of its section. A block's info string names a file, as in ```` ```yaml kinds.yaml ````.
The file is laid over the ruleset `market` of docs/diagnostics/README.md, and the command is run in that folder. A line
`    ^ RS221` is not of the file: it marks a place in the line above. A block `console` holds the command (else that is
`rulespec validate market`), and what is to be seen of its output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from folders import ROOT

PAGES = ROOT / "docs" / "diagnostics"

Place = tuple[str, str, int, int]
"""Code, file, line, column; "" and 0 where there is no place."""

BLOCK = re.compile(r"^```(?P<language>\w+) ?(?P<file>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r" *\^ (RS\d{3})")
_DIAGNOSTIC = re.compile(r"^(?:error|warning)\[(RS\d{3})\]: .*(?:\n *--> (.+):(\d+):(\d+))?", re.MULTILINE)


@dataclass
class Example:
    """Files by name, the command, what its output shows, and the diagnostics that are expected."""

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
        # A log ends without a line end: so its last line can be one that is cut off.
        example.files[block["file"]] = "\n".join(rest) + ("" if block["file"].endswith(".jsonl") else "\n")
    return example


def base() -> dict[str, str]:
    return read_example((PAGES / "README.md").read_text("utf-8")).files
