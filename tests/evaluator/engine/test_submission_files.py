"""The order file and the names in it, as a beginner gets them wrong."""

import pytest

from evaluator.engine.submission_files import ORDER_FILE, BadSubmission, read_order, read_source

PASS = b"def pattern(x):\n    return x\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pass_dir"
    folder.mkdir()
    (tmp_path / "Outside.py").write_bytes(PASS)
    (folder / "FuseA.py").write_bytes(PASS)
    (folder / "FuseB.py").write_bytes(PASS)
    return folder


def order(folder, content):
    (folder / ORDER_FILE).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_order(folder)


def refusal(folder, content):
    with pytest.raises(BadSubmission) as caught:
        order(folder, content)
    assert caught.value.file == ORDER_FILE
    return caught.value


def test_names_in_their_order(folder):
    assert order(folder, '["FuseB", "FuseA"]\n') == ("FuseB", "FuseA")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("['FuseA']", "double quotes"),
        ('["FuseA",]', "no comma after the last name"),
        ('["FuseA" "FuseB"]', "line 1, column 10"),
        ('{"FuseA": 1}', "must hold a list"),
        ('"FuseA"', "must hold a list"),
        ("[]", "the list is empty"),
        ("[3]", "entry 1 is 3, not a name"),
        ('["FuseA", null]', "entry 2 is null"),
        ('["FuseA", "FuseA"]', '"FuseA" is listed twice'),
        ('["../Outside"]', "is a path"),
        ('["sub/FuseA"]', "is a path"),
        ('["..\\\\Outside"]', "is a path"),
        ('["/etc/passwd"]', "is a path"),
        ('[".."]', "is a path"),
        ('[""]', "is not a name"),
        ('["a\\u0000b"]', "is not a name"),
        ('["FuseA.py"]', r"leave out the ending \.py"),
        ('["FuseC"]', r"no file 'FuseC.py'; there is Fuse[AB].py"),
        ('["Zebra"]', "no file 'Zebra.py'$"),
        (b'\xef\xbb\xbf["FuseA"]', "byte order mark"),
        (b'["Fus\xe9"]', "not UTF-8 text .byte 0xE9"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "1" * 5_000 + "]", "list of names"),
        ('["' + "x" * 5000 + '"]', "no file"),
    ],
)
def test_a_bad_order_file_is_explained(folder, content, message):
    with pytest.raises(BadSubmission, match=message):
        order(folder, content)


def test_the_line_of_a_json_error(folder):
    assert refusal(folder, '[\n  "FuseA"\n  "FuseB"\n]').line == 3


def test_a_missing_order_file_suggests_what_to_write(folder):
    with pytest.raises(BadSubmission, match=r'is missing: .* for example \["FuseA", "FuseB"\]'):
        read_order(folder)


def test_a_link_out_of_the_folder_is_refused(folder, tmp_path):
    (folder / "Linked.py").symlink_to(tmp_path / "Outside.py")
    assert "leads out of pass_dir" in refusal(folder, '["Linked"]').message


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"x = 1\ndef f(:\n", 2, "not valid Python"),
        (b"x = 1\n# caf\xe9\ny = 2\n", 2, "not UTF-8 text .byte 0xE9"),
        (b"x = 1\0\n", None, "not valid Python"),
        (b"x = " + b"(" * 5000, None, "too deeply|not valid"),
    ],
)
def test_source_that_does_not_parse(folder, content, line, message):
    (folder / "FuseA.py").write_bytes(content)
    with pytest.raises(BadSubmission, match=message) as caught:
        read_source(folder, "FuseA.py")
    assert caught.value.file == "FuseA.py"
    if line is not None:
        assert caught.value.line == line and str(caught.value).startswith(f"FuseA.py:{line}: ")


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfx = 1\n", b"# -*- coding: latin-1 -*-\n# caf\xe9\n", b""])
def test_source_that_python_accepts(folder, content):
    (folder / "FuseA.py").write_bytes(content)
    assert read_source(folder, "FuseA.py")[0] == content
