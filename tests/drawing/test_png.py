"""PNG is made from our own SVG, with its size checked first."""

from __future__ import annotations

import sys

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.picture_files import MAX_SIDE, to_png
from rulespec.drawing.scene import Scene, SceneItem


def scene(width: float) -> Scene:
    return Scene(width, 40, "A board", "Empty.", (SceneItem("a", "areas", '<rect width="9" height="9"/>'),), ())


def test_a_scene_becomes_a_png() -> None:
    pytest.importorskip("resvg_py")
    picture = to_png(scene(60), scale=2)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (120, 80)


@pytest.mark.parametrize("width", [MAX_SIDE + 1, 10**6, 10**12])
def test_a_picture_that_is_too_large_is_refused(width: int) -> None:
    with pytest.raises(DiagnosticsError, match="RS557"):
        to_png(scene(width))


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(DiagnosticsError, match="RS556") as raised:
        to_png(scene(60))
    assert "rulespec[draw]" in raised.value.diagnostics[0].help
