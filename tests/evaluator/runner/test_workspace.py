import pytest

from evaluator.runner.workspace import UnsafeName, write_files


def test_files_lie_in_pass_dir_byte_by_byte(tmp_path):
    files = {"a.py": "x = 'ä'\r\n", "sub/b.py": b"\xff\xfe broken".decode("utf-8", "surrogateescape")}
    root = write_files(files, tmp_path)
    assert root == tmp_path / "pass_dir"
    assert (root / "a.py").read_bytes() == "x = 'ä'\r\n".encode()
    assert (root / "sub" / "b.py").read_bytes() == b"\xff\xfe broken"


@pytest.mark.parametrize("name", ["../x.py", "a/../../x.py", "/etc/x", "", "a//b", "./x", "a\0b", "a/", ".."])
def test_no_name_leaves_the_folder(tmp_path, name):
    with pytest.raises(UnsafeName):
        write_files({name: ""}, tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pass_dir"]
