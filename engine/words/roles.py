"""Titles of roles, which are entities that seats hold."""

from __future__ import annotations

from rulespec.engine.words.words import Words


def role_title(words: Words, role: str) -> str:
    """The title of a role, with its field if it has one; a seat or a team keeps its name."""
    entity, dot, field = role.partition(".")
    for kind in words.ruleset.declarations.kinds.values():
        names = [each.name for each in kind.entities]
        if not kind.is_player and entity in names:
            title = words.title(kind.name, names.index(entity), ())
            return f"{title} ({words.field(kind.name, field)})" if dot else title
    return role
