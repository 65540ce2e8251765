"""Small graphs and submissions, made from the few lines that a test is about."""

import textwrap

from evaluator.job import Job, Limits
from graphs.samples import Sample, TensorMeta

QUICK = Limits(
    import_seconds=10,
    call_seconds=10,
    run_seconds=60,
    memory_bytes=512 << 20,
    output_bytes=1 << 20,
    disk_bytes=64 << 20,
)

MODEL = """
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        tmp_0 = in_0 + in_1
        tmp_1 = torch.nn.functional.relu(tmp_0)
        return (tmp_1,)
"""

PASS = """
import torch
import triton
import triton.language as tl
{top}

def pattern(in_0, in_1):
    tmp_0 = in_0 + in_1
    tmp_1 = torch.nn.functional.relu(tmp_0)
    return tmp_1


def replacement_args(in_0, in_1):
    return (in_0, in_1)


@triton.jit
def add_relu_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    y = tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.maximum(x + y, 0.0), mask=at < n)


@torch.fx.wrap
def launcher(in_0, in_1):
    out = torch.empty_like(in_0)
    n = in_0.numel()
{body}
    add_relu_kernel[(triton.cdiv(n, 64),)](in_0, in_1, out, n, BLOCK=64)
    return out


def replacement_func():
    return launcher
"""


def meta(name: str, shape: tuple[int, ...], dtype: str = "float32") -> TensorMeta:
    return TensorMeta(name=name, shape=shape, dtype=dtype, device="cpu", mean=0.0, std=1.0)


def sample(name: str, rows: int = 4, source: str = MODEL, **graph_net) -> Sample:
    """A graph over two inputs of shape (rows, 8)."""
    return Sample(name, source, (meta("in_0", (rows, 8)), meta("in_1", (rows, 8))), graph_net=graph_net)


def files(body: str = "", top: str = "", **more: str) -> dict[str, str]:
    """A submission whose launcher first does `body`, and whose file does `top` when it is imported."""
    text = PASS.format(top=textwrap.dedent(top), body=textwrap.indent(textwrap.dedent(body), "    "))
    return {"sorted_output_pass_rule_names.json": '["Fuse"]', "Fuse.py": text, **more}


def job(
    body: str = "", top: str = "", *, graphs: tuple[Sample, ...] | None = None, limits: Limits = QUICK, **more: str
) -> Job:
    return Job(files(body, top, **more), graphs or (sample("one"),), limits=limits, run_id="test")


def results(events: list[dict]) -> dict[str, dict]:
    """Graph → its final word, checked to be the same in `graph_done` and in `run_done`."""
    assert events[-1]["event"] == "run_done", events[-1]
    done = {event["graph"]: event for event in events if event["event"] == "graph_done"}
    for name, result in events[-1]["graphs"].items():
        assert {key: done[name][key] for key in result} == result
    return events[-1]["graphs"]


def only(events: list[dict]) -> dict:
    """The result of the only graph."""
    (result,) = results(events).values()
    return result


def words(result: dict) -> tuple[str, str | None]:
    return result["status"], result["reason"]


def printed(events: list[dict], stream: str = "stdout") -> str:
    return "".join(e["text"] for e in events if e["event"] == "log" and e["stream"] == stream)
