"""A graph evaluated in float64: who is nearer to the truth, eager or the candidate?

In float16 eager rounds after every operator. An honest fused kernel that calculates in float32 is often nearer to the
exact result and still disagrees with eager. Every floating value is widened to float64 and every operator calculates
there. Casts that the graph spells out (`.to(torch.float16)`, `dtype=` arguments) are part of the program: they still
round. Casts that autocast makes on its own do not happen in float64.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.fx import GraphModule, Interpreter, Node

from evaluator.engine.compare import leaves
from evaluator.engine.values import copied, map_tensors, same_randomness
from evaluator.events import TruthReport

_CASTS = frozenset({"to", "type", "type_as", "half", "bfloat16", "float", "double", "_to_copy", "to_dtype"})
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
CHUNK = 1 << 19
CLEARLY = 0.9  # an error this much smaller is said to be smaller


@dataclass(frozen=True)
class Truth:
    """`values`: the outputs laid flat, floats as float64; None with the reason in `why` where it can not be done.

    `casts`: names of the nodes whose explicit cast to a narrower type was kept.
    """

    values: list[Any] | None
    casts: tuple[str, ...] = ()
    why: str | None = None


def truth(module: GraphModule, inputs: Sequence[Any]) -> Truth:
    """Evaluate the graph in float64 on copies of `inputs`. Random operators make it meaningless: ask noise.py first."""
    try:
        with same_randomness(inputs), torch.no_grad():
            dtypes = _Dtypes(module)
            dtypes.run(*copied(inputs))
            wide = _Wide(module, dtypes.found)
            values = wide.run(*copied(inputs))
    except Exception as problem:
        return Truth(None, why=f"it can not be evaluated in float64: {type(problem).__name__}: {problem}"[:500])
    return Truth(list(leaves(values)), tuple(wide.casts))


def compare_with_truth(exact: Truth, eager: Sequence[Any], candidate: Sequence[Any]) -> list[TruthReport | None]:
    """Per output the error of both against the truth, over elements that are finite in all three.

    None where it can not be said: no truth, no floating tensors, not the same shapes, or no element that is finite.
    """
    eager_leaves, candidate_leaves = list(leaves(eager)), list(leaves(candidate))
    values = exact.values
    if values is None or not len(values) == len(eager_leaves) == len(candidate_leaves):
        return [None] * len(eager_leaves)
    return [_report(*three) for three in zip(values, eager_leaves, candidate_leaves, strict=True)]


def _report(exact: Any, eager: Any, candidate: Any) -> TruthReport | None:
    three = (exact, eager, candidate)
    if not all(isinstance(value, torch.Tensor) and value.dtype in _FLOATS for value in three):
        return None
    if not exact.shape == eager.shape == candidate.shape:
        return None
    one, two = _Error(), _Error()
    flat = [value.detach().reshape(-1) for value in three]
    for start in range(0, exact.numel(), CHUNK):
        chunk = [value[start : start + CHUNK].to(exact.device).double() for value in flat]
        finite = torch.isfinite(chunk[0]) & torch.isfinite(chunk[1]) & torch.isfinite(chunk[2])
        one.add(chunk[1][finite] - chunk[0][finite])
        two.add(chunk[2][finite] - chunk[0][finite])
    if one.count == 0:
        return None
    return TruthReport(
        eager_max=one.largest,
        eager_rms=one.rms,
        candidate_max=two.largest,
        candidate_rms=two.rms,
        nearer=_nearer(one, two),
    )


@dataclass
class _Error:
    largest: float = 0.0
    squares: float = 0.0
    count: int = 0

    def add(self, error: torch.Tensor) -> None:
        if error.numel():
            self.largest = max(self.largest, float(error.abs().max()))
            self.squares += float((error * error).sum())
            self.count += error.numel()

    @property
    def rms(self) -> float:
        return float((self.squares / self.count) ** 0.5) if self.count else 0.0


def _nearer(eager: _Error, candidate: _Error) -> Literal["eager", "candidate", "same"]:
    """Nearer is who is clearly better on average and not worse at the worst element."""
    if candidate.rms < CLEARLY * eager.rms and candidate.largest <= eager.largest:
        return "candidate"
    if eager.rms < CLEARLY * candidate.rms and eager.largest <= candidate.largest:
        return "eager"
    return "same"


class _Dtypes(Interpreter):
    """Runs the graph as it is and remembers which dtype each node had."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.extra_traceback = False
        self.found: dict[str, torch.dtype] = {}

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        if isinstance(value, torch.Tensor):
            self.found[n.name] = value.dtype
        return value


class _Wide(Interpreter):
    def __init__(self, module: GraphModule, dtypes: dict[str, torch.dtype]) -> None:
        super().__init__(module)
        self.extra_traceback = False
        self.dtypes = dtypes
        self.casts: list[str] = []

    def run_node(self, n: Node) -> Any:
        dtype = self.dtypes.get(n.name)
        if dtype in _FLOATS and _is_cast(n):
            if not self._rounds(n, dtype):
                return self.fetch_args_kwargs_from_env(n)[0][0]
            return self._narrow(n, self.fetch_args_kwargs_from_env(n)[0][0], dtype)
        if n.kwargs.get("dtype") in _FLOATS:
            # An operator with a result type, `softmax(x, dtype=torch.float32)`: it calculates in float64 all the same.
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            value = getattr(self, n.op)(n.target, args, {**kwargs, "dtype": torch.float64})
            return self._narrow(n, value, n.kwargs["dtype"]) if self._rounds(n, n.kwargs["dtype"]) else value
        return map_tensors(_widen, super().run_node(n))

    def _rounds(self, n: Node, dtype: Any) -> bool:
        """Whether values of the node's first operand can change when they become `dtype`; a constant's can."""
        source = next((self.dtypes[node.name] for node in n.all_input_nodes if node.name in self.dtypes), None)
        return source not in _FLOATS or torch.promote_types(source, dtype) != dtype

    def _narrow(self, n: Node, value: Any, dtype: Any) -> Any:
        self.casts.append(n.name)
        return map_tensors(lambda tensor: tensor.to(dtype).double(), value)


def _is_cast(node: Node) -> bool:
    if node.op == "call_method":
        return node.target in _CASTS
    name = getattr(node.target, "_schema", None)
    plain = name.name.rpartition("::")[2] if name is not None else getattr(node.target, "__name__", "")
    return node.op == "call_function" and plain in _CASTS


def _widen(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor
