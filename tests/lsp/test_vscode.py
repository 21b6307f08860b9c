"""The extension for VS Code: its manifest and files; as a proof, the package that `make vscode` builds."""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE
from folders import ROOT

FOLDER = ROOT / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
CONTRIBUTES = MANIFEST["contributes"]
SETTINGS = CONTRIBUTES["configuration"]["properties"]

STUBS = """
const Module = require("module");
const load = Module._load;
const log = {};
class LanguageClient {
  constructor(id, name, server, client) { Object.assign(log, { id, server, selector: client.documentSelector }); }
  start() { log.started = true; }
  stop() { log.stopped = true; }
}
const declared = require("./package.json").contributes.configuration.properties;
const workspace = {
  getConfiguration: (section) => ({ get: (name) => declared[`${section}.${name}`].default }),
  createFileSystemWatcher: (pattern) => ({ pattern }),
};
const stubs = { vscode: { workspace }, "vscode-languageclient/node": { LanguageClient } };
Module._load = (name, ...rest) => stubs[name] ?? load(name, ...rest);
const extension = require("./extension.js");
extension.activate();
extension.deactivate();
console.log(JSON.stringify(log));
"""


def matched(name: str) -> bool:
    """Whether the server looks at a file."""
    patterns = [pattern.removeprefix("**/") for pattern in SETTINGS["rulespec.files"]["default"]]
    return any(fnmatch.fnmatch(name, each.replace("**/", "")) for pattern in patterns for each in braces(pattern))


def braces(pattern: str) -> list[str]:
    """A pattern without braces for each choice in its first ones."""
    result = re.fullmatch(r"(.*?)\{(.*?)\}(.*)", pattern)
    return [f"{result[1]}{choice}{result[3]}" for choice in result[2].split(",")] if result else [pattern]


def test_the_manifest_names_what_is_there() -> None:
    named = {Path(MANIFEST["main"]).name, *(Path(g["path"]).name for g in CONTRIBUTES["grammars"])}
    named |= {Path(language["configuration"]).name for language in CONTRIBUTES["languages"]}
    copied = {path.name for folder in (FOLDER, ROOT / "editors" / "textmate") for path in folder.iterdir()}
    assert named <= copied
    grammar = json.loads((ROOT / "editors" / "textmate" / "rulespec.tmLanguage.json").read_text("utf-8"))
    assert [g["scopeName"] for g in CONTRIBUTES["grammars"]] == [grammar["scopeName"]]
    [language] = CONTRIBUTES["languages"]
    assert [e.removeprefix(".") for e in language["extensions"]] == grammar["fileTypes"]
    assert [g["language"] for g in CONTRIBUTES["grammars"]] == [language["id"]]
    client = (FOLDER / "extension.js").read_text("utf-8")
    assert {f"rulespec.{name}" for name in re.findall(r'settings\.get\("(\w+)"\)', client)} == set(SETTINGS)
    for name in re.findall(r'require\("([\w-]+)', client):
        assert name == "vscode" or name in MANIFEST["dependencies"]


def test_the_server_looks_at_the_files_of_rulesets_and_no_others() -> None:
    for name in ("rules/end.rules", "game.yaml", "map.yaml", "titles.de.yaml", "variants/own.yaml", "dialects/x.yaml"):
        assert matched(name), name
    for name in ("compose.yaml", "workflows/rulesets.yaml"):
        assert not matched(name), name


def test_lines_after_a_colon_are_indented() -> None:
    rules = json.loads((FOLDER / "language-configuration.json").read_text("utf-8"))["indentationRules"]
    more, less = (re.compile(rules[key]) for key in ("increaseIndentPattern", "decreaseIndentPattern"))
    assert more.search("    if a > b:  # so") and not more.search("    let a = b") and not more.search("# so:")
    assert less.search("    else:") and less.search("    elif a:") and not less.search("    if a:")


@pytest.mark.proof
@pytest.mark.skipif(shutil.which("npm") is None or shutil.which("make") is None, reason="needs npm and make")
def test_the_package_has_its_client_and_starts_the_server() -> None:
    subprocess.run(["make", "vscode"], cwd=ROOT, check=True, capture_output=True, timeout=DEADLINE)
    package = ROOT / "build" / "rulespec.vsix"
    with zipfile.ZipFile(package) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        assert json.loads(archive.read("extension/package.json"))["contributes"] == CONTRIBUTES
    assert {"extension.vsixmanifest", "[Content_Types].xml", "extension/extension.js"} <= names
    assert {"extension/rulespec.tmLanguage.json", "extension/node_modules/vscode-languageclient/node.js"} <= names
    command = ["node", "-e", STUBS]
    result = subprocess.run(command, cwd=ROOT / "build" / "vscode", check=True, capture_output=True, timeout=DEADLINE)
    log = json.loads(result.stdout)
    assert (log["server"], log["started"], log["stopped"]) == ({"command": "rulespec", "args": ["lsp"]}, True, True)
    assert [each["pattern"] for each in log["selector"]] == SETTINGS["rulespec.files"]["default"]
