"""Which device classes this installation has, and how each of them is doing. Without importing torch."""

import functools
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from evaluator.runner.isolation import NAMESPACES, USER_NAMESPACES
from submissions.models import LIVE_STATES, Device, Run
from submissions.workers import SEEN_LIMIT, judging


@dataclass(frozen=True)
class DeviceState:
    """How a device class is doing. `status`: ready, warming, busy or offline."""

    device: str
    label: str
    status: str
    message: str
    queued: int
    isolation: str = ""

    @property
    def isolated(self) -> bool | None:
        """Whether submissions are shut in; None until the evaluator has said."""
        return is_isolated(self.isolation) if self.isolation else None


def is_isolated(level: str) -> bool:
    """Whether this level (of the daemon's hello) is a boundary. A level that is not known is none."""
    return level in (NAMESPACES, USER_NAMESPACES)


def without_isolation() -> list[str]:
    """The device classes that judge, or would judge, without isolation. One query: asked for each page."""
    return [device.name for device in Device.objects.exclude(isolation="") if not is_isolated(device.isolation)]


def device_names() -> list[str]:
    """The device classes of WORKER_DEVICES; `auto` is the CPU, and a CUDA device if torch can use one."""
    chosen = str(settings.WORKER_DEVICES)
    if chosen != "auto":
        return [name.strip() for name in chosen.split(",") if name.strip()]
    return ["cpu", *_cuda_devices()]


def device_label(name: str) -> str:
    """What people read: "CPU · Triton interpreter", "H200"."""
    return "CPU · Triton interpreter" if name == "cpu" else name.removeprefix("cuda:")


def socket_path(name: str) -> Path:
    """The unix socket of the runner daemon of a device class."""
    return Path(settings.RUNNER_SOCKETS) / (re.sub(r"[^A-Za-z0-9]+", "-", name)[:34] + ".sock")


def device_states() -> list[DeviceState]:
    """The state of every device class, from what its worker said last and from the runs there are."""
    known = Device.objects.in_bulk(device_names())
    return [_state(name, known.get(name)) for name in device_names()]


def _state(name: str, said: Device | None) -> DeviceState:
    queued = Run.objects.filter(device=name, state="queued").count()
    if said is None or said.seen_at < timezone.now() - SEEN_LIMIT:
        status, message = "offline", "No worker of this device answers. Runs wait in the queue until one does."
    elif said.status == "ready" and Run.objects.filter(device=name, state__in=LIVE_STATES).count() >= judging(name):
        status, message = "busy", "A run is being judged; others wait their turn."
    else:
        status, message = said.status, said.message
    return DeviceState(name, device_label(name), status, message, queued, said.isolation if said else "")


@functools.cache
def _cuda_devices() -> list[str]:
    """`["cuda:H200"]` when there is an NVIDIA device and the installed torch was built for it."""
    if not torch_has_cuda() or not shutil.which("nvidia-smi"):
        return []
    return [f"cuda:{name}" for name in _names_from_nvidia_smi()[:1]]


def torch_has_cuda(find: Callable[[str], object] = importlib.util.find_spec) -> bool:
    """Whether the installed torch is a CUDA build, read from its version file: importing torch takes seconds."""
    spec = find("torch")
    origin = getattr(spec, "origin", None)
    if not origin:
        return False
    try:
        text = (Path(origin).parent / "version.py").read_text(encoding="utf-8")
    except OSError:
        return False
    return re.search(r"^cuda\b[^=\n]*= *['\"]", text, re.MULTILINE) is not None


def _names_from_nvidia_smi() -> list[str]:
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip().removeprefix("NVIDIA ").replace(" ", "-") for line in listed.splitlines() if line.strip()]
