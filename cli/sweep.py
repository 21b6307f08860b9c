"""`rulespec playtest --sweep constants.NAME=3..7`: a rule for each value of a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast

import click
from msgspec import Struct

from rulespec.cli.failing_game import write_into
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.typed import nodes as typed
from rulespec.types import Num

MOST = 12
"""Values of a sweep: mistakes are bounded for all of them together."""
_FORM = re.compile(r"(constants|settings)\.([a-z][a-z0-9_]{0,63})=(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_OVERLAY = 'id: {id}\ntitle: "{title}"\nfor: {base}\nversion: "1"\nchanges: {{{changes}}}\n'


class Sweep(Struct, frozen=True):
    """Values of a number.

    Attributes:
        kind: whether it is a constant or a setting.
        name: its name.
        values: the values, in order.
    """

    kind: Literal["constants", "settings"]
    name: str
    values: range

    @property
    def path(self) -> str:
        """The path of the number."""
        return f"{self.kind}.{self.name}"

    def __str__(self) -> str:
        return f"{self.path}={self.values[0]}..{self.values[-1]}"

    def own(self, ruleset: typed.Ruleset) -> tuple[int, str]:
        """The value in a ruleset, and its unit.

        Raises:
            click.BadParameter: if the ruleset has no such number, or the setting does not allow these values.
        """
        d = ruleset.declarations
        declared = d.constants if self.kind == "constants" else d.settings
        if self.name not in declared:
            hint = did_you_mean(self.name, declared) or f"there are {', '.join(declared) or 'none'}"
            raise _wrong(f"there is no {self.kind[:-1]} `{self.name}`; {hint}")
        type_ = declared[self.name].type
        if not isinstance(type_, Num):
            raise _wrong(f"`{self.name}` is {type_}, and no number")
        if self.kind == "constants":
            return int(d.constants[self.name].value), type_.unit or ""
        setting = d.settings[self.name]
        low, high = setting.bounds or (self.values[0], self.values[-1])
        if self.values[0] < low or self.values[-1] > high:
            raise _wrong(f"`{self.name}` is from {low} to {high}")
        return int(setting.default), ""


class Variation(NamedTuple):
    """A variation of a game: its name, the overlay with other constants (None if unchanged), and its settings."""

    name: str
    overlay: Path | None
    settings: dict[str, str]


def change(sweeps: Sequence[Sweep], values: Sequence[int], ruleset: typed.Ruleset, folder: Path) -> Variation:
    """The variation for one value of each swept number; its overlay goes into the folder.

    Raises:
        click.BadParameter: as for `Sweep.own`. click.ClickException: if writing fails.
    """
    own = [sweep.own(ruleset) for sweep in sweeps]
    set_to = list(zip(sweeps, values, own, strict=True))
    name = ",".join(f"{sweep.name}={value}" for sweep, value in zip(sweeps, values, strict=True))
    settings = {sweep.name: str(value) for sweep, value, _ in set_to if sweep.kind == "settings"}
    changed = [(s, v, unit) for s, v, (old, unit) in set_to if s.kind == "constants" and v != old]
    if not changed:
        return Variation(name, None, settings)
    id_ = "_".join(f"{s.name}_{'minus_' if v < 0 else ''}{abs(v)}" for s, v, _ in changed)
    changes = ", ".join(f"{s.path}: {v} {unit}".rstrip() for s, v, unit in changed)
    text = _OVERLAY.format(id=id_, title=name, changes=changes, base=ruleset.id)
    return Variation(name, write_into(folder, f"{id_}.yaml", text).resolve(), settings)


def sweeps_of(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[Sweep, ...]:
    """The sweeps from texts such as `constants.price=3..7`."""
    results = []
    for text in value:
        form = _FORM.fullmatch(text)
        if form is None:
            raise click.BadParameter(f"`{text[:80]}` is not of the form constants.NAME=3..7 or settings.NAME=3..7")
        values = range(int(form[3]), int(form[4]) + 1)
        if not 1 < len(values) <= MOST:
            raise click.BadParameter(f"a sweep has 2 to {MOST} values, from the least to the most")
        results.append(Sweep(cast("Literal['constants', 'settings']", form[1]), form[2], values))
    if len({sweep.path for sweep in results}) < len(results):
        raise click.BadParameter("a number is swept twice")
    return tuple(results)


def _wrong(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--sweep")
