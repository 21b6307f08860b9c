"""A quiz with overlays that ask different questions, and two-player games under any rules."""

from __future__ import annotations

from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

QUIZ = """\
procedure play():
    for p in player:
        if warm_up:
            decide warming by p:
                option stretch:
                    pass
                option rest:
                    require easy "QZ-1: no rest"
                    pass
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                require n <= limit() "QZ-3: not so many"
                set p.points to p.points + n * factor
            option interject(q in player, n in 1 .. 2) by q:
                set q.points to q.points + n
                ask again
    end game

def limit() -> int:
    most if pace == slow else most - 1

scoring p in player:
    score p.points
--- game.yaml
id: quiz
title: Quiz
version: "1.0"
players: {kind: player, min: 1, max: 3}
start: play
settings:
  warm_up: {default: false}
  easy: {default: false}
  pace: {values: [slow, fast], default: slow}
overlays: [warm, easy, strict, turned, resting, costly, paying, lucky, backwards, humming, reply, free]
--- kinds.yaml
kinds:
  player: {state: {points: {type: int}}}
--- tables.yaml
constants: {most: 6, factor: 1}
--- variants/warm.yaml
id: warm
title: Warm
for: quiz
version: "1.0"
settings: {warm_up: true}
--- variants/easy.yaml
id: easy
title: Easy
for: quiz
version: "1.0"
settings: {warm_up: true, easy: true}
--- variants/strict.yaml
id: strict
title: Strict
for: quiz
version: "1.0"
changes: {constants.most: 3}
remove: [game.settings.pace]
--- variants/strict.rules
replace def limit() -> int:
    most
--- variants/turned.yaml
id: turned
title: Turned
for: quiz
version: "1.0"
changes: {constants.factor: -1}
--- variants/resting.yaml
id: resting
title: Resting
for: quiz
version: "1.0"
add: {game.usual: {warming: rest}}
--- variants/costly.yaml
id: costly
title: Costly
for: quiz
version: "1.0"
--- variants/costly.rules
replace procedure play():
    for p in player:
        decide fee by p:
            option small:
                set p.points to p.points - 1
            option large:
                set p.points to p.points - 2
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
--- variants/free.yaml
id: free
title: Free
for: quiz
version: "1.0"
--- variants/free.rules
wrap procedure play():
    if easy:
        decide fee by first(p in player):
            option small:
                pass
    original()
--- variants/paying.yaml
id: paying
title: Paying
for: quiz
version: "1.0"
add: {game.usual: {fee: small}}
--- variants/lucky.yaml
id: lucky
title: Lucky
for: quiz
version: "1.0"
add: {kinds.player.state.luck: {type: int}}
--- variants/backwards.yaml
id: backwards
title: Backwards
for: quiz
version: "1.0"
--- variants/backwards.rules
replace procedure play():
    for p in player from next(first(q in player)):
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
--- variants/humming.yaml
id: humming
title: Humming
for: quiz
version: "1.0"
--- variants/humming.rules
replace procedure play():
    for p in player:
        hum(p)
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    hum(first(p in player))
    end game

procedure hum(p: player):
    decide humming by p:
        option hum:
            pass
        option whistle:
            pass
--- variants/reply.yaml
id: reply
title: Reply
for: quiz
version: "1.0"
--- variants/reply.rules
replace procedure play():
    for p in player:
        decide reply by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
"""


def played(ref: str, decisions: list[str], **options: str) -> Game:
    """A two-player game after the given decisions, each played by its decider."""
    game = Game(load_ruleset(ref), ["Ann", "Bob"], options)
    for text in decisions:
        game.apply(game.parse(text))
    return game
