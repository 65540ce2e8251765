"""Sees the ATen calls that a launcher makes, where only Triton kernels may work.

Put around one call of a launcher (the graph's other nodes may of course compute). It follows which tensors hold data
of the inputs, so that a table made of sizes is free whatever operators make it, while one addition on an input is not.
Calls that Triton itself makes during a launch are its own business. Nothing of the guard is visible from the tensors,
and the stack of dispatch modes is out of reach for pass code (see `import_guard`).
"""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Self

import torch
import triton
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from evaluator.events import Finding
from evaluator.integrity.analysis.policy_torch import BUILTIN_NAMESPACES
from evaluator.integrity.aten_kinds import AtenKind, is_unwritten, kind_of, written_arguments
from evaluator.integrity.guarded_calls import GuardedCall, findings_of
from evaluator.integrity.launch_watch import LaunchWatch, tensors_in
from evaluator.integrity.probes import fill_with_poison
from evaluator.integrity.stream_watch import StreamWatch
from evaluator.integrity.taint import Ledger, storage_key

_TORCH = str(Path(torch.__file__).parent)
_TRITON = str(Path(triton.__file__).parent)
_HARNESS = str(Path(__file__).resolve().parents[1])
# The only work that Triton itself does on tensors: copies back from an interpreted launch, the autotuner's restores.
# Anything else that seems to come from it is a built-in function that the submission has handed to it.
_TRITONS_OWN = frozenset({"aten::copy_", "aten::set_"})
_ESCAPES = {torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__, torch.Tensor.set_}
# Methods that call a Python function for each element, and nothing that the dispatcher would see.
_BY_ELEMENT = {torch.Tensor.map_, torch.Tensor.map2_, torch.Tensor.apply_}


# Methods that hand out all numbers of a tensor. Those that give one are seen by the dispatcher.
_NUMBERS = {torch.Tensor.tolist, torch.Tensor.__repr__, torch.Tensor.__format__, *_ESCAPES} - {torch.Tensor.set_}
_FEW = 4  # numbers that may be read without a word, whatever is made of them


class DispatchGuard:
    """Context manager around one launcher call.

    `inputs`: the launcher's arguments; without them every tensor from outside the block is taken to hold data.
    `ledger`: shared by all guards of a run. `helpers`: files that the order file does not name. `in_place`: the matched
    pattern writes into its inputs, so the launcher may. `poison`: memory that is allocated without values is filled
    with 0xFF, so that `probes.unwritten` knows what nobody wrote. After the block: `calls`, `launches`, `findings()`.
    """

    def __init__(
        self,
        inputs: Sequence[Any] | None = None,
        *,
        pass_dir: Path | None = None,
        ledger: Ledger | None = None,
        helpers: frozenset[str] = frozenset(),
        in_place: bool = False,
        poison: bool = True,
        streams: StreamWatch | None = None,
    ) -> None:
        self.calls: list[GuardedCall] = []
        self._pass_dir = None if pass_dir is None else pass_dir.resolve()
        self._ledger = ledger or Ledger()
        self._helpers = helpers
        self._in_place = in_place
        self._poison = poison
        self._all_outside_is_data = inputs is None
        self._made = Ledger()  # made within the block, free of data
        self._inputs: list[torch.Tensor] = tensors_in(list(inputs or ()))
        self._input_keys = {storage_key(tensor) for tensor in self._inputs} - {None}
        self._paused = 0
        self._by_method = False
        self._numbers_read = 0
        self._read_at: tuple[str | None, int | None] = (None, None)
        self._streams = streams
        about_to = (lambda: None) if streams is None else streams.before_launch
        self._watch = LaunchWatch(self._launched, self._pause, about_to)
        self._stack = ExitStack()

    @property
    def launches(self) -> int:
        """Triton launches within the block."""
        return self._watch.launches

    def __enter__(self) -> Self:
        for tensor in self._inputs:
            self._ledger.mark(tensor)
        if self._streams is not None:
            self._stack.enter_context(self._streams.watching())
        self._stack.enter_context(self._watch.watching())
        self._stack.enter_context(_Functions(self))
        self._stack.enter_context(_Dispatch(self))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def findings(self) -> list[Finding]:
        """What the calls mean: one finding for each class, severity, file and line."""
        found = findings_of(self.calls, helpers=self._helpers, in_place=self._in_place)
        return [*found, *(self._streams.findings if self._streams is not None else ())]

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor holds data of an input, as far as it is known by now."""
        if self._ledger.holds_data(tensor):
            return True
        return self._all_outside_is_data and not self._made.holds_data(tensor)

    @contextmanager
    def _pause(self) -> Iterator[None]:
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1

    def _launched(self, given: list[torch.Tensor], written: list[torch.Tensor]) -> None:
        """What a kernel wrote holds data if any of its arguments does."""
        if self._streams is not None:
            self._streams.after_launch()
        if any(self.holds_data(tensor) for tensor in given):
            for tensor in written:
                self._ledger.mark(tensor)

    def handle(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one ATen call and write down what it was."""
        if self._paused:
            return func(*args, **kwargs)
        whose, file, line = self._place()
        triton_works = whose == "triton" and self._watch.depth > 0
        if triton_works and (kind_of(func) is not AtenKind.WORK or func._schema.name in _TRITONS_OWN):
            return func(*args, **kwargs)
        if func._schema.name.split("::")[0] not in BUILTIN_NAMESPACES:
            return self._run_custom(func, args, kwargs)
        kind = kind_of(func)
        given = tensors_in((args, kwargs))
        on_data = any(self.holds_data(tensor) for tensor in given)
        writes = self._writes_into_an_input(func, args, kwargs)  # asked before: `set_` makes its target share memory
        by_method = self._by_method
        with self._pause():
            result = func(*args, **kwargs)
            if self._poison and is_unwritten(func):
                fill_with_poison(result)
        made = tensors_in(result)
        if kind is AtenKind.READ and on_data:
            self._was_read(1, file, line)
        if kind in (AtenKind.WORK, AtenKind.COPY) and on_data:
            self._note(func, file, line, "work" if kind is AtenKind.WORK else "copy", by_method)
            for tensor in made:
                self._ledger.mark(tensor)
        elif kind is not AtenKind.VIEW:
            for tensor in made:
                if not self.holds_data(tensor) or kind is AtenKind.ALLOCATE:
                    self._made.mark(tensor)
        if writes:
            self._note(func, file, line, "mutation", by_method)
        return result

    def _writes_into_an_input(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        targets = [args[at] if at < len(args) else kwargs.get(name) for at, name in written_arguments(func)]
        return any(storage_key(tensor) in self._input_keys for tensor in tensors_in(targets))

    def _run_custom(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A registered operator of the submission: its body is watched like the launcher itself."""
        given = tensors_in((args, kwargs))
        device = given[0].device.type if given else "cpu"
        key = getattr(torch._C.DispatchKey, torch._C._dispatch_key_for_device(device))
        with _Dispatch(self):
            return func.redispatch(torch._C.DispatchKeySet(key), *args, **kwargs)

    def call_function(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one call of torch's Python functions; remembers whether it is a tensor's method, and sees escapes."""
        if not self._paused:
            self._by_method = _is_method(func)
            kind = "escape" if func in _ESCAPES else "work" if func in _BY_ELEMENT else None
            data = [tensor for tensor in tensors_in(args) if self.holds_data(tensor)] if self._tells(func) else []
            if data:
                whose, file, line = self._place()
                if whose != "triton" or not self._watch.depth:
                    if func in _NUMBERS:
                        self._was_read(data[0].numel(), file, line)
                    if kind is not None:
                        self.calls.append(GuardedCall(f"Tensor.{func.__name__}", file, line, kind, True))
        return func(*args, **kwargs)

    @staticmethod
    def _tells(func: Any) -> bool:
        return func in _NUMBERS or func in _ESCAPES or func in _BY_ELEMENT

    def _was_read(self, numbers: int, file: str | None, line: int | None) -> None:
        self._numbers_read += numbers
        self._read_at = (file, line)

    def returned(self, result: Any) -> None:
        """What the launcher gives back: made by a kernel, of nothing but sizes, or of numbers that it read before?"""
        for tensor in tensors_in(result):
            size = tensor.numel()
            if self._numbers_read > _FEW and 0 < size <= self._numbers_read and not self._ledger.holds_data(tensor):
                self.calls.append(GuardedCall(f"{self._numbers_read} numbers", *self._read_at, "host"))

    def _note(self, func: Any, file: str | None, line: int | None, kind: str, by_method: bool) -> None:
        name = func._schema.name.replace("::", ".")
        self.calls.append(GuardedCall(name, file, line, kind, by_method))

    def _place(self) -> tuple[str, str | None, int | None]:
        """Who made the call: "triton" or "pass" by the innermost frame that is not torch's, and the pass's line."""
        frame: FrameType | None = sys._getframe(1)
        whose = ""
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith(_TRITON):
                whose = whose or "triton"
            elif not name.startswith((_TORCH, _HARNESS)) and (relative := self._relative(name)) is not None:
                return whose or "pass", relative, frame.f_lineno
            frame = frame.f_back
        return whose or "pass", None, None

    def _relative(self, name: str) -> str | None:
        if self._pass_dir is None:
            return name
        path = Path(name)
        return path.relative_to(self._pass_dir).as_posix() if path.is_relative_to(self._pass_dir) else None


def _is_method(func: Any) -> bool:
    """Whether a function is a method or operator of tensors, and not one of torch's functions."""
    name = getattr(func, "__name__", "")
    return hasattr(func, "__objclass__") or (bool(name) and getattr(torch.Tensor, name, None) is func)


class _Dispatch(TorchDispatchMode):
    def __init__(self, guard: DispatchGuard) -> None:
        super().__init__()
        self._guard = guard

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing compiled is called under it, and what torch wraps around it else imports Dynamo

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._guard.handle(func, args, kwargs or {})


class _Functions(TorchFunctionMode):
    def __init__(self, guard: DispatchGuard) -> None:
        super().__init__()
        self._guard = guard

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._guard.call_function(func, args, kwargs or {})


def guarded(
    launcher: Callable[..., Any],
    report: Callable[[Finding], None],
    *,
    pass_dir: Path,
    ledger: Ledger,
    helpers: frozenset[str] = frozenset(),
    in_place: bool = False,
    streams: StreamWatch | None = None,
    launches: list[int] | None = None,
) -> Callable[..., Any]:
    """The launcher, watched: each call reports its findings, and adds the number of its Triton launches to `launches`.

    For guarded calls only; others call the original.
    """

    @functools.wraps(launcher, updated=())
    def watched(*args: Any, **kwargs: Any) -> Any:
        guard = DispatchGuard(
            (args, kwargs), pass_dir=pass_dir, ledger=ledger, helpers=helpers, in_place=in_place, streams=streams
        )
        try:
            with guard:
                result = launcher(*args, **kwargs)
            guard.returned(result)
            return result
        finally:
            if launches is not None:
                launches.append(guard.launches)
            for finding in guard.findings():
                report(finding)

    return watched
