"""Imports of whole trees: links, nesting, what is read again, large drawings, and the bytes that come back."""

import gzip
import io
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from sample_folders import META, MODEL, make_sample
from whole_graph import whole_graph

from graphs.api import _graph_bytes
from graphs.models import Content, Folder, Graph, Source, Task
from graphs.samples import Sample, read_sample

ROOT = Path(__file__).parents[2]


def run(command: str, *arguments: str) -> tuple[dict[str, int], str]:
    out, said = io.StringIO(), io.StringIO()
    extra = ("--jobs", "0") if command == "import_graphs" else ()
    call_command(command, *arguments, *extra, "--json", stdout=out, stderr=said)
    counts = json.loads(out.getvalue().splitlines()[-1])
    return {word: number for word, number in counts.items() if number}, said.getvalue()


def tree_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A task with everything that may lie in one, a sample below a sample, and three that share most of their files."""
    tree = tmp_path / "tree"
    task = tree / "tasks" / "0123"
    make_sample(task / "graphs" / "one", model_py=MODEL.replace("\n", "\r\n"), graph_hash_txt=None)
    make_sample(
        task / "graphs" / "two", weight_meta_py=META.replace("[2]", "[3]"), subgraph_sources_json='{"a": [[1, 2]]}'
    )
    (task / "graph_list.txt").write_bytes(b"graphs/one\r\n\r\ntwo")
    (task / "sample_uids.txt").write_text("0" * 32 + "," + "1" * 32)
    (task / "entry.sh").write_text("#!/bin/sh\n")
    (task / "pass_dir" / "deep").mkdir(parents=True)
    (task / "pass_dir" / "P.py").write_bytes(b"# caf\xe9\n")
    (task / "pass_dir" / "deep" / "score.txt").write_text("1.5")
    model = make_sample(tree / "library" / "model", weight_meta_py="\ufeff" + META.replace("\t", "    "))
    make_sample(model / "_decomposed" / "model_start1_end2_0")
    for number in range(3):
        make_sample(tree / "fusible" / "float16" / str(number) / "samples" / "s", notes_md="# mine\n")
    return tree


def test_what_is_exported_has_the_same_bytes_in_the_same_places(db, tree: Path, tmp_path: Path) -> None:
    assert run("import_graphs", str(tree))[0] == {"imported": 6}
    out = tmp_path / "out"
    assert run("export_graphs", str(out)) == ({"exported": 6}, "")
    assert tree_of(out) == tree_of(tree)
    assert run("export_graphs", str(out)) == ({"unchanged": 6}, "")
    assert run("import_graphs", str(out))[0] == {"unchanged": 6}
    (out / "library" / "model" / "model.py").write_text("mine")
    counts, said = run("export_graphs", str(out))
    assert counts == {"unchanged": 5, "failed": 1}
    assert f"{out}/library/model/model.py: is there already, with other content; it was left as it is" in said
    assert (out / "library" / "model" / "model.py").read_text() == "mine"


def test_one_task_is_exported(db, tree: Path, tmp_path: Path) -> None:
    run("import_graphs", str(tree))
    assert run("export_graphs", str(tmp_path / "out"), "--task", "0123")[0] == {"exported": 1}
    assert tree_of(tmp_path / "out" / "tasks") == tree_of(tree / "tasks")
    with pytest.raises(CommandError, match="no task named nothing"):
        run("export_graphs", str(tmp_path / "out"), "--task", "nothing")


def test_two_trees_with_another_folder_in_one_place_are_both_exported(db, tmp_path: Path) -> None:
    for name, shape in (("first", "[2]"), ("second", "[7]")):
        make_sample(tmp_path / name / "s", weight_meta_py=META.replace("[2]", shape))
        run("import_graphs", str(tmp_path / name))
    assert run("export_graphs", str(tmp_path / "out"))[0] == {"exported": 2}
    places = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert places[0] == "s" and places[1].startswith("s~")
    assert tree_of(tmp_path / "out" / "s") == tree_of(tmp_path / "second" / "s")
    assert tree_of(tmp_path / "out" / places[1]) == tree_of(tmp_path / "first" / "s")


def test_a_task_from_before_files_were_kept_says_so(db, tree: Path, tmp_path: Path) -> None:
    run("import_graphs", str(tree / "library" / "model" / "_decomposed"))
    Folder.objects.all().delete()
    counts, said = run("export_graphs", str(tmp_path / "out"))
    assert counts == {"skipped": 1} and said.startswith("model_start1_end2_0: was imported before its files were kept")
    assert run("import_graphs", str(tree / "library" / "model" / "_decomposed"))[0] == {"unchanged": 1}
    assert run("export_graphs", str(tmp_path / "out"))[0] == {"exported": 1}


def test_the_same_bytes_are_stored_once_and_compressed(db, tmp_path: Path) -> None:
    model = whole_graph(1)
    for number in range(4):
        make_sample(tmp_path / f"s{number}", model_py=model, weight_meta_py=META.replace("[2]", f"[{number}]"))
    run("import_graphs", str(tmp_path))
    (source,) = Source.objects.all()
    assert source.text == model and len(source.packed) < len(model) / 2
    # four weight_meta.py; one each of input_meta.py, graph_net.json and graph_hash.txt
    assert Content.objects.count() == 7 and Graph.objects.count() == 4
    assert len(source.canonical_hash) == 64


def test_what_is_stored_is_not_read_again_and_what_changed_is(db, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import_graphs", str(tree))
    changed = tree / "library" / "model" / "graph_net.json"
    changed.write_text('{"framework": "torch", "model_name": "changed"}')
    read: list[str] = []

    def reader(folder: Path) -> Sample:
        read.append(str(folder))
        return read_sample(folder)

    monkeypatch.setattr("graphs.folder_reading.read_sample", reader)
    assert run("import_graphs", str(tree))[0] == {"unchanged": 6}  # the graph is the same one
    assert read == [str(tree / "library" / "model")]


def test_no_link_is_followed_out_of_the_tree(db, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    make_sample(tmp_path / "outside" / "secret")
    make_sample(tree / "shared" / "s")
    (tree / "loop").symlink_to(tree)
    (tree / "out").symlink_to(tmp_path / "outside")
    (tree / "nowhere").symlink_to(tmp_path / "gone")
    linked = make_sample(tree / "linked", model_py=None)
    (linked / "model.py").symlink_to(tmp_path / "outside" / "secret" / "model.py")
    for name, target in (("good", "../../shared/s"), ("bad", "../../../outside/secret")):
        (tree / name / "graphs").mkdir(parents=True)
        (tree / name / "graphs" / "g").symlink_to(target)
        (tree / name / "graph_list.txt").write_text("graphs/g\n")
    counts, said = run("import_graphs", str(tree))
    assert counts == {"imported": 2, "failed": 2}
    assert f"{tree}/bad/graph_list.txt:1: 'graphs/g' is a link that leaves the tree" in said
    assert f"{tree}/linked/model.py: is a link that leaves its folder" in said
    assert sorted(Task.objects.values_list("slug", flat=True)) == ["good", "s"]
    # By itself the task is a tree of its own, and the link leaves it
    assert run("import_graphs", str(tree / "good"))[0] == {"failed": 1}


def test_a_large_graph_is_drawn_at_import_and_one_that_lacks_its_layout_when_looked_at(
    db, tmp_path: Path, client, settings
) -> None:
    settings.VAR = tmp_path / "var"  # drawings are kept there
    make_sample(tmp_path / "large", model_py=whole_graph(20))  # 560 nodes
    run("import_graphs", str(tmp_path / "large"))
    graph = Graph.objects.get()
    assert len(graph.layout["nodes"]) == 403 and not graph.layout_is_due and graph.node_count == 402
    (file,) = (tmp_path / "var" / "drawings").iterdir()
    answer = client.get("/api/tasks/large/graphs/large")
    assert len(answer.json()["nodes"]) == 403 and answer.json()["canonical_hash"] == graph.source.canonical_hash
    packed = client.get("/api/tasks/large/graphs/large", headers={"accept-encoding": "br, gzip"})
    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == answer.content

    # As imports of earlier versions left it, with no file: drawn when it is looked at, with its thumbnail.
    file.unlink()
    Graph.objects.update(layout=None, layout_is_due=True, thumbnail="")
    Task.objects.update(thumbnail="")
    _graph_bytes.cache_clear()
    assert client.get("/api/tasks/large/graphs/large").content == answer.content and file.exists()
    graph.refresh_from_db()
    assert len(graph.layout["nodes"]) == 403 and not graph.layout_is_due
    assert graph.thumbnail.startswith("<svg") and Task.objects.get().thumbnail == graph.thumbnail

    # Or before anybody looks: by a worker in its rounds, or by the command.
    Graph.objects.update(layout=None, layout_is_due=True, thumbnail="")
    said = io.StringIO()
    call_command("lay_out_graphs", stdout=said)
    call_command("lay_out_graphs", stdout=said)
    assert said.getvalue() == "1 graphs laid out\nevery graph is laid out\n"
    assert len(Graph.objects.get().layout["nodes"]) == 403


def test_names_that_are_not_text_are_shown_and_come_back(db, tmp_path: Path) -> None:
    folder = tmp_path / "tree" / "b\udcff\x1b[2J\n"
    make_sample(folder, weight_meta_py="x")
    counts, said = run("import_graphs", str(tmp_path / "tree"))
    assert counts == {"failed": 1} and "\x1b" not in said and len(said.splitlines()) == 1
    make_sample(folder)
    assert run("import_graphs", str(tmp_path / "tree"))[0] == {"imported": 1}
    run("export_graphs", str(tmp_path / "out"))
    assert tree_of(tmp_path / "out") == tree_of(tmp_path / "tree")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("arguments", "bar"), [((), True), (("--json",), False)])
def test_a_bar_on_a_terminal_only(db, tree: Path, arguments: tuple[str, ...], bar: bool) -> None:
    make_sample(tree / "bad", weight_meta_py="x")
    out, terminal = io.StringIO(), Terminal()
    call_command("import_graphs", str(tree), "--jobs", "0", *arguments, stdout=out, stderr=terminal)
    assert ("7/7" in terminal.getvalue()) is bar
    assert f"{tree}/bad/weight_meta.py:1: " in terminal.getvalue()
    assert "6" in out.getvalue().splitlines()[-1]


OLD_ROWS = """
INSERT INTO graphs_source (content_hash, text) VALUES ('h', 'def forward(self, x):
    return (x,)');
INSERT INTO graphs_graph (id, identity, name, source_id, sample, operators, dtypes, node_count, layout, thumbnail,
    warnings, problem, shapes, shapes_problem, created_at)
    VALUES (1, 'i', 'n', 'h', '{"name": "\\ud800"}', '[]', '[]', 0, NULL, '', '[]', '', NULL, '', '2026-01-01');
"""
SHOW = """
from graphs.models import Graph
graph = Graph.objects.select_related("source").get()
print(ascii([graph.source.text, graph.sample, graph.layout, graph.layout_is_due, graph.source.canonical_hash]))
"""


def test_rows_from_before_are_kept(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environment["PASSNET_VAR"] = str(tmp_path)

    def manage(*arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout

    manage("migrate", "graphs", "0001", "-v", "0")
    with sqlite3.connect(tmp_path / "passnet.sqlite3") as database:
        database.executescript(OLD_ROWS)
    manage("migrate", "graphs", "-v", "0")
    said = manage("shell", "-v", "0", "-c", SHOW).strip().splitlines()[-1]
    assert said == ascii(["def forward(self, x):\n    return (x,)", {"name": "\ud800"}, None, False, ""])
