"""Bots that think play in a process of their own, and a table waits for them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from deadlines import until
from servers import Client, served

from rulespec.bundles.rules import bundle_of
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset
from rulespec.serve.past_process import PastGame
from rulespec.serve.thinking import BotQuestion, answer

pytest.importorskip("wasmtime")
pytestmark = pytest.mark.usefixtures("known_rulesets")


def test_a_bot_that_thinks_answers(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2, bots={"B": "flat:64"}) as (hall, keys, url, _):
        ann = Client(url, keys["seat:A"])
        ann.send(do="name", name="Ann")
        ann.wait(lambda: ann.options)
        ann.take("take(2)")
        ann.wait(lambda: ann.state["count"] == 2 and ann.options)
        assert hall.faults == {} and ann.state["seats"][1]["bot"] == "flat:64"


@pytest.mark.proof
def test_a_bot_that_fails_plays_at_random(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2, bots={"B": "no_such_bot"}) as (_, keys, url, _):
        ann = Client(url, keys["seat:A"])
        ann.send(do="name", name="Ann")
        ann.wait(lambda: ann.options)
        ann.take("take(2)")
        ann.wait(lambda: ann.state["count"] == 2)
        assert ann.state["seats"][1]["bot"] == "random"


def test_a_bot_follows_a_game_that_has_taken_back() -> None:
    ruleset, rng = load_ruleset("nim"), random.Random(1)
    game, bundle = Game(ruleset, "AB"), bundle_of(ruleset)
    for _ in range(12):
        if game.is_over or (game.ply and rng.random() < 0.3):
            game.undo()
        elif game.decision is not None and game.decision.by == "B":
            text = answer(BotQuestion(PastGame.of("g", bundle, game), "B", "random", 1))
            assert game.is_legal(game.parse(text))
            game.apply(game.parse(text))
        else:
            game.apply(rng.choice(list(game.legal_options)))


@pytest.mark.proof
def test_the_process_ends_with_a_server_that_is_killed() -> None:
    text = "import os; from rulespec.serve.thinking import Thinking; print(Thinking().ask(os.getpid).result()); input()"
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        number = int(server.stdout.readline())
        os.kill(number, 0)
        server.kill()

    def has_ended() -> bool:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        return False

    try:
        until(has_ended, lambda: "it goes on without its server")
    finally:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
