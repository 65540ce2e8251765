"""Compiler caches that runs begin with: made by our own processes from trusted graphs, read-only for submissions.

What a runner compiles stays in its private folder and is gone with it: nothing a submission wrote is ever read again.
A seed is a zip of cache folders ("inductor/…", "triton/…"). One for each graph holds Inductor's baseline; it is kept
on disk and handed to a runner as an open descriptor. One small seed that all runners get lies in memory (`common`).
"""

import contextlib
import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluator.runner.versions import versions
from graphs.samples import Sample

FOLDERS = {"inductor": "TORCHINDUCTOR_CACHE_DIR", "triton": "TRITON_CACHE_DIR"}
_MAX_BYTES = 64 << 20

#: The seed of all runners: Triton's stubs. Set once, in the warm process, before anything is forked from it.
common: list[bytes] = []


def folder() -> Path:
    """Where seeds are kept."""
    chosen = os.environ.get("PASSNET_EVALUATOR_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "passnet-workbench" / "seeds"


def path_of(sample: Sample, device: str, baseline: str) -> Path:
    """The seed of one baseline of one graph on one kind of device, for these versions. It need not exist."""
    inputs = [(one.name, one.shape, one.dtype) for one in (*sample.inputs, *sample.model_inputs)]
    # How it is compiled: what another way has left behind would not be found by this one, or lacks the nodes' names.
    identity = repr((sample.content_hash, inputs, device, baseline, "standalone, named", sorted(versions().items())))
    return folder() / f"{hashlib.sha256(identity.encode()).hexdigest()[:40]}.zip"


def opened(path: Path) -> int | None:
    """A descriptor to read a seed from, or None where there is none."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def make(path: Path, work: Callable[[], object]) -> None:
    """Run `work` with fresh cache folders and keep what it left there, if that can be written and is not too large."""
    with fresh_caches() as caches:
        work()
        packed = pack(caches)
    if len(packed) > _MAX_BYTES:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(packed)
        Path(file.name).replace(path)


@contextmanager
def fresh_caches() -> Iterator[Path]:
    """Compilers write into a new folder within the block; it is removed afterwards."""
    before = {name: os.environ.get(name) for name in FOLDERS.values()}
    with tempfile.TemporaryDirectory(prefix="passnet-seed-") as name:
        for part, variable in FOLDERS.items():
            os.environ[variable] = str(Path(name, part))
        try:
            yield Path(name)
        finally:
            for variable, value in before.items():
                os.environ.pop(variable, None)
                if value is not None:
                    os.environ[variable] = value


def generated_code(path: Path) -> str | None:
    """The file that Inductor wrote for a graph, in a seed of ours; None where there is none, or it can not be read."""
    with contextlib.suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        for item in archive.infolist():
            if item.filename.startswith("inductor/") and item.filename.endswith(".py"):
                text = archive.read(item).decode("utf-8", "replace")
                if "def call(" in text:
                    return text
    return None


def pack(caches: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(caches.rglob("*")):
            if path.is_file() and not path.name.endswith((".lock", ".tmp")):
                archive.write(path, path.relative_to(caches))
    return packed.getvalue()


def unpack(seed: bytes) -> None:
    """Put a seed of ours into the cache folders of this process; a file that is there stays."""
    with zipfile.ZipFile(io.BytesIO(seed)) as archive:
        for item in archive.infolist():
            part, _, rest = item.filename.partition("/")
            root = os.environ.get(FOLDERS.get(part, ""))
            if root is None or ".." in Path(rest).parts:
                continue
            target = Path(root, rest)
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(item))
                target.chmod(0o700)
