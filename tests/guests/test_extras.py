"""Extras: what nobody has asked for is not imported, and what is missing is named."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT

import rulespec.guests
from rulespec.cli.main import run

FOREIGN = {
    "gymnasium": {"guests/aec.py", "guests/gym.py"},
    "pettingzoo": {"guests/aec.py"},
    "pyspiel": {"guests/spiel.py"},
    "mcp": {"guests/mcp_server.py"},
    "mcp_types": {"guests/mcp_server.py"},
    "anyio": {"guests/mcp_server.py"},
}
"""Libraries of extras, and the modules that import them."""
ROOMS = ("engine", "drawing", "cli", "lsp", "pages", "serve", "guests")


_IMPORT = re.compile(r"^( *)(?:import|from) ([\w.]+)", re.MULTILINE)


def test_extras_are_imported_by_their_own_modules_alone() -> None:
    importers: dict[str, set[str]] = {name: set() for name in FOREIGN}
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for indent, name in _IMPORT.findall(path.read_text("utf-8")):
            if name.partition(".")[0] in FOREIGN:
                importers[name.partition(".")[0]].add(file)
            if name.startswith("rulespec.guests") and not file.startswith("guests/"):
                assert indent, f"{file} imports {name} at once"
    assert importers == FOREIGN


@pytest.mark.parametrize("name", ["aec_env", "SeatEnv", "load_game"])
def test_a_missing_library_is_named_with_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [m for m in sys.modules if m.partition(".")[0] in FOREIGN or m in _OWN]:
        monkeypatch.delitem(sys.modules, module)
    for module in FOREIGN:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(rulespec.guests.__dict__, name, raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rulespec\[rl\]'"):
        getattr(rulespec.guests, name)


_OWN = {f"rulespec.guests.{name}" for name in ("aec", "gym", "spiel", "mcp_server")}


def test_agents_need_their_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    for module in [m for m in sys.modules if m.partition(".")[0] in FOREIGN or m in _OWN]:
        monkeypatch.delitem(sys.modules, module)
    for module in FOREIGN:
        monkeypatch.setitem(sys.modules, module, None)
    assert run(["mcp", "--folder", str(tmp_path)]) != 0
    assert 'pip install "rulespec[mcp]"' in capsys.readouterr().err


def test_every_name_is_there() -> None:
    assert set(rulespec.guests._HOME) == set(rulespec.guests.__all__)
    with pytest.raises(AttributeError):
        rulespec.guests.nothing  # noqa: B018
