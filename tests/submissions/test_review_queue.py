"""The review queue: who sees what, what decisions do, that all is on record and can be undone."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from graphs.refused import Refused
from submissions.actions import claims, runs
from submissions.actions.accounts import Role
from submissions.models import (
    AuditEntry,
    Author,
    RegressionCase,
    ReviewComment,
    ReviewItem,
    ReviewLabel,
    Run,
    RunReview,
    Submission,
)
from submissions.reviewing.cases import differences
from tests.accounts import account

pytestmark = pytest.mark.django_db

NO_MATCH = {"status": "no_match", "first_t": None, "message": "no pass fits"}
CORRECT = {"status": "correct", "first_t": -6}
CHEAT = {"status": "rejected", "reason": "violation", "first_t": None}
FINDING = {"class": "torch_compute", "severity": "violation", "file": "A.py", "line": 3, "evidence": "torch.matmul"}
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def reviewer(db, quick_passwords):
    return account("rea", Role.REVIEWER)


def ended(author, task, graph=NO_MATCH, verdict="clean", findings=(), text="x") -> Run:
    run = runs.do_request_run(author, task, {"A.py": text}, "cpu")
    result = {"graphs": {"f32": graph, "f16": CORRECT}, "verdict": verdict, "findings": list(findings)}
    claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), result)
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def api(client):
    def ask(method: str, path: str, who=None, **body):
        if who is not None:
            client.force_login(who.user)
        send = getattr(client, method)
        if method == "get":
            return send(f"/api/review/{path}", body)
        return send(f"/api/review/{path}", json.dumps(body), content_type="application/json")

    return ask


def model(name: str) -> Author:
    return Author.objects.create(name=name, kind="model")


def test_a_run_that_fails_enters_the_queue_by_itself_and_one_that_does_not_stays_out(author, task):
    failed, fine = ended(author, task), ended(author, task, CORRECT)
    (item,) = ReviewItem.objects.all()
    assert (item.run, item.group, item.graph, item.failed, item.total) == (failed, "no_match", "f32", 1, 2)
    call_command("fill_reviews", "--again")
    assert ReviewItem.objects.count() == 1 and not ReviewItem.objects.filter(run=fine).exists()


def test_one_look_covers_a_cluster_and_undo_brings_it_all_back(author, reviewer, task, api):
    for number in range(3):
        ended(model(f"model-{number}"), task)
    other = ended(author, task, {"status": "compile_fail", "message": "SyntaxError"})
    (cluster, single) = api("get", "clusters", reviewer).json()["clusters"]
    assert (cluster["count"], cluster["authors"], cluster["cause"], single["count"]) == (3, 3, "no match", 1)
    fits = {"signature": cluster["signature"]}
    said = api("post", "steps", what="decide", all=fits, decision="confirm", reason="seen one").json()
    assert said["items"] == 3
    assert [row["id"] for row in api("get", "items").json()["items"]] == [other.review_item.pk]
    assert api("post", "steps", what="label", all={"state": "confirm"}, value="Seen").json()["items"] == 3
    assert set(ReviewLabel.objects.values_list("name", flat=True)) == {"seen"}
    assert len(api("get", "items", state="confirm", label="seen").json()["items"]) == 3
    assert api("post", "undo").json()["what"] == "label" and not ReviewLabel.objects.exists()
    assert sorted(api("post", "undo").json()["items"]) == sorted(row.pk for row in ReviewItem.objects.all()[1:])
    assert ReviewItem.objects.filter(decision="", decided_by=None).count() == 4
    assert api("post", "undo").json()["code"] == "nothing_to_undo"
    actions = list(
        AuditEntry.objects.filter(actor=reviewer, action__startswith="review")
        .order_by("id")
        .values_list("action", flat=True)
    )
    assert actions == ["review_confirm", "review_label", "review_undone", "review_undone"]


def test_undo_does_not_run_over_what_somebody_did_since(author, reviewer, task, api):
    item = ended(author, task).review_item
    api("post", "steps", reviewer, what="assign", items=[item.pk], value="me")
    boss = account("boss", Role.ADMIN)
    api("post", "steps", boss, what="decide", items=[item.pk], decision="confirm")
    assert api("post", "undo", reviewer).json()["code"] == "changed_since"
    assert ReviewItem.objects.get().assignee == reviewer


def test_overturning_keeps_both_verdicts_and_so_does_its_undoing(author, reviewer, task, api):
    run = ended(author, task, CHEAT, "violation", [FINDING])
    item = run.review_item
    decide = {"what": "decide", "items": [item.pk], "decision": "overturn"}
    assert api("post", "steps", reviewer, **decide).json()["code"] == "no_reason"
    assert api("post", "steps", **decide, reason="It only names the operator.").status_code == 200
    run.refresh_from_db()
    assert (run.verdict, run.reviewed_verdict) == ("violation", "clean")
    assert api("post", "undo").status_code == 200
    run.refresh_from_db()
    assert (run.verdict, run.reviewed_verdict, ReviewItem.objects.get(pk=item.pk).decision) == (
        "violation",
        "violation",
        "",
    )
    assert list(RunReview.objects.values_list("before", "verdict")) == [
        ("violation", "clean"),
        ("clean", "violation"),
    ]
    plain = ended(author, task, text="y").review_item
    said = api("post", "steps", **{**decide, "items": [plain.pk]}, reason="I do not agree at all.")
    assert said.json()["code"] == "nothing_to_overturn"


def test_confirming_a_suspicion_makes_it_a_violation(author, reviewer, task, api):
    finding = {**FINDING, "severity": "suspicious"}
    run = ended(author, task, CORRECT, "suspicious", [finding])
    body = {"what": "decide", "items": [run.review_item.pk], "decision": "confirm", "reason": "It caches outputs."}
    assert api("post", "steps", reviewer, **body).status_code == 200
    run.refresh_from_db()
    assert (run.verdict, run.reviewed_verdict) == ("suspicious", "violation")


def test_duplicates_point_at_the_first_of_their_cause(author, reviewer, task, api):
    first, second = ended(author, task).review_item, ended(model("m"), task).review_item
    decide = {"what": "decide", "decision": "duplicate"}
    assert api("post", "steps", reviewer, **decide, items=[first.pk]).json()["code"] == "no_twin"
    assert api("post", "steps", **decide, items=[second.pk]).status_code == 200
    assert api("get", f"items/{second.pk}").json()["duplicate_of"] == first.pk


def test_a_fault_of_the_harness_becomes_a_case(author, reviewer, task, api, tmp_path):
    item = ended(author, task).review_item
    body = {"what": "decide", "items": [item.pk], "decision": "harness_fault", "reason": "relu is relu"}
    assert api("post", "steps", reviewer, **body).status_code == 200
    case = RegressionCase.objects.get()
    (shown,) = api("get", "cases").json()["cases"]
    assert shown["expected"] == {
        "task": "doubled-relu",
        "kind": "correct",
        "per_graph": {name: {"status": "correct", "correct_at_t": -5} for name in ("f32", "f16")},
        "why": "relu is relu",
        "must_flag": None,
    }
    call_command("check_cases", "--export", tmp_path)
    place = tmp_path / "submissions" / case.name
    assert json.loads((place / "expected.json").read_text())["task"] == "doubled-relu"
    assert (place / "pass_dir" / "A.py").read_text() == "x"
    assert (tmp_path / "tasks/doubled-relu/graph_list.txt").read_text() == "graphs/f32\ngraphs/f16\n"
    assert (tmp_path / "tasks/doubled-relu/graphs/f16/model.py").exists()
    api("post", "undo")
    assert not RegressionCase.objects.exists()


def test_where_a_result_is_not_as_expected():
    expected = {"per_graph": {"a": {"status": "correct"}, "b": {"status": "accuracy", "correct_at_t": -3}}}
    good = {"verdict": "clean", "graphs": {"a": {"status": "correct"}, "b": {"status": "accuracy", "first_t": -3}}}
    assert differences(expected, good) == []
    bad = {"graphs": {"a": {"status": "no_match", "message": "m"}, "b": {"status": "accuracy", "first_t": -2}}}
    flagged = {**bad, "verdict": "violation", "findings": [FINDING]}
    assert differences(expected, flagged) == [
        "a: no_match, expected correct (m)",
        "b: first t -2, expected -3",
        "flagged as torch_compute, expected no flag",
    ]
    assert differences({"must_flag": "network"}, good) == ["not flagged as network; flags: none"]


def test_who_may_look_comment_and_decide(author, reviewer, task, api):
    run = ended(author, task)
    item = run.review_item
    own = ended(reviewer, task).review_item
    eve = account("eve")
    assert api("get", "items", eve).json()["items"] == []
    assert api("get", f"items/{item.pk}").json()["code"] == "unknown_item"
    assert api("post", f"items/{item.pk}/comments", text="hi").json()["code"] == "unknown_item"
    assert api("get", "cases").json()["code"] == "not_a_reviewer"
    for body in ({"what": "decide", "decision": "confirm"}, {"what": "label", "value": "a"}, {"what": "assign"}):
        assert api("post", "steps", author, items=[item.pk], **body).json()["code"] == "not_a_reviewer"
    assert api("post", f"items/{item.pk}/rerun", device="cpu").json()["code"] == "not_a_reviewer"
    assert api("post", f"items/{item.pk}/case").json()["code"] == "not_a_reviewer"
    assert api("post", f"items/{item.pk}/comments", text=f"@rea @eve @nobody see A.py:3 {HOSTILE}").status_code == 201
    comment = ReviewComment.objects.get()
    assert [one.name for one in comment.mentions.all()] == ["rea"]  # eve may not see the item
    said = api("post", "steps", reviewer, what="decide", items=[own.pk], decision="confirm")
    assert said.json()["code"] == "own_item"
    assert [row["id"] for row in api("get", "items", mentions="me").json()["items"]] == [item.pk]
    shown = api("get", f"items/{item.pk}").json()
    assert shown["comments"][0]["text"].endswith(HOSTILE)
    assert api("delete", f"items/{item.pk}/comments/{comment.pk}").json()["code"] == "not_yours"
    assert api("delete", f"items/{item.pk}/comments/{comment.pk}", author).status_code == 200
    assert api("get", f"items/{item.pk}").json()["comments"][0]["text"] == ""


def test_what_is_typed_is_kept_and_gone_once_it_is_empty(author, reviewer, task, api):
    item = ended(author, task).review_item
    assert api("put", f"items/{item.pk}/draft", reviewer, fields={"reason": "half a", "odd": "x"}).status_code == 204
    assert api("get", f"items/{item.pk}").json()["draft"] == {"reason": "half a"}
    assert api("get", f"items/{item.pk}", author).json()["draft"] == {}
    api("put", f"items/{item.pk}/draft", reviewer, fields={"reason": ""})
    assert api("get", f"items/{item.pk}").json()["draft"] == {}


def test_a_run_asked_for_on_the_page_belongs_to_its_item(author, reviewer, task, api):
    item = ended(author, task).review_item
    run = api("post", f"items/{item.pk}/rerun", reviewer, device="cpu").json()["run"]
    again = Run.objects.get(pk=run)
    assert (again.author, again.revision) == (author, item.run.revision)
    claims.do_finish_run(claims.do_claim_run(run, "w"), {"graphs": {"f32": CORRECT}, "verdict": "clean"})
    assert ReviewItem.objects.count() == 1
    assert api("get", f"items/{item.pk}").json()["rerun"]["correct"] == 1


def test_an_import_becomes_the_item_of_its_run(task, reviewer, api):
    author = model("m")
    files = {"A.py": "x"}
    from submissions.hashing import files_hash
    from submissions.reviewing.enrolling import enrol_submissions

    one = Submission.objects.create(
        author=author, task_name="doubled-relu", task=task, hash=files_hash(files), files=files, findings=[FINDING]
    )
    assert enrol_submissions([one]) == 1 and enrol_submissions([one]) == 0
    item = ReviewItem.objects.get()
    assert api("post", "steps", reviewer, what="evaluate", items=[item.pk], value="cpu").json()["items"] == 1
    assert Submission.objects.get().wanted_on == "cpu"
    ended(author, task)
    item.refresh_from_db()
    assert (ReviewItem.objects.count(), item.group, item.run is not None) == (1, "no_match", True)


def test_filters_and_pages_by_key(author, reviewer, task, api):
    items = [ended(model(f"m{number}"), task).review_item.pk for number in range(5)]
    first = api("get", "items", reviewer, limit=2).json()
    assert [row["id"] for row in first["items"]] == [items[4], items[3]] and first["next"] == items[3]
    second = api("get", "items", limit=2, after=first["next"]).json()
    assert [row["id"] for row in second["items"]] == [items[2], items[1]]
    assert [row["id"] for row in api("get", "items", author="m1").json()["items"]] == [items[1]]
    assert len(api("get", "items", q="pass fits doubled").json()["items"]) == 5
    assert api("get", "items", state="odd").json()["code"] == "unknown_state"
    near = api("get", f"items/{items[2]}", group="no_match").json()
    assert (near["previous"], near["next"]) == (items[3], items[1])
    counts = api("get", "counts", author="m1").json()
    assert counts["total"] == 1 and len(counts["facets"]["author"]) == 5 and counts["states"] == {"": 1}


def test_the_number_of_queries_does_not_grow_with_the_queue(author, reviewer, task, api, django_assert_max_num_queries):
    run = ended(author, task)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    ReviewItem.objects.bulk_create(
        ReviewItem(author=author, task=task, task_name="t", group="no_match", text="x", signature=f"{n % 7}", at=at)
        for n in range(300)
    )
    api("get", "counts", reviewer)
    for path, most in (("items", 8), ("clusters", 7), ("counts", 17), (f"items/{run.review_item.pk}", 22)):
        with django_assert_max_num_queries(most):
            assert api("get", path).status_code == 200


def test_tokens_need_their_scope(author, reviewer, task, client):
    from submissions.actions.tokens import do_make_token
    from submissions.tokens import Scope

    item = ended(author, task).review_item
    client.logout()
    body = json.dumps({"what": "decide", "items": [item.pk], "decision": "confirm"})
    for scope, status in ((Scope.RUN, 403), (Scope.ADMIN, 200)):
        _, token = do_make_token(reviewer, scope.value, scope, 1)
        headers = {"Authorization": f"Bearer {token}"}
        said = client.post("/api/review/steps", body, content_type="application/json", headers=headers)
        assert said.status_code == status


def test_a_revision_is_needed_for_a_case(author, reviewer, task):
    from submissions.reviewing.cases import do_make_case

    one = Submission.objects.create(author=author, task_name="far away", hash="h", files={}, problem="NUL")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    item = ReviewItem.objects.create(submission=one, author=author, task_name="far away", group="format", at=at)
    with pytest.raises(Refused, match="graphs of this task are not here"):
        do_make_case(reviewer, item, "why")
