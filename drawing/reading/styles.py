"""Styles of a drawing's elements, from attributes, `style` and `<style>` rules, in order of precedence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import tinycss2
from msgspec import Struct, field
from tinycss2 import ast

from rulespec.diagnostics.report import Report
from rulespec.drawing.reading.looks import NO_ATTRIBUTES, PROPERTIES, RADII, WIDE, is_measured, size_in
from rulespec.drawing.reading.paints import THEMED, is_of_a_scheme
from rulespec.drawing.reading.selectors import Selector, SelectorBudget, SelectorError, selectors_of
from rulespec.drawing.reading.svg_tree import Document, Element, refused
from rulespec.drawing.reading.variables import with_variables

MAX_STYLES = 500_000
"""The maximum number of characters parsed in style sheets and `style` attributes."""
_MAX_RULES = 5_000
_DEEPEST = 30
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = re.compile(r"[][(){}]")
_SIMPLE = re.compile(r"[\w\s:;#.,%+-]*")
_SHOWN_MEDIA = re.compile(r"\s*(?:all|screen)?\s*", re.IGNORECASE)
_UNSHOWN_MEDIA = re.compile(r"\bprint\b|prefers-color-scheme\s*:\s*dark", re.IGNORECASE)
_NOT_MEDIA = re.compile(r"\bnot\b", re.IGNORECASE)
_FURTHER = frozenset({"d", "offset", "offset-path", "animation", "animation-name"})
"""Unsupported properties besides `all` that may change the position or look of an element."""
_WITHOUT_EFFECT = ("", "none", *WIDE)
_ANIMATIONS, _AT_ONCE = ("animate", "animateMotion", "animateTransform", "set"), ("", "0", "0s")
_PAINTS = ("fill", "stroke", "color", "stop-color")
_DARK, _ONLY_DARK = {"dark"}, {"dark", "only"}
_LENGTHS = ("font-size", "x", "y", "cx", "cy", "r", "rx", "ry", "width", "height")

_OWN = frozenset(_LENGTHS[1:])
"""Lengths that children do not take from their parents by themselves."""
_GROUPS = frozenset(("a", "defs", "g", "switch"))
"""Elements without such attributes, which only their styles can give them."""
_OF_FONTS = ("em", "ex", "ch", "ic", "lh", "cap")

Declared = tuple[str, str, bool]
"""A declaration: a property, its value, and whether it is important."""


class _Rule(Struct, frozen=True):
    selector: Selector
    order: int
    declared: list[Declared]


class StyleScope(Struct):
    """A tree of elements in which rules and variables apply: the drawing, or a copy by `use`.

    `root`: the repeated element; None for the whole drawing.
    `around`: the variables at the `use` element, which the copy inherits.
    """

    root: Element | None = None
    around: Mapping[str, str] = field(default_factory=dict)
    known: dict[int, dict[str, str]] = field(default_factory=dict)
    """The variables of elements, by the element's identity; filled on demand."""


class Styles(Struct):
    """The styles of a drawing; `whole` is the scope for elements outside copies."""

    file: str
    rules: dict[str, list[_Rule]] = field(default_factory=dict)
    """The rules by a requirement of their last compound: `#id`, `.class`, a tag, or "" for none."""
    unread: dict[str, int] = field(default_factory=dict)
    """Unsupported part of a style sheet → its first line."""
    budget: SelectorBudget = field(default_factory=SelectorBudget)
    _inline: dict[str, list[Declared]] = field(default_factory=dict)
    whole: StyleScope = field(default_factory=StyleScope)
    _has_variables: bool = False
    _has_scheme: bool = False
    _dark: int = 0
    """The line where a dark scheme is chosen; 0 if none is."""
    _parsed: int = 0
    _count: int = 0

    def values(self, element: Element, scope: StyleScope | None = None) -> dict[str, str]:
        """The values of an element's properties, from its attributes and all rules; `scope` defaults to the whole
        drawing.

        Raises:
            DiagnosticsError: RS561 if computing them takes too long.
        """
        scope = scope or self.whole
        results = self._cascaded(element, scope)
        for name, value in [*results.items()]:
            if name.startswith("--"):
                del results[name]
                continue
            if "var(" in value.lower():
                known = with_variables(value, self._variables_of(element, scope))
                results[name] = known if known and _is_valid(name, known) else "unset"
            if name in _OWN and results[name].lower() in WIDE:
                if known := self._inherited(element, name, results[name]):
                    results[name] = known
                else:
                    del results[name]
        return results

    def _inherited(self, element: Element, name: str, value: str) -> str:
        """The length of an element's parent for which a keyword stands; "" if it is the initial value."""
        parent = element.parent
        if value.lower() != "inherit" or parent is None:
            return ""
        above = self._cascaded(parent, self.whole).get(name, "")
        if parent.tag == "svg" and parent.parent is not None and above == parent.get(name):
            return ""  # browsers hand on only the size of the whole drawing
        if above.lower().endswith(_OF_FONTS) and "font-size" in self._cascaded(element, self.whole):
            self.unread.setdefault(f"{name}: inherit", element.line)  # it is measured by another font
        return self._inherited(parent, name, above) if above.lower() in WIDE else above

    def copied(self, use: Element, target: Element, scope: StyleScope | None) -> StyleScope:
        """The scope of a copy made by `use`; `scope` is the scope of the `use` element."""
        return StyleScope(target, self._variables_of(use, scope or self.whole) if self._has_variables else {})

    def _variables_of(self, element: Element, scope: StyleScope) -> Mapping[str, str]:
        """The variables of an element, by default those of its parent."""
        if (known := scope.known.get(id(element))) is None:
            parent = element.parent if element is not scope.root else None
            known = dict(self._variables_of(parent, scope) if parent is not None else scope.around)
            own = self._cascaded(element, scope)
            known |= {name: value for name, value in own.items() if name.startswith("--")}
            scope.known[id(element)] = known
        return known

    def _cascaded(self, element: Element, scope: StyleScope) -> dict[str, str]:
        """The cascaded values, which may refer to variables, and the values of variables."""
        results = {name: value for name in element.attributes if (value := self._attribute(element, name))}
        if space := element.get("xml:space"):
            results.setdefault("white-space", "pre" if space == "preserve" else "normal")
        elif element.tag == "text":  # set by the browser's own style sheet, so texts do not inherit it
            results.setdefault("white-space", "normal")
        strong: dict[str, str] = {}
        for name, value, important in self._of_rules(element, scope.root):
            (strong if important else results)[name] = value
        if text := element.attributes.get("style"):
            stronger = dict(strong)
            for name, value, important in self._style(text, element.line):
                (stronger if important else results)[name] = value
            strong = stronger
        return results | strong

    def _notes_scheme(self, name: str, value: str) -> None:
        """Notes a colour that depends on the scheme."""
        self._has_scheme = self._has_scheme or (name in _PAINTS and is_of_a_scheme(value))

    def _attribute(self, element: Element, name: str) -> str:
        """The value of an attribute that is also a property; "" for any other attribute."""
        check = PROPERTIES.get(name)
        if check is None or name in NO_ATTRIBUTES or (name in _OWN and element.tag in _GROUPS):
            return ""
        value = element.get(name)
        lower = value.lower()
        words = ("auto", *WIDE) if name in RADII else ()
        if lower in WIDE and name in _OWN and not words:
            return ""  # browsers take such keywords for lengths from styles alone
        if not value or name == "transform" or (lower in WIDE and not words):
            return value
        if "var(" in lower or (check(value) and lower not in words):
            self._notes_scheme(name, value)
            return value
        self._pass(name, value, element.line)
        if name in RADII:
            return "" if is_measured(value) and value.startswith("-") else "0"
        return value if name in _LENGTHS[1:] and is_measured(value) else ""  # where a shape needs it, it is reported

    def _pass(self, name: str, value: str, line: int) -> None:
        """Notes an unsupported declaration that may be visible in a browser."""
        is_further = name == "all" or (name in _FURTHER and value.lower() not in _WITHOUT_EFFECT)
        is_further = is_further or (name in _PAINTS and value.lower() in THEMED)
        if is_further or ("(" in value and name in PROPERTIES):
            self.unread.setdefault(f"{name}: {value[:60]}", line)
        if name == "color-scheme" and _DARK <= {*value.lower().split()} <= _ONLY_DARK:
            self._dark = self._dark or line

    def _of_rules(self, element: Element, root: Element | None) -> Iterator[Declared]:
        if not self.rules:
            return
        keys = ["", element.tag, f"#{element.get('id')}", *(f".{name}" for name in element.get("class").split()[:100])]
        rules = [rule for key in dict.fromkeys(keys) for rule in self.rules.get(key, ())]
        rules = [rule for rule in rules if rule.selector.holds(element, self.budget, root)]
        if self.budget.left < 0:
            raise refused(self.file, element.line, "its style sheet has too many rules", "write styles on the elements")
        for rule in sorted(rules, key=lambda rule: (rule.selector.weight, rule.order)):
            yield from rule.declared

    def _style(self, text: str, line: int) -> list[Declared]:
        if (known := self._inline.get(text)) is None:
            known = self._inline[text] = (
                self._plain(text, line) if _SIMPLE.fullmatch(text) else self._declared(text, line)
            )
        return known

    def _plain(self, text: str, line: int) -> list[Declared]:
        """The declarations in a text so simple that it needs no parser."""
        parts = (part.partition(":") for part in text.split(";"))
        declared = ((_lower(name.strip()), value.strip(), False) for name, _, value in parts)
        return self._with_variables(self._valid(declared, line))

    def _declared(self, source: str | Sequence[ast.Node], line: int) -> list[Declared]:
        if isinstance(source, str) and not self._is_parsed(source, line):
            return []
        nodes = tinycss2.parse_blocks_contents(source, skip_comments=True, skip_whitespace=True)
        if any(node.type in ("qualified-rule", "at-rule") for node in nodes):
            self.unread.setdefault("nested rules", line)
        return self._with_variables(
            self._valid(
                (
                    (_lower(node.name), tinycss2.serialize(node.value).strip(), node.important)
                    for node in nodes
                    if node.type == "declaration"
                ),
                line,
            )
        )

    def _valid(self, declared: Iterable[Declared], line: int) -> Iterator[Declared]:
        """The valid declarations; a browser ignores invalid ones."""
        for name, value, important in declared:
            if name == "font":
                name, value = "font-size", size_in(value)
            if name.startswith("--") or (name in PROPERTIES and "var(" in value.lower()) or _is_valid(name, value):
                self._notes_scheme(name, value)
                yield name, value, important
            else:
                self._pass(name, value, line)

    def _with_variables(self, declared: Iterable[Declared]) -> list[Declared]:
        """The declarations; records whether one sets a variable, which copies inherit."""
        results = [*declared]
        self._has_variables = self._has_variables or any(name.startswith("--") for name, *_ in results)
        return results

    def _is_parsed(self, text: str, line: int) -> bool:
        """Counts the characters of a text, and returns whether its brackets are nested within bounds."""
        self._parsed += len(text)
        if self._parsed > MAX_STYLES:
            reason = f"it has more than {MAX_STYLES:,} characters of styles"
            raise refused(self.file, line, reason, "write styles on the elements")
        is_shallow = _is_shallow(text)
        if not is_shallow:
            self.unread.setdefault("nested brackets", line)
        return is_shallow

    def take(self, text: str, line: int) -> None:
        """Adds the rules of a style sheet; unsupported parts are recorded for a warning."""
        if not self._is_parsed(text, line):
            return
        self._take(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), line)

    def _take(self, nodes: Iterable[ast.Node], line: int) -> None:
        for node in nodes:
            at = line + node.source_line - 1
            if node.type == "at-rule":
                if node.lower_at_keyword == "media" and node.content is not None:
                    if self.is_shown(tinycss2.serialize(node.prelude), at):
                        self._take(tinycss2.parse_blocks_contents(node.content, True, True), line)
                elif node.lower_at_keyword in ("import", "layer", "supports", "scope", "container"):
                    self.unread.setdefault(f"@{node.lower_at_keyword}", at)
            elif node.type == "qualified-rule":
                self._rule(node, at)

    def is_shown(self, media: str, line: int) -> bool:
        """Whether rules for a kind of media apply to a screen; records conditions that only a browser can evaluate."""
        is_shown = _SHOWN_MEDIA.fullmatch(media) is not None
        if not is_shown and (_NOT_MEDIA.search(media) or not _UNSHOWN_MEDIA.search(media)):
            self.unread.setdefault(f"@media {media.strip()[:60]}", line)
        return is_shown

    def _rule(self, node: ast.QualifiedRule, line: int) -> None:
        declared = self._declared(node.content, line)
        if not declared:
            return
        try:
            selectors = selectors_of(node.prelude)
        except SelectorError:
            self.unread.setdefault(f"{tinycss2.serialize(node.prelude).strip()[:60]} {{…}}", line)
            return
        for selector in selectors:
            self._count += 1
            if self._count > _MAX_RULES:
                raise refused(self.file, line, "its style sheet has too many rules", "write styles on the elements")
            last = selector.parts[-1]
            key = f"#{last.id}" if last.id else f".{last.classes[0]}" if last.classes else last.tag
            self.rules.setdefault(key, []).append(_Rule(selector, self._count, declared))

    def warn(self, document: Document, report: Report) -> None:
        """Warns of unsupported parts (RS850)."""
        if self._dark and self._has_scheme:
            self.unread.setdefault("color-scheme: dark", self._dark)
        if self.unread:
            shown = ", ".join(f"`{name}`" for name in [*self.unread][:5])
            message = f"ignored, though a browser may apply it: {shown}"
            help_ = (
                "write these styles on the elements: otherwise `--fill` may see a different colour, a hidden shape may "
                "become a region, and a text may name a neighbour of its region"
            )
            report.warning("RS850", message, document.place(min(self.unread.values())), help=help_)


def _is_valid(name: str, value: str) -> bool:
    """Whether a value is valid for a property."""
    check = PROPERTIES.get(name)
    if check is None or not value or (name in _LENGTHS and _has_no_unit(value)):
        return False
    return value.lower() in WIDE or check(value)


def _lower(name: str) -> str:
    """The name of a property in lower case, except for variables."""
    return name if name.startswith("--") else name.lower()


def _is_shallow(text: str) -> bool:
    """Whether brackets are nested within bounds; a mismatched bracket closes none."""
    open_: list[str] = []
    for bracket in _BRACKETS.findall(text):
        if bracket in _CLOSING:
            open_.append(_CLOSING[bracket])
            if len(open_) > _DEEPEST:
                return False
        elif open_ and open_[-1] == bracket:
            open_.pop()
    return True


def _has_no_unit(value: str) -> bool:
    """Whether a value is a number other than 0; as a length, only attributes accept it."""
    return re.fullmatch(r"[-+]?[\d.]+(?:e[-+]?\d+)?", value, re.IGNORECASE) is not None and float(value) != 0


def styles_of(document: Document) -> Styles:
    """The styles of a drawing, from all its `<style>` elements.

    Raises:
        DiagnosticsError: RS561 if they are larger than a map needs.
    """
    result = Styles(document.file)
    for line in document.sheets:
        result.unread.setdefault("xml-stylesheet", line)
    for element in document.elements():
        is_css = element.tag == "style" and element.get("type") in ("", "text/css")
        if is_css and result.is_shown(element.get("media"), element.line):
            result.take(element.text(), element.line)
        if element.tag == "script" or (element.tag in _ANIMATIONS and element.get("begin") in _AT_ONCE):
            result.unread.setdefault(f"<{element.tag}>", element.line)
    return result
