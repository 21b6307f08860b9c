"""Pictures of boards: regions by colour or between lines, clean or scanned; and pictures that are refused."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.map_findings import counts_of
from rulespec.drawing.map_import import DrawnMap, regions_of
from rulespec.drawing.outlines import area, rings_of
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.traced_board import read_picture

if TYPE_CHECKING:
    from PIL import Image

np = pytest.importorskip("numpy", reason="needs numpy")
pytest.importorskip("PIL", reason="needs pillow: pip install 'rulespec[trace]'")
pytest.importorskip("scipy", reason="needs scipy: pip install 'rulespec[trace]'")
pytest.importorskip("vtracer", reason="needs vtracer: pip install 'rulespec[trace]'")

STYLES = {
    "lines": (["#9ecae9", "#c8323c", "#4b9b4b", "#e6d23c", "#8c50aa", "#e68a2e"], (30, 30, 30), (20, 20, 20)),
    "gaps": (["#b9d3e6", "#d9c7a0", "#c3d6a8"], (255, 255, 255), (90, 90, 90)),
    "ink": (["#ffffff"], (0, 0, 0), (0, 0, 0)),
}
"""Style → the colours of regions, of the lines between them, and of letters."""


class Board:
    """A board of named regions between curves: the picture, and the region of each pixel (-1 for none)."""

    def __init__(self, style: str, columns: int, rows: int, seed: int, size: tuple[int, int] = (840, 600)) -> None:
        from PIL import Image, ImageDraw, ImageFilter, ImageFont

        fills, line, letters = STYLES[style]
        width, height = size
        random = np.random.default_rng(seed)
        spots = [
            ((column + 0.5 + random.uniform(-0.25, 0.25)) * width / columns, (row + 0.5) * height / rows)
            for row in range(rows)
            for column in range(columns)
        ]
        y, x = np.mgrid[0:height, 0:width]
        curved = x + 9 * np.sin(y / 31 + seed), y + 9 * np.cos(x / 37 + seed)
        self.labels: Any = np.argmin(np.stack([(curved[0] - a) ** 2 + (curved[1] - b) ** 2 for a, b in spots]), axis=0)
        colours = np.array([[int(fill[i : i + 2], 16) for i in (1, 3, 5)] for fill in fills], np.uint8)
        pixels = colours[self.labels % len(fills)]
        change = np.zeros((height, width), np.uint8)
        change[:-1][self.labels[:-1] != self.labels[1:]] = 255
        change[:, :-1][self.labels[:, :-1] != self.labels[:, 1:]] = 255
        pixels[np.asarray(Image.fromarray(change).filter(ImageFilter.MaxFilter(3))) > 0] = line
        self.picture = Image.fromarray(pixels)
        pen, font = ImageDraw.Draw(self.picture), ImageFont.load_default(15)
        for number, spot in enumerate(spots):
            pen.text(spot, f"Place {number}", fill=letters, font=font, anchor="mm")

    def framed(self) -> None:
        """Surrounds the board with a frame and paper."""
        from PIL import Image, ImageDraw

        whole = Image.new("RGB", (self.picture.width + 40, self.picture.height + 40), "white")
        whole.paste(self.picture, (20, 20))
        frame = (18, 18, self.picture.width + 21, self.picture.height + 21)
        ImageDraw.Draw(whole).rectangle(frame, outline=(60, 60, 60), width=3)
        self.picture, self.labels = whole, np.pad(self.labels, 20, constant_values=-1)

    def scanned(self) -> None:
        """Rotates the board slightly, blurs it, and adds noise and a shadow."""
        from PIL import Image, ImageFilter

        turned = self.picture.rotate(1.2, Image.Resampling.BICUBIC, fillcolor=(250, 250, 248))
        pixels = np.asarray(turned.filter(ImageFilter.GaussianBlur(1.0)), np.float32) * 0.94 + 6
        pixels += np.random.default_rng(7).normal(0, 7, pixels.shape)
        pixels *= (1 - 0.07 * np.arange(pixels.shape[1]) / pixels.shape[1])[None, :, None]
        self.picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        labels = Image.fromarray((self.labels + 1).astype(np.int32))
        self.labels = np.asarray(labels.rotate(1.2, Image.Resampling.NEAREST, fillcolor=0)) - 1

    def read(self, folder: Path, name: str = "board.png", **how: Any) -> DrawnMap:
        self.picture.save(folder / name, **how)
        return regions_of(read_picture(folder / name, Report()))

    def common(self, drawn: DrawnMap) -> list[float]:
        """The share of each region's points that are in its counterpart on the map."""
        from PIL import Image, ImageDraw

        scale = max(self.picture.size) / 1000
        numbers = Image.new("I", self.picture.size)
        pen = ImageDraw.Draw(numbers)
        outer = [max(rings_of(region.outline), key=lambda ring: abs(area(ring))) for region in drawn.regions]
        for i in sorted(range(len(outer)), key=lambda i: -abs(area(outer[i]))):
            pen.polygon([(x * scale, y * scale) for x, y in outer[i]], fill=i + 1)
        results = []
        for number in range(int(self.labels.max()) + 1):
            own = np.asarray(numbers)[self.labels == number]
            results.append(np.bincount(own, minlength=2)[1:].max() / len(own))
        return results


def borders(board: Board) -> set[frozenset[int]]:
    """The pairs of regions with a sufficiently long common border."""
    pairs: dict[frozenset[int], int] = {}
    for line in [*board.labels[::4], *board.labels.T[::4]]:
        for a, b in pairwise(line.tolist()):
            if a != b and min(a, b) >= 0:
                pairs[frozenset((a, b))] = pairs.get(frozenset((a, b)), 0) + 1
    return {pair for pair, length in pairs.items() if length >= 5}


def meeting(board: Board) -> set[frozenset[int]]:
    """The pairs of regions that meet or nearly meet, including corners."""
    far = board.labels[8:, 8:], board.labels[8:, :-8], board.labels[:-8, 8:], board.labels[:-8, :-8]
    most = int(board.labels.max()) + 2
    codes = (np.unique((one + 1) * most + other + 1) for one in far for other in far if one is not other)
    pairs = (divmod(int(code), most) for each in codes for code in each)
    return {frozenset(pair) for pair in pairs if 0 < min(pair) < max(pair)}


@pytest.mark.proof  # 1.3 s
def test_a_board_of_colours(tmp_path: Path) -> None:
    board = Board("lines", 4, 3, 1, (560, 400))
    board.framed()
    drawn = board.read(tmp_path)
    assert str(counts_of(drawn)).startswith("12 regions (named 12 by number), ")
    assert min(board.common(drawn)) > 0.95
    assert len({region.fill for region in drawn.regions}) == 6, "regions of one colour have one"
    touching = {frozenset((region.name, other)) for region in drawn.regions for other in region.touches}
    assert len(touching) >= len(borders(board))
    assert "margins along the edges of the picture" in drawn.notes.left_out


@pytest.mark.proof
@pytest.mark.parametrize("scan", [False, True])
@pytest.mark.parametrize("style, columns, rows", [("lines", 6, 4), ("gaps", 5, 4), ("ink", 5, 3)])
def test_three_styles_clean_and_as_a_scan(style: str, columns: int, rows: int, scan: bool, tmp_path: Path) -> None:
    for seed in range(2):
        board = Board(style, columns, rows, seed, (1260, 900))
        if seed or scan:  # without a frame, regions in ink are connected to the paper of the scan
            board.framed()
        if scan:
            board.scanned()
        drawn = board.read(tmp_path, "board.jpg", quality=75) if scan else board.read(tmp_path)
        assert len(drawn.regions) == columns * rows
        assert min(board.common(drawn)) > 0.9
        touching = {frozenset((region.name, other)) for region in drawn.regions for other in region.touches}
        assert len(borders(board)) <= len(touching) <= len(meeting(board))


@pytest.mark.proof
def test_a_picture_becomes_a_map_at_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its regions have numbers, one is excluded, and an updated picture is matched by outlines."""
    monkeypatch.chdir(tmp_path)
    board = Board("lines", 4, 3, 1)
    board.picture.save("board.png")
    done = CliRunner().invoke(cli, ["new", "isles", "--map", "board.png", "--not", "region 12"])
    assert done.exit_code == 0 and "read: 11 regions (named 11 by number)" in done.output, done.output
    assert "11 regions are named by number, because text in a picture is not read" in done.output
    assert CliRunner().invoke(cli, ["validate", "isles"]).exit_code == 0
    renamed = CliRunner().invoke(cli, ["edit", "isles", "--do", "rename region_5 marsh", "--yes"])
    assert renamed.exit_code == 0, renamed.output
    board.scanned()
    board.picture.save("board.png")
    done = CliRunner().invoke(cli, ["new", "isles", "--map", "board.png", "--update", "--yes"])
    assert "changed: marsh (its position, its outline)" in done.output, done.output
    wrong = CliRunner().invoke(cli, ["new", "other", "--map", "board.png", "--layer", "sea"])
    assert "a picture has no groups" in str(wrong.exception)


def refusal(folder: Path, data: bytes) -> str:
    (folder / "board.png").write_bytes(data)
    with pytest.raises(DiagnosticsError) as error:
        read_picture(folder / "board.png")
    (result,) = error.value.diagnostics
    assert result.code == "RS470" and result.help
    return result.message


def png(width: int, height: int, packed: bytes) -> bytes:
    """A PNG with a declared size, and compressed rows of one byte per pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def saved(picture: Image.Image, **how: Any) -> bytes:
    data = BytesIO()
    picture.save(data, "PNG", **how)
    return data.getvalue()


def test_pictures_that_are_none_are_refused_with_a_sentence(tmp_path: Path) -> None:
    bomb = png(30_000, 30_000, zlib.compress(bytes(1_000_000)))
    assert "it has more than 60,000,000 pixels: make it smaller" in refusal(tmp_path, bomb)


@pytest.mark.proof
def test_hostile_pictures_are_bounded(tmp_path: Path) -> None:
    from PIL import Image

    board = saved(Board("lines", 4, 3, 1).picture)
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (900, 900, 3), np.uint8))
    cases = {
        b"": "damaged or not a picture",
        b"\x89PNG\r\n\x1a\n": "damaged or not a picture",
        board[: len(board) // 2]: "damaged or not a picture",
        board[:300] + bytes(200) + board[500:]: "damaged or not a picture",
        png(7_000, 7_000, zlib.compress(bytes(1_000))): "damaged or not a picture",
        png(8_000, 8_000, zlib.compress(bytes(8_001 * 8_000))): "it has 8,000 by 8,000 pixels",
        png(60_000, 60, zlib.compress(bytes(60_001 * 60))): "it is too narrow for a board: 60,000 by 60 pixels",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>": "damaged or not a picture",
        saved(noise): "patches of even colour",
        saved(Image.new("RGB", (20, 20))): "20 by 20 pixels are too few for a board",
        bytes(33_000_000): "",
    }
    for data, said in cases.items():
        message = refusal(tmp_path, data)
        assert said in message, message
    (tmp_path / "board.png").write_bytes(png(7_000, 7_000, zlib.compress(bytes(7_001 * 7_000))))  # 49 MB in 48 KB
    assert len(read_picture(tmp_path / "board.png").shapes) == 1, "it is even as a whole"


def test_parts_of_a_picture(tmp_path: Path) -> None:
    """There are no group names, and excluding all regions leaves none."""
    board = Board("ink", 2, 1, 1, (300, 150))
    board.picture.save(tmp_path / "board.png")
    with pytest.raises(DiagnosticsError, match="no region of this picture is left"):
        read_picture(tmp_path / "board.png", part=Part(without=("region 1", "Region_2")))


@pytest.mark.parametrize("spread", [True, pytest.param(False, marks=pytest.mark.proof)])
def test_a_region_whose_colour_changes_is_said_to_be_several_perhaps(spread: bool, tmp_path: Path) -> None:
    """A colour gradient without a line may be two regions with a gap in the line between them."""
    from PIL import Image

    pixels = np.full((300, 600, 3), 230, np.uint8)
    ramp = np.linspace(60, 200, 400) if spread else np.full(400, 90)
    pixels[150:, 200:, 0], pixels[150:, 200:, 1], pixels[150:, 200:, 2] = ramp, 70, 260 - ramp
    pixels[148:152], pixels[:, 198:202] = 20, 20
    Image.fromarray(pixels).save(tmp_path / "board.png")
    report = Report()
    drawn = regions_of(read_picture(tmp_path / "board.png", report))
    assert len(drawn.regions) == 4
    said = [d.message for d in report.diagnostics if d.code == "RS471"]
    assert said == (["each of these may be several regions, because its colours differ: `region 4`"] if spread else [])
