"""A real Postgres and a real Redis (Debian's) in a folder of their own, which can be killed and started again.

`python -m tests.cluster.servers COMMAND…` runs a command with both: DATABASE_URL names the one, REDIS_SERVER the
program of the other, as the tests of the web rooms want it.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "passnet"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(holds: Callable[[], object], seconds: float = 60.0, what: str = "it") -> None:
    """Waits for what is bound to happen; the time only bounds a failing test."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds:g} s"
        time.sleep(0.05)


class Server:
    """A server process that may die and come back on the same port with the same files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def answers(self) -> bool:
        raise NotImplementedError

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_until(self._is_there, what=f"the start of {type(self).__name__}")

    def _is_there(self) -> bool:
        assert self.process is not None and self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
        return self.answers()

    def end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)
            self.process = None


class Postgres(Server):
    """`url` names an empty database."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.bin = postgres_programs()
        # It refuses to run as root: then as the user that Debian's package makes.
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user is not None:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        subprocess.run(
            self._as_user("initdb", "-D", str(folder / "data"), "-U", NAME, "-A", "trust", "-E", "UTF8", "-N"),
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )

    @property
    def url(self) -> str:
        return f"postgres://{NAME}:none@127.0.0.1:{self.port}/{NAME}"

    def command(self) -> list[str]:
        # Killed processes lose nothing without fsync, only a machine that loses power does.
        options = ("fsync=off", "max_connections=200", "shared_buffers=64MB", "listen_addresses=127.0.0.1")
        settings = [part for option in options for part in ("-c", option)]
        data = str(self.folder / "data")
        return self._as_user("postgres", "-D", data, "-p", str(self.port), "-k", str(self.folder), *settings)

    def answers(self) -> bool:
        asked = [str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked).returncode == 0

    def create(self) -> None:
        self.run("createdb", NAME)

    def run(self, program: str, *arguments: str) -> str:
        """One of Postgres' own programs on this server; what it prints."""
        command = [str(self.bin / program), "-h", "127.0.0.1", "-p", str(self.port), "-U", NAME, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def _as_user(self, program: str, *arguments: str) -> list[str]:
        command = [str(self.bin / program), *arguments]
        if self.user is None:
            return command
        ids = [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        # What is killed outright must not outlive the tests either.
        return ["setpriv", *ids, "--pdeathsig", "INT", "--", *command]


class Redis(Server):
    """Keeps nothing, as in a cluster: a queue and announcements only."""

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        return [redis_program(), *options, "--dir", str(self.folder)]

    def answers(self) -> bool:
        return self.ask("PING") == "PONG"

    def ask(self, *words: str) -> str:
        """What `redis-cli` prints."""
        command = ["redis-cli", "-h", "127.0.0.1", "-p", str(self.port), *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def postgres_programs() -> Path:
    """The folder of the newest installed Postgres; Debian keeps it off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    on_path = shutil.which("postgres")
    assert found or on_path, "There is no Postgres. Install it: sudo apt-get install -y postgresql"
    return (found[-1] if found else Path(str(on_path)).resolve()).parent


def redis_program() -> str:
    found = shutil.which("redis-server")
    assert found, "There is no redis-server. Install it: sudo apt-get install -y redis-server"
    return found


@contextmanager
def servers() -> Iterator[tuple[Postgres, Redis]]:
    """Both, running, in a folder that goes with them."""
    with tempfile.TemporaryDirectory(prefix="passnet-cluster-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # Postgres' own user has to come through
        for part in ("postgres", "redis"):
            (folder / part).mkdir()
        postgres, redis = Postgres(folder / "postgres"), Redis(folder / "redis")
        try:
            for server in (postgres, redis):
                server.start()
            postgres.create()
            yield postgres, redis
        finally:
            redis.end(signal.SIGKILL)
            postgres.end(signal.SIGQUIT)


def main(command: list[str]) -> int:
    with servers() as (postgres, _):
        env = {**os.environ, "DATABASE_URL": postgres.url, "REDIS_SERVER": redis_program()}
        return subprocess.run(command, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
