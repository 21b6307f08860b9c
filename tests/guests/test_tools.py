"""Tools of agents: calls are counted, arguments and answers bounded, and nothing is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rulespec.guests.tools import MOST_ANSWER, MOST_TEXT, Tool, Toolbox, ToolError, ToolParameter


def echo(text: str, times: int) -> dict[str, Any]:
    if text == "no":
        raise ToolError("that is refused")
    if text == "disk":
        raise OSError(28, "the disk is full", "/a/secret/place")
    return {"text": text * times}


def box(calls: int = 100) -> Toolbox:
    parameters = (ToolParameter("text", "string", "a text"), ToolParameter("times", "integer", "how often", 1))
    return Toolbox((Tool("echo", "Says a text.", parameters, echo),), calls)


@pytest.mark.parametrize(
    "name, arguments, answer",
    [
        ("echo", {"text": "a", "times": 3}, '{"text": "aaa"}'),
        ("echo", {"text": "a"}, '{"text": "a"}'),
        ("echo", None, "needs `text`"),
        ("echo", {"text": 1}, "is not of type string"),
        ("echo", {"text": "a", "times": True}, "is not of type integer"),
        ("echo", {"text": "a", "times": -1}, "must be from 0"),
        ("echo", {"text": "a", "times": 10**12}, "must be from 0"),
        ("echo", {"text": "a" * (MOST_TEXT + 1)}, "more than 200,000"),
        ("echo", {"text": "\ud800"}, "is not a valid string"),
        ("echo", {"text": "a", "other": 1}, "no parameter `other`"),
        ("echo", {"text": "a" * 1000, "times": MOST_ANSWER // 1000 + 1}, "too long"),
        ("echo", {"text": "no"}, "that is refused"),
        ("echo", {"text": "disk"}, "the disk is full"),
        ("nothing", {}, "there is no tool `nothing`; the tools are echo"),
    ],
)
def test_an_answer_is_json_whatever_is_asked(name: str, arguments: Any, answer: str) -> None:
    text, wrong = box().call(name, arguments)
    assert (
        "secret" not in text and answer in text and wrong == ("error" in json.loads(text)) and len(text) <= MOST_ANSWER
    )


def test_calls_are_counted() -> None:
    tools = box(2)
    assert [tools.call("echo", {"text": "a"})[1] for _ in range(3)] == [False, False, True]
    assert "all of its calls" in tools.call("echo", {"text": "a"})[0]


def test_the_schema_of_a_tool_is_that_of_its_arguments() -> None:
    schema = box().tools["echo"].schema()
    assert schema["required"] == ["text"] and schema["properties"]["times"]["default"] == 1
