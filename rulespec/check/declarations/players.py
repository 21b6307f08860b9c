"""The players: their number, their names in the rules, and the facts of seats."""

from __future__ import annotations

from rulespec.check.declarations.entities import facts_of
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import counted
from rulespec.documents.yaml_nodes import Node, Sequence, get, integer, text, words
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import ALL, entity_name
from rulespec.types import Ent, SetOf


def read_players(r: DeclarationReader, players: Node | None) -> None:
    """Declares the player kind, with the named seats."""
    kind = get(players, "kind")
    name = text(kind, "player")
    span = kind.span if kind else (players or r.root).span
    r.claim(name, span)
    declared = typed.Kind(name, span, is_player=True, by_seat=True)
    r.d.kinds[name] = declared  # even if the name is a duplicate: every game has players
    r.d.player_kind = name
    seats = words(get(players, "seats"))
    r.d.min_players = integer(get(players, "min"), len(seats) or 1)
    r.d.max_players = integer(get(players, "max"), r.d.min_players)
    if not 1 <= r.d.min_players <= r.d.max_players <= 64:
        r.report.error("RS227", "`min` and `max` must be from 1 to 64, and `min` must not exceed `max`", span)
        r.d.min_players = r.d.max_players = max(len(seats), 1)
    for seat in seats:
        if seat.text in declared.index:
            r.report.error("RS223", f"`{seat.text}` is listed twice", seat.span)
            continue
        r.writable(seat.text, seat.span)
        r.d.add_entity(declared, typed.Entity(seat.text, seat.text.replace("_", " "), seat.span))
        if len(declared.entities) == r.d.min_players + 1:
            least = counted(r.d.min_players, "player")
            message = f"`{seat.text}` is seat {len(declared.entities)}, but a game may have only {least}"
            help_ = "remove the name, or raise `min`: only a seat of every game can be named"
            r.report.error("RS271", message, seat.span, help=help_)


def read_teams(r: DeclarationReader) -> None:
    """Resolves the kind of the teams, and adds its fact `players`, which contains the members of each team."""
    node = get(r.root, "game", "players", "teams")
    kind, player = r.d.kinds.get(text(node)), r.d.kinds[r.d.player_kind]
    if text(node) == ALL or node is None:
        r.d.teams = text(node)
        return
    fact = player.facts.get(text(node))
    if kind is None or fact is None or fact.type != Ent(kind.name):
        message = f"the seats have no fact `{text(node)}` of type `{text(node)}`"
        fact_ = f"{player.name}: {{facts: {{{text(node)}: {text(node)}}}, seats: […]}}"
        help_ = f"declare the fact, `{fact_}`, or write `teams: all`"
        r.report.error("RS273", message, node.span, help=help_)
    elif "players" in kind.facts or "players" in kind.state:
        taken = (kind.facts.get("players") or kind.state["players"]).span
        r.report.error("RS223", f"`{kind.name}.players` is already the set of the team's members", taken)
    else:
        r.refer(node, kind)
        r.d.teams = kind.name
        own = [sum(1 << seat for seat, team in enumerate(fact.values) if team == i) for i in range(len(kind.entities))]
        kind.facts["players"] = typed.FactDecl("players", SetOf(player.name), node.span, own)


def read_seats(r: DeclarationReader) -> None:
    """Reads the facts of the seats in order."""
    kind = r.d.kinds[r.d.player_kind]
    node = get(r.root, "kinds", kind.name, "seats")
    seats = node.items if isinstance(node, Sequence) else ()
    for number, seat in enumerate(seats[: r.d.max_players]):
        facts_of(r, kind, entity_name(kind, number), seat.span, seat)
    if (seats or kind.facts) and len(seats) != r.d.max_players:
        declared = get(r.root, "kinds", kind.name, "facts")
        span = node.span if node is not None else declared.span if declared is not None else kind.span
        few = len(seats) < r.d.max_players
        players = f"{'up to' if few else 'at most'} {counted(r.d.max_players, 'player')}"
        message = f"there are facts for {counted(len(seats), 'seat')}, but a game has {players}"
        help_ = (
            "write one entry for each seat, up to the maximum number of players: `seats: [{…}, {…}]`"
            if few
            else f"remove all but {counted(r.d.max_players, 'entry', 'entries')}"
        )
        notes = [Label(kind.span, "the number of players is declared here")]
        r.report.error("RS272", message, span, notes=notes, help=help_)
        for fact in kind.facts.values():
            fact.values += [0] * (r.d.max_players - len(fact.values))
