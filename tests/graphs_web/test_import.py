import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from graphs.fx_source import parse
from graphs.models import Graph, Source, Task

MODEL = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0):
        tmp_0 = torch.nn.functional.relu(in_0)
        tmp_1 = tmp_0 + 1
        return (tmp_1,)
"""

META = """\
class Program_weight_tensor_meta_in_0:
\tname = "in_0"
\tshape = {shape}
\tdtype = "torch.{dtype}"
\tdevice = "cpu"
\tmean = 0.0
\tstd = 1.0
\tdata = None
"""


def write_sample(folder: Path, shape: list[int] | None = None, dtype: str = "float32", model: str = MODEL) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(model)
    (folder / "weight_meta.py").write_text(META.format(shape=shape or [4, 4], dtype=dtype))
    (folder / "graph_net.json").write_text('{"framework": "torch"}')
    return folder


def write_task(folder: Path, **samples: dict) -> Path:
    for name, options in samples.items():
        write_sample(folder / "graphs" / name, **options)
    (folder / "graph_list.txt").write_text("".join(f"graphs/{name}\n" for name in samples))
    return folder


Import = Callable[[Path], tuple[dict[str, int], str]]


@pytest.fixture
def do_import(db) -> Import:
    def run(path: Path) -> tuple[dict[str, int], str]:
        out, said = io.StringIO(), io.StringIO()
        call_command("import_graphs", str(path), "--json", "--jobs", "0", stdout=out, stderr=said)
        return json.loads(out.getvalue().splitlines()[-1]), said.getvalue()

    return run


def counts(imported: int = 0, unchanged: int = 0, skipped: int = 0, failed: int = 0) -> dict[str, int]:
    return {"imported": imported, "unchanged": unchanged, "skipped": skipped, "failed": failed}


def test_a_sample_becomes_a_task_of_one_graph(do_import, tmp_path):
    assert do_import(write_sample(tmp_path / "Bert_start3_end5_0"))[0] == counts(imported=1)
    task = Task.objects.get()
    assert (task.slug, task.title, task.origin, task.graph_count) == (
        "bert_start3_end5_0",
        "Bert_start3_end5_0",
        "imported",
        1,
    )
    graph = Graph.objects.get()
    assert (graph.node_count, graph.dtypes, graph.warnings, graph.problem) == (2, ["float32"], [], "")
    assert graph.operators == [{"label": "relu", "class": "pointwise"}, {"label": "+", "class": "pointwise"}]
    assert set(graph.layout["nodes"]) >= {"tmp_0", "tmp_1"}
    assert graph.thumbnail.startswith("<svg") and task.thumbnail == graph.thumbnail
    assert graph.as_sample("other").name == "other"
    assert graph.as_sample("other").source == MODEL


def test_a_task_keeps_the_order_of_its_list(do_import, tmp_path):
    folder = write_task(tmp_path / "task", b={"shape": [8, 8]}, a={"dtype": "float16"}, c={"dtype": "bfloat16"})
    (folder / "pass_dir").mkdir()
    (folder / "pass_dir" / "P.py").write_text("x = 1\n")
    assert do_import(folder)[0] == counts(imported=1)
    task = Task.objects.get()
    assert list(task.entries.values_list("name", flat=True)) == ["b", "a", "c"]
    assert task.dtypes == ["float32", "float16", "bfloat16"]
    assert task.example_files == {"P.py": "x = 1\n"}
    assert Source.objects.count() == 1 and Graph.objects.count() == 3


def test_importing_again_changes_nothing(do_import, tmp_path):
    write_task(tmp_path / "tree" / "one", a={}, b={"shape": [2, 3]})
    write_sample(tmp_path / "tree" / "deep" / "er" / "sample", shape=[5])
    assert do_import(tmp_path / "tree")[0] == counts(imported=2)
    before = list(Graph.objects.values()) + list(Task.objects.values())
    assert do_import(tmp_path / "tree")[0] == counts(unchanged=2)
    assert list(Graph.objects.values()) + list(Task.objects.values()) == before


def test_the_same_graph_in_two_tasks_is_one_row(do_import, tmp_path):
    write_task(tmp_path / "one", a={})
    write_task(tmp_path / "two", z={}, y={"shape": [2]})
    assert do_import(tmp_path)[0] == counts(imported=2)
    assert Graph.objects.count() == 2
    assert list(Task.objects.get(slug="two").entries.values_list("name", flat=True)) == ["z", "y"]


def test_another_task_of_the_same_name_does_not_replace_the_first(do_import, tmp_path):
    do_import(write_task(tmp_path / "x" / "task", a={}))
    do_import(write_task(tmp_path / "y" / "task", a={"shape": [9]}))
    slugs = sorted(Task.objects.values_list("slug", flat=True))
    assert slugs[0] == "task" and slugs[1].startswith("task-")
    assert do_import(tmp_path)[0] == counts(unchanged=2)


def test_graphs_of_one_folder_name_get_names_of_their_own(do_import, tmp_path):
    folder = tmp_path / "task"
    for dtype in ("float32", "float16"):
        write_sample(folder / "graphs" / dtype / "s", dtype=dtype)
    (folder / "graph_list.txt").write_text("graphs/float32/s\ngraphs/float16/s\n")
    do_import(folder)
    assert list(Task.objects.get().entries.values_list("name", flat=True)) == ["s", "float16.s"]


def test_what_can_not_be_read_is_named_with_file_line_and_reason(do_import, tmp_path):
    write_task(tmp_path / "good", a={})
    bad = write_sample(tmp_path / "bad", model=MODEL.replace("tmp_0 + 1", "tmp_0 +"))
    assert do_import(tmp_path)[0] == counts(imported=1, failed=1)
    said = do_import(tmp_path)[1]
    assert f"{bad}/model.py:6: " in said
    assert Graph.objects.count() == 1


def test_a_task_with_a_bad_graph_is_not_imported_in_part(do_import, tmp_path):
    folder = write_task(tmp_path / "task", a={}, b={"model": "import os\nos.system('true')\n"}, c={"dtype": "float33"})
    result, said = do_import(folder)
    assert result == counts(failed=1)
    assert "graphs/b/model.py:1: " in said
    assert 'graphs/c/weight_meta.py:4: dtype = "torch.float33" is not a dtype' in said
    assert "graph_list.txt: the task was not imported, because graphs/b, graphs/c can not be read" in said
    assert not Task.objects.exists()


def test_a_list_that_names_a_missing_graph_or_one_twice(do_import, tmp_path):
    folder = write_task(tmp_path / "task", a={})
    (folder / "graph_list.txt").write_text("graphs/a\ngraphs/gone\n")
    result, said = do_import(folder)
    assert result == counts(failed=1) and not Task.objects.exists()
    assert f"{folder}/graph_list.txt:2: names 'graphs/gone'" in said
    (folder / "graph_list.txt").write_text("graphs/a\na\n")
    result, said = do_import(folder)
    assert result == counts(imported=1) and Task.objects.get().graph_count == 1
    assert f"{folder}/graph_list.txt:2: names 'a' again; line 1 has it already (a warning)" in said


def test_a_wrong_shape_is_named_with_its_line(do_import, tmp_path):
    folder = write_sample(tmp_path / "s")
    (folder / "weight_meta.py").write_text(META.format(shape="'x'", dtype="float32"))
    result, said = do_import(tmp_path)
    assert result == counts(failed=1)
    assert f'{folder}/weight_meta.py:3: shape = "x" is not a list of integers' in said


def test_an_input_that_nobody_describes_is_a_warning(do_import, tmp_path):
    folder = write_sample(tmp_path / "s", model=MODEL.replace("in_0):", "in_0, in_1, s0: torch.SymInt):"))
    (folder / "input_tensor_constraints.py").write_text("examples = {S0: 5}\n")
    result, said = do_import(tmp_path)
    assert result == counts(imported=1)
    warning = "weight_meta.py: does not describe in_1, which forward takes: the graph can be shown, not run"
    assert Graph.objects.get().warnings == [warning]
    assert f"{folder}/{warning} (a warning)" in said


def test_variants_of_one_graph_are_told_apart_by_their_place_in_the_tree(do_import, tmp_path):
    for dtype, number in (("float16", 0), ("float16", 1), ("float32", 0)):
        place = tmp_path / "fusible" / dtype / str(number) / "samples"
        write_sample(place / "hf" / "bert" / "Bert_3", shape=[number + 2], dtype=dtype)
    write_task(tmp_path / "fusible" / "bfloat16" / "2" / "samples" / "task", a={"dtype": "bfloat16"})
    assert do_import(tmp_path)[0] == counts(imported=4)
    assert sorted(Task.objects.values_list("slug", "title")) == [
        ("bert_3-float16-0", "Bert_3 · fusible, float16, shapes 0"),
        ("bert_3-float16-1", "Bert_3 · fusible, float16, shapes 1"),
        ("bert_3-float32-0", "Bert_3 · fusible, float32, shapes 0"),
        ("task-bfloat16-2", "task · fusible, bfloat16, shapes 2"),
    ]
    assert do_import(tmp_path)[0] == counts(unchanged=4)


def test_nothing_is_executed(do_import, tmp_path):
    mark = tmp_path / "mark"
    evil = f"open({str(mark)!r}, 'w')\n"
    write_sample(tmp_path / "one", model=evil + MODEL)
    two = write_sample(tmp_path / "two")
    (two / "weight_meta.py").write_text(evil + META.format(shape=[1], dtype="float32"))
    do_import(tmp_path)
    assert not mark.exists()


def test_a_wrong_hash_is_a_warning_that_the_page_shows(do_import, tmp_path):
    folder = write_sample(tmp_path / "s")
    (folder / "graph_hash.txt").write_text("0" * 64)
    result, said = do_import(folder)
    assert result == counts(imported=1)
    assert "graph_hash.txt" in said
    (warning,) = Graph.objects.get().warnings
    assert warning.startswith("graph_hash.txt: ")  # the way to the folder is of no use to a reader


def test_a_graph_too_large_to_draw_is_listed_with_its_size(do_import, tmp_path, client, monkeypatch):
    monkeypatch.setattr("graphs.drawing.parse", _parse_with_a_small_limit)
    do_import(write_sample(tmp_path / "huge"))
    graph = Graph.objects.get()
    assert graph.layout is None and graph.problem.startswith("Too large to draw")
    answer = client.get("/api/tasks/huge/graphs/huge").json()
    assert answer["nodes"] == [] and answer["warnings"] == [graph.problem] and answer["source"] == MODEL


def _parse_with_a_small_limit(source: str, file: str):
    return parse(source, file, max_statements=1)


def test_a_graph_of_another_framework_is_shown_not_run(do_import, tmp_path):
    folder = write_sample(tmp_path / "p", model="import paddle\nclass GraphModule(paddle.nn.Layer):\n    pass\n")
    (folder / "graph_net.json").write_text('{"framework": "paddle"}')
    assert do_import(folder)[0] == counts(imported=1)
    assert "paddle" in Graph.objects.get().problem and "not run" in Task.objects.get().summary


def test_an_empty_folder_says_what_was_looked_for(do_import, tmp_path):
    result, said = do_import(tmp_path)
    assert result == counts(skipped=1)
    assert "graph_list.txt" in said


def test_a_path_that_is_not_there(do_import, tmp_path):
    with pytest.raises(CommandError, match="not a folder"):
        do_import(tmp_path / "nowhere")


def test_the_shipped_catalogue_loads_and_loads_again(db):
    out = io.StringIO()
    call_command("load_catalogue", stdout=out)
    assert "0 failed" in out.getvalue() and "0 skipped" in out.getvalue()
    assert Task.objects.filter(origin="shipped").count() >= 6
    assert all(2 <= task.graph_count <= 15 and task.summary for task in Task.objects.all())
    assert Task.objects.exclude(example_files=None).exists()
    again = io.StringIO()
    call_command("load_catalogue", stdout=again)
    assert again.getvalue().startswith("0 imported")


def test_a_shipped_task_that_changed_is_brought_up_to_date_in_its_place(db, tmp_path, settings):
    settings.CATALOGUE = tmp_path
    folder = write_task(tmp_path / "task", a={})
    (folder / "task.json").write_text('{"title": "Old", "summary": "s"}')
    call_command("load_catalogue", stdout=io.StringIO())
    first = Task.objects.get()
    (folder / "task.json").write_text('{"title": "New", "summary": "s"}')
    call_command("load_catalogue", stdout=io.StringIO())
    task = Task.objects.get()
    assert (task.pk, task.slug, task.title) == (first.pk, "task", "New")


@pytest.mark.cases
def test_tasks_from_elsewhere(do_import):
    cases = os.environ.get("PASSNET_CASES")
    if not cases:
        pytest.skip("PASSNET_CASES is not set")
    result, said = do_import(Path(cases) / "cases" / "tasks")
    assert (result["imported"], result["failed"], result["skipped"]) == (10, 0, 0), said
