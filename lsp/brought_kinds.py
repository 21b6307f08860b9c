"""Replacement of the base's entities by a map's own, such as players' sides; facts, tables and set-up change
accordingly.

The new entities replace the old ones in order, and references to old entities are shifted accordingly: a reference to
the next entity still refers to the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import Node, entries, get, text, to_plain
from rulespec.edits.yaml_edits import flow
from rulespec.lsp.base_map import BaseMap
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf, Type

Changes = dict[tuple[str, ...], Any]
"""Path in the ruleset's files → new value."""


class Brought:
    """The changes to files for a map that replaces the entities of a kind.

    Args:
        base: the base of the map.
        kind: the kind.
        titles: the new entities, with their titles.
        own: the facts of entities already in the map, which are not changed.
    """

    def __init__(self, base: BaseMap, kind: str, titles: Mapping[str, str], own: Mapping[str, Any]) -> None:
        self.base, self.kind, self.titles, self.own = base, kind, titles, own
        self.old = [entity.name for entity in base.d.kinds[kind].entities]
        self.new = [*titles]
        self._products = {
            name: [entity.name for entity in of.entities] for name, of in base.d.kinds.items() if kind in of.product
        }

    def changes(self) -> Changes:
        """The new values, by path."""
        results: Changes = {("kinds", self.kind, "entities"): self._entities()}
        results |= self._starts()
        results |= self._tables()
        results |= self._set_up()
        most = self.base.d.max_players
        if most == len(self.old) > len(self.new):  # one player each, as in the base
            results["game", "players"] = {"min": min(self.base.d.min_players, len(self.new)), "max": len(self.new)}
        return results

    def replaced(self, changes: Changes) -> list[str]:
        """The paths at which values replace the base's values completely."""
        whole = [path for path, value in changes.items() if isinstance(value, dict) and path[0] != "game"]
        return [".".join(path) for path in whole]

    # --- facts -------------------------------------------------------------------------------------------------------

    def _entities(self) -> dict[str, dict[str, Any]]:
        tree = get(self.base.root, "kinds", self.kind, "entities")
        facts = self.base.d.kinds[self.kind].facts
        shifts = {name: self._shifts(name, fact.type, tree) for name, fact in facts.items() if self._speaks(fact.type)}
        results: dict[str, dict[str, Any]] = {}
        for i, name in enumerate(self.new):
            t = i % len(self.old)
            data: Any = to_plain(node) if (node := get(tree, self.old[t])) is not None else {}
            entity = {"title": self.titles[name]} if self.titles[name] else {}
            for key, value in (data or {}).items():
                if key in shifts:
                    entity[key] = self._renamed(value, i, t, shifts[key])
                elif key not in ("title", "doc", "position"):
                    entity[key] = value
            results[name] = self.own.get(name) or entity
        return results

    def _speaks(self, type_: Type) -> bool:
        """Whether values of a type refer to entities of the kind."""
        return isinstance(type_, Ent | SetOf) and (type_.kind == self.kind or type_.kind in self._products)

    def _shifts(self, fact: str, type_: Type, tree: Node | None) -> int | None:
        """The common distance between an entity and the one in its fact; None to keep the base's distances."""
        if len(self.new) == len(self.old) or not isinstance(type_, Ent):
            return None
        distances = []
        for t, name in enumerate(self.old):
            other = self._place(text(get(tree, name, fact)))
            distances.append(None if other is None else (other - t) % len(self.old))
        if None in distances or len({(t + d) % len(self.old) for t, d in enumerate(distances) if d is not None}) < len(
            self.old
        ):
            return None
        first = distances[0] or 0
        return first and (first % len(self.new) or min(1, len(self.new) - 1))

    def _place(self, name: str) -> int | None:
        """The index of the old entity to which a name refers, directly or as a member of a pair."""
        if name in self.old:
            return self.old.index(name)
        for product, names in self._products.items():
            if name in names:
                return self._part(product, names.index(name))
        return None

    def _part(self, product: str, number: int) -> int:
        """The component of the kind in an entity of a product."""
        of = self.base.d.kinds[product].product
        for kind in reversed(of):
            number, part = divmod(number, len(self.base.d.kinds[kind].entities))
            if kind == self.kind:
                return part
        return 0

    def _renamed(self, value: Any, i: int, t: int, shift: int | None = None) -> Any:
        """A value of the old entity `t`, adapted to the new entity `i`."""
        if isinstance(value, list):
            return list(dict.fromkeys(self._renamed(each, i, t, shift) for each in value))
        place = self._place(str(value))
        if place is None:
            return value
        distance = place - t if shift is None else shift
        if shift is None and distance and len(self.new) > 1 and (i + distance) % len(self.new) == i:
            distance = 1
        new = self.new[(i + distance) % len(self.new)]
        return self._named(str(value), self.old[place], new)

    def _named(self, value: str, old: str, new: str) -> str:
        """The name of an entity, or of a pair with it, after the entity's replacement."""
        if value == old:
            return new
        for product, names in self._products.items():
            if value in names:
                number, parts = names.index(value), []
                for kind in reversed(self.base.d.kinds[product].product):
                    number, part = divmod(number, len(self.base.d.kinds[kind].entities))
                    parts.append(new if kind == self.kind else self.base.d.kinds[kind].entities[part].name)
                return "_".join(reversed(parts))
        return value

    # --- what stands elsewhere ---------------------------------------------------------------------------------------

    def _starts(self) -> Changes:
        """Initial state that refers to an entity of the kind."""
        results: Changes = {}
        fields: list[tuple[tuple[str, ...], Mapping[str, typed.FieldDecl]]] = [(("state",), self.base.d.fields)]
        fields += [(("kinds", name, "state"), of.state) for name, of in self.base.d.kinds.items()]
        for path, declared in fields:
            for name, field in declared.items():
                start = (*path, name, "start")
                value = text(get(self.base.root, *start))
                if isinstance(field.type, Ent) and field.type.kind == self.kind and value in self.old:
                    results[start] = self.new[self.old.index(value) % len(self.new)]
        return results

    def _tables(self) -> Changes:
        """Rows of tables whose keys or values are entities of the kind."""
        results: Changes = {}
        for name, table in self.base.d.tables.items():
            depths = [depth for depth, key in enumerate(table.keys) if self._speaks(key)]
            if depths or self._speaks(table.value):
                rows = get(self.base.root, "tables", name, "rows")
                data: Any = to_plain(rows) if rows is not None else {}
                results["tables", name, "rows"] = self._rows(data, table, 0, None)
        return results

    def _rows(self, data: Any, table: typed.TableDecl, depth: int, at: tuple[int, int] | None) -> Any:
        """The rows below a key depth; `at` is the new entity in the keys so far, and the old one that it follows."""
        if depth == len(table.keys):
            i, t = at or (0, 0)
            return self._renamed(data, i, t) if self._speaks(table.value) else data
        key = table.keys[depth]
        if not isinstance(data, dict):
            return data
        if not (isinstance(key, Ent) and key.kind == self.kind):
            return {self._plain(k): self._rows(v, table, depth + 1, at) for k, v in data.items()}
        if depth == len(table.keys) - 1 and table.value == SetOf(self.kind):
            return self._shares(data)
        results = {}
        for i, name in enumerate(self.new):
            t = i % len(self.old)
            if self.old[t] in data:
                results[name] = self._rows(data[self.old[t]], table, depth + 1, (i, t))
        return results

    @staticmethod
    def _plain(key: str) -> Any:
        return int(key) if key.isdecimal() else key

    def _shares(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        """A partition of the entities among some of them, such as the cards that belong to a card."""
        if all(data.get(name) == [name] for name in self.old):
            return {name: [name] for name in self.new}
        number = len(self.new)
        old = {name: [self.old.index(each) for each in data.get(name) or () if each in self.old] for name in self.old}
        results: dict[str, list[str]] = {
            name: [self.new[r] for r in old[self.old[i]] if r < number] if i < len(self.old) else []
            for i, name in enumerate(self.new)
        }
        having = [name for name, each in results.items() if each]
        placed = {each for list_ in results.values() for each in list_}
        all_placed = len({r for each in old.values() for r in each}) == len(self.old)
        for name in (
            self.new[: len(self.old)] if all_placed else ()
        ):  # the rest is omitted, as the base's numbers are for these
            if name not in placed:
                least = min(having or self.new, key=lambda each: len(results[each]))
                results[least].append(name)
        return results

    def _set_up(self) -> Changes:
        """The parts of the set-up that belong to entities."""
        results: Changes = {}
        for path, node in _by_names(("setup",), get(self.base.root, "setup"), {*self.old}):
            data: Any = to_plain(node)
            results[path] = {
                name: self._renamed(data[self.old[i % len(self.old)]], i, i % len(self.old))
                for i, name in enumerate(self.new)
                if self.old[i % len(self.old)] in data
            }
        return results


def _by_names(path: tuple[str, ...], node: Node | None, names: set[str]) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The mappings below a node whose keys are all among the given names."""
    if isinstance(node, YamlMapping) and node.entries and names.issuperset(node.entries):
        yield path, node
    else:
        for key, _, value in entries(node):
            yield from _by_names((*path, key), value, names)


def lines_of(key: str, value: Any, depth: int) -> Sequence[str]:
    """An entry as YAML: nested mappings on separate lines, other mappings in braces."""
    if isinstance(value, dict) and value and any(isinstance(each, dict | list) for each in value.values()) and depth:
        return [f"{flow(key)}:", *(f"  {line}" for k, v in value.items() for line in lines_of(k, v, depth - 1))]
    return [f"{flow(key)}: {flow(value)}"]
