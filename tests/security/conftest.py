"""Two strangers, a reviewer and an admin in front of one workbench."""

import pytest
from django.test import Client

from submissions import limits
from submissions.actions import claims, runs
from submissions.actions.accounts import Role
from submissions.actions.tokens import do_make_token
from submissions.models import Run
from submissions.tokens import Scope
from tests.security.people import FILES, Person, enter
from tests.submissions.conftest import _own_redis, task  # noqa: F401  (fixtures)


@pytest.fixture(autouse=True)
def still_clock(monkeypatch) -> None:
    """Rates fill up by themselves; on a slow machine even while a test counts."""
    monkeypatch.setattr(limits, "_now", lambda: 1_800_000_000.0)


@pytest.fixture
def ada(db, quick_passwords) -> Person:
    """Owns a run."""
    return enter("ada")


@pytest.fixture
def eve(db, quick_passwords) -> Person:
    """Wants to see it."""
    return enter("eve")


@pytest.fixture
def rea(db, quick_passwords) -> Person:
    return enter("rea", Role.REVIEWER)


@pytest.fixture
def adm(db, quick_passwords) -> Person:
    return enter("adm", Role.ADMIN)


@pytest.fixture
def nobody(db, quick_passwords) -> Client:
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def run(ada: Person, task) -> Run:  # noqa: F811
    """Ada's run, judged, with a rewritten graph and a log."""
    asked = runs.do_request_run(ada.author, task, FILES, "cpu")
    claim = claims.do_claim_run(str(asked.pk), "worker")
    assert claim is not None
    claims.do_start_run(claim, "namespaces")
    claims.do_append_events(claim, [("log", {"stream": "stdout", "text": "secret of ada"})])
    claims.do_append_events(
        claim, [("rewritten", {"graph": "f32", "code": "def forward(self, in_0):\n    return (in_0,)\n", "nodes": {}})]
    )
    claims.do_finish_run(claim, {"graphs": {}, "verdict": "violation", "findings": []})
    return Run.objects.get(pk=asked.pk)


@pytest.fixture
def token():
    """Makes a token: `token(person, Scope.READ)` is what a program sends."""

    def make(person: Person, scope: Scope, days: int = 1) -> str:
        return do_make_token(person.author, "test", scope, days)[1]

    return make
