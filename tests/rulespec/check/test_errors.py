"""Mistakes of a ruleset are reported at their places, all at once, and nothing else is reported.

The cases are in tests/fixtures/errors: bad rules over tests/rulesets/errors, with the diagnostics expected for them.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from cases import GAME, Case, Mark, diagnostics, read_cases, small, write
from folders import RULESETS, TESTS

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.load import load_ruleset
from rulespec.overlays.fact_edits import merge

FIXTURES = TESTS / "fixtures" / "errors"
BASE = RULESETS / "errors"
RULES = [c for f in sorted(FIXTURES.glob("*.rules")) for c in read_cases(f, "rules/this.rules")]
DECLARATIONS = read_cases(FIXTURES / "declarations.yaml")
OVERLAYS = read_cases(FIXTURES / "overlays.yaml")
NEWCOMER = TESTS / "fixtures" / "newcomer"
"""Mistakes at each form by people who know another language, over a ruleset that has all of them."""
FIRST_TRIES = read_cases(NEWCOMER / "mistakes.rules", "rules/this.rules")


def by_title(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[c.title for c in cases])


def reports(case: Case, folder: Path, base: Path | None) -> list[tuple[Mark, Diagnostic]]:
    """The reports from loading a case. Warnings count only in the files of the case."""
    files = dict(case.files)
    for name, body in files.items():
        if name.startswith("variants/") and name.endswith(".yaml") and not re.search(r"^for:", body, re.MULTILINE):
            files[name] = f'{body}id: {Path(name).stem}\ntitle: T\nfor: errors\nversion: "1"\n'
    write(folder, files, base)
    result = []
    for d in diagnostics(f"{folder}{case.ref}"):
        assert d.span is not None, d
        file = str(Path(d.span.file).relative_to(folder))
        if file in case.files or d.severity is Severity.ERROR:
            result.append((Mark(d.code, file, d.span.line, d.span.column), d))
    return result


def check(case: Case, folder: Path, base: Path | None) -> None:
    actual = reports(case, folder, base)
    key = [(m.file, m.line, m.column, m.code) for m in case.marks]
    assert sorted((m.file, m.line, m.column, m.code) for m, _ in actual) == sorted(key), actual
    for mark in case.marks:
        fitting = [
            d for m, d in actual if (m.code, m.file, m.line, m.column) == (mark.code, mark.file, mark.line, mark.column)
        ]
        assert any(mark.text in f"{d.message} {d.help}" for d in fitting), (mark, fitting)
        notes = [str(n.span).removeprefix(f"{folder}/") for d in fitting for n in d.notes]
        assert not mark.note or mark.note in notes, (mark, notes)


@by_title(RULES)
@pytest.mark.sampled(60)
def test_bad_rules_are_told_at_their_places(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path / "errors", BASE)


@by_title(DECLARATIONS)
def test_bad_declarations_are_told_at_their_places(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path / "errors", None)


@by_title(OVERLAYS)
def test_bad_overlays_are_told_at_their_places(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path / "errors", BASE)


@by_title(FIRST_TRIES)
@pytest.mark.sampled(60)
def test_first_tries_at_a_form_are_told_the_way_out(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path / "newcomer", NEWCOMER / "base")


@pytest.mark.parametrize("base", [BASE, NEWCOMER / "base"], ids=["errors", "newcomer"])
def test_the_base_of_the_cases_is_sound(base: Path) -> None:
    assert not [d for d in diagnostics(str(base)) if d.severity is Severity.ERROR]


def test_each_form_has_ten_first_tries() -> None:
    forms = Counter(case.title.partition(":")[0] for case in FIRST_TRIES)
    assert len(forms) == 19 and min(forms.values()) >= 10, forms


def test_every_code_of_the_checker_has_a_case() -> None:
    marked = {m.code for c in [*RULES, *DECLARATIONS, *OVERLAYS] for m in c.marks}
    elsewhere = {"RS214", "RS217", "RS219", "RS220", "RS136", "RS501", "RS507"}  # test_source.py, and below
    elsewhere |= {code for code in CODES if code.startswith(("RS55", "RS56"))}  # tests/drawing: they are about pictures
    elsewhere |= {
        code for code in CODES if code.startswith("RS58")
    }  # tests/engine/behaviour: about recorded situations
    elsewhere |= {code for code in CODES if code.startswith("RS47")}  # tests/drawing: they are about drawings
    elsewhere |= {"RS364", "RS365", "RS485"}  # tests/drawing: they are about texts in drawings
    elsewhere |= {"RS368", "RS369"}  # tests/engine/logs: they are about files that are no logs
    elsewhere.add("RS574")  # tests/pages: it is about a page
    elsewhere |= {"RS415", "RS416", "RS575"}  # tests/engine/test_counted_work.py: they are about what is done
    elsewhere |= {code for code in CODES if code.startswith("RS53")}  # tests/engine/words: they are about words
    elsewhere.add("RS242")  # test_facts.py: the checker only reads the checks
    elsewhere.add("RS342")  # test_kept_secrets.py: it is about a log
    wanted = {code for code in CODES if re.match(r"RS(13|2|3|4|5)", code)}
    assert wanted - marked == elsewhere


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.proof)])
def test_all_diagnostics_of_a_run_have_a_cause_and_most_have_a_way_out(tmp_path: Path, step: int) -> None:
    results = [d for n, c in enumerate(RULES[::step]) for _, d in reports(c, tmp_path / str(n) / "errors", BASE)]
    assert all(
        (d.message and d.code in CODES and d.message[0] != d.message[0].upper()) or "`" in d.message for d in results
    )
    assert sum(bool(d.help or d.notes or d.label) for d in results) > 0.6 * len(results)


# --- references


def only(ref: str) -> Diagnostic:
    (diagnostic,) = diagnostics(ref)
    return diagnostic


def test_a_ruleset_that_does_not_exist_is_told_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path / "harvest", {"rules/play.rules": "procedure play():\n    end game\n"})
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert (only("harvst").code, only("harvst").help) == ("RS501", "did you mean `harvest`?")
    assert only("harvest+fog").code == "RS502"
    assert only(str(tmp_path)).code == "RS501"
    assert only("a" * 100_000).code == "RS501"
    assert only("a\0b").code == "RS501"
    assert {d.code for d in diagnostics("harvest" + "+x" * 1_000)} == {"RS502"}


def test_an_overlay_that_does_not_exist_is_told_with_the_nearest(tmp_path: Path) -> None:
    overlay = 'id: thick_fog\ntitle: T\nfor: errors\nversion: "1"\nsettings: {fog: true}\n'
    write(tmp_path / "errors", {"variants/thick_fog.yaml": overlay}, BASE)
    assert only(f"{tmp_path / 'errors'}+thick_fgo").help == "did you mean `thick_fog`?"
    assert load_ruleset(f"{tmp_path / 'errors'}+thick_fog").settings["fog"].default == "true"
    assert load_ruleset(f"{tmp_path / 'errors'}+{tmp_path / 'errors/variants/thick_fog.yaml'}").overlays == (
        "thick_fog",
    )
    assert {d.code for d in diagnostics(f"{tmp_path / 'errors'}+../variants/thick_fog")} == {"RS502"}


def test_a_ruleset_that_extends_itself_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    for name, other in (("one", "two"), ("two", "one"), ("three", "three"), ("four", "thre")):
        write(tmp_path / name, {"game.yaml": GAME.replace("small", name) + f"extends: {other}\n"})
    assert [d.code for d in diagnostics("one")] == ["RS507"]
    assert [d.code for d in diagnostics("three")] == ["RS507"]
    assert [(d.code, d.help) for d in diagnostics("four")] == [("RS501", "did you mean `three`?")]


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    files = {
        "kinds.yaml": "kinds: [a\n",
        "tracks.yaml": "trakcs: {}\n",
        "rules/a.rules": "procedure a()\n",
        "rules/b.rules": "procedure b():\n\tpass\n",
    }
    codes = [d.code for d in diagnostics(str(write(tmp_path / "errors", files, BASE)))]
    assert sorted(codes) == ["RS111", "RS131", "RS133", "RS211"]


# --- overlays that fit


def test_merging_keeps_what_the_upper_layer_does_not_say() -> None:
    base = parse_yaml("{a: {x: 1, y: [1, 2]}, b: 2}", "f")
    over = parse_yaml("{a: {y: [3]}, c: 4}", "f")
    assert to_plain(merge(base, over)) == {"a": {"x": 1, "y": [3]}, "b": 2, "c": 4}


def test_removed_rules_and_entities_are_gone(tmp_path: Path) -> None:
    overlay = 'id: less\ntitle: T\nfor: small\nversion: "1"\nremove: [kinds.good.entities.salt]\n'
    rules = "remove procedure extra\nremove scoring player\nremove invariant odd\nremove def two\n"
    ruleset = small(
        tmp_path / "small",
        f"""\
procedure play():
    end game
procedure extra():
    end game
def two() -> int: 2
invariant odd:
    two() == 2
scoring p in player:
    score p.index
--- kinds.yaml
kinds: {{good: {{entities: {{corn: {{}}, salt: {{}}}}}}}}
--- variants/less.yaml
{overlay}
--- variants/less.rules
{rules}""",
        "+less",
    )
    assert list(ruleset.rules.procedures) == ["play"]
    assert (ruleset.rules.definitions, ruleset.rules.invariants, ruleset.rules.scoring) == ({}, {}, None)
    assert list(ruleset.kinds["good"].index) == ["corn"]
