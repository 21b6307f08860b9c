"""Size limits after all overlays: numbers of entities, facts and shared options, and sizes of option heads.

File sizes are limited when files are read, but even a short text can create many entities through product kinds, and
many options through groups that many decisions include. Heads are limited because guards are inlined in them and their
costs are compared in pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from rulespec.check.context import Context
from rulespec.check.declarations.boards import boards_in, count_spaces, count_steps
from rulespec.check.declarations.links import link_kinds
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Mapping, Node, entries, get, integer, text, words
from rulespec.overlays.extension import MAX_REPEATED, Repeated, check_includes
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, head_expressions, walk

MAX_ENTITIES = 5_000
"""Maximum number of entities of one kind, including products."""
MAX_ALL_ENTITIES = 20_000
MAX_BOARD_STEPS = 100_000
"""Maximum number of board spaces, times the directions and link steps of each board."""
MAX_FACTS = 100_000
"""Maximum number of facts: for each kind, its entities times its facts."""
MAX_COSTS = 12
"""Maximum number of costs per option, including those of its guards: any two of them may have the same source."""


def check_size(c: Context) -> None:
    """Rejects a ruleset with too many entities, facts or shared options, before any is created.

    Raises:
        DiagnosticsError: RS108.
    """
    root, report = c.source.root, c.report
    groups = {name: item for (_, name), item in c.source.items.items() if isinstance(item, ast.OptionGroup)}
    check_includes(c.source.items.values(), groups, c.source.repeated or Repeated(report))
    sizes: Counter[str] = Counter()
    players = get(root, "game", "players")
    sizes[text(get(players, "kind"), "player")] = integer(get(players, "max"), integer(get(players, "min"), 1))
    for name, _, count, _ in _plain_kinds(root):
        sizes[name] += count
    entities = facts = steps = 0
    for place, node, form, _ in boards_in(root):
        steps += count_spaces(node, form) * count_steps(node)
        if steps > MAX_BOARD_STEPS:
            message = f"with `{place.text}`, the spaces of all boards have more than {MAX_BOARD_STEPS:,} steps in total"
            help_ = "make the board smaller: every space has one step for each direction and each step of a link"
            _refuse(message, place.span, report, help_)
    for name, span, count, declared in chain(_plain_kinds(root), _products(root, sizes), _places(root, sizes)):
        entities += count
        sizes[name] = max(sizes[name], count)
        facts += count * declared
        if count > MAX_ENTITIES:
            _refuse(f"`{name}` has more than {MAX_ENTITIES:,} entities", span, report)
        if entities > MAX_ALL_ENTITIES:
            _refuse(f"with `{name}`, there are more than {MAX_ALL_ENTITIES:,} entities in total", span, report)
        if facts > MAX_FACTS:
            _refuse(f"with `{name}`, there are more than {MAX_FACTS:,} facts of entities in total", span, report)


_MULTIPLY = "make the kinds smaller: products multiply, and every entity has every fact of its kind"


def _refuse(message: str, span: Span, report: Report, help_: str = _MULTIPLY) -> None:
    report.error("RS108", message, span, help=help_)
    report.raise_if_errors()


def _plain_kinds(root: Mapping) -> Iterator[tuple[str, Span, int, int]]:
    """Each kind with listed entities: its name, its place, and the numbers of its entities and facts."""
    for name, place, node in entries(get(root, "kinds")):
        if all(get(node, key) is None for key in ("product", "each", "number")):
            yield name, place.span, _length(get(node, "entities")), _length(get(node, "facts"))
    for name, place, node in entries(get(root, "game", "settings")):  # enumerations are kinds, too
        yield name, place.span, len(words(get(node, "values"))), 0
    map_ = get(root, "map")
    if map_ is not None:
        declared = _length(get(map_, "facts")) + _length(get(map_, "links"))
        yield text(get(map_, "kind")), map_.span, _length(get(map_, "regions")), declared
    for place, node in link_kinds(root):
        yield place.text, place.span, _length(get(node, "of")), 6 + _length(get(node, "facts"))
    for place, node, form, direction in boards_in(root):
        declared = 3 + _length(get(node, "facts")) + _length(get(node, "links"))
        yield place.text, place.span, count_spaces(node, form), declared
        directions = max(6, _length(get(node, "directions")))
        yield direction, place.span, directions, 0
        if (sides := text(get(node, "sides"))) and direction:
            yield sides, place.span, directions * count_spaces(node, form), 2
        if corners := text(get(node, "corners")):
            yield corners, place.span, 6 * count_spaces(node, form), 3
    for _, place, node in entries(get(root, "tracks")):
        name = text(get(node, "ring")) or text(get(node, "line"))
        yield name, place.span, _length(get(node, "spaces")), _length(get(node, "facts"))


def _products(root: Mapping, sizes: Counter[str]) -> Iterator[tuple[str, Span, int, int]]:
    for name, place, node in entries(get(root, "kinds")):
        factors = words(get(node, "product") or get(node, "each"))
        if factors or get(node, "number") is not None:
            count = integer(get(node, "number"), 1)
            for factor in factors:
                count *= sizes[factor.text]
            yield name, place.span, count, len(factors)


def _places(root: Mapping, sizes: Counter[str]) -> Iterator[tuple[str, Span, int, int]]:
    """Each kind of token places: its name, its place, and the numbers of its entities and facts."""
    for name, place, node in entries(get(root, "kinds")):
        places = [sizes[text(index)] if (index := get(p, "index")) else 1 for _, _, p in entries(get(node, "places"))]
        if places:
            yield f"{name}.place", place.span, sum(places), len(places)


def _length(node: Node | None) -> int:
    return len(node.entries) if isinstance(node, Mapping) else 0


def check_heads(c: Context) -> None:
    """Reports heads that are too large. Guards must have been checked for recursion."""
    sizes = _Sizes()
    left = MAX_REPEATED
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                if sizes.costs(option.head) > MAX_COSTS:
                    message = f"an option can have at most {MAX_COSTS} costs, including those of its guards"
                    c.report.error("RS226", message, option.span, help="combine costs with the same source")
                left -= sum(sizes.nodes(part.guard.head) for part in option.head if isinstance(part, typed.Needs))
                if left < 0:
                    help_ = "move conditions that many guards share into definitions"
                    message = "the guards of this option make the heads of all options too large in total"
                    c.report.error("RS108", message, option.span, help=help_)
                    return


class _Sizes:
    """Sizes of option heads, in costs and nodes, including the guards that they need."""

    def __init__(self) -> None:
        self._costs: dict[typed.Guard, int] = {}
        self._nodes: dict[typed.Guard, int] = {}

    def costs(self, head: tuple[typed.HeadPart, ...]) -> int:
        """The number of costs in a head."""
        total = 0
        for part in head:
            if isinstance(part, typed.Needs):
                if part.guard not in self._costs:
                    self._costs[part.guard] = self.costs(part.guard.head)
                total += self._costs[part.guard]
            total += isinstance(part, typed.Cost)
        return total

    def nodes(self, head: tuple[typed.HeadPart, ...]) -> int:
        """The number of parts and expressions in a head."""
        total = len(head) + sum(1 for root in head_expressions(head) for _ in expressions(root))
        for part in head:
            if isinstance(part, typed.Needs):
                if part.guard not in self._nodes:
                    self._nodes[part.guard] = self.nodes(part.guard.head)
                total += self._nodes[part.guard]
        return total
