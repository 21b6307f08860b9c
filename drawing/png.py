"""Pictures as PNG, rendered by resvg from our own SVG only, since other SVG could reference files."""

from __future__ import annotations

from rulespec.diagnostics.report import failure
from rulespec.drawing.scene import Scene, to_svg

MAX_SIDE = 8_000
"""The maximum width and height in pixels; a width of a million would crash the process."""


def to_png(scene: Scene, scale: float = 1.0) -> bytes:
    """The picture as a PNG.

    Raises:
        DiagnosticsError: RS557 if it is too large, RS556 if its library is missing.
    """
    width, height = round(scene.width * scale), round(scene.height * scale)
    if not 0 < max(width, height) <= MAX_SIDE:
        message = f"a picture of {width} by {height} pixels has more than {MAX_SIDE} on a side"
        raise failure("RS557", message, None, help="write SVG, which has no pixels")
    try:
        import resvg_py
    except ImportError:
        help_ = "pip install rulespec[draw], or write SVG"
        raise failure("RS556", "PNG needs the library resvg-py", None, help=help_) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=to_svg(scene), width=width, height=height))
