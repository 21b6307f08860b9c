"""Mistakes of a map that are mended on its page by clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from folders import GAMES
from map_pages import Drive, Driver, regions, same_map, validated

from editors import copied, editing


def chip(kind: str, end: str) -> str:
    return f"#form ul[aria-label={kind}] [data-end={end}]"


def misspelt(page: Driver) -> None:
    page.click("#faults .fix")


def missing(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("terrain", "land")


def to_nothing(page: Driver) -> None:
    page.click("#faults .fault")
    page.click(chip("land", "nowhere"))


def wrong_kind(page: Driver) -> None:
    page.click("#faults li:nth-child(2) .fault")
    page.click(chip("land", "north_lake"))
    page.click("#faults .fix")


def cityless(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("city", "shipyard")


def without_cities(page: Driver) -> None:
    page.click("#regions [data-name=heathfield]")
    page.choose("city", "armaments")
    page.click("#regions [data-name=heathmouth]")
    page.choose("city", "shipyard")
    page.choose("port", "south_lake")


def portless(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("port", "north_lake")


def unreachable(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("link_to", "north_lake")
    page.choose("link_to", "south_lake")


def twice(page: Driver) -> None:
    page.click("#faults .fix")
    page.click("#regions [data-name=marsh_2]")
    page.click("#form button:text('Remove')")


MISTAKES: dict[str, tuple[Callable[[Driver], None], list[tuple[str, str]]]] = {
    "misspelt fact": (misspelt, [("hills: {terrain", "hills: {terain")]),
    "missing fact": (missing, [("marsh: {terrain: land, ", "marsh: {")]),
    "link to nothing": (to_nothing, [("land: [reedhaven, heathfield]", "land: [reedhaven, heathfield, nowhere]")]),
    "link of a wrong kind": (
        wrong_kind,
        [("land, coast: [north_lake, south_lake]", "land, land: [north_lake], coast: [south_lake]")],
    ),
    "nation without a city": (
        without_cities,
        [
            ("home: heath, city: armaments", "home: heath"),
            ("home: heath, city: shipyard, port: south_lake", "home: heath"),
        ],
    ),
    "port of a town without one": (cityless, [("home: reed, city: shipyard", "home: reed")]),
    "port without its sea": (portless, [("port: north_lake, ", "")]),
    "unreachable region": (
        unreachable,
        [
            ("isle: {terrain: land, coast: [north_lake, south_lake]}", "isle: {terrain: land}"),
            ("forest, isle]", "forest]"),
            ("marsh, isle]", "marsh]"),
        ],
    ),
    "one name twice": (twice, [("    isle: {", "    marsh: {terrain: land}\n    isle: {")]),
}


@pytest.mark.proof
def test_mistakes_are_mended_by_clicks(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    path, text = folder / "map.yaml", (folder / "map.yaml").read_text("utf-8")
    with editing(folder) as serving:
        page = drive(serving)
        for name, (mend, changes) in MISTAKES.items():
            wrong = text
            for old, new in changes:
                assert old in wrong, (name, old)
                wrong = wrong.replace(old, new)
            path.write_text(wrong, "utf-8")
            page.wait("document.querySelectorAll('#faults li').length > 0")
            page.done.clear()
            mend(page)
            if page.page.is_visible("#asking"):
                page.click("#asking_buttons button")
            page.wait("document.querySelector('#sound').textContent === 'No problems'")
            assert validated(folder) == "", name
            same_map(folder, regions(GAMES / "tutorial"))
            assert set(page.done) <= {"clicks", "choices"} and sum(page.done.values()) <= 5, name
