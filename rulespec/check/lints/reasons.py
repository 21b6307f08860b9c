"""Declared reasons for disclosing private state."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Span


def _is_on_top(c: Context, file: str) -> bool:
    """Whether a file is in the top layer; an overlay above may have removed the target of its reasons."""
    layers = c.source.layers
    return layers.get(file, 0) == max(layers.values(), default=0)


class Reasons:
    """The deliberate disclosures of private values: `told` in the rules, and the list in `rules.yaml`."""

    def __init__(self, c: Context) -> None:
        self.disclosures = frozenset(c.rules.told)
        self._lines: dict[tuple[str, int], set[Span]] = {}
        self._idle = {span for span in self.disclosures if _is_on_top(c, span.file)}
        for one in c.source.disclosures:
            for number, line in enumerate(c.source.texts.get(one.at, "").split("\n"), 1):
                if one.text in line:
                    self._lines.setdefault((one.at, number), set()).add(one.span)
            if one.at in c.source.texts and _is_on_top(c, one.at):
                self._idle.add(one.span)

    def tell(self, place: Span) -> bool:
        """Whether the disclosure at a place is deliberate; if so, marks its reason as used."""
        reasons = self._lines.get((place.file, place.line), set())
        self._idle -= reasons | {place}
        return bool(reasons) or place in self.disclosures

    def idle(self) -> list[Span]:
        """The reasons that no disclosure has used."""
        return sorted(self._idle, key=lambda s: (s.file, s.line, s.column))
