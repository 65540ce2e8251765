"""How calls of torch are recorded as nodes while a pass's own functions run."""

import inspect
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch.fx import Node, Proxy, Tracer
from torch.overrides import TorchFunctionMode

from evaluator.engine import operations
from evaluator.engine.signatures import IN_PLACE_OPERATORS


class PatternProxy(Proxy):
    """Like torch.fx's Proxy, but in-place operators are recorded as such."""

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tracer.create_proxy("call_function", operator.setitem, (self, index, value), {})


def _in_place(target: Any) -> Callable[[Proxy, Any], Proxy]:
    return lambda self, other: self.tracer.create_proxy("call_function", target, (self, other), {})


for _target in IN_PLACE_OPERATORS:
    setattr(PatternProxy, f"__{_target.__name__}__", _in_place(_target))


class CallTracer(Tracer):
    """Records each call of torch as one node and leaves nothing as a submodule."""

    def proxy(self, node: Node) -> Proxy:
        return PatternProxy(node, self)

    def call_module(
        self, m: torch.nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A module that the author's code calls counts as what its `forward` calls."""
        return forward(*args, **kwargs)


class Factories(TorchFunctionMode):
    """Records calls such as torch.arange(10), which no proxy takes part in."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in operations.factories() and not any(issubclass(kind, Proxy) for kind in types):
            return self.tracer.create_proxy("call_function", func, args, kwargs or {})
        return func(*args, **(kwargs or {}))


@lru_cache(maxsize=1)
def functional() -> tuple[Callable[..., Any], ...]:
    """Python functions of torch.nn.functional and torch.functional."""
    return tuple(
        value
        for module in (torch.nn.functional, torch.functional)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and not name.startswith("_") and operations.function(f"{module.__name__}.{name}")
    )


@contextmanager
def functions_as_leaves() -> Iterator[None]:
    """While inside, a function of torch.nn.functional that is given a proxy becomes one node.

    Replaces attributes of torch's modules for the moment: one trace at a time in a process.
    """
    wanted = {id(value) for value in functional()}
    modules = (torch.nn.functional, torch.functional)
    replaced = [
        (module, name, value) for module in modules for name, value in vars(module).items() if id(value) in wanted
    ]
    for module, name, value in replaced:
        setattr(module, name, _leaf(value))
    try:
        yield
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


def _leaf(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        proxy = _first_proxy((args, tuple(kwargs.values())))
        if proxy is None:
            return function(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", function, args, kwargs)

    return call


def _first_proxy(value: Any) -> Proxy | None:
    if isinstance(value, Proxy):
        return value
    if isinstance(value, (list, tuple)):
        return next((found for item in value if (found := _first_proxy(item)) is not None), None)
    return None
