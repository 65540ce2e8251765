"""Which tensors hold data of a launcher's inputs, by their storage, for as long as that storage lives."""

from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef


class Ledger:
    """Storages known to hold data. One for a whole run: what an earlier call has kept stays known.

    A weak reference holds the storage's control block, so an address is never taken for that of a freed storage.
    """

    def __init__(self) -> None:
        self._known: dict[int, StorageWeakRef] = {}

    def mark(self, tensor: torch.Tensor) -> None:
        """From now on the tensor's storage holds data."""
        storage = storage_of(tensor)
        if storage is not None and not self.holds_data(tensor):
            self._forget_dead()
            self._known[storage._cdata] = StorageWeakRef(storage)

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor's storage holds data; tensors without a storage are taken to."""
        storage = storage_of(tensor)
        if storage is None:
            return True
        known = self._known.get(storage._cdata)
        return known is not None and not known.expired()

    def _forget_dead(self) -> None:
        if len(self._known) % 64 == 63:
            self._known = {key: ref for key, ref in self._known.items() if not ref.expired()}


def storage_of(tensor: torch.Tensor) -> Any:
    """The tensor's untyped storage, or None where it has none (sparse and the like)."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None


def storage_key(tensor: torch.Tensor) -> int | None:
    """Identity of a live tensor's storage."""
    storage = storage_of(tensor)
    return None if storage is None else storage._cdata
