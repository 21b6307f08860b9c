"""Initial inputs: the project's rulesets, logs, scenarios and dialects, and the examples in its documentation."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from fuzz.file_mutate import zipped
from fuzz.growing import growing
from fuzz.parts import Parts, joined
from fuzz.targets import OVERLAYS, TARGETS
from rulespec.engine.game.numbered import every_option

ROOT = Path(__file__).parent.parent
TESTS, GAMES = ROOT / "tests", ROOT / "games"
PAGES = ROOT / "docs" / "diagnostics"
_ENTRIES = 40  # entries of a recorded game: more would add time but no variety
_LARGEST = 60_000  # bytes of a seed: many small inputs are worth more than a few large ones

from cases import GAME, read_cases  # noqa: E402
from cases import split as cut  # noqa: E402

import fuzz.support  # noqa: E402, F401 - helpers of the tests, and the texts of their small rulesets


def seeds(target: str) -> list[bytes]:
    """The initial inputs of a target, in a fixed order."""
    result = dict.fromkeys(joined(parts, TARGETS[target].first) for parts in _SEEDS[target]() if parts)
    return [data for data in result if 0 < len(data) <= _LARGEST]


def _folder(folder: Path, *more: str) -> Parts:
    """The files of a ruleset: its sections and rules, and those that match."""
    names = ("*.yaml", "rules/*.rules", *more)
    return {str(p.relative_to(folder)): p.read_bytes() for name in names for p in sorted(folder.glob(name))}


def _encoded(files: dict[str, str], base: Parts) -> Parts:
    return base | {name: text.encode() for name, text in files.items()}


def _world() -> Parts:
    from worlds import IDLE, WORLD

    return _encoded({"game.yaml": GAME, **cut(IDLE + WORLD, "rules/play.rules")}, {})


def _rulesets() -> Iterator[Parts]:
    for game in sorted([*TESTS.glob("rulesets/*/game.yaml"), *GAMES.glob("gallery/*/game.yaml")]):
        yield _folder(game.parent)
    yield _world()
    yield from _programs()
    yield from _examples()
    yield _folder(GAMES / "tutorial")
    yield _tetrarchia()


def _programs() -> Iterator[Parts]:
    """Random programs with all forms of the language, without invariants, which most of them would break."""
    from programs import WHOLE_WORLD, Writer

    for number in range(12):
        text = Writer(random.Random(number).randrange).program() + WHOLE_WORLD.replace("{2: 10,", "{4: 2, 2: 10,")
        yield _encoded(cut(re.sub(r"(?s)\ninvariant .*?(?=\nscoring )", "", text), "rules/play.rules"), {})


def _tetrarchia() -> Parts:
    """A game that uses most features, with its overlays, but without its `rules.yaml`."""
    return {name: body for name, body in _folder(GAMES / "tetrarchia").items() if name != "rules.yaml"}


def _examples() -> Iterator[Parts]:
    """The good and bad examples on the diagnostics pages, each on top of its base ruleset."""
    from page_examples import base, read_example

    market = _encoded(base(), {})
    for page in sorted(PAGES.glob("RS*.md")):
        for section in page.read_text("utf-8").split("\n## "):
            if files := read_example(section).files:
                yield _encoded(files, {"game.yaml": market["game.yaml"]} if "rules/play.rules" in files else market)


def _cases() -> Iterator[Parts]:
    """The test cases: bad rules and overlays on top of one ruleset."""
    base = _folder(TESTS / "rulesets" / "errors")
    for file in sorted((TESTS / "fixtures" / "errors").iterdir()):
        for case in read_cases(file, "rules/this.rules"):
            yield _encoded(case.files, base if file.stem != "declarations" else {"game.yaml": GAME.encode()})


def _rules() -> Iterator[Parts]:
    """Rulesets with all rules in one file, so that it can be formatted."""
    for parts in (*_rulesets(), *_cases()):
        rules = b"\n".join(body for name, body in parts.items() if name.endswith(".rules"))
        rest = {n: body for n, body in parts.items() if n.endswith(".yaml") and "/" not in n}
        yield {"rules/play.rules": rules, **rest}
    for file in sorted(GAMES.rglob("rules/*.rules")):
        yield {"rules/play.rules": file.read_bytes(), **_world()}


def _overlays() -> Iterator[Parts]:
    for parts in (*_examples(), *_cases()):
        overlay = next((n for n in parts if n.startswith("variants/") and n.endswith(".yaml")), None)
        if overlay is not None:
            yield _as_o(parts, overlay)
    for file in sorted(GAMES.rglob("variants/*.yaml"), key=lambda p: (p.stat().st_size, p)):
        rules = file.with_suffix(".rules")
        more = {"variants/o.rules": rules.read_bytes()} if rules.exists() else {}
        yield {"variants/o.yaml": file.read_bytes(), **more, **_world()}
    yield from _several()


def _several() -> Iterator[Parts]:
    """Two or three overlays at once."""
    for case in read_cases(TESTS / "fixtures" / "errors" / "overlays.yaml"):
        overlays = case.ref.split("+")[1:]
        if len(overlays) > 1:
            yield _named(_encoded(case.files, _folder(TESTS / "rulesets" / "errors")), overlays)
    game = _tetrarchia()
    files = {f"variants/{p.name}": p.read_bytes() for p in sorted(GAMES.glob("tetrarchia/variants/*.*"))}
    for overlays in (["el_grande", "imperivm"], ["diarchia", "patres_patriae"], ["mare_nostrvm", "imperivm"]):
        yield _named({**files, **game}, overlays)


def _named(parts: Parts, overlays: list[str]) -> Parts:
    """An input whose overlays are renamed to `OVERLAYS`; excess ones are omitted."""
    names = dict(zip(overlays, OVERLAYS, strict=False))
    game = re.sub(rb"(?m)^overlays:.*\n", b"", parts["game.yaml"])
    rest = {name: body for name, body in parts.items() if not name.startswith("variants/")}
    rest["game.yaml"] = game + f"overlays: [{', '.join(names.values())}]\n".encode()
    for old, new in names.items():
        rest |= {
            f"variants/{new}.{name[11:]}": body
            for name, body in _as_o(parts, f"variants/{old}.yaml").items()
            if name.startswith("variants/")
        }
        body = re.sub(rb"(?m)^id: \w+$", b"id: " + new.encode(), rest[f"variants/{new}.yaml"])
        rest[f"variants/{new}.yaml"] = body
    return rest


def _as_o(parts: Parts, overlay: str) -> Parts:
    stem = overlay.removesuffix(".yaml")
    game = "errors" if b"id: errors" in parts["game.yaml"] else "market"
    body = parts[overlay]
    if b"\nfor:" not in b"\n" + body:
        body += f"id: o\ntitle: O\nfor: {game}\nversion: '1'\n".encode()
    rules = {"variants/o.rules": parts[f"{stem}.rules"]} if f"{stem}.rules" in parts else {}
    return {"variants/o.yaml": body, **rules, **{n: b for n, b in parts.items() if not n.startswith("variants/")}}


def _native_logs() -> Iterator[bytes]:
    from rulespec.engine.game.game import Game
    from rulespec.engine.logs.native import LogHeader, entry_json
    from rulespec.load import load_ruleset

    for file in sorted([*TESTS.glob("rulesets/*/logs/**/*.jsonl"), *GAMES.rglob("logs/*.jsonl")]):
        yield b"".join(file.read_bytes().splitlines(keepends=True)[:_ENTRIES])
    for name in ("nim", "wager", "errands"):
        for number in range(4):
            game = Game(load_ruleset(str(TESTS / "rulesets" / name)), ["Ann", "Bob", "Zoë"][: 2 + number % 2])
            rng = random.Random(number)
            while not game.is_over and game.ply < 12:
                game.apply(rng.choice(list(islice(every_option(game), 20))))
            decisions = [entry_json(option) for option in game.history]
            lines = [LogHeader.of(game).to_json(), *decisions, {"undo": 1 + number}]
            yield "".join(json.dumps(line) + "\n" for line in lines).encode()


def _foreign_logs() -> Iterator[bytes]:
    from recorder import REST, begin, cargo, gift, go, plain

    busy = [go("northgate"), cargo("C", "S"), plain("sell"), gift("Ann", "Bob", 1)]
    for turns in (busy, REST, [plain("chat"), *REST]):
        yield json.dumps([begin("Ann", "Bob"), *turns, *REST, *turns]).encode()
    post = {"kind": "open", "data": {"people": ["Ann", "Bob"]}}
    for turns in ([plain("hurry"), go("mill", who="Ann"), plain("oops")], [plain("whistle")]):
        yield json.dumps([post, *turns, *REST]).encode()
    for file in sorted(GAMES.glob("*/logs/**/*.json"))[:2]:  # each replay of one loads a large ruleset
        yield json.dumps(json.loads(file.read_bytes())[:_ENTRIES]).encode()


def _logs() -> Iterator[Parts]:
    shown = (body for p in _examples() for name, body in p.items() if name.endswith((".jsonl", ".json")))
    for data in (*_native_logs(), *_foreign_logs(), *shown):
        yield {"log": data}
        if len(data) < 5_000:
            yield {"log": gzip.compress(data, mtime=0)}


def _under() -> Iterator[Parts]:
    yield from ({"log.jsonl": data} for data in _native_logs() if b'"nim' in data or b'"wager' in data)


def _given() -> Iterator[Parts]:
    """Recorded games with secrets, each with a seat's own log at half time or at the end."""
    from rulespec.engine.game.game import Game
    from rulespec.engine.logs.native import LogHeader, entry_json
    from rulespec.engine.logs.seat_log import seat_log
    from rulespec.load import load_ruleset

    for folder in (TESTS / "rulesets" / "wager", GAMES / "gallery" / "kuhn_poker", GAMES / "gallery" / "liars_dice"):
        game = Game(load_ruleset(str(folder)), ["Ann", "Bob"])
        rng = random.Random(folder.name)
        inputs = []
        for ply in range(12):
            if ply in (3, 11):
                inputs += [list(seat_log(game, seat)) for seat in ("Ann", "Bob", None)]
            if not game.is_over:
                game.apply(rng.choice(list(islice(every_option(game), 20))))
                game.omniscient.numbers.seal(f"{rng.getrandbits(128):032x}")
        log = _lines([LogHeader.of(game).to_json(), *map(entry_json, game.omniscient.numbers.steps)])
        yield from ({"log.jsonl": log, "given.jsonl": _lines(lines)} for lines in inputs)


def _lines(lines: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _dialects() -> Iterator[Parts]:
    errands = _folder(TESTS / "rulesets" / "errands")
    for file in sorted([*TESTS.glob("rulesets/*/dialects/*.yaml"), *GAMES.rglob("dialects/*.yaml")]):
        for log in [*_foreign_logs()][:5]:
            yield {"dialects/d.yaml": file.read_bytes(), "log.json": log, **errands}
    dialect = (TESTS / "rulesets" / "errands" / "dialects" / "courier.yaml").read_bytes() + _KNOWN_FAULTS
    game = errands["game.yaml"].replace(b"id: errands", b"id: home") + b"overlays: [o]\n"
    overlay = {"variants/o.yaml": b"id: o\ntitle: O\nfor: home\nversion: '1'\n", "variants/o.rules": _PASSED}
    for log in [*_foreign_logs()][:5]:
        own = dialect.replace(b"rules: errands", b"rules: home")
        yield {"dialects/d.yaml": own, "log.json": log, **errands, "game.yaml": game, **overlay}


_KNOWN_FAULTS = b"""\
  way.pass: {type: go, match: {to: to}, not_compared: {fee: what it takes is its own matter}}
not_compared: {people.*.name: names say nothing}
known_faults:
  - {title: it goes anywhere, rules: [ERR-03, ERR-04], overlay: o, options: [way.pass]}
"""
_PASSED = b"extend decision way:\n    option pass(to in site):\n        set p.at to to\n"


def _scenarios() -> Iterator[Parts]:
    for file in sorted(TESTS.glob("rulesets/*/scenarios/*.yaml")):
        yield {"scenarios/s.yaml": file.read_bytes(), **_folder(file.parents[1])}
    nim = _folder(TESTS / "rulesets" / "nim")
    for file in sorted(GAMES.rglob("scenarios/*.yaml")):
        yield {"scenarios/s.yaml": file.read_bytes(), **nim}


def _editor() -> Iterator[Parts]:
    for parts in (*_overlays(), *_rulesets(), *_scenarios(), *_dialects()):
        if sum(map(len, parts.values())) < _LARGEST / 3:
            yield parts


def _yaml() -> Iterator[Parts]:
    for parts in (*_rulesets(), *_overlays()):
        yield from ({"any.yaml": body} for name, body in parts.items() if name.endswith(".yaml"))


def _entries() -> Iterator[Parts]:
    """Rulesets with all rules in one file, and the cache entry of that file."""
    import msgspec

    from rulespec.diagnostics.report import DiagnosticsError
    from rulespec.documents.kept_trees import pack as pack_yaml
    from rulespec.documents.yaml_reader import parse_yaml
    from rulespec.syntax.ast_json import pack
    from rulespec.syntax.origin import Origin
    from rulespec.syntax.parser import parse_rules

    for parts in (*_rulesets(), _world()):
        rules = b"\n".join(body for name, body in parts.items() if name.endswith(".rules"))
        rest = {n: body for n, body in parts.items() if n.endswith(".yaml") and "/" not in n}
        try:
            tree = parse_rules(rules.decode(), "play.rules")
        except DiagnosticsError:
            continue
        entry = msgspec.json.encode(pack(tree, Origin("play.rules")))
        try:
            section = msgspec.json.encode(pack_yaml(parse_yaml(rest["game.yaml"].decode(), "game.yaml")))
        except (DiagnosticsError, KeyError):
            continue
        yield {"entry.json": entry, "section.json": section, "rules/play.rules": rules, **rest}


def _texts() -> Iterator[Parts]:
    """Texts with terminal control characters, in each place where a user can write a text."""
    places = ("title", "version", "doc", "reason", "hash", "seat", "option", "decision", "file", "command")
    harmful = (
        "\x1b[2J",
        "\x9b31m",
        "\rok",
        "a\b\b",
        "\x7f",
        "\u202e",
        "\u2066x",
        "\n::error::x",
        "::stop::",
        "##[x]",
        "\u200b",
    )
    yield {"texts.json": json.dumps(dict.fromkeys(places, "plain") | {"option": "take(1)"}).encode()}
    for text in harmful:
        yield {"texts.json": json.dumps({place: f"{text}{place}" for place in places}).encode()}
        for place in places:
            yield {"texts.json": json.dumps({place: text}).encode()}


_MARKUP = ("</script><script>alert(1)</script>", "]]></text><script/>", '" onload="x', "<!--", "&amp;<b>", "\\u2028")
"""Texts that would have an effect if they were not escaped."""


def _drawings() -> Iterator[Parts]:
    """Rulesets with drawings and titles; some texts contain markup."""
    results = [parts for parts in _rulesets() if sum(map(len, parts.values())) < _LARGEST]
    for game in sorted(GAMES.rglob("drawing.yaml")):
        parts = _folder(game.parent)
        if sum(map(len, parts.values())) < _LARGEST:
            yield {"drawing.yaml": game.read_bytes(), **parts}
    for number, parts in enumerate(results):
        yield {"drawing.yaml": b"drawing: {}\n", **_titled(parts, _MARKUP[number % len(_MARKUP)])}


def _titled(parts: Parts, text: str) -> Parts:
    """A ruleset with a text as its title."""
    line = f"title: {json.dumps(text)}".encode()
    return {**parts, "game.yaml": re.sub(rb"(?m)^title:.*$", lambda _: line, parts["game.yaml"], count=1)}


def _words() -> Iterator[Parts]:
    """Rulesets with words in one or two languages; small ones with only a few words."""
    for file in sorted([*GAMES.rglob("titles.yaml"), *TESTS.glob("rulesets/*/titles.yaml")]):
        parts = _folder(file.parent)
        if sum(map(len, parts.values())) < _LARGEST:
            yield parts
    yield from (parts for parts in _examples() if any(name.startswith("titles") for name in parts))
    for text in _MARKUP:
        titles = f"title: {json.dumps(text)}\ntexts:\n  turn.take: {json.dumps(text + ' {n}')}\n".encode()
        yield {"titles.yaml": titles, "titles.de.yaml": titles, **_folder(GAMES / "gallery" / "nim")}


def _svgs() -> Iterator[Parts]:
    """SVG drawings as programs write them: shapes with ids and labels, groups, paths, transformations."""
    shapes = (
        '<rect id="oak" width="40" height="30"/>',
        '<rect inkscape:label="North Sea" id="rect1" x="40" width="40" height="30"/>',
        '<path id="elm" d="m 0,30 h 40 v 30 c 0,5 -40,5 -40,0 z"/>',
        '<polygon id="none" points="80,0 120,0 120,30 80,30"/>',
        '<circle id="isle" cx="100" cy="80" r="9"/>',
        '<g id="group" transform="rotate(30) scale(2)"><ellipse cx="5" cy="5" rx="3" ry="2"/></g>',
        '<g inkscape:groupmode="layer" inkscape:label="L"><rect id="ash" y="60" width="40" height="30"/></g>',
        '<use href="#oak" x="7"/><polyline id="line" points="0 0 5 5"/><text>Oak</text>',
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape">'
    for number in range(1, len(shapes) + 1):
        body = "\n".join(shapes[:number])
        yield {"x.svg": f"{head}\n{body}\n</svg>\n".encode()}
        yield {"x.svg": f'<?xml version="1.0" encoding="iso-8859-1"?>\n{head}{shapes[number - 1]}</svg>'.encode()}


def _viewed() -> Iterator[Parts]:
    """Logs, alone and with their ruleset, whose texts may contain markup."""
    for parts in _logs():
        yield parts
    rulesets = {name: _folder(TESTS / "rulesets" / name) for name in ("nim", "wager")}
    for number, data in enumerate(_native_logs()):
        for name, parts in rulesets.items():
            if f'"ruleset": "{name}"'.encode() in data:
                yield {"log": data, **_titled(parts, _MARKUP[number % len(_MARKUP)])}


def _archives() -> Iterator[Parts]:
    """Archives of a few logs, in each supported format."""
    from fuzz.foreign import sound_log

    for pack, format_ in ((bytes, 0), (zipped, 1), (bz2.compress, 2), (bytes, 1)):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=format_) as archive:
            for number, log in enumerate([sound_log()] * 3):
                info = tarfile.TarInfo(f"{'long/' * (40 * (format_ > 0))}g{number}.jsonl")
                info.size = len(log)
                archive.addfile(info, io.BytesIO(log))
                archive.addfile(tarfile.TarInfo("notes.txt"))
        yield {"file": pack(data.getvalue())}


def _zips() -> Iterator[Parts]:
    from fuzz.foreign import sound_log

    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", method) as archive:
            for number, log in enumerate([sound_log()] * 3):
                with archive.open(f"g{number}.jsonl", "w", force_zip64=number == 1) as member:
                    member.write(log)
            archive.writestr("notes.txt", "no log")
            archive.comment = b"packed" * (method == zipfile.ZIP_DEFLATED)
        yield {"file": data.getvalue()}


def _stores() -> Iterator[Parts]:
    from fuzz.foreign import new_store

    for players in (1, 2):
        yield {"t.db": new_store(players)}


def _parquets() -> Iterator[Parts]:
    """Parts of a store of codes, and of results, with three compression methods."""
    from pyarrow import parquet

    from fuzz.foreign import part_of_results, part_of_store

    for part in (part_of_store(), part_of_results()):
        yield {"file": part}
        table = parquet.read_table(io.BytesIO(part))
        for how in ({"compression": "none"}, {"compression": "gzip", "data_page_version": "2.0", "row_group_size": 2}):
            data = io.BytesIO()
            parquet.write_table(table, data, **how)
            yield {"file": data.getvalue()}


_SEEDS: dict[str, Callable[[], Iterator[Parts]]] = {
    "yaml": _yaml,
    "sections": _rulesets,
    "rules": _rules,
    "overlay": _overlays,
    "work": growing,
    "play": lambda: iter([*_rulesets(), *growing()]),
    "fix": lambda: iter([*_rulesets(), *_cases(), *_overlays()]),
    "log": _logs,
    "under": _under,
    "seat": _given,
    "dialect": _dialects,
    "scenario": _scenarios,
    "cache": _entries,
    "terminal": _texts,
    "draw": _drawings,
    "titles": _words,
    "import": _svgs,
    "view": _viewed,
    "editor": _editor,
    "tar": _archives,
    "zip": _zips,
    "store": _stores,
    "parquet": _parquets,
    "svg": _svgs,
}
