"""Region tracing in a raster picture, run in a separate process: evenly coloured patches between lines become outlines.

Lines and letters are thin, while regions are not. An evenly coloured patch that contains a disc of a certain size is
therefore a region, and every other pixel belongs to the nearest region.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    Pixels = NDArray[np.float32]
    Labels = NDArray[np.int32]

SIZE = 1000
"""The longer side of the picture while it is traced, in pixels."""
MOST_PIXELS = 60_000_000
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
MOST_PATCHES = 400
_MEMORY, _SECONDS = 2_000_000_000, 40
_LEAST_SIDE = 40
_SLENDER = 20  # greatest ratio of length to width
_RADIUS = 6.0  # pixels: radius of the disc that fits into a region
_SPECK = 60  # pixels: least size of a patch reported as skipped, rather than part of a letter
_CORE = 2.0  # pixels: patches joined by less than twice this width are separate, as lines in scans have gaps
_EVEN = 8.0  # colour values per pixel: steepest slope inside a patch
_ALIKE, _ONE_COLOUR = 14.0, 26.0
"""Colour distances: between patches that may be one region, and between regions displayed in one colour."""
_INK, _DRAWN = 25.0, 0.9
"""The colour distance between a line and its surroundings, and the least share of a border covered by a line."""
_MARGIN, _EDGE = 0.04, 0.3
"""The maximum thickness of a margin relative to the shorter side, and the least share of its boundary on the picture's
edge."""
_SPREAD = 30.0
_PATH, _BLACK = re.compile(r"<path [^>]*/>"), "#000000"


class Patch(Struct, frozen=True):
    """A traced region of a picture: its colour as `#rrggbb`, its pixels, and whether its colours vary widely."""

    colour: str
    pixels: int
    mixed: bool = False


class Traced(Struct, frozen=True):
    """A picture with its traced regions.

    Attributes:
        refused: the reason why the picture was refused; "" if it was traced.
        size: width and height of the traced picture.
        svg: one or more paths for each patch, whose `fill` is the patch number in hexadecimal.
        patches: the regions.
        specks: the number of patches too small for a region.
        ink: the share of the picture that is lines, letters and specks.
        margins: the number of omitted margins.
        merged: the number of patches merged into others.
    """

    refused: str = ""
    size: tuple[int, int] = (0, 0)
    svg: str = ""
    patches: list[Patch] = []
    specks: int = 0
    ink: float = 0.0
    margins: int = 0
    merged: int = 0


class RefusedPictureError(Exception):
    """The picture cannot be traced; the text is the reason."""


def traced(data: bytes) -> Traced:
    """The regions of a picture.

    Raises:
        RefusedPictureError: if it cannot be decoded, is too large, or has too many patches.
    """
    pixels = _decoded(data)
    return _Tracing(pixels).result()


def _decoded(data: bytes) -> Pixels:
    """The decoded colours of a picture, scaled to `SIZE`: shape (rows, columns, 3), values from 0 to 255."""
    import numpy as np
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        image: Image.Image = Image.open(BytesIO(data), formats=FORMATS)
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise RefusedPictureError(f"it has {width:,} by {height:,} pixels: make it smaller, such as 2,000 wide")
        if min(width, height) < _LEAST_SIDE:
            raise RefusedPictureError(f"its {width:,} by {height:,} pixels are too few for a board")
        if max(width, height) > _SLENDER * min(width, height):
            raise RefusedPictureError(f"it is too narrow for a board: {width:,} by {height:,} pixels")
        image.draft("RGB", (2 * SIZE, 2 * SIZE))
        image = _on_white(image)
    except RefusedPictureError:
        raise
    except Image.DecompressionBombError:
        raise RefusedPictureError(f"it has more than {MOST_PIXELS:,} pixels: make it smaller") from None
    except MemoryError:
        raise
    except Exception as error:
        raise RefusedPictureError(f"it is damaged or not a picture: {' '.join(str(error).split())[:120]}") from None
    scale = SIZE / max(image.size)
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    image = image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return np.asarray(image, np.float32)


def _on_white(image: Image.Image) -> Image.Image:
    """A picture rotated according to its metadata, on a white background."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.has_transparency_data:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return image.convert("RGB")


class _Tracing:
    """The working state of a trace."""

    def __init__(self, pixels: Pixels) -> None:
        import numpy as np
        from PIL import Image, ImageFilter

        image = Image.fromarray(pixels.astype(np.uint8))
        calm = image.filter(ImageFilter.MedianFilter(5))
        self.rgb: Pixels = np.asarray(calm, np.float32)
        self.height, self.width = self.rgb.shape[:2]
        self.specks = self.margins = self.merged = 0
        self.ink = 0.0

    def result(self) -> Traced:
        """Traces the picture."""
        labels = self._filled(self._seeds())
        labels = self._whole(self._without_margins(self._joined(labels)))
        count = int(labels.max())
        if not 0 < count <= MOST_PATCHES:
            number = f"more than {MOST_PATCHES}" if count else "no"
            raise RefusedPictureError(f"it has {number} patches of even colour, so it cannot be a drawing of a board")
        patches = [*self._patches(labels, count)]
        size = (self.width, self.height)
        return Traced("", size, _outlined(labels), patches, self.specks, self.ink, self.margins, self.merged)

    def _seeds(self) -> Labels:
        """Patches of even colour that contain a disc, labelled from 1."""
        import numpy as np
        from scipy import ndimage

        slope = np.max([ndimage.gaussian_gradient_magnitude(self.rgb[..., c], 1.0) for c in range(3)], axis=0)
        even = slope < _EVEN
        depth = ndimage.distance_transform_edt(np.pad(even, 1, mode="edge"))[1:-1, 1:-1]
        labels, count = ndimage.label(depth > _CORE)
        numbers = np.arange(1, count + 1)
        deepest = np.asarray(ndimage.maximum(depth, labels, numbers))
        sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
        large = deepest >= _RADIUS
        self.specks = int(np.sum(~large & (sizes >= _SPECK)))
        new = np.zeros(count + 1, np.int32)
        new[1:][large] = np.arange(1, int(large.sum()) + 1)
        results: Labels = new[labels]
        self.ink = round(float(np.mean(results == 0)), 3)
        return results

    def _filled(self, labels: Labels) -> Labels:
        """Labels, with each 0 replaced by the label of the nearest patch."""
        from scipy import ndimage

        if not labels.any():
            return labels
        nearest = ndimage.distance_transform_edt(labels == 0, return_distances=False, return_indices=True)
        results: Labels = labels[tuple(nearest)]
        return results

    def _colours(self, labels: Labels, count: int) -> Pixels:
        """The colour of each patch, including 0: the median of its pixels away from the boundary."""
        import numpy as np
        from scipy import ndimage

        inner = np.where(ndimage.minimum_filter(labels, 5) == ndimage.maximum_filter(labels, 5), labels, -1)
        results = np.zeros((count + 1, 3), np.float32)
        for number, place in enumerate(ndimage.find_objects(labels), 1):
            own = self.rgb[place][inner[place] == number] if place is not None else ()
            if len(own):
                results[number] = np.median(own, axis=0)
        return results

    def _joined(self, labels: Labels) -> Labels:
        """Labels, with patches of one colour merged unless a line separates them."""
        import numpy as np

        count = int(labels.max())
        colours = self._colours(labels, count)
        lined: dict[tuple[int, int], list[int]] = {}
        for a, b, y, x in self._bounds(labels):
            if float(np.linalg.norm(colours[a] - colours[b])) < _ALIKE:
                around = self.rgb[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3].reshape(-1, 3)
                far = np.linalg.norm(around - colours[a], axis=1).max() > _INK
                pair = lined.setdefault((a, b), [0, 0])
                pair[0] += bool(far)
                pair[1] += 1
        to = [*range(count + 1)]
        for (a, b), (ink, length) in lined.items():
            if ink < _DRAWN * length:
                self.merged += 1
                to[_end(to, b)] = _end(to, a)
        return _numbered(np.asarray([_end(to, n) for n in to], np.int32)[labels])

    def _bounds(self, labels: Labels) -> Iterator[tuple[int, int, int, int]]:
        """The pixels where two patches meet: both labels in ascending order, row and column."""
        import numpy as np

        for axis in (0, 1):
            one, other = (labels[:-1], labels[1:]) if axis == 0 else (labels[:, :-1], labels[:, 1:])
            rows, columns = np.nonzero(one != other)
            for y, x in zip(rows.tolist(), columns.tolist(), strict=True):
                a, b = int(one[y, x]), int(other[y, x])
                yield min(a, b), max(a, b), y, x

    def _without_margins(self, labels: Labels) -> Labels:
        """Labels, with 0 for thin patches along the picture's edges, such as paper around a board."""
        import numpy as np
        from scipy import ndimage

        count, thick = int(labels.max()), _MARGIN * min(self.width, self.height)
        edge = np.zeros(labels.shape, bool)
        edge[0] = edge[-1] = edge[:, 0] = edge[:, -1] = True
        new = np.arange(count + 1, dtype=np.int32)
        for number, place in enumerate(ndimage.find_objects(labels), 1):
            if place is None:
                continue
            own = labels[place] == number
            outer = int(np.sum(own & edge[place]))
            if not outer or ndimage.distance_transform_edt(np.pad(own, 1)).max() > thick:
                continue
            rim = int(np.sum(own & ~ndimage.binary_erosion(own)))
            if outer >= _EDGE * rim:
                new[number] = 0
                self.margins += 1
        return _numbered(new[labels])

    def _whole(self, labels: Labels) -> Labels:
        """Labels with connected patches: the largest part of each stays, and the others join their neighbours."""
        import numpy as np
        from scipy import ndimage

        results = labels.copy()
        for number, place in enumerate(ndimage.find_objects(labels), 1):
            if place is None:
                continue
            parts, count = ndimage.label(labels[place] == number)
            if count > 1:
                sizes = np.bincount(parts.ravel())
                sizes[0] = 0
                results[place][(parts > 0) & (parts != sizes.argmax())] = -1
        away = results < 0
        if away.any():
            nearest = ndimage.distance_transform_edt(away, return_distances=False, return_indices=True)
            results = results[tuple(nearest)]
        return results

    def _patches(self, labels: Labels, count: int) -> Iterator[Patch]:
        """The regions; nearly equal colours become one."""
        import numpy as np
        from scipy import ndimage

        colours, sizes = self._colours(labels, count), np.bincount(labels.ravel(), minlength=count + 1)
        known: list[Any] = []
        chosen: dict[int, Any] = {}
        for number in sorted(range(1, count + 1), key=lambda n: -sizes[n]):
            near = next((c for c in known if float(np.linalg.norm(c - colours[number])) < _ONE_COLOUR), None)
            if near is None:
                known.append(near := colours[number])
            chosen[number] = near
        spread = np.zeros(count + 1)
        for number, place in enumerate(ndimage.find_objects(labels), 1):
            if place is not None:
                own = self.rgb[place][labels[place] == number] - colours[number]
                far = np.linalg.norm(own, axis=1)
                spread[number] = np.quantile(far, 0.75)
        for number in range(1, count + 1):
            red, green, blue = (int(c) for c in chosen[number])
            yield Patch(f"#{red:02x}{green:02x}{blue:02x}", int(sizes[number]), bool(spread[number] > _SPREAD))


def _end(to: list[int], number: int) -> int:
    while to[number] != number:
        number = to[number]
    return number


def _numbered(labels: Labels) -> Labels:
    """Labels renumbered from 1 in order of appearance, row by row; 0 stays."""
    import numpy as np

    values, first = np.unique(labels, return_index=True)
    order = [int(value) for _, value in sorted(zip(first, values, strict=True)) if value]
    new = np.zeros(int(labels.max()) + 1, np.int32)
    new[order] = np.arange(1, len(order) + 1)
    results: Labels = new[labels]
    return results


def _outlined(labels: Labels) -> str:
    """The outlines of patches along their pixels, as an SVG drawing.

    Each patch is traced separately, in black on white, since vtracer would merge similar colours.
    """
    import numpy as np
    from scipy import ndimage

    parts = []
    for number, place in enumerate(ndimage.find_objects(labels), 1):
        if place is not None:
            own = np.pad(labels[place] == number, 1)
            at = f"translate({place[1].start - 1},{place[0].start - 1})"
            paths = "".join(path.replace(_BLACK, f"#{number:06x}") for path in _paths(own) if _BLACK in path)
            parts.append(f'<g transform="{at}">{paths}</g>')
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'


def _paths(own: NDArray[np.bool_]) -> list[str]:
    """The path elements of a patch and of the background around it."""
    import numpy as np
    import vtracer
    from PIL import Image

    picture = BytesIO()
    Image.fromarray(np.where(own, 0, 255).astype(np.uint8)).convert("RGB").save(picture, "PNG")
    svg = vtracer.convert_raw_image_to_svg(
        picture.getvalue(),
        img_format="png",
        colormode="color",
        hierarchical="cutout",
        mode="none",
        filter_speckle=0,
        color_precision=8,
        layer_difference=0,
        path_precision=0,
    )
    return _PATH.findall(str(svg))


def number_of(fill: str) -> int:
    """The number of a patch, which the `fill` of its path encodes."""
    return int(fill[1:], 16)


def main() -> None:
    """Traces the picture from standard input, and writes the result to standard output as JSON."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    try:
        result = traced(sys.stdin.buffer.read())
    except RefusedPictureError as error:
        result = Traced(str(error))
    except ModuleNotFoundError as error:
        result = Traced(f"missing {error.name}")
    except MemoryError:
        result = Traced("it takes too much memory")
    sys.stdout.buffer.write(msgspec.json.encode(result))


if __name__ == "__main__":
    main()
