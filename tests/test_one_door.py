"""Files of strangers are opened by one door, `documents/foreign_files.py`; each other opening has its reason."""

from __future__ import annotations

import ast
import re

import pytest
from folders import ROOT
from package_files import package


def of_our_own(*files: str) -> dict[str, str]:
    return dict.fromkeys(files, "a file of the package")


OPENING = {
    **of_our_own("cli/coverage_page.py", "drawing/text_width.py", "engine/wasm/runtime/sources.py"),
    **of_our_own("engine/words/program_words.py", "pages/document.py", "pages/playtest_page.py"),
    **of_our_own("rulespec/diagnostics/pages.py", "rulespec/schemas/__init__.py", "rulespec/syntax/automaton.py"),
    **of_our_own("rulespec/syntax/parse_table.py"),
    "cli/lsp.py": "a stream of the process",
    "cli/main.py": "streams of the process",
    "cli/new.py": "a file that is written",
    "drawing/reading/svg_tree.py": "bytes that came through the door",
    "engine/corpus/archives.py": "opened by the door; each error of a library is a diagnostic",
    "engine/logs/saved_game.py": "the file that a game is written to, locked; it is read through the door",
    "engine/simulate/foreign_parquet.py": "opened by the door; each error of a library is a diagnostic",
    "engine/simulate/json_lines.py": "the file that results are written to, locked; lines of bounded length",
    "engine/simulate/parquet.py": "a folder that is locked, and parts that are written",
    "rulespec/cache.py": "the user's cache, which trusts nothing in it",
    "rulespec/documents/foreign_files.py": "the door",
    "rulespec/documents/written_files.py": "files that are written",
    "rulespec/signing.py": "the user's key",
    "drawing/reading/traced.py": "pictures from bytes that the door has given, in a process of their own",
    "serve/edit/first_map.py": "new files of a map, and a drawing that a page has given",
    "serve/edit/step_programs.py": "a page that a program of ours has just written",
    "serve/store.py": "the store of a server, locked and checked when it is opened",
    "serve/store_file.py": "the file of a store, which is checked before it is used",
    "serve/stored_log.py": "a store that is only read",
}
"""Modules that open files by other ways than `documents/foreign_files.py`, and why."""
OPENERS = {
    *("open", "fdopen", "read_bytes", "read_text", "fromfile", "memory_map", "FileIO"),
    *("GzipFile", "BZ2File", "LZMAFile", "ZipFile", "TarFile", "ParquetFile", "read_table", "ParserCreate"),
}


def opens_files(node: ast.AST) -> bool:
    """Whether a call opens a file, or reads one by a library; `read_text` and `read_bytes` as such are the door's."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in OPENERS - {"read_bytes", "read_text"}
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in OPENERS | {"connect", "File"}:
        return False
    name = ast.unparse(node.func)
    return name in ("sqlite3.connect", "click.File") or (node.func.attr in OPENERS and name != "webbrowser.open")


def test_files_of_strangers_are_opened_by_one_door() -> None:
    named = re.compile(rf"\b(?:{'|'.join(OPENERS)}|connect|File)\(")
    opening = {
        str(path.relative_to(ROOT))
        for path in package().values()
        if named.search(text := path.read_text("utf-8")) and any(map(opens_files, ast.walk(ast.parse(text))))
    }
    assert opening == OPENING.keys()


@pytest.mark.parametrize(
    "text, opens",
    [
        ("open(path)", True),
        ("path.open()", True),
        ("path.read_bytes()", True),
        ("gzip.open(path)", True),
        ("zipfile.ZipFile(path)", True),
        ("sqlite3.connect(path)", True),
        ("click.File('r')", True),
        ("read_text(path, name)", False),
        ("webbrowser.open(page)", False),
    ],
)
def test_an_opening_is_seen(text: str, opens: bool) -> None:
    assert opens_files(ast.parse(text, mode="eval").body) is opens
