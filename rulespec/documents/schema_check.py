"""Validation against JSON Schemas: each error becomes a diagnostic at its place in the file, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from rulespec import cache
from rulespec.diagnostics.diagnostic import Label, Span, shown
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import counted, did_you_mean
from rulespec.documents.carried_over import new_key, old_key
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, locate, to_plain

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema.exceptions import ValidationError

_TRUTH = msgspec.json.Decoder(bool)
_ERROR_LIMIT = 50
_FORMS = {
    "^[a-z][a-z0-9_]*$": "write a name with lower-case letters, digits and `_` that starts with a letter",
    "^[a-z0-9][a-z0-9_]*$": "write a name with lower-case letters, digits and `_`",
    "^(-[1-9][0-9]*|[a-z0-9][a-z0-9_]*)$": "write the name of an entity, or a whole number",
}
"""Explanations of the schemas' patterns, for people."""
_LISTED = 12  # maximum number of allowed values in a hint

_UNKNOWN = frozenset(["additionalProperties", "unevaluatedProperties"])
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "null": "empty",
}
_VALIDATORS: dict[int, tuple[dict[str, Any], jsonschema_rs.Draft202012Validator]] = {}
"""Validators by the id of their schema. The schema is stored as well, so that its id is not reused."""
_MOST_VALIDATORS = 50
_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
}
_COUNTS = {
    "minItems": ("at least", "item", ""),
    "maxItems": ("at most", "item", ""),
    "minLength": ("at least", "character", ""),
    "maxLength": ("at most", "character", ""),
    "minProperties": ("at least", "entry", "entries"),
    "maxProperties": ("at most", "entry", "entries"),
}


def check_schema(
    node: Node,
    schema: dict[str, Any],
    report: Report,
    *,
    what: str,
    related: Iterable[dict[str, Any]] = (),
    partial: bool = False,
    cached: bool = False,
) -> None:
    """Checks a file against a JSON Schema (draft 2020-12) and reports each error at its place, at most 50.

    Args:
        node: the file's root.
        schema: the schema; it is trusted.
        report: receives the diagnostics (RS211 to RS220).
        what: the kind of file for messages, such as "map file".
        related: schemas with an `$id` that `schema` may refer to. Nothing is ever fetched from the network.
        partial: whether the file is merged over another file, whose keys it may omit.
        cached: whether to cache a successful check on disk, which pays off for files read by many runs. Ignored once
            this process has compiled the schema, because validation is then faster than a lookup.
    """
    plain, related = to_plain(node), list(related)
    cached = cached and (bool(related) or id(schema) not in _VALIDATORS)
    inputs = (repr(schema), repr(related), repr(partial), repr(plain)) if cached else ()
    key = cache.key("fits", *inputs, rooms=cache.LANGUAGE) if cached else ""
    if key and cache.read(key, _TRUTH) is True:
        return
    if fits(plain, schema, related, partial):
        if key:
            cache.write(key, True)
        return
    # Lazily: most files are valid, and the import takes longer than reading them.
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    registry: Registry[Any] = Registry().with_contents(
        [(s["$id"], s) for s in related], default_specification=DRAFT202012
    )
    validator = Draft202012Validator(schema, registry=registry)
    results: list[ValidationError] = []
    for error in validator.iter_errors(plain):
        results += islice(_leaves(error), _ERROR_LIMIT)
        if len(results) >= _ERROR_LIMIT:
            break
    hints: dict[tuple[str | int, ...], str] = {}
    for error in results:
        hints[tuple(error.absolute_path)] = hints.get(tuple(error.absolute_path), "") + _meant(error, node)
    for error in _once_a_list(results):
        if not (partial and error.validator == "required"):
            _describe(error, node, report, what, hints)


def _once_a_list(errors: Iterable[ValidationError]) -> Iterable[ValidationError]:
    """The errors without repetitions in one list: of its items with the same wrong type, only the first is reported."""
    seen: set[tuple[str | int, ...]] = set()
    for error in errors:
        path = tuple(error.absolute_path)
        if error.validator == "type" and path and isinstance(path[-1], int):
            item = (*path[:-1], type(error.instance).__name__)
            if item in seen:
                continue
            seen.add(item)
        yield error


def fits(plain: Any, schema: dict[str, Any], related: Iterable[dict[str, Any]] = (), partial: bool = False) -> bool:
    """Whether the file is valid, according to jsonschema_rs, which is a hundred times as fast as jsonschema."""
    import jsonschema_rs  # lazily: the cache usually has the result

    validator = _validator(schema, list(related))
    if partial:
        return all(isinstance(e.kind, jsonschema_rs.ValidationErrorKind.Required) for e in validator.iter_errors(plain))
    return validator.is_valid(plain)


def _validator(schema: dict[str, Any], related: list[dict[str, Any]]) -> jsonschema_rs.Draft202012Validator:
    """The compiled schema, memoized if it refers to no others, as compilation takes longer than validation."""
    import jsonschema_rs

    if not related and id(schema) in _VALIDATORS:
        return _VALIDATORS[id(schema)][1]
    registry = jsonschema_rs.Registry([(s["$id"], s) for s in related], draft=jsonschema_rs.Draft202012)
    validator = jsonschema_rs.Draft202012Validator(schema, registry=registry)
    if not related:
        if len(_VALIDATORS) >= _MOST_VALIDATORS:
            _VALIDATORS.clear()
        _VALIDATORS[id(schema)] = schema, validator
    return validator


def _meant(error: ValidationError, root: Node) -> str:
    """Hints at the intended keys for unknown ones."""
    node = locate(root, error.absolute_path)
    if str(error.validator) not in _UNKNOWN or not isinstance(node, Mapping):
        return ""
    known = [k for k in _known_keys(error.schema) if k not in node.entries]
    return "".join(did_you_mean(name, known) for name in _extra_keys(error, node))


def _follows(missing: str, error: ValidationError, hint: str) -> bool:
    """Whether a key is missing only because it, or a key that requires it, is misspelt."""
    return f"`{missing}`" in hint or (bool(hint) and not {"then", "else"}.isdisjoint(error.absolute_schema_path))


def _leaves(error: ValidationError) -> Iterable[ValidationError]:
    """The errors to report: if all alternatives fail, those of the most likely one."""
    if error.validator not in {"anyOf", "oneOf"} or not error.context:
        return [error]
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    # An alternative for another type of value, or with another fixed word, is not the intended one.
    meant = {
        k: errors
        for k, errors in branches.items()
        if not any((e.validator == "type" and not e.path) or e.validator == "const" for e in errors)
    }
    # Of the rest, the one with the deepest errors fits best; between equals there is no best.
    ranks = {k: (-min(len(e.path) for e in errors), len(errors)) for k, errors in meant.items()}
    best = [k for k, rank in ranks.items() if rank == min(ranks.values())]
    if len(best) != 1:
        return [error]
    return [leaf for inner in meant[best[0]] for leaf in _leaves(inner)]


def _describe(
    error: ValidationError, root: Node, report: Report, what: str, hints: dict[tuple[str | int, ...], str]
) -> None:
    path = list(error.absolute_path)
    node = locate(root, path) or root
    where = _where(path, what)
    kind = str(error.validator)
    wanted: Any = error.validator_value

    if "propertyNames" in error.absolute_schema_path and isinstance(node, Mapping) and isinstance(error.instance, str):
        key = node.entries.get(error.instance)
        span = key[0].span if key else node.span
        hint = _cut_by_comma(error.instance, node) or _key_hint(error)
        report.error("RS215", f"{shown(error.instance)} cannot be a key in {where}", span, help=hint)
    elif kind in _UNKNOWN and isinstance(node, Mapping):
        _describe_unknown(error, node, report, where)
    elif kind == "required" and isinstance(node, Mapping):
        for name in _missing(error, node):
            if _follows(name, error, hints[tuple(path)]):
                continue
            message = f"the key {shown(name)} is missing from {where}"
            report.error("RS212", message, _head(node), notes=_named(root, path, node), help=f"add `{name}: …`")
    elif kind == "type":
        types = [wanted] if isinstance(wanted, str) else list(wanted)
        words = " or ".join(_TYPES.get(t, t) for t in types)
        report.error(
            "RS213", f"{where} must be {words}", _head(node), _label(node), help=_type_hint(types, node, error)
        )
    elif kind in {"enum", "const"}:
        values = [str(_json_word(v)) for v in (wanted if kind == "enum" else [wanted])]
        text = node.text if isinstance(node, Scalar) else ""
        hint = did_you_mean(text, values) or f"write {_list(values, 'or')}"
        report.error("RS214", f"{_value(node)} is not allowed as {where}", _head(node), help=hint)
    elif kind == "pattern":
        hint = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
        hint = hint or _form(str(wanted))
        report.error("RS215", f"{_value(node)} is not a valid value for {where}", _head(node), help=str(hint))
    elif kind in _BOUNDS:
        message = f"{_value(node)} is out of range for {where}"
        report.error("RS216", message, _head(node), help=f"write a number that is {_BOUNDS[kind]} {wanted}")
    elif kind in _COUNTS:
        instance: Any = error.instance
        change = f"add at least {wanted - len(instance)}"
        if kind.startswith("max"):
            change = f"remove at least {len(instance) - wanted} of the {len(instance)}"
        bound, noun, plural = _COUNTS[kind]
        message = f"{where} must have {bound} {counted(wanted, noun, plural)}"
        report.error("RS217", message, _head(node), help=change)
    elif kind == "uniqueItems":
        report.error("RS218", f"{where} has the same item twice", _head(node), help="remove one of the two")
    elif kind == "oneOf" and not error.context:
        report.error(
            "RS219", f"{where} fits more than one allowed form", _head(node), help="keep the keys of one form only"
        )
    elif kind in {"anyOf", "oneOf"}:
        report.error("RS219", f"{where} fits none of the allowed forms", _head(node), _label(node), help=_forms(error))
    else:
        report.error("RS220", f"{where}: {error.message[:300]}", _head(node), help=f"see `{kind}` in the schema")


def _describe_unknown(error: ValidationError, node: Mapping, report: Report, where: str) -> None:
    """Reports the unknown keys of a mapping; old names of known keys get their own diagnostic."""
    known = _known_keys(error.schema)
    for name in _extra_keys(error, node):
        span = node.entries[name][0].span
        new = new_key(name, known)
        if new is not None and new not in node.entries:
            report.add(old_key(name, new, span))
            continue
        hint = _cut_by_comma(name, node) or did_you_mean(name, [k for k in known if k not in node.entries])
        hint = hint or (f"put it under `{new}`" if new is not None else "")
        hint = hint or (f"write one of the keys {_list(known, 'or')}" if known else "remove it")
        report.error("RS211", f"unknown key {shown(name)} in {where}", span, help=hint)


def _cut_by_comma(name: str, node: Mapping) -> str:
    """The help if an unknown key is the rest of a text with a comma between braces."""
    if name not in node.entries:
        return ""
    names = list(node.entries)
    key, rest = node.entries[name]
    for before in names[: names.index(name)][::-1]:
        own, value = node.entries[before]
        if own.span.end_line != key.span.line or not isinstance(rest, Scalar) or rest.text or rest.style != "plain":
            return ""
        if not isinstance(value, Scalar):
            return ""
        if value.text:
            return f"put the value of `{before}` in quotes: between braces, a comma ends it"
    return ""


def _where(path: list[str | int], what: str) -> str:
    if not path:
        return f"the {what}"
    words = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path)
    return shown(words.removeprefix("."), 100)


def _head(node: Node) -> Span:
    """The first line of a node: its first key, if it is a mapping over several lines."""
    if isinstance(node, Mapping) and node.entries and node.span.end_line > node.span.line:
        first = next(iter(node.entries.values()))[0].span
        if first.line == node.span.line:
            return node.span.to(first)
    return node.span


def _named(root: Node, path: list[str | int], node: Node) -> list[Label]:
    """A note at the key of a node, if on another line."""
    owner = locate(root, path[:-1]) if path else None
    key = owner.entries[path[-1]][0] if isinstance(owner, Mapping) and isinstance(path[-1], str) else None
    return [Label(key.span, "the entry begins here")] if key is not None and key.span.line != node.span.line else []


def _extra_keys(error: ValidationError, node: Mapping) -> list[str]:
    if error.validator == "unevaluatedProperties":  # only the message lists them
        return [k for k in node.entries if repr(k) in error.message] or list(node.entries)[:1]
    schema: Any = error.schema
    patterns = [re.compile(p) for p in schema.get("patternProperties", {})]
    properties = schema.get("properties", {})
    return [k for k in node.entries if k not in properties and not any(p.search(k) for p in patterns)][:_ERROR_LIMIT]


def _known_keys(schema: Any) -> list[str]:
    return list(schema.get("properties", {})) if isinstance(schema, dict) else []


def _missing(error: ValidationError, node: Mapping) -> list[str]:
    # jsonschema makes one error per missing key, each with the whole list in it; the report drops repetitions.
    wanted = error.validator_value
    return [k for k in wanted if k not in node.entries] if isinstance(wanted, list) else []


def _form(pattern: str) -> str:
    return _FORMS.get(pattern) or f"write text that matches {shown(pattern, 120)}"


def _key_hint(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    if error.validator == "enum":
        names = [str(v) for v in wanted]
        return did_you_mean(str(error.instance), names) or f"write one of the keys {_list(names, 'or')}"
    if error.validator == "pattern":
        return _form(str(wanted))
    return error.message[:200]


def _type_hint(types: list[str], node: Node, error: ValidationError) -> str:
    if isinstance(node, Scalar):
        if node.value is None and len({"string", "integer", "array"} & {*types}) > 1:
            return "write a value, or leave the key out; in an overlay, list the path under `remove:`"
        if "string" in types and node.value is not None:
            form = error.schema.get("pattern", "") if isinstance(error.schema, dict) else ""
            if isinstance(node.value, bool) and form:
                return f"write a name, such as `{node.text}_`"
            if re.search(form, node.text):
                return f'quote it: `"{node.text[:60]}"`'
            name = f"n{node.text}"[:60]
            return f"write a name, such as `{name}`" if re.search(form, name) else _form(form)
        if "integer" in types and node.style != "plain" and re.fullmatch(r"-?[0-9]{1,15}", node.text):
            return f"remove the quotes: `{node.text}`"
        if "boolean" in types and node.text in {"true", "false"}:
            return f"remove the quotes: `{node.text}`"
        if "array" in types and node.value is not None:
            return f"put it in brackets: `[{', '.join(node.text[:60].replace(',', ' ').split())}]`"
    if "array" in types:
        return "write a list: `[a, b]`, or lines that start with `- `"
    if "object" in types:
        names = [item.text for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []
        if names and len(names) <= _LISTED and _takes_mappings(error.schema):
            return f"write `{{{', '.join(f'{name[:30]}: {{}}' for name in names)}}}`: each name is a key"
        return "write entries such as `key: value`, indented under this key"
    return f"write {' or '.join(_TYPES.get(t, t) for t in types)} here"


def _takes_mappings(schema: Any) -> bool:
    """Whether a schema allows arbitrary keys whose values are mappings."""
    others = schema.get("additionalProperties") if isinstance(schema, dict) else None
    return isinstance(others, dict) and ("$ref" in others or others.get("type") == "object")


def _forms(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    words: list[str] = []
    for form in wanted if isinstance(wanted, list) else []:
        if not isinstance(form, dict):
            continue
        if title := form.get("title") or form.get("description"):
            words.append(str(title))
        elif "enum" in form:
            words += [f"`{_json_word(v)}`" for v in form["enum"][:_LISTED]]
        elif "const" in form:
            words.append(f"`{_json_word(form['const'])}`")
        elif isinstance(form.get("type"), str):
            words.append(_TYPES.get(str(form["type"]), str(form["type"])))
    return f"write {' or '.join(dict.fromkeys(words))}" if words else "see the description of this file's schema"


def _label(node: Node) -> str:
    if not isinstance(node, Scalar):
        return "this is a mapping" if isinstance(node, Mapping) else "this is a list"
    match node.value:
        case None:
            return "this is empty"
        case bool():
            return "this is a truth value"
        case int():
            return "this is a number"
        case _:
            return "this is text"


def _value(node: Node) -> str:
    if isinstance(node, Scalar):
        return shown(node.text) if node.value is not None else "an empty value"
    return "this mapping" if isinstance(node, Mapping) else "this list"


def _json_word(value: object) -> object:
    return {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else value


def _list(names: list[str], last: str = "and") -> str:
    words = [f"`{n}`" for n in names[:_LISTED]]
    if len(names) > _LISTED:
        return ", ".join(words) + ", …"
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)
