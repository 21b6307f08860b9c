"""Whole maps that are made on the page of a map, by the pointer and by keys alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from folders import GAMES
from map_pages import Drive, regions, same_map, set_up, validated

from editors import copied, editing, emptied, files
from rulespec.cli.main import cli

KINDS = ("land", "sea", "coast")
DRAWN: dict[str, list[int]] = yaml.safe_load((GAMES / "tutorial" / "drawing.yaml").read_text("utf-8"))["drawing"][
    "boards"
]["region"]["positions"]


def links_of(wanted: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The links of a map, each once: region → regions."""
    results: dict[str, list[str]] = {}
    for name, facts in wanted.items():
        ends = [end for kind in KINDS for end in facts.get(kind, []) if name not in results.get(end, [])]
        if ends:
            results[name] = ends
    return results


@pytest.mark.proof
def test_a_map_from_nothing_by_the_pointer(drive: Drive, tmp_path: Path) -> None:
    wanted = regions(GAMES / "tutorial")
    folder = emptied(copied("tutorial", tmp_path / "lake"))
    before = files(folder)
    with editing(folder) as serving:
        page = drive(serving)
        page.click("#tools button:nth-child(2)")
        for name, facts in wanted.items():
            x, y = DRAWN[name]
            page.click_at(page.at(118 + (x + 14) / 102 * 800, 98 + (y + 16) / 102 * 540))
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait(f"document.querySelector('#form .note')?.textContent === '{name}'")
            for fact in ("terrain", "home", "city", "port"):
                if fact in facts:
                    page.choose(fact, facts[fact])
        page.click("#tools button:nth-child(1)")
        page.page.wait_for_timeout(500)
        for name, ends in links_of(wanted).items():
            for end in ends:
                page.drag(page.inside(name), page.inside(end))
        assert sum(page.done.values()) <= 90, page.done
        assert page.texts("#sound") == ["No problems"] and page.texts("#asking_head") == [""]
        same_map(folder, wanted)
        assert validated(folder) == ""
        played = CliRunner().invoke(cli, ["simulate", str(folder), "--games", "5", "--players", "3"])
        assert played.exit_code == 0, played.output
        saved = files(folder)
        page.choose("terrain", page.page.input_value("#form [name=terrain]"))
        assert files(folder) == saved, "what is so already changes nothing"
        page.undo_all()
    assert files(folder) == before


NATIONS = ("austria_hungary", "italy", "france", "great_britain", "germany", "russia")


def ring_of_nations() -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """Six nations in a ring around six seas, each with a city of either kind: 24 regions, and their links."""
    facts: dict[str, dict[str, str]] = {}
    links: list[tuple[str, str]] = []
    for i, nation in enumerate(NATIONS):
        home, after = {"terrain": "province", "home": nation}, (i + 1) % len(NATIONS)
        facts[f"s{i}"] = {"terrain": "sea"}
        facts[f"p{i}a"] = home | {"city": "armaments"}
        facts[f"p{i}b"] = home | {"city": "shipyard", "port": f"s{i}"}
        facts[f"p{i}c"] = home
        links += [(f"p{i}a", f"p{i}b"), (f"p{i}b", f"p{i}c"), (f"p{i}c", f"p{after}a"), (f"p{i}b", f"s{i}")]
        links.append((f"s{i}", f"s{after}"))
    return facts, links


@pytest.mark.proof
def test_a_map_of_24_regions_for_the_plain_rules(drive: Drive, tmp_path: Path) -> None:
    facts, links = ring_of_nations()
    folder = tmp_path / "ring"
    product = CliRunner().invoke(cli, ["new", "ring", "--from", "imperial", "--map", "a", "--to", str(tmp_path)])
    assert product.exit_code == 0, product.output
    map_ = folder / "map.yaml"
    map_.write_text(map_.read_text("utf-8").replace("regions:\n    a: {}", "regions: {}"), "utf-8")
    with editing(folder) as serving:
        page = drive(serving, 1360, 1000)
        page.click("#tools button:nth-child(2)")
        for n, name in enumerate(facts):
            nation, part = divmod(n, 4)
            page.click_at(page.at(120 + nation * 150, 100 + (part + nation % 2 / 2) * 130))
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait(f"document.querySelector('#form .note')?.textContent === '{name}'")
            for fact, value in facts[name].items():
                page.choose(fact, value)
        page.click("#tools button:nth-child(1)")
        for one, other in links:
            page.drag(page.inside(one), page.inside(other))
        assert page.texts("#asking_head") == [""], "no kind of a link was asked"
        edited = regions(folder)
        assert {name: {k: edited[name][k] for k in each} for name, each in facts.items()} == facts
        assert sum(len(edited[name].get(kind, [])) for name in edited for kind in KINDS) in (30, 60)
        cities = [name for name, each in facts.items() if "city" in each]
        page.click(f"#regions [data-name={cities[0]}]")
        for name in cities[1:]:
            page.click(f"#regions [data-name={name}]", modifiers=["Control"])
        page.page.focus("#form [name='factory.at']")
        page.text("1")
        page.press("Enter")
        page.idle()
        assert set_up(folder) == {"factory.at": dict.fromkeys(cities, 1)}
        assert sum(page.done.values()) <= 180, page.done
        assert validated(folder) == ""


@pytest.mark.proof
def test_a_map_from_nothing_by_keys_alone(drive: Drive, tmp_path: Path) -> None:
    wanted = regions(GAMES / "tutorial")
    folder = emptied(copied("tutorial", tmp_path / "lake"))
    with editing(folder) as serving:
        page = drive(serving)

        def typed(value: str) -> None:
            """Types the title of a value ahead in the select that has the focus."""
            code = """(value) => [...document.activeElement.options].find((each) => each.value === value).text"""
            page.text(page.page.evaluate(code, value))

        for name, facts in wanted.items():
            page.press("Insert")
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait("document.activeElement.name === 'terrain'")
            typed(facts["terrain"])
            for fact in ("home", "city", "port"):
                if fact in facts:
                    page.press("Tab")
                    typed(facts[fact])
            page.press("Enter")
            page.idle()
            page.press("Escape")
        for name, ends in links_of(wanted).items():
            page.page.wait_for_timeout(850)  # or the list goes on with what was typed before
            page.text(name.replace("_", " "))
            page.press("Enter", "Tab", "Tab", "Tab", "Tab")
            assert page.page.evaluate("document.activeElement.name") == "link_to"
            for end in ends:
                page.page.wait_for_timeout(1_050)
                typed(end)
                page.press("Enter")
                page.idle()
            page.press("Escape")
        assert page.done["keys"] <= 350 and page.done.keys() == {"keys", "texts"}, page.done
        assert page.texts("#sound") == ["No problems"]
        same_map(folder, wanted)
        assert validated(folder) == ""
