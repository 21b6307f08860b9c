"""A raster picture of a board as a sketch of a map, decoded and traced within limits in a separate process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.text_files import read_bytes
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.element_names import slug
from rulespec.drawing.reading.shapes import Shape, read_content
from rulespec.drawing.reading.sketch import Notes, Sketch
from rulespec.drawing.reading.svg_tree import tree_of
from rulespec.drawing.reading.traced import Patch, Traced, number_of
from rulespec.drawing.svg import Box, Point

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
_MAX_BYTES = 32_000_000
_SECONDS = 45.0
_SHOWN = 60
_LISTED = 12
_MISSING = "missing "
_HELP = "save it as PNG, some 2,000 pixels wide, with regions of even colour or between lines"


def read_picture(path: Path, report: Report | None = None, part: Part | None = None) -> Sketch:
    """The regions of a picture, numbered row by row: patches of a single colour, or areas between lines.

    Args:
        path: the file.
        report: receives warnings about regions that may actually be several regions (RS471).
        part: the regions to leave out, by number, such as `region 3`; a picture has no groups.

    Raises:
        DiagnosticsError: RS470 if it cannot be traced, RS904 if it lacks a region named in `part`.
    """
    file, part = str(path), part or Part()
    try:
        data = read_bytes(path, file, _MAX_BYTES)
    except DiagnosticsError as error:
        (wrong,) = error.diagnostics
        raise failure("RS470", wrong.message, _place(file), wrong.help) from None
    result = _traced(file, data)
    numbers = _remaining(file, result.patches, part)
    outlines = _outlines(file, result.svg, len(result.patches))
    if report is not None:
        _warn(report, file, [number for number in numbers if result.patches[number - 1].mixed])
    shapes = [
        Shape(f"region {number}", outlines[number], 1, own=False, fill=result.patches[number - 1].colour)
        for number in numbers
    ]
    box = Box((0, 0, *result.size))
    return Sketch(shapes, [""] * len(shapes), box, file, Notes(_left_out(result), pictured=True))


def _place(file: str) -> Span:
    return Span(file, 1, 1, 1, 2)


def _refused(file: str, reason: str, help_: str = _HELP) -> DiagnosticsError:
    return failure("RS470", f"this picture cannot be read: {reason}", _place(file), help=help_)


def _traced(file: str, data: bytes) -> Traced:
    """The result of the tracing process, whose memory and time are limited; this side limits its time too."""
    command = [sys.executable, "-m", "rulespec.drawing.reading.traced"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _refused(file, f"it takes longer than {_SECONDS:.0f} seconds") from None
    try:
        result = msgspec.json.decode(done.stdout, type=Traced)
    except msgspec.DecodeError:
        raise _refused(file, "it takes too much memory or time, or is damaged") from None
    if result.refused.startswith(_MISSING):
        raise _refused(file, "tracing needs its extra", 'pip install "rulespec[trace]"')
    if result.refused:
        raise _refused(file, result.refused)
    return result


def _remaining(file: str, patches: Sequence[Patch], part: Part) -> list[int]:
    """The numbers of the regions that are not excluded."""
    chosen, without = part.named()
    known = {slug(f"region {number}"): number for number in range(1, len(patches) + 1)}
    report = Report()
    for name in sorted(chosen):
        message = f"--layer names `{name[:_SHOWN]}`, but a picture has no groups"
        report.error("RS904", message, _place(file), help="exclude regions with --not, such as `--not 'region 3'`")
    for name in sorted(without - known.keys()):
        message = f"--not names `{name[:_SHOWN]}`, but the picture has no region with that name"
        help_ = f"name one of `region 1` to `region {len(patches)}`, which are numbered row by row"
        report.error("RS904", message, _place(file), help=help_)
    report.raise_if_errors()
    numbers = [number for name, number in known.items() if name not in without]
    if not numbers:
        raise failure(
            "RS562", "no region of this picture is left", _place(file), help="exclude fewer regions with --not"
        )
    return numbers


def _outlines(file: str, svg: str, count: int) -> dict[int, list[list[Point]]]:
    """The outlines of patches by number; in a traced picture, the colour of a path encodes the number."""
    results: dict[int, list[list[Point]]] = {number: [] for number in range(1, count + 1)}
    for piece in read_content(tree_of(svg.encode(), file), Part()).pieces:
        number = number_of(piece.shape.fill)
        if number in results:
            results[number] += piece.shape.outlines
    return results


def _warn(report: Report, file: str, mixed: Sequence[int]) -> None:
    """Warns of regions with very different colours, as a gap in a line causes."""
    if mixed:
        names = ", ".join(f"`region {number}`" for number in mixed[:_LISTED])
        message = f"each of these may be several regions, because its colours differ: {names}"
        help_ = "close the lines between them in the picture, or draw the outlines in `rulespec edit`"
        report.warning("RS471", message, _place(file), help=help_)


def _left_out(result: Traced) -> dict[str, list[int]]:
    """The parts of a picture that are not regions."""
    parts = {
        f"lines and letters, {100 * result.ink:.0f} % of the picture, which are parts of the regions around them": 1,
        "patches that are too small for a region": result.specks,
        "margins along the edges of the picture": result.margins,
    }
    return {what: [1] * number for what, number in parts.items() if number}
