"""Leaks of private values by the rules, each at the place where the value is read; and rules that leak nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import write
from leaks import CASES, KINDS, RULES, SETTINGS

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset


def warnings(folder: Path, rules: str, more: str = "") -> list[Diagnostic]:
    report = Report()
    files = {"game.yaml": SETTINGS, "kinds.yaml": KINDS, "rules/play.rules": rules}
    if more:
        files["rules.yaml"] = f"rules:\n  - {{id: T-01, text: It is shown.}}\ntold:\n{more}"
    load_ruleset(str(write(folder, files)), report)
    return [d for d in report.diagnostics if d.code.startswith("RS34")]


def warnings_of(folder: Path, body: str) -> list[str]:
    """The codes, each with the text at its place."""
    lines = body.strip("\n").split("\n")
    rules = RULES.format("\n    ".join(lines))
    written = rules.split("\n")
    results = []
    for d in warnings(folder, rules):
        assert d.span is not None
        results.append(f"{d.code} {written[d.span.line - 1][d.span.column - 1 : d.span.end_column - 1]}")
    return results


@pytest.mark.parametrize("body, code", CASES, ids=[f"{n}-{code}" for n, (_, code) in enumerate(CASES)])
@pytest.mark.sampled(23)
def test_a_leak_is_told_where_the_secret_is_read(tmp_path: Path, body: str, code: str) -> None:
    assert warnings_of(tmp_path, body) == ([code] if code else [])


OPENED = """
def friends(p: player) -> set player: {{p}}
def others(p: player) -> set player: {{q in player where q != p}}
procedure play():
    write()
    {before}
    read_out()
procedure write():
    set over to false
    decide write together by p in player:
        option give(k in 0 .. 9 private):
            set p.vote to k
procedure read_out():
    for p in player:
        one(p)
procedure one(p: player):
    set n to n + p.vote
"""


@pytest.mark.parametrize(
    "before, opened",
    [
        ("set over to true", True),
        ("pass", False),
        ("set over to true\n    set over to false", False),
        ("set over to true\n    read_out()", True),
        ("read_out()\n    set over to true", False),
        ("if n > 2:\n        set over to true\n        read_out()\n    set over to true", True),
        ("if n > 2:\n        read_out()\n    set over to true", False),
        (
            "repeat at most 3:\n        set over to true\n        read_out()\n        write()\n    set over to true",
            True,
        ),
        ("repeat at most 3:\n        read_out()\n        set over to true", False),
        ("set over to true\n    write()", False),
        ("set over to true\n    for p in player:\n        one(p)", True),
        ("for p in player:\n        one(p)\n    set over to true", False),
        ("set over to true\n    decide on by first(player):\n        option yes: pass", True),
        ("set over to true\n    decide on by first(player):\n        option yes: write()", False),
    ],
)
def test_what_is_open_wherever_a_procedure_is_called_is_no_secret_there(
    tmp_path: Path, before: str, opened: bool
) -> None:
    results = [d.code for d in warnings(tmp_path, OPENED.format(before=before))]
    assert results == ([] if opened else ["RS345"])


def test_a_reason_to_tell_what_is_open_is_idle(tmp_path: Path) -> None:
    rules = OPENED.format(before="set over to true").replace("n + p.vote", 'told(n + p.vote, "it is read out")')
    assert [d.code for d in warnings(tmp_path, rules)] == ["RS348"]


def test_a_way_out_of_a_visible_change_fits_what_is_private_already(tmp_path: Path) -> None:
    def warned(body: str) -> Diagnostic:
        (warning,) = warnings(tmp_path, RULES.format(body))
        return warning

    assert warned("set n to p.bid").help.startswith("make `n` `private` as well, or wrap `bid` in `told(")
    assert warned("set hint to p.bid").help.startswith("show `hint` only to those who see `bid`, or wrap")
    many = warned("for t in tile.hand:\n        move t to deck")
    assert many.message.startswith("the place of `tile` depends on its previous place, but is visible")
    assert many.help.startswith("move the tokens of one place at a time, `for t in hand[p]: …`, or wrap")
    assert (
        warnings(tmp_path, RULES.format("for q in player:\n        for t in tile.hand[q]:\n            move t to deck"))
        == []
    )


QUESTION = """
def friends(p: player) -> set player: {p}
def others(p: player) -> set player: {q in player where q != p}
procedure question(p: player):
    decide say by p:
        option yes: pass
"""
TAKEN = """
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    {calls}
procedure take_up(q: player):
    if taken:
        for t in tile.kitty:
            move t to hand[q]
procedure name_it(q: player):
    set who to q
"""


@pytest.mark.parametrize(
    "calls, seen",
    [
        ("if who is some as q:\n        take_up(q)", True),
        ("if who == p:\n        take_up(p)", True),
        ("set who to next(p)\n    let q = who\n    if q is some:\n        take_up(q)", True),
        ("name_it(p)\n    if who is some as q:\n        question(q)\n        take_up(q)", True),
        ("take_up(p)", False),
        ("if who == p:\n        take_up(next(p))", False),
        ("if who is some as q:\n        name_it(p)\n        take_up(q)", False),
        ("if who is some as q:\n        take_up(q)\n        take_up(p)", False),
        ("if who is some as q:\n        for r in player:\n            take_up(q)\n            name_it(r)", False),
    ],
)
def test_who_sees_a_place_is_known_wherever_a_procedure_is_called(tmp_path: Path, calls: str, seen: bool) -> None:
    rules = QUESTION + TAKEN.format(calls=calls)
    assert [d.code for d in warnings(tmp_path, rules)] == ([] if seen else ["RS345"])


DECK = """
kinds:
  level: {{entities: {{low: {{}}, high: {{}}}}}}
  card:
    facts: {{level: level}}
    entities: {{c1: {{level: low}}, c2: {{level: high}}}}
    places: {{box: {{}}, deck: {{{index}private: {{to: "{{}}"}}}}, hand: {{index: player}}}}
"""
DRAWN = """
procedure play():
    for c in card:
        move c to {to}
    for p in player:
        decide act by p:
            option reserve(l in level):
                require {left}
                roll top(c in {of} private to {{}})
                move c to hand[p]
            option rest: pass
    end game
"""


@pytest.mark.parametrize("indexed", [False, True])
def test_a_deck_for_each_level_has_public_sizes(indexed: bool, tmp_path: Path) -> None:
    """The way out of asking whether a card of a level is left in a deck that nobody sees."""
    places = {"to": "deck", "left": "any(c in card.deck where c.level == l)", "of": "card.deck where c.level == l"}
    if indexed:
        places = {"to": "deck[c.level]", "left": "count(deck[l]) > 0", "of": "deck[l]"}
    kinds = DECK.format(index="index: level, " if indexed else "")
    files = {"game.yaml": SETTINGS, "kinds.yaml": kinds, "rules/play.rules": DRAWN.format(**places)}
    report = Report()
    load_ruleset(str(write(tmp_path, files)), report)
    results = [d for d in report.diagnostics if d.code == "RS343"]
    assert [("give `deck` an `index`" in d.help) for d in results] == ([] if indexed else [True])


PILE = """
procedure play():
    for p in player:
        let top = first(pile)
        {between}
        if {test}:
            take k from pile
            add k to rest
            set n to n + 1
    end game
"""


@pytest.mark.parametrize(
    "between, test, hidden",
    [
        ("pass", "top is some as k", False),
        ("pass", "first(pile) is some as k", False),
        ("let k = first(pile) ?? ace", "top is some", False),
        ("set top to first(c in card where c == ace and c in pile)", "top is some as k", True),
        ("pass", "first(c in pile where c == ace) is some as k", True),
    ],
)
def test_whether_a_pile_has_a_first_card_is_public(between: str, test: str, hidden: bool, tmp_path: Path) -> None:
    kinds = """
kinds:
  card: {entities: {ace: {}, king: {}}}
  player: {}
state:
  n: {type: int 0..9}
  pile: {type: order card, start: card, private: {to: "{}"}}
  rest: {type: order card, private: {to: "{}"}}
"""
    files = {"game.yaml": SETTINGS, "kinds.yaml": kinds, "rules/play.rules": PILE.format(between=between, test=test)}
    report = Report()
    load_ruleset(str(write(tmp_path, files)), report)
    assert any(d.code == "RS346" for d in report.diagnostics) == hidden


PATHS = """
def friends(p: player) -> set player: {{p}}
def others(p: player) -> set player: {{q in player where q != p}}
procedure play():
    for p in player:
        decide trip by p:
            option walk(way in path(x from player to y in player - {{x}} within 2) private):
                {body}
            option rest: pass
    end game
"""


@pytest.mark.parametrize(
    "body, leaks, disclosed",
    [
        ("set n to count(way)", ["count(way)"], "set n to count(told(way, 'T-01'))"),
        ("set who to last(way)", ["last(way)"], "set who to last(told(way, 'T-01'))"),
        ("set who to last(way)", ["last(way)"], "set who to told(last(way), 'T-01')"),
        ("for x in way: set n to x.index", ["way"], "for x in told(way, 'T-01'): set n to x.index"),
        ("for x to y in way: set n to y.index", ["way"], "for x to y in told(way, 'T-01'): set n to y.index"),
    ],
)
def test_a_private_path_is_disclosed_as_the_help_says(
    tmp_path: Path, body: str, leaks: list[str], disclosed: str
) -> None:
    for number, text in enumerate((body, disclosed.replace("'", '"'))):
        parts = text.split(": ", 1)
        rules = PATHS.format(body=f":\n{' ' * 20}".join(parts))
        leaked = warnings(tmp_path / str(number), rules)
        shown = rules.split("\n")
        places = [
            shown[d.span.line - 1][d.span.column - 1 : d.span.end_column - 1] for d in leaked if d.span is not None
        ]
        assert places == ([] if number else leaks)
        assert all('`told(last(way), "why")`' in d.help for d in leaked)
