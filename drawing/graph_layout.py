"""Positions for entities without a declared position: a deterministic layout with few crossings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulespec.diagnostics.report import failure
from rulespec.drawing.areas import cross
from rulespec.drawing.svg import Point

SEEDS = 5
MAX_NODES = 400
"""The maximum number of nodes for the force layout, which takes quadratic time; larger graphs are laid out in rows."""
_TIRED = 100
"""The number of nodes above which fewer seeds and fewer steps are tried."""
MAX_COMPARED = 600
"""The maximum number of links for which crossings are counted."""
_ASPECT = 0.75


def laid_out(count: int, links: Sequence[tuple[int, int]], anchors: Mapping[int, Point]) -> dict[int, Point]:
    """Positions for `count` nodes: anchors stay fixed, and a force layout places the others.

    Raises:
        DiagnosticsError: RS556 if its library is missing.
    """
    if not links or count > MAX_NODES:
        return _in_rows(count, anchors)
    try:
        import networkx
    except ImportError:
        help_ = "pip install rulespec[draw], or give each place a `position`"
        raise failure("RS556", "a map without positions needs the library networkx", None, help=help_) from None
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(links)
    best: tuple[int, dict[int, Point]] | None = None
    seeds = max(SEEDS * _TIRED // max(count, _TIRED), 1) if len(links) <= MAX_COMPARED else 1
    steps = 120 * _TIRED // max(count, _TIRED)
    for seed in range(seeds):
        result = networkx.spring_layout(graph, seed=seed, iterations=max(steps, 40), k=1.6 / count**0.5)
        points = {i: (float(x), float(y) * _ASPECT) for i, (x, y) in result.items()}
        crossings = count_crossings(points, links) if len(links) <= MAX_COMPARED else 0
        if best is None or crossings < best[0]:
            best = crossings, points
    assert best is not None
    return _around(best[1], anchors)


def count_crossings(points: Mapping[int, Point], links: Sequence[tuple[int, int]]) -> int:
    """The number of crossing pairs of links."""
    lines = [(points[a], points[b]) for a, b in links]
    return sum(cross(*lines[i], *lines[j]) for i in range(len(lines)) for j in range(i))


def _around(points: dict[int, Point], anchors: Mapping[int, Point]) -> dict[int, Point]:
    """The points, shifted and scaled to the centre and the extent of the anchors."""
    if not anchors:
        return points
    known = list(anchors)

    def extent(places: Mapping[int, Point]) -> tuple[float, float, float, float]:
        xs, ys = [places[i][0] for i in known], [places[i][1] for i in known]
        return min(xs), min(ys), max(max(xs) - min(xs), 1e-9), max(max(ys) - min(ys), 1e-9)

    x, y, w, h = extent(points)
    left, top, wide, tall = extent(anchors)
    scale_x, scale_y = (wide / w, tall / h) if len(known) > 1 else (1.0, 1.0)
    moved = {i: (left + (p[0] - x) * scale_x, top + (p[1] - y) * scale_y) for i, p in points.items()}
    return moved | dict(anchors)


def _in_rows(count: int, anchors: Mapping[int, Point]) -> dict[int, Point]:
    columns = max(round((count / _ASPECT) ** 0.5), 1)
    step = 1.0
    if len(anchors) > 1:
        step = max(max(x for x, _ in anchors.values()) - min(x for x, _ in anchors.values()), 1.0) / columns
    below = max((y for _, y in anchors.values()), default=-step) + step
    left = min((x for x, _ in anchors.values()), default=0.0)
    results = dict(anchors)
    for n, i in enumerate(i for i in range(count) if i not in anchors):
        results[i] = (left + n % columns * step, below + n // columns * step)
    return results
