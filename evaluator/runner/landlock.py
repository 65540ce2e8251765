"""A second fence around a runner's files, TCP ports and signals, kept by the kernel's Landlock where it has that.

Inside of namespaces it repeats what the mounts say already. Without them it is what keeps a submission from the
service's files and processes.
"""

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from evaluator.runner import linux

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every processor
_ONLY_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_CHANGE_FOLDERS = 0x1FF0  # removing and making entries of all kinds
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEVICE  # the rest makes sense for folders alone
_TCP = 0x3  # bind and connect
_SCOPES = 0x3  # abstract sockets of others, signals to others

READ = _EXECUTE | _READ | _LIST
WRITE = READ | _WRITE | _CHANGE_FOLDERS | _REFER | _TRUNCATE | _IOCTL_DEVICE
USE = _READ | _LIST | _WRITE | _TRUNCATE | _IOCTL_DEVICE  # device nodes, /proc


@cache
def version() -> int:
    """Version of Landlock's interface in this kernel; 0 where there is none."""
    return max(0, linux.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_ONLY_VERSION)))


def apply(read: Iterable[Path], write: Iterable[Path], use: Iterable[Path]) -> None:
    """Shut this process and all that it starts in; raises OSError. Needs `no_new_privs`. Paths need not exist."""
    known = version()
    handled = READ | _WRITE | _CHANGE_FOLDERS
    handled |= (_REFER if known >= 2 else 0) | (_TRUNCATE if known >= 3 else 0) | (_IOCTL_DEVICE if known >= 5 else 0)
    fields = [handled, *([_TCP] if known >= 4 else ()), *([_SCOPES] if known >= 6 else ())]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = linux.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for paths, rights in ((read, READ), (write, WRITE), (use, USE)):
            for path in paths:
                with contextlib.suppress(FileNotFoundError):
                    _allow(rules, path, rights & handled)
        if linux.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0)) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, place)
        if linux.syscall(_ADD, ctypes.c_int(rules), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint(0)) != 0:
            raise OSError(ctypes.get_errno(), f"landlock_add_rule for {path}")
    finally:
        os.close(place)
