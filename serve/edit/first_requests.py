"""The HTTP requests for starting a map; each carries the key of its link in a header."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from rulespec.serve.edit.first_map import MAX_CHOICE, MapChoice, ReadDrawing, ReadFinding, Start, read_choice

_Answer = Callable[[Request], Awaitable[object]]
_UNKNOWN = "this request has an unknown form, or is too large"


def start_routes(start: Start, key: str) -> list[Route]:
    """The routes for starting a map.

    Args:
        start: the folder for the map.
        key: the key in the header `Authorization` of each request, which pages of other origins cannot send.
    """

    def answering(answer: _Answer) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            said = request.headers.get("authorization", "")
            if not hmac.compare_digest(said.encode(), f"Bearer {key}".encode()):
                return _json({"refused": "this link is not valid: open the one that `rulespec edit` has printed"}, 403)
            try:
                return _json(await answer(request))
            except ClientDisconnect:
                return Response(status_code=400)

        return answered

    async def hello(_: Request) -> object:
        return start.hello()

    async def drawing(request: Request) -> object:
        refusal = await start.take(request.query_params.get("name", ""), request.stream())
        return {"refused": refusal} if refusal else {"done": "taken"}

    async def reading(request: Request) -> object:
        choice = await _choice(request)
        return ReadDrawing(refused=[ReadFinding("", 0, _UNKNOWN)]) if choice is None else await start.read(choice)

    async def begun(request: Request) -> object:
        choice = await _choice(request)
        refusal = _UNKNOWN if choice is None else await start.begin(choice)
        return {"refused": refusal} if refusal else {"done": "begun"}

    return [
        Route("/start", answering(hello)),
        Route("/drawing", answering(drawing), methods=["POST"]),
        Route("/reading", answering(reading), methods=["POST"]),
        Route("/map", answering(begun), methods=["POST"]),
    ]


async def _choice(request: Request) -> MapChoice | None:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MAX_CHOICE:
            return None
    return read_choice(data)


def _json(data: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status, media_type="application/json")
