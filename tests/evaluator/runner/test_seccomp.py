"""The filter's program, run by hand for both processors, and by the kernel in a child of the tests."""

import ctypes
import errno
import os
import signal
import socket
import struct
import sys
import threading
from pathlib import Path

import pytest

from evaluator.runner import linux, seccomp

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
X86, ARM = 0xC000003E, 0xC00000B7


def run(program: bytes, number: int, arguments: tuple[int, ...] = (), architecture: int = X86) -> int:
    """What the program returns for a system call: a BPF machine with the five operations that are used."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    code = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at = register = 0
    while True:
        operation, when_true, when_false, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (register,) = struct.unpack_from("=I", data, value)
            case 0x15:
                at += when_true if register == value else when_false
            case 0x35:
                at += when_true if register >= value else when_false
            case 0x45:
                at += when_true if register & value else when_false
            case 0x06:
                return value
            case _:
                raise AssertionError(hex(operation))


CPU = seccomp.build("cpu", "x86_64")
GPU = seccomp.build("cuda", "x86_64")
ON_ARM = seccomp.build("cpu", "aarch64")


@pytest.mark.parametrize(
    ("number", "arguments", "wanted"),
    [
        (0, (), ALLOW),  # read
        (9, (), ALLOW),  # mmap
        (59, (), ALLOW),  # execve
        (101, (), EPERM),  # ptrace
        (165, (), EPERM),  # mount
        (250, (), EPERM),  # keyctl
        (272, (0x10000000,), EPERM),  # unshare
        (298, (), EPERM),  # perf_event_open
        (313, (), EPERM),  # finit_module
        (319, (), EPERM),  # memfd_create
        (29, (), EPERM),  # shmget
        (321, (), EPERM),  # bpf
        (425, (), EPERM),  # io_uring_setup
        (435, (), ENOSYS),  # clone3
        (56, (0x003D0F00,), ALLOW),  # clone, a thread
        (56, (signal.SIGCHLD,), ALLOW),  # clone, a process
        (56, (0x10000000 | signal.SIGCHLD,), EPERM),  # clone, a user namespace
        (56, (0x40000000,), EPERM),  # clone, a network
        (41, (socket.AF_UNIX,), ALLOW),
        (41, (socket.AF_INET,), EPERM),
        (41, (17,), EPERM),  # raw packets
        (16, (1, 0x5401), ALLOW),  # ioctl, what isatty asks
        (16, (1, 0x5412), EPERM),  # ioctl, typing into a terminal
        (16, (5, 0xC0384627), ALLOW),  # ioctl, the driver of a GPU
        (0x40000000 | 101, (), EPERM),  # ptrace by its number for 32-bit pointers
    ],
)
def test_a_system_call(number, arguments, wanted):
    assert run(CPU, number, arguments) == wanted


def test_another_processors_numbers_end_the_process():
    assert run(CPU, 26, architecture=0x40000003) == KILL  # ptrace of 32-bit programs
    assert run(ON_ARM, 117, architecture=X86) == KILL


def test_the_kernels_interfaces_can_be_asked_for_on_a_gpu():
    assert run(CPU, 41, (socket.AF_NETLINK,)) == EPERM
    assert run(GPU, 41, (socket.AF_NETLINK,)) == ALLOW
    assert run(GPU, 41, (socket.AF_INET,)) == EPERM
    assert run(GPU, 319) == ALLOW  # memfd_create


def test_the_other_processor_has_its_own_numbers():
    assert run(ON_ARM, 117, architecture=ARM) == EPERM  # ptrace
    assert run(ON_ARM, 101, architecture=ARM) == ALLOW  # nanosleep
    assert run(ON_ARM, 220, (0x20000000,), architecture=ARM) == EPERM  # clone
    assert run(ON_ARM, 198, (socket.AF_INET,), architecture=ARM) == EPERM


def test_the_kernel_takes_it():
    child = os.fork()
    if child == 0:
        os._exit(_try_in_child())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _try_in_child() -> int:
    """The first thing that is not as it should be, by number."""
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.apply("cpu")
    if "Seccomp:\t2" not in Path("/proc/self/status").read_text():
        return 1
    if not _refused(lambda: linux.unshare(linux.CLONE_NEWUTS)):
        return 2
    if not _refused(lambda: socket.socket(socket.AF_INET)):
        return 3
    ctypes.set_errno(0)
    if linux.syscall(seccomp._REFUSED["keyctl"][sys.maxsize < 0], 0, 0) != -1 or ctypes.get_errno() != errno.EPERM:
        return 4
    done: list[int] = []
    thread = threading.Thread(target=done.append, args=(1,))
    thread.start()
    thread.join()
    left, right = socket.socketpair()
    left.send(b"x")
    return 0 if done and right.recv(1) == b"x" and os.system("true") == 0 else 5


def _refused(call) -> bool:
    try:
        call()
    except PermissionError:
        return True
    return False
