"""Games played by `rulespec validate`, cached on disk, with progress on a terminal."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from rulespec import cache
from rulespec.cli import output
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed

if TYPE_CHECKING:  # the engine takes long to import, and a cached result does not need it
    from rulespec.engine.verify.played import PlayReport


def played(ruleset: typed.Ruleset, report: Report, minutes: int | None = None) -> PlayReport:
    """The result of playing games of a valid ruleset, possibly cached from the same sources.

    No games are played if the report contains the warning that the default start takes too long. For `minutes` see
    `play_check`.
    """
    from rulespec.engine.verify.played import PlayReport

    if any(d.code == "RS710" and d.span is None for d in report.diagnostics):  # otherwise it has the place of a setting
        return PlayReport(0, 0, 0, ())
    key = cache.key("played", ruleset.ref, f"{minutes}", *chain.from_iterable(ruleset.sources.items()))
    result = cache.read(key, msgspec.json.Decoder(PlayReport))
    if result is None:
        result = _played(ruleset, minutes)
        cache.write(key, result)
    return result


def _played(ruleset: typed.Ruleset, minutes: int | None) -> PlayReport:
    from rulespec.engine.verify.play_check import play_check

    if not sys.stderr.isatty():
        return play_check(ruleset, minutes=minutes)
    from tqdm import tqdm

    with tqdm(desc=f"playing {ruleset.ref}", unit=" combinations", file=sys.stderr, leave=False) as bar:
        return play_check(ruleset, bar.update, minutes)


def amount_of_play(played: PlayReport) -> str:
    """A summary of the games played: `played 1,240 games of 9 combinations`."""
    if not played.games:
        return "played no game to its end"
    of = "" if played.combinations == played.of else f"{played.combinations:,} of "
    return f"played {output.counted(played.games, 'game')} of {of}{output.counted(played.of, 'combination')}"
