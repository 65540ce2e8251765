"""What no request may look like, and what every write must show."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes, urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse

Handler = Callable[[HttpRequest], HttpResponse]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
LONGEST_ADDRESS = 8192


def plain_requests(get_response: Handler) -> Handler:
    """Refuses addresses with NUL characters, which Postgres takes for an error of ours, and very long ones."""

    def middleware(request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path or b"\0" in unquote_to_bytes(query):
            return _bad_address(400, "The address holds a NUL character. Leave it out.")
        if len(request.path) + len(query) > LONGEST_ADDRESS:
            return _bad_address(414, f"The address is longer than {LONGEST_ADDRESS:,} characters. Make it shorter.")
        return get_response(request)

    return middleware


def _bad_address(status: int, why: str) -> HttpResponse:
    return JsonResponse({"error": why, "code": "bad_address"}, status=status)


def same_origin_writes(get_response: Handler) -> Handler:
    """Refuses a write that another site's page sends through the user's browser.

    A browser names the page's origin on every write; a program that sends none is not a browser. A JSON body (or
    an archive) must say so: a page elsewhere can post plain text to us without being asked, but neither of these. The
    token against forged requests (passnet_web.gate) is asked for as well.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method not in SAFE_METHODS and request.path.startswith("/api/"):
            why = _foreign(request)
            if why:
                return JsonResponse({"error": why, "code": "cross_site"}, status=403)
        return get_response(request)

    return middleware


def _foreign(request: HttpRequest) -> str | None:
    origin = request.META.get("HTTP_ORIGIN")
    if origin is not None and urlsplit(origin).netloc != request.get_host():
        return f"The write comes from {origin[:200]}, another site. Use the workbench's own pages or send no Origin."
    if request.META.get("HTTP_SEC_FETCH_SITE") in ("cross-site", "same-site"):
        return "The write comes from another site's page. Use the workbench's own pages."
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length != "0" and request.content_type not in ("application/json", "application/zip"):
        return f"The body is {request.content_type or 'of no type'}. Send it with Content-Type: application/json."
    return None
