"""All addresses: pages, the JSON API, health."""

from django.contrib import admin
from django.urls import include, path

from passnet_web import health, metrics
from passnet_web.api import api

urlpatterns = [
    path("", include("submissions.urls")),
    path("", include("assistant.urls")),
    path("", include("passnet_web.accounts.urls")),
    path("", include("passnet_web.operations.urls")),
    path("api/", api.urls),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", metrics.metrics),
    path("admin/", admin.site.urls),
]

handler400 = "passnet_web.errors.bad_request"
handler404 = "passnet_web.errors.not_found"
handler500 = "passnet_web.errors.server_error"
