"""Matching while typing: a real daemon with its match lane, honest patterns and hostile ones."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from matching import MatchClient
from serving import SERVE, RunningDaemon
from small import MODEL, files, job, only, words

OTHER = MODEL.replace("torch.nn.functional.relu(tmp_0)", "torch.nn.functional.gelu(tmp_0)")
TWICE = MODEL.replace(
    "return (tmp_1,)", "tmp_2 = tmp_1 + in_1\n        tmp_3 = torch.nn.functional.relu(tmp_2)\n        return (tmp_3,)"
)
GRAPHS = {"one": MODEL, "same": MODEL, "other": OTHER, "twice": TWICE}


@pytest.fixture(scope="module")
def lane() -> Iterator[RunningDaemon]:
    """A daemon that also matches; `match_socket` is where."""
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        running = RunningDaemon(
            Path(folder) / "d.sock", ("-m", "evaluator", "serve", "--match-socket", f"{folder}/m.sock", *SERVE[3:])
        )
        running.match_socket = Path(folder) / "m.sock"
        try:
            running.wait_until("ready")
            wait_for(running.match_socket.exists)
            running.idle = running.processes()
            yield running
        finally:
            assert running.stop() == 0
            assert not running.match_socket.exists()


@pytest.fixture
def client(lane: RunningDaemon) -> Iterator[MatchClient]:
    made = MatchClient(lane.match_socket, GRAPHS)
    yield made
    made.close()


def wait_for(holds, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def by_graph(said: list[dict]) -> dict[str, dict]:
    return {one["graph"]: one for one in said if one["say"] == "graph"}


def test_a_pattern_matches_before_there_is_anything_to_put_in_its_place(client):
    alone = files()["Fuse.py"].partition("def replacement_args")[0]
    assert "def pattern" in alone
    found = by_graph(client.match({**files(), "Fuse.py": alone}, "one"))
    assert found["one"]["matches"] == 1
    assert found["one"]["notes"] == ["Fuse has no `replacement_args` yet.", "Fuse has no `replacement_func` yet."]


def test_the_graph_in_view_comes_first_and_each_is_answered_once(client):
    assert client.greeting["say"] == "ready"
    said = client.match(files(), "twice")
    assert [one["say"] for one in said] == ["graph"] * 4 + ["done"]
    assert said[0]["graph"] == "twice" and said[0]["nodes"] == [["tmp_0", "tmp_1"], ["tmp_2", "tmp_3"]]
    found = by_graph(said)
    assert {name: one["matches"] for name, one in found.items()} == {"one": 1, "same": 1, "other": 0, "twice": 2}
    assert found["one"]["nodes"] == [["tmp_0", "tmp_1"]] and found["one"]["per_pass"] == {"Fuse": 1}
    text = files()["Fuse.py"].split("\n")
    for lines in (*found["one"]["lines"], *found["twice"]["lines"]):
        assert {text[line - 1].split()[0] for line in lines.values()} == {"tmp_0", "tmp_1"}
    (miss,) = found["other"]["near_misses"]
    assert (miss["graph_node"], miss["pattern_node"]) == ("tmp_1", "tmp_1")
    (fix,) = miss["fixes"]
    assert fix["kind"] == "form" and fix["edits"][0]["text"] == "torch.nn.functional.gelu(tmp_0)"
    assert files()["Fuse.py"].split("\n")[fix["edits"][0]["line"] - 1] == "    tmp_1 = torch.nn.functional.relu(tmp_0)"


def test_what_is_wrong_with_the_files_is_said_with_its_place(client):
    broken = {**files(), "Fuse.py": "import torch\ndef pattern(x:\n"}
    (said,) = client.match(broken, "one")
    assert said["say"] == "failed" and said["message"].startswith("Fuse.py:2: is not valid Python")
    decides = files(top="def pattern(x):\n    return x if x else -x\n").copy()
    decides["Fuse.py"] = decides["Fuse.py"].replace("def pattern(in_0, in_1):", "def unused(in_0, in_1):")
    (said,) = client.match(decides, "one")
    assert said["kind"] == "pattern" and "decides by the value of a tensor" in said["message"]


@pytest.mark.parametrize(
    ("top", "words_of_it"),
    [
        ("while True: pass", ("processor time", "took too long")),
        ("import time; time.sleep(1000)", ("took too long",)),
        (
            "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
            ("processor time", "took too long", "more processes"),
        ),
        (
            "held = [bytearray(1 << 26) for _ in range(1000)]",
            ("MemoryError", "MiB that", "processor time", "took too long"),
        ),
        ("import os; os._exit(3)", ("exit status 3",)),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", ("SIGSEGV",)),
    ],
    ids=["endless", "asleep", "fork bomb", "memory", "exit", "crash"],
)
def test_a_hostile_text_ends_in_bounded_time_and_the_next_one_is_matched(client, top, words_of_it):
    (said,) = client.match(files(top=top), "one")
    assert said["say"] == "failed" and any(part in said["message"] for part in words_of_it), said
    assert by_graph(client.match(files(), "one"))["one"]["matches"] == 1


LIES = """
import gc, json, socket
for one in gc.get_objects():
    if isinstance(one, socket.socket):
        try:
            one.sendall({said!r})
        except OSError:
            pass  # of another process
"""


@pytest.mark.parametrize(
    "said",
    [b'{"say": "graph", "graph": 99}\n', b"no json\n", b'{"say": "graph", "graph": 0, "matches": "many"}\n', b"[1]\n"],
)
def test_a_text_that_answers_in_the_matcher_s_place_is_believed_only_what_can_be_true(client, said):
    (answer,) = client.match(files(top=LIES.format(said=said)), "one")
    assert answer["say"] == "failed" and "an answer that is none" in answer["message"]


def test_a_newer_text_ends_the_older_one(client):
    older = client.ask(files(top="import time; time.sleep(1000)"), "one")
    newer = client.ask(files(), "one")
    said = list(client.answers())
    assert {one["version"] for one in said} == {newer} and newer != older
    assert by_graph(said)["one"]["matches"] == 1


def test_two_pages_of_a_user_take_turns(lane, client):
    other = MatchClient(lane.match_socket, GRAPHS)
    client.ask(files(top="while True: pass"), "one")
    said = other.match(files(), "one")  # has its turn when the first has been stopped
    assert by_graph(said)["one"]["matches"] == 1
    assert [one["say"] for one in client.answers()] == ["failed"]
    other.close()


def test_nothing_stays_when_the_client_goes(lane):
    wait_for(lambda: lane.processes() == lane.idle)
    leaving = MatchClient(lane.match_socket, GRAPHS)
    leaving.ask(files(top="import time; time.sleep(1000)"), "one")
    wait_for(lambda: lane.processes() > lane.idle)
    leaving.close()
    wait_for(lambda: lane.processes() == lane.idle)


def test_a_run_and_a_match_do_not_wait_for_each_other(lane, client):
    assert by_graph(client.match(files(), "one"))["one"]["matches"] == 1
    assert words(only(lane.judge(job()))) == ("correct", None)
    assert by_graph(client.match(files(), "one"))["one"]["matches"] == 1


@pytest.mark.parametrize(
    "message", [{"op": "match"}, {"op": "nonsense"}, {"op": "match", "version": 1, "files": {}, "first": "none"}]
)
def test_a_request_that_can_not_be_read_is_refused(client, message):
    client.send(**message)
    assert client.read()["say"] == "refused"


def test_a_lane_that_dies_is_started_again(lane):
    os.kill(listening(lane), signal.SIGKILL)

    def answers() -> bool:
        try:
            client = MatchClient(lane.match_socket, GRAPHS)
        except OSError:
            return False
        found = by_graph(client.match(files(), "one"))
        client.close()
        return found["one"]["matches"] == 1

    wait_for(answers)


def listening(lane: RunningDaemon) -> int:
    """The process that holds the match socket."""
    for line in Path("/proc/net/unix").read_text().splitlines():
        if line.endswith(str(lane.match_socket)):
            inode = f"socket:[{line.split()[6]}]"
            for pid in lane.idle:  # not a fork of it that is about to close what it inherited
                if inode in {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}:
                    return pid
    raise AssertionError("nobody listens")
