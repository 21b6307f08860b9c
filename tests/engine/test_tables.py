"""Tables of procedures, `let used[h in hex] = {}`: a value for each member of a kind, across decisions."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from cases import diagnostics, small, write
from machines_alike import Length, Parts, Table, beside_the_interpreter
from worlds import Play, listed, take

from rulespec import replay_log, write_log
from rulespec.engine.game.game import Game, hidden_paths, seen_state
from rulespec.engine.game.state_json import state_json
from rulespec.engine.search.twins import determinize
from rulespec.engine.why.why import Why

TRIPS = """
procedure play():
    for p in player:
        trip(p, 1)
    end game

procedure trip(p: player, deep: int):
    let used[h in hex] = {}
    let worth[h in hex] = h.rank * 10
    let owner[h in hex] = none
    let fence[s in side] = false
    let line[g in good] = {}
    repeat at most 3:
        decide walk by p:
            option go(h in hex, g in good where g not in used[h]):
                require worth[h] < 32       "T-1: dear"
                set used[h] to used[h] | {g}
                set worth[h] to worth[h] + 1
                set owner[h] to p
                set fence[h, g] to not fence[side[h, g]]
                add h to line[g]
                if h == c and deep > 0:
                    once_more(p)
            option stay:
                leave
    set total to total + sum(worth[h] + 100 * count(used[h]) for h in hex) + 1000 * count(s in side where fence[s])
    set total to total + 10000 * count(line[x]) + 100000 * count(h in hex where owner[h] is some)

procedure once_more(p: player):
    let used[h in hex] = 7
    decide inner by p:
        option add_up(h in hex):
            set used[h] to 1
    set total to total + sum(used[h] for h in hex)
--- kinds.yaml
kinds:
  hex: {facts: {rank: int}, entities: {a: {rank: 1}, b: {rank: 2}, c: {rank: 3}}}
  good: {entities: {x: {}, y: {}}}
  side: {product: [hex, good]}
  player: {state: {cash: {account: money}}}
state: {total: {type: int}}
"""


def test_entries_are_kept_across_decisions_and_gone_with_the_procedure(play: Play) -> None:
    game = play(TRIPS)
    begun = game.hash
    take(game, "go(a, x)")
    assert "go(a, x)" not in listed(game)
    take(game, "go(c, y)", "add_up(b)", "go(a, y)")
    assert game.omniscient.value("total") == str(15 + (12 + 20 + 31 + 300 + 3000) + 10000 + 200000)
    assert "go(a, x)" in listed(game)
    for _ in range(4):
        game.undo()
    assert game.hash == begun


def test_a_table_is_part_of_the_position_and_not_of_the_board(play: Play) -> None:
    one, other = play(TRIPS), play(TRIPS)
    take(one, "go(a, x)", "go(b, y)")
    take(other, "go(b, y)", "go(a, x)")
    assert one.hash == other.hash
    take(one, "go(a, y)")
    take(other, "go(b, x)")
    assert one.hash != take(play(TRIPS), "go(a, x)", "go(b, y)").hash
    assert "used" not in json.dumps(state_json(one))


def test_a_log_is_replayed_with_its_tables(tmp_path: Path) -> None:
    game = take(Game(small(tmp_path / "small", TRIPS), ["Ann", "Bob"]), "go(a, x)", "go(c, y)")
    write_log(tmp_path / "game.jsonl", game)
    other = replay_log(tmp_path / "game.jsonl", rules=str(tmp_path / "small")).game
    assert other.hash == game.hash
    assert take(game.copy(), "add_up(a)").hash != game.hash


def test_a_loop_begins_with_the_first_values(play: Play) -> None:
    rules = """
procedure play():
    for h in hex:
        let seen[x in hex] = x.rank
        let none_yet[x in hex] = 0
        set seen[h] to 5
        set none_yet[h] to 1
        set total to total * 100 + sum(seen[x] + none_yet[x] for x in hex)
    decide last by first(player):
        option stop:
            end game
"""
    assert play(rules + TRIPS[TRIPS.index("--- kinds") :]).omniscient.value("total") == "111009"


def test_a_fault_in_an_entry_has_its_place(play: Play) -> None:
    game = play(TRIPS.replace("set worth[h] to worth[h] + 1", "set worth[h] to worth[h] / (h.rank - 2)"))
    with pytest.raises(Exception, match=r"rules/play\.rules:18"):
        take(game, "go(b, x)")


SECRET = """
procedure play():
    for p in player:
        guess_for(p)
    end game

procedure guess_for(p: player):
    let mine[c in card] = 0 private to p
    let tried[c in card] = false
    repeat at most 2:
        roll dealt(c in card private to p)
        set mine[c] to mine[c] + 1
        decide guess by p:
            option say(d in card where not tried[d]):
                set tried[d] to true
                if told(mine[d] > 0, "G-1: it is shown"):
                    pay 1 from bank to p.cash
            option look(d in card):
                require mine[d] > 0     "G-2: not yours"
                pass
--- kinds.yaml
kinds:
  card: {entities: {a: {}, b: {}, c: {}}}
  player: {state: {cash: {account: money}}}
accounts: {bank: {account: money, unlimited: true}}
"""


def test_a_private_table_is_asked_for_by_its_viewers_alone(tmp_path: Path) -> None:
    game = Game(small(tmp_path, SECRET), ["Ann", "Bob"])
    take(game, "dealt(a)")
    verdicts = [Why(game, seat).option(f"look({card})").verdict for seat in ("Ann", "Bob", None) for card in "ab"]
    assert verdicts == ["legal", "refused", "?", "?", "?", "?"]
    assert hidden_paths(game, "Bob") == ()
    assert "mine" not in json.dumps(seen_state(game, "Ann"))
    twins = {determinize(game, "Bob", random.Random(n)).history[0].args for n in range(12)}
    assert len(twins) > 1


def test_a_secret_in_a_table_that_others_see_is_warned_of(tmp_path: Path) -> None:
    shown = SECRET.replace(" private to p\n    let", " private to player\n    let")
    public = SECRET.replace('told(mine[d] > 0, "G-1: it is shown")', "mine[d] > 0")
    loose = public.replace(" = 0 private to p", " = 0")
    for number, (text, codes) in enumerate(
        [(SECRET, set()), (shown, {"RS343", "RS345"}), (public, {"RS346"}), (loose, {"RS346"})]
    ):
        ref = write(
            tmp_path / str(number),
            {"rules/play.rules": text.split("--- kinds")[0], "kinds.yaml": text.split("kinds.yaml\n")[1]},
        )
        warned = {d.code for d in diagnostics(str(ref))}
        assert warned & {"RS343", "RS344", "RS345", "RS346", "RS347"} == codes, (number, warned)


def test_tokens_that_are_alike_have_no_table(tmp_path: Path) -> None:
    rules = "procedure play():\n    let used[t in tile] = 0\n    for t in tile:\n        set used[t] to used[t] + 1\n"
    kinds = "kinds:\n  tile: {each: [player], number: 3, alike: true, places: {box: {}, table: {}}}\n"
    ref = write(tmp_path / "small", {"rules/play.rules": rules, "kinds.yaml": kinds})
    assert "RS283" in {d.code for d in diagnostics(str(ref))}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("machine", ["python", "wasm", "batch"])
def test_more_entries_than_variables(machine: str, tmp_path: Path) -> None:
    """A procedure with many cells of tables keeps its other variables where machines hold them."""
    many = TRIPS.replace("entities: {a:", "entities: {" + "".join(f"z{i}: {{rank: 4}}, " for i in range(150)) + "a:")
    table = Table(small(tmp_path, many), 2)
    beside_the_interpreter(machine, table, Length(8), random.Random(1), Parts())


def test_what_begins_with_nothing_is_of_the_kind_that_is_put_into_it(play: Play) -> None:
    """Also where one variable tells the kind of another, and where it is read before."""
    rules = """
procedure play():
    let at = none
    let seen = {}
    let most = none
    let line = {}
    let all_of[h in hex] = {}
    let one[h in hex] = {}
    for h in hex:
        if at is some:
            set total to total + at.rank
        set at to h
        set seen to seen | {h}
        if (most ?? 0) < h.rank:
            set most to h.rank * 2
        add h to line
        set all_of[h] to all_of[h] | one[h]
        set one[h] to {x}
        set all_of[a] to all_of[h] | one[h]
    set total to total * 1000 + count(seen) * 100 + (most ?? 0) + (first(line)?.rank ?? 0) + count(all_of[a]) * 10000
    decide last by first(player):
        option stop:
            end game
"""
    assert play(rules + TRIPS[TRIPS.index("--- kinds") :]).omniscient.value("total") == "13307"
