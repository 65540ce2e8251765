import json

import pytest

from graphs.models import Task
from graphs.schemas import GraphOut, RewrittenOut
from submissions.actions import claims, runs
from submissions.files import ORDER_FILE
from submissions.hashing import files_hash
from submissions.models import Draft, Run

FILES = {"A.py": "x = 1\n", ORDER_FILE: '["A"]'}


def send(client, method: str, path: str, body=None, **headers):
    content = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    return client.generic(method, path, **content, headers=headers)


@pytest.fixture
def queued(client, task) -> str:
    return send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": FILES, "device": "cpu"}).json()["run"]


def test_the_catalogue(client, task):
    (row,) = client.get("/api/tasks").json()["tasks"]
    assert row["thumbnail"].startswith("<svg")
    del row["thumbnail"]
    assert row == {
        "slug": "doubled-relu",
        "title": "Doubled ReLU",
        "summary": "ReLU, doubled, plus a bias.",
        "operators": [
            {"label": "relu", "class": "pointwise"},
            {"label": "*", "class": "pointwise"},
            {"label": "+", "class": "pointwise"},
        ],
        "dtypes": ["float32", "float16"],
        "facets": {},
        "graph_count": 2,
        "has_example": True,
        "size": {"least": 3, "most": 3},
        "graph": task.entries.get(name="f32").graph.identity,
        "best": [],
        "inductor": None,
        "examples": [],
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [("", 1), ("relu", 1), ("RELU bias", 1), ("float16", 1), ("relu softmax", 0), ("%", 0), ("doubled-", 1)],
)
def test_search(client, task, query, found):
    assert len(client.get("/api/tasks", {"q": query}).json()["tasks"]) == found


def test_the_best_run_is_the_most_correct_then_the_most_exact(client, author, task):
    def finished(correct: int, first_t: int | None, verdict: str = "clean", device: str = "cpu") -> Run:
        run = runs.do_request_run(author, task, FILES, "cpu")
        claims.do_finish_run(claims.do_claim_run(str(run.pk), "w"), {"graphs": {}, "verdict": verdict})
        Run.objects.filter(pk=run.pk).update(correct=correct, total=2, first_t=first_t, device=device)
        return run

    finished(2, None)
    finished(2, -5)
    best = finished(2, -7)
    finished(2, -7)
    finished(1, -10)
    finished(2, -10, verdict="violation")
    other = finished(0, None, device="cuda:H200")
    (row,) = client.get("/api/tasks").json()["tasks"]
    assert [(entry["device"], entry["run"]) for entry in row["best"]] == [
        ("cpu", str(best.pk)),
        ("cuda:H200", str(other.pk)),
    ]
    assert (row["best"][0]["correct"], row["best"][0]["total"], row["best"][0]["first_t"]) == (2, 2, -7)


def test_a_task_and_its_graphs(client, task):
    detail = client.get("/api/tasks/doubled-relu").json()
    assert [graph["name"] for graph in detail["graphs"]] == ["f32", "f16"]
    assert detail["graphs"][1] == {
        "name": "f16",
        "identity": task.entries.get(name="f16").graph.identity,
        "title": "f16",
        "dtypes": ["float16"],
        "node_count": 3,
        "inputs": [
            {"name": "in_0", "shape": [4, 6], "dtype": "float16"},
            {"name": "in_1", "shape": [4, 6], "dtype": "float16"},
        ],
        "model": None,
        "source": None,
    }
    assert detail["has_example"] is True
    assert client.get("/api/tasks/doubled-relu/example").json() == {"files": {"A.py": "x = 1\n"}}


def test_a_graph_as_the_browser_draws_it(client, task):
    graph = client.get("/api/tasks/doubled-relu/graphs/f32").json()
    GraphOut.model_validate(graph)
    assert [node["label"] for node in graph["nodes"]][:3] == ["relu", "*", "+"]
    assert graph["inputs"][0] == {"name": "in_0", "shape": [4, 6], "dtype": "float32"}
    assert graph["nodes"][0]["span"]["line"] == 5
    assert graph["source"].startswith("import torch")
    assert graph["content_hash"] == task.entries.get(name="f32").graph.source_id
    assert graph["warnings"] == []


def test_an_unchanged_graph_is_not_sent_again_until_its_shapes_arrive(client, task):
    path = "/api/tasks/doubled-relu/graphs/f32"
    tag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    graph = task.entries.get(name="f32").graph
    graph.shapes = {"tmp_0": {"shape": [4, 6], "dtype": "float32"}}
    graph.save()
    answer = client.get(path, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert answer.json()["nodes"][0]["shape"] == [4, 6]


def test_a_fresh_draft_is_a_template(client, task):
    draft = client.get("/api/tasks/doubled-relu/draft").json()
    assert (draft["version"], draft["updated_at"]) == (0, None)
    assert set(draft["files"]) == {"MyPass.py", ORDER_FILE}
    assert draft["hash"] == files_hash(draft["files"])


def test_a_draft_is_saved_and_read_back(client, task):
    saved = send(client, "PUT", "/api/tasks/doubled-relu/draft", {"files": FILES, "version": 0}).json()
    assert (saved["version"], saved["hash"]) == (1, files_hash(FILES))
    draft = client.get("/api/tasks/doubled-relu/draft").json()
    assert (draft["files"], draft["version"], draft["hash"]) == (FILES, 1, files_hash(FILES))
    assert draft["updated_at"].endswith(("Z", "+00:00"))


def test_two_tabs_can_not_overwrite_each_other(client, task):
    path = "/api/tasks/doubled-relu/draft"
    send(client, "PUT", path, {"files": FILES, "version": 0})
    send(client, "PUT", path, {"files": {"A.py": "mine"}, "version": 1})
    for stale in (0, 1, 7):
        answer = send(client, "PUT", path, {"files": {"A.py": "theirs"}, "version": stale})
        assert answer.status_code == 409
        body = answer.json()
        assert (body["code"], body["files"], body["version"]) == ("conflict", {"A.py": "mine"}, 2)
        assert body["hash"] == files_hash({"A.py": "mine"})
    assert Draft.objects.get().files == {"A.py": "mine"}


def test_a_save_whose_answer_got_lost_can_be_repeated(client, task):
    body = {"files": FILES, "version": 0}
    assert send(client, "PUT", "/api/tasks/doubled-relu/draft", body).json()["version"] == 1
    again = send(client, "PUT", "/api/tasks/doubled-relu/draft", body)
    assert (again.status_code, again.json()["version"]) == (200, 1)


def test_asking_for_a_run(client, task):
    answer = send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": FILES, "device": "cpu"})
    assert answer.status_code == 201
    asked = answer.json()
    assert (asked["revision"], asked["revision_number"]) == (files_hash(FILES), 1)
    run = client.get(f"/api/runs/{asked['run']}").json()
    assert (run["task"], run["state"], run["device"], run["seq"]) == ("doubled-relu", "queued", "cpu", 1)
    assert (run["queue_position"], run["jobs_ahead"], run["result"]) == (1, 0, None)
    assert (run["files_hash"], run["message"]) == (files_hash(FILES), None)
    assert client.get(f"/api/runs/{asked['run']}/files").json() == {"files": FILES}
    (row,) = client.get("/api/tasks/doubled-relu/runs").json()["runs"]
    assert (row["run"], row["state"], row["verdict"], row["revision_number"]) == (asked["run"], "queued", None, 1)


def test_the_log_is_read_by_number(client, queued):
    claim = claims.do_claim_run(queued, "w")
    claims.do_append_events(claim, [("log", {"stream": "stdout", "text": str(n)}) for n in range(5)])
    page = client.get(f"/api/runs/{queued}/events", {"after": 2, "limit": 2}).json()
    assert [(event["seq"], event["kind"], event["payload"]) for event in page["events"]] == [
        (3, "log", {"stream": "stdout", "text": "0"}),
        (4, "log", {"stream": "stdout", "text": "1"}),
    ]
    assert (page["last"], page["state"]) == (7, "leased")
    assert client.get(f"/api/runs/{queued}/events", {"after": 7}).json()["events"] == []


@pytest.mark.parametrize("query", [{"after": -1}, {"limit": 0}, {"limit": 100_000}, {"after": "x"}])
def test_odd_numbers_are_refused(client, queued, query):
    answer = client.get(f"/api/runs/{queued}/events", query)
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid"


def test_cancelling(client, queued):
    assert send(client, "POST", f"/api/runs/{queued}/cancel").json()["state"] == "cancelled"
    assert send(client, "POST", f"/api/runs/{queued}/cancel").json()["state"] == "cancelled"
    assert client.get(f"/api/runs/{queued}").json()["finished_at"] is not None


REWRITTEN = """\
def forward(self, in_0, in_1):
    fused = MyPass_launcher(in_0)
    tmp_2 = fused + in_1
    return (tmp_2,)
"""


def test_the_rewritten_graph_keeps_what_did_not_change_in_its_place(client, queued, task):
    path = f"/api/runs/{queued}/graphs/f32/rewritten"
    assert client.get(path).json()["code"] == "not_rewritten"
    nodes = {"fused": {"shape": [4, 6], "dtype": "float32"}}
    between = REWRITTEN.replace("fused", "halfway")
    steps = [{"pass_name": "First", "code": between, "new_nodes": ["halfway"]}]
    event = {"graph": "f32", "code": REWRITTEN, "nodes": nodes, "new_nodes": ["fused"], "steps": steps}
    claims.do_append_events(claims.do_claim_run(queued, "w"), [("rewritten", event)])
    after = client.get(path).json()
    RewrittenOut.model_validate(after)
    assert (after["source"], after["new_nodes"]) == (REWRITTEN, ["fused"])
    placed = {node["name"]: node for node in after["nodes"]}
    assert placed["fused"]["shape"] == [4, 6]
    before = {node["name"]: node for node in client.get("/api/tasks/doubled-relu/graphs/f32").json()["nodes"]}
    assert (placed["tmp_2"]["x"], placed["tmp_2"]["y"]) == (before["tmp_2"]["x"], before["tmp_2"]["y"])
    assert client.get(f"{path}?step=0").json()["source"] == between
    assert client.get(f"{path}?step=1").json()["code"] == "unknown_step"
    assert client.get(f"/api/runs/{queued}/graphs/f64/rewritten").json()["code"] == "unknown_graph"


def test_code_that_can_not_be_drawn_says_so(client, queued):
    event = {"graph": "f32", "code": "def forward(self", "nodes": {}, "new_nodes": []}
    claims.do_append_events(claims.do_claim_run(queued, "w"), [("rewritten", event)])
    answer = client.get(f"/api/runs/{queued}/graphs/f32/rewritten")
    assert (answer.status_code, answer.json()["code"]) == (422, "unreadable")


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("/api/tasks/doubled-rellu", "unknown_task", "no task named doubled-rellu"),
        ("/api/tasks/doubled-relu/graphs/f64", "unknown_graph", "It has: f32, f16."),
        ("/api/runs/00000000-0000-0000-0000-000000000000", "unknown_run", "no run"),
        ("/api/runs/not-a-uuid/events", "unknown_run", "not a UUID"),
        ("/api/nothing/here", "not_found", "/api/docs"),
    ],
)
def test_what_is_not_there_is_explained(client, task, path, code, says):
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == code
    assert says in answer.json()["error"]


def test_the_nearest_task_is_suggested(client, task):
    assert client.get("/api/tasks/doubled-rellu").json()["suggestion"] == "doubled-relu"
    assert client.get("/api/tasks/zzz").json()["suggestion"] is None


def test_a_task_without_an_example_says_so(client, task):
    Task.objects.update(example_files=None)
    assert client.get("/api/tasks/doubled-relu/example").json()["code"] == "no_example"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"files": {"../a.py": ""}, "device": "cpu"}, 400, "bad_files"),
        ({"files": {}, "device": "cpu"}, 400, "bad_files"),
        ({"files": {"a.py": "x" * 1_000_001}, "device": "cpu"}, 400, "bad_files"),
        ({"files": {"a.py": ""}, "device": "tpu"}, 400, "unknown_device"),
        ({"files": {"a.py": 3}, "device": "cpu"}, 422, "invalid"),
        ({"device": "cpu"}, 422, "invalid"),
        ([], 422, "invalid"),
    ],
)
def test_bad_submissions_are_refused_in_words(client, task, body, status, code):
    answer = send(client, "POST", "/api/tasks/doubled-relu/runs", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert len(answer.json()["error"]) > 20
    assert Run.objects.count() == 0


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\udce9"])
def test_texts_that_are_no_text_are_refused_before_they_are_stored(client, task, text):
    path, files = "/api/tasks/doubled-relu", {"files": {"a.py": text}}
    for answer in (
        send(client, "POST", f"{path}/runs", files),
        send(client, "PUT", f"{path}/draft", {**files, "version": 0}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_files")
        assert answer.json()["error"].startswith("a.py:1: ")
    assert Run.objects.count() == 0 and client.get(f"{path}/draft").json()["version"] == 0


def test_odd_characters_come_back_as_they_went_in(client, task):
    odd = {"a.py": "\ufeff \x01 \u2028 😀"}
    asked = send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": odd}).json()
    assert asked["revision"] == files_hash(odd)
    assert client.get(f"/api/runs/{asked['run']}/files").json() == {"files": odd}


def test_a_body_that_is_no_json(client, task):
    answer = client.post("/api/tasks/doubled-relu/runs", "{", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


def test_a_body_beyond_the_limit(client, task):
    answer = send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": {"a.py": "x" * (5 << 20)}})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_big")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Content-Type": "text/plain"},
    ],
)
def test_other_sites_can_not_write(client, task, headers):
    kind = headers.pop("Content-Type", "application/json")
    body = json.dumps({"files": FILES, "device": "cpu"})
    answer = client.post("/api/tasks/doubled-relu/runs", body, content_type=kind, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
    assert Run.objects.count() == 0


def test_our_own_pages_can_write(client, task):
    headers = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    assert send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": FILES}, **headers).status_code == 201


def test_the_number_of_queries_does_not_grow_with_the_catalogue(client, task, django_assert_max_num_queries):
    for number in range(20):
        Task.objects.create(slug=f"t{number}", title="T", origin="imported", content_hash=str(number))
    with django_assert_max_num_queries(
        15
    ):  # 5 for session, account, rights; tasks, best, Inductor, examples, 2 for graphs, count
        assert len(client.get("/api/tasks").json()["tasks"]) == 21


def test_devices(client, db):
    (cpu,) = client.get("/api/devices").json()["devices"]
    assert (cpu["device"], cpu["label"], cpu["status"], cpu["queued"]) == (
        "cpu",
        "CPU · Triton interpreter",
        "offline",
        0,
    )


def test_openapi(client):
    schema = client.get("/api/openapi.json").json()
    assert "/api/tasks/{slug}/runs" in schema["paths"]
    assert client.get("/api/docs").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_run_is_taken_while_the_broker_is_away(client, task):
    """It waits in the database; the caretaker sends it when the broker is back."""
    from passnet_web.celery import app

    before = app.conf.broker_url
    app.conf.broker_url = "redis+socket:///nowhere/redis.sock"
    app.pool.force_close_all()
    try:
        answer = send(client, "POST", "/api/tasks/doubled-relu/runs", {"files": FILES, "device": "cpu"})
    finally:
        app.conf.broker_url = before
        app.pool.force_close_all()
    assert answer.status_code == 201
    assert Run.objects.get().state == "queued"
