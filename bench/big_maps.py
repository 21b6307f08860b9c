"""Maps of any size: several joined copies of Imperial's regions, with the same nations and rules.

    python -m bench.big_maps COPIES FOLDER [--regions NUMBER]

A copy of a province belongs to the same nation, which thus gains five home provinces per copy. As in Imperial, there is
a factory piece for each city. Consecutive copies are joined by the links in `JOINED`. Armies, fleets, flags and money
stay as in Imperial, so that only the map grows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import yaml

BASE = Path(__file__).parent.parent / "games" / "imperial"
JOINED = {"sea": ("north_atlantic", "black_sea"), "land": ("turkey", "spain")}
"""The regions linked with themselves in the next copy, by kind of link."""
_LINKS = ("land", "sea", "coast")


def write_big_map(copies: int, folder: Path, most: int | None = None) -> Path:
    """Writes a ruleset that extends Imperial with a map of several copies of its regions.

    Args:
        copies: the number of copies; 1 is Imperial with its own map.
        folder: the parent of the ruleset's folder.
        most: the maximum number of regions; None to keep all.

    Returns:
        The ruleset's folder, which serves as a reference to it.
    """
    home = folder / (f"imperial_x{copies}" if most is None else f"imperial_{most}_regions")
    home.mkdir(parents=True, exist_ok=True)
    game = {
        "id": home.name,
        "title": f"Imperial on {copies} maps",
        "version": "1.0",
        "extends": "imperial",
        "replaces": ["map.regions"],
    }
    regions: dict[str, dict[str, Any]] = yaml.load(  # PyYAML's own parser rejects `nation?` in braces
        (BASE / "map.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    )["map"]["regions"]
    tiled = _cut(_tiled(regions, copies), most)
    cities = sum("city" in region for region in tiled.values())
    _write(home / "game.yaml", game)
    _write(home / "map.yaml", {"map": {"regions": tiled}})
    _write(home / "tables.yaml", {"constants": {"factory_pieces": cities}})
    return home


def _cut(regions: dict[str, dict[str, Any]], most: int | None) -> dict[str, dict[str, Any]]:
    """The first `most` regions, with links among themselves only."""
    names = list(regions)[:most]
    results = {}
    for name in names:
        region = {key: value for key, value in regions[name].items() if key != "port" or value in names}
        links = {link: [other for other in region[link] if other in names] for link in _LINKS if link in region}
        results[name] = region | links
    return results


def _tiled(regions: dict[str, dict[str, Any]], copies: int) -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    for number in range(1, copies + 1):
        for name, region in regions.items():
            copy: dict[str, Any] = {}
            for key, value in region.items():
                if key in _LINKS:
                    copy[key] = [_named(other, number) for other in value]
                elif key == "port":
                    copy[key] = _named(value, number)
                elif key not in ("position", "doc"):
                    copy[key] = value if key != "title" or number == 1 else f"{value} {number}"
            for link, joined in JOINED.items():
                if name in joined:
                    others = [n for n in (number - 1, number + 1) if 1 <= n <= copies]
                    copy[link] = [*copy.get(link, []), *(_named(name, n) for n in others)]
            results[_named(name, number)] = copy
    return results


def _named(region: str, number: int) -> str:
    return region if number == 1 else f"{region}_{number}"


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")


def main() -> None:
    """Writes one map."""
    parser = argparse.ArgumentParser(description="A ruleset with a large map.")
    parser.add_argument("copies", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--regions", type=int, help="leave out the last ones beyond so many")
    args = parser.parse_args()
    print(write_big_map(args.copies, args.folder, args.regions))


if __name__ == "__main__":
    main()
