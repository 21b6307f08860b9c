"""Values of settings as text: validation, and samples from long ranges."""

from __future__ import annotations

import re

from rulespec.typed.nodes import SettingDecl

MAX_TRIED = 16
"""Maximum number of values tried for a numeric setting; for a longer range, only the ends and the default are tried."""
_NUMBER = re.compile(r"-?[0-9]{1,15}")


def taken(setting: SettingDecl, value: str | int) -> str | None:
    """The text of a value, or None if the setting does not allow it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if setting.bounds is None:
        return text if text in values_to_try(setting) else None
    low, high = setting.bounds
    return str(int(text)) if _NUMBER.fullmatch(text) and low <= int(text) <= high else None


def values_to_try(setting: SettingDecl) -> tuple[str, ...]:
    """The values to try: all of them, or a sample of a long range."""
    if setting.bounds is None:
        return setting.values or ("false", "true")
    low, high = setting.bounds
    if high - low < MAX_TRIED:
        return tuple(map(str, range(low, high + 1)))
    return tuple(map(str, sorted({low, low + 1, int(setting.default), high - 1, high})))


def ends(setting: SettingDecl) -> tuple[str, ...]:
    """The minimum and maximum of a numeric setting, omitting whichever is the default."""
    return tuple(v for v in map(str, dict.fromkeys(setting.bounds or ())) if v != setting.default)


def written(setting: SettingDecl) -> str:
    """The allowed values, formatted for people."""
    if setting.bounds is not None:
        return f"{setting.bounds[0]}..{setting.bounds[1]}"
    return " | ".join(setting.values or ("true", "false"))


def refused(setting: SettingDecl, value: str) -> str:
    """The reason why a setting rejects a value, phrased as a predicate."""
    if setting.bounds is not None:
        return f"must be a number in {written(setting)}, not {value}"
    return f"must be one of {', '.join(setting.values or ('true', 'false'))}, not `{value}`"
