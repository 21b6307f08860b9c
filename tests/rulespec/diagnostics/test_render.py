"""Rendering and collection of diagnostics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import rulespec
from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span, shown
from rulespec.diagnostics.render import render_text, to_json
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean

RULES = "games/imperial/rules/taxation.rules"
KINDS = "games/imperial/kinds.yaml"
SOURCES = {
    RULES: "\n" * 40 + "    pay n.treasury + n.power from bank to n.treasury\n",
    KINDS: "\n" * 11 + "    power: {track: power, unit: points}\n",
}


def diagnostic(span: Span | None, label: str = "", notes: tuple[Label, ...] = (), help_: str = "") -> Diagnostic:
    return Diagnostic("RS312", Severity.ERROR, "it is wrong", span, label, notes, help_)


def rendered(text: str, span: Span, label: str = "", *notes: Label) -> list[str]:
    return render_text([diagnostic(span, label, notes)], {span.file: text}).split("\n")


def test_a_diagnostic_looks_as_in_the_style_guide() -> None:
    d = Diagnostic(
        "RS312",
        Severity.ERROR,
        "`treasury` is money and `power` is points; they cannot be added",
        Span(RULES, 41, 22, 41, 29),
        "points",
        (Label(Span(KINDS, 12, 5, 12, 10), "declared here"),),
        "look a bonus up with `tax_track.bonus(…)`",
    )
    expected = """\
error[RS312]: `treasury` is money and `power` is points; they cannot be added
  --> games/imperial/rules/taxation.rules:41:22
   |
41 |     pay n.treasury + n.power from bank to n.treasury
   |                      ^^^^^^^ points
  ::: games/imperial/kinds.yaml:12:5
12 |     power: {track: power, unit: points}
   |     ----- declared here
   = help: look a bonus up with `tax_track.bonus(…)`"""
    assert render_text([d], SOURCES) == expected
    plain = re.sub(r"\x1b\[[0-9;]*m", "", render_text([d], SOURCES, color=True))
    assert plain == expected


def test_second_places_in_the_same_file_share_its_excerpt() -> None:
    lines = rendered("a: 1\nb: 2\nc: 3\na: 4", Span("f", 4, 1, 4, 2), "again", Label(Span("f", 1, 1, 1, 2), "first"))
    assert lines[1:] == [" --> f:4:1", "  |", "1 | a: 1", "  | - first", "...", "4 | a: 4", "  | ^ again"]


def test_two_places_on_one_line_are_marked_under_one_another() -> None:
    lines = rendered("{a: 1, a: 2}", Span("f", 1, 8, 1, 9), "again", Label(Span("f", 1, 2, 1, 3), "first"))
    assert lines[3:] == ["1 | {a: 1, a: 2}", "  |        ^ again", "  |  - first"]


def test_without_the_text_the_place_is_still_named() -> None:
    d = diagnostic(Span("f", 3, 4, 3, 5), "here", (Label(Span("g", 1, 1, 1, 2), "there"),))
    assert render_text([d], {}).split("\n")[1:] == [" --> f:3:4", "  = here", " ::: g:1:1", "  = there"]


def test_without_a_place_there_is_the_message_alone() -> None:
    text = render_text([diagnostic(None, help_="do this\nor that")], {})
    assert text.split("\n") == [
        "error[RS312]: it is wrong",
        "  = help: do this",
        "          or that",
    ]


def test_a_place_behind_the_end_of_its_line_still_has_a_caret() -> None:
    assert rendered("ab", Span("f", 1, 3, 1, 3))[4] == "  |   ^"
    assert rendered("", Span("f", 1, 1, 1, 1))[4] == "  | ^"
    assert rendered("ab", Span("f", 1, 90, 1, 95))[4] == "  |   ^"


def test_a_place_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert rendered("a: [1,   \n 2]", Span("f", 1, 4, 2, 4))[4] == "  |    ^^^"


@pytest.mark.parametrize(
    "line, column, shown_line, carets",
    [
        ("\tpay x", 6, "    pay x", "        ^"),
        ("{é: x}", 5, "{é: x}", "    ^"),
        ("{日本: x}", 6, "{日本: x}", "       ^"),
        ("{e\u0301: x}", 6, "{e\u0301: x}", "    ^"),
        ("\x1b[31m x", 7, "\\x1b[31m x", "         ^"),
        ("\u202e x", 3, "\\u202e x", "       ^"),
    ],
)
def test_carets_stand_under_their_text_whatever_comes_before(
    line: str, column: int, shown_line: str, carets: str
) -> None:
    lines = rendered(line, Span("f", 1, column, 1, column + 1))
    assert lines[3:5] == [f"1 | {shown_line}", f"  | {carets}"]


@pytest.mark.parametrize("column", [1, 3_000, 5_999])
def test_a_very_long_line_is_shown_through_a_window(column: int) -> None:
    line = "".join("x" if i + 1 == column else "." for i in range(6_000))
    _, _, _, quoted, carets = rendered(line, Span("f", 1, column, 1, column + 1))
    assert len(quoted) < 170
    assert quoted.index("x") == carets.index("^")


def test_two_places_far_apart_on_a_very_long_line_are_both_seen() -> None:
    line = "a" + "." * 5_000 + "b"
    lines = rendered(line, Span("f", 1, 5_002, 1, 5_003), "", Label(Span("f", 1, 1, 1, 2), "first"))
    assert [row[row.index("| ") + 2 :][:1] for row in lines[3:7]] == ["…", " ", "a", "-"]


def test_nothing_from_a_file_can_control_the_terminal() -> None:
    evil = "\x1b]0;x\x07\u202e\x9b\r"
    d = Diagnostic(
        "RS101", Severity.WARNING, evil, Span(evil, 1, 1, 1, 2), evil, (Label(Span("g", 1, 1, 1, 1), evil),), evil
    )
    text = render_text([d], {evil: evil, "g": evil})
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_a_file_below_the_current_folder_is_named_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert " --> sub/f:1:1" in render_text([diagnostic(Span(str(tmp_path / "sub" / "f"), 1, 1, 1, 2))], {})
    assert " --> /elsewhere/f:1:1" in render_text([diagnostic(Span("/elsewhere/f", 1, 1, 1, 2))], {})


def test_json_holds_every_field() -> None:
    d = diagnostic(Span("f", 1, 2, 3, 4), "here", (Label(Span("g", 5, 6, 7, 8), "there"),), "do this")
    assert json.loads(json.dumps(to_json(d))) == {
        "code": "RS312",
        "severity": "error",
        "message": "it is wrong",
        "span": {"file": "f", "line": 1, "column": 2, "end_line": 3, "end_column": 4},
        "label": "here",
        "notes": [{"span": {"file": "g", "line": 5, "column": 6, "end_line": 7, "end_column": 8}, "text": "there"}],
        "help": "do this",
        "fix": None,
    }
    assert to_json(diagnostic(None))["span"] is None


# --- collecting


def test_a_report_is_sorted_by_place_and_has_no_repetitions() -> None:
    report = Report()
    for line in (2, 10, 1, 2):
        report.error("RS201", "wrong", Span("f", line, 1, line, 2))
    report.error("RS111", "wrong", Span("f", 2, 1, 2, 2))
    report.warning("RS202", "wrong", None)
    results = [(d.code, d.span.line if d.span else 0) for d in report.diagnostics]
    assert results == [("RS202", 0), ("RS201", 1), ("RS111", 2), ("RS201", 2), ("RS201", 10)]
    assert report.errors == 4


def test_warnings_alone_are_no_failure() -> None:
    report = Report()
    report.warning("RS201", "odd", None)
    assert report.ok
    report.raise_if_errors()
    report.error("RS201", "wrong", None)
    with pytest.raises(DiagnosticsError, match="wrong"):
        report.raise_if_errors()


def test_a_hint_names_the_closest_word_or_nothing() -> None:
    assert did_you_mean("ionian_see", ["adriatic_sea", "ionian_sea"]) == "did you mean `ionian_sea`?"
    assert did_you_mean("Rome", ["rome"]) == "did you mean `rome`?"
    assert did_you_mean("zzz", ["rome"]) == ""
    assert did_you_mean("a" * 1_000_000, ["a" * 1_000_000]) == ""
    assert did_you_mean("rome", (str(i) for i in range(10**9))) == ""


@pytest.mark.parametrize(
    "word, meant",
    [
        ("Drop", "drop"),
        ("A 1", "a1"),
        ("É-1", "e_1"),
        ("ile", "Île"),
        ("osterreich", "Österreich"),
        ("\uff4fak", "oak"),
        ("new york city", "new_york_city"),
        ("Ü", "u"),
    ],
)
def test_a_name_that_differs_in_case_accents_or_blanks_is_the_closest(word: str, meant: str) -> None:
    assert did_you_mean(word, ["oaks", meant, "a2", "e_2"]) == f"did you mean `{meant}`?"


def test_quoted_text_is_on_one_line_and_bounded() -> None:
    assert shown("a\nb") == "`a\\nb`"
    assert len(shown("x" * 1_000_000)) == 63


def test_every_code_in_the_source_is_registered_and_well_formed() -> None:
    assert all(re.fullmatch(r"RS[1-9]\d\d", code) and title for code, title in CODES.items())
    root = Path(rulespec.__file__).parent.parent
    files = [file for folder in ("rulespec", "engine", "cli") for file in (root / folder).rglob("*.py")]
    used = {code for file in files for code in re.findall(r'"(RS\d{3})"', file.read_text("utf-8"))}
    assert used <= CODES.keys()
