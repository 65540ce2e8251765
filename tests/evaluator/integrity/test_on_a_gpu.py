"""The guards where kernels are compiled for a GPU. Run this file by itself: the interpreter must not be enabled."""

import importlib.util
import sys
from typing import Any

import pytest
import torch

from evaluator.engine import interpreter
from evaluator.events import Finding
from evaluator.integrity import import_guard, probes, process_probe
from evaluator.integrity.dispatch_guard import DispatchGuard, guarded
from evaluator.integrity.stream_watch import StreamWatch
from evaluator.integrity.taint import Ledger

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

KERNELS = """
import torch, triton
import triton.language as tl

@triton.jit
def double(x_ptr, o_ptr, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)

BLOCKS = [triton.Config({"block": 16}), triton.Config({"block": 32})]

@triton.autotune(configs=BLOCKS, key=["n"], reset_to_zero=["o_ptr"])
@triton.jit
def tuned(x_ptr, o_ptr, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)

def plain(x):
    out = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), block=16)
    return out

def autotuned(x):
    out = torch.empty_like(x)
    with torch.cuda.device(x.device):
        tuned[lambda meta: (triton.cdiv(x.numel(), meta["block"]),)](x, out, x.numel())
    return out

def table(x):
    order = (torch.arange(x.shape[0], device=x.device) * 3) % 7
    return plain(x), order

def work(x):
    return plain(x) + 1

def lazy(x):
    return torch.empty_like(x)

SIDE = []

def elsewhere(x, wait, join):
    out = torch.empty_like(x)
    if not SIDE:
        SIDE.append(torch.cuda.Stream())
    if wait:
        SIDE[0].wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(SIDE[0]):
        double[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), block=16)
    if join:
        torch.cuda.current_stream().wait_stream(SIDE[0])
    return out

def joined(x):
    return elsewhere(x, True, True)

def alone(x):
    return elsewhere(x, True, False)

def early(x):
    return elsewhere(x, False, True)

def by_events(x):
    out = torch.empty_like(x)
    if not SIDE:
        SIDE.append(torch.cuda.Stream())
    before, after = torch.cuda.Event(), torch.cuda.Event()
    before.record()
    SIDE[0].wait_event(before)
    with torch.cuda.stream(SIDE[0]):
        double[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), block=16)
        after.record()
    after.wait()
    return out

@torch.library.custom_op("gpu_test::work", mutates_args=())
def custom(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(plain(x))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if interpreter.is_enabled():
        pytest.skip("kernels are interpreted in this process")
    folder = tmp_path_factory.mktemp("gpu") / "pass_dir"
    folder.mkdir()
    path = folder / "Pass.py"
    path.write_text(KERNELS)
    found: list[Finding] = []
    guard = import_guard.install(folder, found.append)
    spec = importlib.util.spec_from_file_location("pass_dir.Pass", path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules["pass_dir.Pass"] = module
    spec.loader.exec_module(module)
    yield module, folder, found
    guard.uninstall()
    assert found == []


@pytest.mark.parametrize("name", ["plain", "autotuned", "table"])
def test_honest_launchers_are_clean(loaded: Any, name: str) -> None:
    module, folder, _ = loaded
    found: list[Finding] = []
    launcher = guarded(getattr(module, name), found.append, pass_dir=folder, ledger=Ledger())
    x = torch.randn(40, device="cuda")
    for _ in range(2):
        out = launcher(x)
        out = out[0] if isinstance(out, tuple) else out
        assert torch.equal(out, x * 2)
        assert probes.leftover_findings([out]) == []
    assert found == []


@pytest.mark.parametrize(("name", "op"), [("work", "aten.add"), ("custom", "aten.relu")])
def test_work_is_seen(loaded: Any, name: str, op: str) -> None:
    module, folder, _ = loaded
    x = torch.randn(40, device="cuda")
    with torch.no_grad(), DispatchGuard((x,), pass_dir=folder) as guard:
        getattr(module, name)(x)
    assert [call.op for call in guard.calls] == [op]
    assert guard.calls[0].file == "Pass.py"
    assert guard.launches == 1


def test_unwritten_output(loaded: Any) -> None:
    module, folder, _ = loaded
    x = torch.randn(40, device="cuda")
    with DispatchGuard((x,), pass_dir=folder):
        out = module.lazy(x)
    assert [one["class"] for one in probes.leftover_findings([out])] == ["leftover_memory"]
    expected = x * 3
    del out, expected
    probes.poison_free_memory([x.numel() * 4], device="cuda")
    assert probes.unwritten(module.lazy(x)) == 1.0


def test_inputs_and_primitives() -> None:
    before = process_probe.capture_primitives()
    x = torch.ones(8, device="cuda")
    marks = probes.fingerprint([x])
    x[0] = 2
    assert len(probes.input_findings(marks, probes.fingerprint([x]))) == 1
    assert process_probe.primitive_findings(before) == []
    assert process_probe.current_stream_findings() == []
    with torch.cuda.stream(torch.cuda.Stream()):
        assert [one["class"] for one in process_probe.current_stream_findings()] == ["unsynced_stream"]


@pytest.mark.parametrize(
    ("name", "severity"), [("joined", None), ("by_events", None), ("alone", "violation"), ("early", "suspicious")]
)
def test_streams_of_a_launcher(loaded: Any, name: str, severity: str | None) -> None:
    """Work on another stream is right where both wait. Only the second call can see that it began too early."""
    module, folder, _ = loaded
    found: list[Finding] = []
    streams = StreamWatch()
    launcher = guarded(getattr(module, name), found.append, pass_dir=folder, ledger=Ledger(), streams=streams)
    x = torch.randn(40, device="cuda")
    for _ in range(3):
        launcher(x)
        torch.cuda.synchronize()
    assert {(one["class"], one["severity"]) for one in found} <= {("unsynced_stream", severity)}
    assert bool(found) is (severity is not None)
