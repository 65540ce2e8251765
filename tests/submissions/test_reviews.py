import json

import pytest

from submissions.actions import claims, runs
from submissions.actions.accounts import Role
from submissions.judging import make_job
from submissions.models import AuditEntry, Run, RunReview
from tests.accounts import account

REASON = "The table depends on shapes alone; nothing is kept between calls."


@pytest.fixture
def reviewer(db, quick_passwords):
    return account("rea", Role.REVIEWER)


def judged(author, task, verdict: str = "violation") -> Run:
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    graphs = {"f32": {"status": "correct", "first_t": -6}}
    claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), {"graphs": graphs, "verdict": verdict})
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def review(client):
    def send(run: Run, who, verdict: str = "clean", reason: str = REASON):
        client.force_login(who.user)
        body = json.dumps({"verdict": verdict, "reason": reason})
        return client.post(f"/api/runs/{run.pk}/review", body, content_type="application/json")

    return send


def test_a_reviewer_overturns_and_both_verdicts_stay(client, author, reviewer, task, review):
    run = judged(author, task)
    answer = review(run, reviewer)
    assert answer.status_code == 201
    said = answer.json()
    assert (said["verdict"], said["reviewed_verdict"]) == ("violation", "clean")
    client.force_login(author.user)
    shown = client.get(f"/api/runs/{run.pk}").json()
    assert (shown["verdict"], shown["reviewed_verdict"], shown["result"]["verdict"]) == (
        "violation",
        "clean",
        "violation",
    )
    (entry,) = shown["reviews"]
    assert entry.pop("created_at")
    assert entry == {"reviewer": "rea", "before": "violation", "verdict": "clean", "reason": REASON}
    (row,) = client.get("/api/tasks/doubled-relu/runs").json()["runs"]
    assert (row["verdict"], row["reviewed_verdict"]) == ("violation", "clean")


def test_the_history_says_what_was_rejected_and_why(client, author, task):
    rejected, no_match = {"status": "rejected", "reason": "bad_submission"}, {"status": "no_match", "reason": None}
    for graphs in ({"a": rejected, "b": rejected}, {"a": rejected, "b": no_match}):
        run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
        claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), {"graphs": graphs, "verdict": "clean"})
    client.force_login(author.user)
    rows = client.get("/api/tasks/doubled-relu/runs").json()["runs"]
    assert [row["rejected"] for row in rows] == [None, "bad_submission"]


def test_each_review_is_a_row_of_its_own_and_in_the_audit_log(author, reviewer, task, review):
    run = judged(author, task)
    boss = account("boss", Role.ADMIN)
    assert review(run, reviewer).status_code == 201
    assert review(run, boss, "suspicious", "I am not so sure of that.").status_code == 201
    found = list(RunReview.objects.values_list("reviewer__name", "before", "verdict"))
    assert found == [("rea", "violation", "clean"), ("boss", "clean", "suspicious")]
    entries = AuditEntry.objects.filter(action="run_reviewed").order_by("id")
    assert [(entry.actor.name, entry.subject, entry.details["verdict"]) for entry in entries] == [
        ("rea", str(run.pk), "clean"),
        ("boss", str(run.pk), "suspicious"),
    ]
    assert Run.objects.get(pk=run.pk).verdict == "violation"


def test_who_may_review(client, author, reviewer, task, review):
    own = judged(reviewer, task)
    run = judged(author, task)
    boss = account("boss", Role.ADMIN)
    assert review(run, author).json()["code"] == "not_a_reviewer"
    assert review(run, account("eve")).json()["code"] == "unknown_run"
    assert review(own, reviewer).json()["code"] == "own_run"
    assert review(judged(boss, task), boss).status_code == 201  # alone at home, an admin is all there is
    for person, may in ((author, False), (reviewer, True), (boss, True)):
        client.force_login(person.user)
        assert client.get(f"/api/runs/{run.pk}").json()["may_review"] is may
    client.force_login(reviewer.user)
    assert client.get(f"/api/runs/{own.pk}").json()["may_review"] is False


@pytest.mark.parametrize(
    ("verdict", "reason", "status", "code"),
    [
        ("clean", "", 400, "no_reason"),
        ("clean", "  short  ", 400, "no_reason"),
        ("clean", "x" * 4001, 400, "no_reason"),
        ("violation", REASON, 409, "same_verdict"),
        ("innocent", REASON, 422, "invalid"),
    ],
)
def test_what_is_no_review(author, reviewer, task, review, verdict, reason, status, code):
    answer = review(judged(author, task), reviewer, verdict, reason)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert RunReview.objects.count() == 0


def test_a_run_that_is_not_done_has_nothing_to_overturn(author, reviewer, task, review):
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    assert review(run, reviewer).json()["code"] == "not_judged"


def test_the_verdict_that_stands_decides_what_counts(client, author, reviewer, task, review):
    clean, violating = judged(author, task, "clean"), judged(author, task, "violation")

    def best() -> list[tuple[str, str]]:
        (row,) = client.get("/api/tasks").json()["tasks"]
        return [(entry["run"], entry["verdict"]) for entry in row["best"]]

    assert best() == [(str(clean.pk), "clean")]
    review(clean, reviewer, "violation", "It keeps outputs of earlier calls.")
    assert best() == []
    review(violating, reviewer, "clean")
    assert best() == [(str(violating.pk), "clean")]


def test_a_reason_is_stored_as_text_that_every_database_takes(author, reviewer, task, review):
    run = judged(author, task)
    assert review(run, reviewer, reason=REASON + "\0\ud800 <script>").status_code == 201
    assert RunReview.objects.get().reason == REASON + "\ufffd\ufffd <script>"


def test_what_counts_once_a_violation_is_overturned(client, author, reviewer, task, review):
    """The rejected run keeps its zero; the same files are scored in a run of their own, whose numbers count then."""
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    rejected = {"f32": {"status": "rejected", "reason": "violation", "first_t": None}}
    claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), {"graphs": rejected, "verdict": "violation"})
    assert review(run, reviewer).status_code == 201
    again = Run.objects.get(overturns=run)
    assert (again.state, again.author, again.revision, again.graphs) == ("queued", author, run.revision, run.graphs)
    assert make_job(again).overturned and not make_job(run).overturned
    pending = client.get(f"/api/runs/{run.pk}").json()["counts"]
    assert (pending["run"], pending["state"], pending["correct"]) == (str(again.pk), "queued", None)

    scored = {"f32": {"status": "correct", "reason": None, "first_t": -6}}
    claims.do_finish_run(claims.do_claim_run(str(again.pk), "w"), {"graphs": scored, "verdict": "violation"})
    client.force_login(author.user)
    shown = client.get(f"/api/runs/{run.pk}").json()
    assert (shown["verdict"], shown["reviewed_verdict"], shown["correct"]) == ("violation", "clean", 0)
    assert (shown["counts"]["correct"], shown["counts"]["total"], shown["counts"]["first_t"]) == (1, 1, -6)
    detail = client.get(f"/api/runs/{again.pk}").json()
    assert (detail["overturns"], detail["reviewed_verdict"]) == (str(run.pk), "clean")

    assert (
        review(run, account("boss", Role.ADMIN), "violation", "No: it keeps outputs, look at line 3.").status_code
        == 201
    )
    assert Run.objects.filter(overturns=run).count() == 1
    assert Run.objects.get(overturns=run).reviewed_verdict == "violation"


def test_what_counts_once_a_clean_run_is_a_violation(client, author, reviewer, task, review):
    """Measured on a GPU, every graph counts b at every t: 0.1. Without a score there is none afterwards either."""
    run = runs.do_request_run(author, task, {"A.py": ""}, "cpu")
    graphs = {"f32": {"status": "correct", "reason": None, "first_t": -6}}
    result = {"graphs": graphs, "verdict": "clean", "aggregate_score": 1.7}
    claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), result)
    review(run, reviewer, "violation", "It keeps outputs of earlier calls.")
    counts = client.get(f"/api/runs/{run.pk}").json()["counts"]
    assert (counts["run"], counts["correct"], counts["first_t"]) == (str(run.pk), 0, None)
    assert counts["aggregate_score"] == pytest.approx(0.1)
    assert not Run.objects.filter(overturns=run).exists()  # nothing was rejected: there is nothing to score again
    other = judged(author, task, "clean")
    assert client.get(f"/api/runs/{other.pk}").json()["counts"] is None
