"""A game with a separate decision for each kind of event, and the events that can be undone."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cases import small

from rulespec.typed import nodes as typed

RULES = """
procedure play():
    for p in player:
        set p.card to 5
        set p.fate to 7
        set p.hint to 3
    set mover to first(p in player)
    repeat at most 200:
        if mover is some:
            turn(mover)
    end game

procedure turn(p: player):
    decide move by p:
        option plain:
            set tally to (tally + 1) % 50
        option pass_on:
            set mover to next(p)
        option query:
            reply(next(p))
        option roll:
            die()
        option peek:
            set p.looked to not p.looked
        option show:
            set p.shows to not p.shows
        option whisper:
            set p.told to not p.told
        option blind:
            set tally to p.fate
        option keep(n in 1 .. 2 private):
            set p.card to n
        option poll:
            votes()
        option shout(q in player where q != p) by q:
            set tally to 0

procedure reply(q: player):
    decide reply by q:
        option answer:
            pass

procedure die():
    chance die:
        option falls(n in 1 .. 6) weight 1:
            set tally to n

procedure votes():
    decide vote together by p in player:
        option choose(n in 1 .. 3):
            set p.vote to n
--- kinds.yaml
kinds:
  player:
    state:
      card: {type: int 0..9, private: {open: player.shows}}
      fate: {type: int 0..9, private: {to: "{player} if player.looked else {}"}}
      hint: {type: int 0..9, private: {to: "{player, next(player)} if player.told else {player}"}}
      looked: {type: bool}
      shows: {type: bool}
      told: {type: bool}
      vote: {type: int 0..3}
state:
  tally: {type: int 0..50}
  mover: {type: "player?"}
"""
PRIVATE = [
    ", private: {open: player.shows}",
    ', private: {to: "{player} if player.looked else {}"}',
    ', private: {to: "{player, next(player)} if player.told else {player}"}',
    " private)",
]


class Row(NamedTuple):
    """A sequence of events at a table, and the number of decisions that a seat can undo afterwards without consent.

    Attributes:
        plays: a sequence of `seat option`; chance follows automatically.
        open: the number in a game without private information.
        secret: the number in a game with private cards.
        seats: upper-case players and lower-case bots; `*` follows a player replaced by a bot.
        answers: whether bots' decisions count as seen.
        who: the seat that undoes.
    """

    plays: str
    open: int
    secret: int
    seats: str = "AB"
    answers: bool = False
    who: str = "A"


ROWS = [
    Row("A plain", 1, 1),
    Row("A plain, A plain", 2, 2),
    Row("A pass_on", 1, 1),
    Row("A pass_on, B plain", 0, 0),
    Row("A plain, B shout(B)", 0, 0),
    Row("A plain, B shout(B), A plain", 1, 1),
    Row("A query", 1, 1),
    Row("A query, B answer", 0, 0),
    Row("A plain, A query, B answer, A plain", 1, 1),
    Row("A query, b answer", 2, 2, "Ab"),
    Row("A plain, A query, b answer, A plain", 4, 4, "Ab"),
    Row("A plain, A query, b answer, A plain", 1, 1, "Ab", answers=True),
    Row("A query, b answer", 0, 0, "Ab", answers=True),
    Row("A query, b answer", 0, 0, "Ab*"),
    Row("A roll", 0, 0),
    Row("A plain, A roll, A plain", 1, 1),
    Row("A peek", 1, 0),
    Row("A peek, A peek", 2, 1),
    Row("A show", 1, 0),
    Row("A plain, A show, A plain", 3, 1),
    Row("A whisper", 1, 0),
    Row("A whisper, A whisper", 2, 1),
    Row("A blind", 1, 0),
    Row("A peek, A blind", 2, 1),
    Row("A keep(2)", 1, 1),
    Row("A show, A keep(2)", 2, 1),
    Row("A poll", 1, 1),
    Row("A poll, B choose(2)", 1, 1),
    Row("A plain, A poll, B choose(2)", 2, 2),
    Row("A poll, C choose(1), B choose(2)", 1, 1, "ABC"),
    Row("A pass_on, B poll, A choose(2)", 2, 2, who="B"),
    Row("A pass_on, B plain, B poll, A choose(2), C choose(1)", 3, 3, "ABC", who="B"),
    Row("A pass_on, B poll, A choose(2), C choose(1)", 0, 0, "ABC"),
    Row("A poll, A choose(1)", 0, 0),
    Row("A poll, B choose(2), A choose(1)", 0, 0),
    Row("A poll, B choose(2), A choose(1), A plain", 1, 1),
    Row("A poll, A choose(1), b choose(2)", 0, 0, "Ab"),
]


def without_secrets(text: str) -> str:
    """The rules without private information."""
    for each in PRIVATE:
        text = text.replace(each, ")" if each.endswith(")") else "")
    return text


def rules_of(folder: Path, *, secret: bool) -> typed.Ruleset:
    """The rules, loaded from a new folder."""
    return small(folder / ("secret" if secret else "open"), RULES if secret else without_secrets(RULES))
