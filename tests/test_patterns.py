"""Regular expressions of the product read what strangers write: none may take quadratic time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

import pytest
from folders import ROOT
from pattern_steps import Matcher, TooManyStepsError

LENGTH = 24
"""Characters of an attack, and of half of a longer one."""

BOUNDED = {
    ("rulespec/syntax/habits.py", r"([A-Za-z]+) ?$"): "reads 80 characters",
    ("lsp/complete.py", r"([A-Za-z]\w*(?:\??\.\w+|\[[^\[\]]*\]|\([^()]*\))*)\??\.\w*$"): "reads 2,000 characters",
    ("lsp/complete.py", r"\.(\w+)|(\[)[^\]]*\]|(\()[^)]*\)"): "reads what the pattern above has found",
}

REPEATED = (
    *("a", "A", " ", "0", "(", "[", "{", '"', "#", ".", "-", "`"),
    *("a ", "a.", "a(", "a: ", "a, ", "any(", "let ", "for ", "-0", "1:"),
)
BEGINNINGS = ("", "a", '"', "(")


@cache
def patterns() -> tuple[tuple[str, str, bool], ...]:
    """All literal patterns of the product, from one reading of its files."""
    return tuple(_patterns())


def _patterns() -> Iterator[tuple[str, str, bool]]:
    """Each literal pattern of the product: its file, the pattern, whether it is only tried at a beginning."""
    for room in ("rulespec", "engine", "drawing", "lsp", "pages", "serve", "guests", "cli"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if any(part.is_symlink() for part in path.parents):
                continue
            text = path.read_text("utf-8")
            if "import re\n" not in text:
                continue
            for name, method, pattern in _calls(text):
                used = set(re.findall(rf"\b{name}\.(\w+)\(", text)) if name else {method}
                yield path.relative_to(ROOT).as_posix(), pattern, used <= {"match", "fullmatch"}


def _calls(text: str) -> Iterator[tuple[str, str, str]]:
    """Each call of `re` with a literal pattern: the name it is bound to or "", the function, the pattern."""
    names: dict[int, str] = {}
    lines = text.split("\n")
    using = (
        statement
        for statement in ast.parse(text).body
        if any("re." in line for line in lines[statement.lineno - 1 : statement.end_lineno])
    )
    for node in chain.from_iterable(map(ast.walk, using)):  # an assignment comes before its value
        match node:
            case ast.Assign(targets=[target, *_], value=ast.Call() as value):
                names[id(value)] = ast.unparse(target)
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=method), args=[ast.Constant(str(pattern)), *_]):
                yield names.get(id(node), ""), method, pattern


def quadratic(pattern: str, *, anchored: bool) -> str:
    """An attack of which twice as much takes more than three times the steps; "" if there is none."""
    matcher = Matcher(pattern)
    for beginning in BEGINNINGS if matcher.is_unbounded() else ():
        for repeated in REPEATED:
            short, long = (beginning + repeated * (length // len(repeated)) + "\0" for length in (LENGTH, 2 * LENGTH))
            try:
                most = 3 * matcher.run(short, 5 * LENGTH**2, anchored=anchored)
                matcher.run(long, most, anchored=anchored)
            except TooManyStepsError:
                return beginning + repeated
    return ""


@pytest.mark.parametrize("file, pattern, anchored", [p for p in patterns() if p[:2] not in BOUNDED])
def test_no_pattern_takes_quadratic_time(file: str, pattern: str, anchored: bool) -> None:
    attack = quadratic(pattern, anchored=anchored)
    assert not attack, f"{file}: {pattern} takes quadratic time for {attack!r}…"


@pytest.mark.parametrize(
    "pattern, anchored",
    [
        (r"\s+$", False),
        (r"a*a*b", True),
        (r"(?:a|aa)+b", True),
        (r"(?:\w+\.?)+:", True),
        (r".*x", False),
        (r"\([^)]*\)", False),
        (r"(\w+)\s*=.*?;", False),
        (r"^( *)(.*?) *$\n", True),
        *((pattern, False) for _, pattern in BOUNDED),
    ],
)
def test_quadratic_patterns_are_found(pattern: str, anchored: bool) -> None:
    assert quadratic(pattern, anchored=anchored)


@pytest.mark.parametrize("pattern", [r"^\s+", r"\w+", r"a{1,20}b", r"(?>a*)b", r"a*+b", r"\b\w+\b", r"(?<!a)a+b"])
def test_linear_patterns_are_left_alone(pattern: str) -> None:
    assert not quadratic(pattern, anchored=pattern[0] in "(a" and "<!" not in pattern)


@pytest.mark.parametrize("pattern", sorted({p[1] for p in patterns()}))
@pytest.mark.sampled(12)
def test_the_counting_matcher_finds_what_re_finds(pattern: str) -> None:
    for text in (
        beginning + repeated * 3 + end for beginning in BEGINNINGS for repeated in REPEATED for end in ("", ")")
    ):
        for anchored in (False, True):
            result = (re.match if anchored else re.search)(pattern, text)
            assert Matcher(pattern).finds(text, anchored=anchored) == (result and result.span())


def test_the_bounded_patterns_are_those_of_the_product() -> None:
    assert BOUNDED.keys() <= {p[:2] for p in patterns()}
