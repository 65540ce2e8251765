"""`manage.py check --deploy`: what Django does not know to look for."""

from typing import Any

import environ
from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

env = environ.Env()


@register("security", deploy=True)
def cluster_settings(**kwargs: Any) -> list[CheckMessage]:
    """Settings that several servers must share, and those that are for one machine only."""
    found: list[CheckMessage] = []
    if not settings.IS_CLUSTER:
        hint = "Set DEPLOYMENT=cluster behind a proxy that speaks HTTPS; docs/security.md says how."
        found.append(Warning("These are the settings of one machine, over HTTP.", hint=hint, id="passnet.W001"))
        return found
    if not env.str("SECRET_KEY", default=""):
        hint = "Give all servers the same: openssl rand -base64 48"
        found.append(Warning("SECRET_KEY is not set; each server has made its own.", hint=hint, id="passnet.W002"))
    if "*" in settings.ALLOWED_HOSTS:
        hint = "Name the hosts under which browsers reach the workbench."
        found.append(Warning("ALLOWED_HOSTS takes any host.", hint=hint, id="passnet.W003"))
    if env.bool("PASSNET_ALLOW_UNISOLATED", default=False):
        hint = "Take it away: in a cluster nothing is judged without isolation."
        found.append(Warning("PASSNET_ALLOW_UNISOLATED has no effect here.", hint=hint, id="passnet.W004"))
    return found
