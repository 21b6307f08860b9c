"""`rulespec serve`: tables in the browser for people, bots and spectators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import YEAR, Finite, number_of_players, settings_flag
from rulespec.cli.program_seats import Programs
from rulespec.cli.serving import HostType, WebAddress, need_server
from rulespec.documents.text_files import is_file
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names

if TYPE_CHECKING:  # the server needs an extra
    from rulespec.serve.hall import Hall
    from rulespec.serve.published import Published
    from rulespec.serve.table_rules import TableRules

_STORE = "tables.db"
_PORT = 8765


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    refs: tuple[str, ...]
    players: int | None
    bots: str
    settings: tuple[str, ...]
    deadline: float
    reveal: bool
    learn: bool
    language: str | None
    store: Path
    host: str
    port: int
    url: str
    cert: Path | None
    key: Path | None
    hook: str
    owner: bool


_file = click.Path(path_type=Path, dir_okay=False)


@click.command("serve")
@click.argument("refs", metavar="[REF|LOG]...", nargs=-1)
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@click.option("--bots", metavar="K|BOTS", default="0", help="Bots at the last seats, as in `rulespec play`.")
@settings_flag
@click.option(
    "--deadline",
    type=Finite(0, YEAR),
    metavar="MINUTES",
    default=0,
    help="Time limit for a decision, in minutes; 0: no limit.",
)
@click.option("--reveal", is_flag=True, help="Show all hidden information to everybody once the game is over.")
@click.option(
    "--learn",
    is_flag=True,
    help="Teach the game: bots play all seats but the first, and each new kind of decision shows its rule.",
)
@click.option("--language", metavar="LANGUAGE", help="Show words in this language; default: the ruleset's own.")
@click.option("--store", type=_file, metavar="FILE", default=_STORE, help="The file of all tables; default: tables.db.")
@click.option(
    "--host",
    type=HostType(),
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Listen on this address; default: this machine only.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, help=f"Listen on this port; default: {_PORT}.")
@click.option(
    "--url",
    type=WebAddress("https://play.example.org", whole=False),
    default="",
    metavar="URL",
    help="The address that people see, behind a proxy.",
)
@click.option("--cert", type=_file, metavar="FILE", help="A certificate, with which the server itself speaks TLS.")
@click.option("--key", type=_file, metavar="FILE", help="The private key of the certificate.")
@click.option(
    "--hook",
    type=WebAddress("https://example.org/turns", whole=True),
    default="",
    metavar="URL",
    help="Post {table, seat, serial} to this URL when a seat must decide.",
)
@click.option("--owner", is_flag=True, help="Print a new link for the owner; the old one stops working.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Serve tables in the browser: a new one for each ruleset REF and each recorded game LOG, and all those in the
    store.

    The command prints a secret link for each seat, one for spectators, and one for the owner. It needs the extra
    `serve`: pip install "rulespec[serve]".

    Example: rulespec serve imperial --players 4 --bots 2
    """
    r = _Request(**values)
    need_server("rulespec.serve.running")
    from rulespec.engine.logs.saved_game import SaveError
    from rulespec.serve.running import CertificateError

    if (r.cert is None) != (r.key is None):
        raise click.UsageError("--cert needs --key")
    if not r.refs and not r.store.exists():
        raise click.UsageError(f"name a ruleset: there is no {r.store} with tables to resume")
    try:
        _serve(r, [_Opened.of(ref, r) for ref in r.refs])
    except (CertificateError, SaveError) as error:
        output.echo(str(error), err=True)
        ctx.exit(output.UNUSABLE)


def _serve(r: _Request, games: list[_Opened]) -> None:
    """Opens the store, starts the new tables, and serves until interrupted."""
    from rulespec.serve.door import OF_ADDRESS, Door
    from rulespec.serve.guard import is_local
    from rulespec.serve.hall import Hall
    from rulespec.serve.hook import Hook
    from rulespec.serve.running import app, listening, reachable, secured, server
    from rulespec.serve.store import TableStore

    secure = secured(r.cert, r.key) if r.cert is not None and r.key is not None else None
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(closing(listening(r.host, r.port)))
        except (OSError, UnicodeError) as error:  # UnicodeError: an invalid host name
            reason = error.strerror if isinstance(error, OSError) else "this is not a valid name"
            hint = "give --host an address of this machine; --port 0 means any free port"
            raise click.ClickException(f"cannot listen on {r.host}, port {r.port}: {reason}; {hint}") from None
        hook = Hook(r.hook) if r.hook else None
        hall = Hall(TableStore(r.store), {each.ref: each.rules for each in games}, r.language, _bots(), hook)
        hall.agents = _agents()
        stack.callback(hall.close)
        hall.resume()
        port = opened.getsockname()[1]
        host = reachable(r.host)
        name = f"[{host}]" if ":" in host else host
        base = (r.url or f"{'http' if r.cert is None else 'https'}://{name}:{port}").rstrip("/")

        async def main() -> None:
            await _begin(hall, games, r, base)
            if not is_local(r.host):
                _warn(r)
            output.echo(f"{base} serves {output.counted(len(hall.games), 'table')} of {r.store}; Ctrl-C stops it")
            application = app(hall, port, r.host, r.url, r.cert is not None)
            # Behind a proxy, and on a local server, all connections come from one address.
            door = Door(of_address=None if r.url or is_local(r.host) else OF_ADDRESS)
            await server(application, secure, door=door).serve(sockets=[opened])

        asyncio.run(main())


class _Opened(Struct, frozen=True):
    """The game of a new table, either fresh or from a log."""

    ref: str
    rules: TableRules
    game: Game
    bots: dict[str, str]
    variations: list[Published] = []

    @classmethod
    def of(cls, ref: str, r: _Request) -> _Opened:
        """A new game of a reference, or the game at the end of a log."""
        from rulespec.cli.play import resumed
        from rulespec.cli.terminal_game import Chance
        from rulespec.engine.logs.native import read_log
        from rulespec.engine.replay.replay import named_ruleset
        from rulespec.load import load_ruleset
        from rulespec.serve.published import published_in
        from rulespec.serve.table_rules import TableRules

        variations: list[Published] = []
        if is_file(Path(ref)):
            log = read_log(Path(ref), lenient=True)
            ruleset = named_ruleset(log)
            players = len(log.header.seats)
            game, variations = resumed(log, ruleset, players, {}), published_in(log)
        else:
            ruleset = load_ruleset(ref)
            players = number_of_players(ruleset, r.players)
            game = Game(ruleset, seat_names(players, ruleset.seats), output.key_values(r.settings))
            game.omniscient.numbers.begin()
        bots = _bots()[-1] if r.learn and r.bots == "0" and players > 1 else r.bots
        programs = Programs.of(bots, players, Chance(0))
        names = programs.names or ("random",) * programs.number
        last = game.seats[players - programs.number :]
        return cls(ruleset.ref, TableRules(ruleset, r.language), game, dict(zip(last, names, strict=True)), variations)


async def _begin(hall: Hall, games: list[_Opened], r: _Request, base: str) -> None:
    """Starts the new tables, and prints their links."""
    for each in games:
        deadline = max(1, round(60 * r.deadline)) if r.deadline else 0
        live, keys = await hall.new(each.rules, each.game, each.bots, deadline, r.reveal, each.variations)
        output.echo(f"{live.rules.words.game} ({each.ref}), {output.counted(len(each.game.seats), 'seat')}")
        for role, key in keys.items():
            seat = role.removeprefix("seat:")
            if seat not in each.bots:
                learns = "&learn" if r.learn and seat != role else ""
                output.echo(f"  {'spectators' if seat == role else seat:<12}{base}/#{key}{learns}")
    if r.owner or not hall.has_owner:
        output.echo(f"owner         {base}/#{await hall.renew('', 'owner')}")
    output.show(hall.notes)


def _warn(r: _Request) -> None:
    """Warns about a server reachable by others."""
    if r.cert is None and not r.url.startswith("https://"):
        output.echo(
            f"warning: anyone who can reach {r.host} can connect to this server, and can intercept its links,"
            " which are not encrypted (--cert and --key, or a proxy with TLS and --url)",
            err=True,
        )
    else:
        output.echo(
            f"warning: anyone who can reach {r.host} can connect to this server, but only links open tables", err=True
        )


def _agents() -> Callable[..., Any] | None:
    """The function that answers tool calls of agents; None if its extra is missing."""
    try:
        from rulespec.guests.table_seat import answer_at_table
    except ModuleNotFoundError:
        return None
    return answer_at_table


def _bots() -> tuple[str, ...]:
    """The bots that may take over seats; those that use search need an extra."""
    try:
        from rulespec.engine.bots.named import open_bot

        open_bot("flat:64")
        import wasmtime  # noqa: F401
    except ImportError:
        return ("random",)
    return ("random", "flat:64")
