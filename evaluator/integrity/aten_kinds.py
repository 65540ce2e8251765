"""What an ATen call of a launcher is, for the rules: free, a copy, a fill, or work."""

from enum import Enum, auto
from functools import lru_cache
from typing import Any

from evaluator.integrity.analysis.words import words


class AtenKind(Enum):
    VIEW = auto()  # metadata only
    ALLOCATE = auto()  # new memory, with constants or without values
    FILL = auto()  # a constant into a whole tensor
    READ = auto()  # a number out of a tensor
    COPY = auto()  # the same values elsewhere, as `contiguous` and `to` make them
    WORK = auto()


_ALLOCATE = words(
    """empty empty_like empty_strided empty_permuted new_empty new_empty_strided zeros zeros_like new_zeros ones
    ones_like new_ones full full_like new_full arange scalar_tensor eye linspace logspace range rand randn randint
    randperm tril_indices triu_indices _efficientzerotensor"""
)
_UNWRITTEN = words("empty empty_like empty_strided empty_permuted new_empty new_empty_strided")
_VIEW = words(
    """_unsafe_view lift lift_fresh detach_ squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_
    requires_grad_ record_stream _version is_pinned sym_size sym_stride sym_numel sym_storage_offset
    _assert_tensor_metadata _reshape_alias is_same_size"""
)
_LATER = words("_neg_view _conj")  # views by their schema: who reads them later does the work
_FILL = words("zero_ fill_ zero fill")
_READ = words("_local_scalar_dense item is_nonzero")
_COPY = words("_to_copy clone lift_fresh_copy contiguous to _pin_memory pin_memory view_copy")


@lru_cache(maxsize=4096)
def kind_of(operator: Any) -> AtenKind:
    """Kind of an OpOverload. Whatever is not known to be harmless is work."""
    name = operator._schema.name.rpartition("::")[2]
    if name in _LATER:
        return AtenKind.WORK
    for known, kind in _BY_NAME:
        if name in known:
            return kind
    return AtenKind.VIEW if getattr(operator, "is_view", False) else AtenKind.WORK


_BY_NAME = (
    (_ALLOCATE, AtenKind.ALLOCATE),
    (_VIEW, AtenKind.VIEW),
    (_FILL, AtenKind.FILL),
    (_READ, AtenKind.READ),
    (_COPY, AtenKind.COPY),
)


@lru_cache(maxsize=4096)
def is_unwritten(operator: Any) -> bool:
    """Whether an allocation comes without values."""
    return operator._schema.name.rpartition("::")[2] in _UNWRITTEN


@lru_cache(maxsize=4096)
def written_arguments(operator: Any) -> tuple[tuple[int, str], ...]:
    """Position and name of the arguments that the schema says are written into."""
    return tuple(
        (index, argument.name)
        for index, argument in enumerate(operator._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    )
