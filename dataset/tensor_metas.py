"""What a sample keeps of a tensor: shape, dtype and statistics, and the exact content where it is small and matters."""

import math
from typing import Any

import torch

from graphs.samples import TensorMeta

MAX_EXACT = 4096  # elements of whole numbers, truth values and constants whose content is kept


def meta_of(name: str, value: Any, *, original_name: str | None = None, exact: bool = False) -> TensorMeta:
    """The metadata of a tensor or of a Python number.

    Whole numbers and truth values keep their content up to MAX_EXACT elements, floats only when `exact` asks for it:
    indices must stay in range, while floats are drawn again from mean, std, smallest and largest value. Statistics are
    those of the finite elements. Raises TypeError for anything else.
    """
    if isinstance(value, (bool, int, float)):
        value = torch.tensor(value, dtype=_scalar_dtype(value))
        exact = True
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"an input of the graph is a {type(value).__name__}, not a tensor")
    if value.layout is not torch.strided or value.is_quantized:
        raise TypeError(
            f"an input of the graph is a tensor of the layout {value.layout}, which samples can not describe"
        )
    tensor = value.detach()
    statistics = _statistics(tensor)
    return TensorMeta(
        name=name,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        data=_content(tensor, exact),
        original_name=original_name,
        **statistics,
    )


def _scalar_dtype(value: bool | int | float) -> torch.dtype:
    if isinstance(value, bool):
        return torch.bool
    return torch.int64 if isinstance(value, int) else torch.float64


def _statistics(tensor: torch.Tensor) -> dict[str, Any]:
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.resolve_conj())
    wide = tensor.to(torch.float64)
    finite = wide[torch.isfinite(wide)]
    if finite.numel() == 0:
        return {"mean": None, "std": None}
    found: dict[str, Any] = {"mean": finite.mean().item(), "std": finite.std(correction=0).item()}
    if tensor.dtype is torch.bool:
        return found
    low, high = finite.min().item(), finite.max().item()
    if not tensor.dtype.is_floating_point and not tensor.dtype.is_complex:
        low, high = int(low), int(high)
    return found | {"min_val": low, "max_val": high}


def _content(tensor: torch.Tensor, exact: bool) -> tuple[Any, ...] | None:
    whole = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex
    if not (whole or exact) or tensor.dtype.is_complex or tensor.numel() > MAX_EXACT:
        return None
    values = tensor.reshape(-1).tolist()
    return tuple(values) if all(math.isfinite(value) for value in values) else None
