"""The environment variables that the evaluator needs, and nothing else: secrets of the service never reach a run.

A forked process inherits all memory, so removing a variable late leaves copies behind. The command line therefore
starts itself once more with the scrubbed environment before it imports anything large (`restart_scrubbed`).
"""

import os
import sys

ALLOW_UNISOLATED = "PASSNET_ALLOW_UNISOLATED"  # "1": judge also where submissions can not be shut in

_KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TERM", "NO_COLOR", "COLUMNS", "TMPDIR", "CC", "CXX",
    "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE", "TRITON_INTERPRET", ALLOW_UNISOLATED,
})  # fmt: skip
_KEPT_PREFIXES = ("LC_", "CUDA_", "NVIDIA_", "TRITON_CACHE", "PASSNET_EVALUATOR_")

# Thread pools of one thread: a fork copies only the forking thread, and the runner's numbers must not depend on them.
_POOLS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TORCHINDUCTOR_COMPILE_THREADS",
)
_SINGLE_THREADED = dict.fromkeys(_POOLS, "1")


def scrubbed(environment: dict[str, str]) -> dict[str, str]:
    """What of `environment` the evaluator keeps, with every thread pool limited to one thread."""
    kept = {k: v for k, v in environment.items() if k in _KEPT or k.startswith(_KEPT_PREFIXES)}
    # Without this, importing Inductor counts the devices with CUDA itself and no fork can use the GPU any more.
    return kept | _SINGLE_THREADED | {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def allow_unisolated(asked: bool) -> None:
    """Remember that the command line asks for it."""
    if asked:
        os.environ[ALLOW_UNISOLATED] = "1"


def restart_scrubbed() -> None:
    """Replace this process by the same command in the scrubbed environment, unless it has that already."""
    clean = scrubbed(dict(os.environ))
    if clean != dict(os.environ):
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], clean)


def for_a_run(folder: str, user: str) -> dict[str, str]:
    """The environment that a submission sees: everything it may write lies in its own `folder`."""
    kept = (
        "PATH",
        "LANG",
        "LD_LIBRARY_PATH",
        "LIBRARY_PATH",
        "CPATH",
        "CC",
        "CXX",
        "TRITON_INTERPRET",
        "CUDA_VISIBLE_DEVICES",
    )
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **_SINGLE_THREADED,
        "USER": user,
        "LOGNAME": user,
        "HOME": folder,
        "TMPDIR": folder,
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "CUDA_CACHE_PATH": f"{folder}/cuda",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def replace(environment: dict[str, str]) -> None:
    """Make `environment` the whole environment of this process."""
    os.environ.clear()
    os.environ.update(environment)
