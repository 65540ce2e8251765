"""Names of devices: a class of devices ("cuda:H200") on which results may be compared, and what torch calls it."""


def torch_device(device: str) -> str:
    """ "cpu" → "cpu", "cuda:H200" → "cuda", "cuda:1" → "cuda:1" """
    kind, _, which = device.partition(":")
    return device if which.isdigit() else kind


def same_kind(one: str, other: str) -> bool:
    return one.partition(":")[0] == other.partition(":")[0]
