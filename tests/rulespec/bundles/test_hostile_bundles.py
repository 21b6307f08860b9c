"""Untrusted bundles: refused within bounded time and memory, or marked as the rules in the log."""

from __future__ import annotations

import base64
import hashlib
import json
import resource
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import invoke, spoken
from folders import GAMES, RULESETS
from limits import soon

from rulespec.bundles.packed_bundle import MAX_PACKED, MAX_UNPACKED, Bundle, unpacked
from rulespec.bundles.place import InBundle
from rulespec.bundles.rules import bundle_of, ruleset_in
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset, load_source
from rulespec.ruleset_files import files_at

PLACE = Span("log", 1, 1, 1, 2)
NIM = RULESETS / "nim"
Files = dict[str, Any]


@cache
def bundle() -> Bundle:
    return bundle_of(load_ruleset(str(NIM)))


def contents(of: Bundle | None = None) -> Files:
    files: Files = json.loads(zlib.decompress(base64.b64decode((of or bundle()).packed)))
    return files


def as_bytes(data: Any) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def again(files: Files, sources: str | None = None) -> Bundle:
    """A bundle of the given files, with the correct checksum of the visible part."""
    total = hashlib.sha256(as_bytes(files["shown"])).hexdigest()
    return Bundle(sources or bundle().sources, total, packed(as_bytes(files)))


def changed(change: Callable[[Files], object]) -> Bundle:
    files = contents()
    change(files)
    return again(files)


def honest(files: Files) -> Bundle:
    """A bundle with a valid hash, as a careful attacker would make it."""
    result = again(files)
    place = InBundle(result, unpacked(result, PLACE))
    return again(files, load_source(place.reference, Report(), files_at(place)).sources_hash)


def codes(result: Bundle) -> set[str]:
    with soon(), pytest.raises(DiagnosticsError) as caught:
        ruleset_in(result)
    return {d.code for d in caught.value.diagnostics}


def rule(files: Files, path: str, text: str) -> None:
    files["rules"][path] = text


@cache
def bomb() -> bytes:
    return zlib.compress(b'{"reference":["' + b"a" * 400_000_000 + b'"]}', 9)


UNREADABLE: dict[str, Callable[[], Bundle]] = {
    "no base64": lambda: Bundle(bundle().sources, bundle().sum, "§" * 9),
    "base64 with blanks": lambda: Bundle(bundle().sources, bundle().sum, " " + bundle().packed),
    "no zlib": lambda: Bundle(bundle().sources, bundle().sum, base64.b64encode(b"rules").decode()),
    "cut off": lambda: Bundle(bundle().sources, bundle().sum, bundle().packed[:400]),
    "something after its end": lambda: Bundle(
        bundle().sources, bundle().sum, base64.b64encode(zlib.compress(as_bytes(contents())) + b"more").decode()
    ),
    "no JSON": lambda: Bundle(bundle().sources, bundle().sum, packed(b"rules")),
    "deep JSON": lambda: Bundle(bundle().sources, bundle().sum, packed(b'{"rules":' + b"[" * 1_000_000)),
    "deep JSON in a key that is not known": lambda: Bundle(
        bundle().sources, bundle().sum, packed(b'{"x":' + b'{"x":' * 1_000_000)
    ),
    "a list": lambda: Bundle(bundle().sources, bundle().sum, packed(b"[]")),
    "half a character in a name": lambda: changed(lambda files: files["rules"].update({"nim/\ud800": "id: x"})),
    "half a character": lambda: changed(lambda files: files["rules"].update({"nim/x": "\ud800"})),
    "no text": lambda: changed(lambda files: files["rules"].update({"nim/game.yaml": 1})),
    "another key": lambda: changed(lambda files: files.update({"run": "me"})),
    "a key is missing": lambda: changed(lambda files: files.pop("rulesets")),
    "no ruleset": lambda: changed(lambda files: files.update({"rulesets": []})),
    "no reference": lambda: changed(lambda files: files.update({"reference": []})),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_bundle_is_refused(name: str) -> None:
    assert codes(UNREADABLE[name]()) == {"RS656"}


TOO_LARGE: dict[str, Callable[[], Bundle]] = {
    "a bomb": lambda: Bundle(bundle().sources, bundle().sum, base64.b64encode(bomb()).decode()),
    "a bomb in a bomb": lambda: Bundle(
        bundle().sources, bundle().sum, base64.b64encode(zlib.compress(zlib.compress(b"\0" * 50_000_000) * 9)).decode()
    ),
    "a thousand files": lambda: changed(lambda f: f["rules"].update({f"nim/rules/{i}.rules": "" for i in range(1000)})),
    "a thousand pictures": lambda: changed(lambda f: f["shown"].update({f"nim/{i}.yaml": "" for i in range(1000)})),
    "a thousand overlays": lambda: changed(lambda f: f["reference"].extend(["tall"] * 1000)),
    "a thousand rulesets": lambda: changed(lambda f: f["rulesets"].extend(["nim"] * 1000)),
}


@pytest.mark.parametrize(
    "name", [pytest.param("a bomb", marks=pytest.mark.proof), *(name for name in TOO_LARGE if "bomb" not in name)]
)
@pytest.mark.sampled(3)
def test_what_is_too_large_is_refused(name: str) -> None:
    result, before = TOO_LARGE[name](), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert codes(result) == {"RS657"}
    if sys.platform == "linux":  # it is in kilobytes there
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * MAX_UNPACKED / 1000


def test_a_bomb_in_a_bomb_is_no_json() -> None:
    assert codes(TOO_LARGE["a bomb in a bomb"]()) == {"RS656"}


@pytest.mark.parametrize(
    "path",
    [
        *("../x", "nim/../../x", "/etc/passwd", "nim//x", "x", "nim/./x", "nim/.git/config", ".ssh/x", "nim/"),
        *(
            "nim\\..\\x",
            "C:/x",
            "C:x/y",
            "nim/a\0b",
            "nim/\x1b[2J",
            "nim/" + "a" * 300,
            "",
            "nim/\u202ex",
        ),
    ],
)
@pytest.mark.parametrize("part", ["rules", "shown"])
def test_a_name_that_leads_out_is_refused(path: str, part: str) -> None:
    assert codes(changed(lambda files: files[part].update({path: "id: x"}))) == {"RS658"}


OTHERS: dict[str, Callable[[], Bundle]] = {
    "other rules": lambda: changed(lambda f: rule(f, "nim/tables.yaml", f["rules"]["nim/tables.yaml"] + "# more\n")),
    "a wrong hash": lambda: Bundle("0" * 32, bundle().sum, bundle().packed),
    "the hash of another ruleset": lambda: again(contents(), load_ruleset("imperial").sources_hash),
    "a wrong sum": lambda: Bundle(bundle().sources, "0" * 64, bundle().packed),
    "no hash": lambda: Bundle("", bundle().sum, bundle().packed),
    "a file that nothing reads": lambda: changed(lambda f: rule(f, "nim/notes.txt", "read me")),
    "a picture among the rules": lambda: changed(lambda f: rule(f, "nim/drawing.yaml", "drawing: {}\n")),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_rules_than_it_says_are_refused(name: str) -> None:
    assert codes(OTHERS[name]()) == {"RS659"}


@pytest.mark.proof  # 0.3 s
def test_words_and_drawings_have_a_sum_of_their_own() -> None:
    sound = bundle_of(load_ruleset("imperial"))
    files = contents(sound)
    assert any(path.endswith("drawing.yaml") for path in files["shown"])
    files["shown"]["imperial/titles.yaml"] += "# mine\n"
    assert codes(Bundle(sound.sources, sound.sum, packed(as_bytes(files)))) == {"RS659"}
    assert ruleset_in(again(files, sound.sources)).hash == load_ruleset("imperial").hash


INSIDE: dict[str, tuple[Callable[[Files], object], set[str]]] = {
    "a ruleset that is installed": (
        lambda f: rule(f, "nim/game.yaml", "id: nim\ntitle: N\nversion: '1'\ndoc: D.\nextends: imperial\n"),
        {"RS501"},
    ),
    "a ruleset by a path": (
        lambda f: rule(f, "nim/game.yaml", f"id: nim\ntitle: N\nversion: '1'\ndoc: D.\nextends: {GAMES}/imperial\n"),
        {"RS501"},
    ),
    "a ruleset above": (
        lambda f: rule(f, "nim/game.yaml", "id: nim\ntitle: N\nversion: '1'\ndoc: D.\nextends: ../../games/imperial\n"),
        {"RS501"},
    ),
    "itself": (lambda f: f.update({"rulesets": ["nim", "nim"]}), {"RS659"}),
    "an overlay that is installed": (lambda f: f["reference"].append("tall"), {"RS502"}),
    "an overlay by a path": (lambda f: f["reference"].append(f"{NIM}/variants/tall.yaml"), {"RS502"}),
    "an overlay above": (lambda f: f["reference"].append("../variants/tall.yaml"), {"RS502"}),
    "another base": (lambda f: f.update({"reference": ["imperial"]}), {"RS501"}),
    "a base by a path": (lambda f: f.update({"reference": [str(NIM)]}), {"RS501"}),
    "deep YAML": (lambda f: rule(f, "nim/tables.yaml", "a: " + "[" * 100_000), {"RS112"}),
    "aliases": (lambda f: rule(f, "nim/tables.yaml", "a: &a [1]\nb: [*a, *a]\n"), {"RS114"}),
    "characters that mislead": (lambda f: rule(f, "nim/rules/play.rules", "# \u202e\n"), {"RS105"}),
    "a large file": (lambda f: rule(f, "nim/rules/play.rules", "# a\n" * 100_000), {"RS103"}),
    "deep rules": (lambda f: rule(f, "nim/rules/play.rules", f"def a -> int = {'(' * 9_000}1\n"), {"RS135"}),
    "no game.yaml": (lambda f: f["rules"].pop("nim/game.yaml"), {"RS101"}),
}


@pytest.mark.parametrize("name", INSIDE)
def test_references_and_files_stay_in_the_bundle(name: str) -> None:
    change, expected = INSIDE[name]
    assert codes(changed(change)) & expected


def log_of(folder: Path, result: Any, ref: str = "nim", hash_: str | None = None) -> Path:
    hashes = {"ruleset_hash": "01" + "0" * 30, "sources_hash": hash_ or bundle().sources}
    header = {"rulespec_log": 2, "ruleset": ref, **hashes, "seats": {"Ann": "Ann", "Bob": "Bob"}}
    path = folder / "game.jsonl"
    data = result.to_json() if isinstance(result, Bundle) else result
    path.write_text(json.dumps(header | {"settings": {}, "bundle": data}) + "\n")
    return path


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "x",
        1,
        {},
        {"sources": "x"},
        {"sources": 1, "sum": "", "packed": ""},
        {**Bundle("", "", "").to_json(), "x": 1},
    ],
)
def test_another_form_in_the_header_is_refused(data: Any, tmp_path: Path) -> None:
    code, _, messages = invoke("replay", log_of(tmp_path, data))
    assert code == 2 and "RS656" in messages


def test_a_bundle_is_bounded_in_the_header(tmp_path: Path) -> None:
    with soon():
        code, _, messages = invoke(
            "replay", log_of(tmp_path, {"sources": "", "sum": "", "packed": "a" * (MAX_PACKED + 1)})
        )
        assert code == 2 and "RS657" in messages
        code, _, messages = invoke("replay", log_of(tmp_path, {"sources": "", "sum": "", "packed": "a" * 8_000_000}))
        assert code == 2 and "RS602" in messages


def test_a_log_of_other_rules_than_its_bundle_is_refused(tmp_path: Path) -> None:
    imperial = load_ruleset("imperial")
    for path in (
        log_of(tmp_path, bundle(), hash_=imperial.hash),
        log_of(tmp_path, bundle(), "imperial"),
        log_of(tmp_path, bundle(), "imperial", imperial.hash),
        log_of(tmp_path, bundle_of(imperial), "nim"),
    ):
        code, output, messages = invoke("replay", path)
        assert (code, output) == (2, "") and "RS659" in messages


def test_one_that_calls_itself_by_the_id_of_an_installed_ruleset_is_named(tmp_path: Path) -> None:
    files = contents()
    for part in ("rules", "shown"):
        files[part] = {path.replace("nim/", "imperial/"): text for path, text in files[part].items()}
    files |= {"reference": ["imperial"], "rulesets": ["imperial"]}
    game = files["rules"]["imperial/game.yaml"]
    files["rules"]["imperial/game.yaml"] = game.replace("id: nim", "id: imperial").replace(
        "title: Nim", "title: Imperial"
    )
    result, installed = honest(files), load_ruleset("imperial")
    path = log_of(tmp_path, result, "imperial", result.sources)
    code, output = spoken("replay", path)
    assert code == 0 and f"under the rules in the log (imperial, as of {result.sources[:8]})" in output
    assert json.loads(invoke("replay", path, "--format", "json")[1])["rules_in_log"] is True
    assert load_ruleset("imperial").hash == installed.hash != result.sources
    assert invoke("replay", path, "--rules", "imperial")[0] == 0  # on request, the installed one is used
    assert "RS618" in invoke("replay", path, "--rules", "imperial")[2]


def test_a_fault_in_the_rules_of_a_stranger_is_placed_in_the_log(tmp_path: Path) -> None:
    result = changed(lambda f: rule(f, "nim/tables.yaml", "constants: [\n"))
    code, _, messages = invoke("replay", log_of(tmp_path, result))
    assert code == 2 and "(in the log)/nim/tables.yaml" in messages
