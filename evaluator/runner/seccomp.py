"""The system calls that a runner may not make, as a filter in the kernel. Needs `no_new_privs`; can not be taken off.

What is refused fails with EPERM, so that code which asks out of habit goes on. The program is written here by hand:
it is short, and a machine without libseccomp has it, too. Calls that PyTorch, Triton, compilers and CUDA make are left
alone; whoever adds one to the list runs the tests on a GPU as well.
"""

import ctypes
import errno
import os
import struct

from evaluator.runner import linux

# name → number on (x86-64, AArch64); one number: the same on both.
_REFUSED: dict[str, tuple[int, int] | int] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424, "process_madvise": 440,
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "pivot_root": (155, 41), "mount": (165, 40),
    "umount2": (166, 39), "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442, "statmount": 457, "listmount": 458, "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": 443, "fanotify_init": (300, 262),
    # large parts of the kernel that nobody needs here
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
    # memory that belongs to no process, and so would not be counted
    "shmget": (29, 194), "msgget": (68, 186), "memfd_secret": 447,
    # the machine
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "syslog": (103, 116), "vhangup": (153, 58), "sethostname": (170, 161),
    "setdomainname": (171, 162), "settimeofday": (164, 170), "adjtimex": (159, 171), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
}  # fmt: skip
_ONLY_X86 = {"iopl": 172, "ioperm": 173, "modify_ldt": 154, "uselib": 134}
_ONLY_ON_CPU = {"memfd_create": (319, 279)}  # as above; left to the driver of a GPU
_CLONE, _SOCKET, _IOCTL, _CLONE3 = (56, 220), (41, 198), (16, 29), 435
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # typing into somebody's terminal
_AF_UNIX, _AF_NETLINK = 1, 16

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, AUDIT_ARCH_
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24  # offsets in struct seccomp_data
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
_INSTRUCTION = struct.Struct("=HBBI")

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2


def is_available() -> bool:
    """Whether there is a filter for this machine's processor."""
    return os.uname().machine in _ARCHITECTURES


def apply(device: str) -> None:
    """Put the filter on this process and all that it starts; raises OSError."""
    program = build(device)
    buffer = ctypes.create_string_buffer(program, len(program))
    packed = struct.pack("@HP", len(program) // _INSTRUCTION.size, ctypes.addressof(buffer))
    header = ctypes.create_string_buffer(packed, len(packed))
    linux.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(header))


def build(device: str, machine: str | None = None) -> bytes:
    """The filter's program for a processor. On a GPU a submission's process may ask the kernel for its interfaces."""
    column, architecture = _ARCHITECTURES[machine or os.uname().machine]
    refused = [number if isinstance(number, int) else number[column] for number in _REFUSED.values()]
    if device == "cpu":
        refused += [number[column] for number in _ONLY_ON_CPU.values()]
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        refused += _ONLY_X86.values()
        code += [(_AT_LEAST, 0, 1, _X32), _fail(errno.EPERM)]
    for number in refused:
        code += [(_EQUAL, 0, 1, number), _fail(errno.EPERM)]
    code += [(_EQUAL, 0, 1, _CLONE3), _fail(errno.ENOSYS)]  # its flags can not be seen; callers then take `clone`
    code += _where(_CLONE[column], _FIRST_ARGUMENT, [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), _fail(errno.EPERM)])
    families = [_AF_UNIX] if device == "cpu" else [_AF_UNIX, _AF_NETLINK]
    checks = [step for family in families for step in ((_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW))]
    code += _where(_SOCKET[column], _FIRST_ARGUMENT, [*checks, _fail(errno.EPERM)])
    terminal = [step for request in (_TIOCSTI, _TIOCLINUX) for step in ((_EQUAL, 0, 1, request), _fail(errno.EPERM))]
    code += _where(_IOCTL[column], _SECOND_ARGUMENT, terminal)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(_INSTRUCTION.pack(*step) for step in code)


_Step = tuple[int, int, int, int]  # operation, steps to skip when true and when false, value


def _fail(number: int) -> _Step:
    return (_RETURN, 0, 0, _FAIL | number)


def _where(number: int, argument: int, checks: list[_Step]) -> list[_Step]:
    """`checks` on (the lower half of) one argument of one system call, which is allowed when they end."""
    body = [(_LOAD, 0, 0, argument), *checks, (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(body), number), *body]
