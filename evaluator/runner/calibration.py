"""What one device can do, measured once when a worker starts, in a process of its own: the warm parent stays clean.

The same process proves that the device computes correctly (`canary`) and leaves behind Triton's stubs, which every run
would compile again otherwise.
"""

import base64
import contextlib
import json
import os
import sys
from dataclasses import asdict
from typing import Any

from evaluator.measure.roofline import DeviceRates
from evaluator.runner import processes, seeds


class BadDevice(Exception):
    """The device does not work, or computes something else than it should."""


#: Whose modules are worth importing before a fork.
_PACKAGES = frozenset({"torch", "triton", "sympy", "mpmath", "numpy", "torchgen"})
#: What `calibrate` found; forks inherit it. Empty on a CPU.
_found: dict[str, Any] = {}


def rates() -> DeviceRates | None:
    """What this machine's device was measured to reach; None where it was not."""
    known = _found.get("rates")
    return None if known is None else DeviceRates(**known)


def device_name() -> str | None:
    """ "NVIDIA H200" """
    return _found.get("name")


def facts() -> dict[str, int]:
    """What this machine's device is made of (measure.device_facts); empty on a CPU."""
    return dict(_found.get("facts", {}))


def capability() -> int:
    """The device's compute capability as one number: 90 for 9.0."""
    return int(_found["capability"])


def modules() -> list[str]:
    """Modules of torch, Triton and theirs that measuring imports on the device."""
    return [str(name) for name in _found["modules"]]


def calibrate(device: str) -> None:
    """Measure `device` in a fork. Raises BadDevice with the reason when it does not work."""
    reader, writer = os.pipe2(os.O_CLOEXEC)

    def main() -> None:
        with os.fdopen(writer, "w") as file:
            json.dump(_measured(device), file)

    process = processes.start(main, keep=[writer])
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    ending = process.wait()
    if ending.code != 0 or not said:
        raise BadDevice(f"the device {device} could not be measured (the process ended with {ending})")
    _found.update(json.loads(said))
    if _found["problem"]:
        raise BadDevice(str(_found["problem"]))
    seeds.common[:] = [base64.b64decode(_found.pop("stubs"))]


def canary(device: str) -> str | None:
    """Why `device` can not be trusted with a run, or None: a product and a sum whose results are known exactly."""
    import torch

    try:
        ones = torch.full((512, 512), 2.0, device=device)
        products = ones @ ones  # each element is 512 · 4, exact in every precision
        counted = torch.arange(1 << 20, device=device, dtype=torch.int64).sum()
        torch.cuda.device_count()  # remembered from here on: asked later, NVML has been seen to count none in a fork
        right = bool((products == 2048.0).all()) and int(counted) == (1 << 19) * ((1 << 20) - 1)
        return None if right else "it computes wrong results"
    except RuntimeError as problem:
        return f"it does not compute: {problem}"


def _measured(device: str) -> dict[str, Any]:
    import torch

    from evaluator.measure.device_facts import facts_of
    from evaluator.measure.device_rates import device_rates

    before = frozenset(sys.modules)
    with seeds.fresh_caches() as caches:
        problem = canary(device)
        if problem:
            return {"problem": f"the device {device} is taken out: {problem}"}
        found = device_rates(torch.device(device))
        stubs = seeds.pack(caches)
    with seeds.fresh_caches():
        _compile_once(device)
    major, minor = torch.cuda.get_device_capability(device)
    return {
        "problem": None,
        "capability": 10 * major + minor,
        "modules": sorted(name for name in set(sys.modules) - before if name.partition(".")[0] in _PACKAGES),
        "name": torch.cuda.get_device_name(device),
        "rates": asdict(found),
        "facts": facts_of(torch.cuda.get_device_properties(device)),
        "stubs": base64.b64encode(stubs).decode(),
    }


def _compile_once(device: str) -> None:
    """Have Inductor do what it does for a baseline, for the sake of what it imports."""
    import torch
    from torch.fx import symbolic_trace

    from evaluator.measure.baselines import compile_baseline

    module = symbolic_trace(lambda x, y: torch.nn.functional.relu(x + y).sum(1))
    with contextlib.suppress(Exception):  # whoever can not compile here can still judge
        compile_baseline("inductor", module, [torch.ones(4, 8, device=device) for _ in range(2)])
