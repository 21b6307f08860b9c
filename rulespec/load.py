"""Loading of rulesets by reference: `my_game`, `./my_game`, `my_game+house_rules`."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rulespec import cache
from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean, either
from rulespec.documents.file_places import FilePlace
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, get, text, words
from rulespec.overlays.fact_edits import empty, merge
from rulespec.overlays.overlay import Overlay, Source, listed_disclosures
from rulespec.overlays.stages import lay_over, lay_rules
from rulespec.records import Brief
from rulespec.references import is_path
from rulespec.rule_ids import ListedRule, add_listed, check_cited
from rulespec.ruleset_files import SECTION_FILES, Files, RulesetReader
from rulespec.typed import nodes as typed
from rulespec.typed.packed import Checked, PackedRuleset, pack

_CHECKED, _TRUTH = PackedRuleset(), msgspec.json.Decoder(bool)
MAX_OVERLAYS = 20
"""Maximum number of overlays in a reference."""
MAX_EXTENDS = 8
"""Maximum length of a chain of rulesets that extend one another, or of overlays that include one another."""


def load_ruleset(ref: str, report: Report | None = None, files: Files | None = None) -> typed.Ruleset:
    """Reads and checks a ruleset.

    Args:
        ref: a folder or an id, optionally followed by `+overlay`, repeatedly; an overlay is an id (a file in
            `variants/`) or the path of a YAML file.
        report: receives all diagnostics, including warnings; without a report, the lints are skipped.
        files: the reader and parser of the files; the default reads from disk.

    Raises:
        DiagnosticsError: if there is any error; it contains all diagnostics of the run.
    """
    lints = report is not None
    report = Report() if report is None else report
    merged = load_source(ref, report, files, lints=lints)
    meaning, declarations, rules = _check(ref, merged, report, lints, files is None or files.cached)
    return assembled(ref, merged, declarations, rules, meaning)


def assembled(
    ref: str, merged: Merged, declarations: typed.Declarations, rules: typed.Rules, meaning: str = ""
) -> typed.Ruleset:
    """The ruleset of a reference, assembled from its files and the checker's results.

    `meaning` is the hash of its meaning; editors omit it, because their rules are usually incomplete.
    """
    paths = [Path(overlay) for overlay in merged.place.parts(ref)[1:]]
    game = get(merged.source.root, "game")
    id_ = text(get(game, "id"))
    return typed.Ruleset(
        id=id_,
        ref="+".join([id_, *merged.overlays]),
        reference=ref,
        title=text(get(game, "title")),
        version=text(get(game, "version")),
        hash=meaning,
        sources_hash=merged.sources_hash,
        start=_start(merged),
        declarations=declarations,
        rules=rules,
        folders=merged.folders,
        sources=merged.texts,
        located=merged.located,
        place=merged.place,
        listed=merged.listed,
        overlays=merged.overlays,
        offered=tuple(w.text for w in words(get(game, "overlays"))),
        layers=merged.source.layers,
        titled=tuple(merged.source.titled),
        homes={id_: path.parent for id_, path in zip(merged.overlays, paths, strict=True) if is_path(str(path))},
    )


def _start(merged: Merged) -> str:
    """The name of the start procedure of a game."""
    return text(get(merged.source.root, "game", "start"), "play")


class Merged(Brief, Struct, frozen=True):
    """A ruleset with its base and its overlays merged, but not checked.

    Attributes:
        source: the merged tree and rules.
        folders: the folders read: first the ruleset's own, then those of its base.
        overlays: the ids of the overlays in the reference.
        titles: the titles of these overlays.
        texts: the text of each file, by its name in messages.
        located: the folder and relative name of each of these files.
        place: the source of the files.
        sources_hash: the hash of all file texts, 32 hexadecimal digits.
        listed: the rules in the ruleset's rule list, by id.
    """

    source: Source
    folders: tuple[Path, ...]
    overlays: tuple[str, ...]
    titles: tuple[str, ...]
    texts: dict[str, str]
    located: dict[str, tuple[Path, str]]
    place: FilePlace
    sources_hash: str
    listed: dict[str, ListedRule]


def load_source(ref: str, report: Report, files: Files | None = None, *, lints: bool = True) -> Merged:
    """Reads a ruleset and merges its overlays, without checking the meaning of the rules.

    The arguments and errors are those of `load_ruleset`; `lints` also enables the search for warnings.
    """
    reader = RulesetReader(report, files or Files())
    place = reader.files.place
    base, *overlays = place.parts(ref)
    source, folders = _read_folder(place.ruleset(base), reader, [])
    if not report.ok:
        from rulespec.check.declare import tell_words

        tell_words(source, reader.sources, report)
    report.raise_if_errors()
    fitting = source.root.entries if len(folders) == 1 else {}
    if len(overlays) > MAX_OVERLAYS:
        report.error("RS502", f"a reference has at most {MAX_OVERLAYS} overlays", None)
    laid = _lay_overlays(overlays, source, folders, reader)
    names, titles = [id_ for id_, _ in laid], [title for _, title in laid]
    report.raise_if_errors()
    if lints:
        check_cited(reader.sources, reader.listed, report)
    if names or len(folders) > 1:
        _check_merged(source, report, fitting, reader.files.cached)
    return Merged(
        source,
        tuple(folders),
        tuple(names),
        tuple(titles),
        reader.sources,
        reader.located,
        place,
        reader.digest.hexdigest()[:32],
        reader.listed,
    )


def _check(ref: str, merged: Merged, report: Report, lints: bool, cached: bool) -> Checked:
    """Runs the checker, unless the cache has a result without diagnostics for exactly these texts.

    Raises:
        DiagnosticsError: if it reports an error.
    """
    texts = list(chain.from_iterable(merged.texts.items()))
    sound, quiet = (
        cache.key(kind, ref, *texts, rooms=cache.LANGUAGE) if cached else "" for kind in ("sound", "without warnings")
    )
    if sound and (not lints or cache.read(quiet, _TRUTH)) and (known := cache.read(sound, _CHECKED)) is not None:
        return known
    from rulespec.check.passes import check_source  # lazily: the cache has most rulesets

    source, result = merged.source, Report()
    try:
        declarations, rules = check_source(source, result, lints=lints)
    except DiagnosticsError as error:  # too many errors: it stopped
        report.extend(_blamed(error.diagnostics, source))
        raise DiagnosticsError(report.diagnostics) from None
    except RecursionError:  # parser and checker bound their own depth; chains through both end here
        report.error("RS135", "the rules are nested too deep", None, help="shorten the chain of calls")
        raise DiagnosticsError(report.diagnostics) from None
    report.extend(_blamed(result.diagnostics, source))
    report.raise_if_errors()
    from rulespec.typed.meaning import meaning_hash

    checked = meaning_hash(_start(merged), declarations, rules), declarations, rules
    if sound and (data := pack(checked)):
        cache.write(sound, data)
        if lints and not result.diagnostics:
            cache.write(quiet, True)
    return checked


def _blamed(diagnostics: tuple[Diagnostic, ...], source: Source) -> tuple[Diagnostic, ...]:
    """The diagnostics of a merged source; those caused by an overlay point to the overlay's line."""
    if not diagnostics:
        return ()
    from rulespec.check.passes import unused_in
    from rulespec.overlays.orphans import blamed

    return blamed(diagnostics, source, unused_in)


def _check_merged(source: Source, report: Report, fitting: dict[str, tuple[Scalar, Node]], cached: bool) -> None:
    """Checks that the merged tree still fits the schemas of its files.

    Args:
        source: the tree.
        report: receives the diagnostics.
        fitting: entries that passed before merging; a node composed only of these is not checked again.
        cached: as in `check_schema`.
    """
    from rulespec.documents.schema_check import check_schema
    from rulespec.schemas import load_schema

    game = get(source.root, "game")
    if game is not None and fitting.get("game", (None, None))[1] is not game:
        check_schema(game, load_schema("game"), report, what="game file", cached=cached)
    known = {"game"}
    for name in SECTION_FILES:
        schema = load_schema(name)
        sections = {k: v for k, v in source.root.entries.items() if k in schema["properties"]}
        known |= set(schema["properties"])
        before = {k: v for k, v in fitting.items() if k in schema["properties"]}
        same = sections.keys() == before.keys() and all(before[k][1] is v for k, (_, v) in sections.items())
        if sections and not same:
            check_schema(Mapping(sections, source.root.span), schema, report, what=f"{name} file", cached=cached)
    for key, (place, _) in source.root.entries.items():
        if key not in known:
            report.error("RS211", f"a ruleset has no section `{key}`", place.span, help=did_you_mean(key, known))
    report.raise_if_errors()


def _read_folder(folder: Path, reader: RulesetReader, trail: list[Path]) -> tuple[Source, list[Path]]:
    """Reads a ruleset's folder, and merges it over the ruleset that it extends.

    Args:
        folder: the folder.
        reader: reads the files.
        trail: the folders that extend this one, outermost first.

    Returns:
        The source, and the folders read, its own first.
    """
    place = reader.files.place
    game = reader.yaml(folder, "game.yaml", "game")
    _check_file_names(folder, reader)
    top = Span(place.display(folder / "game.yaml"), 1, 1, 1, 2)
    source, folders = Source(Mapping({}, top)), [folder]
    extends = get(game, "extends")
    if isinstance(extends, Scalar):
        base = _read_base(extends, folder, reader, trail)
        if base is None:
            return source, folders
        source, more = base
        folders += more
        for path in words(get(game, "replaces")):
            empty(source, path, reader.report)
    # Without game.yaml it is unknown whether this extends another ruleset.
    tree = _read_sections(folder, reader, partial=game is None or extends is not None)
    if game is not None:
        tree = {"game": (Scalar("game", "game", game.span), game)} | tree
    merged = merge(source.root, Mapping(tree, top), source.over)
    assert isinstance(merged, Mapping)
    source.root = merged
    lay_rules(source, reader.rules_of(folder), reader.report)
    rules = [f"rules/{file.name}" for file in place.matches(folder, "rules/*.rules")]
    beside = [name for of, name in reader.located.values() if of == folder and name.endswith(".csv")]
    files = ["game.yaml", *(f"{section}.yaml" for section in SECTION_FILES), *beside, *rules]
    source.lay([place.display(folder / name) for name in files])
    source.titled.append((folder, "titles"))  # read only for display: they change no game either
    if place.present(folder / "rules.yaml"):
        listed = reader.yaml(folder, "rules.yaml", "rules")
        add_listed(reader.listed, listed, reader.report)
        source.disclosures += [replace(line, at=place.display(folder / line.at)) for line in listed_disclosures(listed)]
    source.texts = reader.sources
    return source, folders


def _read_base(
    extends: Scalar, folder: Path, reader: RulesetReader, trail: list[Path]
) -> tuple[Source, list[Path]] | None:
    """Reads the base of a folder, with its overlays; reports a missing base and returns None."""
    if folder in trail or len(trail) > MAX_EXTENDS:
        reader.report.error("RS507", "this ruleset extends itself", extends.span)
        return None
    place = reader.files.place
    name, *overlays = place.parts(extends.text)
    try:
        base = place.ruleset(name, beside=folder)
    except DiagnosticsError as error:
        for d in error.diagnostics:
            reader.report.error(d.code, d.message, extends.span, help=d.help)
        return None
    source, folders = _read_folder(base, reader, [*trail, folder])
    _lay_overlays(overlays, source, folders, reader, extends.span)
    source.root = _without_offers(source.root)
    return source, folders


def _read_sections(folder: Path, reader: RulesetReader, *, partial: bool) -> dict[str, tuple[Scalar, Node]]:
    """Reads the entries of a folder's section files; a `partial` ruleset may omit parts of its base."""
    tree: dict[str, tuple[Scalar, Node]] = {}
    for name in SECTION_FILES:
        if reader.files.place.present(folder / f"{name}.yaml"):
            node = reader.yaml(folder, f"{name}.yaml", name, partial=partial)
            tree |= node.entries if node is not None else {}
    return tree


def _check_file_names(folder: Path, reader: RulesetReader) -> None:
    """Reports files that look like parts of the ruleset, but are ignored because of their name or folder."""
    place = reader.files.place
    wrong = {f"{name}.yml": f"rename it to `{name}.yaml`" for name in SECTION_FILES}
    for path in sorted(place.matches(folder, "*.rules")):
        if not place.present(path.with_suffix(".yaml")):  # else it is an overlay's
            wrong[path.name] = f"move it to `rules/{path.name}`"
    for name, help_ in wrong.items():
        if place.present(folder / name):
            start = Span(place.display(folder / name), 1, 1, 1, 1)
            reader.report.error("RS109", f"`{name}` is ignored because of its name or folder", start, help=help_)


def _without_offers(root: Mapping) -> Mapping:
    """Removes the base's list of offered overlays, as only the extending ruleset knows which ones are compatible."""
    place, game = root.entries.get("game", (None, None))
    if place is None or not isinstance(game, Mapping):  # it could not be read
        return root
    entries = {key: entry for key, entry in game.entries.items() if key != "overlays"}
    return Mapping({**root.entries, "game": (place, Mapping(entries, game.span))}, root.span)


def _lay_overlays(
    names: list[str], source: Source, folders: list[Path], reader: RulesetReader, at: Span | None = None
) -> list[tuple[str, str]]:
    """Applies the overlays of a reference to a ruleset; returns their ids and titles.

    If one of their files has errors, none is applied: its changes and includes are unknown, and others may need them.

    Args:
        names: their ids or paths.
        source: the ruleset below them.
        folders: the folders to search.
        reader: reads their files.
        at: the place of the reference, if it is in a file.
    """
    reference, before = _Overlays(source, folders, reader), reader.report.errors
    laid = [reference.add(name, at) for name in names[:MAX_OVERLAYS]]
    if reader.report.errors == before:
        lay_over(source, reference.overlays, reader.report)
    return laid


class _Overlays:
    """The overlays of a reference without repetition, each after the ones that it includes."""

    def __init__(self, source: Source, folders: list[Path], reader: RulesetReader) -> None:
        self.overlays: list[Overlay] = []
        self._source = source
        self._folders = folders
        self._reader = reader
        self._numbers: dict[str, int] = {}
        """The real path of an overlay's file → its number."""
        self._named: set[int] = set()

    def add(self, name: str, at: Span | None) -> tuple[str, str]:
        """Reads an overlay of the reference and its includes; returns its id and its title."""
        number = self._read(name, at, ())
        if number is None:
            return name, name
        id_ = self.overlays[number].id
        if number in self._named:
            message = f"the overlay `{id_}` is named twice, and the second has no effect"
            self._reader.report.error("RS504", message, at, help="remove the second one")
        self._named.add(number)
        return id_, text(get(self.overlays[number].facts, "title"), id_)

    def _read(self, name: str, at: Span | None, trail: tuple[str, ...]) -> int | None:
        """Reads an overlay after its includes; returns its number.

        Args:
            name: its id or its path.
            at: the place of the reference to it, if the reference is in a file.
            trail: the ids of the overlays that include it, outermost first.
        """
        report, place = self._reader.report, self._reader.files.place
        where = place.overlay(name, self._folders)
        if where is None:
            offered = sorted({p.stem for f in self._folders for p in place.matches(f / "variants", "*.yaml")})
            known = f"use {either(offered)}" if offered else ""
            help_ = did_you_mean(name, offered) or known
            message = f"there is no overlay `{name[:80]}` for this ruleset" if name else "no overlay is named after `+`"
            report.error("RS502", message, at, help=help_)
            return None
        folder, file = where
        path = os.path.realpath(folder / file)
        if path in self._numbers:
            return self._numbers[path]
        node = self._reader.yaml(folder, file, "overlay")
        if node is None:
            return None
        _check_base(node, self._source, self._folders, report)
        id_ = text(get(node, "id"), Path(file).stem)
        if id_ in trail or len(trail) > MAX_EXTENDS:
            report.error("RS512", f"the overlay `{id_}` includes itself", at)
            return None
        inner = [self._read(included.text, included.span, (*trail, id_)) for included in words(get(node, "includes"))]
        add_listed(self._reader.listed, node, report)
        rules_file = file.removesuffix(".yaml") + ".rules"
        rules = self._reader.rules(folder, rules_file) if place.present(folder / rules_file) else ()
        files = (place.display(folder / file), place.display(folder / rules_file))
        self._source.lay(files)
        self._source.titled.append((folder, str(Path(file).parent / "titles" / Path(file).stem)))
        number = self._numbers[path] = len(self.overlays)
        includes = 1 << number
        for included in inner:
            includes |= self.overlays[included].includes if included is not None else 0
        self.overlays.append(Overlay(id_, trail[0] if trail else id_, node, rules, files, includes))
        return number


def _check_base(overlay: Mapping, source: Source, folders: list[Path], report: Report) -> None:
    """Reports an overlay for another ruleset (neither this one nor a base of it) or another version."""
    base, wanted = get(overlay, "for"), get(overlay, "for_version")
    id_, version = text(get(source.root, "game", "id")), text(get(source.root, "game", "version"))
    if base is not None and text(base) != id_ and all(text(base) != f.name for f in folders):
        report.error("RS506", f"this overlay is for `{text(base)}`, not for `{id_}`", base.span)
    elif wanted is not None and base is not None and text(base) == id_ and text(wanted) != version:
        message = f"this overlay is for version {text(wanted)} of `{id_}`, but `{id_}` is at version {version}"
        report.error("RS513", message, wanted.span, help="check that the changes still fit, then correct `for_version`")
