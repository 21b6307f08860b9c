"""Set-up entries that are missing for some player counts."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.documents.yaml_nodes import Scalar, entries, get


def check_set_ups(c: Context) -> None:
    """Warns of set-up entries present for most player counts, but not for all."""
    d, setup = c.declarations, get(c.source.root, "setup")
    counts = {int(n): node for n, _, node in entries(get(setup, "players"))}
    everybody = range(d.min_players, d.max_players + 1)
    first: dict[tuple[str, str], tuple[Scalar, set[int]]] = {}
    for number, node in counts.items():
        for section in ("pieces", "state", "accounts"):
            for path, where, _ in entries(get(node, section)):
                first.setdefault((section, path), (where, set()))[1].add(number)
    for (section, path), (where, result) in first.items():
        missing = [n for n in everybody if n not in result]
        if missing and 2 * len(result) > len(everybody) and get(setup, section, path) is None:
            names = ", ".join(map(str, missing))
            message = f"`{path}` is set up for other numbers of players, but not for {names}"
            c.report.warning("RS236", message, where.span, help="add it for them, or for all under `setup:`")
