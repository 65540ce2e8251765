"""The Linux calls that Python does not wrap, through ctypes on the C library. Loaded before any fork."""

import ctypes
import os
import signal
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1, 0x2, 0x4, 0x8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
MNT_DETACH = 0x2

# System calls without a wrapper in older C libraries; the numbers are the same on x86-64 and AArch64 from 424 on.
_SYS_MOUNT_SETATTR = 442
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITY_VERSION_3 = 0x20080522


def _check(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def syscall(number: int, *arguments: object) -> int:
    """A system call without a wrapper; -1 with the reason in `ctypes.get_errno()`."""
    return int(_libc.syscall(ctypes.c_long(number), *arguments))


def prctl(option: int, value: int, second: int = 0) -> None:
    """One process control option; raises OSError."""
    arguments = [ctypes.c_ulong(x) for x in (value, second, 0, 0)]
    _check(_libc.prctl(ctypes.c_int(option), *arguments), f"prctl({option})")


def set_name(name: str) -> None:
    """What /proc calls this process and what it forks: at most 15 bytes, and nothing that anybody need believe."""
    text = ctypes.create_string_buffer(name.encode()[:15])
    prctl(PR_SET_NAME, ctypes.addressof(text))


def die_with_parent(expected_parent: int | None = None) -> None:
    """Be killed when the parent dies. `expected_parent` closes the race with a parent that is dead already.

    Changing the user id forgets this: call it again afterwards.
    """
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if expected_parent is not None and os.getppid() != expected_parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that it can be found and reaped."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def unshare(flags: int) -> None:
    """Leave the namespaces named by CLONE_ flags for new ones; raises OSError where the kernel refuses."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str | None, target: Path, kind: str | None, flags: int, options: str = "") -> None:
    encoded = [None if text is None else text.encode() for text in (source, str(target), kind)]
    result = _libc.mount(*encoded, ctypes.c_ulong(flags), options.encode() or None)
    _check(result, f"mount {source or kind or ''} on {target}")


def bind_read_only(source: Path, target: Path) -> None:
    """Let `source`, with what is mounted below it, appear at `target`, and nothing there be changed."""
    mount(str(source), target, None, MS_BIND | MS_REC)
    restrict(target, MS_RDONLY | MS_NOSUID)


def restrict(target: Path, flags: int) -> None:
    """Add MS_RDONLY, MS_NOSUID, MS_NODEV to a mount and to all below it. Needs Linux 5.12."""
    attributes = (ctypes.c_uint64 * 4)(flags, 0, 0, 0)  # the first bits of MOUNT_ATTR_ are those of MS_
    result = _libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        str(target).encode(),
        ctypes.c_uint(_AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _check(result, f"mount_setattr {target}")


def unmount(target: Path) -> None:
    """Detach a mount with all below it."""
    _check(_libc.umount2(str(target).encode(), ctypes.c_int(MNT_DETACH)), f"umount {target}")


def pivot_root(new: Path, old: Path) -> None:
    number = _SYS_PIVOT_ROOT[os.uname().machine]
    _check(_libc.syscall(ctypes.c_long(number), str(new).encode(), str(old).encode()), f"pivot_root {new}")


def drop_capabilities() -> None:
    """Give up every capability, also for programs that are started later."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for number in range(last + 1):
        prctl(PR_CAPBSET_DROP, number)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
