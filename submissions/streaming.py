"""Long answers in pieces, also under ASGI, where Django would collect a plain iterator before it sends the first."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

_PIECE = 1 << 16  # characters at the least, but for the last one: a change of threads for each line would cost more


def streamed(request: HttpRequest, lines: Iterator[str], content_type: str, filename: str) -> StreamingHttpResponse:
    """`lines` as a file to be downloaded. They are made while it is sent, in the thread that the request's database
    connection belongs to."""
    pieces = _pieces(lines)
    body = _asked_for(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return StreamingHttpResponse(body, content_type=content_type, headers=headers)


def _pieces(lines: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)


async def _asked_for(pieces: Iterator[str]) -> AsyncIterator[str]:
    following = sync_to_async(lambda: next(pieces, None), thread_sensitive=True)
    while (piece := await following()) is not None:
        yield piece
