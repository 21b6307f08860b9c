"""The roles of keys and values in the YAML files of rulesets, by their paths."""

from __future__ import annotations

from fnmatch import fnmatchcase

# Roles by path; the first matching line counts. A key is a keyword of the format (-), a name
# that is declared (decl) or used (name), or a path. A value is a declared or a used name, a type, an expression (expr),
# a value of a fact, a setting's value, a path, a text, a bool, or irrelevant here (-).
_ROLES = [
    tuple(line.split())
    for line in """
game.id - -
game.players.kind - decl
game.players.m?? - fact
game.units.# - decl
game.start - name
game.settings.* decl -
game.settings.*.values.# - decl
game.settings.*.default - value
game.extends - name
game.overlays.# - name
game.replaces.# - path
*.doc - text
*.title - text
*.version - text
kinds.* decl -
kinds.*.facts.* decl type
kinds.*.checks.* decl -
kinds.*.checks.*.that - expr
kinds.*.checks.*.where - expr
kinds.*.checks.*.text - text
kinds.*.checks.*.help - text
kinds.*.product.# - name
kinds.*.state.* decl -
state.* decl -
accounts.* decl -
*.type - type
*.start - expr
*.account - type
*.private - value
*.unlimited - bool
*.alike - bool
kinds.*.entities.* decl -
kinds.*.entities.*.* name fact
kinds.*.entities.*.*.# - fact
pieces.* decl -
pieces.*.each.# - name
pieces.*.places.* decl -
pieces.*.places.*.index - name
pieces.*.places.*.at_most - expr
capacities.* decl -
capacities.*.of.# - name
capacities.*.index - name
capacities.*.at_most - expr
map.kind - decl
map.facts.* decl type
map.checks.* decl -
map.checks.*.that - expr
map.checks.*.where - expr
map.checks.*.text - text
map.checks.*.help - text
map.links.* decl value
map.links.*.two_way - -
map.links.*.facts.* decl type
map.links.*.checks.* decl -
map.links.*.checks.*.that - expr
map.links.*.checks.*.text - text
map.links.*.of.* decl -
map.links.*.of.*.ends.# - name
map.links.*.of.*.* name fact
map.links.*.of.*.*.# - fact
map.regions.* decl -
map.regions.*.position - -
map.regions.*.position.# - -
map.regions.*.* name fact
map.regions.*.*.# - fact
boards.* decl -
boards.*.direction - decl
boards.*.directions.* decl -
boards.*.directions.*.# - -
boards.*.directions.*.step.# - -
boards.*.directions.*.* name fact
boards.*.links.* decl -
boards.*.links.*.# - name
boards.*.links.*.#.# - -
boards.*.facts.* decl type
boards.*.checks.* decl -
boards.*.checks.*.that - expr
boards.*.checks.*.where - expr
boards.*.checks.*.text - text
boards.*.checks.*.help - text
boards.*.spaces.* name -
boards.*.spaces.*.* name fact
boards.*.spaces.*.*.# - fact
tracks.* decl -
tracks.*.ring - decl
tracks.*.line - decl
tracks.*.unit - type
tracks.*.facts.* decl type
tracks.*.spaces.* decl -
tracks.*.spaces.*.* name fact
constants.* decl expr
tables.* decl -
tables.*.key - type
tables.*.key.# - type
tables.*.value - type
tables.*.rows.*.# - fact
tables.*.rows.* name fact
setup.pieces.* path expr
setup.pieces.*.* name expr
setup.state.* path expr
setup.accounts.* path expr
overlay.for - name
overlay.includes.# - name
overlay.remove.# - path
overlay.replaces.# - path
""".strip().splitlines()
]

# The mappings with fixed keys, given by the format or by the facts of a kind.
CLOSED = [
    *("game", "game.players", "game.settings.*", "kinds.*", "kinds.*.state.*", "state.*", "accounts.*"),
    *("kinds.*.checks.*", "map.checks.*", "boards.*.checks.*"),
    *("boards.*", "boards.*.grid", "boards.*.spaces.*"),
    *("kinds.*.entities.*", "pieces.*", "pieces.*.places.*", "capacities.*"),
    *("map", "map.links.*", "map.links.*.of.*", "map.links.*.checks.*"),
    *("map.regions.*", "tracks.*", "tracks.*.spaces.*", "tables.*", "setup", "overlay", "dialect"),
    *("dialect.undo", "dialect.start", "dialect.action"),
]

# Entries that are required unless another file has them.
REQUIRED = [
    *("game.id", "game.title", "game.version", "game.players", "game.start", "game.players.kind", "game.players.min"),
    *("game.players.max",),
    *("game.settings.*.default", "kinds.*.state.*.type", "state.*.type", "accounts.*.account", "pieces.*.places"),
    *("map.links.*.two_way", "map.links.*.of", "map.links.*.of.*.ends"),
    *("map.links.*.checks.*.that", "map.links.*.checks.*.text"),
    *("map.kind", "map.regions", "map.checks.*.that", "map.checks.*.text"),
    *("kinds.*.checks.*.that", "kinds.*.checks.*.text"),
    *("boards.*.grid.columns", "boards.*.grid.rows", "boards.*.checks.*.that", "boards.*.checks.*.text"),
    *("tracks.*.spaces", "tracks.*.ring", "tracks.*.line", "tables.*.key", "tables.*.value", "tables.*.rows"),
    *("overlay.id", "overlay.title", "overlay.for", "overlay.version"),
    *("dialect.id", "dialect.title", "dialect.rules", "dialect.start", "dialect.decisions"),
    *("dialect.start.type", "dialect.start.seats", "dialect.undo.type", "dialect.undo.checkpoints"),
]


def fits(path: str, patterns: list[str]) -> bool:
    """Whether a path matches any of some patterns."""
    return any(path.count(".") == p.count(".") and fnmatchcase(path, p) for p in patterns)


def roles(path: str) -> tuple[str, str]:
    """The roles of a key and its value."""
    if path.startswith("dialect"):  # the names belong to another system
        return "-", "-"
    for pattern, key, value in _ROLES:
        deep = not pattern.startswith("*.")
        if (not deep or path.count(".") == pattern.count(".")) and fnmatchcase(path, pattern):
            return key, value
    return "-", "-"
