"""What every response tells the browser not to do."""

from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

Handler = Callable[[HttpRequest], HttpResponse]

# Everything that this site never asks for. Copying and pasting is left as it is.
PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "publickey-credentials-get",
        "screen-wake-lock",
        "serial",
        "usb",
        "xr-spatial-tracking",
    )
)
DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# Pages whose editor (or API browser) writes style elements at run time.
STYLED_AT_RUN_TIME = ("/tasks/", "/graphs/", "/compare/", "/review/", "/api/docs")


def security_headers(get_response: Handler) -> Handler:
    """Adds Content-Security-Policy and its relatives to every response, static files and errors too."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        headers.setdefault("Content-Security-Policy", policy_for(request))
        headers.setdefault("Permissions-Policy", PERMISSIONS)
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if not request.path.startswith("/static/"):
            headers.setdefault("Cache-Control", "private, no-cache")  # what one user saw is not kept for another
            patch_vary_headers(response, ["Cookie", "Authorization"])
        return response

    return middleware


def policy_for(request: HttpRequest) -> str:
    """The policy of what is at this address: pages may load our own files, data may load nothing at all."""
    if request.path.startswith("/api/") and not request.path.startswith("/api/docs"):
        return DATA_POLICY
    try:
        host = request.get_host()
    except DisallowedHost:
        host = ""
    return page_policy(host, styled=request.path.startswith(STYLED_AT_RUN_TIME))


def page_policy(host: str, *, styled: bool = False) -> str:
    """The policy of pages served under `host`: no inline script, nothing from elsewhere, no frames, no plug-ins."""
    # 'self' covers WebSockets in current browsers only, so that they are named; a host with odd characters is left out.
    plain = host and all(character.isalnum() or character in ".-:[]" for character in host)
    sockets = f" ws://{host} wss://{host}" if plain and host.isascii() else ""
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'" if styled else "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "worker-src 'self'",
            f"connect-src 'self'{sockets}",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )
