"""What only real sockets show: a workbench with everything it is made of, attacked from outside."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from submissions import floods
from tests.http_session import PASSWORD, HttpSession, first_login
from tests.up_process import ROOT, Up, environment, free_port, wait_until

SENTINELS = {
    "SECRET_KEY": "sentinel-secret-key-5f1d0c7b9a3e4826-5f1d0c7b9a3e4826",
    "OPENAI_API_KEY": "sentinel-api-key-77aa",
    "AWS_SECRET_ACCESS_KEY": "sentinel-cloud-key-88bb",
}
WRONG_PASSWORD = "sentinel-wrong-password-99cc"
ORDER = "sorted_output_pass_rule_names.json"
CURIOUS = """\
import os
print("environment", dict(os.environ))
raise RuntimeError(str(os.environ))
"""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("attacked")
    up = Up({**environment(folder), **SENTINELS}, free_port(), folder / "up.out")
    up.wait_until_ready()
    up.log_in()
    yield up
    up.process.terminate()
    up.process.wait(40)
    wait_until(lambda: not up.kill_all())


@pytest.fixture(scope="module")
def run(up: Up) -> str:
    """A run that waits for ever behind nothing: its log holds one event."""
    return up.ask({"A.py": CURIOUS, ORDER: '["A"]'})


def address(up: Up, run: str) -> str:
    return f"ws://127.0.0.1:{up.port}/ws/runs/{run}"


def watch(up: Up, run: str, session: HttpSession, origin: str | None = None):
    headers = {"Cookie": f"sessionid={session.cookies.get('sessionid', '')}"}
    return connect(address(up, run), origin=origin or session.url, additional_headers=headers)


def open_socket(up: Up, path: str):
    headers = {"Cookie": f"sessionid={up.session.cookies.get('sessionid', '')}"}
    return connect(f"ws://127.0.0.1:{up.port}{path}", origin=up.session.url, additional_headers=headers)


def add_user(up: Up, name: str) -> HttpSession:
    """An account made as an admin makes one, logged in with a password of its own."""
    command = [sys.executable, "manage.py", "add_user", name]
    env = {**os.environ, **SENTINELS, "PASSNET_VAR": up.var}
    said = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    session = HttpSession(up.session.url)
    session.log_in(name, said.split(" once with ")[1].split()[0])
    return session


def raw(up: Up, request: bytes, then: bytes = b"") -> bytes:
    """What the server answers to these bytes."""
    with socket.create_connection(("127.0.0.1", up.port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        try:
            if then:
                for _ in range(40):
                    connection.sendall(then)
            while piece := connection.recv(65536):
                answer += piece
                if b"\r\n\r\n" in answer and b"Connection: close" in answer:
                    break
        except OSError:  # it has hung up on us
            pass
        return answer


def test_pages_of_other_sites_get_no_socket(up: Up, run: str) -> None:
    for origin in ("https://evil.example", f"http://127.0.0.1:{up.port + 1}", f"http://localhost:{up.port}", "null"):
        with pytest.raises(InvalidStatus) as refused, watch(up, run, up.session, origin):
            pass
        assert refused.value.response.status_code == 403


def test_nobody_and_strangers_hear_nothing(up: Up, run: str) -> None:
    for session, code in ((HttpSession(up.session.url), 4401), (add_user(up, "eve"), 4404)):
        with watch(up, run, session) as socket_, pytest.raises(ConnectionClosed) as closed:
            socket_.recv(timeout=20)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == code


def test_after_the_logout_an_open_socket_says_nothing_more(up: Up) -> None:
    session = HttpSession(up.session.url)
    session.log_in("admin", PASSWORD)
    asked = session.call(
        "POST", "/api/tasks/masked-mean-pooling/runs", {"files": {"A.py": "", ORDER: "[]"}, "device": "cpu"}
    )
    with watch(up, asked["run"], session) as watching:
        assert json.loads(watching.recv(timeout=20))["type"] == "news"
        session.post_form("/logout/")
        with pytest.raises(ConnectionClosed) as closed:
            watching.send('{"type": "ping"}')  # may find the socket closed already
            for _ in range(20):  # what was on its way before the logout
                assert json.loads(watching.recv(timeout=20))["type"] == "news"
    # The reset that answers a ping to a closed socket may throw away the closing frame before it was read.
    assert closed.value.rcvd is None or closed.value.rcvd.code == 4401


def test_a_message_too_large_ends_the_socket_alone(up: Up, run: str) -> None:
    runs = f"/ws/runs/{run}"
    others = ("/ws/tasks/masked-mean-pooling/match", "/ws/language")
    for path, message in ((runs, "x" * 200_000), *((path, b"\xff\xfe") for path in (runs, *others))):
        with open_socket(up, path) as watching, pytest.raises(ConnectionClosed) as closed:
            watching.send(message)
            for _ in range(20):
                watching.recv(timeout=20)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == floods.TOO_LARGE, path
    assert up.answers()


def test_a_socket_that_never_stops_talking_is_closed_tidily(up: Up, run: str) -> None:
    with open_socket(up, f"/ws/runs/{run}") as talking, pytest.raises(ConnectionClosed) as closed:
        for _ in range(floods.MOST + 1):
            talking.send("{}")
        for _ in range(200):
            talking.recv(timeout=20)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == floods.TOO_MANY


def test_a_body_without_end_is_cut_off_and_kept_nowhere(up: Up) -> None:
    head = b"POST /api/tasks/x/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    announced = raw(up, head + b"Content-Length: 99999999999\r\n\r\n")
    assert announced.startswith(b"HTTP/1.1 413") and b"too_big" in announced and b"default-src 'none'" in announced
    chunk = b"40000\r\n" + b"x" * 0x40000 + b"\r\n"
    assert raw(up, head + b"Transfer-Encoding: chunked\r\n\r\n", chunk).startswith(b"HTTP/1.1 413")
    held = sum(path.stat().st_size for path in deleted_files(up.child("passnet_web.serve")))
    assert held < 64 << 20


def deleted_files(process: int) -> list[Path]:
    """Open files without a name: where a server keeps what it is being sent."""
    return [link for link in Path(f"/proc/{process}/fd").iterdir() if "(deleted)" in str(link.readlink())]


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nBad Name: x\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
        b"nonsense\r\n\r\n",
    ],
)
def test_requests_that_are_none(up: Up, request_: bytes) -> None:
    answer = raw(up, request_.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
    assert answer == b"" or answer.startswith((b"HTTP/1.1 400", b"HTTP/1.0 400", b"HTTP/1.1 501"))
    assert up.answers()


def test_no_secret_is_in_a_log_a_page_or_a_bundle(up: Up, run: str) -> None:
    """Last: after all of the above, and a run that prints the evaluator's environment."""
    up.wait_for_state(run, "done")
    with pytest.raises(Exception, match="403"):
        HttpSession(up.session.url).log_in("admin", WRONG_PASSWORD)
    page = up.session.post_form("/account/tokens/", name="test", scope="run", days="1")
    token = page.partition('class="secret">')[2].partition("<")[0]
    assert token.startswith("passnet_")
    for path in (
        "/",
        "/account/",
        "/tasks/rms-norm/",
        f"/api/runs/{run}",
        f"/api/runs/{run}/events",
        "/api/openapi.json",
    ):
        page = up.get(path)
        assert not [name for name, value in SENTINELS.items() if value in page], path
    _, first_password = first_login(up.out.read_text())
    secrets = [*SENTINELS.values(), WRONG_PASSWORD, PASSWORD, token, first_password, up.session.cookies["sessionid"]]
    logs = [*Path(up.var, "log").iterdir(), up.err]
    bundles = [path for path in Path(up.var).parent.joinpath("collected").rglob("*") if path.is_file()]
    assert len(logs) >= 4 and bundles
    for path in [*logs, *bundles]:
        content = path.read_bytes()
        assert not [secret for secret in secrets if secret.encode() in content], path
    database = b"".join(path.read_bytes() for path in Path(up.var).glob("passnet.sqlite3*"))
    kept = [*SENTINELS.values(), WRONG_PASSWORD, PASSWORD, token, first_password]
    assert not [secret for secret in kept if secret.encode() in database]
