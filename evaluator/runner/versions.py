"""Versions that a result depends on, read without importing what they belong to."""

import importlib.metadata
import platform
from functools import cache

_NONE = "not installed"


@cache
def versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "torch": _of("torch"),
        "triton": _of("triton"),
        "harness": _of("passnet-workbench"),
    }


def _of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return _NONE
