"""Selectors of a style sheet, which determine the elements that a rule matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from tinycss2 import ast, nth

from rulespec.drawing.reading.svg_tree import Element

MAX_TESTS = 500_000
"""The maximum number of comparisons between elements and parts of selectors."""
_MAX_PARTS, _MAX_NESTED, _MAX_INNER = 32, 4, 16
_MAX_TOKENS = 200
_LONGEST = 1_000  # compared characters of an attribute
_STATES = frozenset({"hover", "active", "focus", "focus-within", "focus-visible", "target", "visited", "checked"})
"""Pseudo-classes of interaction, which never apply to a printed picture."""
_COUNTED = ("nth-child", "nth-last-child", "nth-of-type")
_PLACED = ("first-child", "last-child", "only-child")

Test = Callable[[Element, Element | None], bool]
"""A test of an element; the second argument is the root of its copy by `use`, where matching ends."""


class SelectorError(Exception):
    """The selector is not supported."""


class SelectorBudget(Struct):
    """A limit on the number of comparisons."""

    left: int = MAX_TESTS

    def spend(self) -> bool:
        """Counts a comparison; returns whether it is still within the budget."""
        self.left -= 1
        return self.left >= 0


class Compound(Struct):
    """A compound selector: tests of one element, and the combinator before it: " ", ">", "+" or "~"."""

    combinator: str = ""
    tag: str = ""
    id: str = ""
    classes: list[str] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    empty: bool = True

    def holds(self, element: Element, root: Element | None) -> bool:
        """Whether an element passes the tests; `root` is as in `Selector.holds`."""
        return (
            self.tag in ("", element.tag)
            and self.id in ("", element.get("id"))
            and (not self.classes or {*self.classes} <= {*element.get("class")[:_LONGEST].split()})
            and all(test(element, root) for test in self.tests)
        )


class Selector(Struct, frozen=True):
    """A complex selector: compounds from left to right, and its specificity (ids, classes, tags)."""

    parts: list[Compound]
    weight: tuple[int, int, int]

    def holds(self, element: Element, budget: SelectorBudget, root: Element | None = None, at: int = -1) -> bool:
        """Whether an element matches the compounds up to index `at`.

        `root` is the root of the `use` copy that contains the element; such a copy is a separate tree.
        """
        part = self.parts[at]
        if not budget.spend() or not part.holds(element, root):
            return False
        if -at == len(self.parts):
            return True
        return any(self.holds(each, budget, root, at - 1) for each in _reached(element, part.combinator, root))


def _reached(element: Element, combinator: str, root: Element | None) -> Iterator[Element]:
    """The elements that the combinator of a compound leads to."""
    if element is root:
        return
    if combinator in (" ", ">"):
        parent = element.parent
        while parent is not None:
            yield parent
            parent = parent.parent if combinator == " " and parent is not root else None
    elif element.parent is not None:
        least = max(element.number - 1, 0) if combinator == "+" else 0
        for number in range(element.number - 1, least - 1, -1):
            yield element.parent.elements[number]


def selectors_of(prelude: Sequence[ast.Node], nested: int = 0) -> list[Selector]:
    """The selectors of a rule.

    Raises:
        SelectorError: if one of them is unsupported, so that the whole rule must be ignored.
    """
    lists: list[list[ast.Node]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            lists.append([])
        elif token.type != "comment":
            lists[-1].append(token)
    return [_Parser(tokens, nested).selector() for tokens in lists]


class _Parser:
    def __init__(self, tokens: list[ast.Node], nested: int) -> None:
        self._tokens, self._nested = tokens, nested
        self._parts = [Compound()]
        self._weight = [0, 0, 0]

    def selector(self) -> Selector:
        """Parses a single selector."""
        if len(self._tokens) > _MAX_TOKENS:
            raise SelectorError
        at = 0
        while at < len(self._tokens):
            at = self._take(at)
            if len(self._parts) > _MAX_PARTS:
                raise SelectorError
        if self._parts[-1].empty and self._parts[-1].combinator == " ":
            self._parts.pop()
        if not self._parts or any(part.empty for part in self._parts):
            raise SelectorError
        a, b, c = self._weight
        return Selector(self._parts, (a, b, c))

    def _take(self, at: int) -> int:
        """Consumes a token; returns the index of the next one."""
        token, part = self._tokens[at], self._parts[-1]
        value = getattr(token, "value", "")
        if token.type == "whitespace":
            self._combine(" ")
        elif token.type == "literal" and value in (">", "+", "~"):
            self._combine(value)
        elif token.type == "literal" and value == "|":
            part.tag = ""  # the token before it was a namespace prefix
        elif token.type == "literal" and value == "*":
            part.empty = False
        elif token.type == "ident" and not part.tag:
            part.tag, part.empty = token.value, False
            self._weight[2] += 1
        elif token.type == "hash" and token.is_identifier:
            part.tests.append(_with_id(value)) if part.id else None
            part.id, part.empty = part.id or value, False
            self._weight[0] += 1
        elif token.type == "[] block":
            part.tests.append(_attribute(token.content))
            part.empty = False
            self._weight[1] += 1
        elif token.type == "literal" and value in (".", ":") and at + 1 < len(self._tokens):
            self._named(value, self._tokens[at + 1])
            return at + 2
        else:
            raise SelectorError
        return at + 1

    def _combine(self, combinator: str) -> None:
        part = self._parts[-1]
        if part.empty and len(self._parts) > 1 and " " in (part.combinator, combinator):
            part.combinator = part.combinator if combinator == " " else combinator
        elif not part.empty:
            self._parts.append(Compound(combinator))
        elif combinator != " ":
            raise SelectorError

    def _named(self, sign: str, token: ast.Node) -> None:
        part = self._parts[-1]
        part.empty = False
        if sign == "." and token.type == "ident":
            part.classes.append(token.value)
            self._weight[1] += 1
        elif sign == ":" and token.type == "ident":
            part.tests.append(_state(token.lower_value))
            self._weight[1] += 1
        elif sign == ":" and token.type == "function":
            self._function(part, token)
        else:
            raise SelectorError

    def _function(self, part: Compound, token: ast.FunctionBlock) -> None:
        name = token.lower_name
        if name in _COUNTED:
            steps = nth.parse_nth(token.arguments)
            if steps is None:
                raise SelectorError
            part.tests.append(_nth(*steps, last="last" in name, alike=name.endswith("of-type")))
            self._weight[1] += 1
            return
        if name not in ("not", "is", "where") or self._nested >= _MAX_NESTED:
            raise SelectorError
        inner = selectors_of(token.arguments, self._nested + 1)
        if len(inner) > _MAX_INNER or any(len(selector.parts) > 1 for selector in inner):
            raise SelectorError  # compounds alone, without combinators
        compounds = [selector.parts[0] for selector in inner]
        part.tests.append(lambda e, root: any(c.holds(e, root) for c in compounds) == (name != "not"))
        if name != "where":
            largest = max(selector.weight for selector in inner)
            self._weight = [a + b for a, b in zip(self._weight, largest, strict=True)]


def _with_id(name: str) -> Test:
    return lambda element, _: element.get("id") == name


def _state(name: str) -> Test:
    """The test for a structural pseudo-class."""
    if name == "root":
        return lambda element, root: element.parent is None and root is None
    if name in _PLACED:
        first, last = name != "last-child", name != "first-child"
        return lambda e, root: (not first or _place(e, root, False) == 1) and (not last or _place(e, root, True) == 1)
    if name == "first-of-type":
        return lambda element, root: _place(element, root, False, alike=True) == 1
    if name == "empty":
        return lambda element, _: not element.content
    if name in _STATES:
        return lambda *_: False
    raise SelectorError


def _place(element: Element, root: Element | None, last: bool, alike: bool = False) -> int:
    """The position of an element among its siblings, from 1; `alike` counts only those with its tag."""
    if element.parent is None or element is root:
        return 1
    if alike:
        return element.of_tag + 1
    return len(element.parent.elements) - element.number if last else element.number + 1


def _nth(step: int, first: int, *, last: bool, alike: bool) -> Test:
    def test(element: Element, root: Element | None) -> bool:
        rest = _place(element, root, last, alike) - first
        return rest == 0 if step == 0 else rest % step == 0 and rest // step >= 0

    return test


def _attribute(tokens: Sequence[ast.Node]) -> Test:
    """The test for `[name]`, `[name=value]` and the like."""
    parts = [token for token in tokens if token.type not in ("whitespace", "comment")]
    if not parts or parts[0].type != "ident":
        raise SelectorError
    name = parts[0].value
    if len(parts) == 1:
        return lambda element, _: name in element.attributes
    if len(parts) != 3 or parts[1].type != "literal" or parts[2].type not in ("ident", "string"):
        raise SelectorError
    compare, value = _COMPARED.get(parts[1].value), parts[2].value
    if compare is None:
        raise SelectorError
    return lambda element, _: name in element.attributes and compare(element.attributes[name][:_LONGEST], value)


_COMPARED: dict[str, Callable[[str, str], bool]] = {
    "=": lambda has, value: has == value,
    "~=": lambda has, value: value in has.split(),
    "|=": lambda has, value: has == value or has.startswith(f"{value}-"),
    "^=": lambda has, value: value != "" and has.startswith(value),
    "$=": lambda has, value: value != "" and has.endswith(value),
    "*=": lambda has, value: value != "" and value in has,
}
