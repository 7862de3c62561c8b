"""The application of the page: its files, and what it may ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from eatlas.errors import EatlasError
from eatlas.explorer.board import across_of, board_of, look_of, others_of, page_of
from eatlas.explorer.exports import export
from eatlas.explorer.measuring import Explorer
from eatlas.explorer.requests import Request
from eatlas.explorer.starts import lists_of_file
from eatlas.present.rendering import TEMPLATES, served_style
from eatlas.present.text import clean
from eatlas.serving import App, needs

if TYPE_CHECKING:
    from starlette.requests import Request as Asked
    from starlette.responses import Response

EXTRA = "explore"
"""What is installed for this page."""


def application(explorer: Explorer) -> App:
    """The application: the page, its two files, four views, the lists of a file and the downloads.

    Raises
    ------
    EatlasError
        If starlette is not installed.
    """
    try:
        from starlette.applications import Starlette  # noqa: PLC0415  (an extra)
        from starlette.concurrency import run_in_threadpool  # noqa: PLC0415
        from starlette.requests import ClientDisconnect  # noqa: PLC0415
        from starlette.responses import (  # noqa: PLC0415
            HTMLResponse,
            JSONResponse,
            PlainTextResponse,
            Response,
        )
        from starlette.routing import Route  # noqa: PLC0415
    except ImportError as error:
        raise needs(EXTRA) from error

    script = (TEMPLATES / "explore.js").read_text(encoding="utf-8")

    def file(path: str, content: str, media_type: str) -> Route:
        async def answer(_: Asked) -> Response:
            return Response(content, media_type=media_type)

        return Route(path, answer)

    def act(name: str, make: Callable[[Request], Response]) -> Route:
        async def answered(asked: Asked) -> Response:
            try:
                body = await asked.body()
                return await run_in_threadpool(lambda: make(Request.read(body)))
            except ClientDisconnect:  # or the body is too long
                return Response(status_code=413)
            except EatlasError as error:
                return PlainTextResponse(clean(str(error)), 422)

        return Route(f"/{name}", answered, methods=["POST"])

    def view(make: Callable[[Explorer, Request], str]) -> Callable[[Request], Response]:
        return lambda request: HTMLResponse(make(explorer, request))

    def download(request: Request) -> Response:
        made = export(explorer, request)
        disposition = {"content-disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=made.media_type, headers=disposition)

    app: App = Starlette(
        routes=[
            file("/", page_of(explorer), "text/html"),
            file("/page.css", served_style("explore.css"), "text/css"),
            file("/page.js", script, "text/javascript"),
            act("view", view(board_of)),
            act("others", view(others_of)),
            act("across", view(across_of)),
            act("look", view(look_of)),
            act("file", lambda request: JSONResponse(lists_of_file(request.text)._asdict())),
            act("export", download),
        ]
    )
    return app
