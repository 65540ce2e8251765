"""What the setup scripts say when something is missing: the real scripts, on a machine that lacks it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BASICS = "bash awk cat cut date df dirname env find flock grep id ls mkdir rm sed sha256sum sort stat tail tee tr uname"


def machine(folder, *programs):
    """A PATH with the usual small tools and these programs, and nothing else."""
    for name in (*BASICS.split(), *programs):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    (folder / "python3").symlink_to(sys.executable)
    return {"PATH": str(folder), "HOME": str(folder)}


def bash(script, environment, cwd=ROOT):
    return subprocess.run(
        ["/bin/bash", "-c", script], env=environment, cwd=cwd, capture_output=True, text=True, timeout=60
    )


def helpers(command):
    return f"set -euo pipefail; ROOT=$PWD; source {ROOT}/scripts/setup/common.sh; {command}"


@pytest.fixture
def checkout(tmp_path):
    """A checkout that was never set up."""
    place = tmp_path / "checkout"
    place.mkdir()
    for name in ("scripts", "pyproject.toml", "constraints.txt", "package.json", "package-lock.json"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    return place


def test_doctor_lists_every_missing_piece_and_one_command(tmp_path, checkout):
    programs = tmp_path / "bin"
    programs.mkdir()
    environment = machine(programs, "node", "npm")
    (programs / "apt-get").symlink_to("/bin/false")  # it is only looked for: doctor changes nothing
    said = bash("scripts/setup.sh doctor", environment, checkout)
    sudo = "" if os.geteuid() == 0 else "sudo "
    assert said.returncode == 1
    assert "missing: a C++ compiler, bubblewrap, Graphviz, setpriv, Chromium." in said.stdout
    packages = "g++ bubblewrap graphviz util-linux chromium"
    assert f"{sudo}apt-get update && {sudo}apt-get install -y {packages}" in said.stdout
    assert not (checkout / "var").exists()


def test_test_mode_stops_before_any_work(tmp_path, checkout):
    programs = tmp_path / "bin"
    programs.mkdir()
    said = bash("scripts/setup.sh test", machine(programs, "node", "npm", "g++", "bwrap"), checkout)
    assert said.returncode == 1
    assert "Missing: Graphviz, setpriv, Chromium." in said.stderr
    assert "what Debian calls: graphviz util-linux chromium" in said.stderr
    assert not (checkout / ".venv").exists()


def test_node_is_asked_for_by_version(tmp_path, checkout):
    programs = tmp_path / "bin"
    programs.mkdir()
    said = bash("scripts/setup.sh run", machine(programs, "g++", "bwrap"), checkout)
    assert said.returncode == 1
    assert "Missing: Node.js 20.19 or newer." in said.stderr
    assert "https://nodejs.org/" in said.stderr


def test_a_python_that_is_too_old_is_named(tmp_path, checkout):
    programs = tmp_path / "bin"
    programs.mkdir()
    environment = machine(programs, "node", "npm", "g++", "bwrap") | {"PYTHON": "/bin/false"}
    said = bash("scripts/setup.sh run", environment, checkout)
    assert said.returncode == 1
    assert "Python 3.11 or newer (PYTHON=/bin/false is not)" in said.stderr


def test_too_little_space_names_folder_and_bytes(tmp_path):
    said = bash(helpers(f"need_space {tmp_path} 999999999 'the environment'"), dict(os.environ), tmp_path)
    assert said.returncode == 1
    assert f"{tmp_path} has " in said.stderr
    assert f"({999999999 * 1024 * 1024} bytes) are needed" in said.stderr


def test_a_full_disk_is_told_from_the_tool_s_own_words(tmp_path):
    log = tmp_path / "pip.log"
    log.write_text("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n")
    said = bash(helpers(f"explain_failure {log} 'pip install' 'PIP_INDEX_URL'"), dict(os.environ), tmp_path)
    assert said.returncode == 1
    assert "pip install failed: the disk is full." in said.stderr
    assert str(tmp_path) in said.stderr
    assert "3221225472 bytes" in said.stderr


def test_an_index_that_does_not_answer_names_the_setting(tmp_path):
    """A real pip against a port where nobody listens; the script reads what it printed."""
    pip = f"{sys.executable} -m pip download --isolated --retries 0 --index-url http://127.0.0.1:9/simple --no-deps"
    script = helpers(
        f"{pip} passnet-no-such-package >pip.log 2>&1 || explain_failure pip.log 'pip install' 'set PIP_INDEX_URL'"
    )
    said = bash(script, dict(os.environ), tmp_path)
    assert said.returncode == 1
    assert "the package index can not be reached" in said.stderr
    assert "set PIP_INDEX_URL" in said.stderr


def test_package_names_do_not_look_like_a_network_failure(tmp_path):
    log = tmp_path / "pip.log"
    log.write_text("Collecting networkx==3.6.1\nerror: subprocess-exited-with-error\n")
    said = bash(helpers(f"explain_failure {log} 'pip install' 'set PIP_INDEX_URL'"), dict(os.environ), tmp_path)
    assert said.returncode == 1
    assert "PIP_INDEX_URL" not in said.stderr
    assert str(log) in said.stderr


def test_a_hash_changes_with_names_bytes_and_missing_files(tmp_path):
    (tmp_path / "a").write_text("1")
    one = bash(helpers("hash_of x a"), dict(os.environ), tmp_path).stdout
    assert one == bash(helpers("hash_of x a"), dict(os.environ), tmp_path).stdout
    assert one != bash(helpers("hash_of y a"), dict(os.environ), tmp_path).stdout
    assert one != bash(helpers("hash_of x a b"), dict(os.environ), tmp_path).stdout
    (tmp_path / "a").write_text("2")
    assert one != bash(helpers("hash_of x a"), dict(os.environ), tmp_path).stdout
