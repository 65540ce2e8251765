"""`python -m evaluator doctor`: what judging needs, what of it is here, and the command that gets the rest."""

import importlib.util
import platform
import shutil
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ok", "missing", "optional"]

_MARKS: dict[State, str] = {"ok": "●", "missing": "■", "optional": "▲"}
_INSTALL = "pip install -e '.[evaluator]'"


@dataclass(frozen=True)
class Item:
    """One thing that was looked for. `optional` means: not here, and judging works without it."""

    name: str
    state: State
    detail: str
    fix: str | None = None  # a command


def main() -> int:
    """Print everything; 0 when submissions can be judged here, else 3."""
    items = examine()
    width = max(len(item.name) for item in items)
    for item in items:
        print(f"{_MARKS[item.state]} {item.name:<{width}}  {item.detail}")
        if item.fix:
            print(f"  {'':<{width}}  → {item.fix}")
    missing = [item.name for item in items if item.state == "missing"]
    print(f"\n{'missing: ' + ', '.join(missing) if missing else 'submissions can be judged here'}")
    return 3 if missing else 0


def examine() -> list[Item]:
    checks: tuple[Callable[[], Item], ...] = (
        _system, _python, _torch, _triton, _cuda, _profiler, _compiler, _headers, _isolation,
    )  # fmt: skip
    return [check() for check in checks]


def _system() -> Item:
    if sys.platform == "linux":
        return Item("system", "ok", f"Linux {platform.release()}")
    return Item("system", "missing", f"{platform.system()}: runs are isolated with Linux's means; use a Linux machine")


def _python() -> Item:
    good = sys.version_info >= (3, 11)
    fix = None if good else "apt-get install python3.11 python3.11-venv"
    return Item("Python", "ok" if good else "missing", f"{platform.python_version()} ({sys.executable})", fix)


def _torch() -> Item:
    return _package("torch")


def _triton() -> Item:
    return _package("triton")


def _package(name: str) -> Item:
    from evaluator.runner.versions import versions

    if importlib.util.find_spec(name) is None:
        return Item(name, "missing", "not installed", _INSTALL)
    return Item(name, "ok", versions()[name])


def _cuda() -> Item:
    if not Path("/dev/nvidiactl").exists():
        return Item("CUDA", "optional", "no device: matches, correctness and launches are judged, speed is not")
    if importlib.util.find_spec("torch") is None:
        return Item("CUDA", "optional", "a device, but no torch to use it", _INSTALL)
    import torch

    if torch.cuda.is_available():
        return Item("CUDA", "ok", f"{torch.cuda.get_device_name()} (CUDA {torch.version.cuda})")
    fix = "pip install torch==2.13.0" if torch.version.cuda is None else "nvidia-smi"
    return Item("CUDA", "optional", f"a device that torch {torch.__version__} can not use", fix)


def _profiler() -> Item:
    if _cuda().state != "ok":
        return Item("profiler", "optional", "kernels are profiled on a GPU")
    import torch

    from evaluator.measure.kernels import launches, profile_kernels

    try:
        number = torch.ones(8, device="cuda")
        found = launches(profile_kernels({"one": lambda: number + 1}, repeats=1)["one"].kernels)
        problem = "" if found == 1 else f"it sees {found} kernels where one was launched"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
    if not problem:
        return Item("profiler", "ok", "kernels can be counted and named")
    why = f"{problem}: kernels are not counted on the device; timings by e2e, gpu and graph do without"
    return Item("profiler", "optional", why, "grep RmProfilingAdminOnly /proc/driver/nvidia/params")


def _compiler() -> Item:
    found = next((path for name in ("g++", "clang++") if (path := shutil.which(name))), None)
    if found:
        return Item("C++ compiler", "ok", found)
    what = "none: Inductor on the CPU and Triton on a GPU need one"
    return Item("C++ compiler", "optional", what, "apt-get install g++")


def _headers() -> Item:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if header.exists():
        return Item("Python headers", "ok", str(header.parent))
    return Item("Python headers", "optional", "none: Triton on a GPU needs them", "apt-get install python3-dev")


def _isolation() -> Item:
    from evaluator.runner import isolation

    found = isolation.probe()
    if not found.missing:
        return Item("isolation", "ok", found.level)
    return Item("isolation", "optional", f"{found.level}; {found.missing}", found.fix)
