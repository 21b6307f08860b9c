"""Findings about an imported drawing: how regions got their names, omitted parts, doubts, and remedies."""

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
from rulespec.drawing.outlines import rings_of
from rulespec.drawing.reading.element_names import quoted

_LISTED = 12  # names, labels and lines listed in one message
_SHOWN = 80
_RARE = 10  # regions named otherwise for each that a text names, if that is an exception
_DIGITS = "0123456789"


class Counts(Struct, frozen=True):
    """The number of regions in a drawing, by the origin of their names, and the number of touching pairs."""

    regions: int
    by_text: int
    by_label: int
    by_id: int
    by_program: int
    by_number: int
    touching: int

    def __str__(self) -> str:
        parts = [
            ("text", self.by_text),
            ("label", self.by_label),
            ("id", self.by_id),
            ("program", self.by_program),
            ("number", self.by_number),
        ]
        named = ", ".join(f"{number} by {what}" for what, number in parts if number)
        touching = f"{self.touching} pair{' that touches' if self.touching == 1 else 's that touch'}"
        return f"{_counted(self.regions, 'region')} (named {named}), {touching}"


def counts_of(drawn: DrawnMap) -> Counts:
    """The counts for the report on a drawing."""
    origins = [region.origin.source for region in drawn.regions]
    pairs = {frozenset((region.name, other)) for region in drawn.regions for other in region.touches}
    by_text, by_label, by_id, by_program = (origins.count(each) for each in ("text", "label", "id", "program"))
    by_number = by_program if drawn.notes.pictured else 0
    return Counts(len(origins), by_text, by_label, by_id, by_program - by_number, by_number, len(pairs))


def warn(drawn: DrawnMap, report: Report) -> None:
    """Reports findings about a drawing: RS364, RS365, RS472 to RS479, RS485, RS564, RS565, RS852, RS854 to RS859,
    RS906.
    """
    _Findings(drawn, report).all()


def as_json(drawn: DrawnMap) -> str:
    """The report on a drawing as JSON: counts, and findings with their places and remedies."""
    counts = counts_of(drawn)
    named = {"text": counts.by_text, "label": counts.by_label, "id": counts.by_id, "program": counts.by_program}
    named |= {"number": counts.by_number} if counts.by_number else {}
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
        """Reports all findings."""
        self._left_out()
        self._part()
        self._names()
        self._texts()
        self._places()

    def _left_out(self) -> None:
        """Reports omitted shapes and outlines."""
        for line, fault in self.notes.faults[:_LISTED]:
            self._warn("RS476", line, fault, "correct it in the drawing, or draw the shape again")
        if len(self.notes.faults) > _LISTED:
            message = f"at least {len(self.notes.faults) - _LISTED} more elements have such errors"
            self._warn("RS476", self.notes.faults[_LISTED][0], message, "export the drawing again")
        if areas := self.notes.areas:
            message = f"read as regions: {_counted(len(areas), 'invisible shape')}, with neither a fill nor a line"
            help_ = "if they are not the regions, give the real outlines a fill or a line, so that only those are read"
            self._warn("RS477", areas[0], message, help_)
        help_ = "if it is a region, give it a closed outline and a name"
        for what, lines in self.notes.left_out.items():
            also = f" (the first of {len(lines)})" if len(lines) > 1 else ""
            self._warn("RS564", lines[0], f"left out: {what}{also}", help_)
        for shape in self.drawn.background:
            name = f" `{_clean(shape.name)}`" if shape.name else ""
            message = f"left out: the background{name}, which other shapes cover"
            self._warn("RS564", shape.line, message, "if it is a region, make a part of it visible")
        for shape, first in self.drawn.twice[:1]:
            message = f"left out: `{_clean(shape.name)}`, which is the same shape as the one in line {first.line}"
            more = len(self.drawn.twice) - 1
            message += f", and {more} more duplicates" if more else ""
            self._warn("RS564", shape.line, message, "remove one of the two layers, or choose one with --layer")
        small = [region for region in self.drawn.regions if not region.outline]
        if small and len(small) == len(self.drawn.regions):
            message = "left out: all outlines, because each has no area or too many points"
            self._warn("RS564", 1, message, "simplify the paths of the drawing")
        else:
            self._too_small(small)

    def _too_small(self, small: Sequence[ImportedRegion]) -> None:
        """Reports regions too small for an outline, and borders at such regions or at slivers of others."""
        names = {region.name for region in small}
        borders = [pair for pair in self.drawn.unlinked if not names.isdisjoint(pair)]
        help_ = "draw them larger, or leave them out with --not"
        if small:
            message = f"{_are(len(small), 'region')} too small for an outline: {_names([r.name for r in small])}"
            if borders:
                message += f"; no link is proposed for {_counted(len(borders), 'border')} there: {_pairs(borders)}"
            self._warn("RS565", small[0].line, message, help_)
        if parts := [pair for pair in self.drawn.unlinked if names.isdisjoint(pair)]:
            message = f"parts of regions are too small for an outline; no link is proposed for {_pairs(parts)}"
            line = next(region.line for region in self.drawn.regions if region.name == parts[0][0])
            self._warn("RS565", line, message, f"{help_}; or link them by {_edit('link', parts[0])}")

    def _part(self) -> None:
        """Reports skipped groups, and the group that looks most like the map."""
        for layer, number in self.notes.hidden[:_LISTED]:
            message = f"the hidden group {_quoted(layer.name)} is skipped, with {_counted(number, 'shape')}"
            self._warn("RS856", layer.line, message, f"if it is the map, read it with --layer {quoted(layer.name)}")
        for layer in self.notes.ornaments[:_LISTED]:
            message = f"{_quoted(layer.name)} is skipped because its name is not that of a region"
            self._warn("RS856", layer.line, message, "if it is a region, rename it in the drawing")
        for each in self.notes.proposals[:1]:
            share = round(100 * min(each.covered, 1))
            hidden = "hidden " if each.layer.hidden else ""
            message = f"the {hidden}group {_quoted(each.layer.name)} looks like the map: "
            message += f"{_counted(each.shapes, 'shape')}, which cover {share} % of the drawing without gaps"
            self._warn("RS859", each.layer.line, message, f"read only this part: {each.flag}")

    def _names(self) -> None:
        """Reports names not chosen by an author, and labels shared by several shapes."""
        programs = [region for region in self.drawn.regions if region.origin.source == "program"]
        if self.notes.pictured:
            message = f"{_are(len(programs), 'region')} named by number, because text in a picture is not read"
            help_ = (
                "rename them on the page of `rulespec edit` (F2), or with `rulespec edit --do 'rename region_1 NAME'`"
            )
            self._warn("RS472", 1, message, help_)
        elif programs:
            names = _names([region.name for region in programs])
            lines = _lines(programs)
            message = (
                f"{_are(len(programs), 'region', 'has', 'have')} a name given by the drawing program: {names} ({lines})"
            )
            help_ = "label each region, or write its name inside it; exclude other shapes with `--not NAME`"
            self._warn("RS855", programs[0].line, message, help_)
        keys = self._keys()
        if keys:
            shape = "region looks" if len(keys) == 1 else "regions look"
            message = (
                f"{len(keys)} {shape} like the box of a legend: {_names([r.name for r in keys])} ({_lines(keys)}): "
            )
            message += "a plain box with a text or a second name, the colour of other shapes and no neighbour"
            self._warn("RS485", keys[0].line, message, f"if it is one, exclude it with `--not {quoted(keys[0].label)}`")
        by_text = [region for region in self.drawn.regions if region.origin.source == "text" and region not in keys]
        others = len(self.drawn.regions) - len(by_text) - len(programs)
        if 0 < len(by_text) <= others // _RARE:
            message = f"{_are(len(by_text), 'region')} named by a text, while {others} others are named by an id "
            message += f"or a label: {_names([region.name for region in by_text])} ({_lines(by_text)})"
            help_ = (
                f"if it is not a region but, say, a box with the date, exclude it: `--not {quoted(by_text[0].label)}`"
            )
            self._warn("RS478", by_text[0].line, message, help_)
        for regions in alike(self.drawn.regions):
            labels = " and ".join(_quoted(label) for label in [*dict.fromkeys(r.label for r in regions)][:_LISTED])
            message = f"{len(regions)} shapes are called {labels} ({_lines(regions)}): "
            message += "only a number distinguishes their regions"
            help_ = "give each its own label; or, to make them one region, name their group and remove their names"
            self._warn("RS852", regions[1].line, message, help_)

    def _keys(self) -> list[ImportedRegion]:
        """Regions that look like boxes of a legend, or like a second box for a region that is too small."""
        names = {region.name for region in self.drawn.regions}
        boxes = {
            region.name
            for region in self.drawn.regions
            if (region.origin.source == "text" or _unnumbered(region.name) in names - {region.name})
            and _is_box(region.outline)
        }
        pairs = [(region.name, other) for region in self.drawn.regions for other in region.touches]
        pairs = [pair for pair in (*pairs, *self.drawn.near, *self.drawn.short) if not boxes.issuperset(pair)]
        linked = {name for pair in pairs for name in pair}
        colours = {region.fill for region in self.drawn.regions if region.name in linked and region.fill}
        rest = boxes - linked
        return [region for region in self.drawn.regions if region.name in rest and region.fill in colours]

    def _texts(self) -> None:
        """Reports texts outside all shapes, or inside a shape as large as the drawing."""
        for region in self.drawn.by_text:
            message = f"a shape as large as the drawing is read as a region, `{region.name}`, named by the text in it"
            exclude = f"--not {quoted(region.label)}"
            help_ = f"exclude it if it is the background, `{exclude}`; otherwise give it an `id` or a label"
            self._warn("RS854", region.line, message, help_)
        if beside := self.notes.beside:
            pairs = ", ".join(f"{_quoted(text.words)} in {_quoted(name)}" for text, name in beside[:_LISTED])
            more = f" and {len(beside) - _LISTED} more" if len(beside) > _LISTED else ""
            message = f"{_are(len(beside), 'text')} inside a region with a different name: {pairs}{more}"
            help_ = "if it names a town, change nothing; if it names a neighbour, move it into that region"
            self._warn("RS364", beside[0][0].line, message, help_)
        if titled := self.notes.titled:
            pairs = ", ".join(f"{_quoted(text.words)} for {_quoted(name)}" for text, name in titled[:_LISTED])
            more = f" and {len(titled) - _LISTED} more" if len(titled) > _LISTED else ""
            message = (
                f"{_are(len(titled), 'title')} taken from a text that differs from the id of its shape: {pairs}{more}"
            )
            help_ = "keep it if it is another name of the region; if it names a town, label the shape itself"
            self._warn("RS479", titled[0][0].line, message, help_)
        for texts, how in (
            (self.notes.joined, "assembled from texts below or beside one another"),
            (self.notes.outlined, "taken from rows of letter-like shapes"),
            (self.notes.led, "taken from texts outside the shapes, connected to them by lines"),
            (self.notes.plated, "taken from boxes that lie in their regions"),
            (self.notes.grouped, "taken from texts beside the shapes, in the same group"),
        ):
            if texts:
                words = ", ".join(_quoted(text.words) for text in texts[:_LISTED])
                more = f" and {len(texts) - _LISTED} more" if len(texts) > _LISTED else ""
                message = f"{_are(len(texts), 'name')} {how}: {words}{more}"
                help_ = "if one is wrong, label its shape, or write the name as a single text inside it"
                self._warn("RS365", texts[0].line, message, help_)
        for shape, number in self.notes.parted:
            message = f"one shape is read as {number} regions, because most names are in different parts of it"
            self._warn("RS365", shape.line, message, "if it is one region, give it an `id` or a label")
        loose = [text for text in self.notes.loose if text.words]
        if loose:
            words = ", ".join(_quoted(text.words) for text in loose[:_LISTED])
            more = f" and {len(loose) - _LISTED} more" if len(loose) > _LISTED else ""
            message = f"{_are(len(loose), 'text')} outside all shapes: {words}{more}"
            self._warn(
                "RS857",
                loose[0].line,
                message,
                "if it names a region, move it into that region; otherwise change nothing",
            )

    def _places(self) -> None:
        """Reports regions that overlap or nearly touch."""
        for each in self.drawn.covered[:_LISTED]:
            by, share = _names(each.by), round(100 * each.share)
            message = f"{share} % of the region `{each.region.name}` is covered by {by}"
            parts, whole = quoted(each.by[0]), quoted(each.region.name)
            help_ = f"if these are parts of it, exclude the parts or the whole: `--not {parts}`, or `--not {whole}`"
            self._warn("RS906", each.region.line, message, help_)
        lines = {region.name: region.line for region in self.drawn.regions}
        if near := self.drawn.near:
            message = (
                f"{_are(len(near), 'border', 'has', 'have')} a gap: {_pairs(near)} run side by side, but do not touch"
            )
            help_ = "snap their points together in the drawing or in `rulespec edit`, or write the links yourself"
            self._warn("RS858", lines[near[0][0]], message, help_)
        elif len(lines) > 2 and not self.drawn.unlinked and not any(region.touches for region in self.drawn.regions):
            message = "no link is proposed, because no two regions touch"
            help_ = (
                "write the links yourself, or draw them in `rulespec edit`: lines in a drawing are not read as links"
            )
            self._warn("RS858", min(lines.values()), message, help_)
        if short := self.drawn.short:
            message = f"{_are(len(short), 'border')} too short for a link: {_pairs(short)}"
            help_ = "if a piece can go from one to the other, write the link yourself: none is proposed"
            self._warn("RS473", lines[short[0][0]], message, help_)
        if by_corner := self.drawn.by_corner:
            corner = "a corner" if len(by_corner) == 1 else "corners"
            message = (
                f"{_are(len(by_corner), 'link')} proposed across {corner}: {_pairs(by_corner)} touch, but share no edge"
            )
            help_ = f"remove any link that no piece can use: {_edit('unlink', by_corner[0])}"
            self._warn("RS475", lines[by_corner[0][0]], message, help_)
        if at_corner := self.drawn.at_corner:
            message = f"no link is proposed for {_pairs(at_corner)}, which meet only at a point"
            help_ = f"if a piece can go from one to the other, add the link: {_edit('link', at_corner[0])}"
            self._warn("RS474", lines[at_corner[0][0]], message, help_)


def _unnumbered(name: str) -> str:
    """A name without a number at its end: `lazio` for `lazio_2`."""
    bare = name.rstrip(_DIGITS)
    return name if bare == name else bare.removesuffix("_")


def _is_box(outline: str) -> bool:
    """Whether an outline is an axis-parallel rectangle; false for a region too small for an outline."""
    rings = rings_of(outline) if outline else []
    corners = [*zip(rings[0], [*rings[0][1:], rings[0][0]], strict=True)] if len(rings) == 1 else []
    return len(corners) == 4 and all(a[0] == b[0] or a[1] == b[1] for a, b in corners)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _are(number: int, what: str, one: str = "is", several: str = "are") -> str:
    return f"{_counted(number, what)} {one if number == 1 else several}"


def _clean(name: str) -> str:
    return MISLEADING.sub(" ", name)[:_SHOWN]


def _quoted(name: str) -> str:
    return f"`{_clean(name)}`"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(f"`{name}`" for name in names[:_LISTED]) + more


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    more = f" and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
    return ", ".join(f"`{a}` and `{b}`" for a, b in pairs[:_LISTED]) + more


def _edit(word: str, pair: tuple[str, str]) -> str:
    """The command that edits the link between two regions."""
    return f"`rulespec edit --do '{word} {pair[0]} {pair[1]}'`"


def _lines(regions: Iterable[ImportedRegion]) -> str:
    lines = [str(region.line) for region in regions][:_LISTED]
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(lines)}"
