"""Which graphs get slower under the compiler: reasons, choices and shares that a person worked out, and the page."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.actions import do_store_graph
from graphs.models import Graph
from submissions.actions.baselines import do_store_baseline
from submissions.baselines import read_line
from submissions.models import Baseline
from submissions.slower.reasons import verdict
from submissions.slower.shares import curve, median
from tests.submissions.conftest import SOURCE, sample

pytestmark = pytest.mark.django_db

VERSIONS = {"torch": "2.13.0", "harness": "test"}
INTERVAL = {"slower": (0.98, 0.99), "faster": (1.01, 1.02), "same": (0.99, 1.01), "inconclusive": (0.8, 1.3)}


def figure(graph: Graph, method: str, ratio: float, word: str, entry: str = "direct", **changes) -> None:
    """Eager takes 100 µs, the compiler 100 / ratio."""
    low, high = INTERVAL[word]
    line = {
        "graph": graph.name,
        "device": "cuda:H200",
        "processor": "NVIDIA H200",
        "versions": VERSIONS,
        "entry": entry,
        "method": method,
        "eager_us": 100.0,
        "inductor_us": 100.0 / ratio,
        "ratio": {"value": ratio, "low": low * ratio, "high": high * ratio},
        "word": word,
        "measured_at": datetime(2026, 11, 1, tzinfo=UTC),
        **changes,
    }
    do_store_baseline(graph, read_line(line), changes.pop("origin", ""))


def graph(name: str, scale: int, **net: str) -> Graph:
    """A graph with code of its own."""
    source = SOURCE.replace("* 2", f"* {scale}")
    if net.pop("cat", ""):
        source = source.replace("tmp_2 = tmp_1 + in_1", "tmp_2 = torch.cat((tmp_1, in_1))")
    one = sample(name, source=source, dtype=net.pop("dtype", "float32"))
    return do_store_graph(type(one)(**{**one.__dict__, "graph_net": {"framework": "torch", **net}}), "model.py")


@pytest.fixture
def three(db) -> list[Graph]:
    """Guards, launches and kernels: one graph for each reason, on one machine."""
    found = [
        graph(
            "guarded", 3, model_name="resnet18", subgraph_kind="fusible", model_family="convolutional", dtype="float16"
        ),
        graph("chatty", 4, model_name="bert", subgraph_kind="fusible", heuristic_tag="nlp", cat="yes"),
        graph("sluggish", 5, model_name="bert", subgraph_kind="classical", heuristic_tag="nlp"),
    ]
    guarded, chatty, sluggish = found
    for way, word, ratio in (("e2e", "faster", 1.5), ("graph", "faster", 2.0), ("kernel", "same", 1.0)):
        figure(guarded, way, ratio, word, eager_kernels=3, inductor_kernels=1)
    figure(guarded, "e2e", 0.5, "slower", "compiled", eager_kernels=3, inductor_kernels=1)
    for way, word, ratio in (("e2e", "slower", 0.9), ("graph", "slower", 0.8), ("kernel", "slower", 0.7)):
        figure(chatty, way, ratio, word, eager_kernels=2, inductor_kernels=3)
        figure(sluggish, way, ratio / 2, word, eager_kernels=3, inductor_kernels=3)
    return found


KERNEL, REPLAY, DIRECT, COMPILED = "kernel-direct", "graph-direct", "e2e-direct", "e2e-compiled"


@pytest.mark.parametrize(
    ("slow", "other", "launches", "reason"),
    [
        ((), (DIRECT, KERNEL), (3, 1), ""),
        ((COMPILED,), (DIRECT,), (3, 1), "host"),  # guards, told apart even where only the host's clock was read
        ((COMPILED, DIRECT), (REPLAY, KERNEL), (3, 3), "host"),
        ((DIRECT,), (), (3, 3), "unclear"),
        ((REPLAY,), (KERNEL,), (3, 3), "launches"),
        ((REPLAY,), (KERNEL,), (3, 2), "unclear"),
        ((REPLAY,), (), (None, 2), "unclear"),
        ((KERNEL,), (DIRECT,), (3, 4), "launches"),
        ((KERNEL, REPLAY, DIRECT), (), (3, 3), "kernels"),
        ((KERNEL,), (), (3, 1), "kernels"),
        ((KERNEL,), (), (None, None), "unclear"),
    ],
)
def test_the_innermost_slow_way_gives_the_reason(slow, other, launches, reason):
    words = {**dict.fromkeys(slow, "slower"), **dict.fromkeys(other, "inconclusive")}
    found = verdict(words, *launches)
    assert found.reason == reason and found.why.endswith(".")


def test_median_and_curve_of_values_worked_out_by_hand():
    assert (median([]), median([3.0]), median([1.0, 2.0, 4.0, 9.0])) == (None, 3.0, 3.0)
    assert curve([0.5, 1.0, 4.0, 8.0]) == [(0.5, 0.25), (1.0, 0.5), (4.0, 0.75), (8.0, 1.0)]
    thinned = curve([float(value) for value in range(1, 1001)], most=4)
    assert thinned == [(1.0, 0.001), (500.0, 0.5), (750.0, 0.75), (1000.0, 1.0)]
    assert curve([]) == []


def test_the_page_tells_the_three_reasons_apart(three, author, client):
    said = client.get("/api/slower").json()
    assert (said["graphs"], said["total"], len(said["contexts"])) == (3, 3, 1)
    assert (said["context"]["device"], said["context"]["torch"], said["context"]["figures"]) == (
        "cuda:H200",
        "2.13.0",
        10,
    )
    # Slowest first by e2e called directly: 0.45, 0.9, 1.5
    assert [(row["name"], row["reason"]) for row in said["rows"]] == [
        ("sluggish", "kernels"),
        ("chatty", "launches"),
        ("guarded", "host"),
    ]
    shares = {share["way"]: share for share in said["shares"]}
    assert list(shares) == [COMPILED, DIRECT, REPLAY, KERNEL]  # none that was not measured
    assert [(shares[way]["measured"], shares[way]["slower"]) for way in shares] == [(1, 1), (3, 2), (3, 2), (3, 2)]
    assert (shares[DIRECT]["median"], shares[DIRECT]["below_one"], shares[DIRECT]["faster"]) == (0.9, 2, 1)
    assert shares[COMPILED]["median"] == 0.5
    assert shares[KERNEL]["curve"] == [[0.35, pytest.approx(1 / 3)], [0.7, pytest.approx(2 / 3)], [1.0, 1.0]]
    row = said["rows"][1]
    assert (row["eager_kernels"], row["kernels"], row["kind"], row["family"]) == (2, 3, "fusible", "not said")
    assert row["figures"][KERNEL]["median_us"] == pytest.approx(100 / 0.7)
    assert "2 → 3" in row["why"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=bert+CAT", ["chatty"]),
        ("kind=fusible", ["chatty", "guarded"]),
        ("domain=nlp&kind=classical&kind=fusible", ["sluggish", "chatty"]),
        ("family=convolutional", ["guarded"]),
        ("operator=cat", ["chatty"]),
        ("operator=cat&operator=add", []),
        ("dtype=float16", ["guarded"]),
        ("reason=host&reason=kernels", ["sluggish", "guarded"]),
        ("slower=graph-direct&slower=e2e-direct", ["sluggish", "chatty"]),
        ("slower=e2e-compiled&slower=e2e-direct", []),
        ("sort=-e2e-direct", ["guarded", "chatty", "sluggish"]),
        ("sort=e2e-compiled", ["guarded", "chatty", "sluggish"]),  # those without the figure come last
        ("sort=-e2e-compiled", ["guarded", "chatty", "sluggish"]),
        ("sort=-launches", ["chatty", "sluggish", "guarded"]),
        ("limit=1&offset=1", ["chatty"]),
    ],
)
def test_the_list_is_filtered_and_sorted(three, author, client, query, names):
    assert [row["name"] for row in client.get(f"/api/slower?{query}").json()["rows"]] == names


def test_counts_beside_a_choice_are_what_choosing_it_would_leave(three, author, client):
    facets = client.get("/api/slower?kind=fusible&q=relu").json()["facets"]
    assert facets["kind"] == [{"value": "fusible", "count": 2}, {"value": "classical", "count": 1}]
    assert {one["value"]: one["count"] for one in facets["reason"]} == {
        "host": 1, "launches": 1, "kernels": 0, "unclear": 0, "not slower": 0
    }  # fmt: skip
    assert {one["value"]: one["count"] for one in facets["operator"]}["cat"] == 1


def test_what_was_not_measured_alike_is_never_put_together(three, author, client):
    figure(three[0], "e2e", 3.0, "faster", versions={**VERSIONS, "torch": "2.11.0"})
    figure(three[0], "e2e", 4.0, "faster", backend="inductor max-autotune")
    figure(three[0], "e2e", 0.7, "slower", device="cpu", processor="A processor", threads=1)
    said = client.get("/api/slower").json()
    assert next((one["device"], one["torch"], one["backend"], one["graphs"]) for one in said["contexts"]) == (
        "cuda:H200", "2.13.0", "inductor", 3
    )  # fmt: skip
    assert len(said["contexts"]) == 4 and said["contexts"][-1]["device"] == "cpu"
    for one in said["contexts"][1:]:
        other = client.get(f"/api/slower?context={one['key']}").json()
        assert (other["total"], [share["measured"] for share in other["shares"]]) == (1, [1])
    gone = client.get("/api/slower?context=000000000000")
    assert (gone.status_code, gone.json()["code"]) == (404, "unknown_context")


def test_a_new_figure_is_seen_at_once(three, author, client):
    assert client.get("/api/slower").json()["rows"][0]["name"] == "sluggish"
    figure(three[2], "e2e", 5.0, "faster", eager_kernels=3, inductor_kernels=3)
    assert client.get("/api/slower").json()["rows"][0]["name"] == "chatty"
    Baseline.objects.all().delete()
    said = client.get("/api/slower").json()
    assert (said["context"], said["contexts"], said["rows"]) == (None, [], [])


def test_the_figures_are_a_file_that_no_spreadsheet_runs(three, author, client):
    figure(graph("=HYPERLINK(1)", 6, heuristic_tag="nlp"), "e2e", 0.8, "slower")
    answer = client.get("/api/slower/figures?domain=nlp&sort=graph")
    assert answer["Content-Type"].startswith("text/csv") and "attachment" in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["graph"] for row in rows] == ["'=HYPERLINK(1)", *["chatty"] * 3, *["sluggish"] * 3]
    assert [(row["method"], row["entry"]) for row in rows[1:4]] == [
        ("e2e", "direct"),
        ("graph", "direct"),
        ("kernel", "direct"),
    ]
    assert {(row["device"], row["torch"]) for row in rows} == {("cuda:H200", "2.13.0")}
    assert [row["reason"] for row in rows[::3]] == ["unclear", "launches", "kernels"]
    value = client.get("/api/slower/figures?domain=nlp&format=json").json()
    assert len(value) == 7 and value[0]["ratio"] == 0.45 and value[0]["eager_us"] == 100.0


def test_orders_and_formats_that_there_are_not_are_refused(three, author, client):
    assert client.get("/api/slower?sort=price").json()["code"] == "unknown_order"
    assert client.get("/api/slower/figures?format=xlsx").status_code == 422
    Baseline.objects.all().delete()
    assert client.get("/api/slower/figures").json()["code"] == "nothing_measured"


def test_twenty_thousand_figures_cost_a_fixed_number_of_queries(three, author, client):
    (first,) = Graph.objects.filter(pk=three[0].pk)
    fields = {name: getattr(first, name) for name in ("source_id", "sample", "operators", "dtypes", "node_count")}
    Graph.objects.bulk_create(Graph(identity=f"{at:064x}", name=f"many-{at:04}", **fields) for at in range(5000))
    many = list(Graph.objects.filter(name__startswith="many-").values_list("pk", flat=True))
    common = {
        "device": "cuda:H200", "hardware": "NVIDIA H200", "torch": "2.13.0", "harness": "test", "backend": "inductor",
        "threads": 0, "eager_us": 100.0, "median_us": 100.0, "ratio_low": 0.5, "ratio_high": 2.0, "word": "same",
        "measured_at": datetime(2026, 11, 1, tzinfo=UTC),
    }  # fmt: skip
    ways = (("e2e", "direct"), ("e2e", "compiled"), ("graph", "direct"), ("kernel", "direct"))
    Baseline.objects.bulk_create(
        Baseline(graph_id=key, method=method, entry=entry, ratio=1 + at / 5000, **common)
        for at, key in enumerate(many)
        for method, entry in ways
    )
    with CaptureQueriesContext(
        connection,
    ) as cold:
        said = client.get("/api/slower?limit=200").json()
    assert (said["graphs"], len(said["rows"]), said["shares"][1]["measured"]) == (5003, 200, 5003)
    assert all(len(share["curve"]) <= 160 for share in said["shares"])
    with CaptureQueriesContext(connection) as warm:
        assert client.get("/api/slower?offset=5000&sort=-graph").json()["total"] == 5003
    own = [one["sql"] for one in cold.captured_queries if "baseline" in one["sql"].lower()]
    assert len(own) <= 3  # the contexts, the figures of one, its graphs
    assert len([one for one in warm.captured_queries if "baseline" in one["sql"].lower()]) == 1


def test_the_page_and_its_description_are_there(author, client):
    page = client.get("/slower/")
    assert page.status_code == 200 and 'id="slower"' in page.content.decode()
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/slower", "/api/slower/figures"} <= set(paths)
