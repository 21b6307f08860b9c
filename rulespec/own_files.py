"""The current ruleset's own files, the only ones that editing commands may write.

These are the files in a ruleset's own folder, and the files of an overlay given by path. Files found only by id, such
as the base of a standalone overlay or of an extending ruleset, belong to someone else.
"""

from __future__ import annotations

import stat
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.references import find_ruleset, is_id, is_path, parts_of


class OwnFiles(Struct, frozen=True):
    """Folders and overlay files that may be changed, as real paths."""

    folders: tuple[Path, ...]
    overlays: tuple[Path, ...] = ()

    def __contains__(self, path: object) -> bool:
        """Whether a path is one of these files, and not a link."""
        if not isinstance(path, Path):
            return False
        try:
            real = path.resolve()
            plain = stat.S_ISREG(path.lstat().st_mode)
        except (OSError, RuntimeError, ValueError):
            return False
        return plain and (any(real.is_relative_to(f) for f in self.folders) or any(_of(o, real) for o in self.overlays))

    def __str__(self) -> str:
        return ", ".join(str(path) for path in (*self.folders, *self.overlays))


def own_files(ref: str) -> OwnFiles:
    """The writable files of a reference: the files of overlays given by path, and those in the ruleset's folder.

    The folder of a base found by id does not belong to a standalone overlay.
    """
    base, *overlays = parts_of(ref)
    own = tuple(Path(overlay).resolve() for overlay in overlays if is_path(overlay))
    if own and is_id(base):
        return OwnFiles((), own)
    try:
        return OwnFiles((find_ruleset(base).resolve(),), own)
    except DiagnosticsError:
        return OwnFiles((), own)


def _of(overlay: Path, path: Path) -> bool:
    """Whether a file belongs to an overlay: itself, its rules, its words, its drawing, its scenarios."""
    stem, folder = overlay.stem, overlay.parent
    if path == overlay or path == overlay.with_suffix(".rules"):
        return True
    beside = path.parent == folder / "titles" and path.name.partition(".")[0] == stem
    return beside or path == folder / "drawing" / overlay.name or path.parent == folder / "scenarios" / stem
