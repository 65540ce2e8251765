"""How a runner is shut in. `start` is the only way one comes to life; the submission is loaded after all of this.

Two levels. With namespaces (of root, or of a plain user through a user namespace): its own read-only file system with
one private folder, no network, no view of other processes, no capabilities. Where the kernel refuses those: its own
session, limits, folder and environment only, which is said in every result, and has to be asked for. In both, system
calls that nobody needs are refused (seccomp), and files, ports and signals are fenced off a second time (Landlock).
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from evaluator.events import Isolation
from evaluator.job import Job, Limits
from evaluator.runner import environment, identity, landlock, linux, namespaces, new_root, processes, rlimits, seccomp
from evaluator.runner.namespaces import Place
from evaluator.runner.processes import Process

NAMESPACES = "namespaces"
USER_NAMESPACES = "namespaces of a plain user"
PROCESS_GROUP = "process group only"

_YES = ("1", "true", "yes", "on")


@dataclass(frozen=True)
class Found:
    """What isolation this machine gives; `missing` says why it is not the full one, `fix` how to get that."""

    level: str
    missing: str | None = None
    fix: str | None = None


def level() -> str:
    """What separates a runner from the machine here, for every result."""
    return probe().level


def parts() -> Isolation:
    """Which parts of the isolation are on here, for every result."""
    inside = level() != PROCESS_GROUP
    other_user = inside or (os.getuid() == 0 and identity.libraries_are_readable())
    known = {
        "own namespaces (files, processes, IPC, host name)": inside,
        "no network": inside,
        "read-only system": inside,
        "size-limited private folder": inside,
        "other user, no capabilities": other_user,
        "system call filter (seccomp)": seccomp.is_available(),
        "file, port and signal rules (Landlock)": bool(landlock.version()),
        "limits of time, memory, processes and output": True,
        "scrubbed environment": True,
    }
    return {
        "level": level(),
        "on": [name for name, is_on in known.items() if is_on],
        "off": [name for name, is_on in known.items() if not is_on],
    }


@cache
def probe() -> Found:
    """Try it once, with a process that only looks around. Forks inherit the answer."""
    problem = _try_namespaces()
    if problem is None:
        return Found(NAMESPACES if os.getuid() == 0 else USER_NAMESPACES)
    fix = None if os.getuid() == 0 else "sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1"
    return Found(PROCESS_GROUP, f"no namespaces ({problem})", fix)


def refusal() -> str | None:
    """Why nothing is judged here, or None. Where submissions can not be shut in, that has to be asked for."""
    found = probe()
    if found.level != PROCESS_GROUP or os.environ.get(environment.ALLOW_UNISOLATED, "").lower() in _YES:
        return None
    fix = f" To get namespaces: {found.fix}." if found.fix else ""
    return (
        f"Nothing is judged: submissions would not be shut in, {found.missing}.{fix} "
        "To judge without isolation, which is for code that you trust as your own: "
        f"{environment.ALLOW_UNISOLATED}=1, or --unisolated."
    )


def start(
    main: Callable[[Path], None],
    job: Job,
    folder: Path,
    *,
    keep: Iterable[int],
    stdio: Sequence[int | None],
) -> Process:
    """Fork a shut-in process that runs `main` with the only folder that it may write to.

    `folder` is empty and ours; with namespaces it only marks the place where the new file system is put together.
    """
    confine = _in_namespaces if probe().level != PROCESS_GROUP else _in_process_group
    main = partial(_with_priority, main, timed=job.is_timed)
    return processes.start(partial(confine, main, job.limits, job.device, folder), keep=keep, stdio=stdio)


def _in_namespaces(main: Callable[[Path], None], limits: Limits, device: str, folder: Path) -> None:
    place = Place(folder, identity.own_uid(), identity.USER, device, limits.disk_bytes)
    namespaces.enter(place, partial(_settle, main, limits, device, 0))


def _in_process_group(main: Callable[[Path], None], limits: Limits, device: str, folder: Path) -> None:
    others = 0
    if os.getuid() == 0 and identity.libraries_are_readable():
        uid, parent = identity.own_uid(), os.getppid()
        os.chown(folder, uid, uid)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        linux.die_with_parent(parent)  # changing the user has undone it
    else:
        others = processes.count_of(os.getuid())
    _settle(main, limits, device, others, folder)


def _settle(main: Callable[[Path], None], limits: Limits, device: str, others: int, folder: Path) -> None:
    """The last steps before a submission may be loaded, alike at both levels."""
    os.umask(0o077)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    rlimits.apply(limits, device=device, counts_others=others)
    environment.replace(environment.for_a_run(str(folder), identity.USER))
    os.chdir(folder)
    tempfile.tempdir = None  # it remembers the service's folder
    _fence(folder, device)
    main(folder)


def _with_priority(main: Callable[[Path], None], folder: Path, *, timed: bool) -> None:
    if not timed:
        os.nice(10)  # the judge, the supervisor and the pages come first
    main(folder)


def _fence(folder: Path, device: str) -> None:
    """What the kernel refuses from now on. Nothing that was started from here can take it off."""
    if landlock.version():
        inside = folder == new_root.FOLDER
        read = [Path("/")] if inside else [*new_root.system_paths(), Path("/etc"), Path("/sys")]
        landlock.apply(read, [new_root.PRIVATE if inside else folder], [Path("/dev"), Path("/proc")])
    if seccomp.is_available():
        seccomp.apply(device)


def _try_namespaces() -> str | None:
    """None when they work here, else why not."""
    with tempfile.TemporaryDirectory(prefix="passnet-probe-") as root:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        main = partial(_in_namespaces, _look_around, Limits(), "cpu", Path(root))
        process = processes.start(main, stdio=(None, writer, writer))
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            said = file.read().decode(errors="replace").strip()
        ending = process.wait()
        if ending.code == 0:
            return None
        return said.splitlines()[-1] if said else str(ending)


def _look_around(folder: Path) -> None:
    """Raise OSError unless this place is as it should be."""
    (folder / "written").write_text("x")
    Path("/proc/self/stat").read_bytes()
    Path(os.__file__).read_bytes()
