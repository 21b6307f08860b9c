"""Regular expressions of the product read what strangers write: none may take quadratic time."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator

import pytest
from folders import ROOT

LENGTH = 10_000
"""Characters of an attack. In linear time a pattern takes a millisecond for them, in quadratic time half a second."""

BOUNDED = {
    ("rulespec/syntax/habits.py", r"([A-Za-z]+) ?$"): "reads 80 characters",
    ("lsp/complete.py", r"([A-Za-z]\w*(?:\.\w+|\[[^\[\]]*\]|\([^()]*\))*)\.\w*$"): "reads 2,000 characters",
    ("lsp/complete.py", r"\.(\w+)|(\[)[^\]]*\]|(\()[^)]*\)"): "reads what the pattern above has found",
}

REPEATED = (
    *("a", "A", " ", "0", "(", "[", "{", '"', "#", ".", "-", "`"),
    *("a ", "a.", "a(", "a: ", "a, ", "any(", "let ", "for ", "-0", "1:"),
)
BEGINNINGS = ("", "a", '"', "(")


def patterns() -> Iterator[tuple[str, str, bool]]:
    """Each literal pattern of the product: its file, the pattern, whether it is only tried at a beginning."""
    for room in ("rulespec", "engine", "drawing", "lsp", "pages", "serve", "cli"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if any(part.is_symlink() for part in path.parents):
                continue
            text = path.read_text("utf-8")
            if "import re\n" not in text:
                continue
            for name, method, pattern in _calls(ast.parse(text)):
                used = set(re.findall(rf"\b{name}\.(\w+)\(", text)) if name else {method}
                yield path.relative_to(ROOT).as_posix(), pattern, used <= {"match", "fullmatch"}


def _calls(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Each call of `re` with a literal pattern: the name it is bound to or "", the function, the pattern."""
    names: dict[int, str] = {}
    for node in ast.walk(tree):  # an assignment comes before its value
        match node:
            case ast.Assign(targets=[target, *_], value=ast.Call() as value):
                names[id(value)] = ast.unparse(target)
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=method), args=[ast.Constant(str(pattern)), *_]):
                yield names.get(id(node), ""), method, pattern


@pytest.mark.parametrize("file, pattern, anchored", [p for p in patterns() if p[:2] not in BOUNDED])
def test_no_pattern_takes_quadratic_time(file: str, pattern: str, anchored: bool) -> None:
    compiled = re.compile(pattern)
    find = compiled.match if anchored else compiled.search
    for beginning in BEGINNINGS:
        for repeated in REPEATED:
            attack = beginning + repeated * (LENGTH // len(repeated)) + "\0"
            begun = time.process_time()
            find(attack)
            took = time.process_time() - begun
            assert took < 0.15, f"{file}: {pattern} takes {took:.2f} s for {beginning + repeated!r}…"


def test_the_bounded_patterns_are_those_of_the_product() -> None:
    assert BOUNDED.keys() <= {p[:2] for p in patterns()}
