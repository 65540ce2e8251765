"""Archives of captured subgraphs, as `make run` loads them in the background."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from graphs.models import Graph, Task
from submissions.models import Baseline
from tests.graphs_web.test_import import write_task


@pytest.fixture
def load(db, settings, tmp_path):
    settings.CAPTURED = tmp_path / "captured"
    settings.CAPTURED.mkdir()

    def run() -> str:
        out = io.StringIO()
        call_command("load_captured", "--jobs", "0", stdout=out, stderr=out)
        return out.getvalue()

    return run


def archive(path: Path, work: Path, name: str, **samples: dict) -> None:
    folder = write_task(work / name / name, **samples)
    (folder / "task.json").write_text(json.dumps({"title": f"relu → add · {name}", "summary": "From timm/resnet18"}))
    with tarfile.open(path, "w:gz") as packed:
        packed.add(work / name, ".")


def test_an_archive_is_read_once_and_what_was_deleted_stays_deleted(load, settings, tmp_path):
    assert load() == "the captured catalogue is loaded already\n"  # nothing ships
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={}, y={"shape": [2, 3]})
    assert "1 imported, 0 unchanged, 0 skipped, 0 failed" in load()
    task = Task.objects.get()
    assert (task.slug, task.title, task.origin, task.graph_count) == ("one", "relu → add · one", "captured", 2)
    assert load() == "the captured catalogue is loaded already\n"
    task.delete()
    archive(settings.CAPTURED / "b-1.tar.gz", tmp_path, "two", z={})
    assert "1 imported" in load()
    assert [task.slug for task in Task.objects.all()] == ["two"]


def test_a_broken_archive_is_named_and_nothing_is_half_done(load, settings, tmp_path):
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={})
    (settings.CAPTURED / "b-1.tar.gz").write_bytes(b"no archive")
    with pytest.raises(CommandError, match=r"b-1\.tar\.gz.*is neither a zip nor a tar"):
        load()
    assert not Graph.objects.exists()
    (settings.CAPTURED / "b-1.tar.gz").unlink()
    assert "1 imported" in load()


def test_figures_are_loaded_once_for_the_graphs_that_are_here(load, settings, tmp_path):
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={})
    load()
    line = {
        "graph": "x",
        "identity": Graph.objects.get().identity,
        "device": "cuda:H200",
        "processor": "NVIDIA H200",
        "versions": {"torch": "2.11.0"},
        "method": "kernel",
        "eager_us": 30.0,
        "inductor_us": 20.0,
        "ratio": {"value": 1.5, "low": 1.4, "high": 1.6},
        "word": "faster",
        "inductor_kernels": 1,
        "eager_kernels": 2,
        "first_t": -99,
    }
    elsewhere = {**line, "identity": "0" * 64}
    text = "".join(json.dumps(one) + "\n" for one in (line, elsewhere))
    (settings.CAPTURED / "h200.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    said = load()
    assert "1 figures of it" in said and "h200.jsonl.gz: 1 lines are of graphs that are not here" in said
    row = Baseline.objects.get()
    assert (row.graph.name, row.device, row.method, row.ratio, row.origin) == ("x", "cuda:H200", "kernel", 1.5, "h200")
    assert load() == "the captured catalogue is loaded already\n"
