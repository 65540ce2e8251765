"""Addresses of the WebSockets."""

from django.urls import re_path

from assistant.consumers import ConversationConsumer

websocket_urlpatterns = [
    re_path(r"^ws/assistant/(?P<conversation_id>[^/]+)/?$", ConversationConsumer.as_asgi()),
]
