import ast
import json

import pytest

from graphs.refused import Refused
from submissions.files import ORDER_FILE, check_files, check_texts, name_problem, starter_files


@pytest.mark.parametrize("name", ["MyPass.py", ORDER_FILE, "kernels/soft max.py", "größe.py", "a-b.c_d.py", "README"])
def test_plain_names_are_taken(name):
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../evil.py",
        "/etc/passwd",
        "a//b.py",
        "a/../b.py",
        "a/./b.py",
        ".hidden",
        "a\\b.py",
        "a\x00b.py",
        "a\nb.py",
        "a\u202eyp.b",  # turns the direction of writing around
        "\ud800.py",
        "C:evil.py",
        "dot.",
        " space.py",
        "x" * 201,
        "folder/",
    ],
)
def test_other_names_are_refused(name):
    assert name_problem(name) is not None


def test_limits():
    check_files({f"f{number}.py": "" for number in range(64)})
    with pytest.raises(Refused, match="65 files"):
        check_files({f"f{number}.py": "" for number in range(65)})
    check_files({"a.py": "ä" * 500_000})
    with pytest.raises(Refused, match="1,000,001 bytes"):
        check_files({"a.py": "ä" * 500_000, "b.py": "x"})


def test_a_file_can_not_be_a_folder_too():
    with pytest.raises(Refused, match="file and a folder"):
        check_files({"a": "", "a/b.py": ""})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = '\ud800'\n", r"^A\.py:2: holds U\+D800"),
        ("caf\udce9", r"^A\.py:1: holds U\+DCE9"),
        ("\n\n\0", r"^A\.py:3: holds a NUL"),
    ],
)
def test_texts_that_are_no_text_are_refused_by_file_and_line(text, said):
    check_texts({"A.py": "größe 😀\x01\n"})
    with pytest.raises(Refused, match=said) as caught:
        check_texts({"B.py": "", "A.py": text})
    assert (caught.value.status, caught.value.code) == (400, "bad_files")


def test_nothing_can_be_drafted_but_not_run():
    check_files({}, may_be_empty=True)
    with pytest.raises(Refused, match="no file"):
        check_files({})


def test_the_starter_is_a_complete_submission():
    files = starter_files()
    check_files(files)
    names = json.loads(files[ORDER_FILE])
    assert names == ["MyPass"]
    functions = {node.name for node in ast.parse(files["MyPass.py"]).body if isinstance(node, ast.FunctionDef)}
    assert {"pattern", "replacement_args", "replacement_func"} <= functions
