"""`told` whose cells nobody gets to see is warned of, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, diagnostics, write
from shipped import NAMES, loaded

from rulespec.diagnostics.diagnostic import Severity

KINDS = """
kinds:
  card: {entities: {ace: {}, king: {}}}
  player:
    state:
      bid: {type: int 0..9, private: true}
      shown: {type: int 0..9, private: {open: over}}
      wins: {type: int}
state:
  over: {type: bool}
  best: {type: int}
pieces:
  hold: {each: [card], places: {box: {private: {to: "{}"}}, hand: {index: player, private: true}}}
"""
RULES = """
def strength(p: player) -> int: told(p.bid, "the bids are shown")
def cards(p: player) -> int: count(c in card where hold[c].hand[p] > 0)
def winners() -> set player: best(p in player by strength(p))
procedure play():
    for p in player:
        roll deal(c in card where hold[c].box > 0 private to p)
        move 1 of hold[c] from box to hand[p]
        decide bidding by p:
            option bid(k in 0 .. 9 private):
                set p.bid to k
                set p.shown to k
            option pass_it: pass
    {}
    end game
"""


def warned(folder: Path, body: str) -> list[str]:
    """The messages of RS740 for a body of a procedure; the rules have no errors."""
    rules = RULES.format("\n    ".join(body.split("\n")))
    write(folder, {"game.yaml": GAME, "kinds.yaml": KINDS, "rules/play.rules": rules})
    reported = diagnostics(str(folder))
    assert all(d.severity == Severity.WARNING for d in reported)
    return [d.message for d in reported if d.code == "RS740"]


@pytest.mark.parametrize(
    "body, name",
    [
        ('for p in best(q in player by told(q.bid, "shown")):\n    set p.wins to 1', "bid"),
        ("for p in winners():\n    set p.wins to 1", "bid"),
        ('if count(p in player where told(cards(p), "shown") > 1) > 0:\n    set best to 1', "hand"),
        ('for p in player where told(p.bid, "shown") > 3:\n    set p.wins to 1', "bid"),
        ('let some_in = count(p in player where told(hold[ace].box, "shown") > 0)\nset best to some_in', "box"),
        ('repeat at most told(max(p.bid for p in player), "shown"):\n    set best to best + 1', "bid"),
    ],
)
def test_what_decides_and_stays_hidden(body: str, name: str, tmp_path: Path) -> None:
    assert warned(tmp_path, body) == [f"the rules disclose a consequence of `{name}`, but no seat ever sees it"]


@pytest.mark.parametrize(
    "body",
    [
        'for p in best(q in player by told(q.shown, "open: over")):\n    set p.wins to 1',
        'if told(sum(hold[c].hand[first(player)] for c in card), "all see how many") > 1:\n    set best to 1',
        'set best to max(told(p.bid, "shown") for p in player)',
        'let high = told(first(player).bid, "shown") + 1\nset best to high',
        "set best to max(strength(p) for p in player)",
        'for c in told({c in card where hold[c].box > 0}, "dealt openly"):\n    set best to c.index',
        'if told(best, "nothing private") > 1:\n    set best to 1',
    ],
)
def test_what_is_seen_or_kept(body: str, tmp_path: Path) -> None:
    assert warned(tmp_path, body) == []


def test_an_answer_alone_is_listed_beside_the_rules(tmp_path: Path) -> None:
    """The last way out of the message: a guess is answered, and the card stays where it is."""
    rules = RULES.format("if {}:\n        set best to 1")
    files = {"game.yaml": GAME, "kinds.yaml": KINDS}
    asked = "hold[ace].hand[first(player)] > 0"
    write(tmp_path, files | {"rules/play.rules": rules.replace("{}", f'told({asked}, "answered truly")')})
    (warning,) = (d for d in diagnostics(str(tmp_path)) if d.code == "RS740")
    assert "list the line under `told:` in `rules.yaml` instead" in warning.help
    listed = f"told:\n  - {{at: rules/play.rules, text: 'if {asked}', reason: answered truly}}\n"
    write(tmp_path, files | {"rules/play.rules": rules.replace("{}", asked), "rules.yaml": listed})
    assert [d.code for d in diagnostics(str(tmp_path)) if d.code in ("RS346", "RS740", "RS348")] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(3)
def test_shipped_rules_show_what_they_tell(name: str) -> None:
    assert [d.code for d in loaded(name)[1].diagnostics if d.code == "RS740"] == []
