"""The generated source does what the interpreter does: on random programs, and on every ruleset there is."""

from __future__ import annotations

import collections.abc
import hashlib
import os
import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from cases import TESTS, split, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from worlds import IDLE, WORLD

from engine import program as ir
from engine.closures import Closure, Closures
from engine.compiler import ALL_PASSES, PythonBackend
from engine.game import Game
from engine.interpreter import Interpreter
from engine.lower import lower
from engine.option import Fault, Option
from engine.passes import optimized
from engine.position_hash import digits, weights, whole
from rulespec import typed
from rulespec.check.rules import check_source
from rulespec.diagnostics import Report
from rulespec.load import load_ruleset
from rulespec.overlay import Source, apply_rules
from rulespec.parser import parse_rules
from rulespec.source import Mapping, Node, Scalar, parse_yaml

EXAMPLES = int(os.environ.get("RULESPEC_EXAMPLES", "60"))
RULESETS = sorted(p.parent for root in (TESTS / "rulesets", TESTS.parent / "games") for p in root.glob("*/game.yaml"))

Draw = Callable[[st.SearchStrategy[int]], int]
NUM, BOOL, TOWN, MAYBE, SET, PLAYER = "int", "bool", "town", "town?", "set town", "player"
TOWNS = ("oak", "elm", "ash", "fir")


class Writer:
    """Writes a well-typed program over the world of worlds.py; every choice is drawn, so that examples shrink."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.names = 0

    def number(self, below: int) -> int:
        return self.draw(st.integers(0, below - 1))

    def pick(self, *choices: str) -> str:
        return choices[self.number(len(choices))]

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    # --- expressions: of a type, over the variables in scope, nested at most `depth` deep

    def expr(self, type_: str, scope: dict[str, str], depth: int) -> str:
        known = [n for n, t in scope.items() if t == type_]
        if depth <= 0 or self.number(5) == 0:
            return self.pick(*LEAVES[type_], *known)
        write = {
            NUM: self.num,
            BOOL: self.truth,
            TOWN: self.town,
            MAYBE: self.maybe,
            SET: self.set,
            PLAYER: self.player,
        }
        return write[type_](scope, depth - 1)

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
        form = self.number(12)
        if form < 3:
            return f"({e(NUM, s, d)} {self.pick('+', '-', '*')} {e(NUM, s, d)})"
        if form == 3:
            return f"({e(NUM, s, d)} {self.pick('/', '%')} {self.pick('2', '(-3)', 'n', '(m - 1)')})"
        if form == 4:
            return f"({e(NUM, s, d)} if {e(BOOL, s, d)} else {e(NUM, s, d)})"
        if form == 5:
            return f"{self.pick('min', 'max')}({e(NUM, s, d)}, {e(NUM, s, d)})"
        if form == 6:
            return f"{e(TOWN, s, d)}.{self.pick('tax', 'mark', 'index')}"
        if form == 7:
            binder, inner = self.each(s, d)
            return f"sum({e(NUM, inner, d)} for {binder})"
        if form == 8:
            binder, inner = self.each(s, d)
            return f"{self.pick('min', 'max')}({e(NUM, inner, d)} for {binder}, else {e(NUM, s, d)})"
        if form == 9:
            return f"count({e(SET, s, d) if self.number(2) else self.each(s, d)[0]})"
        if form == 10:
            return f"cart[{self.pick('corn', 'salt')}].at[{e(TOWN, s, d)}]"
        return self.pick(
            f"f({e(NUM, s, d)}, {e(TOWN, s, d)})",
            f"by_town[{e(TOWN, s, d)}, {e(NUM, s, d)}]",
            f"scale.space({e(NUM, s, d)} * 1 money).bonus",
            f"wheel.ahead(rest, {e(NUM, s, d)}).index",
            f"({e(PLAYER, s, d)}.cash / 1 money)" if PLAYER in s.values() else "players",
        )

    def truth(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        form = self.number(10)
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
            return f"any({self.each(s, d)[0]})"
        if form == 8:
            binder, inner = self.each(s, d)
            return f"all({binder}: {e(BOOL, inner, d)})"
        return f"({e(SET, s, d)} == {e(SET, s, d)})"

    def town(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        form = self.number(3)
        if form == 0:
            return f"({e(MAYBE, s, d)} ?? {e(TOWN, s, d)})"
        return f"next({e(TOWN, s, d)})" if form == 1 else f"({e(TOWN, s, d)} if {e(BOOL, s, d)} else {e(TOWN, s, d)})"

    def maybe(self, s: dict[str, str], d: int) -> str:
        if self.number(2):
            return f"first({self.each(s, d, order=True)[0]})"
        return f"{self.expr(TOWN, s, d)}.twin"

    def set(self, s: dict[str, str], d: int) -> str:
        e = self.expr
        form = self.number(7)
        if form < 2:
            return f"({e(SET, s, d)} {self.pick('|', '&', '-')} {e(SET, s, d)})"
        if form == 2:
            return f"{{{e(TOWN, s, d)}, {e(TOWN, s, d)}}}"
        binder, inner = self.each(s, d)
        if form == 3:
            return f"{{{e(TOWN, inner, d)} for {binder}}}"
        if form == 4:
            return f"union({e(SET, inner, d)} for {binder})"
        if form == 5:
            name = self.fresh()
            return f"reach({name} from {e(SET, s, d)}: {e(SET, {**s, name: TOWN}, d)})"
        return f"{{{binder}}}"

    def player(self, s: dict[str, str], d: int) -> str:
        known = [n for n, t in s.items() if t == PLAYER]
        return f"next({self.pick(*known)})" if self.number(2) else self.pick(*known)

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
        form = self.number(14 if depth > 0 else 7)
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
            if PLAYER not in scope.values():
                return [f"{pad}pay abs({e(NUM, scope, 1)}) % 3 * 1 money from bank to chest"]
            return [f"{pad}pay abs({e(NUM, scope, 1)}) % 3 * 1 money from {e(PLAYER, scope, 1)}.cash to chest"]
        if form == 7:
            body = self.block(scope, depth, deeper, place)
            lines = [f"{pad}if {e(BOOL, scope, 2)}:", *body]
            if self.number(2):
                lines += [f"{pad}else:", *self.block(scope, depth, deeper, place)]
            return lines
        if form == 8:
            binder, inner = self.each(scope, 1, order=True)
            return [f"{pad}for {binder}:", *self.block(inner, depth, deeper, "loop"), *self.jump(inner, deeper, "loop")]
        if form == 9:
            body = self.block(scope, depth, deeper, "loop")
            return [f"{pad}repeat at most abs({e(NUM, scope, 1)}) % 4:", *body, *self.jump(scope, deeper, "loop")]
        if form == 10:
            cases = [f"{pad}match {e(TOWN, scope, 2)}:"]
            for names in (self.pick("oak", "oak, elm"), self.pick("ash", "ash, fir")):
                cases += [f"{deeper}case {names}:", *self.block(scope, depth, deeper + "    ", place)]
            return [*cases, f"{deeper}else:", *self.block(scope, depth, deeper + "    ", place)]
        if form == 11:
            return [f"{pad}helper({e(NUM, scope, 1)}, {e(TOWN, scope, 1)})"]
        if form == 12 and place != "together":
            return self.decide(scope, depth, pad, place)
        return [f"{pad}set n to {e(NUM, scope, 3)}"]

    def jump(self, scope: dict[str, str], pad: str, place: str) -> list[str]:
        if place != "loop" or self.number(3):
            return []
        return [f"{pad}if {self.expr(BOOL, scope, 1)}:", f"{pad}    {self.pick('leave', 'again')}"]

    def option(self, scope: dict[str, str], depth: int, pad: str, place: str, weight: str = "") -> list[str]:
        inner, params = dict(scope), []
        for _ in range(self.number(3)):
            name = self.fresh()
            if self.number(2):
                params.append(f"{name} in {self.expr(SET, inner, 1)}")
                inner[name] = TOWN
            else:
                params.append(f"{name} in {self.pick('0', '1', 'n - n')} .. {self.pick('2', 'few', 'abs(m) % 3')}")
                inner[name] = NUM
            if self.number(2):
                params[-1] += f" where {self.expr(BOOL, inner, 1)}"
        head = f"{pad}option {self.fresh()}" + (f"({', '.join(params)})" if params else "")
        lines = [f"{head}{weight and f' weight abs({self.expr(NUM, inner, 1)}) % 3'}:"]
        lines += [f"{pad}    require {self.expr(BOOL, inner, 2)}" for _ in range(self.number(2))]
        return [*lines, *self.block(inner, depth, pad + "    ", place)]

    def decide(self, scope: dict[str, str], depth: int, pad: str, place: str) -> list[str]:
        deeper = pad + "    "
        who = self.fresh()
        form = self.number(3) if PLAYER in scope.values() else 1
        if form == 2:
            head, place, weight = f"decide {who} together by {who}p in player:", "together", ""
            scope = {**scope, f"{who}p": PLAYER}
        elif form == 1:
            head, weight = f"chance {who}:", "yes"
        else:
            head, weight = f"decide {who} by {self.expr(PLAYER, scope, 1)}:", ""
        options = [line for _ in range(1 + self.number(2)) for line in self.option(scope, depth, deeper, place, weight)]
        return [f"{pad}{head}", *options, f"{deeper}option {who}_else:", f"{deeper}    set n to n + 1"]

    def program(self) -> str:
        """A whole rules file."""
        body = self.expr(NUM, {"k": NUM, "t": TOWN}, 1)
        while "f(" in body:
            body = self.expr(NUM, {"k": NUM, "t": TOWN}, 1)
        helper = self.block({"k": NUM, "t": TOWN}, 1, "    ")
        turn = self.block({"p": PLAYER}, 3, "    ")
        turn += self.decide({"p": PLAYER}, 2, "    ", "")
        return "\n".join(
            [
                *("def f(k: int, t: town) -> int:", "    let j = k + t.tax", f"    j + {body}"),
                *(
                    "procedure helper(k: int, t: town):",
                    *[line for line in helper if "helper(" not in line],
                    "    set m to k",
                ),
                *("procedure turn(p: player):", *turn),
                *("procedure play():", "    repeat at most 3:", "        for p in player:", "            turn(p)"),
                "invariant i:",
                f"    {self.expr(BOOL, {}, 3)}",
                "scoring p in player:",
                f"    score {self.expr(NUM, {'p': PLAYER}, 2)}",
                f"    tiebreak for t in {self.expr(SET, {'p': PLAYER}, 1)} by {self.expr(NUM, {'t': TOWN}, 1)}: t.mark",
                "",
            ]
        )


LEAVES = {
    NUM: ("0", "1", "2", "n", "m", "few", "players", "limit"),
    BOOL: ("true", "false", "oak.seen", "elm.seen", "(n > 1)"),
    TOWN: TOWNS,
    MAYBE: ("oak.twin", "elm.twin", "first(z in towns from fir)"),
    SET: ("town", "towns", "oak.near", "{oak, fir}", "friends[ash]"),
    PLAYER: (),
}


@st.composite
def programs(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    return Writer(draw).program()


@cache
def base() -> tuple[typed.Ruleset, Mapping]:
    """The world, loaded once; and its YAML."""
    import tempfile

    files = split(IDLE + WORLD, "rules/play.rules")
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


def with_rules(text: str) -> typed.Ruleset:
    """The world with other rules, without going through files."""
    ruleset, root = base()
    report = Report()
    source = Source(root)
    apply_rules(source, parse_rules(text, "rules"), "", report)
    declarations, rules = check_source(source, report)
    report.raise_if_errors()
    digest = hashlib.sha256(text.encode()).hexdigest()
    return replace(ruleset, hash=digest, declarations=declarations, rules=rules, sources={"rules": text})


def outcome(ask: Callable[[], object]) -> object:
    """What comes of it: a value, or a fault as text."""
    try:
        return ask()
    except Fault as fault:
        return f"{fault.diagnostic.code} {fault}"


def plain_hash(game: Game) -> str:
    """The hash of a position, worked out from its cells alone."""
    cells = game.cells
    return digits(whole(cells, weights(len(cells), len(cells))))


def agree(fast: Game, plain: Game, choose: Callable[[int], int], plies: int, *, reasons: bool = True) -> list[str]:
    """Plays both games with the same decisions; gives back the hashes on the way.

    `reasons`: whether both say in the same words why an option is not legal.
    """
    hashes = []
    for _ in range(plies):
        begun = outcome(lambda: fast.is_over)
        assert begun == outcome(lambda: plain.is_over)
        if begun is not False:
            break
        assert fast.cells == plain.cells and fast.hash == plain.hash == plain_hash(fast)
        hashes.append(fast.hash)
        assert outcome(lambda: fast.decision) == outcome(lambda: plain.decision)
        assert outcome(fast.check_invariants) == outcome(plain.check_invariants)
        listed = outcome(lambda: list(fast.options))
        assert listed == outcome(lambda: list(plain.options))
        if not isinstance(listed, list) or not listed:
            break
        option: Option = listed[choose(len(listed))]
        assert outcome(partial(fast.weight, option)) == outcome(partial(plain.weight, option))
        legal = {(o.name, o.args) for o in listed}
        refused = [o for o in near(fast, option) if (o.name, o.args) not in legal]
        for o in refused:
            assert not fast.is_legal(o) and not plain.is_legal(o)
            assert not reasons or str(fast.why_not(o)) == str(plain.why_not(o))
        applied = outcome(partial(fast.apply, option))
        assert applied == outcome(partial(plain.apply, option))
        if applied is not None:
            assert fast.hash == hashes[-1]
            break
        assert all(type(c) is int for c in fast.cells)
    assert outcome(lambda: fast.result) == outcome(lambda: plain.result)
    return hashes


def near(game: Game, option: Option) -> list[Option]:
    """Options like a legal one, with one argument moved by one; many of them are not legal."""
    found = []
    for i, value in enumerate(option.args):
        type_ = game.labels.params(option.decision, option.name)[i][1]
        moved = value + 1 if type_ == "int" else (value + 1) % len(game.labels.names[type_])
        found.append(Option(option.kind, (*option.args[:i], moved, *option.args[i + 1 :]), option.by))
    try:
        return [o for o in found if not isinstance(outcome(lambda o=o: game.is_legal(o)), str)]  # type: ignore[misc]
    except ValueError:
        return []


def take_back(game: Game, hashes: list[str]) -> None:
    while game.ply:
        game.undo()
        assert game.hash == hashes[game.ply]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), seats=st.integers(2, 3))
def test_both_backends_agree_on_random_programs(text: str, seed: int, seats: int) -> None:
    ruleset = with_rules(text)
    names = ["ann", "bob", "cid"][:seats]
    fast, plain = Game(ruleset, names), Game(ruleset, names, backend="interpreter")
    rng = random.Random(seed)
    hashes = agree(fast, plain, rng.randrange, 12)
    take_back(fast, hashes)


@pytest.mark.parametrize("folder", RULESETS, ids=[f.name for f in RULESETS])
def test_both_backends_agree_on_every_ruleset(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    low, high = ruleset.players
    for seats in {low, high}:
        rng = random.Random(seats)
        names = [f"P{i}" for i in range(seats)]
        fast, plain = Game(ruleset, names), Game(ruleset, names, backend="interpreter")
        clone = fast.clone()
        hashes = agree(fast, plain, rng.randrange, 40)
        assert clone.ply == 0 and clone.hash == hashes[0]
        assert hashes[0] == Game(load_ruleset(str(folder)), names).hash
        take_back(fast, hashes)


@pytest.mark.parametrize("folder", RULESETS, ids=lambda p: p.name)
def test_the_hash_is_that_of_the_cells_whoever_asked_before(folder: Path) -> None:
    ruleset, rng = load_ruleset(str(folder)), random.Random(folder.name)
    games = [Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])])]
    for _ in range(400):
        game = rng.choice(games)
        listed = list(game.options)
        assert game.own_options == [option for option in listed if not option.interrupt]
        if game.ply and (not listed or rng.random() < 0.3):
            game.undo()
        elif listed:
            game.apply(rng.choice(listed))
        if rng.random() < 0.1:
            games = [*games[-3:], game.clone()]
        if rng.random() < 0.4:
            assert game.hash == plain_hash(game)


@pytest.mark.parametrize("lets", [40, 120], ids=["variables", "variables in cells"])
def test_the_source_does_not_grow_out_of_bounds(lets: int) -> None:
    """Each block behind a call may be where a game goes on; what follows is not written anew for each of them."""
    rules = ["procedure wait(p: player):", "    decide d by p:", "        option o:", "            set n to n + 1"]
    for k in range(4):
        rules += [f"procedure q{k}(p: player):", *(f"    let a{i} = n + {i}" for i in range(lets))]
        rules += [*["    wait(p)"] * 140, f"    set m to a{lets - 1}"]
    rules += ["procedure play():", "    for p in player:", *(f"        q{k}(p)" for k in range(4))]
    ruleset = with_rules("\n".join([*rules, "invariant i:", "    m >= 0", ""]))
    fast, plain = Game(ruleset, ["ann", "bob"]), Game(ruleset, ["ann", "bob"], backend="interpreter")
    machine = fast._machine
    assert isinstance(machine, PythonBackend)
    assert machine.source.count("\n") < 60 * len(machine.p.blocks)
    agree(fast, plain, lambda options: 0, 300)


@pytest.mark.parametrize("lets", [4, 120], ids=["variables", "variables in cells"])
def test_what_a_procedure_is_lent_is_there_when_it_has_waited(lets: int) -> None:
    """A procedure called from one place has no cells for its parameters: they are the caller's, loops' and options'."""
    rules = f"""
procedure play():
    for p in player:
        for t in town after oak:
            visit(p, t)
procedure visit(p: player, t: town):
    decide d by p:
        option go(u in town, k in 1 .. 2):
            build(p, t, u, k, k)
        option pass:
            set n to n + 1
procedure build(p: player, t: town, u: town, k: int, l: int):
    {"; ".join(f"let a{i} = n + {i}" for i in range(lets))}
    decide e by p:
        option o(v in town where v.tax >= u.tax):
            set v.mark to k + 2 * l + t.tax + a{lets - 1}
            set u.owner to p
        option once_more:
            set n to n + k
            if n < 9:
                again
"""
    ruleset = with_rules(rules.replace("; ", "\n    "))
    for seed in range(8):
        fast, plain = Game(ruleset, ["ann", "bob"]), Game(ruleset, ["ann", "bob"], backend="interpreter")
        take_back(fast, agree(fast, plain, random.Random(seed).randrange, 60))


def test_how_far_a_loop_is_followed_is_bounded() -> None:
    """What a loop that can be left changes is all that comes behind it: of many loops, only the last are followed."""
    loop = ["    for t in town where t == oak:", "        set n to n + 1", "        if n > 5:", "            leave"]
    ruleset = with_rules("\n".join(["procedure play():", *loop * 200, ""]))
    p = optimized(lower(ruleset, 2, {name: o.default for name, o in ruleset.options.items()}))
    tests = [block.exit for block in p.blocks if isinstance(block.exit, ir.Branch) and len(block.body) == 2]
    narrowed = [test.within is not None for test in tests]
    assert len(narrowed) == 200 and narrowed == sorted(narrowed) and 10 < sum(narrowed) < 100


def test_equal_options_are_not_unequal() -> None:
    game = Game(load_ruleset("tutorial"), ["A", "B"])
    one, other = (next(game.options) for _ in range(2))
    assert one == other and not one != other and hash(one) == hash(other)  # noqa: SIM202 - that is the question
    assert one != list(game.options)[1] and one != "another thing"


class _ByClosures(Interpreter):
    """The interpreter, but what it evaluates goes through functions made of the expressions."""

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self._closures = Closures(program)
        self._made: dict[ir.Expr, Closure] = {}

    def evaluate(self, e: ir.Expr, state: list[int], slots: list[int]) -> int:
        if e not in self._made:
            self._made[e] = self._closures.made(e)
        return self._made[e](state, slots)


def by_closures(ruleset: typed.Ruleset, seats: int, options: collections.abc.Mapping[str, str]) -> Interpreter:
    return _ByClosures(lower(ruleset, seats, options))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999))
def test_closures_mean_the_same_on_random_programs(text: str, seed: int) -> None:
    ruleset, names = with_rules(text), ["ann", "bob"]
    agree(
        Game(ruleset, names, backend=by_closures),
        Game(ruleset, names, backend="interpreter"),
        random.Random(seed).randrange,
        12,
    )


@pytest.mark.parametrize("folder", RULESETS, ids=[f.name for f in RULESETS])
def test_closures_mean_the_same_on_every_ruleset(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    names = [f"P{i}" for i in range(ruleset.players[0])]
    agree(Game(ruleset, names, backend=by_closures), Game(ruleset, names), random.Random(1).randrange, 25)


def after(rules: str, *options: str) -> Game:
    game = Game(with_rules(rules), ["a", "b"])
    for option in options:
        game.take(option)
    return game


def test_equal_states_of_other_games_have_equal_hashes() -> None:
    """The hash is of the state alone, not of the way to it."""
    rules = """
procedure play():
    for p in player:
        decide act by p:
            option mark(t in town, k in 1 .. 2):
                set t.mark to k
            option both:
                set oak.mark to 2
"""
    one, two = after(rules, "mark(oak, 1)", "mark(oak, 2)"), after(rules, "mark(oak, 2)", "mark(oak, 2)")
    assert one.is_over and one.hash == two.hash


@pytest.mark.parametrize("way_out", ["set t.seen to true", "again", "leave", "deeper()"])
def test_nothing_is_left_of_an_option_that_has_been_carried_out(way_out: str) -> None:
    """Whatever leads out of it: the order in which a player has done two things does not show."""
    rules = f"""
procedure play():
    for p in player:
        repeat at most 3:
            repeat at most 8:
                decide act by p:
                    option mark(t in town, k in 1 .. 2):
                        set t.mark to k
                        {way_out}
                    option other:
                        decide which by p:
                            option see(t in town, k in 1 .. 2):
                                set t.mark to k
                                {way_out}
                            option neither:
                                leave
procedure deeper():
    set n to n + 1
"""
    one = after(rules, "mark(oak, 1)", "other", "see(elm, 2)")
    two = after(rules, "mark(elm, 2)", "other", "see(oak, 1)")
    assert one.decision is not None and one.cells == two.cells and one.hash == two.hash


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), passes=st.sets(st.sampled_from(ALL_PASSES)))
def test_random_programs_mean_the_same_whichever_passes_run(text: str, seed: int, passes: set[str]) -> None:
    """Some passes in front of the generated source, the same in front of the interpreter.

    Where conditions have become sets, that interpreter says that an argument is not in the set.
    """
    ruleset = with_rules(text)
    fast = Game(ruleset, ["ann", "bob"], backend=lambda r, n, o: PythonBackend(lower(r, n, o), passes))
    plain = Game(ruleset, ["ann", "bob"], backend=lambda r, n, o: Interpreter(optimized(lower(r, n, o), passes)))
    rng = random.Random(seed)
    hashes = agree(fast, plain, rng.randrange, 12, reasons="narrow" not in passes)
    assert not hashes or hashes[0] == Game(ruleset, ["ann", "bob"], backend="interpreter").hash
    take_back(fast, hashes)


@pytest.mark.parametrize("name", ALL_PASSES)
def test_a_game_is_the_same_without_a_pass(name: str) -> None:
    ruleset = load_ruleset("tutorial")
    names = ["ann", "bob", "cid"]
    passes = [p for p in ALL_PASSES if p != name]
    without = Game(ruleset, names, backend=lambda r, n, o: PythonBackend(lower(r, n, o), passes))
    hashes = agree(without, Game(ruleset, names), random.Random(name).randrange, 150)
    take_back(without, hashes)
