"""Proposals on the page of a map: from the colours of a drawing to a sound variant by clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from map_pages import Drive, regions, set_up, validated
from ring_maps import COLOURS, ring_map

from editors import editing, files
from rulespec.cli.main import cli

NAMES = ("Ardland", "Bor", "Cern", "Döll", "East Fenn", "Far Gate")


def ring(folder: Path) -> Path:
    (folder / "ring.svg").write_text(ring_map(), "utf-8")
    drawing = str(folder / "ring.svg")
    done = CliRunner().invoke(cli, ["new", "ring", "--to", str(folder), "--from", "imperial", "--map", drawing])
    assert done.exit_code == 0, done.output
    return folder / "ring"


@pytest.mark.proof
def test_from_a_drawing_of_24_regions_to_a_sound_variant_without_yaml(drive: Drive, tmp_path: Path) -> None:
    folder = ring(tmp_path)  # one command
    before = files(folder)
    with editing(folder) as serving:
        page = drive(serving, 1360, 1000)
        for colour, name in zip(COLOURS, NAMES, strict=False):
            row = f"#colours li:has([aria-label='What {colour} says'])"
            page.done["texts"] += 1
            page.page.fill(f"{row} input", name)
        page.click("#colours_take")
        assert page.texts("#proposals button.offer")[0].startswith("terrain of 18 regions")
        page.click("#offers_all")
        assert page.texts("#sound") == ["No problems in the map's own files"] and page.page.is_hidden("#offers_head")
        assert [each.endswith(" · RS474") for each in page.texts("#others small")] == [True], "corners of the drawing"
        assert len(regions(folder)) == 24 and len(set_up(folder)["factory.at"]) == 12
        assert validated(folder) == ""
        assert sum(page.done.values()) + 2 <= 200, "with the two commands that begin it"
        assert sum(page.done.values()) == 8
        played = CliRunner().invoke(cli, ["simulate", str(folder), "--games", "200", "--players", "6", "--seed", "1"])
        assert played.exit_code == 0 and "a nation has all power points  200" in played.output, played.output
        page.undo_all()
    assert files(folder) == before


@pytest.mark.proof
@pytest.mark.parametrize("width", [393, 1360])
def test_one_proposal_after_the_other(width: int, drive: Drive, tmp_path: Path) -> None:
    """A proposal selects its regions; what is taken is gone from the list, and what follows from it is there."""
    folder = ring(tmp_path)
    with editing(folder) as serving:
        page = drive(serving, width, 900)
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it does not stick out"
        page.page.select_option("#colours li:nth-child(1) select", "")
        page.click("#colours_take")
        assert page.texts("#colours summary") == ["Colours of the drawing: 1 of 8 have no meaning yet"]
        page.click("#proposals li:nth-child(1) button.offer")
        assert len(page.page.query_selector_all("#regions [aria-selected=true]")) == 15
        page.click("#proposals li:nth-child(1) button:not(.offer)")
        assert "links" in page.texts("#proposals")[0] and "terrain" not in page.texts("#proposals")[0]
        page.click("#undo")
        assert "terrain of 15 regions" in page.texts("#proposals")[0]


@pytest.mark.proof
@pytest.mark.parametrize("width", [393, 1360])
def test_nations_numbers_and_pieces_are_edited_by_fields(width: int, drive: Drive, tmp_path: Path) -> None:
    folder = ring(tmp_path)
    with editing(folder) as serving:
        page = drive(serving, width, 900)
        page.click("#colours_take")
        page.click("#offers_all")
        for summary in page.page.query_selector_all("#data_parts summary"):
            summary.click()
        for label, value in (("army pieces of Red", "4"), ("title of Red", "Redland"), ("free_steps", "2")):
            page.page.fill(f"[aria-label='{label}']", value)
            page.press("Enter")
            page.idle()
        page.page.select_option("[name=put_one]", "army.at red")
        page.idle()
        assert any(text.startswith("1 Redland: army.at") for text in page.texts("#form .chip"))
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "tables scroll by themselves"
        assert "red: {title: Redland, army_pieces: 4," in (folder / "kinds.yaml").read_text("utf-8")
        page.click("[aria-label='Remove Redland']")
        assert "red" not in {each.get("home") for each in regions(folder).values()}
        assert page.texts("#data_parts summary")[0] == "nation (5)"
