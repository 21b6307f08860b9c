"""Matching of the regions in a changed drawing with the regions of the map: by name, or by label and outline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.drawing.map_import import DrawnMap, ImportedRegion
from rulespec.drawing.map_names import called, stem_of
from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import extent, rings_of
from rulespec.drawing.reading.element_names import is_of_a_program

_HALF, _NEARLY = 0.5, 0.9
"""The overlap, as a share of the larger area, of matching regions with equal labels, and with different labels."""
_COMPARED, _LINES = 1_000, 500
"""The maximum numbers of pairs of outlines to compare, and of scan-line crossings per pair."""
_LISTED = 6
_PROGRAM = "program"


class KnownRegion(Struct, frozen=True):
    """A region of the map: its name, title and position, and the path data of its outline ("" if it has none)."""

    name: str
    title: str
    position: tuple[int, ...]
    outline: str


class Identified(Struct, frozen=True):
    """The regions of a drawing under their names in the map; `by_outline` has labels of regions matched by outline."""

    regions: list[ImportedRegion]
    by_outline: dict[str, str]


def identified(drawn: DrawnMap, known: Sequence[KnownRegion]) -> Identified:
    """The regions of a drawing under their names in the map; regions new to the map get new names.

    Raises:
        DiagnosticsError: RS853 for each label with an uncertain region, RS907 for new labels that give the same name.
    """
    search = _Search(drawn, known)
    search.by_label()
    search.by_outline()
    search.report.raise_if_errors()
    new = [region for region in drawn.regions if region.name not in search.pairs]
    refuse_alike(DrawnMap(new, file=drawn.file))
    names = search.names()
    regions = [
        replace(region, name=names[region.name], touches=tuple(sorted(names[name] for name in region.touches)))
        for region in drawn.regions
    ]
    return Identified(regions, search.changed)


def alike(regions: Sequence[ImportedRegion]) -> list[list[ImportedRegion]]:
    """Groups of regions that share a label and have no certain name."""
    results: dict[str, list[ImportedRegion]] = {}
    for region in regions:
        if not region.origin.sure and region.origin.source != _PROGRAM:
            results.setdefault(called(region.label), []).append(region)
    return [group for group in results.values() if len(group) > 1]


def refuse_alike(drawn: DrawnMap) -> None:
    """Refuses different labels that yield the same name.

    Raises:
        DiagnosticsError: RS907 for each such name, with all its labels.
    """
    report, labels = Report(), dict[str, dict[str, ImportedRegion]]()
    for region in drawn.regions:
        is_label = region.origin.source != _PROGRAM and stem_of(region.origin.label) != ""
        if is_label and not region.origin.sure:
            labels.setdefault(region.origin.stem, {}).setdefault(called(region.origin.label), region)
    for stem, regions in labels.items():
        if len(regions) > 1:
            names = _listed(regions)
            lines = " and ".join(str(region.line) for region in [*regions.values()][:_LISTED])
            message = f"the labels {names} (lines {lines}) give the same name, `{stem}`"
            help_ = "change one of the labels, exclude one (--not), or write names in a file: --ids names.yaml"
            line = [*regions.values()][1].line
            report.error("RS907", message, Span(drawn.file, line, 1, line, 2), help=help_)
    report.raise_if_errors()


class _Search:
    def __init__(self, drawn: DrawnMap, known: Sequence[KnownRegion]) -> None:
        self.drawn = drawn
        self.known = {region.name: region for region in known}
        doubtful = {called(region.label) for region in drawn.regions if not region.origin.sure}
        self.sure = {region.name for region in drawn.regions if region.origin.sure}
        """Names that take precedence over titles, without those that the map's titles leave in doubt."""
        self.sure -= {name for name in self.sure & {*self.known} if self._title(name) in doubtful}
        self.pairs: dict[str, str] = {}
        self.changed: dict[str, str] = {}
        self.report = Report()
        self._budget = _COMPARED

    def _title(self, name: str) -> str:
        return called(self.known[name].title or name)

    def names(self) -> dict[str, str]:
        """Maps each region's name in the drawing to its name in the map; unmatched regions get unused names."""
        results = {name: name for name in self.sure} | self.pairs
        taken = {*self.known, *results.values()}
        for region in self.drawn.regions:
            if region.name not in results:
                name, number = region.name, 1
                while name in taken:
                    number += 1
                    name = f"{region.origin.stem}_{number}"
                taken.add(name)
                results[region.name] = name
        return results

    def by_label(self) -> None:
        """Matches regions by name or title, and ambiguous ones by outline."""
        labels: dict[str, list[ImportedRegion]] = {}
        for region in self.drawn.regions:
            if region.origin.source != _PROGRAM:
                labels.setdefault(called(region.label), []).append(region)
        titled: dict[str, list[KnownRegion]] = {}
        for other in self.known.values():
            titled.setdefault(self._title(other.name), []).append(other)
        for label, regions in labels.items():
            first = regions[0]
            others = [other for other in titled.get(label, []) if other.name not in self.sure]
            if first.name in self.sure:
                own = [other for name, other in self.known.items() if name == first.name]
                numbered = [other for other in others if _is_numbered(other, first.origin.stem)]
                others = own + numbered if own else others
            self._take(regions, others)

    def _take(self, regions: Sequence[ImportedRegion], others: Sequence[KnownRegion]) -> None:
        if len(regions) == len(others) == 1:
            self.pairs[regions[0].name] = others[0].name
            return
        pairs = self._alike(regions, others, _HALF)
        self.pairs |= pairs
        rest = [region for region in regions if region.name not in pairs]
        left = [other for other in others if other.name not in pairs.values()]
        if len(rest) == len(left) == 1 and len(regions) == len(others):  # the only one left
            self.pairs[rest[0].name] = left[0].name
        elif rest and left:
            self._refuse(rest, left)

    def by_outline(self) -> None:
        """Matches regions whose label is new or missing: by outline, among the regions not yet matched."""
        there = {name for name in self.sure if name in self.known}
        taken = {*self.pairs.values(), *there}
        left = [other for other in self.known.values() if other.name not in taken]
        rest = [region for region in self.drawn.regions if region.name not in {*self.pairs, *there}]
        pairs = self._alike(rest, left, _NEARLY)
        self.pairs |= pairs
        self.changed |= {
            pairs[region.name]: region.label
            for region in rest
            if region.name in pairs and region.origin.source != _PROGRAM
        }
        self.sure -= {*pairs}
        left = [other for other in left if other.name not in pairs.values()]
        stems: dict[str, list[ImportedRegion]] = {}
        for region in rest:
            if region.name not in pairs and region.name not in self.sure:
                stem = _PROGRAM if region.origin.source == _PROGRAM else region.origin.stem
                stems.setdefault(stem, []).append(region)
        for stem, regions in stems.items():
            bare = [other for other in left if not other.title and _may_be(other, stem)]
            if bare and self.report.ok:
                self._refuse(regions, bare)

    def _alike(self, regions: Sequence[ImportedRegion], others: Sequence[KnownRegion], share: float) -> dict[str, str]:
        """The pairs with equal or nearly equal outlines, if unambiguous."""
        if not others:
            return {}
        results = _only({(r.name, o.name) for r in regions for o in others if _is_same(r, o)})
        rest = [region for region in regions if region.name not in results]
        left = [other for other in others if other.name not in results.values()]
        return results | _only({(r.name, o.name) for r in rest for o in left if self._covers(r, o, share)})

    def _covers(self, region: ImportedRegion, other: KnownRegion, share: float) -> bool:
        if not region.outline or not other.outline or self._budget <= 0:
            return False
        try:
            one, two = rings_of(region.outline), rings_of(other.outline)
        except ValueError:  # in an author's file; `draw` reports it
            return False
        (a, b, c, d), (e, f, g, h) = (extent(p for ring in rings for p in ring) for rings in (one, two))
        if a >= g or e >= c or b >= h or f >= d:
            return False
        self._budget -= 1
        sizes, pairs = overlaps([one, two], _LINES)
        return pairs.get((0, 1), 0) > share * max(sizes)

    def _refuse(self, regions: Sequence[ImportedRegion], others: Sequence[KnownRegion]) -> None:
        lines = " and ".join(str(region.line) for region in regions[:_LISTED])
        labels = _listed(dict.fromkeys(region.label for region in regions))
        names = _listed(other.name for other in others)
        shapes = f"the shapes {labels} (lines {lines})" if len(regions) > 1 else f"the shape {labels}"
        line = regions[0].line
        message = f"{shapes} cannot be matched with certainty to the regions {names} of the map"
        name = others[0].name
        help_ = f"label each shape with the name of its region in map.yaml, such as `{name}`"
        if is_of_a_program(name):
            help_ = (
                f"rename the region (`rulespec edit --do 'rename {name} NAME'`), and label the shape with its new name"
            )
        self.report.error("RS853", message, Span(self.drawn.file, line, 1, line, 2), help=help_)


def _may_be(other: KnownRegion, stem: str) -> bool:
    """Whether a region's name may stem from an unlabelled shape: generated by a program, or a numbered `stem`."""
    if stem == _PROGRAM:
        return is_of_a_program(other.name)
    return other.name == stem or _is_numbered(other, stem)


def _is_numbered(other: KnownRegion, stem: str) -> bool:
    return re.fullmatch(rf"{re.escape(stem)}_[0-9]+", other.name) is not None


def _is_same(region: ImportedRegion, other: KnownRegion) -> bool:
    if region.outline and other.outline:
        return region.outline == other.outline
    return region.position == other.position


def _only(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs whose parts occur in no other pair."""
    pairs = [*pairs]
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return {one: other for one, other in pairs if ones.count(one) == others.count(other) == 1}


def _listed(names: Iterable[str]) -> str:
    shown = [f"`{name[:80]}`" for name in names]
    return " and ".join(shown[:_LISTED]) + (f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else "")
