"""The graph of positions near the start of a game, with its paths, dead ends and loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.documents.text_files import display, is_present
from rulespec.documents.yaml_nodes import Scalar, Sequence, get
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.option import Option
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk

MAX_LOOP_STARTS = 100
"""The maximum number of positions from which loops are searched for."""


@dataclass(slots=True)
class Node:
    """A position in the graph.

    Attributes:
        parent: the number of the position from which it was first reached; -1 if it is the start.
        move: the option that led from the parent to this position; None if it is the start.
        ends: whether the game is over, or a mistake appears, at this position.
        successors: the numbers of the next positions.
        turns: the options that may be part of a loop, each with its next position.
        decision: the open decision; None if the game is over.
    """

    parent: int
    move: Option | None
    ends: bool = False
    successors: set[int] = field(default_factory=set)
    turns: list[tuple[Option, int]] = field(default_factory=list)
    decision: ir.Decision | None = None


class PositionGraph:
    """Positions by number, in the order of discovery; 0 is the start."""

    def __init__(self) -> None:
        self.nodes = [Node(-1, None)]

    def path(self, node: int) -> list[Option]:
        """The options from the start to a position."""
        path: list[Option] = []
        while (move := self.nodes[node].move) is not None:
            path.append(move)
            node = self.nodes[node].parent
        return path[::-1]

    def decision(self, node: int) -> ir.Decision:
        """The open decision of an unfinished position."""
        decision = self.nodes[node].decision
        assert decision is not None
        return decision

    def first_loop(self) -> tuple[int, list[Option]] | None:
        """The loop of `turns` nearest to the start, as its first position and its options; None if there is none."""
        inside = self._core()
        for place in sorted(inside)[:MAX_LOOP_STARTS]:
            came: dict[int, tuple[int, Option]] = {}
            queue = deque([place])
            while queue and place not in came:
                at = queue.popleft()
                for option, there in self.nodes[at].turns:
                    if there in inside and there not in came:
                        came[there] = (at, option)
                        queue.append(there)
            if place in came:
                loop: list[Option] = []
                at = place
                while not loop or at != place:
                    at, option = came[at]
                    loop.append(option)
                return place, loop[::-1]
        return None

    def first_dead_end(self) -> int | None:
        """The first position from which no end can be reached; None if there is none. The graph must contain all
        positions.
        """
        predecessors: dict[int, list[int]] = {}
        for at, node in enumerate(self.nodes):
            for there in node.successors:
                predecessors.setdefault(there, []).append(at)
        pending = [at for at, node in enumerate(self.nodes) if node.ends]
        ending = set(pending)
        while pending:
            new = [at for at in predecessors.get(pending.pop(), ()) if at not in ending]
            ending.update(new)
            pending += new
        return next((at for at in range(len(self.nodes)) if at not in ending), None)

    def _core(self) -> set[int]:
        """The positions that may be on a loop of turns: repeatedly drops sources and sinks."""
        successors: list[set[int]] = [{there for _, there in node.turns} for node in self.nodes]
        predecessors: list[set[int]] = [set() for _ in self.nodes]
        for at, result in enumerate(successors):
            for there in result:
                predecessors[there].add(at)
        inside = set(range(len(self.nodes)))
        pending = [at for at in inside if not successors[at] or not predecessors[at]]
        while pending:
            at = pending.pop()
            if at not in inside:
                continue
            inside.discard(at)
            for there in successors[at]:
                predecessors[there].discard(at)
                if not predecessors[there]:
                    pending.append(there)
            for before in predecessors[at]:
                successors[before].discard(at)
                if not successors[before]:
                    pending.append(before)
        return inside


def endless_decisions(ruleset: typed.Ruleset) -> frozenset[str]:
    """The names of the decisions that the ruleset allows to repeat forever."""
    return frozenset(name.text for folder in range(len(ruleset.folders)) for name in _listed(ruleset, folder))


def idle_entries(ruleset: typed.Ruleset) -> list[Diagnostic]:
    """Warnings about entries in the ruleset's own `endless` list that name no decision; empty for a ruleset with
    overlays.
    """
    if ruleset.overlays:
        return []
    known = _asked(ruleset)
    help_ = "remove it, or name a decision of the rules"
    return [
        Diagnostic(
            "RS713", Severity.WARNING, f"`endless` names `{n.text}`, which is not a decision", n.span, help=help_
        )
        for n in _listed(ruleset, 0)
        if n.text not in known
    ]


def _asked(ruleset: typed.Ruleset) -> set[str]:
    statements = (s for procedure in ruleset.rules.procedures.values() for s in walk(procedure.body))
    return {s.name for s in statements if isinstance(s, typed.Decide)}


def _listed(ruleset: typed.Ruleset, number: int) -> Iterator[Scalar]:
    path = ruleset.folders[number] / "rules.yaml"
    if not is_present(path):
        return
    result = get(read_yaml(path, display(path)), "endless")
    for item in result.items if isinstance(result, Sequence) else ():
        if isinstance(name := get(item, "decision"), Scalar):
            yield name
