"""The rules offered for new tables: those named at the start of the server, and all rulesets that have an id."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import Stamps, stamps
from rulespec.documents.kept_trees import read_kept
from rulespec.documents.text_files import display, inside
from rulespec.documents.yaml_nodes import get, text
from rulespec.errors import RulespecError
from rulespec.load import load_ruleset
from rulespec.references import find_overlay, known_folders, known_rulesets
from rulespec.serve.hall import Hall
from rulespec.serve.table_rules import TableRules
from rulespec.typed.settings import values_to_try

_REMEMBERED = 32
"""The number of combinations of ruleset and overlays to cache for further tables."""


class NoOfferError(RulespecError):
    """A request for rules that are not on offer."""


class Offers:
    """The rulesets on offer, which are loaded on demand.

    Args:
        hall: the hall, whose offers are listed first and whose language applies to all texts.
    """

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._loaded: dict[str, TableRules] = {}
        self._titles: dict[str, tuple[Stamps, str]] = {}

    def listed(self) -> dict[str, dict[str, Any]]:
        """Maps a reference to a title; rules that are already loaded also have their player counts."""
        named = {
            ref: {"title": rules.words.game, "players": list(rules.ruleset.players)}
            for ref, rules in self._hall.offers.items()
        }
        return named | {
            id_: {"title": self._title(id_, folder)} for id_, folder in known_folders().items() if id_ not in named
        }

    def _title(self, id_: str, folder: Path) -> str:
        """The title of a ruleset, cached until its game.yaml changes."""
        stamp = stamps([folder / "game.yaml"])
        if id_ not in self._titles or self._titles[id_][0] != stamp:
            self._titles[id_] = stamp, _title(id_, folder)
        return self._titles[id_][1]

    async def rules(self, ref: str, overlays: Sequence[str] = ()) -> TableRules:
        """The rules of an offer with the chosen overlays.

        Raises:
            NoOfferError: if there is no such offer or overlay.
            DiagnosticsError: if the rules have mistakes.
        """
        base = self._hall.offers.get(ref) or self._loaded.get(ref)
        if base is None:
            if ref not in known_rulesets():
                raise NoOfferError("these rules are not offered for tables")
            base = await self._load(ref)
        if unknown := [each for each in overlays if each not in base.ruleset.offered]:
            raise NoOfferError(f"{base.ruleset.ref} offers no overlay {unknown[0][:40]}")
        if not overlays:
            return base
        full = "+".join([base.ruleset.reference, *dict.fromkeys(overlays)])
        return self._loaded.get(full) or await self._load(full)

    async def _load(self, ref: str) -> TableRules:
        rules = await asyncio.to_thread(lambda: TableRules(load_ruleset(ref), self._hall.language))
        if len(self._loaded) >= _REMEMBERED:
            del self._loaded[next(iter(self._loaded))]
        self._loaded[ref] = rules
        return rules

    async def details(self, ref: str) -> dict[str, Any]:
        """The players, settings and overlays of an offer, in words. Raises the same errors as `rules`."""
        ruleset = (await self.rules(ref)).ruleset
        settings = [
            {
                "name": setting.name,
                "doc": setting.doc,
                "default": setting.default,
                "values": None if setting.bounds is not None else list(values_to_try(setting)),
                "bounds": setting.bounds,
            }
            for setting in ruleset.settings.values()
        ]
        overlays = [{"id": id_, **_overlay(id_, ruleset.folders)} for id_ in ruleset.offered]
        return {"ref": ref, "players": list(ruleset.players), "settings": settings, "overlays": overlays}


def _title(id_: str, folder: Path) -> str:
    """The title in a ruleset's game.yaml, or its id if that is unreadable."""
    try:
        path = inside(folder, "game.yaml")
        return text(get(read_kept(path, display(path)), "title"), id_)
    except DiagnosticsError:
        return id_


def _overlay(id_: str, folders: Sequence[Any]) -> dict[str, str]:
    """The title and the doc of an offered overlay, or its id if they are unreadable."""
    place = find_overlay(id_, list(folders))
    if place is None:
        return {"title": id_, "doc": ""}
    try:
        node = read_kept(inside(*place), id_)
    except DiagnosticsError:
        return {"title": id_, "doc": ""}
    return {"title": text(get(node, "title"), id_), "doc": text(get(node, "doc"))}
