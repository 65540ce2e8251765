"""Count what runs: ATen calls that compute or copy, and launches of Triton kernels.

On the CPU this stands for the number of kernels: eager launches about one per such call, and a fused pass shows as
fewer. Views and allocations move no data and are not counted; neither is what Triton's interpreter itself calls.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import torch
from torch.fx import GraphModule
from torch.utils._python_dispatch import TorchDispatchMode
from triton.runtime.jit import JITFunction

from evaluator.engine import interpreter
from evaluator.engine.values import copied, same_randomness
from evaluator.events_of_speed import KernelCount

# Only metadata changes, although the schema does not say that the result is a view.
_METADATA = frozenset({
    "_unsafe_view", "lift", "lift_fresh", "detach_", "resize_", "resize_as_", "set_", "requires_grad_",
    "as_strided_", "squeeze_", "unsqueeze_", "transpose_", "swapdims_", "swapaxes_", "t_", "rename_", "names",
    "_assert_tensor_metadata", "_assert_async", "_version", "record_stream",
})  # fmt: skip
_ALLOCATION = frozenset({
    "empty", "empty_like", "empty_strided", "empty_permuted", "empty_quantized", "new_empty", "new_empty_strided",
    "_efficientzerotensor",
})  # fmt: skip


def computes(operator: torch._ops.OpOverload) -> bool:
    """Whether an ATen call computes or copies: no view, no allocation, no question about a tensor's metadata."""
    schema = operator._schema
    name = schema.name.rpartition("::")[2]
    if name in _METADATA or name in _ALLOCATION:
        return False
    if name == "equal":
        return True
    written = any(argument.alias_info and argument.alias_info.is_write for argument in schema.arguments)
    if written:
        return True
    tensors = [one for one in schema.returns if "Tensor" in str(one.type)]
    return bool(tensors) and not any(one.alias_info for one in tensors)


class _Counter(TorchDispatchMode):
    def __init__(self, counts: dict[str, int]) -> None:
        super().__init__()
        self._counts = counts

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing compiled is called under it; what torch wraps around it otherwise imports Dynamo, for a second."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if not interpreter.running() and computes(func):
            _add(self._counts, func._schema.name.replace("::", "."))
        return func(*args, **(kwargs or {}))


class CandidateCounter:
    """Context manager: what a candidate launches within the block.

    Triton launches (interpreted or compiled) under the kernel's name, ATen calls that compute or copy as `aten.name`.
    Call the candidate once before, so that autotuning is done.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._stack = ExitStack()
        self.triton_launches = 0

    @property
    def counts(self) -> list[KernelCount]:
        """In the order of the first call of each."""
        return [KernelCount(name=name, count=count) for name, count in self._counts.items()]

    @property
    def total(self) -> int:
        return sum(self._counts.values())

    def __enter__(self) -> Self:
        self._stack.enter_context(interpreter.listen(self._interpreted))
        self._stack.enter_context(_compiled_launches(self._launched))
        self._stack.enter_context(_Counter(self._counts))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _interpreted(self, launch: interpreter.Launch) -> None:
        if launch.programs:
            self._launched(launch.kernel)

    def _launched(self, kernel: str) -> None:
        self.triton_launches += 1
        _add(self._counts, kernel)


def eager_launches(module: GraphModule, inputs: Sequence[Any]) -> list[KernelCount]:
    """ATen calls that compute or copy in one eager run of the graph, in the order of the first call of each.

    `inputs` and the state of random generators are left as they are.
    """
    counts: dict[str, int] = {}
    arguments = copied(inputs)
    with same_randomness(inputs), torch.no_grad(), _Counter(counts):
        module(*arguments)
    return [KernelCount(name=name, count=count) for name, count in counts.items()]


def total(counts: Sequence[KernelCount]) -> int:
    """Number of launches in a list."""
    return sum(entry["count"] for entry in counts)


@contextmanager
def _compiled_launches(told: Any) -> Iterator[None]:
    run = JITFunction.run

    def observed(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        result = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        if not warmup:
            told(self.fn.__name__)
        return result

    JITFunction.run = observed
    try:
        yield
    finally:
        JITFunction.run = run


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
