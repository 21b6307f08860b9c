"""Tools for an author: the files of a ruleset in one folder, and commands that check, explain, test and draw it.

The tools edit rules and YAML files in the folder by replacing a string that occurs exactly once, and the map with the
command `edit`. Commands run in separate processes with a time limit.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.pages import read_page
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.folders import visible_files
from rulespec.documents.text_files import inside, is_file, read_text
from rulespec.documents.written_files import write_text
from rulespec.guests.tools import MOST_TEXT, Tool, ToolError, ToolParameter
from rulespec.language.builtins import BUILTINS
from rulespec.schemas import BESIDE, NAMES, load_schema

SUFFIXES = (".rules", ".yaml")
"""The file types that an author can read and write."""
MOST_FILES = 200
MOST_PARTS = 8
"""The maximum number of components of a path, including the file name."""
MOST_NAME = 100
"""The maximum number of characters of each component."""
MOST_FOUND = 30
"""The maximum number of matches for a keyword in an answer."""
SECONDS = 120
"""The time limit of a command in seconds."""
_SHOWN = 20_000
"""The maximum number of characters of a command's output in an answer."""
_FILE = ToolParameter("file", "string", "the file, by its path in the folder, such as rules/play.rules")


class AuthorTools:
    """The tools for an author.

    Args:
        folder: the folder of the ruleset, which may be empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        return (
            Tool("files", "The files of the ruleset, with their sizes.", (), self.files),
            Tool("read", "The text of a file.", (_FILE,), self.read),
            Tool(
                "write",
                "Replace a string that occurs exactly once in a file; with an empty string, create a new file.",
                (
                    _FILE,
                    ToolParameter("old", "string", "the text to replace; empty for a new file"),
                    ToolParameter("new", "string", "the text in its place"),
                ),
                self.write,
            ),
            Tool(
                "edit_map",
                "Edit the map by commands such as `link isle marsh`, with minimal changes to its files.",
                (ToolParameter("edits", "string", "one edit per line, as in `rulespec edit`"),),
                self.edit_map,
            ),
            Tool("validate", "Check the ruleset: all problems, with places and ways out.", (), self.validate),
            Tool(
                "explain",
                "Explain the code of a diagnostic, with a bad and a good example.",
                (ToolParameter("code", "string", "a code such as RS221"),),
                self.explain,
            ),
            Tool(
                "reference",
                "Entries of the language and the files for a keyword: functions, keys of files, grammar, codes.",
                (ToolParameter("keyword", "string", "a word, such as shuffle, private or distance"),),
                self.reference,
            ),
            Tool("test", "Run the scenarios and the recorded games of the ruleset.", (), self.test),
            Tool("draw", "Draw the board as SVG into the file `board.svg` of the folder.", (), self.draw),
            Tool(
                "playtest",
                "Measure the effect of a rule: compare an overlay of the folder with the ruleset by paired games.",
                (
                    ToolParameter("overlay", "string", "the file of the overlay, such as variants/short.yaml"),
                    ToolParameter("pairs", "integer", "the number of pairs of games, at most 200", 20),
                    ToolParameter("players", "integer", "the number of players, if several are possible", 0),
                ),
                self.playtest,
            ),
        )

    # --- files -------------------------------------------------------------------------------

    def files(self) -> dict[str, Any]:
        """The answer to a `files` call."""
        names = sorted(self._own())
        listed = [{"file": name, "bytes": self._path(name).stat().st_size} for name in names[:MOST_FILES]]
        return {"all": len(names), "files": listed}

    def _own(self) -> Iterator[str]:
        files = (path for path in visible_files(self.folder) if path.suffix in SUFFIXES and not path.is_symlink())
        yield from (path.relative_to(self.folder).as_posix() for path in islice(files, 10 * MOST_FILES))

    def _path(self, file: str) -> Path:
        """The path of a file of the ruleset.

        Raises:
            DiagnosticsError: RS106 if it is not below the folder.
            ToolError: if it is a link, a hidden file, or neither rules nor YAML, or if its path is too long.
        """
        parts = file.split("/")
        if len(parts) > MOST_PARTS or max(map(len, parts)) > MOST_NAME:
            raise ToolError(f"the path has more than {MOST_PARTS} parts, or a part of more than {MOST_NAME} characters")
        path = inside(self.folder, file)
        if path.suffix not in SUFFIXES or any(not part or part.startswith(".") for part in parts):
            rule = f"its name must end with {' or '.join(SUFFIXES)}, and no part of its path may begin with a dot"
            raise ToolError(f"`{file[:200]}` is not a file of a ruleset: {rule}")
        at = path
        while at != self.folder:
            if at.is_symlink():
                raise ToolError(f"`{file[:200]}` is a link, or is reached through one")
            if at != path and at.exists() and not at.is_dir():
                raise ToolError(f"`{at.relative_to(self.folder).as_posix()[:200]}` is a file, not a folder")
            at = at.parent
        return path

    def read(self, file: str) -> dict[str, Any]:
        """The answer to a `read` call."""
        path = self._path(file)
        if not is_file(path):
            raise ToolError(
                f"there is no file `{file[:200]}`; {did_you_mean(file, list(self._own())) or '`files` lists them'}"
            )
        return {"file": file, "text": read_text(path, file, 4 * MOST_TEXT)}

    def write(self, file: str, old: str, new: str) -> dict[str, Any]:
        """The answer to a `write` call."""
        path = self._path(file)
        if not old:
            if path.exists():
                raise ToolError(f"`{file}` already exists: replace a text in it")
            if sum(1 for _ in self._own()) >= MOST_FILES:
                raise ToolError(f"the folder has {MOST_FILES} files, which is the maximum")
            path.parent.mkdir(parents=True, exist_ok=True)
            text = new
        else:
            before = self.read(file)["text"]
            if (count := before.count(old)) != 1:
                raise ToolError(f"the text occurs in `{file}` {count} times: it must occur exactly once")
            text = before.replace(old, new)
        if len(text) > MOST_TEXT:
            raise ToolError(f"`{file}` would have more than {MOST_TEXT:,} characters")
        write_text(path, text)
        return {"file": file, "characters": len(text)}

    # --- commands ----------------------------------------------------------------------------

    def edit_map(self, edits: str) -> dict[str, Any]:
        """The answer to an `edit_map` call."""
        return self._run("edit", ".", "--from", "-", "--yes", typed=edits)

    def validate(self) -> dict[str, Any]:
        """The answer to a `validate` call."""
        return self._run("validate", "./", "--format", "json")

    def test(self) -> dict[str, Any]:
        """The answer to a `test` call."""
        return self._run("test", "./", "--format", "json")

    def draw(self) -> dict[str, Any]:
        """The answer to a `draw` call."""
        return self._run("draw", "./", "--out", "board.svg")

    def playtest(self, overlay: str, pairs: int, players: int) -> dict[str, Any]:
        """The answer to a `playtest` call."""
        if not is_file(self._path(overlay)):
            raise ToolError(f"there is no file `{overlay[:200]}`")
        if not 1 <= pairs <= 200:
            raise ToolError("`pairs` must be from 1 to 200")
        numbers: tuple[str, ...] = (
            "--pairs",
            str(pairs),
            "--ladder",
            "0",
            "--bots",
            "random",
            "--beside",
            "greedy",
            "--minutes",
            "1",
        )
        numbers += ("--players", str(players)) if players else ()
        return self._run("playtest", "./", f"+./{overlay}", *numbers, "--format", "json")

    def _run(self, *words: str, typed: str = "") -> dict[str, Any]:
        """Runs a command in the folder; returns its exit code and its output, parsed if it is JSON."""
        line = [sys.executable, "-P", "-m", "rulespec", *words]  # prevents imports of modules from the folder
        try:
            done = subprocess.run(
                line,
                cwd=self.folder,
                input=typed,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ToolError(f"`{words[0]}` took longer than {SECONDS} seconds, and was stopped") from None
        answer: dict[str, Any] = {"exit": done.returncode}
        try:
            return answer | {"result": json.loads(done.stdout)}
        except ValueError:
            return answer | {"text": (done.stdout + done.stderr)[:_SHOWN]}

    # --- reference ---------------------------------------------------------------------------

    def explain(self, code: str) -> dict[str, Any]:
        """The answer to an `explain` call."""
        page = read_page(code.upper())
        if page is None:
            near = did_you_mean(code.upper(), CODES) or "`validate` names codes, and `reference` finds some by a word"
            raise ToolError(f"there is no code `{code[:20]}`; {near}")
        return {"code": code.upper(), "text": page.text}

    def reference(self, keyword: str) -> dict[str, Any]:
        """The answer to a `reference` call."""
        word = keyword.strip().lower()
        if len(word) < 2 or len(word) > 40:
            raise ToolError("`keyword` must have 2 to 40 characters")
        results: dict[str, list[str]] = {
            "functions": [
                f"{name}({', '.join(each.name for each in record.parameters)}): {record.help}"
                for name, record in BUILTINS.items()
                if word in name or word in record.help.lower()
            ],
            "keys": [text for name in (*NAMES, *BESIDE) for text in _keys(load_schema(name), name, word)],
            "grammar": _grammar(word),
            "codes": [f"{code}: {title}" for code, title in CODES.items() if word in title.lower()],
        }
        return {kind: listed[:MOST_FOUND] for kind, listed in results.items()}


def _keys(schema: Any, at: str, word: str) -> Iterator[str]:
    """The keys of a schema with a word in their names or descriptions."""
    if isinstance(schema, list):
        for each in schema:
            yield from _keys(each, at, word)
    if not isinstance(schema, Mapping):
        return
    for key, of in schema.get("properties", {}).items():
        doc = str(of.get("description", "")) if isinstance(of, Mapping) else ""
        if word in key.lower() or word in doc.lower():
            yield f"{at}.{key}: {doc}"
    for key, of in schema.items():
        below = f"{at}.{key}" if key not in _FORMS else at
        if key == "properties":
            for name, each in of.items():
                yield from _keys(each, f"{at}.{name}", word)
        elif key != "description":
            yield from _keys(of, below, word)


_FORMS = {
    "$defs",
    "additionalProperties",
    "allOf",
    "anyOf",
    "else",
    "if",
    "items",
    "oneOf",
    "patternProperties",
    "then",
}


def _grammar(word: str) -> list[str]:
    """The grammar rules that contain a keyword of the language."""
    from rulespec.syntax import parse_table

    text = read_text(Path(parse_table.__file__).with_name("grammar.lark"), "grammar.lark")
    whole = re.compile(rf'"{re.escape(word)}"|^[?_]*\w*{re.escape(word)}\w*\s*:', re.IGNORECASE)
    return [" ".join(rule.split()) for rule in re.split(r"\n(?=\S)", text) if whole.search(rule)]
