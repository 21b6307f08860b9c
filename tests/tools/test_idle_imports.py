"""The tool that lists modules which a command imports for nothing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tools.idle_imports import Tracer, idle_imports, used

MODULES = {
    "entry": """
        import idle_alone, named_by_a_function
        from base_of_a_class import Base
        from called_at_the_own_level import made
        from idle_unless_asked import never
        from named_alone import LIMIT
        class Own(Base): pass
        TABLE = made()
        def run():
            from imported_later import later
            return LIMIT, named_by_a_function.NUMBER, later()
        def other():
            return never()
    """,
    "named_by_a_function": "NUMBER = 1",
    "named_alone": "LIMIT = 2",
    "base_of_a_class": "class Base: pass",
    "called_at_the_own_level": "def made(): return {}",
    "imported_later": "def later(): return 3",
    "idle_alone": "import idle_below\nTABLE = idle_below.made()",
    "idle_below": "def made(): return {}",
    "idle_unless_asked": "def never(): return 4",
}


def test_a_module_is_idle_if_nothing_of_it_is_called_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in MODULES.items():
        lines = text.strip("\n").split("\n")
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        (tmp_path / f"{name}.py").write_text("\n".join(line[indent:] for line in lines) + "\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    tracer, before = Tracer(), sys.getprofile()
    sys.setprofile(tracer)
    try:
        importlib.import_module("entry").run()
    finally:
        sys.setprofile(before)
    in_use = used(tracer) & MODULES.keys()
    for name in MODULES:
        del sys.modules[name]
    assert in_use == {name for name in MODULES if not name.startswith("idle")}


@pytest.mark.proof
def test_the_list_of_games_has_idle_modules_of_other_packages() -> None:
    idle = {each.module for each in idle_imports("games", "", 1)}
    assert "click" not in idle and "rulespec.cli.games" not in idle
    assert not any(name.startswith("rulespec.check") for name in idle)
