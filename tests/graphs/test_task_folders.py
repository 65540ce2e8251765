"""Task folders and pass folders."""

from pathlib import Path

import pytest
from sample_folders import make_sample, make_task

from graphs import task_folders
from graphs.samples import ReadProblem, TaskFolder, TooLarge, is_task, read_pass_dir, read_sample, read_task


def test_a_task(tmp_path: Path) -> None:
    folder = make_task(tmp_path / "0a1b")
    (folder / "sample_uids.txt").write_text("aaaa, bbbb,cccc\n")
    (folder / "entry.sh").write_text("rm -rf /\n")
    (folder / "pass_dir").mkdir()
    (folder / "pass_dir" / "A.py").write_text("x = 1\n")
    assert is_task(folder)
    assert read_task(folder) == TaskFolder(
        name="0a1b",
        path=folder,
        graphs=("graphs/one", "graphs/two"),
        sample_uids=("aaaa", "bbbb", "cccc"),
        pass_files={"A.py": "x = 1\n"},
    )


@pytest.mark.parametrize(
    "listing",
    [
        "one\ntwo",
        "graphs/one\r\n\r\n  graphs/two  \r\n",
        "\ufeff./graphs/one/\n\n\ngraphs//two\n",
        "one\ngraphs/two\none\n",
        "one\rtwo\r",
    ],
)
def test_ways_to_list_graphs(tmp_path: Path, listing: str) -> None:
    task = read_task(make_task(tmp_path / "t", listing))
    assert task.graphs == ("graphs/one", "graphs/two")
    assert [read_sample(task.path / graph).name for graph in task.graphs] == ["one", "two"]


def test_graphs_beside_the_list(tmp_path: Path) -> None:
    make_sample(tmp_path / "t" / "deep" / "one")
    folder = make_task(tmp_path / "t", "deep/one\n", ())
    assert read_task(folder).graphs == ("deep/one",)


def test_a_graph_that_is_missing_is_named_with_its_line(tmp_path: Path) -> None:
    folder = make_task(tmp_path / "t", "one\nthree\n")
    with pytest.raises(ReadProblem) as caught:
        read_task(folder)
    assert str(caught.value) == f"{folder}/graph_list.txt:2: names 'three', and there is no such folder in the task"


def test_a_graph_that_is_named_twice_is_a_warning(tmp_path: Path) -> None:
    folder = make_task(tmp_path / "t", "one\ntwo\n\ngraphs/one\n")
    task = read_task(folder)
    assert task.graphs == ("graphs/one", "graphs/two")
    assert task.warnings == (f"{folder}/graph_list.txt:4: names 'graphs/one' again; line 1 has it already",)


@pytest.mark.parametrize("entry", ["../other", "/etc", "graphs/../../other", "a/../..", "graphs/\0", "."])
def test_entries_that_leave_the_folder_are_refused(tmp_path: Path, entry: str) -> None:
    make_sample(tmp_path / "other")
    with pytest.raises(ReadProblem) as caught:
        read_task(make_task(tmp_path / "t", f"one\n{entry}\n"))
    assert caught.value.line == 2
    assert "leaves the task's folder" in caught.value.why


def test_links_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    make_sample(tmp_path / "other")
    folder = make_task(tmp_path / "t", "out\n")
    (folder / "graphs" / "out").symlink_to(tmp_path / "other")
    with pytest.raises(ReadProblem, match="link"):
        read_task(folder)


def test_tasks_without_graphs(tmp_path: Path) -> None:
    assert not is_task(tmp_path)
    with pytest.raises(ReadProblem, match="is missing"):
        read_task(tmp_path)
    with pytest.raises(ReadProblem, match="names no graph"):
        read_task(make_task(tmp_path / "t", "\n \n"))


def test_a_pass_folder(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "norm.py").write_text("# größe\n", "utf-8")
    (tmp_path / "B.py").write_bytes(b"# \xff\r\n")
    (tmp_path / "order.json").write_text("[]")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "B.pyc").write_bytes(b"\0")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "link.py").symlink_to("B.py")
    (tmp_path / "away").symlink_to("/etc")
    files = read_pass_dir(tmp_path)
    assert files == {"B.py": "# \udcff\r\n", "kernels/norm.py": "# größe\n", "order.json": "[]"}
    assert list(files) == sorted(files)
    assert files["B.py"].encode("utf-8", "surrogateescape") == b"# \xff\r\n"


def test_limits_of_a_pass_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("x" * 10)
    assert len(read_pass_dir(tmp_path)) == 3
    for limit, value in [("MAX_PASS_FILE_BYTES", 9), ("MAX_PASS_DIR_BYTES", 25), ("MAX_PASS_FILES", 2)]:
        with monkeypatch.context() as patch:
            patch.setattr(task_folders, limit, value)
            with pytest.raises(TooLarge):
                read_pass_dir(tmp_path)
    with pytest.raises(ReadProblem, match="not a folder"):
        read_pass_dir(tmp_path / "none")
