"""Games of small rulesets under both backends: ends, options and overlays, secrets, the interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, small, split, write
from worlds import IDLE, TURN, WORLD, Play, listed, run, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option, options_of
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.game.position_check import look
from rulespec.engine.game.state_json import scores, state_json
from rulespec.load import load_ruleset

# --- the end


def test_a_game_ends_when_its_procedure_does(play: Play) -> None:
    game = play("procedure play():\n    set n to 1\n" + WORLD)
    assert game.is_over and game.result is not None
    assert (game.result.ending, game.result.scores, game.result.winners) == ("returned", {}, [])


@pytest.mark.parametrize(
    "statement, ending, winners",
    [
        ("end game", "end", ["bob"]),
        ("end game as famine", "famine", ["bob"]),
        ("end game as coup won by {p in player where p.index == 0}", "coup", ["ann"]),
        ("end game as ruin won by {}", "ruin", []),
        ("end game won by player", "end", ["ann", "bob"]),
    ],
)
def test_the_forms_of_an_end(play: Play, statement: str, ending: str, winners: list[str]) -> None:
    scoring = "scoring p in player:\n    score p.cash / 1 money + p.index\n"
    game = play(f"procedure play():\n    {statement}\n{scoring}{WORLD}")
    assert game.result is not None
    assert (game.result.ending, game.result.winners) == (ending, winners)
    assert game.result.scores == scores(game) == {"ann": 10, "bob": 11}


def test_invariants_hold_where_a_game_has_ended(play: Play) -> None:
    text = """
procedure play():
    decide act by first(player):
        option win:
            set m to 9
            end game as won
        option tire:
            set n to 9
        option stay:
            pass
invariant low:
    m < 5 and n < 5
"""
    for option, ending, broken in (("win", "won", ["low"]), ("tire", "returned", ["low"]), ("stay", "returned", [])):
        game = play(text + WORLD)
        assert game.omniscient.broken_invariants() == []
        game.apply(game.parse(option))
        assert game.result is not None
        assert (game.result.ending, game.omniscient.broken_invariants()) == (ending, broken)
        assert [d.code for d in [look(game)[1]] if d is not None] == ["RS712" for _ in broken]


def test_ties_are_broken_in_turn_by_what_is_highest_first(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        set best to p
        if p.index > 0:
            pay 1 from p.cash to bank
        for t in town where t.index == p.index:
            set t.owner to p
    end game
scoring p in player:
    score 7
    tiebreak p.index % 1
    tiebreak for t in town by t.tax: 1 if t.owner == p else 0
"""
    game = play(rules + WORLD, "ann bob cid")
    assert game.result is not None and game.result.winners == ["cid"]  # ash has the highest tax among the owned towns
    equal = play(rules.split("    tiebreak for")[0] + WORLD, "ann bob")
    assert equal.result is not None and equal.result.winners == ["ann", "bob"]


# --- options, overlays


def test_settings_are_constants_of_a_game(play: Play) -> None:
    game_yaml = GAME + "settings:\n  fog: {default: false}\n  sky: {values: [blue, grey], default: grey}\n"
    text = """
procedure play():
    for p in player:
        decide go by p:
            option a:
                require fog
                end game
            option b(k in 1 .. 2 if sky == blue else 1):
                require sky == sky.blue or not fog
                end game
"""
    text += f"--- game.yaml\n{game_yaml}"
    assert listed(play(text)) == ["b(1)"]
    assert listed(play(text, sky="blue")) == ["b(1)", "b(2)"]
    assert listed(play(text, sky="blue", fog=True)) == ["a", "b(1)", "b(2)"]
    assert listed(play(text, fog="true")) == ["a"]
    for wrong in ({"fgo": True}, {"sky": "green"}, {"fog": "perhaps"}):
        with pytest.raises(DiagnosticsError, match=r"RS70[56]"):
            play(text, **wrong)


VARIANT = """
--- variants/{id}.yaml
id: {id}
title: T
for: small
version: "1"
{changes}
--- variants/{id}.rules
{rules}
"""


def variant(id_: str, changes: str, rules: str) -> str:
    return VARIANT.format(id=id_, changes=changes, rules=rules)


def test_overlays_change_facts_and_rules(play: Play) -> None:
    base = (
        "procedure play():\n    set n to f(elm)\n    step(5)\n    chance r:\n        option e:\n            end game\n"
    )
    base += "def f(t: town) -> int: t.tax * limit\nprocedure step(k: int):\n    set m to m + k\n"
    one = variant(
        "one",
        "changes: {constants.limit: 10, kinds.town.entities.elm.tax: 6}\nadd:\n  state.extra: {type: int}\n",
        "wrap def f(t: town) -> int: original(t) + 1\n"
        "wrap procedure step(k: int):\n    original(k)\n    original(k + 1)\n    set extra to m\n",
    )
    two = variant("two", "changes: {constants.limit: 4}", "replace procedure step(k: int):\n    set m to k * k\n")
    text = base + WORLD + one + two
    assert [play(text).omniscient.value(x) for x in ("n", "m")] == ["15", "5"]
    assert [play(text, overlays="+one").omniscient.value(x) for x in ("n", "m", "extra")] == ["61", "11", "11"]
    assert [play(text, overlays="+two").omniscient.value(x) for x in ("n", "m")] == ["20", "25"]


def test_a_start_value_for_all_may_depend_on_each(play: Play) -> None:
    rules = "procedure play():\n    chance r:\n        option e:\n            end game\n"
    setup = "setup:\n  pieces: {flag.at: town.tax + 1}\n  state: {town.mark: town.tax * 2}\n"
    text = rules + WORLD.partition("--- setup.yaml")[0] + f"--- setup.yaml\n{setup}"
    game = play(text)
    assert [game.omniscient.value(f"flag.at[{t}]") for t in ("oak", "elm", "ash", "fir")] == ["4", "6", "8", "10"]
    assert [game.omniscient.value(f"{t}.mark") for t in ("oak", "fir")] == ["6", "18"]


def test_an_overlay_includes_others_and_may_change_them_further(play: Play) -> None:
    base = "procedure play():\n    set n to limit\n    chance r:\n        option e:\n            end game\n"
    inner = variant("inner", "changes: {constants.limit: 10}\nadd: {constants.more: 1}", "")
    outer = variant(
        "outer",
        "includes: [inner]\nchanges: {constants.limit: 11, constants.more: 2}",
        f"replace {base}".replace("limit", "limit * more"),
    )
    text = base + WORLD + inner + outer
    assert play(text, overlays="+outer").omniscient.value("n") == "22"
    assert play(text, overlays="+outer").ruleset.overlays == ("outer",)


def test_what_is_emptied_is_replaced_as_a_whole(play: Play) -> None:
    base = "procedure play():\n    chance r:\n        option e:\n            end game\n"
    new = "replaces: [kinds.good.entities, setup]\nchanges: {kinds.good.entities: {silk: {}}}"
    assert play(base + WORLD + variant("one", new, ""), overlays="+one").omniscient.value("good") == "{silk}"


def test_decisions_get_further_options(play: Play) -> None:
    base = """
procedure play():
    for p in player:
        if p.index >= 0:
            decide go by p:
                option stay:
                    set n to n + 1
    end game
"""
    more = """extend decision go:
    "Wherever it is taken, with what is known there."
    include trips
    option rest:
        set n to p.index
options trips:
    option walk(k in 3 .. 4):
        set n to n + k
        ask again
"""
    game = play(base + WORLD + variant("one", "doc: more", more), overlays="+one")
    assert listed(game) == ["stay", "walk(3)", "walk(4)", "rest"]
    game.apply(game.parse("walk(4)", "ann"))
    assert (game.decision is not None and game.decision.by, game.omniscient.value("n")) == ("ann", "4")
    game.apply(game.parse("stay", "ann"))
    assert listed(game) == ["stay", "walk(3)", "walk(4)", "rest"]


def test_a_ruleset_extends_another_with_overlays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is a single ruleset, which overlays can change like any other."""
    text = "procedure play():\n    set n to limit\n    chance r:\n        option e:\n            end game\n" + WORLD
    four, five = (variant(f"limit_{k}", f"changes: {{constants.limit: {k}}}", "") for k in (40, 50))
    write(tmp_path / "small", split(text + four + five, "rules/play.rules"))
    write(tmp_path / "b", {"game.yaml": "id: b\ntitle: B\nversion: '1'\nextends: small+limit_40\n"})
    write(tmp_path / "c", {"game.yaml": "id: c\ntitle: C\nversion: '1'\nextends: ../small+limit_40\n"})
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert Game(load_ruleset("b"), ["ann", "bob"]).omniscient.value("n") == "40"
    assert Game(load_ruleset("b+limit_50"), ["ann", "bob"]).omniscient.value("n") == "50"
    assert load_ruleset("b+limit_50").ref == "b+limit_50"
    own = "wrap procedure play():\n    original()\nextend decision r:\n    option f:\n        pass\n"
    write(tmp_path / "d", {"game.yaml": "id: d\ntitle: D\nversion: '1'\nextends: b\n", "rules/r.rules": own})
    last = variant("last", "for_version: '1'", f"replace {text.partition('---')[0]}").replace("for: small", "for: d")
    write(tmp_path / "d", split(last, "-") | {"game.yaml": (tmp_path / "d" / "game.yaml").read_text()})
    assert Game(load_ruleset("d+last"), ["ann", "bob"]).omniscient.value("n") == "40"
    monkeypatch.chdir(tmp_path / "small")
    assert Game(load_ruleset("../c"), ["ann", "bob"]).omniscient.value("n") == "40"


def test_a_wrap_may_be_wrapped_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rulesets that extend one another, each wrapping the same rules."""
    rules = (
        "procedure play():\n    step(1)\n    set m to f(1)\n    chance r:\n        option e:\n            end game\n"
    )
    rules += "procedure step(k: int):\n    set n to n * 10 + k\ndef f(k: int) -> int: k\n"
    state = "state:\n  n: {type: int}\n  m: {type: int}\n"
    wrap = "wrap procedure step(k: int):\n    original(k + 1)\n    original(k + 2)\n"
    wrap += "wrap def f(k: int) -> int: original(k) * 10 + 1\n"
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    write(tmp_path / "a", {"game.yaml": GAME.replace("small", "a"), "kinds.yaml": state, "rules/r.rules": rules})
    for name, under in (("b", "a"), ("c", "b")):
        head = f"id: {name}\ntitle: {name}\nversion: '1'\nextends: {under}\n"
        write(tmp_path / name, {"game.yaml": head, "rules/r.rules": wrap})
    last = "replace procedure step(k: int):\n    set n to k\nreplace def f(k: int) -> int: -k\n"
    write(tmp_path / "d", {"game.yaml": "id: d\ntitle: d\nversion: '1'\nextends: c\n", "rules/r.rules": last})
    for ref, n, m in (("a", "1", "1"), ("b", "23", "11"), ("c", "3445", "111"), ("d", "1", "-1")):
        for backend in ("python", "interpreter"):
            game = Game(load_ruleset(ref), ["ann"], {}, backend)
            assert (game.omniscient.value("n"), game.omniscient.value("m")) == (n, m), ref
    assert set(load_ruleset("d").rules.procedures) == {"play", "step"}
    (tmp_path / "d" / "rules" / "r.rules").write_text(last.replace("set n to k", "original(k)"))
    with pytest.raises(DiagnosticsError, match="RS221"):
        load_ruleset("d")


def test_what_a_wrapped_rule_changes_is_known_to_its_callers(tmp_path: Path) -> None:
    rules = "procedure play():\n    for p in player:\n        set best to p\n        if best is some:\n"
    rules += "            step()\n            pay 1 from best.cash to bank\nprocedure step():\n    set best to none\n"
    text = rules + WORLD + variant("one", "", "wrap procedure step():\n    original()\n    set n to 1\n")
    for overlays in ("", "+one"):
        with pytest.raises(DiagnosticsError, match="RS303"):
            small(tmp_path / f"x{len(overlays)}" / "small", text, overlays)


def test_a_replaced_ruleset_may_drop_whole_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    files = {**split(IDLE + WORLD, "rules/play.rules"), "game.yaml": GAME.replace("small", "a")}
    write(tmp_path / "a", files)
    head = "id: b\ntitle: B\nversion: '1'\nextends: a\nreplaces: [kinds.good.entities, setup, tables.friends.rows]\n"
    write(
        tmp_path / "b",
        {
            "game.yaml": head,
            "kinds.yaml": "kinds: {good: {entities: {silk: {}}}}\n",
            "tables.yaml": "tables: {friends: {rows: {oak: [], elm: [oak], ash: [], fir: []}}}\n",
        },
    )
    game = Game(load_ruleset("b"), ["ann", "bob"])
    assert game.omniscient.value("good") == "{silk}"
    assert game.omniscient.value("friends[elm]") == "{oak}"
    assert game.omniscient.value("ann.cash") == "0"


# --- secrets


def test_private_state_is_shown_to_its_player_only(play: Play) -> None:
    game = run(play, "for p in player:\n    set p.secret to p.index + 5")
    players = state_json(game, "ann")["entities"]["player"]
    assert (players["ann"]["secret"], players["bob"]["secret"]) == (5, None)
    assert state_json(game)["entities"]["player"]["bob"]["secret"] == 6


# --- the interface


def test_undo_clone_and_hash(play: Play) -> None:
    game = play(TURN + WORLD)
    start = game.hash
    take(game, "gift(bob, 2)")
    twin = game.copy()
    take(twin, "stay")
    assert game.ply == 1 and twin.ply == 2 and game.hash != twin.hash
    undone: Option = twin.undo()
    assert str(undone) == "stay" and twin.hash == game.hash
    twin.undo()
    assert twin.hash == start
    with pytest.raises(IndexError):
        twin.undo()


def test_what_is_written_is_taken_at_once(play: Play) -> None:
    game, twin = play(TURN + WORLD), play(TURN + WORLD)
    decision = game.decision
    assert decision is not None
    option = game.apply(game.parse("gift(bob, 2)", "bob", decision.name))
    twin.apply(twin.parse("gift(bob, 2)"))
    assert option == game.omniscient.numbers.last == twin.omniscient.numbers.last and game.hash == twin.hash
    before = game.hash
    for text, by, name in (
        ("gift(bob, 2)", "cid", ""),
        ("stay", None, "other"),
        ("stay(1)", None, ""),
        ("fly", None, ""),
    ):
        with pytest.raises(ValueError):
            game.apply(game.parse(text, by, name))
    with pytest.raises(IllegalOptionError):
        game.apply(game.parse("gift(bob, 99)"))
    assert game.hash == before


def test_options_of_some_choices_are_the_same_as_among_all(play: Play) -> None:
    game = play(TURN + WORLD)
    numbers = {o.kind.choice for o in every_option(game)}
    assert len(numbers) > 1
    for chosen in ({n} for n in numbers):
        assert list(options_of(game, chosen)) == [o for o in every_option(game) if o.kind.choice in chosen]
    assert list(options_of(game, numbers)) == list(every_option(game))
    assert list(options_of(game, ())) == []


def test_a_game_may_start_in_a_procedure_and_with_given_values(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", TURN + WORLD)
    game = Game(ruleset, ["ann", "bob"], start="turn(bob)")
    game.omniscient.set_value("bob.cash", "3")
    game.omniscient.set_value("cart[corn].at[oak]", "2")
    assert [game.omniscient.value(x) for x in ("bob.cash", "bank", "cart[corn].supply")] == ["3", "7", "3"]
    assert game.decision is not None and game.decision.by == "bob"
    take(game, "stay")
    assert game.is_over
    for target, value in (
        ("cart[corn].supply", "-1"),
        ("cart[corn].at[oak]", "9"),
        ("oak", "1"),
        ("n", "x"),
        ("n", "oak"),
    ):
        with pytest.raises(DiagnosticsError):
            game.omniscient.set_value(target, value)
    with pytest.raises(RulesetFaultError):
        game.omniscient.set_value("n", "1 / m")
    with pytest.raises(DiagnosticsError):
        listed(Game(ruleset, ["ann", "bob"], start="trun(bob)"))
    with pytest.raises(DiagnosticsError):
        game.omniscient.value("n +")


@pytest.mark.parametrize(
    "seats",
    [
        [],
        list("abcde"),
        {"a": "Ann", "": "Bob"},
        {"a": "Ann", "b(c": "Bob"},
        {"a": "Ann", "b:c": "Bob"},
        {"a": "Ann", "all": "Bob"},
        {"a": "Ann", "x" * 81: "Bob"},
        ["a", "x" * 501],
    ],
)
def test_seats_that_do_not_fit_are_refused(tmp_path: Path, seats: list[str] | dict[str, str]) -> None:
    ruleset = small(tmp_path / "small", IDLE + WORLD)
    with pytest.raises(DiagnosticsError, match=r"RS70[78]|RS649"):
        Game(ruleset, seats)


# --- what generated Python does at once

CELLS = f"""
--- kinds.yaml
kinds:
  spot:
    state: {{mark: {{type: int}}, other: {{type: int}}, few: {{type: int 0..3}}, none: {{type: int 0..3}}}}
    entities: {{{", ".join(f"s{i}: {{}}" for i in range(16))}}}
  player: {{}}
"""


def copying(marks: dict[int, int], others: dict[int, int]) -> str:
    sets = [f"            set spot.s{i}.mark to {v}\n" for i, v in marks.items()]
    sets += [f"            set spot.s{i}.other to {v}\n" for i, v in others.items()]
    return f"""
procedure play():
    chance start:
        option fill:
{"".join(sets)}
    chance then:
        option copy:
            for s in spot:
                set s.few to s.mark
                set s.none to s.other
            end game
{CELLS}"""


def test_cells_of_neighbours_are_copied(play: Play) -> None:
    game = play(copying({0: 3, 7: 1, 15: 2}, {3: 2}))
    take(game, "fill")
    take(game, "copy")
    assert [game.omniscient.value(f"spot.s{i}.few") for i in (0, 1, 7, 15)] == ["3", "0", "1", "2"]
    assert game.omniscient.value("spot.s3.none") == "2"
    before = game.hash
    game.undo()
    assert game.omniscient.value("sum(s.few for s in spot)") == "0"
    take(game, "copy")
    assert game.hash == before


@pytest.mark.parametrize("marks, others, message", [({5: 9}, {3: -1}, "-1"), ({3: 8}, {3: 7}, "8"), ({4: 6}, {}, "6")])
def test_the_first_number_outside_its_bounds_is_told(
    play: Play, marks: dict[int, int], others: dict[int, int], message: str
) -> None:
    game = play(copying(marks, others))
    take(game, "fill")
    before = game.hash
    with pytest.raises(RulesetFaultError, match=f"it would be {message}"):
        take(game, "copy")
    assert game.hash == before


def test_what_is_the_same_for_all_members_is_asked_for_once(play: Play) -> None:
    rules = """
def dear(k: int) -> set town:
    {t in town where t.tax + n > k}
procedure play():
    chance r:
        option a(k in 1..9):
            set towns to {t in town where t in dear(k) and t.tax < 9}
            set m to count({t in town where any(u in t.near where u in dear(k + n))})
            end game
"""
    game = play(rules + WORLD)
    take(game, "a(4)")
    assert (game.omniscient.value("towns"), game.omniscient.value("m")) == ("{elm, ash}", "3")
