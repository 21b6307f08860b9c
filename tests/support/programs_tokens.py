"""Random expressions evaluated after a hypothetical call of a quiet procedure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter
    from programs_statements import StatementWriter

QUIET = 3


def hypothetical(w: ExpressionWriter, type_: str, scope: dict[str, str], depth: int) -> str:
    """An expression evaluated after a hypothetical call of a quiet procedure, or of an earlier one inside such."""
    number = w.number(QUIET if w.hushed < 0 else w.hushed)
    return f"({w.expr(type_, scope, depth)} once hush{number}({w.expr('int', scope, 0)}, {w.expr('town', scope, 1)}))"


def quiet_procedures(w: StatementWriter) -> list[str]:
    """Quiet procedures, without decisions and ends; each can call the previous one, hypothetically or not."""
    lines: list[str] = []
    w.together = True  # prevents decisions
    for i in range(QUIET):
        w.hushed = i
        scope = {"k": "int", "t": "town"}
        lines += [f"procedure hush{i}(k: int, t: town):", *w.block(scope, 0, "    ")]
        form = w.number(6)
        if form == 0:
            lines += ["    for u in town where u != t:", *w.block({**scope, "u": "town"}, 0, "        ")]
        elif form == 1:
            lines += [f"    if {w.expr('bool', scope, 1)}:", "        return"]
        elif form == 2:
            lines += [f"    repeat at most {w.pick('2', 'abs(k) % 4')}:", *w.block(scope, 0, "        ")]
        elif form == 3 and i:
            lines += [f"    hush{i - 1}({w.expr('int', scope, 1)}, t)"]
        lines += [
            "    move min(1, flag.supply) of flag from supply to at[t]",
            f"    set m to {w.pick('k', 'm + k', '7 / k')}",
        ]
    w.hushed, w.together = -1, False
    return lines
