"""The entry of any ASGI server: HTTP through Django, WebSockets through Channels."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")

http = get_asgi_application()  # sets Django up: models can only be imported after it

from assistant.routing import websocket_urlpatterns as of_the_assistant  # noqa: E402
from passnet_web.websockets import same_origin_only, unknown_socket  # noqa: E402
from submissions.routing import websocket_urlpatterns as of_submissions  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": same_origin_only(URLRouter([*of_submissions, *of_the_assistant, unknown_socket])),
    }
)
