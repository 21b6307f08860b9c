"""Random expressions of a requested type, over the variables in scope, and nested to a given depth."""

from __future__ import annotations

from collections.abc import Callable

import programs_alike
import programs_boards
import programs_capacities
import programs_choices
import programs_links
import programs_numbers
import programs_paths
import programs_places
import programs_players
import programs_seats
import programs_several
import programs_tables
import programs_wide
from programs_numbers import PERHAPS, several
from programs_orders import by_keys, ways
from programs_tokens import hypothetical
from programs_values import only

from rulespec.language.builtins import BUILTINS, NUMBER

Below = Callable[[int], int]
"""A source of random numbers from 0 to below its argument."""
NUM, BOOL, TOWN, MAYBE, SET, PLAYER = "int", "bool", "town", "town?", "set town", "player"
OF_NUMBERS = [name for name, f in BUILTINS.items() if {each.takes for each in f.parameters} == {NUMBER}]
TOWNS = ("oak", "elm", "ash", "fir")


class ExpressionWriter:
    """A writer of well-typed expressions over the world in worlds.py; `below` makes every choice."""

    def __init__(self, below: Below) -> None:
        self.number = below
        self.names = 0
        self.secrets = 5
        """The reciprocal share of private parameters."""
        self.disclosures = 0
        """The reciprocal share of disclosing expressions; 0 for none."""
        self.together = False
        """Whether the position is inside an option of a simultaneous decision."""
        self.answers = 0
        """The number of procedures of `ANSWERS` that may be called."""
        self.hushed = -1
        """The index of the quiet procedure being written; -1 outside of them."""

    def pick(self, *choices: str) -> str:
        return choices[self.number(len(choices))]

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def expr(self, type_: str, scope: dict[str, str], depth: int) -> str:
        known = [n for n, t in scope.items() if t == type_]
        if depth > 0 and (tables := programs_tables.holding(scope, type_)) and self.number(4) == 0:
            return programs_tables.entry(self, self.pick(*tables), scope, depth - 1)
        if depth <= 0 or self.number(5) == 0:
            return self.pick(*LEAVES[type_], *known)
        if self.disclosures and type_ != PERHAPS and self.number(self.disclosures) == 0:
            return f'told({self.expr(type_, scope, depth - 1)}, "R-5: all see it")'
        write = {
            NUM: self.num,
            BOOL: self.truth,
            TOWN: self.town,
            MAYBE: self.maybe,
            SET: self.set,
            PLAYER: self.player,
            PERHAPS: self.perhaps,
        }
        if type_ != PLAYER and self.hushed != 0 and self.number(9) == 0:
            return hypothetical(self, type_, scope, depth - 1)
        if self.number(12) == 0:
            form = programs_choices.called if self.hushed < 0 and self.number(3) == 0 else programs_choices.named
            return form(self, type_, scope, depth - 1)
        text = write[type_](scope, depth - 1)
        calls = any(called in text for called in CALLED)
        return self.pick(*LEAVES[type_]) if self.hushed >= 0 and calls else text

    def each(self, scope: dict[str, str], d: int, *, order: bool = False) -> tuple[str, dict[str, str]]:
        name = self.fresh()
        inner = {**scope, name: TOWN}
        text = f"{name} in {self.expr(SET, scope, d)}"
        if order and self.number(2):
            text += f" {self.pick('from', 'after')} {self.expr(TOWN, scope, d)}"
        if self.number(3):
            text += f" where {self.expr(BOOL, inner, d)}"
        return text, inner

    def num(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        if self.number(3) == 0 and (of_bag := programs_several.number(self, s)) is not None:
            return of_bag
        if self.number(3) == 0 and (of_path := programs_paths.number(self, s)) is not None:
            return of_path
        if self.number(14) == 0:
            return programs_paths.longest(self, s)
        if self.number(14) == 0:
            return programs_several.of_subsets(self, s)
        if self.number(14) == 0:
            return programs_numbers.number(self, s, d)
        if self.number(14) == 0:
            return (programs_choices.number if self.number(2) else programs_choices.stepped)(self, s, d)
        if self.number(8) == 0:
            number = programs_players.number if self.number(2) else programs_seats.number
            return number(self.pick, lambda type_: e(type_, s, d), self.fresh())
        if self.number(16) == 0:
            return programs_capacities.number(self.pick, lambda type_: e(type_, s, d), self.fresh())
        if self.number(14) == 0:
            return programs_links.number(self.pick, lambda type_: e(type_, s, d), self.fresh)
        form = self.number(18)
        if form == 17:
            return programs_alike.number(self, s, d)
        if form == 16:
            return programs_places.number(self, s, d)
        if form == 15:
            return programs_boards.number(self.pick, lambda type_: e(type_, s, d), self.fresh)
        if form < 3:
            return f"({e(NUM, s, d)} {self.pick('+', '-', '*')} {e(NUM, s, d)})"
        if form == 14:
            return ways(self, s, d, "cheapest")
        if form == 3:
            return f"({e(NUM, s, d)} {self.pick('/', '%')} {self.pick('2', '(-3)', 'n', '(m - 1)')})"
        if form == 4:
            return f"({e(NUM, s, d)} if {e(BOOL, s, d)} else {e(NUM, s, d)})"
        if form == 5:
            f = BUILTINS[self.pick(*OF_NUMBERS)]
            count = len(f.parameters) + (self.number(6) if f.any_number else 0)
            return f"{f.name}({', '.join(e(NUM, s, d) for _ in range(count))})"
        if form == 6:
            return f"{e(TOWN, s, d)}.{self.pick('tax', 'mark', 'index')}"
        if form == 7:
            binder, inner = several(self, s, d)
            return f"sum({e(NUM, inner, d)} for {binder})"
        if form == 8:
            binder, inner = self.each(s, d)
            return f"{self.pick('min', 'max')}({e(NUM, inner, d)} for {binder}, else {e(NUM, s, d)})"
        if form == 9:
            return f"count({e(SET, s, d) if self.number(2) else several(self, s, d)[0]})"
        if form == 10:
            return f"cart[{self.pick('corn', 'salt')}].at[{e(TOWN, s, d)}]"
        if form == 11:  # an unread argument, an unneeded part
            return self.pick(f"g({e(NUM, s, d)}, {e(SET, s, d)})", f"({e(NUM, s, d)} if false else {e(NUM, s, d)})")
        if form == 12:
            return self.pick(f"({e(NUM, s, d)} * {BIG})", f"({BIG} - {e(NUM, s, d)})", f"twice{self.number(DEEP)}(m)")
        return self.pick(
            f"f({e(NUM, s, d)}, {e(TOWN, s, d)})",
            f"by_town[{e(TOWN, s, d)}, {e(NUM, s, d)}]",
            f"scale.space({e(NUM, s, d)} * 1 money).bonus",
            f"wheel.ahead(rest, {e(NUM, s, d)}).index",
            f"({e(PLAYER, s, d)}.cash / 1 money)",
        )

    def truth(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        if self.number(12) == 0:
            return programs_numbers.truth(self, s, d)
        if self.number(12) == 0:
            return programs_choices.in_order(self, s, d)
        form = self.number(14)
        if form == 13:
            return programs_alike.truth(self, s, d)
        if form == 11:
            return programs_seats.truth(self.pick, lambda type_: e(type_, s, d))
        if form == 12:
            return programs_places.truth(self, s, d)
        if form == 10:  # a part that is irrelevant, or not evaluated
            dead = self.pick("and true", "or false", "and false", "or true", "and 1 > 2")
            if self.number(2):
                return f"({e(BOOL, s, d)} {dead})"
            return f"any({self.fresh()} in {self.pick('{} & town', '{} | oak.near')} where {e(BOOL, s, d)})"
        if form < 2:
            return f"({e(NUM, s, d)} {self.pick('==', '!=', '<', '<=', '>', '>=')} {e(NUM, s, d)})"
        if form == 2:
            return f"({e(BOOL, s, d)} {self.pick('and', 'or')} {e(BOOL, s, d)})"
        if form == 3:
            return f"(not {e(BOOL, s, d)})"
        if form == 4:
            return f"({e(self.pick(TOWN, MAYBE), s, d)} {self.pick('in', 'not in')} {e(SET, s, d)})"
        if form == 5:
            return f"({e(MAYBE, s, d)} {self.pick('==', '!=')} {e(self.pick(TOWN, MAYBE), s, d)})"
        if form == 6:
            return f"({e(MAYBE, s, d)} is {self.pick('none', 'some')})"
        if form == 7:
            return f"any({several(self, s, d)[0]})"
        if form == 8:
            binder, inner = several(self, s, d)
            return f"all({binder}: {e(BOOL, inner, d)})"
        return f"({e(SET, s, d)} == {e(SET, s, d)})"

    def town(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        form = self.number(4)
        if form == 3:
            return only(self, s, d)
        if form == 0:
            return f"({e(MAYBE, s, d)} ?? {e(TOWN, s, d)})"
        return f"next({e(TOWN, s, d)})" if form == 1 else f"({e(TOWN, s, d)} if {e(BOOL, s, d)} else {e(TOWN, s, d)})"

    def maybe(self, s: dict[str, str], d: int) -> str:
        if self.number(4) == 0:
            return f"first({by_keys(self, s, d, order=True)[0]})"
        if self.number(4) == 0:
            return programs_choices.maybe(self, s, d)
        if self.number(2):
            return f"first({self.each(s, d, order=True)[0]})"
        return f"{self.expr(TOWN, s, d)}.twin"

    def perhaps(self, s: dict[str, str], d: int) -> str:
        return programs_numbers.perhaps(self, s, d)

    def set(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        form = self.number(11)
        if form > 8:
            return programs_wide.towns(self, s, d)
        if form == 8:
            return programs_places.towns(self, s, d)
        if form < 2:
            return f"({e(SET, s, d)} {self.pick('|', '&', '-')} {e(SET, s, d)})"
        if form == 7:
            return f"best({by_keys(self, s, d)[0]})"
        if form == 2:
            return f"{{{e(TOWN, s, d)}, {e(TOWN, s, d)}}}"
        if form in (3, 4):
            binder, inner = several(self, s, d)
            if form == 3:
                return f"{{{e(TOWN, inner, d)} for {binder}}}"
            return f"union({e(SET, inner, d)} for {binder})"
        if form == 5:
            if self.number(3) == 0:
                return programs_paths.trail(self, s)
            if self.number(2):
                return ways(self, s, d, "reach")
            name = self.fresh()
            return f"reach({name} from {e(SET, s, d)}: {e(SET, {**s, name: TOWN}, d)})"
        return f"{{{self.each(s, d)[0]}}}"

    def player(self, s: dict[str, str], d: int) -> str:
        return programs_seats.player(self, s, d)


CALLED = ("f(", "g(", "choice")
"""The beginnings of calls of definitions that call others."""
DEEP = 9
BIG = "huge()"
LEAVES = {
    NUM: ("0", "1", "2", "n", "m", "few", "players", "limit", "size", "tilt"),
    BOOL: ("true", "false", "oak.seen", "elm.seen", "(n > 1)", "open", "(mode == full)"),
    TOWN: (*TOWNS, "south.home"),
    MAYBE: ("oak.twin", "elm.twin", "first(queue)", "first(z in towns from fir)"),
    SET: ("town", "towns", "(queue | {fir})", "oak.near", "{oak, fir}", "friends[ash]"),
    PLAYER: ("north", "south"),
    PERHAPS: programs_numbers.LEAVES,
}
