"""The command line as a user types it: real processes, exit statuses and both kinds of output."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.job import Limits
from evaluator.run_command import read_samples
from graphs.samples import Sample, TensorMeta, write_sample

PROJECT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT)}

MODEL = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = tmp_0 * 2
        return (tmp_1,)
"""

PASS = """
import torch
import triton
import triton.language as tl


def pattern(in_0, in_1):
    return (in_0 + in_1) * 2


def replacement_args(in_0, in_1):
    return (in_0, in_1)


@triton.jit
def twice_sum_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + at, mask=at < n, other=0.0) + tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, total * 2, mask=at < n)


def twice_sum(in_0, in_1):
    out = torch.empty_like(in_0)
    n = in_0.numel()
    BODY
    twice_sum_kernel[(triton.cdiv(n, 64),)](in_0, in_1, out, n, BLOCK=64)
    return out


def replacement_func():
    return twice_sum
"""


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "task"
    for name, rows in (("small", 2), ("large", 5)):
        inputs = tuple(TensorMeta(f"in_{n}", (rows, 3), "float32", mean=0.0, std=1.0) for n in (0, 1))
        write_sample(Sample(name, MODEL, inputs, graph_net={"framework": "torch"}), folder / "graphs" / name)
    (folder / "graph_list.txt").write_text("graphs/small\ngraphs/large\n")
    return folder


@pytest.fixture
def submission(tmp_path):
    def make(body="pass"):
        folder = tmp_path / "pass_dir"
        folder.mkdir()
        (folder / "sorted_output_pass_rule_names.json").write_text('["TwiceSum"]')
        (folder / "TwiceSum.py").write_text(PASS.replace("BODY", body))
        return folder

    return make


def evaluator(*arguments, **more):
    command = [sys.executable, "-m", "evaluator", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=180, **more)


def test_events_and_a_last_line_that_is_the_result(task, submission):
    done = evaluator("run", task, submission("print('printed by the pass')"), "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [line["event"] for line in lines[:2]] == ["run_started", "static_check"]
    assert [line["event"] for line in lines[-2:]] == ["run_done", "result"]
    result = lines[-1]
    assert set(result) == {
        "event", "verdict", "graphs", "findings", "es_t", "aggregate_score", "profile", "device", "versions",
        "isolation",
    }  # fmt: skip
    assert result["verdict"] == "clean" and result["es_t"] is None and result["device"] == "cpu"
    assert list(result["graphs"]) == ["small", "large"]
    for graph in result["graphs"].values():
        assert (graph["status"], graph["matches"], graph["launches"]) == ("correct", 1, {"eager": 2, "candidate": 1})
    assert {line["stream"] for line in lines if line["event"] == "log"} == {"stdout"}


def test_a_table_for_people_without_colours_in_a_pipe(task, submission):
    done = evaluator("run", task, submission("print('printed by the pass')"))
    assert done.returncode == 0
    assert "● small  correct" in done.stdout and "correct on 2 of 2 graphs · clean" in done.stdout
    assert "\x1b" not in done.stdout
    assert "printed by the pass" in done.stderr and "printed by the pass" not in done.stdout


def test_any_verdict_is_exit_status_0_and_a_single_sample_a_task_of_one_graph(task, submission):
    done = evaluator("run", task / "graphs" / "small", submission("return torch.add(in_0, in_1)"), "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["verdict"] == "violation" and result["findings"]
    assert {name: graph["reason"] for name, graph in result["graphs"].items()} == {"small": "violation"}


def test_some_graphs_only_and_other_limits(task, submission):
    done = evaluator(
        "run", task, submission("while True: pass"), "--graphs", "large", "--limit", "call_seconds=1.5", "--json"
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert list(result["graphs"]) == ["large"]
    assert (result["graphs"]["large"]["status"], result["graphs"]["large"]["reason"]) == ("runtime_fail", "timeout")


def test_a_submission_that_is_too_large_is_rejected_not_refused(task, submission):
    folder = submission()
    (folder / "data.bin").write_bytes(b"x" * (5 << 20))
    done = evaluator("run", task, folder, "--json")
    result = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == 0 and result["graphs"]["small"]["reason"] == "bad_submission"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "COMMAND"),
        (["run"], "TASK_DIR"),
        (["run", "no/such/task", "PASSES"], "neither a task"),
        (["run", "TASK", "no/such/folder"], "is not a folder"),
        (["run", "TASK", "PASSES", "--device", "tpu"], "cpu or cuda"),
        (["run", "TASK", "PASSES", "--device", "cpu:0"], "cpu or cuda"),
        (["run", "TASK", "PASSES", "--graphs", "small,other"], "other"),
        (["run", "TASK", "PASSES", "--graphs", ","], "the task has"),
        (["run", "TASK", "PASSES", "--limit", "wishes=3"], "call_seconds"),
        (["run", "TASK", "PASSES", "--limit", "call_seconds=soon"], "no number"),
        (["run", "TASK", "PASSES", "--limit", "call_seconds=nan"], "above 0"),
        (["run", "TASK", "PASSES", "--limit", "memory_bytes=-1"], "above 0"),
        (["run", "TASK", "PASSES", "--profile", "fast"], "profile"),
        (["score", "no/such/file"], "no/such/file"),
        (["baseline", "TASK", "--device", "tpu"], "cpu or cuda"),
        (["baseline", "TASK", "--seconds", "nan"], "--seconds"),
        (["baseline", "TASK", "--threads", "0"], "--threads"),
        (["run-bundle", "no/such.zip", "--out", "x.jsonl"], "no/such.zip: No such file"),
    ],
)
def test_bad_arguments_are_exit_status_2(task, submission, arguments, said):
    places = {"TASK": task, "PASSES": submission()}
    done = evaluator(*[places.get(argument, argument) for argument in arguments])
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_an_unreadable_task_is_exit_status_2(task, submission):
    (task / "graphs" / "large" / "weight_meta.py").write_text("class (")
    done = evaluator("run", task, submission(), "--json")
    assert done.returncode == 2 and "weight_meta.py:1" in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    ("written", "instead", "said"),
    [
        ("shape = [", "shape = 'x' #[", 'shape = "x" is not a list of integers'),
        ("torch.float32", "torch.float33", 'dtype = "torch.float33" is not a dtype of torch'),
    ],
)
def test_a_wrong_description_is_exit_status_2(task, submission, written, instead, said):
    file = task / "graphs" / "large" / "weight_meta.py"
    text = file.read_text()
    file.write_text(text.replace(written, instead, 1))
    assert file.read_text() != text
    done = evaluator("run", task, submission())
    assert done.returncode == 2 and said in done.stderr and "large/weight_meta.py:" in done.stderr


def test_a_list_that_names_a_missing_graph_is_exit_status_2(task, submission):
    with (task / "graph_list.txt").open("a") as file:
        file.write("\ngone\n")
    done = evaluator("run", task, submission(), "--graphs", "small")
    assert done.returncode == 2 and "names 'gone'" in done.stderr and "graph_list.txt:" in done.stderr


def test_what_is_odd_about_a_task_is_said(task, capsys):
    (task / "graphs" / "small" / "graph_hash.txt").write_text("0" * 64)
    (task / "graphs" / "large" / "graph_net.json").unlink()
    with (task / "graph_list.txt").open("a") as file:
        file.write("\ngraphs/small\n")
    assert [sample.name for sample in read_samples(task, None)] == ["small", "large"]
    first, *others = capsys.readouterr().err.splitlines()
    assert "names 'graphs/small' again" in first and len(others) == 2
    assert "small/graph_hash.txt: says 000" in others[0] and "large/graph_net.json: is missing" in others[1]
    read_samples(task, "large")
    assert "graph_hash" not in capsys.readouterr().err


def test_a_missing_device_is_exit_status_3(task, submission):
    if Path("/dev/nvidiactl").exists():
        pytest.skip("there is a GPU here")
    done = evaluator("run", task, submission(), "--device", "cuda")
    assert done.returncode == 3 and "--device cpu" in done.stderr


def test_ctrl_c_ends_everything(task, submission):
    command = [sys.executable, "-m", "evaluator", "run", str(task), str(submission("while True: pass")), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["event"] == "rewritten":
            break
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2  # the judge and the runner
    os.kill(process.pid, signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(30) == 130 and "result" not in rest
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def test_a_reader_that_has_enough_ends_the_run(task, submission):
    command = [sys.executable, "-m", "evaluator", "run", str(task), str(submission()), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) in (0, 130) and "Traceback" not in process.stderr.read()


def test_scores_of_a_file(tmp_path):
    graphs = [{"status": "correct", "speedup": 2.0, "dtypes": ["float32"], "passes_from_t": [-99]}]
    file = tmp_path / "scores.json"
    file.write_text(json.dumps([{"p": 0, "b": 0.1, "subgraphs": graphs}]))
    done = evaluator("score", file)
    (score,) = json.loads(done.stdout)
    assert done.returncode == 0 and score["aggregate_score"] == pytest.approx(2.0) and score["es_t"]["-5"] == 2.0


def test_the_doctor_names_what_is_there():
    done = evaluator("doctor")
    assert done.returncode == 0 and "submissions can be judged here" in done.stdout
    for name in ("Python", "torch", "triton", "CUDA", "C++ compiler", "isolation"):
        assert name in done.stdout


def test_every_limit_can_be_set():
    help_text = evaluator("run", "--help").stdout
    assert all(name in "".join(help_text.split()) for name in vars(Limits()))
