"""What depends on what, and where the games are."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("rulespec", "engine", "lsp", "cli")
MAY_IMPORT = {
    "rulespec": {"rulespec"},
    "engine": {"engine", "rulespec"},
    "lsp": {"lsp", "engine", "rulespec"},
    "cli": {"cli", "lsp", "engine", "rulespec"},
}

# What people install is called `rulespec`, so the door for tests of their own is there; nothing in the package uses it.
DOOR = ROOT / "rulespec" / "testing.py"

# Words that only a game has.
GAME_WORDS = {
    *("nation", "bond", "treasury", "rondel", "imperial", "swiss", "fleet", "army", "armies", "emperor", "barbarian"),
    *("investor", "germany", "italy", "france", "berlin", "taxation", "manoeuvre", "maneuver", "convoy", "shipyard"),
    *("armaments", "playimperial", "tetrarchia"),
}


def modules(package: str) -> list[Path]:
    return sorted(p for p in (ROOT / package).rglob("*.py") if "__pycache__" not in p.parts)


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_only_go_from_cli_to_engine_to_rulespec(package: str) -> None:
    ours = set(PACKAGES) | {"games", "tests"}
    for path in modules(package):
        allowed = MAY_IMPORT["engine"] if path == DOOR else MAY_IMPORT[package]
        assert imported(path) & ours <= allowed, path


def test_nothing_goes_through_the_door_for_authors() -> None:
    for path in (p for package in PACKAGES for p in modules(package)):
        assert "rulespec.testing" not in names_imported(path), path


def names_imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def words(text: str) -> set[str]:
    found: set[str] = set()
    for word in re.findall(r"[A-Za-z][A-Za-z_]*", text.lower()):
        for part in {word, *word.split("_")}:
            found |= {part, part.removesuffix("s")}
    return found


@pytest.mark.parametrize("package", ["rulespec", "engine", "lsp"])
def test_no_word_of_a_game_stands_outside_games(package: str) -> None:
    files = [p for p in (ROOT / package).rglob("*") if p.suffix in {".py", ".lark"}]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r'""".*?"""|(?m:#.*$)', "", text, flags=re.S) if package == "never" else text
        assert not words(text) & GAME_WORDS, (path, words(text) & GAME_WORDS)


def test_the_command_names_a_game_only_in_its_help() -> None:
    for path in modules("cli"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
            n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)
        }
        assert not words(" ".join(names)) & GAME_WORDS, path


def test_games_hold_data_only() -> None:
    allowed = {".yaml", ".rules", ".json", ".jsonl", ".md", ".svg", ".gz"}
    files = [p for p in (ROOT / "games").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    assert files
    for path in files:
        assert path.suffix in allowed, path
        assert not path.stat().st_mode & 0o111, path
        assert not path.is_symlink(), path
        assert path.read_bytes()[:2] != b"#!", path
