"""Points as an implicit measure, included only if cheap, as nobody requested it."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.measures import SCORE
from rulespec.check.set_sizes import SetSizes
from rulespec.check.steps import Work

MAX_POINTS_WORK = 10**6
"""Maximum number of steps for the points of all players, estimated from the sizes of kinds."""


def check_points(c: Context) -> None:
    """Removes the implicit measure of points if it may be slow. The rules must not be recursive."""
    scoring, measure = c.rules.scoring, c.declarations.measures.get(SCORE)
    if scoring is None or measure is None or measure.span != scoring.span:
        return
    work = Work(SetSizes(c.declarations, c.ranges.values))
    if work.sizes.kind(scoring.var.type) * work.of(scoring.score) > MAX_POINTS_WORK:
        del c.declarations.measures[SCORE]
