"""A session with the language server that uses every feature once, timed on Imperial, an overlay and a broken file.

    python bench/editor_session.py

Times are in milliseconds, from the request to the answer or, for an edit, from the change to its diagnostics.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from editor import Editor
from folders import ROOT

FACTORY = "imperial/rules/factory.rules"
MAP = "imperial/map.yaml"
OVERLAY = "own.yaml"
HEAD = 'id: own\ntitle: Own\nfor: imperial\nversion: "1"\n'
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9_999, "character": 0}}


class Session:
    """An editor that times its requests, printing one line for each."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor

    def timed(self, name: str, ask: Callable[[], Any]) -> Any:
        """The answer to a request; prints its time and its size."""
        begun = time.perf_counter()
        answer = ask()
        took = (time.perf_counter() - begun) * 1000
        print(f"  {name:44} {took:7.1f}   {_size(answer)}")
        return answer

    def ask(self, method: str, name: str, word: str, offset: int, **more: Any) -> Any:
        """The answer to a timed request about the first occurrence of a text in a document."""
        label = f"{method} · {word.strip()[:20]}"
        return self.timed(label, lambda: self.about(method, self.editor.at(name, word, offset) | more))

    def about(self, method: str, params: Any) -> Any:
        """The answer to a request, without timing."""
        return self.editor.ask(f"textDocument/{method}", params)

    def document(self, method: str, name: str, **more: Any) -> Any:
        """The answer to a timed request about a whole document."""
        document = {"textDocument": {"uri": self.editor.path(name).as_uri()}}
        return self.timed(method, lambda: self.about(method, document | more))


def _size(answer: Any) -> str:
    if isinstance(answer, dict) and "signatures" in answer:
        return str(answer["signatures"][0]["label"])
    if isinstance(answer, dict) and "changes" in answer:
        return f"{sum(map(len, answer['changes'].values()))} edits in {len(answer['changes'])} files"
    if isinstance(answer, dict) and "contents" in answer:
        return str(answer["contents"]["value"].replace("```rulespec", "").strip().split("\n")[0][:60])
    return f"{len(answer)} of them" if isinstance(answer, list) else "one" if answer else "none"


def on_imperial(session: Session) -> None:
    """Uses every feature on rules and YAML files."""
    editor = session.editor
    session.timed("open rules", lambda: editor.open(FACTORY))
    session.timed("open map", lambda: editor.open(MAP))
    session.ask("hover", FACTORY, "occupied(site)", 2)
    session.ask("hover", FACTORY, "build(site", 2)
    session.ask("hover", FACTORY, "IMP-FAC-01", 2)
    session.ask("definition", FACTORY, "occupied(site)", 2)
    session.ask("references", FACTORY, "occupied(site)", 2, context={"includeDeclaration": True})
    session.ask("signatureHelp", FACTORY, "occupied(site)", len("occupied("))
    session.ask("completion", FACTORY, "n.treasury", len("n."))
    session.ask("completion", MAP, "terrain: sea", len("terrain: "))
    session.ask("completion", MAP, "terrain: sea", len("te"))
    session.ask("rename", FACTORY, "factory_cost", 2, newName="factory_price")
    session.document("documentSymbol", FACTORY)
    session.document("formatting", FACTORY, options={"tabSize": 4, "insertSpaces": True})


def on_an_overlay(session: Session) -> None:
    """Uses features on a standalone overlay outside the ruleset."""
    editor = session.editor
    session.timed("open overlay", lambda: editor.open(OVERLAY, HEAD))
    text = HEAD + "add:\n  constants.max_factories: 3\nchanges:\n  map.regions.vienna.terrain: land\n  constants.\n"
    session.timed("edit", lambda: editor.change(OVERLAY, text))
    session.ask("completion", OVERLAY, "constants.\n", len("constants."))
    session.ask("completion", OVERLAY, "terrain: land", len("terrain: "))
    session.ask("completion", OVERLAY, "changes:", 2)
    session.timed("edit", lambda: editor.change(OVERLAY, HEAD + "add:\n  constants.max_factories: 3\n"))
    session.ask("rename", OVERLAY, "max_factories", 2, newName="most_factories")
    session.document("documentSymbol", OVERLAY)


def on_a_broken_file(session: Session) -> None:
    """Uses features while a rules file is invalid, and fixes a misspelt name."""
    editor = session.editor
    whole = editor.texts[editor.path(FACTORY)]
    session.timed("edit: misspelt", lambda: editor.replace(FACTORY, "not occupied(site)", "not ocupied(site)"))
    session.document("codeAction", FACTORY, range=WHOLE, context={"diagnostics": []})
    session.timed("edit: fixed", lambda: editor.change(FACTORY, whole))
    session.timed("edit: broken", lambda: editor.change(FACTORY, whole + "\nprocedure own(n: nation):\n    works("))
    session.ask("signatureHelp", FACTORY, "    works(", len("    works("))
    session.ask("hover", FACTORY, "occupied(site)", 2)
    session.ask("references", FACTORY, "occupied(site)", 2, context={"includeDeclaration": True})
    session.ask("completion", FACTORY, "n.treasury", len("n."))
    session.document("documentSymbol", FACTORY)


@contextmanager
def imperial() -> Iterator[Path]:
    """A context manager for a folder that holds a copy of Imperial without recorded games, and an overlay."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "games" / "imperial", Path(folder, "imperial"), ignore=shutil.ignore_patterns("logs"))
        Path(folder, OVERLAY).write_text(HEAD, "utf-8")
        yield Path(folder).resolve()


def main() -> None:
    """Prints a line for each feature."""
    with imperial() as folder, Editor(folder) as editor:
        session = Session(editor)
        for part in (on_imperial, on_an_overlay, on_a_broken_file):
            print(part.__name__.replace("_", " "))
            part(session)


if __name__ == "__main__":
    main()
