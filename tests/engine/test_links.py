"""Links that are something: facts, state, ends; those at a region and the one between two, under both backends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, split, write
from worlds import IDLE, Play, lines, listed, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.load import load_ruleset

MAP = """
--- map.yaml
map:
  kind: city
  facts: {size: int}
  links:
    road: two_way
    line:
      two_way: true
      doc: Railway lines.
      facts: {cost: money, rough: bool}
      checks: {costs: {that: line.cost > 0 money, text: "L-01: none is free"}}
      of:
        ab: {ends: [a, b], cost: 4}
        cb: {ends: [c, b], cost: 2, rough: true}
        ac: {ends: [a, c], cost: 7, title: The long way}
    stream: {two_way: false, of: {s1: {ends: [c, a]}, s2: {ends: [a, c]}, s3: {ends: [b, d]}}}
    bridge:
      two_way: true
      facts: {toll: int}
      of: {b1: {ends: [a, b], toll: 3}, b2: {ends: [b, a], toll: 1}, b3: {ends: [c, a], toll: 5},
           b4: {ends: [a, c], toll: 4}, b5: {ends: [a, d], toll: 2},
           b6: {ends: [b, d], toll: 6}, b7: {ends: [c, d], toll: 7}}
    ferry: {two_way: false, of: {f1: {ends: [a, b]}, f2: {ends: [a, b]}, f3: {ends: [b, a]}}}
  regions:
    a: {size: 1, road: [d]}
    b: {size: 2}
    c: {size: 3}
    d: {size: 4, road: [a]}
--- kinds.yaml
kinds:
  line: {state: {broken: {type: bool}, owner: {type: player?}}}
  player: {state: {cash: {account: money}, network: {type: set line}}}
  share: {product: [player, line], state: {paid: {type: money}}}
state:
  n: {type: int}
  here: {type: city, start: a}
  last: {type: line?}
accounts: {bank: {account: money, unlimited: true}}
pieces:
  train: {places: {depot: {}, on: {index: line}}}
--- setup.yaml
setup:
  pieces: {train.depot: 3, train.on: {ab: 1}}
  accounts: {player.cash: 9}
  state: {line.cb.broken: true}
"""

VALUES = lines(
    """
    a.line                                  → {b, c}
    d.line                                  → {}
    here.line                               → {b, c}
    c.stream                                → {a}
    a.stream                                → {c}
    line                                    → {ab, cb, ac}
    line.at(a)                              → {ab, ac}
    line.at(here)                           → {ab, ac}
    line.at(d)                              → {}
    stream.at(a)                            → {s1, s2}
    line[a, b]                              → ab
    line[b, a]                              → ab
    line[b, c]                              → cb
    line[here, b]                           → ab
    line[b, here]                           → ab
    line[here, here]                        → none
    line[here, d]                           → none
    line[a, d]                              → none
    stream[here, c]                         → s2
    stream[c, here]                         → s1
    stream[d, b]                            → none
    stream[here, here]                      → none
    line[a, b].cost                         → 4
    line[here, c] is some and line[here, c].cost == 7 money → true
    ab.ends                                 → {a, b}
    cb.ends                                 → {b, c}
    cb.broken                               → true
    s1.source                               → c
    s1.target                               → a
    s1.ends                                 → {a, c}
    the(ac.ends - {here})                   → c
    sum(l.cost for l in line.at(here))      → 11
    union(l.ends for l in line where not l.broken) → {a, b, c}
    {l in line.at(here) where l.rough}      → {}
    {l in stream where l.source == here}    → {s2}
    line.between(a, b)                      → {ab}
    line.between(here, d)                   → {}
    bridge.between(a, b)                    → {b1, b2}
    bridge.between(here, b)                 → {b1, b2}
    bridge.between(b, here)                 → {b1, b2}
    bridge.between(here, here)              → {}
    bridge[a, d]                            → b5
    bridge.at(here)                         → {b1, b2, b3, b4, b5}
    here.bridge                             → {b, c, d}
    ferry.between(here, b)                  → {f1, f2}
    ferry.between(b, here)                  → {f3}
    ferry.between(a, b) - {f1}              → {f2}
    min(l.toll for l in bridge.between(here, b), else 9) → 1
    reach(x from {here}: x.ferry)           → {a, b}
    cheapest(x from {c} to y in x.bridge costs first(bridge.between(x, y))?.toll ?? 0 until y == b) → 8
    longest(w in path(x from city to y in x.bridge once any of bridge.between(x, y) within 9) worth count(w) - 1) → 6
    longest(w in path(x from city to y in x.bridge once bridge.between(x, y) within 9) worth count(w) - 1) → 5
    longest(w in path(x from {a} to y in x.ferry once any of ferry.between(x, y) within 9) worth count(w) - 1) → 3
    longest(w in path(x from {a} to y in {b, a} once any of bridge.at(y) within 9) worth count(w)) → 6
    trail(x from {b} to y in x.ferry once any of ferry.between(x, y) within 4) → {a, b}
    train.on[ab]                            → 1
    reach(x from {here}: x.line)            → {a, b, c}
    cheapest(x from {here} to y in x.line costs (line[x, y] ?? ac).cost until y == c, else 99 money) → 6
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(IDLE + MAP)
    assert game.omniscient.value(text) == value
    if value not in ("{}", "none"):
        assert play(f"invariant i:\n    ({text}) == {value}\n{IDLE}{MAP}").omniscient.broken_invariants() == []


BUILD = """
procedure play():
    "L-02"
    for p in player:
        decide build by p:
            option lay(l in line.at(here) where l.owner is none "L-03: it is taken"):
                cost l.cost from p.cash to bank "L-04: too dear"
                set l.owner to p
                set l.broken to false
                set share[p, l].paid to l.cost
                set p.network to p.network | {l}
                set last to l
                set here to the(l.ends - {here})
                move 1 of train from depot to on[l]
            option stop: pass
    end game
"""


def test_links_are_parameters_of_options_and_keys_of_state(play: Play) -> None:
    game = play(BUILD + MAP)
    assert listed(game) == ["lay(ab)", "lay(ac)", "stop"]
    take(game, "lay(ab)")
    assert game.omniscient.value("here") == "b"
    assert [game.omniscient.value(x) for x in ("last", "share[ann, ab].paid", "ann.network")] == ["ab", "4", "{ab}"]
    assert listed(game) == ["lay(cb)", "stop"]
    assert "L-03" in str(game.why_not(game.parse("lay(ab)")))
    take(game, "lay(cb)")
    assert game.result is not None
    game.undo()
    assert [game.omniscient.value(x) for x in ("cb.broken", "here", "train.on[cb]")] == ["true", "b", "0"]


@pytest.mark.parametrize(
    "text, code",
    [
        ("let x = line.near(here)", "RS225"),
        ("let x = line.between(here)", "RS226"),
        ("let x = line.between(here, ab)", "RS301"),
        ("let x = bridge[here, d]", "RS377"),
        ("let x = bridge[b, a]", "RS377"),
        ("let x = ferry[a, b]", "RS377"),
        ("let x = trail(x from {a} to y in x.bridge once any of y within 3)", "RS355"),
        ("let x = line.at(here, here)", "RS226"),
        ("let x = line.at(ab)", "RS301"),
        ("let x = line[here]", "RS226"),
        ("let x = line[here, ab]", "RS301"),
        ("let x = road[here, d]", "RS221"),
        ("let x = line[here, b].cost", "RS303"),
        ("set n to count(road.at(here))", "RS229"),
        ("let x = ab.source", "RS225"),
    ],
)
def test_what_is_no_link_is_told(play: Play, text: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        play(f"procedure play():\n    {text}\n    end game\n{MAP}")
    assert code in {d.code for d in error.value.diagnostics}


def test_an_overlay_changes_a_link(tmp_path: Path) -> None:
    over = """
--- variants/tunnel.yaml
id: tunnel
title: Tunnel
for: small
version: "1.0"
changes: {map.links.line.of.ab.cost: 1, map.links.line.of.ac.ends: [a, d]}
add: {map.links.line.of.bd: {ends: [d, b], cost: 3}}
remove: [map.links.line.of.cb]
"""
    files = split(BUILD + MAP.replace("line.cb.broken", "line.ab.broken") + over, "rules/play.rules")
    files["game.yaml"] = GAME + "overlays: [tunnel]\n"
    write(tmp_path / "small", files)
    d = load_ruleset(f"{tmp_path / 'small'}+tunnel").declarations
    line = d.kinds["line"]
    assert [e.name for e in line.entities] == ["ab", "ac", "bd"]
    assert line.facts["cost"].values == [1, 7, 3]
    assert d.kinds["city"].facts["line"].values == [0b1010, 0b1001, 0, 0b0011]
