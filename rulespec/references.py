"""References to rulesets and overlays: lookup of folders and files by id or path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.diagnostics.suggestions import did_you_mean, either
from rulespec.documents.file_places import DiskFiles, FilePlace
from rulespec.documents.folders import folders_in, is_hidden
from rulespec.documents.text_files import broken_link, is_present

MAX_PIECES = 100
"""Maximum number of `+`-separated pieces in a reference that may contain paths with `+`; a longer one is split at each
`+`.
"""
_SHIPPED = Path(__file__).resolve().parent / "games"


def game_folders() -> list[Path]:
    """The folders in which ids are looked up: RULESPEC_PATH, `games` in the current folder, and the shipped games."""
    folders = [Path(p) for p in os.environ.get("RULESPEC_PATH", "").split(os.pathsep) if p]
    folders.append(Path("games"))
    folders.append(_SHIPPED)
    return [f for f in folders if _is_folder(f)]


def is_shipped(folder: Path) -> bool:
    """Whether a folder belongs to the shipped games."""
    return folder.resolve().is_relative_to(_SHIPPED.resolve())


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long for a path
        return False


def known_rulesets() -> list[str]:
    """The ids of all rulesets in the folders of `ruleset_folders`, sorted."""
    return sorted(_folders_by_id())


def known_folders() -> dict[str, Path]:
    """The folder of each known ruleset, sorted by id: the same folders that `find_ruleset` finds, but read in one pass
    over the disk.
    """
    known = _folders_by_id()
    places = {id_: Path(id_) if is_present(Path(id_, "game.yaml")) else known[id_] for id_ in sorted(known)}
    return {id_: Path(os.path.realpath(place)) for id_, place in places.items()}


def _folders_by_id() -> dict[str, Path]:
    """The first folder of each ruleset name, in the order of `ruleset_folders`."""
    results: dict[str, Path] = {}
    for folder in ruleset_folders():
        for path in folders_in(str(folder)):
            if os.path.exists(f"{path}/game.yaml"):  # noqa: PTH110 - as below
                results.setdefault(os.path.basename(path), Path(path))  # noqa: PTH119 - as below
    return results


def ruleset_folders() -> Iterator[Path]:
    """The folders in which ids are looked up, followed by the groups in them (folders that contain rulesets)."""
    folders = game_folders()
    yield from folders
    for folder in folders:
        for group in folders_in(str(folder)):
            if any(os.path.exists(f"{inner}/game.yaml") for inner in folders_in(group)):  # noqa: PTH110 - as there
                yield Path(group)


def find_ruleset(name: str, beside: Path | None = None) -> Path:
    """The folder of a ruleset.

    Args:
        name: its id or its path.
        beside: the folder of the referring ruleset; paths are relative to it, and ids are first looked up next to it.
            The result is in the same parent folder, unless an id is found elsewhere.

    Raises:
        DiagnosticsError: RS501 if there is none, RS106 if a path leaves the folder that contains both.
    """
    if not name:
        hint = "write the ruleset before its overlays and without blanks: RULESET+OVERLAY"
        raise failure("RS501", "no ruleset is named", None, hint)
    path = Path(name) if beside is None else beside / name
    try:
        if path.is_dir() and is_present(path / "game.yaml"):
            return _in_reach(path, name, beside)
        if is_id(name):
            if beside is not None and is_present(beside.parent / name / "game.yaml"):
                return _in_reach(beside.parent / name, name, beside)
            for folder in ruleset_folders():
                if is_present(folder / name / "game.yaml"):
                    return Path(os.path.realpath(folder / name))
        exists = is_present(path)
    except (OSError, ValueError):
        exists = False
    if exists and (link := broken_link(path)):
        raise failure("RS501", f"{shown(name)} {link}", None, "name the folder of a ruleset")
    if exists:
        begin = "name a folder with a game.yaml, or start a ruleset with `rulespec new`"
        hint = "rename `game.yml` to `game.yaml`" if (path / "game.yml").is_file() else begin
        if path.suffix == ".yaml" and path.is_file():
            hint = f"write an overlay behind its ruleset, `RULESET+{name}`, or alone with its `+`, as a rule: `+{name}`"
        raise failure("RS501", f"`{name}` is not a ruleset: it has no game.yaml", None, hint)
    if name.endswith((".jsonl", ".json", ".pgn", ".sgf", ".gz")):
        raise failure("RS501", f"there is no file `{name[-80:]}`", None, "check the path of the log")
    known = known_rulesets()
    hint = did_you_mean(name, known) or (f"use {either(known)}" if known else "")
    raise failure("RS501", f"there is no ruleset `{name[:80]}`", None, hint)


def _in_reach(path: Path, name: str, beside: Path | None) -> Path:
    """The folder at a path; refused if it is outside the folder that contains the referring ruleset."""
    result = path.resolve()
    if beside is not None and not result.is_relative_to(beside.parent.resolve()):
        message = f"{shown(name)} leads out of the folder that contains this ruleset"
        hint = "put both rulesets into one folder, or add the other's folder to RULESPEC_PATH and use its id"
        raise failure("RS106", message, None, hint)
    return result


def parts_of(ref: str) -> list[str]:
    """The ruleset and overlays of a reference, split at `+`.

    Paths may also contain `+`. Each part is therefore the shortest id or existing path; a missing path extends to the
    end. A `/` after a folder ends its name: `./a+b/` is that folder, even if `./a` is a ruleset.
    """
    pieces = ref.split("+")
    if len(pieces) == 1 or len(pieces) > MAX_PIECES:
        return pieces
    for size in range(1, len(pieces) + 1):
        base = "+".join(pieces[:size])
        if _is_ruleset(base) and (overlays := _overlays(tuple(pieces[size:]))) is not None:
            return [base, *overlays]
    size = 1
    if not _is_ruleset(pieces[0]) and is_path(pieces[0]):
        missing = (i for i, p in enumerate(pieces, 1) if i > 1 and (not p or (_has_folder(p) and not _is_file(p))))
        size = max([1, *missing])
    return ["+".join(pieces[:size]), *_missing(pieces[size:])]


def _overlays(pieces: tuple[str, ...]) -> list[str] | None:
    """The overlays named by pieces, which are joined where necessary; None if they do not name overlays."""
    begun: list[list[str] | None] = [[]]  # the overlays named by the first n pieces
    for end in range(1, len(pieces) + 1):
        results = None
        for start in reversed(range(end)):
            before, name = begun[start], "+".join(pieces[start:end])
            is_one = _exists(name) if is_path(name) else bool(name) and start == end - 1
            if before is not None and is_one and (results is None or len(before) >= len(results)):
                results = [*before, name]
        begun.append(results)
    return begun[-1]


def _missing(pieces: list[str]) -> list[str]:
    """The overlays of a reference in which at least one is missing: pieces up to a file name form one path."""
    results: list[str] = []
    waiting: list[str] = []
    for piece in pieces:
        waiting.append(piece)
        name = "+".join(waiting)
        if _is_file(name) or (name and not is_path(name) and len(waiting) == 1):
            results.append(name)
            waiting = []
    return [*results, "+".join(waiting)] if waiting else results


def _is_file(name: str) -> bool:
    """Whether a name has the extension of an overlay."""
    return name.endswith(".yaml")


def _exists(name: str) -> bool:
    try:
        return is_present(Path(name))
    except (OSError, ValueError):
        return False


def _is_ruleset(name: str) -> bool:
    """Whether a ruleset with this name exists."""
    if "+" in name:
        return _exists(os.path.join(name, "game.yaml"))  # noqa: PTH118
    try:
        find_ruleset(name)
    except DiagnosticsError:
        return False
    return True


def named(folder: Path) -> str:
    """The path of a folder as written in references, with a final `/` if it contains `+`; see `parts_of`."""
    return f"{folder}{os.sep}" if "+" in str(folder) else str(folder)


def find_overlay(name: str, folders: list[Path]) -> tuple[Path, str] | None:
    """The folder that contains all files of an overlay, and the relative path of its YAML file; None if missing."""
    try:
        if is_path(name):
            path = Path(name)
            if not is_present(path):
                return None
            if not broken_link(path):
                path = path.resolve()  # a path given by the user may go through a link
            return path.parent, path.name
        if is_hidden(name):
            return None
        file = f"variants/{name}.yaml"
        return next(((folder, file) for folder in folders if is_present(folder / file)), None)
    except (OSError, ValueError, RuntimeError):
        return None


def is_path(name: str) -> bool:
    """Whether a name is the path of an overlay rather than an id."""
    return name.endswith(".yaml") or _has_folder(name)


def is_id(name: str) -> bool:
    """Whether a name is the id of a ruleset rather than a path."""
    return not _has_folder(name) and not name.startswith(".")


def _has_folder(name: str) -> bool:
    return os.path.basename(name) != name  # noqa: PTH119 - Windows has two separators, and `Path` drops the last one


class Disk(DiskFiles):
    """The rulesets and overlays on disk."""

    def parts(self, ref: str) -> list[str]:
        """Splits a reference; see `FilePlace`."""
        return parts_of(ref)

    def ruleset(self, name: str, beside: Path | None = None) -> Path:
        """Finds a ruleset; see `FilePlace`."""
        return find_ruleset(name, beside)

    def overlay(self, name: str, folders: list[Path]) -> tuple[Path, str] | None:
        """Finds an overlay; see `FilePlace`."""
        return find_overlay(name, folders)


DISK: FilePlace = Disk()
