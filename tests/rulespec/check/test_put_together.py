"""Merged rulesets are counted after the merge, and before any work is done with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import GAME, write

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents import kept_trees
from rulespec.documents.yaml_reader import read_yaml
from rulespec.load import load_ruleset
from rulespec.overlays.extension import MAX_REPEATED, Repeated, size
from rulespec.ruleset_files import MAX_FILES, Files
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules

STATE = "state: {n: {type: int}}\n"
OVERLAY = "id: {0}\ntitle: O\nfor: small\nversion: '1'\n"
Parts = dict[str, str]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))


def codes(files: Parts, overlays: str = "") -> list[str]:
    write(Path("one"), {"game.yaml": GAME, "kinds.yaml": STATE, **files})
    report = Report()
    try:
        load_ruleset(f"one{overlays}", report)
    except DiagnosticsError as error:
        return [d.code for d in error.diagnostics if d.severity.value == "error"]
    return []


def options(count: int) -> str:
    return "".join(f"    option o{i}:\n        set n to {i}\n" for i in range(count))


def decisions(count: int, inside: str, name: str = "play") -> str:
    asked = "".join(f"        decide d{i} by p:\n            {inside}\n" for i in range(count))
    return f"procedure {name}():\n    for p in player:\n{asked}"


def groups_within_groups(depth: int) -> str:
    """Groups with an option of two decisions, which each include the group before."""
    text = "options g0:\n    option z:\n        set n to 1\n"
    for i in range(1, depth):
        text += f"options g{i}:\n    option a{i}:\n"
        for name in "pq":
            text += f"        for {name}{i} in player:\n            decide {name}{i}_ by {name}{i}:\n"
            text += f"                include g{i - 1}\n"
    return text


def extended_again(depth: int, tag: str = "") -> str:
    """Extensions of a decision that hold two decisions of that name."""
    text = ""
    for i in range(depth):
        text += f"extend decision d0:\n    option x{tag}{i}:\n"
        for name in "pq":
            text += f"        for {name}{i} in player:\n            decide d0 by {name}{i}:\n"
            text += f"                option y{tag}{i}:\n                    set n to 1\n"
    return text


SAME = "        decide d by p:\n            option k:\n                set n to 1\n"
LAID: dict[str, Callable[[], list[str]]] = {
    "a group that many decisions include": lambda: codes(
        {"rules/g.rules": "options g:\n" + options(800), "rules/p.rules": decisions(800, "include g")}
    ),
    "groups within groups": lambda: codes(
        {"rules/g.rules": groups_within_groups(30), "rules/p.rules": decisions(1, "include g29")}
    ),
    "a decision of one name at many places": lambda: codes(
        {
            "rules/p.rules": "procedure play():\n    for p in player:\n" + SAME * 400,
            "variants/o.yaml": OVERLAY.format("o"),
            "variants/o.rules": "extend decision d:\n" + options(400),
        },
        "+o",
    ),
    "extensions of what extensions add": lambda: codes(
        {
            "rules/p.rules": decisions(1, "option k:\n                set n to 1"),
            "variants/o.yaml": OVERLAY.format("o"),
            "variants/o.rules": extended_again(25),
        },
        "+o",
    ),
    "extensions by overlays that include one another": lambda: codes(
        {"rules/p.rules": decisions(1, "option k:\n                set n to 1")}
        | {f"variants/o{i}.yaml": OVERLAY.format(f"o{i}") + f"includes: [o{i + 1}]\n" * (i < 6) for i in range(7)}
        | {f"variants/o{i}.rules": extended_again(4, f"{i}_") for i in range(7)},
        "+o0",
    ),
}


@pytest.mark.parametrize("what", LAID)
@pytest.mark.sampled(3)
def test_options_that_decisions_share_are_counted(what: str) -> None:
    assert LAID[what]() == ["RS108"]


@pytest.mark.proof
def test_what_fits_is_not_refused() -> None:
    group = "options g:\n" + options(30)
    nodes = 30 * size(parse_rules("options h:\n" + options(1), "h")[0].options)  # type: ignore[attr-defined]
    times = MAX_REPEATED // (2 * nodes)
    assert codes({"rules/g.rules": group, "rules/p.rules": decisions(times, "include g") + "    end game\n"}) == []


def test_copies_are_counted_before_they_are_made() -> None:
    """A copy counts for all of its nodes."""
    repeated, span = Repeated(Report()), parse_rules("procedure p():\n    pass\n", "p")[0].span
    repeated.add(MAX_REPEATED, "this", span)
    with pytest.raises(DiagnosticsError, match="RS108"):
        repeated.add(1, "that", span)


class Counted(Files):
    """Files that count what is read."""

    texts = 0

    def text(self, path: Path, display: str, limit: int) -> str:
        self.texts += 1
        return super().text(path, display, limit)

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        return ()


@pytest.mark.parametrize("number", [MAX_FILES + 1, 5_000])
@pytest.mark.sampled(1)
def test_too_many_files_are_refused_before_they_are_read(number: int) -> None:
    write(Path("one"), {f"rules/f{i}.rules": "# nothing\n" for i in range(number)})
    files, report = Counted(), Report()
    with pytest.raises(DiagnosticsError):
        load_ruleset("one", report, files)
    assert files.texts < 10 and [d.code for d in report.diagnostics] == ["RS107"]


def test_nothing_is_read_after_what_is_too_much() -> None:
    rules = {f"rules/f{i}.rules": "#" * 49_000 + "\n" for i in range(200)}
    write(Path("one"), rules)
    files, report = Counted(), Report()
    with pytest.raises(DiagnosticsError):
        load_ruleset("one", report, files)
    assert files.texts < 10 and {d.code for d in report.diagnostics} == {"RS107"}


CONSTANTS = {
    "products": "".join(f"  c{i}: 'c{i - 1} * c{i - 1}'\n" for i in range(1, 60)),
    "sums": "".join(f"  c{i}: 'c{i - 1} + c{i - 1}'\n" for i in range(1, 200)),
    "differences": "".join(f"  c{i}: '0 - c{i - 1} * 10'\n" for i in range(1, 60)),
    "a long product": "  d: '" + " * ".join(["99999"] * 100) + "'\n",
}


@pytest.mark.parametrize("what", CONSTANTS)
def test_constants_that_grow_are_told_where_they_become_too_large(what: str) -> None:
    write(Path("one"), {"kinds.yaml": STATE, "rules/p.rules": decisions(1, "option k:\n                set n to 1")})
    Path("one/tables.yaml").write_text("constants:\n  c0: 999999\n" + CONSTANTS[what], "utf-8")
    report = Report()
    with pytest.raises(DiagnosticsError):
        load_ruleset("one", report)
    results = [d for d in report.diagnostics if d.code == "RS311"]
    assert len(results) == 1 and results[0].span is not None and results[0].span.file.endswith("tables.yaml")
    assert not [d for d in report.diagnostics if d.severity.value == "error" and d.code != "RS311"]


def test_dialects_are_counted_before_they_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    dialects = {f"dialects/d{i}.yaml": "id: d\n" for i in range(600)}
    play = "procedure play():\n    end game\n"
    write(Path("one"), {"game.yaml": GAME, "rules/p.rules": play, **dialects})
    assert run(["validate", "one"]) == 1
    note = capsys.readouterr().err
    assert note.count("error[") == 1 and "error[RS107]: this ruleset has more than 50 dialects" in note


def test_the_list_of_offered_overlays_is_read_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of many overlays without a file is reported at its place."""
    read: list[Path] = []

    def counted(path: Path, *more: Any) -> Any:
        read.append(path)
        return read_yaml(path, *more)

    monkeypatch.setattr(kept_trees, "read_kept", counted)
    offered = ", ".join(f"o{i}" for i in range(150))
    play = "procedure play():\n    end game\n"
    write(Path("one"), {"game.yaml": f"{GAME}overlays: [{offered}]\n", "rules/p.rules": play})
    assert run(["validate", "one"]) == 1
    assert capsys.readouterr().err.count("error[RS502]") == 150 and len(read) == 1
