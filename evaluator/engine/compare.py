"""Compare a candidate's outputs with the reference's: what differs, by how much, and the smallest t that allows it.

Candidate b is right at t when |a − b| ≤ atol + rtol · |b| everywhere. The arithmetic is float64, in chunks, so that
big outputs need little more memory than they have. Equal infinities are equal; NaN equals nothing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import torch

from evaluator.events import OutputReport
from evaluator.scoring import CORRECT_AT, EXACT, FIRST_T, FLOAT_DTYPES, worst_first_t
from evaluator.verdicts import Mismatch, Status

LAST_T = 5
WORST = 5  # elements that are listed
CHUNK = 1 << 19  # elements compared at a time
SMALL = 1 << 16  # elements that are compared on the host, wherever they are
_MISSING = object()
_RTOL_POWER = {"float16": 3 / 5, "bfloat16": 1.796 / 5, "float32": 5.886 / 5, "float64": 7 / 5}


@dataclass(frozen=True)
class Verdict:
    """What all comparisons of one graph, over all input sets, come to."""

    status: Status  # CORRECT or ACCURACY
    mismatch: Mismatch | None
    first_t: int | None


def tolerances(dtype: str, t: int) -> tuple[float, float]:
    """(atol, rtol) at t for a dtype by its name ("float32"); (0, 0) for every dtype that must be equal."""
    if dtype not in FLOAT_DTYPES:
        return 0.0, 0.0
    rtol = 10.0 ** (_RTOL_POWER[dtype] * t)
    return (rtol if dtype == "float64" else 10.0**t), rtol


def compare(expected: Sequence[Any], found: Sequence[Any]) -> list[OutputReport]:
    """One report per output, nested tuples, lists and dicts laid flat. Tensors may lie on any device."""
    wanted, given = list(leaves(expected)), list(leaves(found))
    pairs = zip_longest(wanted, given, fillvalue=_MISSING)
    reports = [_compare_one(index, a, b) for index, (a, b) in enumerate(pairs)]
    if len(wanted) != len(given):
        for report in reports:
            report["mismatch"], report["first_t"] = Mismatch.COUNT.value, None
    return reports


def first_t(reports: Sequence[OutputReport]) -> int | None:
    """Smallest t at which every output is right: EXACT if all are equal, None if one never is."""
    return worst_first_t(report["first_t"] for report in reports)


def verdict(reports: Sequence[OutputReport]) -> Verdict:
    """The verdict on one graph from its reports, those of all input sets together."""
    found = {report["mismatch"] for report in reports}
    mismatch = next(
        (kind for kind in (Mismatch.COUNT, Mismatch.DTYPE, Mismatch.SHAPE, Mismatch.NAN) if kind in found), None
    )
    t = None if mismatch else first_t(reports)
    return Verdict(Status.CORRECT if t is not None and t <= CORRECT_AT else Status.ACCURACY, mismatch, t)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    else:
        yield value


def is_comparable(a: Any, b: Any) -> bool:
    """Whether the elements of two values can be subtracted from each other: both are plain dense tensors."""
    return all(isinstance(one, torch.Tensor) and one.layout is torch.strided and not one.is_quantized for one in (a, b))


def _compare_one(index: int, a: Any, b: Any) -> OutputReport:
    report = OutputReport(
        index=index,
        dtype=_dtype(b),
        expected_dtype=_dtype(a),
        shape=list(getattr(b, "shape", ())),
        expected_shape=list(getattr(a, "shape", ())),
        mismatch=None,
        first_t=None,
        max_abs=None,
        max_rel=None,
        expected_range=None,
        worst=[],
        differing=0,
        elements=0,
    )
    if report["dtype"] != report["expected_dtype"]:
        report["mismatch"] = Mismatch.DTYPE.value
    elif report["shape"] != report["expected_shape"]:
        report["mismatch"] = Mismatch.SHAPE.value
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if report["shape"] == report["expected_shape"]:
            _compare_tensors(a, b, report)
    elif report["mismatch"] is None:
        _compare_objects(a, b, report)
    return report


def _dtype(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return "missing" if value is _MISSING else type(value).__name__


def _compare_objects(a: Any, b: Any, report: OutputReport) -> None:
    """Numbers, strings, None: equal or not."""
    equal = bool(a == b)
    report["elements"], report["differing"] = 1, int(not equal)
    report["first_t"] = EXACT if equal else None
    if isinstance(a, int | float) and math.isfinite(a) and math.isfinite(b):
        report["expected_range"] = [float(a), float(a)]
        report["max_abs"] = float(abs(a - b))
        report["max_rel"] = float(abs(a - b) / abs(a)) if a else None
    if not equal:
        report["worst"] = [{"index": [], "expected": _plain(a), "found": _plain(b)}]


@dataclass
class _Tally:
    """What has been seen of two tensors so far."""

    t: int | None = EXACT
    max_abs: float = 0.0
    max_rel: float = 0.0
    finite: bool = False  # some element is finite on both sides
    low: float = math.inf
    high: float = -math.inf
    differing: int = 0
    nan: bool = False
    worst: list[tuple[float, int]] = field(default_factory=list)  # (how bad, flat index)


def _compare_tensors(a: torch.Tensor, b: torch.Tensor, report: OutputReport) -> None:
    """Fill in what the values say; where the dtypes differ, how far apart they are all the same."""
    a, b = _flat(a), _flat(b)
    if a.numel() <= SMALL:  # some forty small steps: on a GPU each would wait for a kernel of its own
        a = a.cpu()
    exact = report["expected_dtype"] not in FLOAT_DTYPES
    tally = _Tally()
    for start in range(0, a.numel(), CHUNK):
        one = a[start : start + CHUNK]
        _add(tally, one, b[start : start + CHUNK].to(one.device), start, report["expected_dtype"], exact)
    report["elements"], report["differing"] = a.numel(), tally.differing
    if tally.finite or not tally.differing:  # else there is no error to be the largest
        report["max_abs"], report["max_rel"] = tally.max_abs, tally.max_rel
    report["expected_range"] = [tally.low, tally.high] if tally.low <= tally.high else None
    report["worst"] = [
        {"index": _unravel(flat, report["shape"]), "expected": _plain(a[flat].item()), "found": _plain(b[flat].item())}
        for _, flat in sorted(tally.worst, key=lambda item: (-item[0], item[1]))
    ]
    if report["mismatch"] is None:
        report["mismatch"] = Mismatch.NAN.value if tally.nan else None
        report["first_t"] = None if tally.nan else tally.t


def _add(tally: _Tally, a: torch.Tensor, b: torch.Tensor, start: int, dtype: str, exact: bool) -> None:
    finite_a, finite_b = torch.isfinite(a), torch.isfinite(b)
    tally.nan = tally.nan or bool((finite_a & ~finite_b).any())
    tally.finite = tally.finite or bool((finite_a & finite_b).any())
    if not a.is_complex() and bool(finite_a.any()):
        low, high = torch.aminmax(a[finite_a])
        tally.low, tally.high = min(tally.low, float(low)), max(tally.high, float(high))
    where = (a != b).nonzero().squeeze(1)  # NaN differs from itself
    if where.numel() == 0:
        return
    tally.differing += where.numel()
    both = (finite_a & finite_b)[where]
    kind = torch.complex128 if a.is_complex() or b.is_complex() else torch.float64
    wide_a, wide_b = a[where].to(kind), b[where].to(kind)
    error = (wide_a - wide_b).abs()
    size_a, size_b = wide_a.abs(), wide_b.abs()
    if bool(both.any()):
        tally.max_abs = max(tally.max_abs, float(error[both].max()))
        sized = both & (size_a > 0)
        if bool(sized.any()):
            tally.max_rel = max(tally.max_rel, float((error[sized] / size_a[sized]).max()))
    if exact or not bool(both.all()):
        tally.t = None
    if tally.t is not None:
        tally.t = _smallest_t(error, size_b, dtype, tally.t)
    atol, rtol = tolerances(dtype, CORRECT_AT)
    badness = error if exact else error / (atol + rtol * size_b)
    badness = torch.where(both, badness, math.inf)
    top = torch.topk(badness, min(WORST, badness.numel()))
    found = zip(top.values.tolist(), (where[top.indices] + start).tolist(), strict=True)
    tally.worst = sorted([*tally.worst, *found], key=lambda item: (-item[0], item[1]))[:WORST]


def _smallest_t(error: torch.Tensor, size: torch.Tensor, dtype: str, start: int) -> int | None:
    """Smallest t from `start` on at which every error is allowed; None beyond LAST_T."""
    for t in range(max(start, FIRST_T), LAST_T + 1):
        atol, rtol = tolerances(dtype, t)
        if bool((error <= atol + rtol * size).all()):
            return t
    return None


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.dtype.itemsize == 1 and tensor.is_floating_point():  # float8: few operations exist
        tensor = tensor.float()
    elif tensor.dtype in (torch.bool, torch.uint16, torch.uint32, torch.uint64):
        tensor = tensor.to(torch.int64)
    return tensor.resolve_conj().resolve_neg().reshape(-1)


def _unravel(flat: int, shape: Sequence[int]) -> list[int]:
    index = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        index.append(at)
    return index[::-1]


def _plain(value: Any) -> Any:
    """A JSON value: what JSON does not know becomes text."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
