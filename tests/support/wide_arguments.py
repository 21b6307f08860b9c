"""A small ruleset with options whose sets and bags exceed a 64-bit word."""

from __future__ import annotations

from pathlib import Path

from cases import small

from rulespec.typed import nodes as typed

_TEXT = """
procedure play():
    repeat at most 2:
        for p in player:
            decide move by p:
                option take(two in choose 2 of {e0, e63, e64, e69}, lot in choose 2 of coin.box):
                    move lot of coin from box to purse[p]
                    set marks to marks | two
                option wait: pass
    end game as done
--- kinds.yaml
kinds:
  sort: {entities: {SORTS}}
  edge: {entities: {EDGES}}
  player: {}
state: {marks: {type: set edge}}
pieces: {coin: {each: [sort], places: {box: {}, purse: {index: player}}}}
--- setup.yaml
setup: {pieces: {coin.box: {s0: 2, s7: 2, s8: 2, s19: 2}}}
"""


def wide_arguments(folder: Path) -> typed.Ruleset:
    """The ruleset, written into a folder: 70 edges take two words, bags of 20 kinds take three."""
    text = _TEXT.replace("SORTS", ", ".join(f"s{n}: {{}}" for n in range(20)))
    return small(folder / "small", text.replace("EDGES", ", ".join(f"e{n}: {{}}" for n in range(70))))
