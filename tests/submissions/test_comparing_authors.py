"""Two authors over a benchmark: figures worked out by hand, filters, who may open what, and how much it asks."""

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.models import Task
from submissions.actions.run_folders import Described, do_get_author
from submissions.comparing.authors_shown import p_words, words_of
from submissions.comparing.head_to_head import Tally, TaskPair, head_to_head, reported_tally, tally
from submissions.comparing.judged import Judged
from submissions.models import Author, Submission
from tests.accounts import account
from tests.submissions.conftest import SOURCE, sample
from tests.submissions.test_boards import graph, inductor, run, store_task

pytestmark = pytest.mark.django_db
HERE = {"benchmark": "shipped"}


@pytest.fixture
def reader(client: Client) -> Author:
    person = account("reader")
    client.force_login(person.user)
    return person


@pytest.fixture
def three(settings, tmp_path) -> list[Task]:
    settings.CAPTURED = tmp_path
    return [store_task("one", 3), store_task("two", 4), store_task("three", 5)]


@pytest.fixture
def pair(three, reader) -> tuple[Author, Author]:
    """a: AS 2, a violation, 4; b: AS 1, 0.5, nothing."""
    a, b = (do_get_author(name, Described(), None) for name in ("model a", "model b"))
    run(a, three[0], graph(speed=2.0, first_t=-10))
    run(a, three[1], graph(speed=9.0, first_t=-10), verdict="violation")
    run(a, three[2], graph(speed=4.0, first_t=-10))
    run(b, three[0], graph(speed=1.0, first_t=-10))
    run(b, three[1], graph(speed=0.5, first_t=-10))
    return a, b


def ask(client: Client, a: object, b: object, **more: str) -> dict:
    answer = client.get("/api/compare/authors", {**HERE, "a": str(a), "b": str(b), **more})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_who_wins_where_by_hand(client, pair):
    a, b = pair
    found = ask(client, a.pk, b.pk)
    head = found["head_to_head"]
    assert (head["won_by_a"], head["won_by_b"], head["tied"], head["sign_test_p"]) == (2, 1, 0, 1.0)
    assert head["as"]["a"] == pytest.approx((2 * 0.1 * 4) ** (1 / 3))
    assert head["as"]["b"] == pytest.approx((1 * 0.5 * 0.1) ** (1 / 3))
    assert head["as_ratio"]["value"] == pytest.approx(16 ** (1 / 3))
    assert head["as_ratio"]["low"] == pytest.approx(0.2) and head["as_ratio"]["high"] == pytest.approx(40.0)
    assert head["speedup_ratio"]["value"] == pytest.approx(2.0)  # only the first task's graph is right for both
    assert head["graphs_correct"] == {"a": 2, "b": 2} and head["correct_difference"]["value"] == 0
    outcomes = {one["task"]: (one["a_outcome"], one["b_outcome"], one["winner"]) for one in found["tasks"]}
    assert outcomes == {
        "one": ("faster", "correct", "a"),
        "two": ("violation", "correct", "b"),
        "three": ("faster", "nothing", "a"),
    }
    assert [one["task"] for one in found["tasks"]] == ["three", "two", "one"]  # the largest difference first
    turned = ask(client, b.pk, a.pk)["head_to_head"]
    assert turned["as_ratio"]["value"] == pytest.approx(16 ** (-1 / 3)) and turned["won_by_a"] == 1


def test_missing_tasks_and_outcomes_can_be_left_out(client, pair):
    a, b = pair
    both = ask(client, a.pk, b.pk, over="both")["head_to_head"]
    assert both["tasks"] == 2 and both["as_ratio"]["value"] == pytest.approx((0.2 / 0.5) ** 0.5)
    assert [one["task"] for one in ask(client, a.pk, b.pk, show="violation.correct")["tasks"]] == ["two"]
    assert [one["task"] for one in ask(client, a.pk, b.pk, show="b")["tasks"]] == ["two"]
    assert len(ask(client, a.pk, b.pk, show="disagree")["tasks"]) == 3
    text = client.get("/api/compare/authors/figures", {**HERE, "a": a.pk, "b": b.pk, "show": "a"}).content.decode()
    lines = {line["task"]: line for line in csv.DictReader(io.StringIO(text))}
    assert lines.keys() == {"one", "three"} and float(lines["one"]["a_as"]) == pytest.approx(2.0)
    assert lines["one"]["compare"].count("of=") == 2 and lines["three"]["compare"] == ""


def test_baselines_are_compared_too_and_what_was_not_measured_is_left_out(client, pair, three):
    a, _ = pair
    inductor(three[0], 4.0)
    found = ask(client, a.pk, "inductor")
    assert [one["task"] for one in found["tasks"]] == ["one"] and found["head_to_head"]["won_by_b"] == 1
    assert found["head_to_head"]["speedup_ratio"]["value"] == pytest.approx(0.5)
    eager = ask(client, "eager", a.pk)["head_to_head"]
    assert eager["as"]["a"] == 1.0 and eager["tasks"] == 3


def test_groups_and_filters_count_the_graphs_of_a_group_alone(client, reader, settings, tmp_path):
    """One task of a float32 and a float16 graph: a is right on the first alone, b on the second alone."""
    settings.CAPTURED = tmp_path
    graphs = [
        (f"g{at}", do_store_graph(sample(f"g{at}", dtype=dtype, source=SOURCE), "model.py"))
        for at, dtype in enumerate(("float32", "float16"))
    ]
    task = do_store_task("mixed", TaskText("Mixed"), graphs, None, "shipped")[0]
    a, b = (do_get_author(name, Described(), None) for name in ("a", "b"))
    run(a, task, graph(speed=2.0, first_t=-10), graph("no_match"))
    run(b, task, graph("no_match"), graph(speed=3.0, first_t=-10))
    groups = {one["name"]: one for one in ask(client, a.pk, b.pk)["groups"]}
    assert groups.keys() == {"float32", "float16"}
    assert (groups["float32"]["won_by_a"], groups["float16"]["won_by_b"]) == (1, 1)
    assert groups["float32"]["as"]["a"] == pytest.approx(2.0) and groups["float16"]["as"]["b"] == pytest.approx(3.0)
    only = ask(client, a.pk, b.pk, dtype="float32")
    assert only["head_to_head"]["graphs"] == 1 and only["tasks"][0]["a_outcome"] == "faster"
    assert {one["name"] for one in ask(client, a.pk, b.pk, by="operator")["groups"]} >= {"relu"}
    assert [one["name"] for one in ask(client, a.pk, b.pk, by="size")["groups"]] == ["up to 4 nodes"]


def test_a_cpu_has_no_scores_but_winners(client, reader, three):
    a, b = (do_get_author(name, Described(), None) for name in ("a", "b"))
    for at in range(2):
        run(a, three[at], graph(), device="cpu")
        run(b, three[at], graph("no_match"), device="cpu")
    head = ask(client, a.pk, b.pk, device="cpu")["head_to_head"]
    assert (head["won_by_a"], head["as"], head["as_ratio"], head["correct_difference"]["value"]) == (
        2,
        None,
        None,
        pytest.approx(2 / 3),
    )
    assert client.get("/api/compare/authors", {**HERE, "device": "cuda:none"}).status_code == 404


def test_reported_scores_have_a_comparison_of_their_own(client, reader, settings, tmp_path):
    settings.CAPTURED = tmp_path
    a, b = (do_get_author(name, Described(), None) for name in ("a", "b"))
    for author, scores in ((a, (2.0, 0.5)), (b, (1.0, None))):
        for at, score in enumerate(scores):
            Submission.objects.create(
                author=author, task_name=f"t{at}", hash=f"{author}{at}", files={}, path="p", reported=score
            )
    found = ask(client, a.pk, b.pk, benchmark="handed-in", context="reported")
    assert found["reported"] and found["head_to_head"]["as_ratio"]["value"] == pytest.approx((2.0 * 5.0) ** 0.5)
    assert [one["compare"].startswith("/compare/?of=s") for one in found["tasks"]] == [True, True]
    page = client.get("/compare/authors/", {"benchmark": "handed-in", "a": a.pk, "b": b.pk}).content.decode()
    assert "Reported, not measured" in page


def test_the_page_links_what_the_reader_may_open(client, pair, three, reader):
    a, _ = pair
    somebody = account("somebody")
    run(somebody, three[0], graph(speed=1.5, first_t=-10))
    page = client.get("/compare/authors/", {**HERE, "a": a.pk, "b": somebody.pk}).content.decode()
    assert "/compare/?of=" not in page and "somebody" in page
    run(reader, three[0], graph(speed=1.5, first_t=-10))
    page = client.get("/compare/authors/", {**HERE, "a": a.pk, "b": reader.pk}).content.decode()
    assert "/compare/?of=" in page
    for wrong in ({"a": "999"}, {"a": str(a.pk), "b": str(a.pk)}, {"benchmark": "x"}):
        assert client.get("/compare/authors/", {**HERE, **wrong}).status_code in (400, 404)
    assert client.get("/compare/authors/", {**HERE, "show": "<script>", "by": "<b>"}).status_code == 200
    client.logout()
    assert client.get("/compare/authors/").status_code == 302


def test_an_empty_benchmark_teaches(client, reader, settings, tmp_path):
    settings.CAPTURED = tmp_path
    assert "not yet two authors" in client.get("/compare/authors/").content.decode()


def test_the_page_costs_few_queries(client, pair, three):
    a, b = pair
    client.get("/compare/authors/", {**HERE, "a": a.pk, "b": b.pk})
    with CaptureQueriesContext(connection) as asked:
        client.get("/compare/authors/", {**HERE, "a": a.pk, "b": b.pk})
    assert len(asked) <= 20, [one["sql"][:90] for one in asked]


def test_a_tally_is_the_boards_outcome():
    right = Judged(0.0, True, 1.0)
    assert tally([right, right], violation=False, timed=True) == Tally("correct", 1.0, 2, 2, 0.0, 2)
    assert tally([None, None], violation=False, timed=True).word == "nothing"
    assert tally([right, Judged(-2.0, False, None)], violation=False, timed=True).word == "part"
    unmeasured = tally([Judged(None, True, None)], violation=False, timed=True)
    assert unmeasured.score is None and unmeasured.value(timed=True) == 0.1
    assert reported_tally(1.0).word == "correct" and reported_tally(None).word == "nothing"


def test_few_tasks_show_nothing_and_many_do():
    def versus(count: int) -> str:
        pairs = [TaskPair(at, Tally("faster", 2.0, 1, 1), Tally("correct", 1.0, 1, 1)) for at in range(count)]
        return words_of(head_to_head(pairs, timed=True), ("A", "B"))

    assert "Fewer than 5" in versus(3) and versus(8).startswith("A is better")
    assert (p_words(0.0001), p_words(0.0312)) == ("< 0.001", "0.031")
    nothing = head_to_head([], timed=True)
    assert nothing.score_ratio is None and nothing.p == 1.0
