"""The formats of `rulespec validate`, and the fixes that it makes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import write
from click.testing import CliRunner
from folders import ROOT, RULESETS, TESTS
from jsonschema import Draft7Validator

from rulespec.cli.main import cli
from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity, Span
from rulespec.diagnostics.render import render_text, to_github
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.sarif import to_sarif
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.fixes import fixed, with_fixes
from rulespec.load import load_ruleset

BASE = RULESETS / "errors"
SARIF = json.loads((TESTS / "fixtures" / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8"))
OVERLAY = 'id: a\ntitle: A\nfor: errors\nversion: "1"\n'
MAP = (BASE / "map.yaml").read_text("utf-8")

Make = Callable[..., Path]


@pytest.fixture
def ruleset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a ruleset of the base and some files over it, in the folder `errors` below the current one."""
    monkeypatch.chdir(tmp_path)

    def make(files: dict[str, str]) -> Path:
        return write(tmp_path / "errors", files, BASE)

    return make


def validate(*args: str, answer: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["validate", *args], input=answer)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def diagnostic(span: Span | None = None, message: str = "it is wrong", **more: Any) -> Diagnostic:
    return Diagnostic("RS221", Severity.ERROR, message, span, **more)


BAD = {"rules/this.rules": "procedure a():\n    set card to crd\n    set turns to crd\n", "kinds.yaml": "kinds: [\n"}


# --- SARIF ------------------------------------------------------------------------------------------------------------


def results(*args: str) -> list[dict[str, Any]]:
    log = json.loads(validate(*args, "--format", "sarif")[1])
    Draft7Validator(SARIF).validate(log)
    items: list[dict[str, Any]] = log["runs"][0]["results"]
    return items


def test_sarif_of_a_sound_ruleset_fits_the_schema_and_has_no_results(ruleset: Make) -> None:
    ruleset({})
    assert [r for r in results("./errors") if r["level"] == "error"] == []


def test_sarif_has_places_notes_and_fixes(ruleset: Make) -> None:
    ruleset({"rules/this.rules": "procedure a(g: guild):\n    set turns to g.rnk\n"})
    (result,) = results("./errors")
    place = {"startLine": 2, "startColumn": 20, "endLine": 2, "endColumn": 23}
    uri = {"uri": "errors/rules/this.rules"}
    assert (result["ruleId"], result["level"]) == ("RS225", "error")
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": uri, "region": place}}]
    kind, near = (r["physicalLocation"] for r in result["relatedLocations"])
    assert [p["artifactLocation"] for p in (kind, near)] == [{"uri": "errors/kinds.yaml"}] * 2
    assert kind["region"]["startLine"] < near["region"]["startLine"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": place, "insertedContent": {"text": "rank"}}]


def test_json_has_the_same_fixes(ruleset: Make) -> None:
    ruleset({"rules/this.rules": "procedure a(g: guild):\n    set turns to g.rnk\n    set turns to nothing_like_it\n"})
    diagnostics = json.loads(validate("./errors", "--format", "json")[1])["rulesets"][0]["diagnostics"]
    place = {"file": "errors/rules/this.rules", "line": 2, "column": 20, "end_line": 2, "end_column": 23}
    assert [d["fix"] for d in diagnostics] == [{"span": place, "text": "rank"}, None]


def test_sarif_describes_each_code_once_with_its_page(ruleset: Make) -> None:
    ruleset(BAD)
    log = json.loads(validate("./errors", "./errors", "--format", "sarif")[1])
    Draft7Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len({json.dumps(r) for r in run["results"]})
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert all(f"# {rule['id']}: {rule['shortDescription']['text']}" in rule["help"]["markdown"] for rule in rules)


def test_sarif_of_what_does_not_exist_has_no_place(ruleset: Make) -> None:
    ruleset({})
    (result,) = results("./nothing")
    assert result["ruleId"] == "RS501" and "locations" not in result
    assert validate("./nothing", "--format", "sarif")[0] == 2


@pytest.mark.parametrize("name", ["a b%.yaml", "/elsewhere/ä.yaml", "\x1b[31m.yaml", "c:d.yaml", "\udcff"])
def test_sarif_names_any_file_by_a_valid_uri(name: str) -> None:
    log = to_sarif([diagnostic(Span(name, 1, 1, 1, 1), fix=Fix(Span(name, 1, 1, 1, 1), "x"))])
    Draft7Validator(SARIF).validate(log)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9._~:/%-]+", uri)


# --- GitHub -----------------------------------------------------------------------------------------------------------


def test_github_names_file_line_and_column(ruleset: Make) -> None:
    ruleset({"rules/this.rules": "procedure a():\n    set card to crd\n"})
    code, out = validate("./errors", "--format", "github")
    assert code == 1
    assert out == (
        "::error file=errors/rules/this.rules,line=2,endLine=2,col=17,title=RS221"
        "::nothing is called `crd` here%0Adid you mean `card`?\n"
    )


def test_github_commands_cannot_be_forged() -> None:
    evil = "x,line=9::100%\n::error::forged\x1b[31m"
    line = to_github(diagnostic(Span(evil, 1, 2, 1, 3), evil, help=evil, label=evil))
    assert "\n" not in line and "\x1b" not in line
    properties = line.removeprefix("::error ").split("::")[0]
    assert [p.split("=")[0] for p in properties.split(",")] == ["file", "line", "endLine", "col", "title"]
    assert to_github(diagnostic()) == "::error title=RS221::it is wrong"


def test_warnings_are_warnings() -> None:
    assert to_github(Diagnostic("RS405", Severity.WARNING, "odd", None)).startswith("::warning ")
    (result,) = to_sarif([Diagnostic("RS405", Severity.WARNING, "odd", None)])["runs"][0]["results"]
    assert result["level"] == "warning"


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 40, 60, 80])
def test_text_fits_the_terminal(width: int) -> None:
    line = "set turns to " + " + ".join(["turns"] * 60)
    d = diagnostic(Span("f", 1, 150, 1, 155), "there is much to say about this " * 5, help="do this, and that " * 9)
    text = render_text([d], {"f": line}, width=width)
    assert max(map(len, text.split("\n"))) <= max(width, 40)
    assert " ".join(text.split()).count("there is much to say about this") == 5
    rows = text.split("\n")
    carets = next(i for i, row in enumerate(rows) if "^" in row)
    at = rows[carets].index("^")
    assert rows[carets - 1][at : at + 5] == "turns"


def test_text_in_a_pipe_is_not_wrapped() -> None:
    assert render_text([diagnostic(None, "word " * 100)], {}).count("\n") == 0


@pytest.mark.parametrize("columns", [50, 90])
def test_a_terminal_gets_colours_lines_that_fit_and_one_hint(columns: int, ruleset: Make) -> None:
    ruleset({"rules/this.rules": "procedure a():\n    set card to crd\n    set g.x to " + "limit + " * 30 + "limt\n"})
    screen, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "rulespec.cli.main", "validate", "./errors", "./errors"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=env, timeout=60, check=False)
    os.close(terminal)
    text = b""
    with contextlib.suppress(OSError):  # the end of a terminal that nobody holds any more
        while part := os.read(screen, 65536):
            text += part
    os.close(screen)
    shown = text.decode().replace("\r", "")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert done.returncode == 1
    assert "\x1b[1;31merror[RS221]" in shown and b"\x1b" not in done.stdout
    assert max(map(len, plain.split("\n"))) <= columns
    assert plain.count("rulespec explain RS221\n") == 1 and plain.endswith("rulespec explain RS221\n")


# --- fixes ------------------------------------------------------------------------------------------------------------

MENDS = {
    # what: (files, overlays, file, before, after)
    "RS211 a key": ({"game.yaml": "+overlais: []\n"}, "", "game.yaml", "overlais:", "overlays:"),
    "RS221 a name": (
        {"rules/this.rules": "procedure a():\n    set card to crd\n"},
        "",
        "rules/this.rules",
        "to crd",
        "to card",
    ),
    "RS225 a fact": (
        {"rules/this.rules": "procedure a(g: guild):\n    set turns to g.rnk\n"},
        "",
        "rules/this.rules",
        "g.rnk",
        "g.rank",
    ),
    "RS245 in a decision": (
        {"rules/this.rules": "procedure a(p: player):\n    decide d by p:\n        option e:\n            again # x\n"},
        "",
        "rules/this.rules",
        "again",
        "ask again",
    ),
    "RS245 in a loop of an option": (
        {
            "rules/this.rules": "procedure a(p: player):\n    decide d by p:\n        option e:\n"
            "            for t in banned:\n                set t.owner to none\n                again\n"
        },
        "",
        "rules/this.rules",
        "again",
        "continue",
    ),
    "RS503 a path": (
        {"variants/a.yaml": OVERLAY + "changes:\n  constants.tol: 3 money\n"},
        "+a",
        "variants/a.yaml",
        "constants.tol:",
        "constants.toll:",
    ),
    "RS503 a step of a path": (
        {"variants/a.yaml": OVERLAY + "changes: {kinds.gild.entities.red.rank: 3}\n"},
        "+a",
        "variants/a.yaml",
        "kinds.gild.",
        "kinds.guild.",
    ),
    "RS504 a line": (
        {"variants/a.yaml": OVERLAY + "changes:\n  constants.limit: 3\n  constants.toll: 3 money\n"},
        "+a",
        "variants/a.yaml",
        "changes:\n  constants.limit: 3\n  constants",
        "changes:\n  constants",
    ),
    "RS504 a line after a gap": (
        {"variants/a.yaml": OVERLAY + "changes:\n  constants.limit: 3\n\n  constants.toll: 3 money\n"},
        "+a",
        "variants/a.yaml",
        "changes:\n  constants.limit: 3\n\n",
        "changes:\n\n",
    ),
    "RS503 an option": (
        {"variants/a.yaml": OVERLAY + "settings: {fgo: true}\n"},
        "+a",
        "variants/a.yaml",
        "fgo",
        "fog",
    ),
    "RS504 the only line": (
        {"variants/a.yaml": OVERLAY + "changes:\n  constants.limit: 3\nsettings: {fog: true}\n"},
        "+a",
        "variants/a.yaml",
        "changes:\n  constants.limit: 3\n",
        "",
    ),
    "RS509 a rule": (
        {"variants/a.yaml": OVERLAY, "variants/a.rules": "remove def incom\n"},
        "+a",
        "variants/a.rules",
        "incom\n",
        "income\n",
    ),
    "RS121 a truth value": (
        {"variants/a.yaml": OVERLAY + "settings: {fog: True}\n"},
        "+a",
        "variants/a.yaml",
        "True",
        "true",
    ),
    "RS122 a version": (
        {"variants/a.yaml": OVERLAY.replace('"1"', "1.0") + "settings: {fog: true}\n"},
        "+a",
        "variants/a.yaml",
        "version: 1.0",
        'version: "1.0"',
    ),
    "RS123 a date": (
        {"variants/a.yaml": OVERLAY + "doc: 2024-01-01\nsettings: {fog: true}\n"},
        "+a",
        "variants/a.yaml",
        "2024-01-01",
        '"2024-01-01"',
    ),
    "RS230 a link in a list": (
        {"map.yaml": MAP.replace("[oak, ash]", "[oak]")},
        "",
        "map.yaml",
        "elm: {tax: 2, road: [oak]}",
        "elm: {tax: 2, road: [oak, ash]}",
    ),
    "RS230 a link in an empty list": (
        {
            "map.yaml": MAP.replace("[oak, ash]", "[oak]")
            .replace("ash: {tax: 3, road: [elm]}", "ash: {tax: 3}")
            .replace("[oak]}\n", "[oak, ash]}\n")
        },
        "",
        "map.yaml",
        "ash: {tax: 3}",
        "ash: {tax: 3, road: [elm]}",
    ),
}


def placed(files: dict[str, str]) -> dict[str, str]:
    """A text that begins with `+` is put after what the base has in that file."""
    base = {n: (BASE / n).read_text("utf-8") for n, t in files.items() if t.startswith("+")}
    return {n: base[n] + t[1:] if n in base else t for n, t in files.items()}


@pytest.mark.parametrize("what", MENDS)
@pytest.mark.sampled(6)
def test_what_is_certain_is_mended(what: str, ruleset: Make) -> None:
    files, overlays, file, before, after = MENDS[what]
    folder = ruleset({})
    for name, text in placed(files).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    old = (folder / file).read_text("utf-8")
    assert old.count(before) == 1
    wrong = [
        d.code for d in diagnostics_of(f"./errors{overlays}") if d.severity is Severity.ERROR or d.code == what[:5]
    ]
    assert wrong == [what[:5]]
    code, out = validate(f"./errors{overlays}", "--fix", "--yes")
    assert (folder / file).read_text("utf-8") == old.replace(before, after)
    assert f"--- a/errors/{file}\n+++ b/errors/{file}\n@@ " in out
    assert (code, [d for d in diagnostics_of(f"./errors{overlays}") if d.code == what[:5]]) == (0, [])


def diagnostics_of(ref: str) -> tuple[Diagnostic, ...]:
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return report.diagnostics


@pytest.mark.parametrize(
    "text",
    [
        "procedure a():\n    set card to zzz\n",  # nothing near
        "procedure a():\n    set turns to limt + limi\n",
        "procedure a():\n    pay 1 from bank to 5\n",
    ],
)
def test_what_is_not_certain_is_left_alone(text: str, ruleset: Make) -> None:
    folder = ruleset(
        {
            "rules/this.rules": text,
            "tables.yaml": (BASE / "tables.yaml").read_text("utf-8").replace("limit: 3", "limit: 3, limits: 4"),
        }
    )
    code, out = validate("./errors", "--fix", "--yes")
    assert code == 1
    assert out.startswith("there is no certain fix\n")
    assert (folder / "rules/this.rules").read_text("utf-8") == text


@pytest.mark.parametrize(
    "changes",
    [
        "changes: {constants.limit: 3}\n",
        "changes:\n  constants.limit: 3  # as before\n",
        "changes:\n  # a comment on what?\n  constants.limit: 3\n  constants.toll: 3 money\n",
        "changes:\n  kinds.guild.entities.red:\n    rank: 1\n",
    ],
)
def test_a_change_that_does_not_stand_alone_on_its_line_is_left_alone(changes: str, ruleset: Make) -> None:
    file = ruleset({"variants/a.yaml": OVERLAY + changes}) / "variants" / "a.yaml"
    assert "RS504" in {d.code for d in diagnostics_of("./errors+a")}
    assert validate("./errors+a", "--fix", "--yes")[0] == 1
    assert file.read_text("utf-8") == OVERLAY + changes


@pytest.mark.parametrize("word", ["yes", "No", "off", "010", "0x1F", "1_000"])
def test_a_word_that_may_be_text_or_not_is_left_alone(word: str) -> None:
    text = f"a: {word}\n"
    span = Span("f", 1, 4, 1, 4 + len(word))
    code = "RS122" if word[0].isdigit() else "RS121"
    assert with_fixes([Diagnostic(code, Severity.ERROR, f"`{word}`", span)], {"f": text})[0].fix is None


def test_of_two_names_that_are_as_near_none_is_taken() -> None:
    assert did_you_mean("limi", ["limiz", "limit"]) == "did you mean `limiz` or `limit`?"
    assert did_you_mean("limt", ["limit", "lemon"]) == "did you mean `limit`?"


def test_two_letters_that_have_changed_places_are_a_slip_and_another_number_is_not() -> None:
    numbered = [f"q{i}" for i in range(1, 53) if i != 27]
    assert did_you_mean("q27", [*numbered, "q72"]) == "did you mean `q72`?"
    assert did_you_mean("q27", [*numbered, "q27_x"]) == "did you mean `q27_x`?"
    assert did_you_mean("q99", numbered) == "did you mean `q9`?"


def test_a_missing_link_is_not_added_where_the_map_has_other_mistakes(ruleset: Make) -> None:
    folder = ruleset({"map.yaml": MAP.replace("oak: {tax: 1, road", "oak: {tax: 1, raod")})
    validate("./errors", "--fix", "--yes")
    assert (folder / "map.yaml").read_text("utf-8") == MAP


def test_the_diff_is_shown_and_asked_about(ruleset: Make) -> None:
    text = "procedure a():\n    set card to crd\n"
    file = ruleset({"rules/this.rules": text}) / "rules/this.rules"
    for answer in ("n\n", "\n", ""):
        code, out = validate("./errors", "--fix", answer=answer)
        assert code == 1
        assert "-    set card to crd\n+    set card to card\n" in out
        assert "nothing is written" in out
        assert file.read_text("utf-8") == text
    code, out = validate("./errors", "--fix", answer="y\n")
    assert code == 0
    assert "card to card" in file.read_text("utf-8")


def test_only_the_rulesets_own_files_are_changed(ruleset: Make, tmp_path: Path) -> None:
    text = "procedure a():\n    set card to crd\n"
    folder = ruleset({"rules/this.rules": text})
    own = 'id: child\ntitle: C\nversion: "1"\nplayers: {kind: player, min: 2, max: 4}\nstart: play\n'
    write(tmp_path / "child", {"game.yaml": own + "units: [money, points]\nextends: ../errors\n"})
    code, out = validate("./child", "--fix", "--yes")
    assert (code, out.splitlines()[0]) == (1, "there is no certain fix")
    assert (folder / "rules/this.rules").read_text("utf-8") == text


def test_an_overlay_named_by_its_path_is_mended(ruleset: Make, tmp_path: Path) -> None:
    ruleset({})
    file = tmp_path / "house.yaml"
    file.write_text(OVERLAY.replace("id: a", "id: house") + "changes: {constants.tol: 3 money}\n", "utf-8")
    assert validate("./errors+./house.yaml", "--fix", "--yes")[0] == 0
    assert "constants.toll" in file.read_text("utf-8")


def test_a_link_to_another_file_is_not_written_through(ruleset: Make, tmp_path: Path) -> None:
    folder = ruleset({})
    outside = tmp_path / "outside.yaml"
    outside.write_text(OVERLAY + "changes: {constants.tol: 3 money}\n", "utf-8")
    (folder / "variants").mkdir()
    (folder / "variants" / "b.yaml").symlink_to(folder / "variants" / "a.yaml")
    (folder / "variants" / "a.yaml").write_text(outside.read_text("utf-8"), "utf-8")
    validate("./errors+b", "--fix", "--yes")
    assert (folder / "variants" / "b.yaml").is_symlink()
    assert "constants.tol:" in (folder / "variants" / "a.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    "before, after",
    [
        (b"procedure a():\r\n    set card to crd\r\n", b"procedure a():\r\n    set card to card\r\n"),
        (b"procedure a():\r\n    set card to crd\n", b"procedure a():\r\n    set card to crd\n"),  # mixed: left alone
        (b"\xef\xbb\xbfprocedure a():\n    set card to crd\n", b"\xef\xbb\xbfprocedure a():\n    set card to crd\n"),
    ],
)
def test_line_ends_stay_as_they_are(before: bytes, after: bytes, ruleset: Make) -> None:
    file = ruleset({}) / "rules/this.rules"
    file.write_bytes(before)
    validate("./errors", "--fix", "--yes")
    assert file.read_bytes() == after


def test_a_written_file_keeps_its_permissions_and_leaves_nothing_beside_it(ruleset: Make) -> None:
    file = ruleset({"rules/this.rules": "procedure a():\n    set card to crd\n"}) / "rules/this.rules"
    file.chmod(0o640)
    validate("./errors", "--fix", "--yes")
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in file.parent.iterdir()) == ["play.rules", "this.rules"]


def test_fix_goes_with_text_only(ruleset: Make) -> None:
    ruleset({})
    assert validate("./errors", "--fix", "--format", "json")[0] == 2
    assert validate("./errors", "--yes")[0] == 2


def test_mends_at_one_place_do_not_mix() -> None:
    place = Span("f", 1, 3, 1, 3)
    texts = {"f": "ab\ncd\n", "g": "x\n"}
    assert fixed(texts, [Fix(place, "1"), Fix(place, "2"), Fix(Span("f", 2, 1, 2, 2), "C")]) == {"f": "ab1\nCd\n"}
    assert fixed(texts, [Fix(Span("f", 1, 1, 2, 2), ""), Fix(Span("f", 1, 2, 1, 3), "B")]) == {"f": "d\n"}
    assert fixed(texts, [Fix(Span("h", 1, 1, 1, 1), "x")]) == {}
    assert fixed({"f": "a"}, [Fix(Span("f", 1, 2, 1, 2), "b"), Fix(Span("f", 9, 9, 9, 9), "c")]) == {"f": "ab"}


def test_a_fix_needs_the_text_that_it_is_about() -> None:
    d = diagnostic(Span("f", 1, 1, 1, 4), "nothing is called `crd` here", help="did you mean `card`?")
    assert with_fixes([d], {"f": "xyz"})[0].fix is None
    assert with_fixes([d], {})[0].fix is None
    assert with_fixes([d], {"f": "crd"})[0].fix == Fix(Span("f", 1, 1, 1, 4), "card")
    note = Label(Span("g", 1, 1, 1, 2), "add `a` to its `b`")
    link = Diagnostic("RS230", Severity.ERROR, "`b` `a` `c`", Span("f", 1, 1, 1, 2), notes=(note,))
    assert with_fixes([link], {"f": "x", "g": "{["})[0].fix is None
