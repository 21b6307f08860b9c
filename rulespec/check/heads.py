"""Size limits on the heads of options: guards are inlined, and costs are compared in pairs."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.overlays.extension import MAX_REPEATED
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, head_expressions, walk

MAX_COSTS = 12
"""Maximum number of costs per option, including its guards': any two of them may have the same source."""


def check_heads(c: Context) -> None:
    """Reports heads that are too large. Guards must have been checked for recursion."""
    sizes = _Sizes()
    left = MAX_REPEATED
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                if sizes.costs(option.head) > MAX_COSTS:
                    message = f"an option can have at most {MAX_COSTS} costs, including those of its guards"
                    c.report.error("RS226", message, option.span, help="add up the payments from one source")
                left -= sum(sizes.nodes(part.guard.head) for part in option.head if isinstance(part, typed.Needs))
                if left < 0:
                    help_ = "move conditions shared by many guards into definitions"
                    message = "with the guards of this option, heads are too large"
                    c.report.error("RS108", message, option.span, help=help_)
                    return


class _Sizes:
    """Sizes of option heads, in costs and nodes, including the guards that they need."""

    def __init__(self) -> None:
        self._costs: dict[typed.Guard, int] = {}
        self._nodes: dict[typed.Guard, int] = {}

    def costs(self, head: tuple[typed.HeadPart, ...]) -> int:
        """The number of costs of a head."""
        total = 0
        for part in head:
            if isinstance(part, typed.Needs):
                if part.guard not in self._costs:
                    self._costs[part.guard] = self.costs(part.guard.head)
                total += self._costs[part.guard]
            total += isinstance(part, typed.Cost)
        return total

    def nodes(self, head: tuple[typed.HeadPart, ...]) -> int:
        """The number of parts and expressions of a head."""
        total = len(head) + sum(1 for root in head_expressions(head) for _ in expressions(root))
        for part in head:
            if isinstance(part, typed.Needs):
                if part.guard not in self._nodes:
                    self._nodes[part.guard] = self.nodes(part.guard.head)
                total += self._nodes[part.guard]
        return total
