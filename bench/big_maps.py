"""Maps of any size: Imperial's regions several times over, joined to one map, with the same nations and rules.

    python -m bench.big_maps COPIES FOLDER

A copy of a province belongs to the same nation, which so has five home provinces more; there is a factory piece for
each city, as in Imperial. Neighbouring copies are joined by the links in `JOINED`. Armies, fleets, flags and money are
Imperial's own, so that what grows is the map alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import yaml

BASE = Path(__file__).parent.parent / "games" / "imperial"
JOINED = {"sea": ("north_atlantic", "black_sea"), "land": ("turkey", "spain")}
"""By kind of link, the regions that are linked with themselves in the next copy."""
_LINKS = ("land", "sea", "coast")


def write_big_map(copies: int, folder: Path) -> Path:
    """Writes a ruleset that extends Imperial with a map of so many copies of its regions.

    Args:
        copies: how often the map is there; 1 is Imperial with its own map.
        folder: where the ruleset's folder is put.

    Returns:
        The ruleset's folder, which is a reference to it.
    """
    home = folder / f"imperial_x{copies}"
    home.mkdir(parents=True, exist_ok=True)
    game = {
        "id": home.name,
        "title": f"Imperial on {copies} maps",
        "version": "1.0",
        "extends": "imperial",
        "replaces": ["map.regions"],
    }
    regions: dict[str, dict[str, Any]] = yaml.load(  # PyYAML's own parser takes no `nation?` in braces, libyaml does
        (BASE / "map.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    )["map"]["regions"]
    cities = sum("city" in region for region in regions.values())
    _write(home / "game.yaml", game)
    _write(home / "map.yaml", {"map": {"regions": _tiled(regions, copies)}})
    _write(home / "tables.yaml", {"constants": {"factory_pieces": cities * copies}})
    return home


def _tiled(regions: dict[str, dict[str, Any]], copies: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
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
            found[_named(name, number)] = copy
    return found


def _named(region: str, number: int) -> str:
    return region if number == 1 else f"{region}_{number}"


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")


def main() -> None:
    """Writes one."""
    parser = argparse.ArgumentParser(description="A ruleset with a large map.")
    parser.add_argument("copies", type=int)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    print(write_big_map(args.copies, args.folder))


if __name__ == "__main__":
    main()
