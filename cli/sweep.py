"""`rulespec playtest --sweep constants.NAME=3..7`: one rule for each value of a constant, a setting or a fact."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, cast

import click
from msgspec import Struct

from rulespec.cli.failing_game import write_into
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.typed import nodes as typed
from rulespec.types import Num

MOST = 12
"""Maximum number of values in a sweep: the error probability is bounded for all of them together."""
_NAME, _VALUE = "[a-z][a-z0-9_]{0,63}", "(-?[0-9]{1,9})"
_FORM = re.compile(
    rf"(?:(constants|settings)\.({_NAME})|(kinds)\.({_NAME}\.entities\.[a-z0-9_]{{1,64}}\.{_NAME}))={_VALUE}\.\.{_VALUE}"
)
_LISTED = 12
_LONGEST = 64
"""Maximum length of an id in characters."""
_OVERLAY = 'id: {id}\ntitle: "{title}"\nfor: {base}\nversion: "1"\nchanges: {{{changes}}}\n'


class Sweep(Struct, frozen=True):
    """A sweep: a number in the rules, and the values to try for it.

    Attributes:
        kind: the kind of the number: a constant, a setting, or a fact of an entity.
        name: its name; for a fact, the rest of its overlay path, such as `heap.entities.five.size`.
        values: the values, in order.
    """

    kind: Literal["constants", "settings", "kinds"]
    name: str
    values: range

    @property
    def path(self) -> str:
        """The overlay path of the number."""
        return f"{self.kind}.{self.name}"

    def __str__(self) -> str:
        return f"{self.path}={self.values[0]}..{self.values[-1]}"

    @property
    def short(self) -> str:
        """The short name for tables; for a fact, it omits the kind, as in `five.size`."""
        return short(self.path)

    def own(self, ruleset: typed.Ruleset) -> tuple[int, str]:
        """The current value in a ruleset, with its unit.

        Raises:
            click.BadParameter: if the ruleset has no such number, or the setting does not allow these values.
        """
        d = ruleset.declarations
        if self.kind == "kinds":
            return self._fact(ruleset), ""
        declared = d.constants if self.kind == "constants" else d.settings
        if self.name not in declared:
            raise _wrong(f"there is no {self.kind[:-1]} `{self.name}`; {_known(self.name, declared)}")
        type_ = declared[self.name].type
        if not isinstance(type_, Num):
            raise _wrong(f"`{self.name}` is {type_}, not a number")
        if self.kind == "constants":
            return int(d.constants[self.name].value), type_.unit or ""
        setting = d.settings[self.name]
        low, high = setting.bounds or (self.values[0], self.values[-1])
        if self.values[0] < low or self.values[-1] > high:
            raise _wrong(f"`{self.name}` must be from {low} to {high}")
        return int(setting.default), ""

    def _fact(self, ruleset: typed.Ruleset) -> int:
        """The current value of a fact."""
        of, _, entity, name = self.name.split(".")
        kinds = ruleset.declarations.kinds
        if of not in kinds:
            raise _wrong(f"there is no kind `{of}`; {_known(of, kinds)}")
        names, facts = [each.name for each in kinds[of].entities], kinds[of].facts
        if entity not in names:
            raise _wrong(f"there is no {of} `{entity}`; {_known(entity, names)}")
        if name not in facts:
            raise _wrong(f"`{of}` has no fact `{name}`; {_known(name, facts)}")
        if not isinstance(facts[name].type, Num):
            raise _wrong(f"`{name}` is {facts[name].type}, not a number")
        return facts[name].values[names.index(entity)]


class Variation(NamedTuple):
    """A variation of a game: its name, the overlay with the changed numbers (None if unchanged), and its settings."""

    name: str
    overlay: Path | None
    settings: dict[str, str]


def change(sweeps: Sequence[Sweep], values: Sequence[int], ruleset: typed.Ruleset, folder: Path) -> Variation:
    """The variation with one value for each swept number; writes its overlay into the folder.

    Raises:
        click.BadParameter: as for `Sweep.own`. click.ClickException: if writing fails.
    """
    own = [sweep.own(ruleset) for sweep in sweeps]
    set_to = list(zip(sweeps, values, own, strict=True))
    name = ",".join(f"{sweep.short}={value}" for sweep, value in zip(sweeps, values, strict=True))
    settings = {sweep.name: str(value) for sweep, value, _ in set_to if sweep.kind == "settings"}
    changed = [(s, v, unit) for s, v, (old, unit) in set_to if s.kind != "settings" and v != old]
    if not changed:
        return Variation(name, None, settings)
    named = [f"{s.name.replace('.entities.', '_').replace('.', '_')}_{v}".replace("-", "minus_") for s, v, _ in changed]
    id_ = "_".join(named)
    if len(id_) > _LONGEST:
        id_ = f"swept_{blake2b(id_.encode(), digest_size=16).hexdigest()}"
    changes = ", ".join(f"{s.path}: {v} {unit}".rstrip() for s, v, unit in changed)
    text = _OVERLAY.format(id=id_, title=name, changes=changes, base=ruleset.id)
    return Variation(name, write_into(folder, f"{id_}.yaml", text).resolve(), settings)


def sweeps_of(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[Sweep, ...]:
    """Parses sweeps such as `constants.price=3..7`."""
    results = []
    for text in value:
        form = _FORM.fullmatch(text)
        if form is None:
            forms = "constants.NAME=3..7, settings.NAME=3..7 or kinds.KIND.entities.ENTITY.FACT=3..7"
            raise click.BadParameter(f"`{text[:80]}` is not of the form {forms}")
        kind, name = form[1] or form[3], form[2] or form[4]
        values = range(int(form[5]), int(form[6]) + 1)
        if not 1 < len(values) <= MOST:
            raise click.BadParameter(f"a sweep has 2 to {MOST} values, from the lowest to the highest")
        results.append(Sweep(cast("Literal['constants', 'settings', 'kinds']", kind), name, values))
    if len({sweep.path for sweep in results}) < len(results):
        raise click.BadParameter("a number is swept twice")
    return tuple(results)


def short(path: str) -> str:
    """The short name of a number for tables, given the number's path."""
    kind, _, name = path.partition(".")
    return name.partition(".entities.")[2] if kind == "kinds" else name


def _known(name: str, names: Collection[str]) -> str:
    """A hint at the similar name, or at the first known ones."""
    shown = [*islice(names, _LISTED)]
    more = ", …" if len(names) > _LISTED else ""
    return did_you_mean(name, list(names)) or f"there are {', '.join(shown) or 'none'}{more}"


def _wrong(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--sweep")
