"""Where in an output the error lies, small enough to draw: a border, one row, every eighth element."""

from typing import Any

import torch

from evaluator.engine.compare import CHUNK, is_comparable
from evaluator.events import ErrorMap

CELLS = 64  # at most, in each direction


def error_map(expected: Any, found: Any) -> ErrorMap | None:
    """The largest |error| per cell over the two largest dimensions; all other dimensions are reduced to their maximum.

    None where nothing differs, or where shapes differ so that no element has a partner. Works in slices along the
    first dimension, so that it needs little memory beside the outputs.
    """
    if not is_comparable(expected, found) or expected.shape != found.shape or expected.numel() == 0:
        return None
    dims = _largest(expected.shape)
    sizes = [int(expected.shape[dim]) for dim in dims]
    grid = torch.zeros([min(size, CELLS) for size in sizes], dtype=torch.float64)
    a, b = (value.detach().reshape(1) if value.ndim == 0 else value.detach() for value in (expected, found))
    rows = max(1, CHUNK * a.shape[0] // a.numel())
    for start in range(0, a.shape[0], rows):
        error = _reduced(_error(a[start : start + rows], b[start : start + rows]), dims).cpu()
        for axis, (dim, size) in enumerate(zip(dims, sizes, strict=True)):
            error = _binned(error, axis, size, start if dim == 0 else 0)
        torch.maximum(grid, error, out=grid)
    if not bool((grid != 0).any()):
        return None
    table = grid.reshape(1, -1) if grid.ndim < 2 else grid
    return ErrorMap(dims=dims, sizes=sizes, cells=[[_cell(value) for value in row] for row in table.tolist()])


def _largest(shape: torch.Size) -> list[int]:
    """The two largest dimensions longer than one, in their order."""
    by_size = sorted((dim for dim in range(len(shape)) if shape[dim] > 1), key=lambda dim: (-shape[dim], dim))
    return sorted(by_size[:2])


def _error(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """|a − b|; infinity where only one of two is finite or they are different infinities; 0 where both are NaN."""
    kind = torch.complex128 if a.is_complex() or b.is_complex() else torch.float64
    wide_a, wide_b = a.detach().to(kind), b.detach().to(a.device, kind)
    error = (wide_a - wide_b).abs()
    same = (wide_a == wide_b) | (torch.isnan(wide_a) & torch.isnan(wide_b))
    return torch.where(same, 0.0, torch.nan_to_num(error, nan=torch.inf, posinf=torch.inf))


def _reduced(error: torch.Tensor, dims: list[int]) -> torch.Tensor:
    others = [dim for dim in range(error.ndim) if dim not in dims]
    return error.amax(others) if others else error


def _binned(error: torch.Tensor, axis: int, size: int, start: int) -> torch.Tensor:
    """The largest per cell along one axis, of which `error` holds the part from `start` on."""
    cells = min(size, CELLS)
    where = torch.arange(start, start + error.shape[axis]) * cells // size
    shape = [*error.shape]
    shape[axis] = cells
    index = where.reshape([-1 if dim == axis else 1 for dim in range(error.ndim)]).expand(error.shape)
    return torch.zeros(shape, dtype=error.dtype).scatter_reduce(axis, index, error, "amax")


def _cell(value: float) -> float | None:
    """Three digits are enough for a colour, and keep the event small."""
    return None if value == torch.inf else float(f"{value:.3g}")
