"""Long answers arrive in pieces, under ASGI as well."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from django.core.handlers.asgi import ASGIRequest
from django.test import RequestFactory

from submissions.streaming import streamed

LONG = "x" * 40_000


def answered(request, made):
    def lines():
        for number in range(4):
            made.append(number)
            yield LONG

    return streamed(request, lines(), "text/plain", "lines.txt")


def test_under_wsgi():
    answer = answered(RequestFactory().get("/"), [])
    assert [len(piece) for piece in answer] == [80_000, 80_000]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="lines.txt"'


def test_under_asgi_the_first_piece_is_sent_before_the_last_line_is_made():
    async def first():
        made = []
        answer = answered(ASGIRequest({"type": "http", "path": "/", "method": "GET", "headers": []}, None), made)
        assert answer.is_async
        pieces = aiter(answer)
        size, known = len(await anext(pieces)), list(made)
        return size, known, [len(piece) async for piece in pieces]

    with ThreadPoolExecutor(1) as thread:  # a browser's test may have left a loop running in this one
        assert thread.submit(asyncio.run, first()).result() == (80_000, [0, 1], [80_000])
