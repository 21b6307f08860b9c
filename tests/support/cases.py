"""Fixtures as text: small rulesets, and faulty rules with their expected diagnostics.

Lines such as `--- kinds.yaml` divide a text into files. In tests/fixtures/errors, cases start with `=== title`; a line
`    ^ RS221 text @kinds.yaml:5:7` expects a diagnostic with this code in the line above, at the column of the `^`, with
the text in its message or help, and a note at the place after the `@`.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

GAME = """\
id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 4}
units: [money, points]
start: play
"""

_MARK = re.compile(r" *\^ (?P<code>RS\d{3})(?: (?P<text>[^@]*?))?(?: ?@(?P<note>\S+))?")


@dataclass(frozen=True)
class Mark:
    """An expected diagnostic."""

    code: str
    file: str
    line: int
    column: int
    text: str = ""
    note: str = ""


@dataclass
class Case:
    """A case: its title, the suffix of its reference (`+overlay`), its files by name, and the expected diagnostics."""

    title: str
    ref: str = ""
    files: dict[str, str] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)


def diagnostics(ref: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a ruleset, which may be sound."""
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return report.diagnostics


def split(text: str, first: str) -> dict[str, str]:
    """The files in a text, by name; `first` is the name of the part before any `---` line."""
    files: dict[str, list[str]] = {}
    name = first
    for line in text.split("\n"):
        if line.startswith("--- "):
            name = line[4:].strip()
        else:
            files.setdefault(name, []).append(line)
    results = {name: "\n".join(lines) for name, lines in files.items()}
    return {name: body for name, body in results.items() if body.strip() or name != first}


def read_cases(path: Path, first: str = "") -> list[Case]:
    """The cases of a fixture file."""
    cases: list[Case] = []
    for part in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        name, _, ref = title.partition(" [")
        case = Case(name, ref.rstrip("]"))
        for file, text in split(body, first).items():
            rest: list[str] = []
            for line in text.split("\n"):
                if result := _MARK.fullmatch(line):
                    column = line.index("^") + 1
                    text_, note = result["text"] or "", result["note"] or ""
                    case.marks.append(Mark(result["code"], file, len(rest), column, text_, note))
                else:
                    rest.append(line)
            case.files[file] = "\n".join(rest).rstrip("\n") + "\n"
        cases.append(case)
    return cases


def write(folder: Path, files: dict[str, str], base: Path | None = None) -> Path:
    """Writes a ruleset into a folder, on top of a copy of `base`; without `base`, a default game.yaml is added."""
    if base is not None:
        shutil.copytree(base, folder, dirs_exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in {**({} if base else {"game.yaml": GAME}), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
    return folder


def small(folder: Path, text: str, overlays: str = "") -> typed.Ruleset:
    """A ruleset loaded from a single text, whose first part is rules."""
    return load_ruleset(f"{write(folder, split(text, 'rules/play.rules'))}{overlays}")
