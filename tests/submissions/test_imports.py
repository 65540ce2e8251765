"""Bundles go out, results come back: marked, checked, and apart from what was measured here."""

import copy
import io
import json
from pathlib import Path
from typing import get_args

import pytest
from django.core.management import CommandError, call_command

from evaluator.bundle import read_bundle
from evaluator.events import EventKind
from evaluator.harness import harness_hash
from submissions import imported_results
from submissions.actions.imports import do_import_example
from submissions.imported_results import BadResults, read_results
from submissions.models import ImportedRun, Run
from tests.accounts import account
from tests.submissions.results_files import events, results_file

FILES = {"A.py": "x = 1\n"}
SHIPPED = Path(__file__).parents[2] / "graphs" / "data"


def post(client, path: str, body):
    return client.post(path, data=json.dumps(body), content_type="application/json")


@pytest.fixture
def bundle(client, task) -> bytes:
    answer = post(client, "/api/tasks/doubled-relu/bundle", {"files": FILES})
    assert answer.status_code == 200 and answer["Content-Type"] == "application/zip"
    return answer.content


def test_a_bundle_holds_the_job(client, bundle, tmp_path):
    path = tmp_path / "job.zip"
    path.write_bytes(bundle)
    job = read_bundle(path)
    assert job.files == FILES and [graph.name for graph in job.graphs] == ["f32", "f16"]
    assert (job.device, job.profile) == ("cuda", "precise")
    assert post(client, "/api/tasks/doubled-relu/bundle", {"files": FILES}).content == bundle


def test_results_become_a_run_that_says_where_it_was_measured(client, bundle):
    text = results_file(bundle, harness=harness_hash())
    answer = post(client, "/api/imports", {"results": text})
    assert answer.status_code == 201 and answer.json()["task"] == "doubled-relu"
    run = answer.json()["run"]
    detail = client.get(f"/api/runs/{run}").json()
    assert (detail["state"], detail["device"], detail["correct"]) == ("done", "cuda:H200", 2)
    mark = detail["imported"]
    assert (mark["kind"], mark["hardware"], mark["versions"]["torch"]) == ("bundle", "NVIDIA H200", "2.11.0")
    assert mark["same_harness"] is True
    log = [json.loads(line) for line in b"".join(client.get(f"/api/runs/{run}/log.jsonl")).splitlines()]
    assert [line["event"] for line in log[:2]] == ["origin", "run_started"]
    assert (log[-1]["event"], log[-1]["state"], log[-1]["seq"]) == ("state", "done", len(log))
    (row,) = client.get("/api/tasks/doubled-relu/runs").json()["runs"]
    assert (row["run"], row["imported"]["kind"]) == (run, "bundle")
    assert client.get("/api/tasks").json()["tasks"][0]["best"] == [], "it was not measured here"
    (point,) = client.get("/api/tasks/doubled-relu/history").json()["points"]
    assert point["speedup"] == {"e2e": pytest.approx(2.0), "graph": pytest.approx(2.0)}
    assert point["launches"] == {"eager": 6, "candidate": 2}
    again = post(client, "/api/imports", {"results": text})
    assert (again.status_code, again.json()["run"], again.json()["fresh"]) == (200, run, False)


def change(place: str, value):
    """A change of one event: "3.samples.eager.0" is in the fourth."""

    def apply(lines):
        index, *path, last = place.split(".")
        here = lines[int(index)]
        for part in path:
            here = here[int(part) if isinstance(here, list) else part]
        here[int(last) if isinstance(here, list) else last] = value

    return apply


def drop(index: int):
    return lambda lines: lines.pop(index)


def insert(index: int, **event):
    return lambda lines: lines.insert(index, event)


HOSTILE = {
    "forged state": (insert(1, event="state", state="done"), "no event that a run tells"),
    "unknown kind": (insert(1, event="leaderboard", rank=1), "no event that a run tells"),
    "field of another type": (change("4.samples.eager.0", "fast"), r"samples.eager\[0\]: is a text, not a number"),
    "truth for a number": (change("4.ratios.candidate.value", True), "not a number"),
    "field too many": (change("4.html", "<b>"), "html: is not known here"),
    "field missing": (lambda lines: lines[4].pop("conclusive"), "conclusive: is missing"),
    "cut off": (drop(-1), "does not end"),
    "two runs": (lambda lines: lines.extend(copy.deepcopy(lines)), "must open one run"),
    "a graph of another task": (change("4.graph", "f64"), "no graph of the run"),
    "unfinished graph": (drop(7), "ends once"),
    "another ending": (change("-1.graphs.f32.first_t", -7), "another result"),
    "better median": (change("4.medians.candidate", 1.0), "does not follow from its samples"),
    "better ratio": (change("4.ratios.candidate.value", 9.0), "does not follow from the medians"),
    "better curve": (change("-1.es_t.-10", 2.0), "ES_t does not follow"),
    "better score": (change("-1.aggregate_score", 3.0), "aggregate score"),
    "a word of its own": (change("-1.verdict", "spotless"), "findings say 'clean'"),
    "number without end": (change("4.ratios.candidate.rounds", 10**30), "63 bits"),
    "endless output": (insert(3, event="log", stream="stdout", text="x" * (2 << 20)), "printed more"),
    "no text": (change("2.passes.0", None), r"passes\[0\]: is null, not a text"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_results_are_refused(name):
    apply, why = HOSTILE[name]
    lines = events()
    apply(lines)
    with pytest.raises(BadResults, match=why):
        read_results(results_file(b"", lines))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "hello", "\0", '{"event": 3}', "[" * 5000, '{"event": "origin", "x": {"deep": 1}}', "9" * 9999],
)
def test_what_is_no_results_file_is_refused(text):
    with pytest.raises(BadResults):
        read_results(text)


def test_texts_from_outside_are_made_storable(client, bundle):
    lines = events()
    lines[2]["passes"] = ["A\0\ud800"]
    run = post(client, "/api/imports", {"results": results_file(bundle, lines)}).json()["run"]
    assert Run.objects.get(pk=run).events.get(kind="loaded").payload["passes"] == ["A��"]


def test_a_refusal_stores_nothing_and_says_what_to_do(client, bundle):
    lines = events()
    lines[-1]["aggregate_score"] = 3.0
    answer = post(client, "/api/imports", {"results": results_file(bundle, lines)})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_results")
    assert "as `run-bundle --out` wrote it" in answer.json()["error"]
    strange = post(client, "/api/imports", {"results": results_file(b"another")})
    assert strange.json()["code"] == "unknown_bundle"
    assert not Run.objects.exists()


def test_results_go_back_to_who_exported_the_bundle(client, bundle, django_user_model):
    client.force_login(account("eve").user)
    answer = post(client, "/api/imports", {"results": results_file(bundle)})
    assert answer.json()["code"] == "unknown_bundle"


def test_results_of_graphs_that_the_task_has_not_are_refused(client, bundle):
    answer = post(client, "/api/imports", {"results": results_file(bundle, events(("f32", "f99")))})
    assert "no graph of the task doubled-relu" in answer.json()["error"]


def test_an_example_is_for_everybody_and_an_import_is_not(client, task, bundle):
    own = post(client, "/api/imports", {"results": results_file(bundle)}).json()["run"]
    example = do_import_example(task, results_file(b"", events(("f16",)), hardware="one NVIDIA H200")).run
    client.force_login(account("eve").user)
    listed = client.get("/api/tasks/doubled-relu/runs").json()
    assert listed["runs"] == []
    assert [(row["run"], row["imported"]["hardware"]) for row in listed["examples"]] == [
        (str(example.pk), "one NVIDIA H200")
    ]
    assert client.get(f"/api/runs/{example.pk}/events").status_code == 200
    assert client.get(f"/api/runs/{own}").status_code == 404
    assert client.post(f"/api/runs/{example.pk}/cancel").status_code == 403


@pytest.mark.parametrize("slug", ["published-masked-mean-pooling", "published-roll-norm"])
def test_the_shipped_examples_can_be_taken(slug):
    results = read_results((SHIPPED / slug / "example_run.jsonl").read_text())
    assert "H200" in results.hardware and set(results.graphs) <= {
        path.name for path in (SHIPPED / slug / "graphs").iterdir()
    }


def test_every_event_of_a_run_with_a_submission_is_known():
    known = {*imported_results._BARE, *imported_results._WHOLE, "kernels"}
    # output beyond the log is kept where a run is judged for the workbench alone, and is in no file of results
    assert known == set(get_args(EventKind)) - {"baseline", "output"}


def test_the_commands(client, author, bundle, task, tmp_path, settings):
    path = tmp_path / "results.jsonl"
    path.write_text(results_file(bundle))
    counts = []
    for _ in range(2):
        out = io.StringIO()
        call_command("import_results", str(path), author=author.name, json=True, stdout=out)
        counts.append(json.loads(out.getvalue().splitlines()[-1]))
    assert [(count["imported"], count["unchanged"]) for count in counts] == [(1, 0), (0, 1)]
    path.write_bytes(b"\xff")
    with pytest.raises(CommandError, match="no"):
        call_command("import_results", str(path), author=author.name)

    settings.CATALOGUE = tmp_path / "catalogue"
    folder = settings.CATALOGUE / "doubled-relu"
    folder.mkdir(parents=True)
    (folder / "example_run.jsonl").write_text(results_file(b""))
    said = io.StringIO()
    call_command("load_examples", stdout=said)
    call_command("load_examples", stdout=said)
    assert said.getvalue().split() == ["doubled-relu:", "loaded", "doubled-relu:", "unchanged"]
    assert ImportedRun.objects.filter(kind="example").count() == 1
