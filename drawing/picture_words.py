"""The texts of a picture: titles taken from the ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rulespec.engine.words.program_words import english
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names


class Wording(Protocol):
    """The titles for a picture in one language."""

    @property
    def game(self) -> str:
        """The title of the game."""

    def titles(self, kind: str, seats: Mapping[str, str]) -> tuple[str, ...]:
        """The titles of all entities of a kind; `seats` maps ids to displayed names."""

    def kind(self, name: str) -> str:
        """The title of a kind."""

    def field(self, kind: str, name: str) -> str:
        """The title of a state field; `kind` is "" for fields of the game."""

    def pieces(self, name: str, owners: Sequence[tuple[str, str]] = ()) -> str:
        """The title of a piece type."""

    def place(self, pile: str, place: str, index: str = "", kind: str = "") -> str:
        """The title of a piece place."""

    def internal(self, owner: str, name: str = "") -> bool:
        """Whether something is internal to the rules and therefore not shown."""

    def decision(self, name: str) -> str:
        """The title of a decision."""

    def ending(self, name: str) -> str:
        """The text of an ending."""

    def board(self, kind: str, title: str) -> str:
        """The heading of a board."""

    def picture(self, doc: str) -> str:
        """The description of the picture for screen readers."""

    def word(self, name: str, number: int | None = None, /, **values: str) -> str:
        """The text for a built-in word, such as `chance`."""


class PlainWords:
    """The words for a ruleset with mistakes: titles of entities, and names with spaces."""

    def __init__(self, d: typed.Declarations, game: str) -> None:
        self.d = d
        self._game = game

    @property
    def game(self) -> str:
        """The title of the game."""
        return self._game

    def titles(self, kind: str, seats: Mapping[str, str]) -> tuple[str, ...]:
        """The titles of all entities of a kind."""
        decl = self.d.kinds[kind]
        if decl.is_player or decl.by_seat or decl.sum_of:
            return entity_names(self.d.kinds, kind, tuple(seats.values()))
        return tuple(entity.title for entity in decl.entities)

    def kind(self, name: str) -> str:
        """The title of a kind."""
        return name.replace("_", " ")

    def field(self, kind: str, name: str) -> str:
        """The title of a state field."""
        return name.replace("_", " ")

    def pieces(self, name: str, owners: Sequence[tuple[str, str]] = ()) -> str:
        """The title of a piece type."""
        return " ".join([*(title for _, title in owners), name.replace("_", " ")])

    def place(self, pile: str, place: str, index: str = "", kind: str = "") -> str:
        """The title of a place."""
        return f"{place.replace('_', ' ')} {index}".rstrip()

    def internal(self, owner: str, name: str = "") -> bool:
        """Always False."""
        return False

    def decision(self, name: str) -> str:
        """The decision's name with spaces."""
        return name.replace("_", " ")

    def ending(self, name: str) -> str:
        """The ending's name with spaces."""
        return name.replace("_", " ")

    def board(self, kind: str, title: str) -> str:
        """The board's title from the drawing."""
        return title

    def picture(self, doc: str) -> str:
        """The description from the drawing."""
        return doc

    def word(self, name: str, number: int | None = None, /, **values: str) -> str:
        """The English text for a built-in word."""
        return english(name, number, **values)
