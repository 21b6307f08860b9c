"""The fixes proposed and applied by `rulespec validate`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import diagnostics, write
from small_errors import BASE, Make, validate

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity, Span
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.fixes import fixed, with_fixes

OVERLAY = 'id: a\ntitle: A\nfor: errors\nversion: "1"\n'
MAP = (BASE / "map.yaml").read_text("utf-8")

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
    """A text that starts with `+` is appended to the base's version of the file."""
    base = {n: (BASE / n).read_text("utf-8") for n, t in files.items() if t.startswith("+")}
    return {n: base[n] + t[1:] if n in base else t for n, t in files.items()}


@pytest.mark.parametrize("what", MENDS)
@pytest.mark.sampled(1)
def test_what_is_certain_is_mended(what: str, ruleset: Make) -> None:
    files, overlays, file, before, after = MENDS[what]
    folder = ruleset({})
    for name, text in placed(files).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    old = (folder / file).read_text("utf-8")
    assert old.count(before) == 1
    wrong = [d.code for d in diagnostics(f"./errors{overlays}") if d.severity is Severity.ERROR or d.code == what[:5]]
    assert wrong == [what[:5]]
    code, out = validate(f"./errors{overlays}", "--fix", "--yes")
    assert (folder / file).read_text("utf-8") == old.replace(before, after)
    assert f"--- a/errors/{file}\n+++ b/errors/{file}\n@@ " in out
    assert (code, [d for d in diagnostics(f"./errors{overlays}") if d.code == what[:5]]) == (0, [])


@pytest.mark.parametrize(
    "text",
    [
        "procedure a():\n    set card to zzz\n",  # nothing similar
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
    assert out.startswith("there are no safe fixes\n")
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
    assert "RS504" in {d.code for d in diagnostics("./errors+a")}
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
        assert "nothing was written" in out
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
    assert (code, out.splitlines()[0]) == (1, "there are no safe fixes")
    assert (folder / "rules/this.rules").read_text("utf-8") == text


@pytest.mark.proof  # 0.4 s
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
    place = Span("f", 1, 1, 1, 4)
    d = Diagnostic("RS221", Severity.ERROR, "nothing is called `crd` here", place, help="did you mean `card`?")
    assert with_fixes([d], {"f": "xyz"})[0].fix is None
    assert with_fixes([d], {})[0].fix is None
    assert with_fixes([d], {"f": "crd"})[0].fix == Fix(place, "card")
    note = Label(Span("g", 1, 1, 1, 2), "add `a` to its `b`")
    link = Diagnostic("RS230", Severity.ERROR, "`b` `a` `c`", Span("f", 1, 1, 1, 2), notes=(note,))
    assert with_fixes([link], {"f": "x", "g": "{["})[0].fix is None
