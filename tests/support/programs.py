"""Random programs over the world of worlds.py: well typed, otherwise anything."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import programs_alike
import programs_boards
import programs_capacities
import programs_changes
import programs_choices
import programs_deep
import programs_heads
import programs_links
import programs_numbers
import programs_paths
import programs_places
import programs_players
import programs_rare
import programs_seats
import programs_secrets
import programs_several
import programs_tables
import programs_wide
from cases import split, write
from hypothesis import strategies as st
from msgspec.structs import replace
from programs_numbers import PERHAPS, several, with_numbers
from programs_orders import by_keys, rearranged, ways
from programs_tokens import hypothetical, quiet_procedures
from programs_values import ANSWERS, answers, draw, only, taken
from worlds import IDLE, WORLD

from rulespec.check.passes import check_source
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.language.builtins import BUILTINS, NUMBER
from rulespec.load import load_ruleset
from rulespec.overlays.overlay import Source
from rulespec.overlays.stages import lay_rules
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed

Below = Callable[[int], int]
"""Chooses a number from 0 to below another."""
NUM, BOOL, TOWN, MAYBE, SET, PLAYER = "int", "bool", "town", "town?", "set town", "player"
OF_NUMBERS = [name for name, f in BUILTINS.items() if {each.takes for each in f.parameters} == {NUMBER}]
TOWNS = ("oak", "elm", "ash", "fir")


class Writer:
    """Writes a well-typed program over the world of worlds.py; `below` makes every choice."""

    def __init__(self, below: Below) -> None:
        self.number = below
        self.names = 0
        self.secrets = 5
        """Of so many parameters, one is private."""
        self.disclosures = 0
        """Of so many expressions, one discloses; 0: none."""
        self.together = False
        """Whether the place is in an option of a decision that is taken together."""
        self.answers = 0
        """The number of procedures of `ANSWERS` that may be called."""
        self.hushed = -1
        """The number of the quiet procedure that is written; -1 if it is none."""

    def pick(self, *choices: str) -> str:
        return choices[self.number(len(choices))]

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    # --- expressions: of a type, over the variables in scope, nested at most `depth` deep

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
        if form == 11:  # an argument that nothing reads, a part that nothing needs
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
        if form == 10:  # a part that decides nothing, or is not asked
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
            if self.number(2):
                return ways(self, s, d, "reach")
            name = self.fresh()
            return f"reach({name} from {e(SET, s, d)}: {e(SET, {**s, name: TOWN}, d)})"
        return f"{{{self.each(s, d)[0]}}}"

    def player(self, s: dict[str, str], d: int) -> str:
        return programs_seats.player(self, s, d)

    # --- statements

    def block(self, scope: dict[str, str], depth: int, pad: str, place: str = "") -> list[str]:
        lines: list[str] = []
        scope = dict(scope)
        for _ in range(1 + self.number(3)):
            lines += self.stmt(scope, depth - 1, pad, place)
        return lines

    def stmt(self, scope: dict[str, str], depth: int, pad: str, place: str) -> list[str]:
        e = self.expr
        deeper = pad + "    "
        if self.number(3) == 0 and (lines := programs_several.statement(self, scope, pad)) is not None:
            return lines
        if self.number(3) == 0 and (lines := programs_paths.statement(self, scope, pad)) is not None:
            return lines
        if self.number(9) == 0:
            return programs_places.statement(self, scope, pad)
        if self.number(9) == 0:
            return programs_alike.statement(self, scope, pad)
        if self.number(12) == 0:
            return programs_choices.statement(self, scope, pad)
        if self.number(8) == 0:
            return programs_tables.put(self, scope, pad)
        if self.number(12) == 0:
            return [pad + programs_wide.statement(self, scope)]
        if self.number(9) == 0:
            return rearranged(self, scope, pad, may_ask=depth > 0 and not self.together)
        if self.number(9) == 0:
            return programs_numbers.statement(self, scope, pad)
        if self.number(10) == 0:
            return [pad + programs_players.statement(self.pick, lambda type_: e(type_, scope, 1), self.fresh())]
        if self.number(14) == 0:
            return [pad + programs_capacities.statement(self.pick, lambda type_: e(type_, scope, 1))]
        if self.number(14) == 0:
            return [pad + programs_links.statement(self.pick, lambda type_: e(type_, scope, 1), self.fresh())]
        form = self.number(14 if depth > 0 else 7)
        if form == 0 and not self.together and self.answers and self.number(2):
            return taken(self, scope, pad)
        if form == 0:
            type_ = self.pick(NUM, BOOL, TOWN, MAYBE, SET)
            name = self.fresh()
            line = f"{pad}let {name} = {e(type_, scope, 2)}"
            scope[name] = type_
            return [line]
        if form < 3:
            target, type_ = [("n", NUM), ("m", NUM), ("towns", SET), ("oak.seen", BOOL)][self.number(4)]
            return [f"{pad}set {target} to {e(type_, scope, 3)}"]
        if form == 3:
            return [f"{pad}set {e(TOWN, scope, 1)}.mark to {e(NUM, scope, 2)}"]
        if form == 4:
            return [f"{pad}set few to abs({e(NUM, scope, 2)}) % {self.pick('4', '4', '5')} + 0 * n"]
        if form == 5:
            pile = f"cart[{self.pick('corn', 'salt')}]"
            amount = f"min({pile}.supply, abs({e(NUM, scope, 1)}))"
            return [f"{pad}move {self.pick(amount, amount, '1')} of {pile} from supply to at[{e(TOWN, scope, 1)}]"]
        if form == 6:
            payer = self.pick("bank", f"{e(PLAYER, scope, 1)}.cash")
            return [f"{pad}pay abs({e(NUM, scope, 1)}) % 3 * 1 money from {payer} to chest"]
        if form == 7:
            body = self.block(scope, depth, deeper, place)
            lines = [f"{pad}if {e(BOOL, scope, 2)}:", *body]
            if self.number(2):
                name = self.fresh()
                named = self.block({**scope, name: TOWN}, depth, deeper, place)
                word = self.pick("if", "elif")
                named = [f"{pad}{word} ({e(MAYBE, scope, 1)}) is some as {name}:", *named]
                lines = named if word == "if" else lines + named
            if self.number(2):
                lines += [f"{pad}else:", *self.block(scope, depth, deeper, place)]
            return lines
        if form == 8:
            each = by_keys if self.number(3) == 0 else type(self).each
            binder, inner = each(self, scope, 1, order=True)
            return [
                f"{pad}for {binder}:",
                *self.block(inner, depth, deeper, "loop"),
                *self.jump(inner, deeper, "loop"),
            ]
        if form == 9:
            body = self.block(scope, depth, deeper, "loop")
            return [f"{pad}repeat at most abs({e(NUM, scope, 1)}) % 4:", *body, *self.jump(scope, deeper, "loop")]
        if form == 10 and self.number(2):
            return programs_seats.cases(self, pad, lambda inner: self.block(scope, depth, inner, place), scope)
        if form == 10:
            cases = [f"{pad}match {e(TOWN, scope, 2)}:"]
            for names in (self.pick("oak", "oak, elm"), self.pick("ash", "ash, fir")):
                cases += [f"{deeper}case {names}:", *self.block(scope, depth, deeper + "    ", place)]
            return [*cases, f"{deeper}else:", *self.block(scope, depth, deeper + "    ", place)]
        if form == 11 and self.number(3) == 0:
            return [f"{pad}call{self.number(DEEP)}({e(NUM, scope, 1)})"]
        if form == 11:
            return [f"{pad}helper({e(NUM, scope, 1)}, {e(TOWN, scope, 1)})"]
        if form == 12 and place != "together":
            if self.number(3) == 0:
                return draw(self, scope, pad)
            return self.decide(scope, depth, pad, place)
        if form == 13 and not self.together and self.number(2):
            return programs_seats.ending(self, scope, pad)
        return [f"{pad}set n to {e(NUM, scope, 3)}"]

    def jump(self, scope: dict[str, str], pad: str, place: str) -> list[str]:
        if place != "loop" or self.number(3):
            return []
        return [f"{pad}if {self.expr(BOOL, scope, 1)}:", f"{pad}    {self.pick('leave', 'continue')}"]

    def option(self, scope: dict[str, str], depth: int, pad: str, place: str, weight: str = "") -> list[str]:
        inner, params = dict(scope), []
        for _ in range(self.number(3)):
            name = self.fresh()
            if self.number(5) == 0:
                params.append(programs_several.param(self, inner, name) + programs_secrets.privacy(self, scope))
                continue
            if self.number(5) == 0:
                params.append(programs_paths.param(self, inner, name) + programs_secrets.privacy(self, scope))
                continue
            if self.number(3) == 0:
                domain, inner[name] = programs_alike.param(self, inner)
                where = f" where {self.expr(BOOL, inner, 1)}" if self.number(2) else ""
                params.append(f"{name} in {domain}{where}{programs_secrets.privacy(self, scope)}")
                continue
            if self.number(2):
                params.append(f"{name} in {self.expr(SET, inner, 1)}")
                type_ = TOWN
            else:
                params.append(f"{name} in {self.pick('0', '1', 'n - n')} .. {self.pick('2', 'few', 'abs(m) % 3')}")
                type_ = NUM
            params[-1] += programs_numbers.or_none(self, inner, name, type_, self.number(2) > 0)
            params[-1] += programs_secrets.privacy(self, scope)
        head = f"{pad}option {self.fresh()}" + (f"({', '.join(params)})" if params else "")
        lines = [f"{head}{weight and f' weight abs({self.expr(NUM, inner, 1)}) % 3'}:"]
        lines += [f"{pad}    {line}" for line in programs_heads.head(self, inner)]
        lines += self.block(inner, depth, pad + "    ", place)
        return lines if self.together else [*lines, *programs_seats.jump(self, inner, pad + "    ", place)]

    def decide(self, scope: dict[str, str], depth: int, pad: str, place: str) -> list[str]:
        deeper = pad + "    "
        who = self.fresh()
        form = self.number(3)
        if form == 2:
            head, place, weight = f"decide {who} together by {who}p in player:", "together", ""
            scope = {**scope, f"{who}p": PLAYER}
        elif form == 1:
            head, weight = f"chance {who}:", "yes"
        else:
            by = self.expr(PLAYER, scope, 1)
            if self.number(2):
                by = programs_players.deciders(self.pick, lambda type_: self.expr(type_, scope, 1), self.fresh())
            head, weight = f"decide {who} by {by}:", ""
        before, self.together = self.together, self.together or form == 2
        options = programs_heads.shared(
            self, scope, deeper, lambda inner, pad: self.option(inner, depth, pad, place, weight)
        )
        self.together = before
        last = f"option {who}_else:" if form or self.number(2) else "otherwise:"
        return [f"{pad}{head}", *options, f"{deeper}{last}", f"{deeper}    set n to n + 1"]

    def chains(self) -> list[str]:
        """Definitions and procedures that each call the one before, once or twice."""
        lines = [
            "def huge() -> int: 999999999999999",
            "def twice0(k: int) -> int: k",
            "procedure call0(k: int):",
            "    set m to k",
        ]
        for i in range(1, DEEP):
            let = self.pick(f"let a = twice{i - 1}(k)", f"let a = k {self.pick('+', '-', '*')} k", "let a = 10 / n")
            body = self.pick("a + a", f"twice{i - 1}(k) + twice{i - 1}(k)", "a * 10", f"twice{i - 1}(a)", "k", "7")
            lines += [f"def twice{i}(k: int) -> int:", f"    {let}", f"    {body}"]
            calls = [f"    call{i - 1}({self.pick('k', 'k + 1', 'm')})" for _ in range(1 + self.number(2))]
            lines += [
                f"procedure call{i}(k: int):",
                *calls,
                f"    {self.pick('pass', 'set n to n + k', 'let b = 1 / n')}",
            ]
        return lines

    def program(self) -> str:
        """A whole rules file."""
        body = self.expr(NUM, {"k": NUM, "t": TOWN}, 1)
        while any(called in body for called in CALLED):
            body = self.expr(NUM, {"k": NUM, "t": TOWN}, 1)
        helper = self.block({"k": NUM, "t": TOWN}, 1, "    ")
        answering = [line for _ in ANSWERS for line in answers(self)]
        unused = [
            f"    let u{i} = {self.expr(self.pick(NUM, BOOL, SET), {'k': NUM}, 2)}" for i in range(self.number(3))
        ]
        turn = programs_rare.some(self, {"p": PLAYER}, "    ")
        turn += self.block({"p": PLAYER}, 3, "    ")
        turn += self.decide({"p": PLAYER}, 2, "    ", "")
        return "\n".join(
            [
                *("def f(k: int, t: town) -> int:", "    let j = k + t.tax", f"    j + {body}"),
                *("def g(k: int, u: set town) -> int:", *plainer(unused), f"    {self.pick('1', 'k', 'k / n', 'n')}"),
                *self.chains(),
                *programs_choices.definitions(self),
                *answering,
                *quiet_procedures(self),
                programs_heads.GUARDS,
                programs_numbers.RULES,
                programs_several.RULES,
                programs_paths.RULES,
                programs_rare.GROUP,
                *(
                    "procedure helper(k: int, t: town):",
                    *[line for line in helper if "helper(" not in line],
                    "    set m to k",
                ),
                *("procedure turn(p: player):", *turn),
                *programs_alike.procedures(self),
                *programs_deep.procedures(self),
                *("procedure play():", "    repeat at most 3:", "        for p in player:"),
                *("            cooper(p)", "            turn(p)"),
                "invariant whole:",
                f"    {self.expr(BOOL, {}, 3)}",
                "invariant each:",
                f"    all(t in town: {self.expr(BOOL, {'t': TOWN}, 3)})",
                "scoring p in player:",
                f"    score {self.expr(NUM, {'p': PLAYER}, 2)}",
                f"    tiebreak for t in {self.expr(SET, {'p': PLAYER}, 1)} by {self.expr(NUM, {'t': TOWN}, 1)}: t.mark",
                *programs_changes.changes(self),
                "",
            ]
        )


CALLED = ("f(", "g(", "choice")
"""The begins of calls of definitions that call others."""
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


def plainer(lines: list[str]) -> list[str]:
    """Lines without those that call a definition, which might call itself."""
    return [line for line in lines if "twice" not in line and not any(called in line for called in CALLED)]


@st.composite
def programs(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    return Writer(lambda below: draw(st.integers(0, below - 1))).program()


_WORLD = programs_seats.seated(with_numbers(programs_capacities.bounded(programs_wide.with_sets(WORLD))))
_WORLD = programs_alike.with_alike(programs_places.with_tokens(programs_links.linked(_WORLD)))
WHOLE_WORLD = programs_secrets.secretive(_WORLD) + programs_boards.BOARD
"""The files that the programs are written for."""


@cache
def base(towns: int = 0, first: int = 0) -> tuple[typed.Ruleset, Mapping]:
    """The world, loaded once, with so many more towns, some of them `first`; and its YAML."""
    import tempfile

    files = split(IDLE + programs_wide.widened(WHOLE_WORLD, towns, first), "rules/play.rules")
    with tempfile.TemporaryDirectory() as name:
        folder = write(Path(name) / "small", files)
        ruleset = load_ruleset(str(folder))
        entries: dict[str, tuple[Scalar, Node]] = {}
        for file in sorted(folder.glob("*.yaml")):
            node = parse_yaml(file.read_text("utf-8"), file.name)
            assert isinstance(node, Mapping)
            if file.name == "game.yaml":
                entries["game"] = (Scalar("game", "game", node.span), node)
            else:
                entries |= node.entries
    return ruleset, Mapping(entries, node.span)


def with_rules(text: str, towns: int = 0, first: int | None = None) -> typed.Ruleset:
    """The world with other rules, without going through files; of so many more towns all, or some, stand first."""
    before = towns if first is None else first
    ruleset, root = base(towns, before)
    report = Report()
    source = Source(root)
    lay_rules(source, parse_rules(text, "rules"), report)
    declarations, rules = check_source(source, report)
    report.raise_if_errors()
    digest = hashlib.sha256(f"{towns} {before} {text}".encode()).hexdigest()
    return replace(ruleset, hash=digest, declarations=declarations, rules=rules, sources={"rules": text})
