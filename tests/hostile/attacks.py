"""Attacks on the machine that a submission can try, each with the verdict that is right for it.

All of them are harmless outside of the sandbox's limits too: small sizes, no address beyond this machine, nothing that
is left behind by its own will.
"""

from dataclasses import dataclass

CALL_SECONDS, IMPORT_SECONDS = 2.0, 4.0


@dataclass(frozen=True)
class Attack:
    name: str
    wanted: frozenset[tuple[str, str | None]]  # status and reason
    body: str = ""  # in the launcher
    top: str = ""  # while the file is imported


def launch(name: str, reason: str | None, body: str, *others: str | None) -> Attack:
    """One that ends its graph for `reason` (None: it is correct all the same), or for one of `others`."""
    wanted = {("runtime_fail", one) if one else ("correct", None) for one in (reason, *others)}
    return Attack(name, frozenset(wanted), body=body)


def at_import(name: str, top: str) -> Attack:
    return Attack(name, frozenset({("rejected", "bad_submission")}), top=top)


ATTACKS = (
    launch("endless loop", "timeout", "while True: pass"),
    launch(
        "sleep behind ignored signals",
        "timeout",
        "import signal, time\nfor number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\ntime.sleep(1000)",
    ),
    launch("memory in small pieces", "oom", "keep = [bytearray(1 << 20) for _ in range(10**6)]"),
    launch("memory in tensors", "oom", "keep = [torch.ones(1 << 22) for _ in range(10**6)]"),
    launch("more than there is", "oom", "torch.empty(10**13, dtype=torch.uint8)"),
    launch(
        "memory of children",
        "oom",
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        keep = b'x' * (80 << 20)\n"
        "        time.sleep(1000)\n"
        "time.sleep(1000)",
        "timeout",  # on a busy machine they are not done in time
    ),
    launch(
        "memory of no process",
        "exception",
        "import os\nkeep = []\n"
        "while True:\n"
        "    keep.append(os.memfd_create('x'))\n"
        "    for _ in range(16): os.write(keep[-1], b'x' * (1 << 20))",
    ),
    launch(
        "shared memory of no process",
        None,
        "import ctypes\nlibc = ctypes.CDLL(None)\nassert libc.shmget(0, ctypes.c_size_t(1 << 26), 0o1600) == -1",
    ),
    launch(
        "memory in a map",
        "oom",
        "import mmap\nm = mmap.mmap(-1, 1 << 30)\nwhile True: m.write(b'x' * (1 << 20))",
        "exception",
    ),
    launch("fork bomb", "timeout", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", "oom"),
    launch(
        "daemons",
        None,
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(1000)\n"
        "    os._exit(0)",
    ),
    launch(
        "threads",
        None,
        "import threading, time\n"
        "try:\n"
        "    while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
        "except RuntimeError: pass",
        "exception",
        "oom",
    ),
    launch(
        "descriptors", None, "import os\ntry:\n    while True: os.dup(1)\nexcept OSError: pass", "crash", "exception"
    ),
    launch("every descriptor closed", "crash", "import os; os.closerange(0, 1 << 16)"),
    launch("disk", "exception", "for i in range(10**6): open(f'f{i}', 'wb').write(b'x' * (1 << 22))"),
    launch("one large file", "exception", "f = open('f', 'wb')\nfor _ in range(10**6): f.write(b'x' * (1 << 20))"),
    launch("many small files", "exception", "for i in range(10**6): open(f'f{i}', 'w').close()", "timeout"),
    launch("output", "output_limit", "for _ in range(1 << 14): print('x' * (1 << 16))"),
    launch("errors in bytes", "output_limit", "import os\nwhile True: os.write(2, bytes([255]) * (1 << 16))"),
    launch("exit 0", "early_exit", "import os; os._exit(0)"),
    launch("exit 3", "early_exit", "raise SystemExit(3)"),
    launch("segmentation fault", "crash", "import ctypes; ctypes.string_at(8)"),
    launch("kills itself", "crash", "import os; os.kill(os.getpid(), 9)"),
    launch("kills everybody", "crash", "import os; os.kill(-1, 9)", None, "exception"),
    launch("stops itself", "timeout", "import os; os.kill(os.getpid(), 19)"),
    launch("recursion", "exception", "launcher(in_0, in_1)"),
    launch("long exception", "exception", "raise ValueError('x' * 10**7)"),
    launch(
        "namespaces, mounts and raw sockets",
        None,
        "import ctypes\n"
        "libc = ctypes.CDLL(None)\n"
        "assert libc.unshare(0x10000000) == libc.socket(17, 3, 0) == -1\n"
        "assert libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == libc.ptrace(16, 1, 0, 0) == -1",
    ),
    launch(
        "the private channel",
        "crash",
        "import os, stat, struct\n"
        "for fd in range(3, 64):\n"
        "    try: is_socket = stat.S_ISSOCK(os.fstat(fd).st_mode)\n"
        "    except OSError: continue\n"
        "    if is_socket: os.write(fd, struct.pack('!IB', 1 << 31, 0))",
    ),
    at_import("endless loop at import", "while True: pass"),
    at_import("memory at import", "keep = [bytearray(1 << 20) for _ in range(10**6)]"),
    at_import("exit at import", "import os; os._exit(0)"),
    at_import("output at import", "for _ in range(1 << 14): print('x' * (1 << 16))"),
)
