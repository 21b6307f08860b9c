"""The editor of a map in a folder: edits, undo, and changes made by other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import Stamps, stamps
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import get, text
from rulespec.drawing.map_report import REPORT, of_json
from rulespec.fixes import fixed
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.map_edits import MapEdits, OpenKindError, as_before
from rulespec.lsp.map_files import MAP, MapEditError, MapFiles
from rulespec.lsp.map_proposals import MapProposals
from rulespec.lsp.map_words import WordsError, edit_of
from rulespec.lsp.outline_edits import OutlineBoard, OutlineEdits
from rulespec.lsp.project import Checked
from rulespec.lsp.rename import RenameError
from rulespec.own_files import own_files
from rulespec.references import is_path
from rulespec.ruleset_files import drawing_files
from rulespec.serve.edit.history import ChangedElsewhereError, History
from rulespec.serve.edit.map_messages import EditMessage, dependents
from rulespec.serve.edit.map_state import MAX_REGIONS, data_of, faults, form_of, proposals_of, regions_of, stale_of
from rulespec.serve.edit.picture import Drawn, ToDraw, packed
from rulespec.serve.edit.step_programs import NextStep, steps
from rulespec.typed import nodes as typed
from rulespec.types import Ent

Answer = dict[str, Any]
_TRIES = 4
_DRAWING = ("drawing", "outlines")
_REFUSALS = (MapEditError, WordsError, RenameError)


def _unless_unreadable(shown: Callable[..., Answer], proposals: MapProposals, *more: Checked) -> Answer | None:
    """A part of the state; None if the files are unreadable, or have no map."""
    with suppress(DiagnosticsError, MapEditError):
        return shown(proposals, *more) if (proposals.map.folder / MAP).is_file() else None
    return None


def _has_roles(d: typed.Declarations) -> bool:
    """Whether entities of some kind are held by players."""
    fields = [field for kind in d.kinds.values() if not kind.is_player for field in kind.state.values()]
    return any(isinstance(field.type, Ent) and field.type.kind == d.player_kind for field in fields)


class Editor:
    """The editor of a map, which only one thread at a time may use.

    Args:
        folder: the folder of a ruleset; only its files are changed.

    Attributes:
        state: the map in the form that its page expects.
        version: the number of changes to the files so far.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history = History(own_files(str(folder)))
        self.version = 0
        self.state: Answer = {"serial": 0, "regions": [], "form": None, "stale": ""}
        self._id = token_hex(8)
        self._files = EditorFiles()
        self._map = MapEdits(folder, self._files)
        self._stamps: Stamps = {}
        self._fixes: dict[int, list[Fix]] = {}  # by the serial of a state
        self._board: OutlineBoard | None = None
        self._outlined: Stamps | None = None  # the files on which it is based
        self._of_drawing: tuple[Diagnostic, ...] = ()
        self._places: dict[str, tuple[float, float]] = {}
        self.look()

    # --- the files ---------------------------------------------------------------------------------------------------

    def look(self) -> bool:
        """Reloads the files if they have changed; returns whether they did."""
        now = stamps([self.folder])
        if now == self._stamps:
            return False
        self._stamps = now
        self._map = MapEdits(self.folder, self._files)
        self.version += 1
        self._check()
        return True

    def _check(self) -> None:
        """Rebuilds the state from the current files."""
        map_ = self._map.map
        checked, diagnostics = map_.checked()
        before = self.state
        every = list(dict.fromkeys([*diagnostics, *self._of_drawing, *of_json(self.folder / REPORT)]))
        shown, fixes = faults(map_, checked, every)
        if before.get("version") != self.version:
            self._fixes.clear()
        proposals = MapProposals(map_)
        self._fixes[before["serial"] + 1] = fixes
        self.state = {
            "serial": before["serial"] + 1,
            "version": self.version,
            "regions": self._regions(map_, checked),
            "form": form_of(map_, checked) if checked is not None else before["form"],
            "faults": shown,
            "more": len(every) - len(shown),
            "stale": "" if checked is not None else stale_of(map_, diagnostics),
            "outlines": self._outlines(map_),
            "offers": _unless_unreadable(proposals_of, proposals),
            "data": _unless_unreadable(data_of, proposals, checked) if checked is not None else None,
            "undo": self.history.names[0],
            "redo": self.history.names[1],
        }

    def _regions(self, map_: MapFiles, checked: Checked | None) -> list[Any]:
        try:
            results = regions_of(map_, checked, self._places)
        except (DiagnosticsError, MapEditError):
            results = self.state["regions"]
        return results[:MAX_REGIONS]

    def _outlines(self, map_: MapFiles) -> OutlineBoard | None:
        """The outlines of the board; if they are unreadable, the last readable ones."""
        now = {path: stamp for path, stamp in self._stamps.items() if "drawing" in path.parts or path.stem in _DRAWING}
        if now != self._outlined:
            with suppress(DiagnosticsError, MapEditError):
                self._board, self._outlined = OutlineEdits(map_).board(), now
        return self._board

    # --- edits -------------------------------------------------------------------------------------------------------

    def hear(self, message: EditMessage) -> Answer:
        """Executes a page's request; returns the answer."""
        self.look()
        try:
            if message.do == "edit":
                return self._edit_surely(message)
            if message.do == "fix":
                return self._fix(message)
            name = self.history.undo() if message.do == "undo" else self.history.redo()
        except OpenKindError as error:
            if error.kinds and len(message.edits) == 1:
                return {"choose": {"kinds": error.kinds, "edit": message.edits[0], "name": message.name}}
            return {"refused": str(error)}
        except _REFUSALS as error:
            self._stamps = {}  # the files may have changed in any case
            return {"refused": str(error)}
        except DiagnosticsError as error:
            return {"refused": stale_of(self._map.map, error.diagnostics)}
        except Exception as error:  # the session survives a bug; nothing has been written
            return {"refused": f"internal error: {error!r:.300}"}
        finally:
            self.look()
        return {"done": f"{'undone' if message.do == 'undo' else 'redone'}: {name}"}

    def _edit_surely(self, message: EditMessage) -> Answer:
        """Makes edits, with a retry if another program changes the files at the same time."""
        for _ in range(_TRIES):
            try:
                return self._edit(message)
            except ChangedElsewhereError:
                self._stamps = {}
                self.look()
        return self._edit(message)

    def _edit(self, message: EditMessage) -> Answer:
        edits = MapEdits(self.folder, self._files)
        edits.map.start_from(self._map.map)
        remarks: list[str] = []
        for words in message.edits:
            remarks += edits.make(edit_of(edits, words)).remarks
        changes = {p: (edits.map.before[p], text) for p, text in edits.map.changes().items()}
        if not changes:
            return {"done": ""}
        remarks = [*dependents(edits.map.folder, message.edits, changes), *map(self._shorter, dict.fromkeys(remarks))]
        if remarks and not message.confirmed:
            return {"confirm": {"edits": message.edits, "name": message.name, "remarks": remarks}}
        self._bounded(edits.map)
        self._write(message.name or " ".join(message.edits[0])[:200], edits)
        return {"done": message.name, "remarks": remarks}

    def _shorter(self, remark: str) -> str:
        """A message with file names relative to the folder."""
        for folder in (str(self.folder), display(self.folder.resolve()), str(self.folder.resolve())):
            remark = remark.replace(f"{folder}/", "")
        return remark

    def _bounded(self, map_: MapFiles) -> None:
        """Refuses edits that would make the ruleset unreadable, and maps with too many regions."""
        if self._map.map.checked()[0] is not None and map_.checked()[0] is None:
            errors = [d for d in map_.checked()[1] if d.severity is Severity.ERROR]
            raise MapEditError(errors[0].message if errors else "the map could not be read after this edit")
        if len(regions_of(map_, None, {})) > MAX_REGIONS:
            raise MapEditError(f"the page can edit maps of at most {MAX_REGIONS} regions")

    def _fix(self, message: EditMessage) -> Answer:
        fixes = self._fixes.get(message.serial, [])
        if message.fix >= len(fixes):
            return {"refused": "the files have changed since this fix was shown: choose it again"}
        fix = fixes[message.fix]
        edits = MapEdits(self.folder, self._files)
        path = Path(fix.span.file).resolve()
        raw = edits.map.raw(path)
        text = raw.removeprefix("\ufeff").replace("\r\n", "\n")
        edits.map.take({path: as_before(raw, fixed({fix.span.file: text}, [fix])[fix.span.file])})
        name = f"fix {path.name}:{fix.span.line}"
        self._write(name, edits)
        return {"done": name}

    def _write(self, name: str, edits: MapEdits) -> None:
        """Writes the edits as one step, and keeps the result of the check."""
        changes = edits.map.changes()
        new = {path for path in changes if not (edits.map.before[path] or os.path.lexists(path))}
        before = {path: None if path in new else edits.map.before[path].encode() for path in changes}
        edits.map.checked()
        self.history.do(name, before, {path: text.encode() for path, text in changes.items()})
        edits.map.written()
        self._map, self._files = edits, edits.map.files
        self.version += 1
        now = stamps([self.folder])
        others = {path for path, stamp in now.items() if stamp != self._stamps.get(path)}
        # Changes by other programs to other files are still to be noticed.
        self._stamps |= {path: now[path] for path in others if path.resolve() in changes}
        self._check()

    def steps(self) -> list[NextStep]:
        """The next steps that the page proposes for the map."""
        checked = self._map.map.checked()[0]
        extends = text(get(checked.source.root, "game", "extends")) if checked is not None else ""
        base = str((self.folder / extends).resolve()) if is_path(extends) else extends
        least, most = checked.ruleset.players if checked is not None else (0, 0)
        roles = most if checked is not None and _has_roles(checked.declarations) else 0
        return [*steps(self.folder, base, least if least < most else None, roles)]

    # --- the picture -------------------------------------------------------------------------------------------------

    def to_draw(self) -> bytes | None:
        """The map for the drawing process; None while the files are unreadable."""
        checked = self._map.map.checked()[0]
        if checked is None:
            return None
        files = tuple(drawing_files(checked.ruleset.titled))
        plain = replace(checked.declarations, references={})  # bulky, and not needed for a picture
        return packed(ToDraw(self._id, plain, files, self._map.map.kind(), checked.ruleset.title))

    def take(self, drawn: Drawn | None, diagnostics: Sequence[Diagnostic]) -> bool:
        """Receives a finished picture from the drawing process; returns whether it changes the state."""
        places = drawn.places if drawn is not None else self._places
        if tuple(diagnostics) == self._of_drawing and places == self._places:
            return False
        self._of_drawing, self._places = tuple(diagnostics), dict(places)
        self._check()
        return True
