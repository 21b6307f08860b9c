"""Conversion between rulesets and bundles."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from rulespec.bundles.packed_bundle import Bundle, Contents, packed, unpacked
from rulespec.bundles.place import InBundle
from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.load import Merged, load_ruleset, load_source
from rulespec.references import is_path, is_shipped
from rulespec.ruleset_files import drawing_files, files_at, title_files
from rulespec.typed import nodes as typed

_REMEMBERED = 4
"""Maximum number of rulesets kept in memory, for many logs with the same rules."""
_ANYWHERE = Span("", 1, 1, 1, 1)


def bundle_of(ruleset: typed.Ruleset) -> Bundle:
    """The bundle of a ruleset; if the ruleset was read from a bundle, that same bundle.

    Raises:
        DiagnosticsError: RS657 if it is too large for a bundle; RS101 or RS501 if its files are missing.
    """
    if isinstance(ruleset.place, InBundle):
        return ruleset.place.bundle
    names = _folder_names(ruleset)
    place = ruleset.place
    rules = {name: ruleset.sources[file] for file, name in portable_names(ruleset).items()}
    shown_ = {}
    for folder, name in (*title_files(ruleset.titled, place), *drawing_files(ruleset.titled)):
        path = folder / name
        if place.present(path):
            shown_[f"{names[folder]}/{name}"] = place.text(place.inside(folder, name), place.display(path), 2_000_000)
    base, *overlays = place.parts(ruleset.reference)
    parts = [names[ruleset.folders[0]]]
    for overlay in overlays:
        where = place.overlay(overlay, list(ruleset.folders))
        if where is None:
            raise failure("RS501", f"the overlay {shown(overlay)} is missing, so it cannot be bundled", None, "")
        parts.append(f"{names[where[0]]}/{where[1]}" if is_path(overlay) else overlay)
    contents = Contents(parts, [names[folder] for folder in ruleset.folders], rules, shown_)
    return packed(contents, ruleset.sources_hash, Span(base, 1, 1, 1, 1))


def portable_names(ruleset: typed.Ruleset) -> dict[str, str]:
    """The path of each file in a bundle, keyed by the file's name in messages."""
    names = _folder_names(ruleset)
    return {file: f"{names[folder]}/{name}" for file, (folder, name) in ruleset.located.items()}


def is_everywhere(ruleset: typed.Ruleset) -> bool:
    """Whether a ruleset is shipped with the package, so that others can refer to it by id."""
    return all(is_shipped(folder) for folder, _ in ruleset.located.values())


def own_bundle(ruleset: typed.Ruleset) -> Bundle | None:
    """The bundle that a log embeds by default, because others cannot find these rules by id.

    It is None if the ruleset is shipped, or if files are missing or too large.
    """
    if is_everywhere(ruleset):
        return None
    try:
        return bundle_of(ruleset)
    except DiagnosticsError:
        return None


def ruleset_in(bundle: Bundle, place: Span = _ANYWHERE) -> typed.Ruleset:
    """Unpacks and checks the ruleset in an untrusted bundle.

    Args:
        bundle: the bundle.
        place: the place to which messages about the whole bundle refer.

    Raises:
        DiagnosticsError: RS656 to RS659, or errors in its rules.
    """
    try:
        return _ruleset_in(bundle)
    except DiagnosticsError as error:  # errors are memoized without a place, as each log has its own
        raise DiagnosticsError(
            [replace(each, span=place) if each.span is _ANYWHERE else each for each in error.diagnostics]
        ) from None


@lru_cache(_REMEMBERED)
def _ruleset_in(bundle: Bundle) -> typed.Ruleset:
    files = _files(bundle, _ANYWHERE)
    ruleset = load_ruleset(files.reference, files=files_at(files))
    _check_sources(bundle, ruleset, files, _ANYWHERE)
    return ruleset


def source_in(bundle: Bundle, place: Span = _ANYWHERE) -> Merged:
    """The merged source in an untrusted bundle. Takes the same arguments and raises the same errors as `ruleset_in`."""
    files = _files(bundle, place)
    merged = load_source(files.reference, Report(), files_at(files))
    _check_sources(bundle, merged, files, place)
    return merged


def _files(bundle: Bundle, place: Span) -> InBundle:
    return InBundle(bundle, unpacked(bundle, place))


def _check_sources(bundle: Bundle, read: typed.Ruleset | Merged, files: InBundle, place: Span) -> None:
    """Refuses a bundle whose rules differ from the declared hash, or that has unrelated files."""
    if read.sources_hash != bundle.sources:
        message = f"the bundle declares the rules {shown(bundle.sources[:8])}, but contains different ones"
        raise failure("RS659", message, place, "ask for the log again: this one has been changed")
    if not files.is_all(len(read.located), len(read.folders)):
        raise failure("RS659", "the bundle has files that its rules do not read", place, "ask for the log again")


def _folder_names(ruleset: typed.Ruleset) -> dict[Path, str]:
    """The name inside the bundle for each folder of files, instead of its local path."""
    results: dict[Path, str] = {}
    folders = [folder for folder, _ in (*ruleset.located.values(), *ruleset.titled)]
    for folder in (*ruleset.folders, *folders):
        if folder not in results:
            name = folder.name if folder in ruleset.folders else "overlays"
            plain = name.isprintable() and not name.startswith(".") and "\\" not in name and len(name) <= 60
            name = name if plain and name and "+" not in name and ":" not in name else "rules"
            taken = set(results.values())
            results[folder] = next(n for n in (name, *(f"{i}_{name}" for i in range(2, 999))) if n not in taken)
    return results
