"""What a submission can see and reach from inside of a runner."""

import json
import os
import socket
import tempfile
from pathlib import Path

import pytest
from serving import BARE, RunningDaemon
from small import QUICK, job, only, printed, words

from evaluator.runner import landlock, new_root

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def look(judge_unchecked):
    """Run code in a launch; it leaves what it found in `found`, a JSON value."""

    def run(code: str):
        events = judge_unchecked(job(f"import json, os\n{code}\nprint(json.dumps(found))", limits=QUICK))
        assert words(only(events)) == ("correct", None), only(events)["message"]
        return json.loads(printed(events).splitlines()[0])

    return run


@pytest.fixture(autouse=True)
def namespaces(unchecked_daemon):
    if "namespaces" not in unchecked_daemon.client.hello()["isolation"]:
        pytest.fail("this machine gives no namespaces: see `python -m evaluator doctor`")


def test_it_is_nobody_and_may_nothing(look):
    found = look(
        "lines = open('/proc/self/status').read().splitlines()\n"
        "status = dict(line.split(':\\t') for line in lines if ':\\t' in line)\n"
        "found = {key: status[key] for key in ('CapEff', 'CapPrm', 'NoNewPrivs')} | {'uid': os.getuid()}"
    )
    assert int(found["CapEff"], 16) == int(found["CapPrm"], 16) == 0
    assert found["NoNewPrivs"] == "1" and found["uid"] != 0


def test_it_sees_only_its_own_processes(look):
    found = look("found = sorted(int(name) for name in os.listdir('/proc') if name.isdigit())")
    assert found == [1, 2]


def test_it_sees_a_file_system_of_its_own(look):
    found = look("found = {path: sorted(os.listdir(path)) for path in ('/', '/tmp', '/etc', '/dev', os.getcwd())}")
    assert set(found["/"]) <= {
        "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "opt", "proc", "root", "sbin", "tmp", "usr", "var",
        *(Path(path).parts[1] for path in (PROJECT, os.path.realpath(os.__file__), os.sys.prefix)),
    }  # fmt: skip
    # A checkout below /tmp is bound there, and nothing else of that folder.
    bound = {path.parts[2] for path in (PROJECT, Path(os.sys.prefix)) if path.parts[:2] == ("/", "tmp")}
    assert set(found["/tmp"]) == {"run", "shm", *bound}
    assert "shadow" not in found["/etc"] and "hostname" not in found["/etc"]
    assert found["/dev"] == ["fd", "full", "null", "random", "shm", "urandom", "zero"]
    assert found["/tmp/run"] == ["pass_dir"]


def test_of_the_project_it_sees_the_two_packages_it_runs_on(look):
    found = look(f"found = sorted(os.listdir({str(PROJECT)!r})) if os.path.exists({str(PROJECT)!r}) else []")
    assert set(found) <= {"evaluator", "graphs", ".venv"}  # nothing where the package is installed elsewhere


def test_it_can_write_only_into_its_folder(look, tmp_path):
    places = ["/", "/usr", "/etc", "/proc", "/dev", os.sys.prefix, str(PROJECT / "evaluator"), str(tmp_path)]
    found = look(
        "found = []\n"
        f"for place in {places!r} + [os.getcwd(), '/tmp', '/dev/shm', '/var/tmp']:\n"
        "    try:\n"
        "        open(place + '/written', 'w').write('x')\n"
        "        found.append(place)\n"
        "    except OSError:\n"
        "        pass"
    )
    assert found == ["/tmp/run", "/tmp", "/dev/shm", "/var/tmp"]
    assert not Path("/tmp/written").exists()


def test_one_run_does_not_see_the_files_of_another(look):
    assert "left" in look("open('/tmp/left', 'w').write('x')\nfound = os.listdir('/tmp')")
    assert look("found = os.path.exists('/tmp/left')") is False


def test_it_has_no_network(look):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = look(
            "import socket\n"
            "found = 'connected'\n"
            f"try: socket.create_connection(('127.0.0.1', {port}), 2)\n"
            "except OSError as error: found = type(error).__name__"
        )
    assert found != "connected"


def test_it_can_not_reach_abstract_sockets_of_the_machine(look):
    name = f"\0passnet-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        found = look(
            "import socket\n"
            "found = 'connected'\n"
            f"try: socket.socket(socket.AF_UNIX).connect({name!r})\n"
            "except OSError as error: found = type(error).__name__"
        )
    assert found == "ConnectionRefusedError"


def test_it_holds_no_descriptor_but_its_streams_and_its_channel(look):
    found = look(
        "found = []\n"
        "for fd in range(1024):\n"
        "    try: found.append(os.readlink(f'/proc/self/fd/{fd}').split(':')[0])\n"
        "    except OSError: pass"
    )
    memory_files = [kind for kind in found if kind.startswith("/memfd")]
    assert sorted(set(found) - set(memory_files)) == ["/dev/null", "pipe", "socket"]
    # Standard output, standard error, and where the watchdog says which line took too long.
    assert found.count("pipe") == 3 and found.count("socket") == 1 and len(memory_files) == 2


def test_it_can_not_signal_or_trace_anybody(look, unchecked_daemon):
    unchecked_daemon.wait_until("ready")
    pids = sorted(unchecked_daemon.processes())
    found = look(
        "import ctypes\n"
        "found = []\n"
        f"for pid in {pids} + [1]:\n"
        "    try:\n"
        "        os.kill(pid, 9)\n"
        "        found.append(pid)\n"
        "    except OSError:\n"
        "        pass\n"
        "found += [ctypes.CDLL(None).ptrace(16, 1, 0, 0)]"
    )
    assert found == [-1]
    assert set(pids) <= unchecked_daemon.processes()


REFUSED = {  # what a run as root would grant, or the kernel would grant anybody
    "a user namespace": "libc.unshare(0x10000000)",
    "a network namespace": "libc.unshare(0x40000000)",
    "a mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "tracing": "libc.ptrace(16, 1, 0, 0)",
    "keys": "libc.syscall(250, 0, -3, 0)",
    "io_uring": "libc.syscall(425, 8, ctypes.create_string_buffer(256))",
    "performance counters": "libc.syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)",
    "a kernel program": "libc.syscall(321, 0, ctypes.create_string_buffer(128), 128)",
    "memory of others": "libc.process_vm_readv(1, None, 0, None, 0, 0)",
    "a raw socket": "libc.socket(17, 3, 0)",
    "an internet socket": "libc.socket(2, 1, 0)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls")
def test_the_kernel_refuses_what_nobody_needs(look):
    found = look(
        "import ctypes, errno\n"
        "libc, found = ctypes.CDLL(None, use_errno=True), {}\n"
        f"for name, call in {REFUSED!r}.items():\n"
        "    ctypes.set_errno(0)\n"
        "    found[name] = [eval(call), errno.errorcode.get(ctypes.get_errno())]"
    )
    assert found == {name: [-1, "EPERM"] for name in REFUSED}


LOOK_WITHOUT_NAMESPACES = """
import json, os, socket
found = []
for path in {paths!r}:
    try:
        open(path).close()
        found.append(path)
    except OSError:
        pass
for place in ("/var/tmp", "/tmp", "/dev/shm"):
    try:
        open(place + "/passnet-written", "w").close()
        found.append(place)
    except OSError:
        pass
for pid in (os.getppid(), {pid}):
    try:
        os.kill(pid, 0)
        found.append(pid)
    except OSError:
        pass
open("mine", "w").close()
print(json.dumps(found))
"""


@pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
def test_without_namespaces_landlock_keeps_files_and_processes_apart(bare_daemon, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    secret.chmod(0o644)
    body = LOOK_WITHOUT_NAMESPACES.format(paths=[str(secret), str(PROJECT / "manage.py")], pid=os.getpid())
    events = bare_daemon.judge(job(body))
    assert words(only(events)) == ("correct", None), only(events)["message"]
    assert json.loads(printed(events).splitlines()[0]) == []


def test_it_is_left_without_the_secrets_of_the_service(tmp_path, monkeypatch):
    from serving import UNCHECKED, serving

    monkeypatch.setenv("DJANGO_SECRET_KEY", "the-secret-of-the-service")
    body = """
    import ctypes, os, re
    found = [name for name, value in os.environ.items() if "the-secret" in value]
    for line in open("/proc/self/maps").read().splitlines():
        start, end = (int(x, 16) for x in line.split()[0].split("-"))
        if " rw-p" in line and re.search(rb"the.secret.of.the.servic[e]", ctypes.string_at(start, end - start)):
            found.append(line)
    print(found, os.environ["HOME"], os.environ["USER"])
    """
    for daemon in serving(UNCHECKED):
        text = printed(daemon.judge(job(body)))
    assert text.splitlines()[0] == "[] /tmp/run passnet-run"


def test_python_and_torch_work_in_there(look):
    found = look(
        "import getpass, multiprocessing.shared_memory, sqlite3, subprocess, tempfile\n"
        "from torch.nn.utils import prune\n"
        "memory = multiprocessing.shared_memory.SharedMemory(create=True, size=10)\n"
        "memory.unlink()\n"
        "child = subprocess.run(['/bin/sh', '-c', 'id -un'], capture_output=True, text=True)\n"
        "found = [getpass.getuser(), child.stdout.strip(), tempfile.gettempdir()]"
    )
    assert found == ["passnet-run", "passnet-run", "/tmp/run"]


def test_without_namespaces_nothing_is_judged_unless_that_is_asked_for(monkeypatch):
    monkeypatch.delenv("PASSNET_ALLOW_UNISOLATED", raising=False)
    with tempfile.TemporaryDirectory(prefix="pn-") as folder:
        daemon = RunningDaemon(Path(folder) / "d.sock", (*BARE, "--refusing"))
        try:
            said = daemon.wait_until("refused")
            (event,) = daemon.judge(job())
        finally:
            daemon.stop()
    assert said["isolation"] == "process group only"
    assert event == {"event": "error", "message": said["message"]}
    assert "PASSNET_ALLOW_UNISOLATED=1" in said["message"] and "no namespaces" in said["message"]


def test_where_it_is_asked_for_each_result_says_so(bare_daemon):
    assert bare_daemon.client.hello()["status"] != "refused"
    assert bare_daemon.judge(job())[0]["isolation"] == "process group only"


def test_an_environment_that_is_a_link_is_there_with_what_it_leads_to(tmp_path, monkeypatch):
    (tmp_path / "large-disk" / "environment").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(tmp_path / "large-disk" / "environment")
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    assert {tmp_path / ".venv", tmp_path / "large-disk" / "environment"} <= set(new_root.system_paths())
