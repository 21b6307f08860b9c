"""Rare forms of random programs, inserted at the start of turns because they would seldom occur by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import programs_deep
import programs_drafts
import programs_numbers
import programs_seats
from programs_players import deciders

if TYPE_CHECKING:
    from programs_statements import StatementWriter

Scope = dict[str, str]
GROUP = """\
options extras:
    option spare(k in 0 .. 1 "R-1: no more than one"):
        set n to n + k
    when few > 0 "R-2: nothing to give":
        option give:
            cost 1 from few
            cost 1 of flag from supply to at[elm]
            set m to m - 1
"""
"""A group of options for inclusion in decisions."""
SOME = 6
"""The number of rare forms in a program."""


def some(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """The lines of some rare forms, each used at most once."""
    left = list(FORMS)
    lines: list[str] = []
    for _ in range(SOME):
        lines += left.pop(w.number(len(left)))(w, scope, pad)
    return lines


def _shuffled(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    town = w.expr("town", scope, 1)
    return [f"{pad}set queue to [{w.pick('oak, ash', 'fir, elm, ash', 'elm')}]", f"{pad}add {town} to queue"] + [
        f"{pad}{w.pick('shuffle queue', 'take ash from queue')}" for _ in range(2)
    ]


def _chosen(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A choice by one of several players, with a reason for refusals."""
    name, value = w.fresh(), w.fresh()
    by = deciders(w.pick, lambda type_: w.expr(type_, scope, 1), w.fresh())
    domain = f"{value} in {{elm}} | {w.expr('set town', scope, 1)}"
    scope[value] = "town"
    return [f'{pad}choose {name}({domain} "R-3: not there") by {by}', f"{pad}set {value}.mark to n"]


def _branches(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    lines = [f"{pad}if {w.expr('bool', scope, 1)}:", f"{pad}    set n to n + 1"]
    for _ in range(1 + w.number(2)):
        lines += [f"{pad}elif {w.expr('bool', scope, 1)}:", f"{pad}    set m to {w.expr('int', scope, 1)}"]
    note = f'told({w.expr("int", scope, 1)}, "R-5: all see it")'
    return [*lines, f"{pad}else:", f"{pad}    set oak.seen to not oak.seen", f"{pad}set n to {note} + few"]


def _cases(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A `match` on a setting, a player or a truth value."""
    return programs_seats.cases(w, pad, lambda inner: [f"{inner}set n to {w.expr('int', scope, 1)}"], scope)


def _ending(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    return programs_seats.ending(w, scope, pad)


def _interrupted(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A decision with interrupts, or with included options."""
    name, other, one = w.fresh(), w.fresh(), w.fresh()
    params = f"({one} in {w.expr('set town', scope, 1)})" if w.number(2) else ""
    by = "q" if (joint := w.number(2)) else w.expr("player", scope, 1)
    many = ["q in player", *([params[1:-1]] if params else [])]
    head = f"option {other}({', '.join(many)}) by q" if joint else f"option {other}{params} by {by}"
    return [
        f"{pad}decide {name} by {w.expr('player', scope, 1)}:",
        f"{pad}    option {name}_go:",
        f'{pad}        require {w.expr("bool", scope, 1)}    "R-4: not now"',
        f"{pad}        set n to n + 1",
        f"{pad}    {head}:",
        f"{pad}        set m to m + 1",
        f"{pad}        if m < {w.pick('3', '9', 'limit')}:",
        f"{pad}            ask again",
        f"{pad}    include extras",
        f"{pad}    otherwise:",
        f"{pad}        set few to 1",
    ]


def _loop(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A loop with keys that uses `break` or `continue`."""
    name = w.fresh()
    inner = {**scope, name: "town"}
    keys = f"{w.pick('', '-')}{w.expr(w.pick('int', 'bool', 'town'), inner, 1)}, {w.pick('', '-')}{name}.tax"
    start = f"{w.pick('from', 'after')} {w.expr('town', scope, 1)}"
    head = w.pick(f"for {name} in town by {keys}:", f"for {name} in towns | {{elm}} {start} by {keys}:")
    test = f"{pad}    if {w.expr('bool', inner, 1)}:"
    jumps = [test, f"{pad}        {w.pick('leave', 'continue')}"]
    return [f"{pad}{head}", *jumps, f"{pad}    set {name}.mark to {name}.mark + 1"]


def _afloat(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """Tokens on tokens, tokens of players, and rays with an end."""
    course = w.pick("ahead", "aside", "aslant")
    stop = f"{{s in spot where s.column == {w.expr('int', scope, 0)} or s.home is some}}"
    who = next((name for name, type_ in scope.items() if type_ == "player"), "first(player)")
    put = w.pick("load[jar]", f"guest[{who}]", "road[elm]", "inn")
    return [
        f"{pad}set n to count(ray({w.pick('r1', 's3', 't4')}, {course} until {stop}))",
        f"{pad}for o in porter[{who}]{w.pick('', '.inn', '.road', '.guest')} by -o.tired, o.number:",
        f"{pad}    if room(load[jar]) > 0:",
        f"{pad}        move o to {put}",
        f"{pad}set m to m + count(porter[{who}].load) * 3 + count(road[elm])",
    ]


def _unasked(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A decision inside a loop that may have no options; an option may be omitted."""
    name, value = w.fresh(), w.fresh()
    domain = f"{value} in {w.expr('set town', scope, 1)}" + programs_numbers.or_none(
        w, dict(scope), value, "town", True
    )
    return [
        f"{pad}repeat at most 3:",
        f"{pad}    decide {name} by any of player lead {w.expr('player', scope, 1)}:",
        f"{pad}        option {name}_take({domain}):",
        f"{pad}            require {w.expr('bool', scope, 1)}",
        f"{pad}            {w.pick('leave', 'continue', 'set n to n + 1')}",
        f"{pad}        otherwise:",
        f"{pad}            {w.pick('leave', 'set n to n + 2')}",
    ]


def _together(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A simultaneous decision with hidden choices."""
    name, value = w.fresh(), w.fresh()
    amount = w.pick(f"{value} in 0 .. few private", f"{value} in 0 .. 2 where {value} != n")
    return [
        f"{pad}decide {name} together by q in player{w.pick('', ' from south')}:",
        f"{pad}    option {name}_lay({amount}):",
        f"{pad}        set n to n * 2 + {value}",
        f"{pad}    option {name}_pass:",
        f"{pad}        set claim[q, corn].size to n",
    ]


def _turns(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """Turns until all players have passed or are out, with passes inside nested loops and forced passes."""
    name, who = w.fresh(), w.fresh()
    where = f" where {w.expr('bool', {**scope, who: 'town'}, 1)}" if w.number(2) else ""
    towns = w.pick(f"town from {w.expr('town', scope, 0)}", "towns | {elm} after ash", "{t in town by -t.tax}", "towns")
    seats = w.pick(
        f"player from {w.expr('player', scope, 0)}", "player", "{q in player by q.cash}", "player after south"
    )
    head, by = ((f"{towns}{where}", "first(player)"), (seats, who))[w.number(2)]
    rest = w.pick("", "", f" but {w.expr('int', scope, 0)}")
    loop = w.number(2)
    most = f" at most abs({w.expr('int', scope, 0)}) % 7" if loop or w.number(3) == 0 else ""
    inner = f"{pad}        " if loop else f"{pad}    "
    return [
        f"{pad}turns {who} in {head} until all{rest} pass{w.pick('', ' drops')}{most}:",
        *([f"{pad}    repeat at most 3:"] if loop else []),
        f"{inner}decide {name} by {by}:",
        f"{inner}    option {name}_act:",
        f"{inner}        require {w.expr('bool', scope, 1)}",
        f"{inner}        set n to n + 1",
        f"{inner}        {w.pick('ask again', 'continue', 'leave', 'set m to m - 1')}",
        f"{inner}    option {name}_pass:",
        f"{inner}        require {w.expr('bool', scope, 1)} or n > 2",
        f"{inner}        pass turn",
        f"{inner}    otherwise:",
        f"{inner}        {w.pick('pass turn', 'leave')}",
        f"{pad}    set few to few",
    ]


FORMS = (
    *(_shuffled, _chosen, _branches, _cases, _ending, _interrupted, _loop, _afloat, _unasked, _together, _turns),
    programs_deep.called,
    programs_drafts.drafted,
)
