"""What a CUDA device is made of, as its driver tells it: what a kernel's author has to fit into."""

from typing import Any

#: Names in torch.cuda.get_device_properties, and ours. Bytes, or counts.
_FACTS = {
    "multi_processor_count": "multiprocessors",
    "shared_memory_per_multiprocessor": "shared_memory_per_multiprocessor",
    "shared_memory_per_block_optin": "shared_memory_per_block",
    "L2_cache_size": "l2_cache",
    "regs_per_multiprocessor": "registers_per_multiprocessor",
    "max_threads_per_multi_processor": "threads_per_multiprocessor",
    "warp_size": "warp_size",
    "total_memory": "memory",
}


def facts_of(properties: Any) -> dict[str, int]:
    """By our names; what this torch does not tell is left out."""
    found = {ours: getattr(properties, theirs, None) for theirs, ours in _FACTS.items()}
    return {name: value for name, value in found.items() if isinstance(value, int)}
