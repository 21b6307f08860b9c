"""`rulespec games`: the playable rulesets with their players, overlays, settings and sample logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulespec.cli import output
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.kept_trees import read_kept
from rulespec.documents.text_files import display, inside
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, integer, text, words
from rulespec.engine.logs.samples import samples
from rulespec.references import find_overlay, find_ruleset, is_id, known_folders, parts_of

if TYPE_CHECKING:  # the list needs titles only, no checker
    from rulespec.typed import nodes as typed

_FIRST = "quickstart"
"""The name of the sample log shown first, if it exists."""
_MAX_SAMPLES = 12
"""Maximum number of sample logs listed for a game; `--format json` lists all."""
_MISTAKEN = ("(has errors)", "")
"""Title and players of a ruleset that cannot be read."""
_MAX_PLAYERS, _MAX_TITLE = 64, 2_000
_MAX_EXTENDS = 8
"""Maximum number of rulesets that extend one another; the list reads only their game.yaml."""
_HINTS = (
    ("rulespec games GAME", "its overlays, settings and recorded games"),
    ("rulespec play GAME --bots flat:64", "play it here against bots"),
    ("rulespec view RECORDED --out game.html", "a page that steps through a recorded game"),
)


@click.command("games")
@click.argument("ref", metavar="[REF]", required=False)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def command(ref: str | None, format_: str) -> None:
    """List the playable games: shipped ones, those in ./games, and those in RULESPEC_PATH.

    With REF: its overlays, its settings and its sample logs. `rulespec view` and `rulespec replay` take the name of a
    sample log, such as imperial:quickstart.

    Example: rulespec games imperial
    """
    if ref is not None:
        ruleset = _loaded(ref)
        logs = samples(find_ruleset(parts_of(ref)[0]))
        if format_ == "json":
            output.echo_json({"games": [_json(ref, ruleset, logs)]})
        else:
            _show(ref, ruleset, logs)
        return
    if format_ == "json":
        output.echo_json({"games": list(_all_as_json())})
        return
    rows = []
    for name, folder in known_folders().items():
        rows.append((name, *_listed(name, folder), _first(name, samples(folder))))
    for line in output.table(rows, ("game", "title", "players", "a recorded game")):
        output.echo(line)
    output.echo()
    for line in output.table(_HINTS):
        output.echo(line)


def _loaded(ref: str) -> typed.Ruleset:
    from rulespec.load import load_ruleset  # lazily: the list loads no ruleset

    return load_ruleset(ref)


def _all_as_json() -> Iterator[dict[str, Any]]:
    for name, folder in known_folders().items():
        try:
            ruleset = _loaded(name)
        except DiagnosticsError:  # `rulespec validate` reports the error
            continue
        yield _json(name, ruleset, samples(folder))


def _listed(name: str, folder: Path) -> tuple[str, str]:
    """The title and the number of players, from the game.yaml of a ruleset and its bases."""
    try:
        title = text(get(_game(folder), "title"))
        players = _players_of(folder, [])
        if players is None:
            return title, _players(_loaded(name).players)
    except DiagnosticsError:  # `rulespec validate` reports the error
        return _MISTAKEN
    low = integer(players.get("min"), len(words(players.get("seats"))) or 1)
    high = integer(players.get("max"), low)
    if not 1 <= low <= high <= _MAX_PLAYERS or not 0 < len(title) <= _MAX_TITLE:
        return _MISTAKEN
    return title, _players((low, high))


def _game(folder: Path) -> Node:
    path = inside(folder, "game.yaml")
    return read_kept(path, display(path))


def _players_of(folder: Path, trail: list[Path]) -> dict[str, Node] | None:
    """The entries of `players`; None if they are not determined by game.yaml files alone, such as with overlays."""
    game = _game(folder)
    own = {key: value for key, _, value in entries(get(game, "players"))}
    extends = get(game, "extends")
    if not isinstance(extends, Scalar):
        return own
    base, *overlays = parts_of(extends.text)
    if (
        folder in trail
        or len(trail) > _MAX_EXTENDS
        or any(_is_of_players(word.text) for word in words(get(game, "replaces")))
    ):
        return None
    below = find_ruleset(base, beside=folder)
    before = _players_of(below, [*trail, folder])
    for overlay in overlays:
        place = find_overlay(overlay, [below])
        node = read_kept(inside(*place), overlay) if place is not None else None
        paths = [key for section in ("changes", "add") for key, _, _ in entries(get(node, section))]
        paths += [word.text for section in ("replaces", "remove") for word in words(get(node, section))]
        if node is None or get(node, "includes") is not None or any(map(_is_of_players, paths)):
            return None
    return None if before is None else before | own


def _is_of_players(path: str) -> bool:
    return path == "game" or path.startswith("game.players")


def _players(bounds: tuple[int, int]) -> str:
    low, high = bounds
    return str(low) if low == high else f"{low} to {high}"


def _first(name: str, logs: Mapping[str, Path]) -> str:
    log = next(iter(sorted(logs, key=_interest)), None)
    return f"{name}:{log}" if log is not None else ""


def _interest(log: str) -> tuple[bool, bool, bool]:
    """The sort key of sample logs: games of people precede random ones, and logs of overlays come last."""
    return (log != _FIRST, "/" in log, "random" in log)


def _overlays(ruleset: typed.Ruleset) -> dict[str, str]:
    """The offered overlays with their titles; "" for one that cannot be read."""
    return {name: _title(ruleset, name) for name in ruleset.offered}


def _title(ruleset: typed.Ruleset, overlay: str) -> str:
    place = ruleset.place.overlay(overlay, list(ruleset.folders))
    if place is None:
        return ""
    folder, name = place
    try:
        return text(get(read_kept(folder / name, name), "title")) or ""
    except DiagnosticsError:
        return ""


def _json(ref: str, ruleset: typed.Ruleset, logs: Mapping[str, Path]) -> dict[str, Any]:
    """A game as plain data; see games.schema.json."""
    low, high = ruleset.players
    base = parts_of(ref)[0]
    return {
        "ref": ref,
        "title": ruleset.title,
        "version": ruleset.version,
        "players": {"min": low, "max": high},
        "overlays": [{"id": id_, "title": title} for id_, title in _overlays(ruleset).items()],
        "settings": [
            {"name": s.name, "values": _values(s), "default": s.default, "doc": s.doc}
            for s in ruleset.settings.values()
        ],
        "logs": [f"{base}:{name}" for name in logs] if is_id(base) else [str(path) for path in logs.values()],
    }


def _values(setting: typed.SettingDecl) -> list[str]:
    """The values of a setting; for a number, its range."""
    if setting.bounds is not None:
        return [f"{setting.bounds[0]} to {setting.bounds[1]}"]
    return list(setting.values or ("true", "false"))


def _example(setting: typed.SettingDecl) -> str:
    """A value of a setting other than the default."""
    if setting.bounds is not None:
        return str(setting.bounds[1])
    return next(value for value in _values(setting) if value != setting.default)


def _show(ref: str, ruleset: typed.Ruleset, logs: Mapping[str, Path]) -> None:
    """Prints a description of a game."""
    output.echo(
        f"{output.style(ruleset.title, bold=True)} {ruleset.version} · {ref} · {_players(ruleset.players)} players"
    )
    if ruleset.offered:
        output.echo()
        output.echo(f"overlays (for example {ref}+{ruleset.offered[0]}):")
        for line in output.table([(f"  {name}", title) for name, title in _overlays(ruleset).items()]):
            output.echo(line)
    if ruleset.settings:
        output.echo()
        first = next(iter(ruleset.settings.values()))
        output.echo(f"settings (for example --set {first.name}={_example(first)}):")
        rows = [(f"  {s.name}", ", ".join(_values(s)), s.default) for s in ruleset.settings.values()]
        for line in output.table(rows, ("  name", "values", "default")):
            output.echo(line)
    if logs:
        output.echo()
        output.echo(
            f"recorded games (for example rulespec view {_first(ref.partition('+')[0], logs)} --out game.html):"
        )
        for name in sorted(logs, key=_interest)[:_MAX_SAMPLES]:
            output.echo(f"  {name}")
        if len(logs) > _MAX_SAMPLES:
            output.echo(f"  … and {len(logs) - _MAX_SAMPLES} more")
