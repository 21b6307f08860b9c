"""Migration of recorded games: twelve rule changes applied to the shipped games of Imperial, or to games between bots.

    python -m bench.migrations                                  # the shipped games; minutes
    python -m bench.migrations --bots 1000 --games FOLDER       # bots' games, played into the folder if missing

Each game is migrated to each change. A migrated game is written and replayed strictly under the changed rules, any
other game under its own rules from a bundle. A failed replay is an error.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from joblib import Parallel, delayed

from bench.carried_games import Carried, play, rows, shipped
from bench.rule_changes import CHANGES
from rulespec.engine.migrate.migrate import Verdict


def show(results: Sequence[Carried], games: int) -> None:
    """Prints a line for each change, with the causes of games that were not migrated."""
    print(f"{games:,} games")
    print("| change | faithful | numbers | kept | put in | gone | first causes of the kept |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, change in CHANGES.items():
        mine = [each for each in results if each.change == name]
        counts = Counter(each.verdict for each in mine)
        causes = Counter(each.cause for each in mine if each.verdict == Verdict.STAYS)
        cells = [f"{counts[v]:,}" if counts[v] else "" for v in Verdict]
        cells += [f"{sum(e.put_in for e in mine):,}", f"{sum(e.gone for e in mine):,}"]
        texts = "; ".join(f"{n} {text[:90]}" for text, n in causes.most_common(3))
        if mine:
            print(f"| {change.title} | {' | '.join(cells)} | {texts} |")


def main() -> None:
    """Runs the requested migrations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=0, help="so many games of bots, not the shipped ones")
    parser.add_argument("--games", type=Path, help="the folder of bots' games")
    parser.add_argument("--change", action="append", choices=list(CHANGES), help="only this change")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logs = shipped()
        if args.bots:
            own = args.games or Path(folder) / "games"
            own.mkdir(parents=True, exist_ok=True)
            logs = list(Parallel(args.jobs)(delayed(play)(own, number) for number in range(args.bots)))
        show(list(rows(Path(folder), logs, args.change or list(CHANGES), args.jobs)), len(logs))


if __name__ == "__main__":
    main()
