"""Declarations of all names in the YAML sections of a ruleset."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.declarations.boards import board_entities, read_spaces
from rulespec.check.declarations.entities import add_entities, read_entities, read_facts
from rulespec.check.declarations.game_file import read_game
from rulespec.check.declarations.kinds import read_kinds
from rulespec.check.declarations.pieces import read_pieces
from rulespec.check.declarations.players import read_seats, read_teams
from rulespec.check.declarations.products import read_products
from rulespec.check.declarations.set_up import read_set_up
from rulespec.check.declarations.state import read_starts, read_state
from rulespec.check.declarations.tables import read_constants, read_tables
from rulespec.documents.yaml_nodes import Mapping, entries, get


def declare(c: Context) -> None:
    """Fills the declarations in dependency order; reports invalid values."""
    reader = c.reader
    read_game(reader)
    read_kinds(reader)
    entities = [*read_entities(reader), *board_entities(reader)]
    add_entities(reader, entities)
    read_products(reader)
    read_facts(reader, entities)
    read_seats(reader)
    read_teams(reader)
    read_spaces(reader)
    with_tokens = any(get(node, "places") is not None for _, _, node in entries(get(reader.root, "kinds")))
    if with_tokens:
        from rulespec.check.declarations.places import read_capacities, read_places  # lazily: most rulesets have none

        read_places(reader)
    read_state(reader)
    read_pieces(reader)
    read_constants(reader)
    read_tables(reader)
    if with_tokens:
        read_capacities(reader)
    if _with_bounds(reader.root):
        from rulespec.check.declarations.capacities import read_bounds  # lazily: most rulesets have none

        read_bounds(reader)
    read_starts(reader)
    read_set_up(reader)


def _with_bounds(root: Mapping) -> bool:
    """Whether there are capacities of piece places, or shared ones."""
    places = (spec for _, _, piece in entries(get(root, "pieces")) for _, _, spec in entries(get(piece, "places")))
    return get(root, "capacities") is not None or any(get(spec, "at_most") is not None for spec in places)
