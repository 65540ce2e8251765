"""What watches a submission from within its own process: the guards and probes of `evaluator.integrity`, in order.

The runner calls this at fixed points: before the first file is imported, after the last, and around every call.
A finding is sent to the judge as soon as it is made, so that it survives whatever the submission does next. Calls
that are timed have nothing of it around them.
"""

import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.fx import GraphModule

from evaluator.engine.blame import relative
from evaluator.engine.submission_files import BadSubmission, read_order
from evaluator.events import Finding
from evaluator.integrity import import_guard, probes, process_probe, state_probe
from evaluator.integrity.stream_watch import StreamWatch
from evaluator.integrity.taint import Ledger
from evaluator.integrity.watched_module import in_place_passes, watched
from evaluator.job import Job
from evaluator.runner.devices import torch_device
from evaluator.runner.protocol import Channel, Message
from evaluator.verdicts import Severity

_MOST_FINDINGS = 200  # of one process
_MOST_POISONED_BYTES = 8 << 20  # of one value: several copies of it are filled
_MOST_HELD_BYTES = 64 << 20  # of the outputs of the last call, and of its inputs


@dataclass
class Call:
    """One call that is being watched. `outputs` are set by the runner when the call has returned."""

    written: frozenset[int]  # inputs that the graph itself writes into
    aliases: frozenset[tuple[int, int]]  # (output, input) that share memory in the reference, too
    outputs: Sequence[Any] = ()

    @staticmethod
    def asked_for(request: Message) -> "Call":
        return Call(frozenset(request["written"]), frozenset((left, right) for left, right in request["aliases"]))


class Guards:
    """The guards of one runner process. `send` is called with each new finding."""

    def __init__(self, job: Job, pass_dir: Path, send: Callable[[Finding], None]) -> None:
        self._on_cpu = job.device == "cpu"
        self._device = torch_device(job.device)
        self._pass_dir = pass_dir
        self._send = send
        self._told: set[tuple[object, ...]] = set()
        self._lock = threading.Lock()  # a thread of the submission may run into the import guard
        self._ledger = Ledger()
        self._in_place = in_place_passes(job.files)
        self._writing = in_place_passes(job.files, certain=True)
        self._helpers: frozenset[str] = frozenset()
        self._streams = None if self._on_cpu else StreamWatch()
        self._held: list[torch.Tensor] = []
        self._placed: list[Any] = []
        self._modules: list[ModuleType] = []
        self._loaded_before: Mapping[str, ModuleType] = {}

    def report(self, finding: Finding) -> None:
        """Tell the judge about a finding, once."""
        key = tuple(finding.get(name) for name in ("class", "severity", "file", "line", "evidence"))
        with self._lock:
            if key not in self._told and len(self._told) < _MOST_FINDINGS:
                self._told.add(key)
                self._send(finding)

    def arm(self) -> None:
        """Before the first file of the submission is imported, when its files have been written."""
        if not self._on_cpu:
            process_probe.leave_tuning_out()
        self._primitives = process_probe.capture_primitives()
        self._threads = process_probe.live_threads()
        self._loaded_before = dict(sys.modules)
        self._helpers = _helpers(self._pass_dir)
        import_guard.install(self._pass_dir, self.report)

    def loaded(self) -> None:
        """After the last file has been imported, also when that failed."""
        self._modules = _modules_in(self._pass_dir, self._loaded_before)
        self._look_at_process()

    def placed(self, inputs: list[Any]) -> list[Any]:
        """The inputs of a call, at random in the memory of those before: an address is no sign of what lies there."""
        before, taken = self._placed, inputs
        if len(before) == len(inputs) and secrets.randbelow(2):
            taken = [_refilled(old, new) for old, new in zip(before, inputs, strict=True)]
        size = sum(value.nbytes for value in taken if isinstance(value, torch.Tensor))
        self._placed = taken if size <= _MOST_HELD_BYTES else []
        return taken

    @contextmanager
    def around(self, module: GraphModule, inputs: Sequence[Any], call: Call, *, closely: bool) -> Iterator[None]:
        """Watch one call of the rewritten graph; `closely` also sees what the launchers do, and what they keep."""
        if not closely:  # else the guard fills what launchers allocate
            sizes = [value.nbytes for value in (*self._held, *inputs) if isinstance(value, torch.Tensor)]
            probes.poison_free_memory([size for size in sizes if size <= _MOST_POISONED_BYTES], self._device)
        before = probes.fingerprint(inputs)
        allocator = process_probe.allocator_state()
        kept = state_probe.snapshot(self._modules) if closely else None
        launchers = watched(
            module,
            self.report,
            pass_dir=self._pass_dir,
            ledger=self._ledger,
            helpers=self._helpers,
            in_place=self._in_place,
            streams=self._streams,
        )
        try:
            with launchers if closely else nullcontext():
                yield
            self._look_at_values(call, inputs, before)
            if kept is not None:
                after = state_probe.snapshot(self._modules)
                self._tell(state_probe.state_findings(kept, after, inputs, call.outputs, self._ledger))
                self._tell(probes.leftover_findings(call.outputs))
        finally:
            self._look_at_process()
            self._hold(call.outputs)
            self._tell(process_probe.allocator_findings(allocator))

    def _look_at_values(self, call: Call, inputs: Sequence[Any], before: Sequence[str]) -> None:
        self._tell(probes.output_findings(call.outputs))
        now = probes.fingerprint(inputs)
        self._tell(probes.input_findings(before, now, tuple(call.written), self._writing))
        self._tell(probes.attribute_findings(inputs))
        self._tell(probes.alias_findings(call.outputs, inputs, self._held, call.aliases, self._ledger))

    def _look_at_process(self) -> None:
        self._tell(process_probe.primitive_findings(self._primitives))
        threads = process_probe.thread_findings(self._threads, self._pass_dir)
        if self._on_cpu:
            self._tell(threads)
            self._tell(process_probe.child_findings())
        else:  # compilers of ours start threads and processes there
            self._tell(process_probe.current_stream_findings())
            self._tell(finding for finding in threads if finding["severity"] == Severity.VIOLATION)

    def _hold(self, outputs: Sequence[Any]) -> None:
        """Keep the outputs of this call alive: a new tensor can then not come to lie where they are."""
        tensors = [value for value in outputs if isinstance(value, torch.Tensor)]
        self._held = tensors if sum(tensor.nbytes for tensor in tensors) <= _MOST_HELD_BYTES else []

    def _tell(self, findings: Any) -> None:
        for finding in findings:
            self.report(finding)


def _refilled(old: Any, new: Any) -> Any:
    """`old` with the values of `new`, where both are alike and fill their memory; else `new`."""
    if not isinstance(old, torch.Tensor) or not isinstance(new, torch.Tensor):
        return new
    alike = all(getattr(old, name) == getattr(new, name) for name in ("dtype", "shape", "device"))
    whole = all(one.is_contiguous() and one.untyped_storage().nbytes() == one.nbytes for one in (old, new))
    return old.copy_(new) if alike and whole else new


def sender(channel: Channel) -> Callable[[Finding], None]:
    """Sends findings to the judge between its requests and our answers."""

    def send(finding: Finding) -> None:
        channel.send({"finding": dict(finding)})

    return send


def _modules_in(pass_dir: Path, before: Mapping[str, ModuleType]) -> list[ModuleType]:
    """The submission's modules, among those that were loaded since. Only odd paths are worth a second look."""
    inside = f"{pass_dir.resolve()}{os.sep}"
    found = []
    for name, module in list(sys.modules.items()):
        if module is before.get(name) or not isinstance(module, ModuleType):
            continue
        file = vars(module).get("__file__")
        if isinstance(file, str) and (
            file.startswith(inside) or ((os.pardir in file or file[:1] != os.sep) and relative(file, pass_dir))
        ):
            found.append(module)
    return found


def _helpers(pass_dir: Path) -> frozenset[str]:
    """Python files that the order file does not name."""
    try:
        listed = {f"{name}.py" for name in read_order(pass_dir)}
    except BadSubmission:
        return frozenset()
    files = (path.relative_to(pass_dir).as_posix() for path in pass_dir.rglob("*.py"))
    return frozenset(name for name in files if name not in listed)
