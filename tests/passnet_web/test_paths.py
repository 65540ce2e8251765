import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from passnet_web.paths import SOCKET_PATH_LIMIT, UnsafeFolder, private_folder, secret_key, socket_folder
from submissions.devices import socket_path


def test_sockets_lie_in_var(tmp_path):
    assert socket_folder(tmp_path) == tmp_path / "run"


def test_a_long_checkout_gets_short_sockets(tmp_path, monkeypatch, settings):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    deep = tmp_path / ("x" * 60) / ("y" * 60)
    folder = socket_folder(deep)
    assert str(folder).startswith(f"/run/user/1000/passnet-{os.geteuid()}-")
    assert folder == socket_folder(deep)
    assert folder != socket_folder(deep / "other")
    settings.RUNNER_SOCKETS = folder
    assert len(os.fsencode(socket_path("cuda:" + "H" * 200))) <= SOCKET_PATH_LIMIT


@pytest.mark.parametrize("length", range(40, 110, 7))
def test_no_length_makes_a_socket_that_can_not_be_bound(length, monkeypatch, settings):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    settings.RUNNER_SOCKETS = socket_folder(Path("/" + "v" * length))
    assert len(os.fsencode(socket_path("cuda:" + "H" * 200))) <= SOCKET_PATH_LIMIT


def test_device_classes_have_sockets_of_their_own():
    assert socket_path("cpu").name == "cpu.sock"
    assert socket_path("cuda:H200").name == "cuda-H200.sock"


def test_a_private_folder_is_private(tmp_path):
    folder = private_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    assert stat.S_IMODE(private_folder(folder).stat().st_mode) == 0o700


def test_a_link_is_not_a_private_folder(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafeFolder):
        private_folder(tmp_path / "link")


def test_the_secret_is_made_once_and_kept_to_its_owner(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key(tmp_path), range(8)))
    assert len(keys) == 1 and len(keys.pop()) >= 50
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]
