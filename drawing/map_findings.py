"""Report of a drawing that became a map: the origin of names, parts that are left out, doubts, ways out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.json_text import to_json_text
from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.map_identity import alike
from rulespec.drawing.map_import import DrawnMap, ImportedRegion
from rulespec.drawing.reading.element_names import quoted

_LISTED = 12  # names, labels and lines of a message
_SHOWN = 80


class Counts(Struct, frozen=True):
    """The regions of a drawing by the origin of their names, and the pairs of them that touch."""

    regions: int
    by_text: int
    by_label: int
    by_id: int
    by_program: int
    touching: int

    def __str__(self) -> str:
        parts = [("text", self.by_text), ("label", self.by_label), ("id", self.by_id), ("program", self.by_program)]
        named = ", ".join(f"{number} by {what}" for what, number in parts if number)
        touching = f"{self.touching} pair{' that touches' if self.touching == 1 else 's that touch'}"
        return f"{_counted(self.regions, 'region')} (named {named}), {touching}"


def counts_of(drawn: DrawnMap) -> Counts:
    """The numbers of a drawing's report."""
    origins = [region.origin.source for region in drawn.regions]
    pairs = {frozenset((region.name, other)) for region in drawn.regions for other in region.touches}
    by_text, by_label, by_id, by_program = (origins.count(each) for each in ("text", "label", "id", "program"))
    return Counts(len(origins), by_text, by_label, by_id, by_program, len(pairs))


def warn(drawn: DrawnMap, report: Report) -> None:
    """Reports the findings on a drawing: RS564, RS565, RS852, RS854 to RS859, RS906."""
    _Findings(drawn, report).all()


def as_json(drawn: DrawnMap) -> str:
    """The report of a drawing as the text of a file: numbers, and findings with their places and ways out."""
    counts = counts_of(drawn)
    named = {"text": counts.by_text, "label": counts.by_label, "id": counts.by_id, "program": counts.by_program}
    findings = [
        {"code": d.code, "line": d.span.line if d.span else 1, "message": d.message, "help": d.help}
        for d in drawn.findings
    ]
    report = {"format": 1, "drawing": Path(drawn.file).name, "regions": counts.regions, "named": named}
    return to_json_text(report | {"touching": counts.touching, "findings": findings}, plain=True, indent=2) + "\n"


class _Findings:
    def __init__(self, drawn: DrawnMap, report: Report) -> None:
        self.drawn, self.report, self.notes = drawn, report, drawn.notes

    def _warn(self, code: str, line: int, message: str, help_: str) -> None:
        self.report.warning(code, message, Span(self.drawn.file, line, 1, line, 2), help=help_)

    def all(self) -> None:
        """Reports all of it."""
        self._left_out()
        self._part()
        self._names()
        self._texts()
        self._places()

    def _left_out(self) -> None:
        """Shapes and outlines that are left out."""
        help_ = "what should be a region needs an outline and a name of its own"
        for what, lines in self.notes.left_out.items():
            also = f" (the first of {len(lines)})" if len(lines) > 1 else ""
            self._warn("RS564", lines[0], f"left out: {what}{also}", help_)
        for shape in self.drawn.background:
            name = f" `{_clean(shape.name)}`" if shape.name else ""
            message = f"left out: the background{name}, which other shapes cover"
            self._warn("RS564", shape.line, message, "if it is a region, let something of it be seen")
        for shape, first in self.drawn.twice[:1]:
            message = f"left out: `{_clean(shape.name)}`, which is the same shape as the one in line {first.line}"
            more = len(self.drawn.twice) - 1
            message += f", and {more} more of that kind" if more else ""
            self._warn("RS564", shape.line, message, "take one of the two layers out, or choose one with --layer")
        small = [region for region in self.drawn.regions if not region.outline]
        if small and len(small) == len(self.drawn.regions):
            message = "left out: all outlines, which have no area, or too many points"
            self._warn("RS564", 1, message, "simplify the paths of the drawing")
        elif small:
            message = (
                f"{_counted(len(small), 'region')} without an outline, as too small: {_names([r.name for r in small])}"
            )
            self._warn("RS565", small[0].line, message, "draw them larger, or leave them out with --not")

    def _part(self) -> None:
        """Parts that are passed over, and one that looks more like the map."""
        for layer, number in self.notes.hidden[:_LISTED]:
            message = f"the hidden group {_quoted(layer.name)} is passed over, with {_counted(number, 'shape')}"
            self._warn("RS856", layer.line, message, f"if it is the map: --layer {quoted(layer.name)}")
        for layer in self.notes.ornaments[:_LISTED]:
            message = f"{_quoted(layer.name)} is passed over: by its name it is no region"
            self._warn("RS856", layer.line, message, "if it is one, call it otherwise in the drawing")
        for each in self.notes.proposals[:1]:
            share = round(100 * min(each.covered, 1))
            hidden = "hidden " if each.layer.hidden else ""
            message = f"the {hidden}group {_quoted(each.layer.name)} looks like the map: "
            message += f"{_counted(each.shapes, 'shape')}, which tile {share} % of the drawing"
            self._warn("RS859", each.layer.line, message, f"read it alone: {each.flag}")

    def _names(self) -> None:
        """Names that no author chose, and labels shared by shapes."""
        programs = [region for region in self.drawn.regions if region.origin.source == "program"]
        if programs:
            names, verb = _names([region.name for region in programs]), "has" if len(programs) == 1 else "have"
            lines = _lines(programs)
            message = f"{_counted(len(programs), 'region')} {verb} the name of a drawing program: {names} ({lines})"
            help_ = "label each shape, or write its name in it; what is no region: `--not NAME`"
            self._warn("RS855", programs[0].line, message, help_)
        for regions in alike(self.drawn.regions):
            labels = " and ".join(_quoted(label) for label in [*dict.fromkeys(r.label for r in regions)][:_LISTED])
            message = f"{len(regions)} shapes are called {labels} ({_lines(regions)}): "
            message += "only a number tells their regions apart"
            help_ = "give each a label of its own, or make them one region: a group with a name, whose shapes have none"
            self._warn("RS852", regions[1].line, message, help_)

    def _texts(self) -> None:
        """Texts that are in no shape, or in one that is as large as the drawing."""
        for region in self.drawn.by_text:
            message = f"a shape that takes up the whole drawing is the region `{region.name}`, by the text in it"
            help_ = "if it is the background, hide the text; if it is a region, give the shape an `id` or a label"
            self._warn("RS854", region.line, message, help_)
        loose = [text for text in self.notes.loose if text.words]
        if loose:
            words = ", ".join(_quoted(text.words) for text in loose[:_LISTED])
            more = f" and {len(loose) - _LISTED} more" if len(loose) > _LISTED else ""
            message = f"{_counted(len(loose), 'text')} in no shape: {words}{more}"
            self._warn("RS857", loose[0].line, message, "move a name into its region; leave a title as it is")

    def _places(self) -> None:
        """Regions that lie on one another, or nearly touch."""
        for each in self.drawn.covered[:_LISTED]:
            by, share = _names(each.by), round(100 * each.share)
            message = f"{share} % of the region `{each.region.name}` lies below {by}"
            help_ = (
                f"if these are its parts, choose: `--not {quoted(each.by[0])}`, or `--not {quoted(each.region.name)}`"
            )
            self._warn("RS906", each.region.line, message, help_)
        lines = {region.name: region.line for region in self.drawn.regions}
        if near := self.drawn.near:
            pairs = ", ".join(f"`{a}` and `{b}`" for a, b in near[:_LISTED])
            more = f" and {len(near) - _LISTED} more" if len(near) > _LISTED else ""
            message = (
                f"{_counted(len(near), 'border')} with a gap: {pairs}{more} run beside one another and do not touch"
            )
            help_ = (
                "snap their points to one another in the drawing, or in `rulespec edit`; else write the links yourself"
            )
            self._warn("RS858", lines[near[0][0]], message, help_)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _clean(name: str) -> str:
    return MISLEADING.sub(" ", name)[:_SHOWN]


def _quoted(name: str) -> str:
    return f"`{_clean(name)}`"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(f"`{name}`" for name in names[:_LISTED]) + more


def _lines(regions: Iterable[ImportedRegion]) -> str:
    lines = [str(region.line) for region in regions][:_LISTED]
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(lines)}"
