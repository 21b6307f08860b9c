"""Random statements: blocks, loops, decisions and their options, with the variables in scope."""

from __future__ import annotations

import programs_alike
import programs_capacities
import programs_choices
import programs_heads
import programs_links
import programs_numbers
import programs_paths
import programs_places
import programs_players
import programs_seats
import programs_secrets
import programs_several
import programs_tables
import programs_wide
from programs_expressions import BOOL, DEEP, MAYBE, NUM, PLAYER, SET, TOWN, ExpressionWriter
from programs_orders import by_keys, rearranged
from programs_values import draw, taken


class StatementWriter(ExpressionWriter):
    """A writer of statements, which depend on the place: in a loop, in a simultaneous decision, or elsewhere."""

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
            lines = [f"{pad}if {e(BOOL, scope, 2)}:", *_remark(body, deeper), *body]
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
            head = f"{pad}repeat at most abs({e(NUM, scope, 1)}) % 4:"
            return [head, *_remark(body, deeper), *body, *self.jump(scope, deeper, "loop")]
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


def _remark(body: list[str], pad: str) -> list[str]:
    """A docstring for some blocks."""
    return [f'{pad}"A docstring has no effect."'] if len(body) < 6 else []
