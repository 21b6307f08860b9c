"""The application of a server: a page, and a socket."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from rulespec.pages.table_page import POLICY, table_page
from rulespec.serve.connection import Connection
from rulespec.serve.guard import Guard
from rulespec.serve.hall import Hall


def app(hall: Hall, port: int, bound: str = "127.0.0.1", url: str = "", secure: bool = False) -> ASGIApp:
    """The application. Arguments are those of `Guard`."""
    page = table_page()

    async def index(_: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await Connection(websocket, hall).live()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        gc.freeze()  # rules and code live as long as the server: to look through them again holds the loop
        start = asyncio.create_task(hall.start())
        yield
        start.cancel()

    routes = [Route("/", index), WebSocketRoute("/socket", socket)]
    return Guard(Starlette(routes=routes, lifespan=lifespan), port, bound, url, secure)
