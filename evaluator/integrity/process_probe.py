"""What must be in this process after a call as it was before: clocks, operators, threads, child processes, streams."""

import builtins
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import is_
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import torch
import triton
import triton.knobs
import triton.runtime.autotuner
import triton.runtime.jit
import triton.testing
from torch.nn.modules import module as torch_module
from torch.utils import _pytree

from evaluator.events import Finding
from evaluator.integrity.probes import found
from evaluator.verdicts import FindingClass, Severity

_CLOCKS: tuple[tuple[Any, str], ...] = (
    *((time, name) for name in ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns")),
    (time, "process_time"), (time, "process_time_ns"), (time, "thread_time"), (time, "sleep"),
    (torch.cuda, "Event"), (torch.cuda, "synchronize"), (torch.cuda, "Stream"), (torch.cuda, "current_stream"),
    *((torch.cuda.Event, name) for name in ("record", "elapsed_time", "synchronize", "query", "wait")),
    *((torch, name) for name in ("allclose", "equal", "isclose")),
    (torch.testing, "assert_close"),
)  # fmt: skip
_OPERATOR_HOMES: tuple[Any, ...] = (
    torch, torch.nn.functional, torch.Tensor, torch._C.TensorBase, torch._C._nn, torch.special, torch.linalg, torch.fft,
    torch.nn.Module, torch.functional, torch.overrides, torch.utils._python_dispatch, torch.cuda,
)  # fmt: skip
# Not `triton.language`: its interpreter replaces that itself, and nobody but the submission's own kernels uses it.
_TRITON_HOMES: tuple[Any, ...] = (
    triton, triton.runtime.jit.JITFunction, triton.runtime.autotuner.Autotuner, triton.runtime.autotuner.Heuristics,
    triton.testing,
)  # fmt: skip
_MODULES = (torch, torch.nn.functional, torch.cuda, torch.linalg, time, builtins, sys)
_MODULE_HOOKS = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks")


_LAUNCH_HOOKS = (
    "launch_enter_hook", "launch_exit_hook", "kernel_load_start_hook", "kernel_load_end_hook", "kernel_unload_hook",
    "jit_cache_hook", "jit_post_compile_hook", "add_stages_inspection_hook",
)  # fmt: skip
_DRIVER = "triton.runtime.driver.active"  # kernels are launched by it, on the stream that it names
_PTXAS = "triton.knobs.nvidia.disable_ptxas_opt"
_PERHAPS = frozenset({_PTXAS, "torch.get_float32_matmul_precision()", "torch.backends.cuda.matmul.allow_tf32"})


class _Namespaces:
    """Whether all of it is as it was, in a millisecond: asked after every call, and almost always yes."""

    def __init__(self, functions: list[FunctionType]) -> None:
        homes = {id(home): home for home in (*_OPERATOR_HOMES, *_TRITON_HOMES, *_MODULES, *(one for one, _ in _CLOCKS))}
        classes = [cls for home in homes.values() for cls in (home.__mro__ if isinstance(home, type) else (home,))]
        spaces = [vars(cls) for cls in {id(one): one for one in classes}.values()]
        self._values = [(names, list(names.values())) for names in spaces]  # one that is replaced keeps its place
        self._functions = [(one, one.__code__, one.__defaults__, one.__kwdefaults__) for one in functions]
        self._types = [(module, type(module)) for module in _MODULES]
        self._flags = _flags()

    def unchanged(self) -> bool:
        return (
            all(len(now) == len(old) and all(map(is_, old, now.values())) for now, old in self._values)
            and all(
                one.__code__ is code and one.__defaults__ is defaults and one.__kwdefaults__ is keywords
                for one, code, defaults, keywords in self._functions
            )
            and all(type(module) is cls for module, cls in self._types)
            and not _changed(self._flags, _flags())
        )


@dataclass(frozen=True)
class Primitives:
    """Functions as they were before the submission was loaded. Holds them, so that no address is used again."""

    clocks: dict[str, Any]
    operators: dict[str, Any]
    triton: dict[str, Any]
    insides: dict[str, Any]  # what Python functions are made of, and the classes of modules
    builtins: dict[str, Any]
    flags: dict[str, Any]
    all_of_it: list[_Namespaces]  # one: as it was when it was last found to be in order


_ahead: list[Primitives] = []


def capture_ahead() -> None:
    """Capture in a process that has time, before there is a submission: forks hold the very same objects."""
    _ahead[:] = [_capture()]


def capture_primitives() -> Primitives:
    """Take this before the first file of the submission is imported."""
    if _ahead and _ahead[0].all_of_it[0].unchanged():
        return replace(_ahead[0], all_of_it=list(_ahead[0].all_of_it))
    return _capture()


def _capture() -> Primitives:
    clocks = {_name(owner, name): getattr(owner, name) for owner, name in _CLOCKS if hasattr(owner, name)}
    operators, kernels = _callables(_OPERATOR_HOMES), _callables(_TRITON_HOMES)
    insides = {
        f"{name}.{part}": getattr(thing, part)
        for known in (clocks, operators, kernels)
        for name, thing in known.items()
        if isinstance(thing, FunctionType)
        for part in ("__code__", "__defaults__", "__kwdefaults__")
    }
    insides |= {f"{module.__name__}.__class__": type(module) for module in _MODULES}
    functions = [thing for known in (clocks, operators, kernels) for thing in known.values()]
    all_of_it = _Namespaces([one for one in functions if isinstance(one, FunctionType)])
    return Primitives(clocks, operators, kernels, insides, dict(vars(builtins)), _flags(), [all_of_it])


def _callables(homes: tuple[Any, ...]) -> dict[str, Any]:
    return {
        _name(home, name): thing
        for home in homes
        for name, thing in _members(home).items()
        if callable(thing) and not isinstance(thing, ModuleType)
    }


def _members(home: Any) -> dict[str, Any]:
    """Names of a module, or of a class with those that it inherits: a new name on a class can hide an inherited one."""
    if not isinstance(home, type):
        return dict(vars(home))
    return {name: thing for cls in reversed(home.__mro__) for name, thing in vars(cls).items()}


def _name(owner: Any, name: str) -> str:
    home = owner.__name__ if not isinstance(owner, type) else f"{owner.__module__}.{owner.__qualname__}"
    return f"{home}.{name}"


def _flags() -> dict[str, Any]:
    """Settings that make everything in the process faster or slower."""
    return {
        "torch.get_num_threads()": torch.get_num_threads(),
        "torch.get_default_dtype()": torch.get_default_dtype(),
        "torch.are_deterministic_algorithms_enabled()": torch.are_deterministic_algorithms_enabled(),
        "torch.is_anomaly_enabled()": torch.is_anomaly_enabled(),
        "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision(),
        "torch.backends.cuda.matmul.allow_tf32": torch.backends.cuda.matmul.allow_tf32,
        "sys.gettrace()": sys.gettrace(),
        "sys.getprofile()": sys.getprofile(),
        "torch.backends.mkldnn.enabled": torch.backends.mkldnn.enabled,
        "torch.backends.cudnn.enabled": torch.backends.cudnn.enabled,
        "number of hooks on all torch modules": sum(len(getattr(torch_module, name)) for name in _MODULE_HOOKS),
        "number of container types of torch.utils._pytree": _container_types(),
        "number of functions that run at every launch": _launch_hooks(),
        _PTXAS: bool(getattr(getattr(triton.knobs, "nvidia", None), "disable_ptxas_opt", False)),
        _DRIVER: _driver(),
    }


def _launch_hooks() -> int:
    """Functions in `triton.knobs.runtime` that are called for every kernel; newer Tritons hold them in chains."""
    hooks: list[Any] = [getattr(triton.knobs.runtime, name, None) for name in _LAUNCH_HOOKS]
    in_chains = [len(one.calls) if type(one).__module__ == triton.knobs.__name__ else one is not None for one in hooks]
    return sum(map(int, in_chains))


def _driver() -> str:
    """Triton's own driver with torch's streams, which may not have been made yet, or the name of what it is."""
    active = vars(triton.runtime.driver).get("_active")
    stream = getattr(active, "get_current_stream", None)
    own = stream is None or stream is getattr(torch._C, "_cuda_getCurrentRawStream", None) or _is_own_of(stream, triton)
    if active is None or (own and type(active).__module__.startswith("triton.backends.")):
        return "Triton's own"
    return f"{type(active).__module__}.{type(active).__qualname__}" + ("" if own else ", with streams of its own")


def _container_types() -> int:
    """That of tensors counts: as a container, a tensor could be taken apart wherever outputs are flattened."""
    return len({tuple, list, dict} & set(_pytree.SUPPORTED_NODES)) - (torch.Tensor in _pytree.SUPPORTED_NODES)


def primitive_findings(before: Primitives) -> list[Finding]:
    """What is not as it was: clocks and builtins (monkeypatch), operators and settings (baseline_tampering, too)."""
    if before.all_of_it[0].unchanged():
        return []
    now = _capture()
    findings = _primitive_findings(before, now)
    if not findings:  # torch and Triton have put in parts of their own: the same state is in order next time
        before.all_of_it[:] = now.all_of_it
    return findings


def _primitive_findings(before: Primitives, now: Primitives) -> list[Finding]:
    findings: list[Finding] = []
    for name in _changed(before.clocks, now.clocks):
        findings.append(found(FindingClass.MONKEYPATCH, f"`{name}` was replaced"))
    for name in _changed(before.triton, now.triton):
        if not _is_own_of(now.triton.get(name), triton):
            findings.append(found(FindingClass.MONKEYPATCH, f"`{name}` was replaced"))
    for name in _changed(before.insides, now.insides):
        if name.rpartition(".")[0] in _kept(before, now):
            findings.append(found(FindingClass.MONKEYPATCH, f"`{name}` was replaced"))
            findings.append(found(FindingClass.BASELINE_TAMPERING, f"`{name}` was replaced, for the baseline too"))
    for name in _changed(before.builtins, now.builtins):
        findings.append(found(FindingClass.MONKEYPATCH, f"`builtins.{name}` was replaced"))
    for name in _changed(before.operators, now.operators):
        if name in before.clocks or _is_own_of(now.operators.get(name), torch):
            continue
        findings.append(found(FindingClass.MONKEYPATCH, f"`{name}` was replaced"))
        findings.append(found(FindingClass.BASELINE_TAMPERING, f"`{name}` was replaced, for the baseline too"))
    for name in _changed(before.flags, now.flags):
        words = f"`{name}` went from {before.flags[name]!r} to {now.flags[name]!r}"
        severity = Severity.SUSPICIOUS if name in _PERHAPS else Severity.VIOLATION
        cls = FindingClass.MONKEYPATCH if name == _DRIVER else FindingClass.BASELINE_TAMPERING
        findings.append(found(cls, words, severity))
    return findings


def _changed(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return sorted(name for name, thing in before.items() if name not in now or not _same(thing, now[name]))


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return isinstance(one, int | str | bool) and type(one) is type(other) and bool(one == other)


def _kept(before: Primitives, now: Primitives) -> frozenset[str]:
    """Functions and modules that are the very objects they were: what they are made of may not have changed."""
    pairs = ((before.clocks, now.clocks), (before.operators, now.operators), (before.triton, now.triton))
    same = {name for old, new in pairs for name, thing in old.items() if new.get(name) is thing}
    return frozenset(same | {module.__name__ for module in _MODULES})


def _is_own_of(thing: Any, package: ModuleType) -> bool:
    """torch itself wraps some of its functions when a part of it is first used."""
    if thing is None:
        return False
    code = getattr(getattr(thing, "__func__", thing), "__code__", None)
    return code is not None and code.co_filename.startswith(str(Path(str(package.__file__)).parent))


# Threads and child processes


def live_threads() -> frozenset[int]:
    """Identifiers of all Python threads, also of those that `threading` does not know."""
    return frozenset(sys._current_frames())


def thread_findings(before: frozenset[int], pass_dir: Path) -> list[Finding]:
    """Threads that run since; one that runs code of the submission is a violation."""
    findings: list[Finding] = []
    for identifier, frame in sys._current_frames().items():
        if identifier in before or identifier == threading.get_ident():
            continue
        place = _place_in(frame, pass_dir.resolve())
        name = next((thread.name for thread in threading.enumerate() if thread.ident == identifier), "a thread")
        severity = Severity.SUSPICIOUS if place is None else Severity.VIOLATION
        words = f"{name} is still running" + ("" if place is None else f" at {place}")
        findings.append(found(FindingClass.BACKGROUND_THREAD, words, severity))
    return findings


def _place_in(frame: FrameType | None, folder: Path) -> str | None:
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(folder):
            return f"{path.relative_to(folder).as_posix()}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def child_findings() -> list[Finding]:
    """Child processes of this one (Linux); the runner itself starts none while it works."""
    children: list[str] = []
    for task in Path("/proc/self/task").glob("*/children"):
        try:
            children += task.read_text().split()
        except OSError:
            continue
    return [found(FindingClass.SUBPROCESS, f"{len(children)} child processes are running")] if children else []


# Streams


def current_stream_findings() -> list[Finding]:
    """Whether the process works on another stream than it began with, once it uses CUDA at all."""
    if not torch.cuda.is_initialized() or torch.cuda.current_stream() == torch.cuda.default_stream():
        return []
    return [found(FindingClass.UNSYNCED_STREAM, "another stream was left as the current one")]


def allocator_state() -> tuple[int, int]:
    """How often CUDA's allocator gave memory back to the driver, and how often because there was none left."""
    stats = torch.cuda.memory_stats() if torch.cuda.is_initialized() else {}
    return int(stats.get("num_device_free", 0)) - sum(_freed_by_tuning), int(stats.get("num_alloc_retries", 0))


_freed_by_tuning: list[int] = []


def leave_tuning_out() -> None:
    """What Triton's tuner gives back is not counted: with `use_cuda_graph` it empties the cache before each capture."""
    bench = triton.runtime.autotuner.Autotuner._bench

    def counted(self: Any, *arguments: Any, **keywords: Any) -> Any:
        (before, _), known = allocator_state(), len(_freed_by_tuning)
        try:
            return bench(self, *arguments, **keywords)
        finally:
            if len(_freed_by_tuning) == known:  # not within another one
                _freed_by_tuning.append(allocator_state()[0] - before)

    triton.runtime.autotuner.Autotuner._bench = counted


def allocator_findings(before: tuple[int, int]) -> list[Finding]:
    """Cached memory that was given back without need: whoever allocates next waits for the driver."""
    (frees, retries), (freed, retried) = before, allocator_state()
    if freed == frees or retried > retries:
        return []
    words = "the allocator's memory was given back: the next to allocate is slower, the baseline included"
    return [found(FindingClass.BASELINE_TAMPERING, words, Severity.SUSPICIOUS)]


def baseline_findings(judge_seconds: float, runner_seconds: float, tolerance: float = 0.10) -> list[Finding]:
    """Eager timed in the runner against eager timed by the judge in its own clean process (medians, seconds)."""
    if judge_seconds <= 0 or runner_seconds <= judge_seconds * (1 + tolerance):
        return []
    words = f"eager takes {runner_seconds / judge_seconds:.2f} × as long beside the submission as in a clean process"
    return [found(FindingClass.BASELINE_TAMPERING, words, Severity.SUSPICIOUS)]


def watch_threads(pass_dir: Path) -> Callable[[], list[Finding]]:
    """Remember the threads now; the returned function tells what is running since."""
    before = live_threads()
    return lambda: thread_findings(before, pass_dir)
