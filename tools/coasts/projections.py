"""Map projections from longitude and latitude to points, with extra room where a board needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Projection = Callable[[Points], Points]


def projection(how: dict[str, Any]) -> Projection:
    """The projection of a recipe."""
    if "cylinder" in how:
        return _cylinder(how["cylinder"], how.get("wider", []), how.get("taller", []))
    result = _conic(*how["conic"])
    return _lens(result, **how["lens"]) if "lens" in how else result


def _points(x: Points, y: Points) -> Points:
    return np.stack((x, y), axis=1)


def _conic(south: float, north: float, longitude: float, latitude: float) -> Projection:
    """Lambert's conformal conic projection, with two standard parallels and a centre."""
    low, high = math.radians(south), math.radians(north)
    slopes = math.tan(math.pi / 4 + high / 2) / math.tan(math.pi / 4 + low / 2)
    n = math.log(math.cos(low) / math.cos(high)) / math.log(slopes)
    scale = math.cos(low) * math.tan(math.pi / 4 + low / 2) ** n / n
    middle = scale / math.tan(math.pi / 4 + math.radians(latitude) / 2) ** n

    def points(at: Points) -> Points:
        turned = n * np.radians(at[:, 0] - longitude)
        far = scale / np.tan(math.pi / 4 + np.radians(np.clip(at[:, 1], -85, 85)) / 2) ** n
        return _points(far * np.sin(turned), far * np.cos(turned) - middle)

    return points


def _lens(plain: Projection, at: Sequence[float], radius: float, gain: float) -> Projection:
    """A magnification around a place, which leaves distant parts unchanged."""

    def points(of: Points) -> Points:
        off = plain(of) - plain(np.array([at], float))
        far = np.hypot(off[:, 0], off[:, 1])[:, None]
        wider: Points = off * (1 + gain * np.exp(-((far / radius) ** 2)))
        return wider

    return points


def _cylinder(seam: float, wider: Sequence[Sequence[float]], taller: Sequence[Sequence[float]]) -> Projection:
    """Gall's cylindrical projection, cut at a longitude; bands of degrees (centre, width, gain) are stretched."""
    xs, ys = np.linspace(0, 360, 3601), np.linspace(-90, 90, 1801)
    across, down = np.ones_like(xs), (1 + math.sqrt(2) / 2) / 2 / np.cos(np.radians(ys) / 2) ** 2
    for centre, width, gain in wider:
        across += gain * np.exp(-(((xs - (centre - seam) % 360) / width) ** 2))
    for centre, width, gain in taller:
        down += gain * np.exp(-(((ys - centre) / width) ** 2))
    x, y = (np.r_[0, np.cumsum((each[1:] + each[:-1]) / 2)] * 0.1 for each in (across, down))
    x *= 360 / x[-1] * math.sqrt(2) / 2
    y -= np.interp(0, ys, y)

    def points(at: Points) -> Points:
        return _points(np.interp(at[:, 0] - seam, xs, x), -np.interp(at[:, 1], ys, y))

    return points
