"""Archives of captured subgraphs, as `make run` loads them in the background."""

import gzip
import io
import json
import os
import signal
import tarfile
import tempfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from graphs import importing
from graphs.models import Graph, LoadedArchive, Task
from submissions.models import Baseline
from tests.graphs_web.test_import import write_task


@pytest.fixture
def load(db, settings, tmp_path):
    settings.CAPTURED = tmp_path / "captured"
    settings.CAPTURED.mkdir()

    def run() -> str:
        """What it says; the error that it ends with, when there is one, comes last."""
        out = io.StringIO()
        try:
            call_command("load_captured", "--jobs", "0", stdout=out, stderr=out)
        except CommandError as error:
            out.write(f"CommandError: {error}")
        return out.getvalue()

    return run


def archive(path: Path, work: Path, name: str, **samples: dict) -> None:
    folder = write_task(work / name / name, **samples)
    about = {"title": f"relu → add · {name}", "summary": "From timm/resnet18", "families": ["convolutional networks"]}
    (folder / "task.json").write_text(json.dumps(about))
    with tarfile.open(path, "w:gz") as packed:
        packed.add(work / name, ".")


def figures(path: Path, *identities: str) -> None:
    line = {
        "graph": "x",
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
    text = "".join(json.dumps({**line, "identity": identity}) + "\n" for identity in identities)
    path.write_bytes(gzip.compress(text.encode()))


def test_an_archive_is_read_once_and_what_was_deleted_stays_deleted(load, settings, tmp_path):
    assert load() == "the captured catalogue is loaded already\n"  # nothing ships
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={}, y={"shape": [2, 3]})
    assert "1 imported, 0 unchanged, 0 skipped, 0 failed" in load()
    task = Task.objects.get()
    assert (task.slug, task.title, task.origin, task.graph_count) == ("one", "relu → add · one", "captured", 2)
    assert task.facets == {"family": ["convolutional networks"]} and "convolutional" in task.search_text
    assert load() == "the captured catalogue is loaded already\n"
    task.delete()
    archive(settings.CAPTURED / "b-1.tar.gz", tmp_path, "two", z={})
    assert "1 imported" in load()
    assert [task.slug for task in Task.objects.all()] == ["two"]


def test_a_broken_archive_is_named_and_the_others_are_loaded(load, settings, tmp_path):
    (settings.CAPTURED / "a-1.tar.gz").write_bytes(b"no archive")
    assert "a-1.tar.gz: is neither a zip nor a tar" in load()
    archive(settings.CAPTURED / "b-1.tar.gz", tmp_path, "one", x={})
    said = load()
    assert "a-1.tar.gz: is neither a zip nor a tar" in said and "1 imported, 0 unchanged, 0 skipped, 1 failed" in said
    assert "CommandError: Tasks and archives that can not be read: 1;" in said
    assert list(LoadedArchive.objects.values_list("name", flat=True)) == ["b-1.tar.gz"]
    # Figures of what is in the broken one would be lost: they wait for it.
    figures(settings.CAPTURED / "h200.jsonl.gz", Graph.objects.get().identity)
    assert "can not be read: 1;" in load() and not Baseline.objects.exists()
    (settings.CAPTURED / "a-1.tar.gz").unlink()
    assert load().startswith("1 figures of it") and Baseline.objects.count() == 1


def test_one_that_is_stopped_leaves_no_files_behind_and_is_done_the_next_time(load, settings, tmp_path, monkeypatch):
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={})
    figures(settings.CAPTURED / "h200.jsonl.gz", "0" * 64)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # where nobody listens, the test fails and goes on
    try:
        with monkeypatch.context() as patch:
            patch.setattr(importing, "do_store_folders", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
            assert load().endswith("CommandError: Interrupted; run it again: what is stored stays.")
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not list((tmp_path / "temporary").iterdir())
    assert not LoadedArchive.objects.exists()
    assert "1 imported" in load()
    assert {one.name for one in LoadedArchive.objects.all()} == {"a-1.tar.gz", "h200.jsonl.gz"}


def test_figures_are_loaded_once_for_the_graphs_that_are_here(load, settings, tmp_path):
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={})
    load()
    figures(settings.CAPTURED / "h200.jsonl.gz", Graph.objects.get().identity, "0" * 64)
    said = load()
    assert "1 figures of it" in said and "h200.jsonl.gz: 1 lines are of graphs that are not here" in said
    row = Baseline.objects.get()
    assert (row.graph.name, row.device, row.method, row.ratio, row.origin) == ("x", "cuda:H200", "kernel", 1.5, "h200")
    assert load() == "the captured catalogue is loaded already\n"


def test_figures_that_are_cut_off_are_named_with_what_to_do_and_loaded_once_they_are_whole(load, settings, tmp_path):
    archive(settings.CAPTURED / "a-1.tar.gz", tmp_path, "one", x={})
    path = settings.CAPTURED / "h200.jsonl.gz"
    figures(path, *(f"{number:064x}" for number in range(50)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    said = load()
    assert "h200.jsonl.gz: is cut off or damaged: put the file back as it was shipped" in said
    assert "CommandError: The captured catalogue can not be read" in said and not Baseline.objects.exists()
    figures(path, Graph.objects.get().identity)
    assert load().startswith("1 figures of it")
    row = Baseline.objects.get()
    assert (row.compared, row.first_t) == (True, -99)
