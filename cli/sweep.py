"""`rulespec playtest --sweep constants.NAME=3..7`: a rule for each value of a constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.typed import nodes as typed
from rulespec.types import Num

MOST = 12
"""Values of a sweep: mistakes are bounded for all of them together."""
_FORM = re.compile(r"constants\.([a-z][a-z0-9_]{0,63})=(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_OVERLAY = 'id: {id}\ntitle: "{path} = {value}"\nfor: {base}\nversion: "1"\nchanges: {{{path}: {value}}}\n'


class Sweep(Struct, frozen=True):
    """Values of a constant.

    Attributes:
        name: the name of the constant.
        values: the values, from the first to the last.
    """

    name: str
    values: range

    @property
    def path(self) -> str:
        """The path of the constant."""
        return f"constants.{self.name}"

    def overlays(self, ruleset: typed.Ruleset, folder: Path) -> Iterator[tuple[str, Path]]:
        """An overlay for each value but that of the ruleset, written into a folder: its name, and its file.

        Raises:
            click.BadParameter: if the ruleset has no such constant, or it is no number.
        """
        constants = ruleset.declarations.constants
        if self.name not in constants:
            hint = did_you_mean(self.name, constants) or f"there are {', '.join(constants) or 'none'}"
            raise click.BadParameter(f"there is no constant `{self.name}`; {hint}", param_hint="--sweep")
        constant = constants[self.name]
        if not isinstance(constant.type, Num):
            raise click.BadParameter(f"`{self.name}` is {constant.type}, and no number", param_hint="--sweep")
        for value in self.values:
            if value == constant.value:
                continue
            name = f"{self.name}_{'minus_' if value < 0 else ''}{abs(value)}"
            text = f"{value} {constant.type.unit}".rstrip()
            file = folder / f"{name}.yaml"
            file.write_text(_OVERLAY.format(id=name, path=self.path, value=text, base=ruleset.id), "utf-8")
            yield f"{self.name}={value}", file


def sweep_of(ctx: click.Context, option: click.Parameter, value: str | None) -> Sweep | None:
    """The sweep in a text such as `constants.price=3..7`."""
    if value is None:
        return None
    form = _FORM.fullmatch(value)
    if form is None:
        raise click.BadParameter(f"`{value[:80]}` is not of the form constants.NAME=3..7")
    values = range(int(form[2]), int(form[3]) + 1)
    if not 1 < len(values) <= MOST:
        raise click.BadParameter(f"a sweep has 2 to {MOST} values, from the least to the most")
    return Sweep(form[1], values)
