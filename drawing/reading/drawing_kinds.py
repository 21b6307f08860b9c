"""Supported map file formats, by extension."""

from __future__ import annotations

from pathlib import Path

from rulespec.diagnostics.report import Report
from rulespec.drawing.reading import geo
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.sketch import Sketch, read_sketch
from rulespec.drawing.reading.traced_board import SUFFIXES, read_picture

_OF_DRAWINGS = (".svg", ".svgz")
DRAWINGS = (*_OF_DRAWINGS, *geo.SUFFIXES, *SUFFIXES)
"""The supported extensions, in lower case."""
MOST_BYTES = geo.MAX_BYTES
"""The size limit of the largest format in bytes; each format has its own limits."""


def read_source(path: Path, report: Report | None = None, part: Part | None = None) -> Sketch:
    """The shapes of a drawing, a picture, or geographic data; arguments and errors are those of `read_sketch`."""
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return read_picture(path, report, part)
    return read_sketch(path, report, part) if suffix in _OF_DRAWINGS else geo.read_geo(path, part)
