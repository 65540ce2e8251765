"""Stand-ins for what registers operators: a submission's own namespaces are its to fill, those of torch are not.

An operator of torch that is registered anew is another one for the baseline, too.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

from evaluator.integrity.analysis.policy_torch import BUILTIN_NAMESPACES
from evaluator.verdicts import FindingClass

_REGISTERING = (
    "Library", "define", "impl", "impl_abstract", "register_kernel", "register_fake", "register_autograd",
    "register_autocast", "register_vmap", "register_torch_dispatch", "custom_op",
)  # fmt: skip


def stand_ins(find: Callable[[FindingClass, str], None]) -> dict[str, Any]:
    """By full name; `find` is told what a submission wanted to register, and the call raises."""
    names = [name for name in _REGISTERING if hasattr(torch.library, name)]
    return {f"torch.library.{name}": _checked(getattr(torch.library, name), name, find) for name in names}


def _checked(real: Callable[..., Any], name: str, find: Callable[[FindingClass, str], None]) -> Callable[..., Any]:
    @functools.wraps(real, updated=())
    def checked(*args: Any, **kwargs: Any) -> Any:
        for given in (*args[:2], *kwargs.values()):
            if _namespace(given, is_name=name == "Library") in BUILTIN_NAMESPACES:
                find(FindingClass.BASELINE_TAMPERING, f"`torch.library.{name}` for an operator of torch itself")
                raise RuntimeError("passes may not register operators of torch")
        return real(*args, **kwargs)

    return checked


def _namespace(given: Any, *, is_name: bool) -> str:
    """ "aten" of "aten::relu", of the operator itself, or of a library; "" where there is none."""
    if isinstance(given, torch.library.Library):
        return str(given.ns)
    if isinstance(given, torch._ops.OpOverload):
        return given.namespace
    if isinstance(given, torch._ops.OpOverloadPacket):
        return given._qualified_op_name.partition("::")[0]
    if isinstance(given, str) and ("::" in given or is_name):
        return given.partition("::")[0]
    return ""
