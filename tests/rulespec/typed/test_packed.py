"""A checked ruleset comes out of the cache as it went in: the same graph, and nothing but records."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT, RULESETS
from msgspec import Struct

from rulespec.check.passes import check_source
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset, load_source
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import meaning_hash
from rulespec.typed.packed import Checked, PackedRuleset, pack
from rulespec.types import INT

REFS = ["imperial+playimperial", "tutorial", "chess", "shadow_of_the_emperor", "tetrarchia+el_grande", "nim"]
SPAN = Span("f", 1, 1, 1, 2)


def checked(ref: str) -> Checked:
    declarations, rules = check_source(load_source(ref, Report()).source, Report(), lints=False)
    return "", declarations, rules


def alike(one: Any, other: Any, pairs: dict[int, int]) -> bool:
    """Whether two graphs have one form: where one refers to a record twice, so does the other."""
    rest = [(one, other)]
    while rest:
        a, b = rest.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, Struct):
            if not a.__struct_config__.frozen:
                if id(a) in pairs:
                    if pairs[id(a)] != id(b):
                        return False
                    continue
                pairs[id(a)] = id(b)
            rest += [(getattr(a, name), getattr(b, name)) for name in a.__struct_fields__]
        elif isinstance(a, dict):
            rest += [(list(a), list(b)), (list(a.values()), list(b.values()))]
        elif isinstance(a, list | tuple):
            if len(a) != len(b):
                return False
            rest += zip(a, b, strict=True)
        elif a != b:
            return False
    return True


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.sampled(1)
def test_a_ruleset_comes_back_as_it_was(ref: str) -> None:
    before = checked(ref)
    again = PackedRuleset().decode(pack(before))
    pairs: dict[int, int] = {}
    assert alike(before, again, pairs) and len(pairs) == len(set(pairs.values())) > 20
    assert meaning_hash("play", *before[1:]) == meaning_hash("play", *again[1:])


def test_a_record_that_is_referred_to_twice_stays_one() -> None:
    _, declarations, rules = PackedRuleset().decode(pack(checked("chess")))
    names = {id(field) for field in declarations.fields.values()}
    names |= {id(field) for kind in declarations.kinds.values() for field in kind.state.values()}
    used = [part.decl for part in _parts((declarations, rules)) if isinstance(part, typed.Field)]
    assert used and all(id(field) in names for field in used)


def _parts(root: Any) -> list[Any]:
    results: dict[int, Any] = {}
    rest = [root]
    while rest:
        part = rest.pop()
        if id(part) not in results:
            results[id(part)] = part
            if isinstance(part, Struct):
                rest += [getattr(part, name) for name in part.__struct_fields__]
            elif isinstance(part, dict):
                rest += [*part, *part.values()]
            elif isinstance(part, list | tuple | set):
                rest += part
    return list(results.values())


class _Harm:
    def __reduce__(self) -> Any:
        return os.system, ("true",)


@pytest.mark.parametrize("value", [_Harm(), Path("x"), print, os.system, Report, 5, ()])
def test_nothing_but_records_comes_out_of_bytes(value: Any) -> None:
    with pytest.raises(ValueError):
        PackedRuleset().decode(pickle.dumps(([], [], value) if value not in (5, ()) else value))


@pytest.mark.parametrize("end", [0, 1, 100, -1])
def test_bytes_that_are_cut_are_none(end: int) -> None:
    with pytest.raises(ValueError):
        PackedRuleset().decode(pack(checked(str(RULESETS / "nim")))[:end])


def test_what_nests_too_deep_is_not_packed() -> None:
    e: typed.Expr = typed.Lit(INT, SPAN, 1)
    for _ in range(5_000):
        e = typed.Op(INT, SPAN, "neg", (e,))
    declarations = typed.Declarations()
    declarations.constants["a"] = e  # type: ignore[assignment]
    assert pack(("", declarations, typed.Rules())) == b""


LOADS = """
import sys
from rulespec.cli.main import run
for words in (["validate", "--no-play", "REF"], ["draw", "chess", "--out", "board.svg"]):
    assert run(words) == 0
print(*(name for name in sys.modules if name.startswith("rulespec.check")))
"""


@pytest.mark.proof  # 0.7 s
def test_a_cached_load_imports_no_checker(tmp_path: Path) -> None:
    env = {**os.environ, "RULESPEC_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-c", LOADS.replace("REF", str(RULESETS / "nim"))]
    last = ""
    for _ in range(2):
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=True)
        last = done.stdout.splitlines()[-1]
    assert last == ""
    assert load_ruleset(str(RULESETS / "nim")).hash
