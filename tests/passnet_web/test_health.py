import pytest
from django.test import Client
from django.utils import timezone

from submissions.models import Device


@pytest.fixture
def anybody() -> Client:
    """A load balancer: it has no account."""
    return Client()


def test_healthz_touches_nothing(anybody):
    assert anybody.get("/healthz").json() == {"status": "up"}


def test_readyz(anybody, db, private_redis):
    answer = anybody.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "failed": ["devices"]})
    Device.objects.create(name="cpu", status="ready", worker="cpu@here", seen_at=timezone.now())
    answer = anybody.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "failed": []})


def test_readyz_names_what_fails_and_the_log_says_why(anybody, db, settings, caplog):
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    answer = anybody.get("/readyz")
    assert answer.json()["failed"] == ["redis", "devices"]
    assert b"nowhere" not in answer.content  # anybody may ask
    assert "Redis does not answer" in caplog.text
