"""Messages of a map page: what has another form than the schema says is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulespec.schemas import load_schema
from rulespec.serve.edit.map_messages import MAX_MESSAGE, read_message

SCHEMA = Draft202012Validator(load_schema("edit_message"))
GOOD: list[Any] = [
    {"do": "undo"},
    {"do": "edit", "edits": [["link", "a", "b"]], "name": "link", "confirmed": True},
    {"do": "fix", "fix": 0, "serial": 3},
    {"do": "start", "step": "table"},
    {"do": "edit", "edits": [["set", "a", "title", "x" * 2000]]},
]
BAD: list[Any] = [
    *(None, 1, "undo", [], [["link", "a", "b"]], {}),
    {"do": "write"},
    {"do": "undo", "more": 1},
    {"do": "edit", "edits": "link a b"},
    {"do": "edit", "edits": [[]]},
    {"do": "edit", "edits": [["move", "a", 1, 2]]},
    {"do": "edit", "edits": [["x"] * 601]},
    {"do": "edit", "edits": [["x"]] * 401},
    {"do": "edit", "edits": [["set", "a", "title", "x" * 2001]]},
    {"do": "edit", "name": "x" * 201},
    {"do": "edit", "confirmed": "yes"},
    {"do": "start", "step": "validate"},
    {"do": "start", "step": ["test", "x"]},
    {"do": "fix", "fix": -1},
    {"do": "fix", "fix": 10_001},
    {"do": "fix", "fix": 1.5},
    {"do": "fix", "serial": 2**60},
]


@pytest.mark.parametrize("data", GOOD, ids=str)
def test_a_message_of_this_form_is_read(data: Any) -> None:
    assert SCHEMA.is_valid(data) and read_message(json.dumps(data)) is not None


@pytest.mark.parametrize("data", BAD, ids=lambda data: str(data)[:60])
def test_a_message_of_another_form_is_refused(data: Any) -> None:
    assert not SCHEMA.is_valid(data) and read_message(json.dumps(data)) is None


@pytest.mark.parametrize("text", ["", "{", "[" * 10_000, '{"do": "undo"', '{"do":"undo"}' + " " * MAX_MESSAGE])
def test_what_is_no_json_is_refused(text: str) -> None:
    assert read_message(text) is None
