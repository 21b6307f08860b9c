"""The web application of a table server: a page and a socket."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rulespec.pages.table_page import POLICY, table_page
from rulespec.serve.connection import Connection
from rulespec.serve.guard import OriginGuard
from rulespec.serve.hall import Hall


def app(hall: Hall, port: int, bound: str = "127.0.0.1", url: str = "", secure: bool = False) -> ASGIApp:
    """The web application. Arguments as in `OriginGuard`."""
    page = table_page()

    async def index(_: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        gc.freeze()  # rules and code live as long as the server: scanning them would only block the loop
        start = asyncio.create_task(hall.start())
        yield
        start.cancel()

    pages = Starlette(routes=[Route("/", index)], lifespan=lifespan)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or scope["path"] != "/socket":
            await pages(scope, receive, send)
            return
        scope["headers"] = []  # the guard has already checked them
        await receive()
        await send({"type": "websocket.accept"})
        await Connection(receive, send, hall).live()

    return OriginGuard(routed, port, bound, url, secure)
