"""From a ruleset reference to a checked ruleset: `my_game`, `./my_game`, `my_game+house_rules`."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from importlib import resources
from pathlib import Path

from msgspec import Struct, field

from rulespec.check.passes import check_source
from rulespec.diagnostics.diagnostic import Diagnostic, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.nodes import Mapping, Node, Scalar, count_values, get, text, words
from rulespec.documents.reader import Limits, read_yaml
from rulespec.documents.text_files import display, inside, read_text
from rulespec.overlays.orphans import blamed
from rulespec.overlays.overlay import Source, apply_overlay, apply_rules, empty, merge
from rulespec.rule_ids import ListedRule, add_listed, check_cited
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed

SECTION_FILES = ("kinds", "map", "tracks", "tables", "setup")
MAX_RULES_BYTES = 50_000
"""Of one rules file: nearly twice the largest that is shipped, and less than a second of parsing."""
MAX_YAML = Limits(size=1_000_000)
MAX_FILES = 300
MAX_TOTAL = 4_000_000
MAX_TOTAL_RULES = 120_000
MAX_ITEMS = 2_000
MAX_TOTAL_VALUES = MAX_YAML.events
"""Of all that one reference reads, however it comes in: its own files, those that it extends, and overlays. Files,
characters, characters of rules, rules (definitions, procedures …), and YAML values."""
MAX_OVERLAYS = 20


class Files:
    """How files are read and parsed: from disk, each time. An editor's server has one that remembers."""

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file; `display` is its name in diagnostics. Errors: as those of `read_text`."""
        return read_text(path, display, limit)

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file. Errors: as those of `read_yaml`."""
        return read_yaml(path, display, MAX_YAML)

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file. Errors: as those of `parse_rules`."""
        return parse_rules(text, display, cached=True)

    def findings(self, node: Node, schema: str, partial: bool = False) -> tuple[Diagnostic, ...]:
        """What a schema finds in the tree of a YAML file; a `partial` one may leave out what stands elsewhere."""
        from rulespec.documents.schema_check import check_schema
        from rulespec.schemas import load_schema

        found = Report()
        check_schema(node, load_schema(schema), found, what=f"{schema} file", partial=partial)
        return found.diagnostics


class _Reader(Struct):
    """Reads files, keeps their texts for messages, and hashes their content."""

    report: Report
    files: Files = field(default_factory=Files)
    sources: dict[str, str] = field(default_factory=dict)
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    read: Counter[str] = field(default_factory=Counter)
    listed: dict[str, ListedRule] = field(default_factory=dict)

    def yaml(
        self, folder: Path, name: str, schema: str, *, partial: bool = False, hashed: bool = True
    ) -> Mapping | None:
        """A YAML file in a folder that fits its schema, or None if it does not (which is reported).

        A `partial` one is laid over another, and may leave out what stands there.
        """
        file = display(folder / name)
        try:
            path = inside(folder, name)
            self._remember(path, file, MAX_YAML.size, hashed=hashed)
            node = self.files.yaml(path, file)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return None
        self._count(file, values=count_values(node))
        if not self._fits(node, schema, partial):
            return None
        if isinstance(node, Scalar) and node.value is None:
            return Mapping({}, node.span)
        return node if isinstance(node, Mapping) else None

    def _fits(self, node: Node, schema: str, partial: bool) -> bool:
        nothing = isinstance(node, Scalar) and node.value is None and schema != "game"
        found = () if nothing else self.files.findings(node, schema, partial)
        self.report.extend(found)
        return not found

    def rules(self, folder: Path, name: str) -> tuple[ast.Item, ...]:
        """The items of a rules file in a folder; none if it is not sound (which is reported)."""
        file = display(folder / name)
        try:
            content = self._remember(inside(folder, name), file, MAX_RULES_BYTES)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return ()
        self._count(file, rules=len(content))
        try:
            items = self.files.rules(content, file)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return ()
        self._count(file, items=len(items))
        return items

    def _remember(self, path: Path, display: str, limit: int, *, hashed: bool = True) -> str:
        content = self.files.text(path, display, limit)
        self._count(display, files=1, characters=len(content))
        self.sources[display] = content
        if hashed:
            self.digest.update(f"{path.name}\0{len(content)}\0".encode())
            self.digest.update(content.encode("utf-8", "surrogatepass"))  # an editor can send half of a character
        return content

    def _count(self, display: str, **more: int) -> None:
        """Counts what has been read, and gives up where it is too much."""
        self.read.update(more)
        for what, (most, unit) in _TOTALS.items():
            if self.read[what] > most:
                help_ = "take out what is not needed, or let fewer rulesets and overlays come together"
                message = f"this ruleset comes to more than {most:,} {unit} in all"
                self.report.error("RS107", message, Span(display, 1, 1, 1, 1), help=help_)
                self.report.raise_if_errors()


_TOTALS = {
    "files": (MAX_FILES, "files"),
    "characters": (MAX_TOTAL, "characters"),
    "rules": (MAX_TOTAL_RULES, "characters of rules"),
    "items": (MAX_ITEMS, "definitions, procedures and other rules"),
    "values": (MAX_TOTAL_VALUES, "YAML values"),
}


def game_folders() -> list[Path]:
    """Where ids are looked for: the folders in RULESPEC_PATH, `games` here, and what comes with the program."""
    folders = [Path(p) for p in os.environ.get("RULESPEC_PATH", "").split(os.pathsep) if p]
    folders.append(Path("games"))
    folders.append(Path(str(resources.files("rulespec"))).resolve() / "games")
    return [f for f in folders if f.is_dir()]


def known_rulesets() -> list[str]:
    """The ids that can be named in a reference."""
    return sorted({p.parent.name for folder in game_folders() for p in folder.glob("*/game.yaml")})


def find_ruleset(name: str, beside: Path | None = None) -> Path:
    """The folder of a ruleset that is named by its id or its path.

    Args:
        name: the id or the path.
        beside: the folder of the ruleset that names it: paths are relative to it, and ids are looked for next to it
            first. What it names by a path, or next to it, lies in the folder that holds both.

    Raises:
        DiagnosticsError: RS501 if there is none, RS106 if it lies elsewhere.
    """
    path = Path(name) if beside is None else beside / name
    try:
        if name and path.is_dir() and (path / "game.yaml").exists():
            return _in_reach(path, name, beside)
        if os.sep not in name and not name.startswith("."):
            if beside is not None and (beside.parent / name / "game.yaml").exists():
                return _in_reach(beside.parent / name, name, beside)
            for folder in game_folders():
                if (folder / name / "game.yaml").exists():
                    return (folder / name).resolve()
        exists = path.exists()
    except (OSError, ValueError):
        exists = False
    report = Report()
    if exists:
        begin = "a ruleset is a folder with a game.yaml; `rulespec new` starts one"
        help_ = "call `game.yml` `game.yaml`" if (path / "game.yml").is_file() else begin
        report.error("RS501", f"`{name}` holds no ruleset: it has no game.yaml", None, help=help_)
    else:
        known = known_rulesets()
        hint = did_you_mean(name, known) or ("known are " + ", ".join(f"`{k}`" for k in known) if known else "")
        report.error("RS501", f"there is no ruleset `{name[:80]}`", None, help=hint)
    raise DiagnosticsError(report.diagnostics)


def _in_reach(path: Path, name: str, beside: Path | None) -> Path:
    """The folder at a path, which must not lie outside the one that holds the ruleset that names it."""
    found = path.resolve()
    if beside is not None and not found.is_relative_to(beside.parent.resolve()):
        report = Report()
        message = f"{shown(name)} leads out of the folder that holds this ruleset"
        help_ = "put both rulesets into one folder, or add the folder of the other to RULESPEC_PATH and name its id"
        report.error("RS106", message, None, help=help_)
        report.raise_if_errors()
    return found


def load_ruleset(ref: str, report: Report | None = None, files: Files | None = None) -> typed.Ruleset:
    """Reads and checks a ruleset.

    Args:
        ref: a folder or an id, followed by `+overlay` as often as wanted; an overlay is an id (a file in `variants/`)
            or the path of a YAML file.
        report: takes every diagnostic, warnings too.
        files: how files are read and parsed, if not from disk each time.

    Raises:
        DiagnosticsError: if there is any error; it carries all diagnostics of the run.
    """
    report = Report() if report is None else report
    merged = load_source(ref, report, files)
    paths = [Path(overlay) for overlay in ref.split("+")[1:]]
    declarations, rules = _check(merged.source, report)
    game = get(merged.source.root, "game")
    id_ = text(get(game, "id"))
    return typed.Ruleset(
        id=id_,
        ref="+".join([id_, *merged.overlays]),
        title=text(get(game, "title")),
        version=text(get(game, "version")),
        hash=merged.hash,
        start=text(get(game, "start"), "play"),
        declarations=declarations,
        rules=rules,
        folders=merged.folders,
        sources=merged.texts,
        listed=merged.listed,
        overlays=merged.overlays,
        offered=tuple(w.text for w in words(get(game, "overlays"))),
        homes={id_: path.parent for id_, path in zip(merged.overlays, paths, strict=True) if _is_path(str(path))},
    )


class Merged(Struct, frozen=True):
    """What a reference names, put together but not checked.

    `folders` are those read, the reference's own before what it extends; `overlays` the ids of its overlays; `texts`
    the files by the names that messages use; `hash` that of all their content; `listed` the rules that are listed.
    """

    source: Source
    folders: tuple[Path, ...]
    overlays: tuple[str, ...]
    texts: dict[str, str]
    hash: str
    listed: dict[str, ListedRule]


def load_source(ref: str, report: Report, files: Files | None = None) -> Merged:
    """Reads a ruleset and lays its overlays over it, without checking what the rules say.

    Args and errors: as those of `load_ruleset`; `files` reads and parses, instead of the disk.
    """
    base, *overlays = ref.split("+")
    reader = _Reader(report, files or Files())
    source, folders = _read_folder(find_ruleset(base), reader, [])
    report.raise_if_errors()
    if len(overlays) > MAX_OVERLAYS:
        report.error("RS502", f"a reference has at most {MAX_OVERLAYS} overlays", None)
    names = [_overlay(overlay, source, folders, reader) for overlay in overlays[:MAX_OVERLAYS]]
    report.raise_if_errors()
    check_cited(reader.sources, reader.listed, report)
    if names or len(folders) > 1:
        _check_merged(source, report)
    return Merged(source, tuple(folders), tuple(names), reader.sources, reader.digest.hexdigest()[:32], reader.listed)


def _check(source: Source, report: Report) -> tuple[typed.Declarations, typed.Rules]:
    """The checker's passes; raises what they report."""
    found = Report()
    try:
        declarations, rules = check_source(source, found)
    except DiagnosticsError as error:  # so many mistakes that it gave up
        report.extend(blamed(error.diagnostics, source))
        raise DiagnosticsError(report.diagnostics) from None
    except RecursionError:  # the parser and the checker bound what they can; chains of both together end here
        report.error("RS135", "the rules nest too deep", None, help="let fewer rules call one another in a row")
        raise DiagnosticsError(report.diagnostics) from None
    report.extend(blamed(found.diagnostics, source))
    report.raise_if_errors()
    return declarations, rules


def _check_merged(source: Source, report: Report) -> None:
    """What overlays have put together must still have the form of the files it came from."""
    from rulespec.documents.schema_check import check_schema
    from rulespec.schemas import load_schema

    game = get(source.root, "game")
    if game is not None:
        check_schema(game, load_schema("game"), report, what="game file")
    known = {"game"}
    for name in SECTION_FILES:
        schema = load_schema(name)
        sections = {k: v for k, v in source.root.entries.items() if k in schema["properties"]}
        known |= set(schema["properties"])
        if sections:
            check_schema(Mapping(sections, source.root.span), schema, report, what=f"{name} file")
    for key, (place, _) in source.root.entries.items():
        if key not in known:
            report.error("RS211", f"a ruleset has no section `{key}`", place.span, help=did_you_mean(key, known))
    report.raise_if_errors()


def _read_folder(folder: Path, reader: _Reader, trail: list[Path]) -> tuple[Source, list[Path]]:
    """The source of a folder, laid over the ruleset it extends; and the folders read, its own first."""
    _misplaced(folder, reader)
    game = reader.yaml(folder, "game.yaml", "game")
    top = Span(display(folder / "game.yaml"), 1, 1, 1, 2)
    source, folders = Source(Mapping({}, top)), [folder]
    extends = get(game, "extends")
    if isinstance(extends, Scalar):
        if folder in trail or len(trail) > 8:
            reader.report.error("RS507", "this ruleset extends itself", extends.span)
            return source, folders
        name, *overlays = extends.text.split("+")
        try:
            base = find_ruleset(name, beside=folder)
        except DiagnosticsError as error:
            for d in error.diagnostics:
                reader.report.error(d.code, d.message, extends.span, help=d.help)
            return source, folders
        source, more = _read_folder(base, reader, [*trail, folder])
        for overlay in overlays[:MAX_OVERLAYS]:
            _overlay(overlay, source, more, reader, at=extends.span)
        source.touched.clear()  # what it extends is one ruleset now, which overlays may change as any other
        source.root = _without_offers(source.root)
        folders += more
        for path in words(get(game, "replaces")):
            empty(source, path, reader.report)
    tree: dict[str, tuple[Scalar, Node]] = {}
    if game is not None:
        tree["game"] = (Scalar("game", "game", game.span), game)
    for name in SECTION_FILES:
        file = folder / f"{name}.yaml"
        if file.exists():
            # Without game.yaml nobody knows whether this is laid over another ruleset.
            partial = game is None or extends is not None
            node = reader.yaml(folder, file.name, name, partial=partial)
            tree |= node.entries if node is not None else {}
    merged = merge(source.root, Mapping(tree, top))
    assert isinstance(merged, Mapping)
    source.root = merged
    items: list[ast.Item] = []
    for file in sorted(folder.glob("rules/*.rules")):
        items += reader.rules(folder, f"rules/{file.name}")
    apply_rules(source, tuple(items), "", reader.report)
    if (folder / "rules.yaml").exists():  # not hashed: what rules are called changes no game
        add_listed(reader.listed, reader.yaml(folder, "rules.yaml", "rules", hashed=False), reader.report)
    return source, folders


def _misplaced(folder: Path, reader: _Reader) -> None:
    """Reports files that are meant to be read and are not, because of their name or their folder."""
    wrong = {f"{name}.yml": f"call it `{name}.yaml`" for name in SECTION_FILES}
    for path in sorted(folder.glob("*.rules")):
        if not path.with_suffix(".yaml").exists():  # else it is an overlay's
            wrong[path.name] = f"put it into the folder `rules`: `rules/{path.name}`"
    for name, help_ in wrong.items():
        if (folder / name).is_file():
            place = Span(display(folder / name), 1, 1, 1, 1)
            reader.report.error("RS109", f"`{name}` is not read here", place, help=help_)


def _without_offers(root: Mapping) -> Mapping:
    """Without the list of overlays on offer: which of them fit what extends the ruleset, only that can say."""
    place, game = root.entries.get("game", (None, None))
    if place is None or not isinstance(game, Mapping):  # it could not be read
        return root
    kept = {key: entry for key, entry in game.entries.items() if key != "overlays"}
    return Mapping({**root.entries, "game": (place, Mapping(kept, game.span))}, root.span)


def _overlay(
    name: str,
    source: Source,
    folders: list[Path],
    reader: _Reader,
    *,
    at: Span | None = None,
    trail: tuple[str, ...] = (),
) -> str:
    """Applies one overlay, and before it those that it includes; gives back its id.

    Args:
        name: its id or its path.
        source: what it is laid over.
        folders: where it is looked for.
        reader: reads and remembers its files.
        at: what names it, if that is in a file.
        trail: the ids of the overlays that include it, the outermost first.
    """
    report = reader.report
    place = _overlay_place(name, folders)
    if place is None:
        offered = sorted({p.stem for f in folders for p in (f / "variants").glob("*.yaml")})
        hint = did_you_mean(name, offered) or ("known are " + ", ".join(f"`{o}`" for o in offered) if offered else "")
        report.error("RS502", f"there is no overlay `{name[:80]}` for this ruleset", at, help=hint)
        return name
    folder, file = place
    node = reader.yaml(folder, file, "overlay")
    if node is None:
        return name
    _check_base(node, source, folders, report)
    id_ = text(get(node, "id"), Path(file).stem)
    if id_ in trail or len(trail) > 8:
        report.error("RS512", f"the overlay `{id_}` includes itself", at)
        return id_
    for included in words(get(node, "includes")):
        _overlay(included.text, source, folders, reader, at=included.span, trail=(*trail, id_))
    add_listed(reader.listed, node, report)
    rules_file = file.removesuffix(".yaml") + ".rules"
    rules = reader.rules(folder, rules_file) if (folder / rules_file).exists() else ()
    # What is included counts as the including overlay's own, so that it may change it further.
    apply_overlay(source, node, rules, trail[0] if trail else id_, report)
    return id_


def _check_base(overlay: Mapping, source: Source, folders: list[Path], report: Report) -> None:
    """Whether an overlay is for this ruleset, or one that this ruleset extends, and for its version."""
    base, wanted = get(overlay, "for"), get(overlay, "for_version")
    id_, version = text(get(source.root, "game", "id")), text(get(source.root, "game", "version"))
    if base is not None and text(base) != id_ and all(text(base) != f.name for f in folders):
        report.error("RS506", f"this overlay is for `{text(base)}`, not for `{id_}`", base.span)
    elif wanted is not None and base is not None and text(base) == id_ and text(wanted) != version:
        message = f"this overlay is for version {text(wanted)} of `{id_}`, which is at {version}"
        report.error("RS513", message, wanted.span, help="see what has changed, then correct `for_version`")


def _is_path(name: str) -> bool:
    """Whether an overlay is named by its path, not by its id."""
    return name.endswith(".yaml") or os.sep in name


def _overlay_place(name: str, folders: list[Path]) -> tuple[Path, str] | None:
    """The folder that an overlay's files may not lead out of, and the YAML file in it."""
    try:
        if _is_path(name):
            path = Path(name).resolve()  # whoever names it by its path may do so by way of a link
            return (path.parent, path.name) if path.is_file() else None
        file = f"variants/{name}.yaml"
        return next(((folder, file) for folder in folders if (folder / file).is_file()), None)
    except (OSError, ValueError, RuntimeError):
        return None
