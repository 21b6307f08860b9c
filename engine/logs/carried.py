"""Rules that accompany a log: in its first line, or in a folder `rules` beside it, which several logs can share."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rulespec.bundles.packed_bundle import MAX_PACKED, Bundle, bundle_in
from rulespec.bundles.rules import bundle_of, ruleset_in, source_in
from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.json_text import to_json_text
from rulespec.documents.text_files import inside, is_present, read_text
from rulespec.documents.written_files import write_text
from rulespec.engine.logs.native import NativeLog
from rulespec.load import Merged
from rulespec.typed import nodes as typed

FOLDER = "rules"
"""The name of the folder beside logs that holds shared bundles, in files named after the hash of their sources."""
_HASH = re.compile("[0-9a-f]{16,64}")
_FORMAT = "rulespec_bundle"
_VERSION = 1


def carried_bundle(log: NativeLog) -> Bundle | None:
    """The bundle in a log or beside it; None if there is none.

    Raises:
        DiagnosticsError: RS656 to RS659 if the bundle is unusable or does not match the log.
    """
    header, place = log.header, Span(log.file, 1, 1, 1, 2)
    wanted = header.sources_hash
    bundle = header.bundle
    if bundle is None:
        bundle = beside(Path(log.file).parent, wanted)
    if bundle is not None and wanted and bundle.sources != wanted:
        message = (
            f"the log was made under the rules {shown(wanted[:8])}, but its bundle contains {shown(bundle.sources[:8])}"
        )
        raise failure("RS659", message, place, "ask for the log again: its bundle belongs to another game")
    return bundle


def carried_ruleset(log: NativeLog) -> typed.Ruleset | None:
    """The ruleset that accompanies a log; None if there is none.

    Raises:
        DiagnosticsError: RS656 to RS659 as in `carried_bundle`, or the errors in the rules.
    """
    bundle = carried_bundle(log)
    if bundle is None:
        return None
    place = Span(log.file, 1, 1, 1, 2)
    ruleset = ruleset_in(bundle, place)
    if ruleset.ref != log.header.ruleset:
        message = f"the log names the ruleset {shown(log.header.ruleset)}, but its bundle contains {shown(ruleset.ref)}"
        raise failure("RS659", message, place, "ask for the log again: its bundle belongs to another game")
    return ruleset


def carried_source(log: NativeLog) -> Merged:
    """The merged source of the rules that accompany a log.

    Raises:
        DiagnosticsError: RS660 if no rules accompany the log; see also `carried_ruleset`.
    """
    place = Span(log.file, 1, 1, 1, 2)
    bundle = carried_bundle(log)
    if bundle is None:
        help_ = "add them with `rulespec log LOG --bundle`, if they are available"
        raise failure("RS660", f"{shown(log.file)} carries no rules", place, help_)
    return source_in(bundle, place)


def bundle_for(log: NativeLog, ruleset: typed.Ruleset, *, beside: bool = False) -> Bundle:
    """The bundle to embed in a log, with the log's own rules or rules with the same meaning.

    Args:
        log: the log.
        ruleset: the current rules.
        beside: whether the bundle is for a file beside the log; it must then have the log's own rules, since the
            unchanged log finds it by the exact hash of their sources.

    Raises:
        DiagnosticsError: RS661 if the current rules are different.
    """
    header, place = log.header, Span(log.file, 1, 1, 1, 2)
    is_same = header.sources_hash == ruleset.sources_hash or (not beside and header.ruleset_hash == ruleset.hash)
    if header.ruleset != ruleset.ref or not is_same:
        means = ", though they mean the same" if header.ruleset_hash == ruleset.hash else ""
        message = f"the available rules, {ruleset.ref}, are not those of this log{means}"
        help_ = "name them with --rules, or convert the log to the available rules: `rulespec replay LOG --out FILE`"
        raise failure("RS661", message, place, help_)
    return bundle_of(ruleset)


def with_bundle(log: NativeLog, bundle: Bundle) -> str:
    """The text of a log with a bundle added to its first line."""
    first, end, rest = log.text.lstrip("\ufeff \t\r\n").partition("\n")
    header = json.loads(first) | {"sources_hash": bundle.sources, "bundle": bundle.to_json()}
    return to_json_text(header, plain=True) + end + rest


def write_beside(folder: Path, bundle: Bundle) -> Path:
    """Writes a bundle into a folder of logs, unless it is already there; returns its file.

    Raises:
        OSError: if the bundle cannot be written.
    """
    path = folder / FOLDER / bundle.sources
    path.parent.mkdir(exist_ok=True)
    if not is_present(path):
        write_text(path, to_json_text({_FORMAT: _VERSION, **bundle.to_json()}) + "\n")
    return path


def beside(folder: Path, wanted: str) -> Bundle | None:
    """The bundle beside a log, found by the hash of its sources; None if there is none."""
    name = f"{FOLDER}/{wanted}"
    if not _HASH.fullmatch(wanted) or not is_present(folder / name):
        return None
    path = inside(folder, name)
    place = Span(str(path), 1, 1, 1, 2)
    try:
        data: Any = json.loads(read_text(path, str(path), MAX_PACKED + 1_000))
    except DiagnosticsError:
        raise
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.pop(_FORMAT, None) != _VERSION:
        raise failure(
            "RS656", f"{shown(str(path))} is not a bundle of version {_VERSION}", place, "remove it, or fetch it again"
        )
    return bundle_in(data, place)
