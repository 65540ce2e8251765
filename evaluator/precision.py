"""Flags that trade precision for speed: pinned before anything is computed, and part of every result's identity.

TF32 alone makes a float32 matrix product seven times faster and eight bits less exact: a speed-up measured with other
flags than its baseline's is no speed-up.
"""

from typing import Any

#: Where torch keeps each flag (below `torch.backends`), and what it is pinned to.
PINNED: dict[str, bool | str] = {
    "cuda.matmul.allow_tf32": False,
    "cuda.matmul.allow_fp16_reduced_precision_reduction": False,
    "cuda.matmul.allow_bf16_reduced_precision_reduction": False,
    "cuda.matmul.allow_fp16_accumulation": False,
    "cudnn.allow_tf32": False,
    "cudnn.benchmark": False,
}


def pin() -> None:
    """Set every flag of PINNED that this torch has. Starts no device."""
    for name, value in PINNED.items():
        holder, flag = _holder(name)
        if holder is not None:
            setattr(holder, flag, value)


def flags() -> dict[str, bool | str]:
    """What the flags are now, by name; those that this torch does not have are left out."""
    found = {}
    for name in PINNED:
        holder, flag = _holder(name)
        if holder is not None:
            found[name] = getattr(holder, flag)
    return found


def changed() -> list[str]:
    """Names of flags that are no longer what they were pinned to."""
    return [name for name, value in flags().items() if value != PINNED[name]]


def _holder(name: str) -> tuple[Any, str]:
    import torch

    *path, flag = name.split(".")
    holder: Any = torch.backends
    for part in path:
        holder = getattr(holder, part)
    try:
        getattr(holder, flag)
    except (AttributeError, RuntimeError):
        return None, flag
    return holder, flag
