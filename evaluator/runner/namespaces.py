"""A runner in namespaces of its own: mounts, processes, network, IPC, host name, and users where we are not root.

    outer  unshares, waits, and ends the way the runner ended
      init   process 1 in there: builds the file system, forks the runner, reaps what it leaves; when it is killed the
             kernel kills everything else in there, however many processes and sessions that are
        runner   with its own user id and no capabilities; loads the submission

Each dies with its parent, so killing `outer` is enough.
"""

import os
import signal
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluator.runner import linux, new_root, processes

_STATUS = struct.Struct("!i")
_KINDS = (
    linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """What the runner is put into."""

    root: Path  # an empty folder: becomes the root of the file system
    uid: int  # of the runner, also its group
    user: str
    device: str
    disk_bytes: int


def enter(place: Place, then: Callable[[Path], None]) -> None:
    """Turn this process into `outer` and run `then(folder)` as the runner. Raises OSError where the kernel refuses.

    Never returns otherwise.
    """
    as_root = os.getuid() == 0
    if as_root:
        linux.unshare(_KINDS)
    else:
        uid, gid = os.getuid(), os.getgid()
        linux.unshare(_KINDS | linux.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{place.uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{place.uid} {gid} 1")
    status_end, report_end = os.pipe2(os.O_CLOEXEC)
    init = os.fork()
    if init:
        os.close(report_end)
        _wait_and_end_alike(init, status_end)
    os.close(status_end)
    linux.die_with_parent()
    new_root.build(place.root, disk_bytes=place.disk_bytes, device=place.device, uid=place.uid, user=place.user)
    runner = os.fork()
    if runner:
        _be_init(runner, report_end)
    os.close(report_end)
    if as_root:
        os.setgroups([])
        os.setresgid(place.uid, place.uid, place.uid)
        os.setresuid(place.uid, place.uid, place.uid)
    else:
        linux.drop_capabilities()
    linux.prctl(linux.PR_SET_DUMPABLE, 0)  # nothing that the submission starts can look into the runner
    linux.die_with_parent(1)
    os.setsid()
    then(new_root.FOLDER)
    os._exit(0)


def _be_init(runner: int, report_end: int) -> None:
    """Wait for the runner, collecting orphans, and report how it ended. The kernel kills the rest when we end."""
    processes.close_others({report_end})
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        pid, status = os.wait()
        if pid == runner:
            os.write(report_end, _STATUS.pack(status))
            os._exit(0)


def _wait_and_end_alike(init: int, status_end: int) -> None:
    """Be `outer`: hold nothing, and end as the runner ends, when nothing in there is alive any more."""
    processes.close_others({status_end})
    for stream in (0, 1, 2):
        os.close(stream)
    report = os.read(status_end, _STATUS.size)
    os.waitpid(init, 0)  # it ends after the last process of its namespace
    if len(report) < _STATUS.size:  # init was killed
        os.kill(os.getpid(), signal.SIGKILL)
    (status,) = _STATUS.unpack(report)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
