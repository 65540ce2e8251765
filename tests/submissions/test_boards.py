"""Leaderboards: figures that a person worked out, their order, who may see whom, files, and the pages."""

import csv
import io
import json
import math
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluator.scoring import GraphScore, failure_of, scores
from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.models import Task
from submissions.actions.baselines import do_store_baseline
from submissions.actions.revisions import do_hand_in
from submissions.actions.run_folders import Described, do_get_author
from submissions.baselines import read_line
from submissions.boards.board import BoardTask, Entrant, eager_row, put_together, ranked, row_of
from submissions.boards.outcome import Outcome, best, outcome_of, outcome_of_result
from submissions.models import Author, Run, Submission
from tests.accounts import account
from tests.submissions.conftest import SOURCE, sample

pytestmark = pytest.mark.django_db

VERSIONS = {"torch": "2.13.0", "harness": "test"}
TASKS = (BoardTask("one", "One", 2, 1, "one"), BoardTask("two", "Two", 1, 2, "two"))


def graph(status: str = "correct", speed: float | None = None, first_t: int | None = -5, **more) -> dict:
    speedup = None if speed is None else {"e2e": speed}
    fields = {"reason": None, "mismatch": None, "first_t": first_t if status == "correct" else None}
    return {"status": status, "speedup": speedup, **fields, **more}


def result(*graphs: dict, device: str = "cuda:H200") -> dict:
    named = {f"g{at}": one for at, one in enumerate(graphs)}
    return {"graphs": named, "device": device, "versions": VERSIONS, "profile": "precise"}


def entrant(name: str, **more) -> Entrant:
    return Entrant(name, name, "model", **more)


def test_an_outcome_adds_up_what_a_run_says():
    found = outcome_of_result(result(graph(speed=2.0), graph(speed=0.5), graph("no_match")), exploit=False, run="r")
    assert (found.graphs, found.correct, found.fast, found.measured, found.solved) == (3, 2, (1, 1, 1), 2, False)
    assert found.log_speedup == pytest.approx(0.0)  # 2 × 0.5
    alike = [GraphScore(-5, failure_of("correct"), 2.0), GraphScore(-5, failure_of("correct"), 0.5)]
    expected = scores([*alike, GraphScore(None, failure_of("no_match"), None)])
    assert expected is not None and found.score == pytest.approx(expected[1])
    cheat = outcome_of_result(result(graph(speed=9.0)), exploit=True, run="r")
    assert (cheat.score, cheat.correct, cheat.fast, cheat.exploit) == (pytest.approx(0.1), 0, (0, 0, 0), True)
    untimed = outcome_of_result(result(graph(), device="cpu"), exploit=False, run="r")
    assert (untimed.score, untimed.correct, untimed.fast) == (None, 1, (0, 0, 0))
    unmeasured = outcome_of_result(result(graph()), exploit=False, run="r")
    assert unmeasured.score is None and "no measured speed" in unmeasured.word


def test_the_best_honest_run_counts_and_an_exploit_stays_on_record():
    honest, better = Outcome(0.9, 1, 1), Outcome(1.2, 1, 1)
    cheat = outcome_of([GraphScore(-5, failure_of("correct"), 50.0)], timed=True, exploit=True)
    assert best([honest, cheat, better]).score == 1.2 and best([honest, cheat]).on_record
    assert not best([honest, cheat]).exploit and best([cheat]).exploit


def test_figures_of_a_row_by_hand():
    """Task one: AS 4, 2 graphs, speed-ups 2 and 8; task two is missing: it counts 0.1, and its graph is wrong."""
    own = {0: Outcome(4.0, 2, 2, (2, 2, 2), math.log(16), 2)}
    row = row_of(entrant("a"), TASKS, own, 1, timed=True)
    values = {name: one and round(one.value, 6) for name, one in row.figures.items()}
    third = round(2 / 3, 6)
    assert values == {
        "as": round(math.sqrt(0.4), 6),
        "g_mean": 4.0,
        "correct": third,
        "tasks": 0.5,
        "fast_1": third,
        "fast_1.5": third,
        "fast_2": third,
    }
    assert (row.figures["as"].low, row.figures["as"].high) == (pytest.approx(0.1), pytest.approx(4.0))
    assert (row.scored, row.waiting) == (1, 1)
    baseline = row_of(entrant("b", baseline=True), TASKS, own, 0, timed=True)  # not measured is not failed
    assert baseline.figures["as"].value == pytest.approx(4.0) and baseline.figures["correct"].value == 1
    assert set(row_of(entrant("c"), TASKS, {}, 0, timed=True).figures.values()) == {None}
    untimed = row_of(entrant("d"), TASKS, {0: Outcome(None, 2, 1)}, 0, timed=False)
    assert {name for name, one in untimed.figures.items() if one is not None} == {"correct", "tasks"}


def test_ties_share_a_rank_and_nothing_never_comes_first():
    def row(name: str, score: float | None, **more) -> object:
        outcomes = {} if score is None else {0: Outcome(score, 2, 1), 1: Outcome(score, 1, 1)}
        return row_of(entrant(name, **more), TASKS, outcomes, 0, timed=True)

    rows = [
        row("nothing", None),
        row("low", 0.5),
        row("tie b", 0.9),
        row("tie a", 0.9),
        row("inductor", 0.7, baseline=True),
    ]
    rows.append(eager_row(entrant("eager", baseline=True), TASKS, timed=True))
    found = [(one.entrant.name, one.rank) for one in ranked(rows, timed=True)]
    assert found == [("eager", None), ("tie a", 1), ("tie b", 1), ("inductor", None), ("low", 3), ("nothing", None)]
    board = put_together(TASKS, rows, timed=True)
    assert {one.entrant.name: one.against and one.against.wins for one in board.rows} == {
        "eager": None,
        "inductor": None,
        "nothing": None,
        "tie a": 2,
        "tie b": 2,
        "low": 0,
    }
    assert board.solved_by == (0, 3)


def store_task(slug: str, factor: int) -> Task:
    one = do_store_graph(sample(slug, source=SOURCE.replace("* 2", f"* {factor}")), "model.py")
    return do_store_task(slug, TaskText(f"Task {slug}"), [("g0", one)], None, "shipped")[0]


def run(author: Author, task: Task, *graphs: dict, device: str = "cuda:H200", **more) -> Run:
    revision = do_hand_in(author, task, {"A.py": f"x = {Run.objects.count()}"})
    done = {"state": "done", "result": result(*graphs, device=device), "correct": 0, "total": 1, "verdict": "clean"}
    return Run.objects.create(
        revision=revision, task=task, author=author, graphs=[], device=device, finished_at=timezone.now(), **done | more
    )


def inductor(task: Task, ratio: float, first_t: int | None = -6) -> None:
    entry = task.entries.select_related("graph").get()
    line = {
        "graph": "g0",
        "device": "cuda:H200",
        "processor": "NVIDIA H200",
        "versions": VERSIONS,
        "eager_us": 100.0,
        "inductor_us": 100.0 / ratio,
        "ratio": {"value": ratio, "low": ratio, "high": ratio},
        "word": "faster",
        "first_t": first_t,
        "measured_at": datetime(2026, 11, 1, tzinfo=UTC),
    }
    do_store_baseline(entry.graph, read_line(line), "")


@pytest.fixture
def two(db, settings, tmp_path) -> list[Task]:
    settings.CAPTURED = tmp_path  # no manifest of the real catalogue
    tasks = [store_task("one", 3), store_task("two", 4)]
    inductor(tasks[0], 2.0)
    inductor(tasks[1], 0.5, None)
    return tasks


def board(client: Client, **query: str) -> dict:
    answer = client.get("/api/boards", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_board_of_runs_baselines_and_imports(two, client, author):
    model = do_get_author("model-1", Described("2"), None)
    run(author, two[0], graph(speed=1.5, first_t=-10))
    run(author, two[0], graph(speed=4.0, first_t=-10))
    run(author, two[0], graph(speed=0.9), device="cpu")  # another device is another board
    run(author, two[1], graph(speed=9.0), verdict="violation")
    run(model, two[0], graph(speed=9.0), verdict="violation", reviewed_verdict="clean")
    rows = (("two", two[1], 1.2, ""), ("ff" * 32, None, 0.5, ""), ("one", two[0], None, "unreadable"))
    for name, task, reported, problem in rows:
        Submission.objects.create(
            author=model, task_name=name, task=task, hash=name, files={}, path="p", reported=reported, problem=problem
        )
    found = board(client, benchmark="shipped")
    assert [one["device"] for one in found["contexts"]] == ["cuda:H200", "cpu"]
    rows = {row["author"]: row for row in found["rows"]}
    assert rows.keys() == {"eager", "TorchInductor", "ada", "model-1"}
    assert rows["ada"]["figures"]["as"]["value"] == pytest.approx(math.sqrt(4.0 * 0.1))
    assert (rows["ada"]["exploits"], rows["ada"]["tasks_scored"]) == (1, 2)
    # A reviewer has overturned the violation: the run counts
    model_row = rows["model-1"]
    assert model_row["exploits"] == 0 and model_row["tasks_waiting"] == 1 and model_row["outcomes"][0]["score"] > 8
    against = rows["ada"]["against_inductor"]
    assert (against["won"], against["lost"]) == (1, 1)  # 4 to 2; 0.1 to that of an inaccurate graph
    assert rows["TorchInductor"]["figures"]["correct"]["value"] == 0.5
    assert [task["solved_by"] for task in found["tasks"]] == [2, 0]

    cpu = board(client, benchmark="shipped", context=found["contexts"][1]["key"])
    assert [row["author"] for row in cpu["rows"]][:1] == ["eager"] and cpu["rows"][0]["figures"]["as"] is None

    handed = board(client, benchmark="handed-in", context="reported")
    (only,) = handed["rows"]
    assert only["figures"]["as"]["value"] == pytest.approx((1.2 * 0.5 * 0.1) ** (1 / 3)) and handed["reported"]
    assert [task["slug"] for task in handed["tasks"]] == [None, "one", "two"]

    text = client.get("/api/boards/figures", {"benchmark": "shipped"}).content.decode()
    lines = {line["author"]: line for line in csv.DictReader(io.StringIO(text))}
    assert float(lines["ada"]["as"]) == pytest.approx(math.sqrt(0.4)) and lines["model-1"]["version"] == "2"
    whole = json.loads(client.get("/api/boards/figures", {"benchmark": "shipped", "format": "json"}).content)
    assert whole["rows"] == found["rows"]
    for wrong in ({"benchmark": "x"}, {"benchmark": "shipped", "context": "x"}):
        assert client.get("/api/boards", wrong).status_code == 404


def test_a_name_is_no_formula_and_no_markup(two, client):
    evil = do_get_author("=cmd()<script>", Described("+1"), None)
    run(evil, two[0], graph(speed=1.0))
    text = client.get("/api/boards/figures", {"benchmark": "shipped"}).content.decode()
    assert "'=cmd()" in text and ",'+1," in text
    page = client.get("/boards/", {"benchmark": "shipped", "q": '"><script>', "show": "x"}).content.decode()
    assert "<script>" not in page.replace('<script type="module"', "")
    assert client.get("/boards/", {"benchmark": "shipped", "sort": "evil"}).status_code == 404


def test_a_board_costs_few_queries_however_many_runs(two, client, author):
    def counted() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get("/boards/", {"benchmark": "shipped"}).status_code == 200
        return len(queries)

    run(author, two[0], graph(speed=1.5))
    counted()
    few = counted()
    for at in range(6):
        run(do_get_author(f"m{at}", Described(), None), two[at % 2], graph(speed=1.0 + at))
    assert counted() <= few + 1  # the new results, read at once
    assert counted() <= few <= 24


def test_visitors_see_models_but_not_people(two, author, client, settings):
    run(author, two[0], graph(speed=1.5))
    run(do_get_author("model-1", Described(), None), two[0], graph(speed=1.2))
    assert Client().get("/boards/").status_code == 302
    settings.PUBLIC_READ = True
    names = [row["author"] for row in board(Client(), benchmark="shipped")["rows"]]
    assert "model-1" in names and "ada" not in names
    assert "ada" not in Client().get("/boards/", {"benchmark": "shipped"}).content.decode()
    assert "ada" in [row["author"] for row in board(client, benchmark="shipped")["rows"]]


def test_an_empty_board_teaches(client, settings, tmp_path):
    settings.CAPTURED = tmp_path
    page = client.get("/boards/").content.decode()
    assert "There is no benchmark yet" in page and "import_run" in page and "Published, not measured here" in page


def test_a_run_folder_comes_through_the_browser(two, client, author, tmp_path, settings):
    import zipfile

    settings.WORKER_DEVICES = "cpu"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("run/one/pass_dir/A.py", "x = 1\n")
        archive.writestr("run/one/pass_dir/score.txt", "1.5")
        archive.writestr("run/unknown-task/pass_dir/A.py", "<script>alert(1)</script>")

    def send(name: str, data: bytes) -> object:
        file = SimpleUploadedFile("run.zip", data)
        return client.post("/boards/import/archive/", {"author": name, "version": "7", "archive": file})

    assert "2 new" in send("my model", content.getvalue()).content.decode()
    assert "2 that were here" in send("my model", content.getvalue()).content.decode()
    for name, data, status in (("my model", b"no archive", 422), ("eager", content.getvalue(), 409), ("", b"x", 400)):
        assert send(name, data).status_code == status, name
    mine = Author.objects.get(name="my model")
    assert (mine.brought_in_by, mine.version) == (author, "7")
    page = client.get(f"/boards/authors/{mine.pk}/").content.decode()
    assert "1.500" in page and "unknown-task" in page and "its graphs are not here" in page
    one = Submission.objects.get(task_name="unknown-task")
    page = client.get(f"/boards/submissions/{one.pk}/").content.decode()
    assert "&lt;script&gt;alert(1)" in page and "The graphs of this task are not here" in page
    path = f"/boards/authors/{mine.pk}/evaluate/"
    assert client.post(path, {"device": "no such"}).status_code == 400
    assert client.post(path, {"device": "cpu"}).status_code == 302
    assert set(Submission.objects.values_list("wanted_on", flat=True)) == {"cpu"}

    other = Client()
    other.force_login(account("eve").user)
    for method, address in (
        ("get", f"/boards/authors/{mine.pk}/"),
        ("get", f"/boards/submissions/{one.pk}/"),
        ("post", path),
    ):
        assert getattr(other, method)(address).status_code == 404, address
    model = do_get_author("operator's", Described(), None)
    assert other.get(f"/boards/authors/{model.pk}/").status_code == 200
    assert other.post(f"/boards/authors/{model.pk}/evaluate/", {"device": "cpu"}).status_code == 403
