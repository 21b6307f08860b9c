"""`change`: parts of rules edited in place, independently of the order of overlays, or refused with both places."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from cases import write

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset, load_source
from rulespec.overlays.written import item_lines

BASE = {
    "game.yaml": """\
id: fair
title: Fair
version: "1.0"
players: {kind: player, min: 2, max: 3}
units: [money]
start: play
settings: {rain: {default: false}}
""",
    "kinds.yaml": """\
kinds:
  stall: {facts: {rank: int}, entities: {corn: {rank: 1}, salt: {rank: 2}, wool: {rank: 3}}}
  player: {state: {cash: {account: money}}}
state: {n: {type: int}, m: {type: int}, who: {type: player?}}
accounts: {bank: {account: money, unlimited: true}}
""",
    "tables.yaml": "constants: {step: 1, far: 9}\n",
    "rules/play.rules": """\
procedure play():
    set who to first(player)
    repeat at most 20:
        turn(who ?? first(player))

guard dry(s: stall):
    require not rain                "FAI-01: it rains"

procedure turn(p: player):
    decide errand by p:
        option visit(s in stall where s.rank < 3 "FAI-02: too far"):
            needs dry(s)
            require n < far         "FAI-03: enough"
            require n + m < 40      "FAI-04: both"
            set n to n + step + s.rank
            note(s)
        option wait:
            pass
        include extras
    set who to next(p)

procedure note(s: stall):
    set m to doubled(s.rank)

options extras:
    when m > 0 "FAI-05: nothing yet":
        option rest:
            require n < far         "FAI-03: enough"
            set m to 0

def doubled(x: int) -> int: x * 2
""",
}


def overlay(name: str, rules: str, facts: str = "") -> dict[str, str]:
    head = f'id: {name}\ntitle: {name.title()}\nfor: fair\nversion: "1.0"\n'
    return {f"variants/{name}.yaml": head + facts, f"variants/{name}.rules": rules}


@pytest.fixture
def fair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    return tmp_path / "fair"


def put(folder: Path, *overlays: dict[str, str], base: dict[str, str] = BASE) -> None:
    write(folder, base | {name: text for files in overlays for name, text in files.items()})


def errors(ref: str) -> tuple[Diagnostic, ...]:
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        return error.diagnostics
    return ()


def game(ref: str, *moves: str) -> Game:
    result = Game(load_ruleset(ref), ["Ann", "Bob"])
    for move in moves:
        result.apply(result.parse(move))
    return result


def options(ref: str, *moves: str) -> list[str]:
    return [str(option) for option in game(ref, *moves).legal_options]


def as_written(folder: Path, *pairs: tuple[str, str]) -> str:
    """The hash of the ruleset after a manual replacement in its text."""
    text = BASE["rules/play.rules"]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    write(folder.parent / "hand", BASE | {"rules/play.rules": text})
    return load_ruleset("hand").hash


SAME: dict[str, tuple[str, *tuple[tuple[str, str], ...]]] = {
    "a condition for an option": (
        'change option visit of errand: require n != 3 "three"\n',
        ('"FAI-04: both"\n', '"FAI-04: both"\n            require n != 3 "three"\n'),
    ),
    "a local and a cost for an option": (
        "change option wait of errand:\n    let price = 1 money\n    cost price from bank to p.cash\n",
        (
            "option wait:\n",
            "option wait:\n            let price = 1 money\n            cost price from bank to p.cash\n",
        ),
    ),
    "a condition for a guard": (
        'change guard dry: require s.rank < 9 "nine"\n',
        ('"FAI-01: it rains"\n', '"FAI-01: it rains"\n    require s.rank < 9 "nine"\n'),
    ),
    "no condition, by its id": (
        'change option visit of errand: remove "FAI-04"\n',
        ('            require n + m < 40      "FAI-04: both"\n', ""),
    ),
    "no condition, by its text": (
        "change option visit of errand: remove require n + m < 40\n",
        ('            require n + m < 40      "FAI-04: both"\n', ""),
    ),
    "no condition of an argument": (
        'change procedure turn: remove "FAI-02"\n',
        (' where s.rank < 3 "FAI-02: too far"', ""),
    ),
    "no condition of several options": (
        'change options extras: remove "FAI-05"\n',
        (
            '    when m > 0 "FAI-05: nothing yet":\n        option rest:\n            require n < far         '
            '"FAI-03: enough"\n            set m to 0\n',
            '    option rest:\n        require n < far         "FAI-03: enough"\n        set m to 0\n',
        ),
    ),
    "another bound": (
        'change option visit of errand: replace "FAI-03" with require n < far + 2 "HSE-01: later"\n',
        (
            '            require n < far         "FAI-03: enough"\n            require n + m',
            '            require n < far + 2 "HSE-01: later"\n            require n + m',
        ),
    ),
    "another condition of an argument": (
        'change option visit of errand: replace "FAI-02" with require s != corn "no corn"\n',
        ('where s.rank < 3 "FAI-02: too far"', 'where s != corn "no corn"'),
    ),
    "another condition of several options": (
        'change options extras: replace "FAI-05" with require n > 0 "none"\n',
        ('when m > 0 "FAI-05: nothing yet"', 'when n > 0 "none"'),
    ),
    "an order of seats": ("change procedure turn: replace next(p) with previous(p)\n", ("next(p)", "previous(p)")),
    "a call in the place of a call": (
        "change procedure turn: replace note(s) with note(wool)\n",
        ("            note(s)\n", "            note(wool)\n"),
    ),
    "a call in the place of a value": (
        "change procedure note: replace doubled(s.rank) with doubled(doubled(s.rank))\n",
        ("doubled(s.rank)", "doubled(doubled(s.rank))"),
    ),
    "statements in the place of one": (
        "change procedure note:\n"
        "    replace set m to doubled(s.rank) with:\n        set m to 1\n        if rain:\n            set m to 2\n",
        ("    set m to doubled(s.rank)\n", "    set m to 1\n    if rain:\n        set m to 2\n"),
    ),
    "one statement in the place of one": (
        "change procedure note: replace set m to doubled(s.rank) with set m to m + 1\n",
        ("    set m to doubled(s.rank)\n", "    set m to m + 1\n"),
    ),
    "nothing in the place of the last statement": (
        "change procedure note: remove set m to doubled(s.rank)\n",
        ("    set m to doubled(s.rank)\n", "    pass\n"),
    ),
    "something before and after": (
        "change procedure turn:\n    before note(s): set m to 1\n"
        "    after set who to next(p):\n        set m to m + 1\n        set n to n + 1\n",
        ("            note(s)\n", "            set m to 1\n            note(s)\n"),
        ("    set who to next(p)\n", "    set who to next(p)\n    set m to m + 1\n    set n to n + 1\n"),
    ),
    "two statements the other way round": (
        "change option visit of errand:\n    remove note(s)\n    before set n to n + step + s.rank: note(s)\n",
        (
            "            set n to n + step + s.rank\n            note(s)\n",
            "            note(s)\n            set n to n + step + s.rank\n",
        ),
    ),
    "a definition": ("change def doubled: replace 2 with 3\n", ("x * 2", "x * 3")),
    "operators beside the place that bind more strongly": (
        "change def doubled: replace x with x + 1 if x > 1 else 3\n\n"
        "change option visit of errand: replace s.rank with (far if rain else 2 - step)\n",
        ("x * 2", "(x + 1 if x > 1 else 3) * 2"),
        ("where s.rank < 3", "where (far if rain else 2 - step) < 3"),
        ("set n to n + step + s.rank", "set n to n + step + (far if rain else 2 - step)"),
    ),
    "operators that bind less strongly": (
        "change def doubled: replace 2 with 3 + 1\n\n"
        "change option visit of errand:\n    replace step with 2 * step\n    replace n + m with n * m\n",
        ("x * 2", "x * (3 + 1)"),
        ("set n to n + step", "set n to n + 2 * step"),
        ("require n + m < 40", "require n * m < 40"),
    ),
    "an option of a group": (
        'change option rest of extras: remove "FAI-03"\n',
        ('            require n < far         "FAI-03: enough"\n            set m', "            set m"),
    ),
    "one change after the other": (
        "change def doubled: replace 2 with 3\n\nchange def doubled: replace 3 with 4\n",
        ("x * 2", "x * 4"),
    ),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("what", SAME)
def test_an_edit_is_what_one_would_write_by_hand(what: str, fair: Path) -> None:
    rules, *pairs = SAME[what]
    put(fair, overlay("a", rules))
    assert load_ruleset("fair+a").hash == as_written(fair, *pairs) != load_ruleset("fair").hash


@pytest.mark.parametrize("what", SAME)
def test_the_text_of_a_rule_is_what_one_would_write_by_hand(what: str, fair: Path) -> None:
    rules, *pairs = SAME[what]
    put(fair, overlay("a", rules))
    as_written(fair, *pairs)
    assert lines("fair+a", "a") == lines("hand", "")


def lines(ref: str, mark: str) -> dict[tuple[str, str], list[str]]:
    """The lines of all rules without overlay markers; each `when` that always holds is omitted."""
    source = load_source(ref, Report()).source
    results: dict[tuple[str, str], list[str]] = {}
    for key, item in source.items.items():
        texts = [line.removesuffix(f"  # {mark}").rstrip() for line in item_lines(item, source)]
        results[key] = [" ".join(text.split()) for text in texts if "when true" not in text and text.strip() != "pass"]
    return results


def test_a_condition_is_added_wherever_the_decision_is_taken(fair: Path) -> None:
    again = (
        "\nprocedure more(p: player):\n    decide errand by p:\n        option wait: pass\n        option sleep: pass\n"
    )
    play = BASE["rules/play.rules"].replace("        turn(who", "        more(first(player))\n        turn(who")
    put(
        fair,
        overlay("a", 'change option wait of errand: require n > 0 "first"\n'),
        base=BASE | {"rules/play.rules": play + again},
    )
    assert options("fair+a") == ["sleep"]
    assert options("fair+a", "sleep") == ["visit(corn)", "visit(salt)"]
    assert options("fair+a", "sleep", "visit(corn)") == ["wait", "sleep"]


def test_a_change_is_below_wraps_and_in_replacements(fair: Path) -> None:
    wraps = "wrap procedure note(s: stall):\n    original(s)\n    set m to m + 1\n"
    replaces = "replace def doubled(x: int) -> int: x * 2 + 1\n"
    put(
        fair,
        overlay("a", "change procedure note: replace doubled(s.rank) with 7\n\nchange def doubled: replace 2 with 5\n"),
        overlay("b", wraps + "\n" + replaces),
    )
    for ref in ("fair+a+b", "fair+b+a"):
        assert game(ref, "visit(corn)").omniscient.value("m") == "8"
        assert game(ref).omniscient.value("doubled(1)") == "6"


def test_an_option_that_another_overlay_adds_is_changed(fair: Path) -> None:
    put(
        fair,
        overlay("a", "extend decision errand:\n    option dance:\n        pass\n"),
        overlay("b", 'change option dance of errand: require n > 0 "not yet"\n'),
    )
    for ref in ("fair+a+b", "fair+b+a"):
        assert "dance" not in options(ref)
        assert "dance" in options(ref, "visit(corn)")


COMMUTING = {
    "two conditions": (
        'change option visit of errand: require n != 3 "three"\n',
        'change option visit of errand: require n != 4 "four"\n',
    ),
    "a condition more and one less": (
        'change option visit of errand: require n != 3 "three"\n',
        'change option visit of errand: remove "FAI-03"\n',
    ),
    "the same": (
        'change option visit of errand: remove "FAI-03"\n',
        'change option visit of errand:\n    "as well"\n    remove "FAI-03"\n',
    ),
    "insertions at one place": (
        "change procedure turn: after note(s): set m to m + 1\n",
        "change procedure turn: after note(s): set m to m * 2\n",
    ),
    "what one puts in, and the other looks for": (
        "change procedure turn: after note(s): set m to step\n",
        "change procedure turn: replace step with 2\n",
    ),
    "an option, and the procedure around it": (
        'change option visit of errand: replace "FAI-04" with require n < 30\n',
        "change procedure turn: replace next(p) with previous(p)\n",
    ),
}


@pytest.mark.parametrize("what", COMMUTING)
@pytest.mark.sampled(2)
def test_overlays_that_change_other_places_commute(what: str, fair: Path) -> None:
    a, b = COMMUTING[what]
    put(fair, overlay("a", a), overlay("b", b), overlay("c", 'change option wait of errand: require m < 9 "nine"\n'))
    hashes = {load_ruleset("+".join(["fair", *order])).hash for order in permutations("abc")}
    assert len(hashes) == 1
    hashes |= {load_ruleset(f"fair{'+'.join(('', *names))}").hash for names in ("ac", "bc", "a", "b", "c")}
    assert len(hashes) == (3 if what == "the same" else 6)


CONFLICTS = {
    "a bound and its removal": (
        'change option visit of errand: replace "FAI-03" with require n < 3\n',
        'change option visit of errand: remove "FAI-03"\n',
    ),
    "two bounds": (
        'change option visit of errand: replace "FAI-03" with require n < 3\n',
        "change procedure turn: replace n < far with n < 4\n",
    ),
    "a statement, and an expression in it": (
        "change procedure turn: remove set who to next(p)\n",
        "change procedure turn: replace next(p) with previous(p)\n",
    ),
    "an expression, and one around it": (
        "change def doubled: replace 2 with 3\n",
        "change def doubled: replace x * 2 with x\n",
    ),
    "something after what is taken out": (
        "change procedure turn: after note(s): set m to 1\n",
        "change procedure turn: remove note(s)\n",
    ),
    "two replacements": (
        "change procedure turn: replace note(s) with note(corn)\n",
        "change procedure turn: replace note(s) with note(salt)\n",
    ),
}


@pytest.mark.parametrize("what", CONFLICTS)
def test_two_edits_of_one_place_are_told_with_both_places(what: str, fair: Path) -> None:
    a, b = CONFLICTS[what]
    put(fair, overlay("a", a), overlay("b", b), overlay("c", "", "includes: [a, b]\n"))
    for one, other in permutations("ab"):
        (error,) = errors(f"fair+{one}+{other}")
        assert error.code == "RS505" and error.span is not None
        assert error.span.file.endswith(f"{other}.rules")
        assert [note.span.file[-7:] for note in error.notes] == [f"{one}.rules"]


def test_an_overlay_that_includes_two_says_what_holds(fair: Path) -> None:
    put(
        fair,
        overlay("a", 'change option visit of errand: replace "FAI-03" with require n < 3 "FAI-03: a few"\n'),
        overlay("b", 'change option visit of errand: replace "FAI-03" with require n < 5 "FAI-03: more"\n'),
        overlay("c", "change option wait of errand: require m < 9\n", "includes: [a, b]\n"),
    )
    assert errors("fair+c") == ()
    assert "visit(corn)" in options("fair+c", "visit(salt)")  # the later value, 5, wins
    assert "visit(corn)" not in options("fair+a", "visit(salt)")


def test_what_is_gone_is_told_with_the_overlay_that_has_taken_it(fair: Path) -> None:
    put(
        fair,
        overlay("a", 'change option visit of errand: remove "FAI-03"\n'),
        overlay("b", "replace procedure turn(p: player):\n    decide errand by p:\n        option wait: note(corn)\n"),
        overlay("c", "change procedure note: replace doubled(s.rank) with 7\n"),
        overlay("d", "remove procedure note\n\nchange procedure turn: replace note(s) with pass\n"),
    )
    for ref in ("fair+a+b", "fair+b+a", "fair+c+d", "fair+d+c"):
        error = next(d for d in errors(ref) if d.code == "RS519")
        assert error.notes and error.notes[0].span.file.endswith(("b.rules", "d.rules"))


def test_an_id_at_several_places_lists_them(fair: Path) -> None:
    base = BASE | {"rules/play.rules": BASE["rules/play.rules"].replace("FAI-04: both", "FAI-03: both")}
    put(fair, overlay("a", 'change procedure turn: remove "FAI-03"\n'), base=base)
    (error,) = errors("fair+a")
    assert (error.code, error.help) == ("RS517", "select the intended one: `remove require n < far`")
    assert [(note.span.line, note.text) for note in error.notes] == [
        (13, "require n < far"),
        (14, "require n + m < 40"),
    ]


@pytest.mark.proof  # 0.6 s
def test_edits_cannot_grow_without_bound(fair: Path) -> None:
    doubling = "change def doubled: replace x with x + x\n\n" * 40
    put(fair, overlay("a", doubling))
    assert {d.code for d in errors("fair+a")} & {"RS108", "RS135"}
    nesting = "change def doubled: replace 2 with abs(2)\n\n" * 300
    put(fair, overlay("a", nesting))
    assert {d.code for d in errors("fair+a")} & {"RS108", "RS135"}


def test_what_an_edit_leaves_unused_is_its_fault(fair: Path) -> None:
    put(fair, overlay("a", "change procedure note: replace doubled(s.rank) with 7\n"))
    report = Report()
    load_ruleset("fair+a", report)
    warnings = [d for d in report.diagnostics if d.code == "RS514"]
    assert [d.message for d in warnings] == [
        "`s` is unused after the change of the procedure `note` by `a`",
        "`doubled` is unused after the change of the procedure `note` by `a`",
    ]
    assert all(d.span is not None and d.span.file.endswith("a.rules") for d in warnings)


def test_previous_is_the_one_before(fair: Path) -> None:
    put(fair)
    result = Game(load_ruleset("fair"), ["Ann", "Bob", "Cid"]).omniscient
    assert [result.value(f"previous({p})") for p in ("Ann", "Bob", "Cid")] == ["Cid", "Ann", "Bob"]
    assert result.value("all(s in stall: previous(next(s)) == s)") == "true"


def test_a_definition_called_previous_comes_before_ours(fair: Path) -> None:
    rules = BASE["rules/play.rules"] + "\ndef previous(s: stall) -> int: s.rank\n"
    put(fair, base=BASE | {"rules/play.rules": rules})
    assert Game(load_ruleset("fair"), ["Ann", "Bob"]).omniscient.value("previous(wool)") == "3"
