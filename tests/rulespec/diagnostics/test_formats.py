"""The formats of `rulespec validate`: SARIF, GitHub, text."""

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
from typing import Any

import pytest
from deadlines import DEADLINE
from folders import ROOT, TESTS
from jsonschema import Draft7Validator
from small_errors import Make, validate

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity, Span
from rulespec.diagnostics.render import render_text, to_github
from rulespec.diagnostics.sarif import to_sarif

SARIF = json.loads((TESTS / "fixtures" / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8"))


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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("columns", [50, 90])
def test_a_terminal_gets_colours_lines_that_fit_and_one_hint(columns: int, ruleset: Make) -> None:
    ruleset({"rules/this.rules": "procedure a():\n    set card to crd\n    set g.x to " + "limit + " * 30 + "limt\n"})
    screen, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "rulespec.cli.main", "validate", "./errors", "./errors"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=env, timeout=DEADLINE, check=False)
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
