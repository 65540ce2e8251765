"""Is this process up (`/healthz`), and can it do its work (`/readyz`)?"""

import logging

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse

from submissions.devices import device_states

log = logging.getLogger(__name__)


def healthz(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers. Touches nothing else."""
    return JsonResponse({"status": "up"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database, Redis and at least one device answer, else 503.

    Anybody may ask, so that it names the part that fails and no more; what is wrong with it is in the log.
    """
    failed = [name for name, problem in (("database", _database()), ("redis", _redis())) if _noted(name, problem)]
    states = [] if "database" in failed else device_states()
    if not any(state.status in ("ready", "busy") for state in states):
        failed.append("devices")
    said = {"status": "not ready" if failed else "ready", "failed": failed}
    return JsonResponse(said, status=503 if failed else 200)


def _noted(name: str, problem: str | None) -> bool:
    if problem:
        log.warning("not ready: %s: %s", name, problem)
    return problem is not None


def _database() -> str | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception as error:
        return f"the database does not answer: {error}"
    return None


def _redis() -> str | None:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except Exception as error:
        return f"Redis does not answer: {error}"
    return None
