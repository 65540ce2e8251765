"""The file system that a runner sees: what Python and torch are made of, read-only, and one private folder.

It is built from nothing instead of hiding parts of what is there: the service's database, sockets, home folders and
other runs are simply not in it. Whatever is bound lies at the path where it was: it is already imported from there.
"""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from evaluator.runner import linux

PRIVATE = Path("/tmp")  # a memory file system of limited size; the only place that can be written to
FOLDER = PRIVATE / "run"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")  # compilers are found through the last
_DEVICES = ("null", "zero", "full", "random", "urandom")
_MAX_FILES = 20_000
_OURS = ("evaluator", "graphs")


def build(root: Path, *, disk_bytes: int, device: str, uid: int, user: str) -> None:
    """Make `root` (an empty folder) the root of this mount namespace. Needs new mount and pid namespaces of ours.

    Called by process 1 of the pid namespace. `uid` owns the private folder.
    """
    linux.mount(None, Path("/"), None, linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", root, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=755")
    # First, so that a checkout or an environment below /tmp is bound on top of it and not hidden by it.
    _make_private(root, disk_bytes, uid)
    for path in _outermost(system_paths()):
        _bind(path, root)
    _make_temporary(root)
    _make_etc(root, uid, user)
    _make_devices(root, device)
    if device != "cpu":
        _bind(Path("/sys"), root)
    _make_folder(root / "proc")
    linux.mount("proc", root / "proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    old = _make_folder(root / ".old")
    linux.pivot_root(root, old)
    os.chdir("/")
    linux.unmount(Path("/.old"))
    Path("/.old").rmdir()
    linux.mount(None, Path("/"), None, linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID)


def system_paths() -> list[Path]:
    """What must be there: the system's programs and libraries, this interpreter, its packages, and our own two."""
    packages = [module.__path__ for name in ("torch", "triton", "numpy") if (module := sys.modules.get(name))]
    interpreter = [Path(text) for text in (sys.prefix, sys.base_prefix, sys.exec_prefix)]
    paths = [Path(text) for text in _SYSTEM]
    paths += [*interpreter, *(path.resolve() for path in interpreter)]  # an environment may be a link to a larger disk
    paths += [Path(place).parent for places in packages for place in places]
    paths += [Path(__file__).parents[2] / name for name in _OURS]
    paths += [Path(text) for text in os.environ.get("LD_LIBRARY_PATH", "").split(":") if text]
    paths += _compilers()
    return [path for path in paths if path.is_absolute() and path != Path("/") and os.path.lexists(path)]


def _compilers() -> list[Path]:
    """Where the compilers are installed that Triton and Inductor would take."""
    names = [os.environ.get("CC"), os.environ.get("CXX"), "gcc", "cc", "g++", "clang"]
    found = [Path(path) for name in names if name and (path := shutil.which(name))]
    places = [path.parent.parent for one in found for path in (one, one.resolve())]
    return [place for place in places if not Path.home().is_relative_to(place)]  # ~/bin/gcc does not show the home


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Without those that lie in another one."""
    chosen: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(other) for other in chosen):
            chosen.append(path)
    return chosen


def _bind(path: Path, root: Path) -> None:
    target = root / path.relative_to("/")
    if path.is_symlink():  # /bin → usr/bin
        _make_folder(target.parent)
        target.symlink_to(path.readlink())
    elif path.is_dir():
        linux.bind_read_only(path, _make_folder(target))
    elif path.exists():
        _make_folder(target.parent)
        target.touch()
        linux.bind_read_only(path, target)


def _make_etc(root: Path, uid: int, user: str) -> None:
    for name in _ETC:
        _bind(Path("/etc", name), root)
    etc = _make_folder(root / "etc")
    (etc / "passwd").write_text(f"{user}:x:{uid}:{uid}::{FOLDER}:/bin/sh\n")  # torch and getpass ask for a name
    (etc / "group").write_text(f"{user}:x:{uid}:\n")


def _make_devices(root: Path, device: str) -> None:
    dev = _make_folder(root / "dev")
    nodes = [Path("/dev", name) for name in _DEVICES]
    if device != "cpu":
        nodes += [path for path in Path("/dev").glob("nvidia*") if not path.is_dir()]
        nodes += list(Path("/dev/nvidia-caps").glob("*"))
    for node in nodes:
        if node.exists():
            target = dev / node.relative_to("/dev")
            _make_folder(target.parent)
            target.touch()
            linux.mount(str(node), target, None, linux.MS_BIND)
    (dev / "fd").symlink_to("/proc/self/fd")
    (dev / "shm").symlink_to(PRIVATE / "shm")


def _make_private(root: Path, disk_bytes: int, uid: int) -> None:
    private = _make_folder(root / PRIVATE.relative_to("/"))
    options = f"size={disk_bytes},nr_inodes={_MAX_FILES},mode=1777"
    linux.mount("tmpfs", private, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)
    for folder, mode in ((root / FOLDER.relative_to("/"), 0o700), (private / "shm", 0o1777)):
        folder.mkdir()
        folder.chmod(mode)
        os.chown(folder, uid, uid)


def _make_temporary(root: Path) -> None:
    """/var/tmp is /tmp, unless something that was bound lies there."""
    place = _make_folder(root / "var") / "tmp"
    if not place.exists():
        place.symlink_to(PRIVATE)


def _make_folder(path: Path) -> Path:
    path.mkdir(mode=0o755, parents=True, exist_ok=True)
    return path
