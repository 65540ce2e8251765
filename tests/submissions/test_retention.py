from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.actions import claims, runs
from submissions.models import Lease, Run, RunEvent
from submissions.retention import do_retain

FILES = {"A.py": "x = 1\n"}


def judged(author, task) -> Run:
    run = runs.do_request_run(author, task, FILES, "cpu")
    claim = claims.do_claim_run(str(run.pk), "w")
    claims.do_append_events(claim, [("log", {"stream": "stdout", "text": "much"}), ("matched", {"graph": "f32"})])
    claims.do_finish_run(claim, {"verdict": "clean", "graphs": {}})
    return run


def test_texts_of_old_runs_go_and_their_numbers_and_results_stay(author, task):
    old, new = judged(author, task), judged(author, task)
    waiting = runs.do_request_run(author, task, FILES, "cpu")
    long_ago = timezone.now() - timedelta(days=100)
    Run.objects.filter(pk=old.pk).update(finished_at=long_ago, created_at=long_ago)
    Run.objects.filter(pk=waiting.pk).update(created_at=long_ago)
    Lease.objects.filter(run=old).update(ended_at=long_ago)
    before = list(RunEvent.objects.filter(run=old).order_by("seq").values_list("seq", "kind"))
    dry = do_retain(90, dry_run=True)
    thrown = do_retain(90)
    assert str(dry) == str(thrown) == "texts 1, outputs 0, leases 1, workers 0, rates 0"
    assert str(do_retain(90)) == "texts 0, outputs 0, leases 0, workers 0, rates 0"
    assert list(RunEvent.objects.filter(run=old).order_by("seq").values_list("seq", "kind")) == before
    assert "much" not in str(list(RunEvent.objects.filter(run=old).values_list("payload", flat=True)))
    assert Run.objects.get(pk=old.pk).result == {"verdict": "clean", "graphs": {}}
    assert RunEvent.objects.get(run=new, kind="log").payload["text"] == "much"
    assert Lease.objects.count() == 1
    with pytest.raises(ValueError, match="7 days"):
        do_retain(1)
