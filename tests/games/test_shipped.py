"""Every ruleset that is shipped, alone and with each overlay that it offers, is sound and is tested.

RULESPEC_PAIRS=1 also tries every two overlays together: they are sound without a warning, or they are refused.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from functools import cache

import pytest
from folders import shipped_files
from shipped import NAMES, OFFERED, loaded

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.load import load_ruleset
from rulespec.references import find_ruleset

REFS = [*NAMES, *OFFERED]


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.sampled(5)
def test_it_is_sound_without_a_warning(ref: str) -> None:
    assert loaded(ref)[1].diagnostics == ()


@cache
def included() -> set[str]:
    """The overlays that others include."""
    overlays = [to_plain(read_yaml(p, str(p))) for p in shipped_files("variants/*.yaml")]
    return {name for overlay in overlays for name in overlay.get("includes", [])}


@pytest.mark.parametrize("name", NAMES)
def test_what_lies_in_variants_is_offered_or_included_or_named_by_a_dialect(name: str) -> None:
    files = {p.stem for p in (find_ruleset(name) / "variants").glob("*.yaml")}
    dialects = [read_dialect(p) for p in (find_ruleset(name) / "dialects").glob("*.yaml")]
    passing = {fault.overlay for dialect in dialects for fault in dialect.known_faults}
    assert files - set(loaded(name)[0].offered) <= included() | passing


def test_what_is_extended_does_not_offer_its_overlays_further() -> None:
    assert loaded("imperial")[0].offered
    assert [f"{name}+{overlay}" for name in NAMES for overlay in loaded(name)[0].offered] == OFFERED
    assert loaded("tutorial")[0].offered == ()


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.sampled(3)
def test_it_has_scenarios(ref: str) -> None:
    """The scenarios of an overlay stand where it does: an overlay of Imperial is tested on the map of Imperial."""
    name, _, overlay = ref.partition("+")
    if not overlay or (find_ruleset(name) / "variants" / f"{overlay}.yaml").exists():
        report = Report()
        assert any(True for _ in suite_scenarios(loaded(ref)[0], report))
        assert report.ok


@pytest.mark.skipif("RULESPEC_PAIRS" not in os.environ, reason="long: set RULESPEC_PAIRS=1")
@pytest.mark.parametrize("name", NAMES)
def test_two_overlays_are_sound_together_or_refused(name: str) -> None:
    for one, other in itertools.combinations(loaded(name)[0].offered, 2):
        report = Report()
        with contextlib.suppress(DiagnosticsError):
            load_ruleset(f"{name}+{one}+{other}", report)
        assert report.diagnostics == () or not report.ok, (one, other, report.diagnostics)
