import os
from pathlib import Path

from evaluator.runner.runner_process import _remove, sweep


def test_a_folder_is_removed_whatever_its_permissions(tmp_path):
    parent = tmp_path / "parent"
    folder = parent / "run"
    deep = folder / "closed" / "deep"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (folder / "link").symlink_to(outside)
    deep.chmod(0)
    deep.parent.chmod(0)
    parent.chmod(0o755)
    _remove(folder)
    assert not folder.exists() and outside.exists()
    assert oct(parent.stat().st_mode)[-3:] == oct(outside.stat().st_mode)[-3:] == "755"
    _remove(folder)  # somebody was faster
    assert oct(parent.stat().st_mode)[-3:] == "755"


def test_only_folders_of_dead_supervisors_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead = 1 << 30  # no system gives out such a number
    names = [f"passnet-run-{os.getpid()}-a", f"passnet-run-{dead}-b", "passnet-run-x-c", "other"]
    for name in names:
        (tmp_path / name).mkdir()
    sweep()
    assert sorted(path.name for path in Path(tmp_path).iterdir()) == sorted([names[0], *names[2:]])
