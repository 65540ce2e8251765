"""A smaller input that still fails: dimensions of one size shrink together, as far as graph and failure allow."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from graphs.samples import TensorMeta

Metas = Sequence[TensorMeta]


def shrink(metas: Metas, fails: Callable[[Metas], bool], tries: int = 40) -> list[TensorMeta]:
    """Greedy: each size is tried as 1, 2, and then its half until nothing more gives way or `tries` calls are spent.

    `fails(metas)` must answer False where the graph itself does not run on such inputs, and never raise. `metas`
    themselves are taken as failing.
    """
    current = list(metas)
    left = tries
    progress = True
    while progress and left > 0:
        progress = False
        for size in sorted({size for meta in current for size in _sizes(meta)}, reverse=True):
            for smaller in dict.fromkeys((1, 2, size // 2)):
                if not 0 < smaller < size or left == 0:
                    continue
                left -= 1
                candidate = [resized(meta, size, smaller) for meta in current]
                if fails(candidate):
                    current, progress = candidate, True
                    break
    return current


def _sizes(meta: TensorMeta) -> list[int]:
    return [size for size in meta.shape if size > 1]


def resized(meta: TensorMeta, size: int, smaller: int) -> TensorMeta:
    """Every dimension of `size` cut to `smaller`, exact data with it; a number that equals the size follows.

    Where no exact data is affected the new size may be larger as well.
    """
    if not meta.shape and meta.data == (size,):
        return replace(meta, data=(smaller,))
    shape = tuple(smaller if one == size else one for one in meta.shape)
    if shape == meta.shape:
        return meta
    data = None if meta.data is None else tuple(_cut(meta.data, meta.shape, shape))
    return replace(meta, shape=shape, data=data)


def _cut(data: Sequence[Any], shape: Sequence[int], smaller: Sequence[int]) -> list[Any]:
    """The leading corner of a tensor that lies flat in `data`."""
    strides = [1]
    for one in reversed(shape[1:]):
        strides.append(strides[-1] * one)
    steps = strides[::-1]
    return [
        data[sum(at * step for at, step in zip(index, steps, strict=True))]
        for index in itertools.product(*map(range, smaller))
    ]
