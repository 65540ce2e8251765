"""Reading a profiler trace, on a small trace written by hand in Chrome's format."""

from evaluator.measure.kernels import CALL, Kernel, device_time, diff, kernels_in_trace, launches


def kernel(name, ts, dur, correlation, **extra):
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "ts": ts,
        "dur": dur,
        "args": {"correlation": correlation, **extra},
    }


def launch(ts, correlation, name="cudaLaunchKernel", cat="cuda_runtime"):
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": 1, "tid": 7, "args": {"correlation": correlation}}


def node(name, ts, dur):
    return {"ph": "X", "cat": "user_annotation", "name": f"node:{name}", "ts": ts, "dur": dur, "tid": 7}


GEOMETRY = {"grid": [8, 1, 1], "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0}

TRACE = {
    "traceEvents": [
        {"ph": "M", "name": "process_name"},
        node("tmp_0", 0, 10), launch(2, 1), node("tmp_1", 20, 10), launch(22, 2, "cuLaunchKernelEx", "cuda_driver"),
        node("tmp_0", 100, 10), launch(102, 3), node("tmp_1", 120, 10), launch(122, 4),
        launch(200, 5, "cudaMemcpyAsync"),
        kernel("mul", 50, 2.0, 1, **GEOMETRY),
        kernel("sum", 53, 5.0, 2), kernel("mul", 150, 4.0, 3), kernel("sum", 155, 5.0, 4),
        {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "ts": 210, "dur": 1.0, "args": {"correlation": 5}},
    ]
}  # fmt: skip


def test_counts_durations_geometry_and_nodes():
    mul, total, copy = kernels_in_trace(TRACE, repeats=2)
    assert mul == Kernel("mul", 1, 3.0, "kernel", (8, 1, 1), (128, 1, 1), 32, 0, ("tmp_0",))
    assert (total.name, total.count, total.nodes) == ("sum", 1, ("tmp_1",))
    assert copy.kind == "memcpy"


def test_copies_are_not_launches_but_are_device_time():
    kernels = kernels_in_trace(TRACE, repeats=2)
    assert launches(kernels) == 2
    assert device_time(kernels) == 3.0 + 5.0 + 1.0


def test_diff_by_name():
    before = [Kernel("mul", 2, 1.0, "kernel"), Kernel("sum", 1, 1.0, "kernel")]
    after = [Kernel("mul", 1, 1.0, "kernel"), Kernel("fused", 1, 1.0, "kernel")]
    result = diff(before, after)
    assert (result.removed, result.kept, result.new) == (("sum",), ("mul",), ("fused",))


def test_only_what_the_call_launches_counts():
    call = {"ph": "X", "cat": "user_annotation", "name": CALL, "ts": 15, "dur": 30, "tid": 7}
    (only,) = kernels_in_trace({"traceEvents": [*TRACE["traceEvents"], call]}, repeats=1)
    assert (only.name, only.count) == ("sum", 1)
