"""Random programs over the world in worlds.py: well typed, but otherwise arbitrary."""

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
import programs_rare
import programs_seats
import programs_secrets
import programs_several
import programs_wide
from cases import split, write
from hypothesis import strategies as st
from msgspec.structs import replace
from programs_expressions import BOOL, CALLED, DEEP, NUM, PLAYER, SET, TOWN
from programs_numbers import with_numbers
from programs_statements import StatementWriter
from programs_tokens import quiet_procedures
from programs_values import ANSWERS, answers
from worlds import IDLE, WORLD

from rulespec.check.passes import check_source
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.load import load_ruleset
from rulespec.overlays.overlay import Source
from rulespec.overlays.stages import lay_rules
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed


class Writer(StatementWriter):
    """A writer of well-typed programs over the world in worlds.py."""

    def chains(self) -> list[str]:
        """Definitions and procedures that each call the previous one, once or twice."""
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
        """A complete rules file."""
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


def plainer(lines: list[str]) -> list[str]:
    """The lines without calls of a definition, which could cause recursion."""
    return [line for line in lines if "twice" not in line and not any(called in line for called in CALLED)]


@st.composite
def programs(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    return Writer(lambda below: draw(st.integers(0, below - 1))).program()


_WORLD = programs_seats.seated(with_numbers(programs_capacities.bounded(programs_wide.with_sets(WORLD))))
_WORLD = programs_alike.with_alike(programs_places.with_tokens(programs_links.linked(_WORLD)))
WHOLE_WORLD = programs_secrets.secretive(_WORLD) + programs_boards.BOARD
"""The files of the ruleset for which the programs are written."""


@cache
def base(towns: int = 0, first: int = 0) -> tuple[typed.Ruleset, Mapping]:
    """The world, loaded once with additional towns, some of them `first`; and its YAML."""
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
    """The world with other rules, without files on disk; its additional towns, or some of them, come first."""
    before = towns if first is None else first
    ruleset, root = base(towns, before)
    report = Report()
    source = Source(root)
    lay_rules(source, parse_rules(text, "rules"), report)
    declarations, rules = check_source(source, report)
    report.raise_if_errors()
    digest = hashlib.sha256(f"{towns} {before} {text}".encode()).hexdigest()
    return replace(ruleset, hash=digest, declarations=declarations, rules=rules, sources={"rules": text})
