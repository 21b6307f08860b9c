"""Check for names in a dialect (options of decisions, settings and overlays) that none of its rulesets knows.

A dialect serves several rulesets, each with some of its names. The check searches the texts of all rulesets, since
loading them would take longer than replaying a log. (Unknown names under `undo`, like unknown fields, are ignored,
since they have no effect.)
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from rulespec import cache
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.folders import files_in
from rulespec.documents.text_files import read_bytes
from rulespec.engine.dialects.dialect import Dialect
from rulespec.references import find_ruleset, parts_of
from rulespec.ruleset_files import MAX_FILES, MAX_YAML

_LINE = re.compile(
    r"^( *)(decide|draft|chance|extend decision|options|option|include|roll|choose) +(\w+)", re.MULTILINE
)
_EXTENDS = re.compile(r"^extends: *[\"']?([\w./-]+)", re.MULTILINE)
_KEY = re.compile(r"^ *(?:game\.settings\.)?(\w+) *:", re.MULTILINE)
_MAX_BASES = 10
_TRUTH = msgspec.json.Decoder(bool)
_ROOMS = (*cache.LANGUAGE, "engine/notation", "engine/dialects")


class _Names(Struct):
    """The names in the texts of rulesets.

    Attributes:
        options: the options, as `decision.option`.
        groups: group → names of its options.
        included: pairs of a decision and a group that it includes.
        keys: the keys of YAML files, including the names of settings.
        overlays: the available overlays.
    """

    options: set[str] = field(default_factory=set)
    groups: dict[str, set[str]] = field(default_factory=dict)
    included: set[tuple[str, str]] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    overlays: set[str] = field(default_factory=set)

    def read_rules(self, text: str) -> None:
        """Adds the options, option groups and includes that occur in the text of a rules file."""
        around: list[tuple[int, str, str]] = []  # indentation, keyword and name of the decisions around a line
        for result in _LINE.finditer(text):
            indent, word, name = len(result[1]), result[2], result[3]
            while around and around[-1][0] >= indent:
                around.pop()
            if word in ("roll", "choose"):
                self.options.add(f"{name}.{name}")
            elif word == "include" and around:
                self.included.add((around[-1][2], name))
            elif word == "option" and around and around[-1][1] == "options":
                self.groups.setdefault(around[-1][2], set()).add(name)
            elif word == "option" and around:
                self.options.add(f"{around[-1][2]}.{name}")
            elif word != "option":
                around.append((indent, word, name))

    def all_options(self) -> set[str]:
        """Every `decision.option`, with those of included groups."""
        return self.options | {f"{at}.{name}" for at, group in self.included for name in self.groups.get(group, ())}


def unknown_names(
    dialect: Dialect, severity: Severity = Severity.ERROR, there: Collection[str] = frozenset()
) -> list[Diagnostic]:
    """The diagnostics for names in a dialect that none of its rulesets knows (RS635); empty if a ruleset is missing.

    Args:
        dialect: the dialect.
        severity: the severity of the diagnostic.
        there: names known to exist in one of its rulesets (`decision.option`, or settings); if they include all the
            names needed to read a log, no file is read.
    """
    if there and {*dialect.decisions, *dialect.start.get("settings", {})} <= set(there):
        return []
    wanted = [("option", name, name) for name in dialect.decisions]
    wanted += [("setting", name, f"settings.{name}") for name in dialect.start.get("settings", {})]
    for fault in dialect.known_faults:
        wanted += [("option", name, "known_faults") for name in sorted(fault.options)]
        wanted.append(("overlay", fault.overlay, "known_faults"))
    try:
        files = _files(_folders(dialect))
        key = _key(wanted, there, files)
    except (DiagnosticsError, OSError, ValueError):
        return []
    if cache.read(key, _TRUTH) is True:
        return []
    try:
        names = _names(files)
    except (DiagnosticsError, OSError):
        return []
    known = {"option": names.all_options(), "setting": names.keys, "overlay": names.overlays}
    results = []
    for what, name, place in wanted:
        if name not in known[what] and name not in there:
            message = f"no ruleset of the dialect `{dialect.id}` has the {what} `{name}`"
            others = {each for each in there if "." in each} if what == "option" else set()
            help_ = did_you_mean(name, sorted(known[what] | others)) or "remove it, or name an existing one"
            results.append(Diagnostic("RS635", severity, message, dialect.spans.get(place), help=help_))
    if key and not results:
        cache.write(key, True)
    return results


def _folders(dialect: Dialect) -> list[Path]:
    """The folders of a dialect's rulesets, and of their bases.

    Raises:
        DiagnosticsError: if a ruleset is missing.
    """
    beside = Path(dialect.file).resolve().parent.parent
    refs = [dialect.rules] if isinstance(dialect.rules, str) else list(dialect.rules["values"].values())
    results: dict[Path, None] = {}
    for base in dict.fromkeys(parts_of(ref)[0] for ref in refs):
        folder = find_ruleset(base, beside=beside)
        for _ in range(_MAX_BASES):
            if folder in results:
                break
            results[folder] = None
            extends = _EXTENDS.search(_text(folder / "game.yaml"))
            if extends is None:
                break
            folder = find_ruleset(extends[1], beside=folder)
    return list(results)


class _Files(Struct):
    """The files to search for names.

    Attributes:
        rules: rules files.
        sections: YAML files with settings.
        overlays: the overlays among them.
    """

    rules: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    overlays: list[str] = field(default_factory=list)


def _files(folders: Iterable[Path]) -> _Files:
    files = _Files()
    for folder in folders:
        rules, variants = f"{folder}/rules", f"{folder}/variants"
        files.rules += [*files_in(rules, ".rules", MAX_FILES), *files_in(variants, ".rules", MAX_FILES)]
        overlays = files_in(variants, ".yaml", MAX_FILES)
        files.overlays += overlays
        files.sections += [f"{folder}/game.yaml", *overlays]
    return files


def _names(files: _Files) -> _Names:
    names = _Names(overlays={Path(path).stem for path in files.overlays})
    for path in files.rules:
        names.read_rules(_text(Path(path)))
    for path in files.sections:
        names.keys.update(_KEY.findall(_text(Path(path))))
    return names


def _key(wanted: Iterable[tuple[str, str, str]], there: Iterable[str], files: _Files) -> str:
    """The cache key for the result that all names exist.

    Files enter by size and modification time, like those of this program, because a replay does not read other
    rulesets.
    """
    stats = [(path, os.stat(path)) for path in sorted((*files.rules, *files.sections))]  # noqa: PTH116 - many
    groups = (
        sorted(f"{what} {name}" for what, name, _ in wanted),
        sorted(there),
        [f"{path}\0{status.st_size}\0{status.st_mtime_ns}" for path, status in stats],
    )
    texts = (text for group in groups for text in (f"{len(group)}", *group))
    return cache.key("dialect names", *texts, rooms=_ROOMS)


def _text(path: Path) -> str:
    return read_bytes(path, str(path), MAX_YAML.size).decode("utf-8", "replace")  # its content is checked elsewhere
