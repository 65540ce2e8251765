"""Addresses of the WebSockets."""

from django.urls import re_path

from submissions.consumers import RunConsumer
from submissions.language_consumer import LanguageConsumer
from submissions.matching_consumer import MatchConsumer

websocket_urlpatterns = [
    re_path(r"^ws/runs/(?P<run_id>[^/]+)/?$", RunConsumer.as_asgi()),
    re_path(r"^ws/tasks/(?P<slug>[^/]+)/match/?$", MatchConsumer.as_asgi()),
    re_path(r"^ws/language/?$", LanguageConsumer.as_asgi()),
]
