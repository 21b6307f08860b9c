"""The web application of an editor: a socket, requests for starting a map, and a page that contains no map data."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rulespec.pages.socket_pages import POLICY, edit_page, start_page
from rulespec.serve.edit.desk import Desk
from rulespec.serve.edit.first_map import MAX_CHOICE, MapChoice, ReadDrawing, ReadFinding, Start, read_choice
from rulespec.serve.edit.map_connection import EditConnection
from rulespec.serve.guard import OriginGuard


def edit_app(opened: Desk | Start, key: str, port: int) -> ASGIApp:
    """The web application of an editor.

    Args:
        opened: the editor, or the start of a map in a folder.
        key: the key that the first message of a page must contain.
        port: the port on this machine's loopback address.
    """
    start = opened if isinstance(opened, Start) else None
    framed = {"Content-Security-Policy": POLICY}

    def desk() -> Desk | None:
        return opened.desk if isinstance(opened, Start) else opened

    async def index(_: Request) -> Response:
        return HTMLResponse(start_page() if desk() is None else edit_page(), headers=framed)

    async def report(request: Request) -> Response:
        """The report that the page requested, at an unguessable address."""
        at = desk()
        written = at.programs.reports.get(request.url.path) if at is not None else None
        return Response(status_code=404) if written is None else HTMLResponse(written, headers=framed)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(opened.run())
        yield
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    routes = [Route("/", index), Route("/report/{name}", report)]
    pages = Starlette(routes=[*routes, *(start_routes(start, key) if start is not None else ())], lifespan=lifespan)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await pages(scope, receive, send)
            return
        await receive()
        at = desk()
        if scope["path"] != "/socket" or at is None:
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        await send({"type": "websocket.accept"})
        await EditConnection(receive, send, at, key).live()

    return OriginGuard(routed, port)


_Answer = Callable[[Request], Awaitable[object]]
_UNKNOWN = "this request is malformed, or too large"


def start_routes(start: Start, key: str) -> list[Route]:
    """The routes for starting a map.

    Args:
        start: the map that is about to start.
        key: the key that each request needs in its `Authorization` header, which pages from other origins cannot send.
    """

    def answering(answer: _Answer) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            said = request.headers.get("authorization", "")
            if not hmac.compare_digest(said.encode(), f"Bearer {key}".encode()):
                return _json({"refused": "this link is not valid: open the one that `rulespec edit` printed"}, 403)
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
