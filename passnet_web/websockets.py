"""Which WebSockets are taken at all: those that a page of this very site opens, at an address that exists."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.urls import re_path

Application = Callable[[Any, Any, Any], Awaitable[Any]]


def same_origin_only(application: Application) -> Application:
    """Refuses a WebSocket whose page was loaded from another site, or from another port of this host.

    A browser sends this site's cookie along whoever opens the socket; the Origin header is what tells them apart. It
    must name the host that was asked for, and that host must be ours.
    """
    denier = WebsocketDenier.as_asgi()

    async def checked(scope: Any, receive: Any, send: Any) -> Any:
        return await (application if is_same_origin(scope["headers"]) else denier)(scope, receive, send)

    return checked


def is_same_origin(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether Origin and Host name the same place, one of ALLOWED_HOSTS. Each must be there, once."""
    origins = [value for name, value in headers if name == b"origin"]
    hosts = [value for name, value in headers if name == b"host"]
    if len(origins) != 1 or len(hosts) != 1:
        return False
    try:
        origin = urlsplit(origins[0].decode("ascii"))
        host = hosts[0].decode("ascii").lower()
    except ValueError:
        return False
    domain, _ = split_domain_port(host)
    if origin.scheme not in ("http", "https") or not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    return _with_port(origin.netloc.lower(), origin.scheme) == _with_port(host, origin.scheme)


def _with_port(host: str, scheme: str) -> str:
    has_port = host.rpartition(":")[2].isdecimal() and not host.endswith("]")
    return host if has_port else f"{host}:{443 if scheme == 'https' else 80}"


class UnknownSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """A refusal instead of a server error in the log."""

    async def connect(self) -> None:
        await self.close()

    async def receive(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is listened to."""


unknown_socket = re_path("", UnknownSocket.as_asgi())
