"""Maps whose files have a wrong form: the readable part is drawn."""

from __future__ import annotations

import re
import shutil
import signal
import threading
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner, Result
from deadlines import until
from folders import GAMES
from limits import soon
from processes import process

from rulespec.cli.main import cli
from rulespec.drawing.author import draft
from rulespec.drawing.mended import MendedFiles

HILLS = "    hills: {terrain: land, land: [reedham, stonegate, heathfield]}\n"
ISLES = "    north_isle: {terrain: land, land: [south_isle]}\n    south_isle: {terrain: land, land: [north_isle]}\n"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder)
    return folder


def changed(lake: Path, before: str, after: str, name: str = "map.yaml") -> None:
    text = (lake / name).read_text("utf-8")
    assert before in text
    (lake / name).write_text(text.replace(before, after, 1), "utf-8")


def drawn(lake: Path) -> tuple[Result, str]:
    done = CliRunner().invoke(cli, ["draw", str(lake), "--out", str(lake / "board.svg")])
    return done, (lake / "board.svg").read_text("utf-8") if (lake / "board.svg").exists() else ""


# A mistake, and the text it replaces; its code, its line, and the region whose number says so (none: only the list).
MISTAKES = [
    (HILLS, f"    hills: {{terrain: land}}\n{HILLS}", "RS119", 7, "hills"),  # a region twice
    ("hills: {terrain: land,", "hills: {terrain: land, terrain: land,", "RS119", 6, "hills"),  # a fact twice
    ("hills: {", "hills: {position: [10], ", "RS217", 6, "hills"),  # half a position
    ("hills: {", "hills: {position: here, ", "RS213", 6, "hills"),  # a position that is none
    ("hills: {", "hills: {position: [.nan, 1], ", "RS122", 6, "hills"),  # nor is this a number
    (HILLS, f"    Hills Bay: {{terrain: land}}\n{HILLS}", "RS215", 6, ""),  # a name that is none
    (HILLS, HILLS.replace("    ", "\t", 1), "RS111", 6, ""),  # a tab
    ("hills: {terrain: land", "hills: {terain: land", "RS225", 6, "hills"),  # a fact that is misspelt
    ("hills: {terrain: land", "hills: {terrain: reed", "RS221", 6, "hills"),  # a nation for a terrain
    ("hills: {terrain: land, ", "hills: {", "RS228", 6, "hills"),  # a fact that is missing
    ("land: [reedham, stonegate", "land: [reedham, reedham, stonegate", "RS223", 6, "hills"),  # a link twice
    ("land: [reedham, stonegate", "land: [hills, reedham, stonegate", "RS247", 6, "hills"),  # a link with itself
    ("terrain: land, land", "terrain: [land, sea], land", "RS301", 6, "hills"),  # two for one
    (HILLS, ISLES + HILLS, "RS231", 6, "north_isle"),  # two isles that only know one another
]


@pytest.mark.parametrize("before, after, code, line, place", MISTAKES)
@pytest.mark.sampled(1)
def test_a_mistake_is_seen_and_told_at_its_line(
    before: str, after: str, code: str, line: int, place: str, lake: Path
) -> None:
    changed(lake, before, after)
    done, picture = drawn(lake)
    assert done.exit_code in (0, 1) and "RS901" not in done.stderr
    assert re.search(rf"\[{code}\].*\n *--> .*map\.yaml:{line}:", done.stderr), done.stderr
    assert 'class="faults static"' in picture and f"{code}  map.yaml:{line}:" in picture
    assert "stoneport" in picture.lower()  # the rest of the map is there
    faults = picture.partition('class="faults static"')[2].lower().replace(" ", "_")
    assert f"<title>{place}:" in faults or not place


@pytest.mark.proof  # 0.5 s
def test_mistakes_of_many_forms_at_once_do_not_hide_one_another(lake: Path) -> None:
    changed(lake, "hills: {", "hills: {position: [10], ")
    changed(lake, "marsh: {terrain: land", "marsh: {terain: land")
    changed(lake, "isle: {terrain: land,", "isle: {terrain: land, terrain: sea,")
    changed(lake, "reedham: {terrain: province, home: reed,", "reedham: {terrain: province, home: red,")
    changed(lake, "forest: {terrain: land, land: [reedhaven,", "forest: {terrain: land, land: [reedhaven, reedhaven,")
    changed(lake, "    stonegate:", "    Stone Gate: {terrain: land}\n    stonegate:")
    changed(lake, "heathmouth: {terrain: province,", "heathmouth: {terrain: [province, land],")
    done, picture = drawn(lake)
    assert done.exit_code == 1
    notes = {(d.code, d.span.line) for d in draft(str(lake)).diagnostics if d.span is not None}
    forms = {("RS217", 6), ("RS119", 9), ("RS215", 12)}
    assert notes == forms | {("RS225", 7), ("RS223", 8), ("RS221", 10), ("RS301", 16)}
    faults = picture.partition('class="faults static"')[2]
    for name in ("hills", "marsh", "forest", "isle", "reedham", "heathmouth"):
        assert f"<title>{name}: " in faults, name


@pytest.mark.parametrize(
    "text", ["map: {regions: [", "", "- 1\n- 2\n", "map: 3", "\x00", "map:\n  regions: {}\n", "&a [*a]"]
)
@pytest.mark.sampled(3)
def test_a_map_of_which_nothing_can_be_read_ends_nothing_else(text: str, lake: Path) -> None:
    (lake / "map.yaml").write_text(text, "utf-8")
    done, _ = drawn(lake)
    assert done.exit_code in (1, 2) and "RS901" not in done.stderr and "map.yaml" in done.stderr


def test_what_is_left_out_is_not_told_twice(lake: Path) -> None:
    changed(lake, HILLS, HILLS.replace("    ", "\t", 1))  # its neighbours name the hills, which are not read
    assert [d.code for d in draft(str(lake)).diagnostics] == ["RS111"]


def test_a_mended_file_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("map:\n  regions:\n" + "".join(f"\tr{i}: {{}}\n" for i in range(20_000)), "utf-8")
    with soon(), pytest.raises(Exception, match="RS111"):
        MendedFiles().yaml(path, "map.yaml")


def test_a_game_that_cannot_begin_is_drawn_with_the_reason(tmp_path: Path) -> None:
    new = CliRunner().invoke(cli, ["new", "lake", "--map", "oak,elm", "--to", str(tmp_path)])
    assert new.exit_code == 0
    lake = tmp_path / "lake"
    before = "    decide turn by p:\n"
    changed(lake, before, f"    move counters + 1 of counter from heap to taken[p]\n{before}", "rules/play.rules")
    done, picture = drawn(lake)
    assert done.exit_code == 1 and "play.rules:" in done.stderr and "RS901" not in done.stderr
    assert 'class="faults static"' in picture and "play.rules:" in picture and "oak</text>" in picture


@pytest.mark.proof  # 0.4 s
def test_a_mistake_in_another_file_is_seen_at_the_region_that_it_names(lake: Path) -> None:
    changed(lake, "{reedham: 1", "{reedhm: 1", "setup.yaml")
    _, picture = drawn(lake)
    assert "<title>reedham: no region is called reedhm" in picture


class Lines:
    """The lines that a command has printed so far."""

    def __init__(self, stream: IO[str] | None) -> None:
        assert stream is not None
        self.text = ""
        self._stream = stream
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self._stream:
            self.text += line


@pytest.mark.proof  # 1.2 s
def test_watching_goes_on_whatever_is_wrong_and_ends_with_ctrl_c(lake: Path) -> None:
    picture = lake.parent / "board.svg"

    def red() -> bool:
        return picture.exists() and "faults static" in picture.read_text("utf-8")

    with process("draw", lake, "--watch", "--out", picture) as command:
        out, err = Lines(command.stdout), Lines(command.stderr)
        try:
            until(lambda: "written: " in out.text)
            whole = (lake / "map.yaml").read_text("utf-8")
            changed(lake, HILLS, "")
            until(red)
            before = len(err.text)
            lake.rename(lake.parent / "gone")  # as some editors do for a moment
            until(lambda: len(err.text) > before)
            (lake.parent / "gone" / "map.yaml").write_text("map: [", "utf-8")
            (lake.parent / "gone").rename(lake)
            until(lambda: "not valid YAML" in err.text)
            assert command.poll() is None and red()
            drawings = out.text.count("written: ")
            (lake / "map.yaml").write_text(whole, "utf-8")
            until(lambda: not red() and out.text.count("written: ") > drawings)  # it is said at the end of a drawing
            command.send_signal(signal.SIGINT)
            assert command.wait(60) == 0
            out.thread.join()
            err.thread.join()
            assert "Traceback" not in err.text and "RS901" not in err.text
        finally:
            command.kill()


@pytest.mark.proof
def test_rules_that_cannot_be_read_do_not_hide_the_map(lake: Path) -> None:
    (lake / "rules").mkdir(exist_ok=True)
    (lake / "rules" / "own.rules").write_text("procedure broken(:\n", "utf-8")
    done, picture = drawn(lake)
    assert done.exit_code == 1 and "own.rules:1:" in done.stderr
    assert "own.rules:1:" in picture and "stoneport</text>" in picture.lower()
