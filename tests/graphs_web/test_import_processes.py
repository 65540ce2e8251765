"""Imports read by several processes: one that dies, one that never ends, and a person who breaks the import off."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from sample_folders import make_sample
from whole_graph import long_file

from graphs.folder_reading import ReadFolder, Reading
from graphs.reading_pool import read_all
from graphs.tree import Found, find_folders

ROOT = Path(__file__).parents[2]
SMALL = 205  # folders: a little more than a batch
SLOW = long_file(45_000)  # below the limit, and seconds of work on any machine


def wait_until(happened, what: str) -> None:
    end = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.02)


def reader_at_work() -> psutil.Process:
    """The process that reads, once it has started up and is in the middle of something."""
    here = psutil.Process()

    def working() -> list[psutil.Process]:
        found = []
        for process in here.children(recursive=True):
            try:
                used = process.cpu_times().user
                if "spawn_main" in " ".join(process.cmdline()) and used > started.setdefault(process.pid, used) + 2:
                    found.append(process)
            except psutil.NoSuchProcess:  # or dead and not yet buried
                pass
        return found

    started: dict[int, float] = {}
    wait_until(working, "a process reads")
    return working()[0]


def test_a_reader_that_dies_and_one_that_hangs_cost_their_folders_only(tmp_path: Path) -> None:
    for name in ("a_dies", "b_hangs"):
        make_sample(tmp_path / name, model_py=SLOW)
    for name in ("c", "d"):
        make_sample(tmp_path / name)

    def places() -> Iterator[Found]:
        for place in find_folders(tmp_path, print):
            if place.relative == "b_hangs":  # a_dies is on its way
                reader_at_work().send_signal(signal.SIGKILL)
            if place.relative == "c":
                reader_at_work().send_signal(signal.SIGSTOP)
            yield place

    with read_all(places(), Reading(tmp_path, "imported"), jobs=1, seconds=30) as read:
        folders: list[ReadFolder] = list(read)
    assert [(folder.path, folder.failed) for folder in folders] == [
        ("a_dies", True),
        ("b_hangs", True),
        ("c", False),
        ("d", False),
    ]
    assert folders[0].said == [
        f"{tmp_path}/a_dies: could not be read: the process that read it died (signal 9), perhaps for want of memory"
    ]
    assert folders[1].said == [
        f"{tmp_path}/b_hangs: is not read after 30 s, and was left out; --seconds gives it longer"
    ]


def test_an_import_that_is_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    tree, var = tmp_path / "tree", tmp_path / "var"
    for number in range(SMALL):  # the first batch, stored while the slow ones are read
        make_sample(tree / f"a{number}")
    for number in range(8):
        make_sample(tree / f"b{number}", model_py=SLOW.replace("relu", f"relu{number}"))
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environment["PASSNET_VAR"] = str(var)
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "-v", "0"], cwd=ROOT, env=environment, check=True)
    command = [*manage, "import_graphs", str(tree), "--json", "--jobs", "2"]

    def stored() -> int:
        with sqlite3.connect(var / "passnet.sqlite3", timeout=60) as database:
            return int(database.execute("SELECT count(*) FROM graphs_task").fetchone()[0])

    process = psutil.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(stored, "something is stored")
    readers = process.children(recursive=True)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=120)
    assert process.returncode == 130
    counts = json.loads(out.splitlines()[-1])
    assert counts["imported"] == stored() > 0 and counts["failed"] == 0
    assert (
        f"Stopped after {stored()} of the {SMALL + 8} folders found so far." in said
        and "Run the same command again" in said
    )
    assert readers and psutil.wait_procs(readers, timeout=60)[1] == []

    for number in range(8):
        (tree / f"b{number}" / "model.py").unlink()
    again = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    rest = json.loads(again.stdout.splitlines()[-1])
    assert rest["unchanged"] == min(counts["imported"], SMALL)
    assert rest["imported"] + rest["unchanged"] == SMALL
