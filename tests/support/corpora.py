"""Corpora of small games, in folders and archives."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from commands import invoke

from rulespec.documents.json_text import to_json_text
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset


def logs(folder: Path, ref: str = "wager", number: int = 6, *, players: int = 3) -> list[Path]:
    """Native logs of random games; the last line of the third is truncated, and the fourth is damaged."""
    folder.mkdir(parents=True, exist_ok=True)
    ruleset = load_ruleset(ref)
    plan = GamePlan.of(ref, ruleset, [players], 1)
    results = []
    for game in range(number):
        lines = [to_json_text(line, plain=True) for line in plan.play(ruleset, game).log()]
        if game == 2:
            del lines[-2:]
        if game == 3:
            lines[2] = lines[2].replace('"option":', '"opinion":')
        results.append(folder / f"g{game}.jsonl")
        results[-1].write_text("\n".join(lines) + "\n", "utf-8")
    return results


def store_of_many(folder: Path, seats: Mapping[str, Sequence[int]], number: int = 3) -> Path:
    """A store with games of several rulesets, each with several numbers of players."""
    for ref, players in seats.items():
        for count in players:
            ruleset = load_ruleset(ref)
            plan = GamePlan.of(ref, ruleset, [count], 1)
            for game in range(number):
                text = "\n".join(to_json_text(line, plain=True) for line in plan.play(ruleset, game).log())
                path = folder / "logs" / f"{ref}-{count}-{game}.jsonl"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n", "utf-8")
    assert invoke("corpus", "import", folder / "logs", "--out", folder / "store")[0] == 0
    return folder / "store"


def tar(path: Path, files: list[Path], mode: str = "w:gz") -> Path:
    """A tar archive of files, without their folder."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for file in files:
            archive.add(file, file.name)
    return path


def zipped(path: Path, files: list[Path]) -> Path:
    """A zip archive of files, without their folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    return path
