"""`rulespec validate --overlays`: which of the overlays on offer go together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import GAME, write
from limits import soon

from rulespec.cli import further_checks
from rulespec.cli.main import run

PLAY = "procedure play():\n    turn()\n    end game\nprocedure turn(): pass\n"
OVERLAY = 'id: {0}\ntitle: O\nfor: small\nversion: "1"\n'
WRAP = "wrap procedure turn():\n    original()\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))


def offer(**rules: str) -> None:
    files = {"game.yaml": f"{GAME}overlays: [{', '.join(rules)}]\n", "rules/play.rules": PLAY}
    for name, text in rules.items():
        files |= {f"variants/{name}.yaml": OVERLAY.format(name), f"variants/{name}.rules": text}
    write(Path("one"), files)


def test_all_sets_of_a_few_overlays_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    offer(a=WRAP, b=WRAP, c=WRAP)
    assert run(["validate", "one", "--overlays"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "overlays: 3 on offer; checked 3 alone, 3 pairs, 1 larger sets, without games",
        "  all checked sets are compatible",
    ]


def test_sets_that_do_not_combine_are_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the larger set that holds them, nothing more is said."""
    offer(a="remove procedure turn\nprocedure play_on(): pass\n", b=WRAP, c=WRAP)
    # `a` alone leaves `play` with a call of nothing
    assert run(["validate", "one", "--overlays"]) == 1
    out = capsys.readouterr().out
    assert "checked 3 alone, 1 pairs, 0 larger sets" in out and "  not a: no procedure is called `turn`" in out
    offer(a="replace procedure turn(): end game\n", b="replace procedure turn(): pass\n" + WRAP, c=WRAP)
    assert run(["validate", "one", "--overlays", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)["rulesets"][0]["overlays"]
    assert result["checked"] == {"alone": 3, "pairs": 3, "larger": 0} and result["complete"]
    assert [(f["overlays"], f["code"]) for f in result["failed"]] == [(["a", "b"], "RS505")]


@pytest.mark.proof
def test_many_overlays_are_checked_within_bounds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(**dict.fromkeys((f"o{i}" for i in range(800)), WRAP))
    assert run(["validate", "one", "--overlays"]) == 1
    assert "RS217" in capsys.readouterr().err
    offer(**dict.fromkeys((f"o{i}" for i in range(200)), WRAP))
    with soon():
        assert run(["validate", "one", "--overlays"]) == 0
    out = capsys.readouterr().out
    counts = "200 on offer; checked 200 alone, 100 pairs, 0 larger sets, without games"
    assert f"{counts}; stopped after 300 sets" in out
    monkeypatch.setattr(further_checks, "MAX_SETS", 0)
    assert run(["validate", "one", "--overlays"]) == 0
    assert "checked 0 alone" in capsys.readouterr().out
