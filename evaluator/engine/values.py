"""Arguments and results of graphs: tensors among numbers, tuples and None."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only


def map_tensors(function: Callable[[torch.Tensor], Any], values: Any) -> Any:
    """The same structure with every tensor replaced."""
    return tree_map_only(torch.Tensor, function, values)


@contextmanager
def same_randomness(values: Sequence[Any]) -> Iterator[None]:
    """Leave the random generators as they were: the CPU's, and those of the devices where `values` lie.

    Asking for those of all devices, as `fork_rng` does by itself, starts CUDA: not to be done before a fork.
    """
    devices = {
        leaf.device.index for leaf in tree_leaves(list(values)) if isinstance(leaf, torch.Tensor) and leaf.is_cuda
    }
    with torch.random.fork_rng(sorted(devices)):
        yield


def copied(values: Sequence[Any]) -> list[Any]:
    """Fresh copies of all tensors: a graph may write into its inputs. Strides are kept; aliases are not."""
    return [map_tensors(lambda tensor: tensor.detach().clone(), value) for value in values]
