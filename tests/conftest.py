"""What tests share: a folder of kept results for a whole run, and none of the user's; games under each backend."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from cases import small
from worlds import Play

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers inherit the environment of the process that starts them
        os.environ["RULESPEC_CACHE"] = tempfile.mkdtemp(prefix="rulespec-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["RULESPEC_CACHE"], ignore_errors=True)


@pytest.fixture(params=["python", "interpreter"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """Starts a game of a ruleset that is given as text."""
    backend: Backend = request.param

    def start(text: str, seats: str = "ann bob", overlays: str = "", **options: str | bool) -> Game:
        return Game(small(tmp_path / "small", text, overlays), seats.split(), options, backend)

    return start
