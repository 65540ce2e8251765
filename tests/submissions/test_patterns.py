"""Patterns of imported submissions as drawings, from their text alone."""

import pytest
from django.test import Client

from submissions.actions.run_folders import Described, do_get_author
from submissions.models import Submission
from submissions.patterns import as_forward, drawn_patterns
from tests.accounts import account

PATTERN = '''\
import torch

raise SystemExit("never executed")

def pattern(x, weight):
    """Words."""
    a = torch.nn.functional.relu(x)
    b = a @ weight
    return (b, a.sum(-1))

def replacement_args(x, weight):
    return (x, weight)
'''


def test_a_pattern_is_drawn_as_it_stands_and_nothing_is_executed():
    (one,) = drawn_patterns({"Fuse.py": PATTERN, "helper.py": "x = 1", "order.json": "def pattern"})
    assert (one.file, one.problem) == ("Fuse.py", "")
    assert one.code.startswith("def forward(self, x, weight):\n    a = torch.nn.functional.relu(x)\n")
    assert one.graph is not None
    assert [node["label"] for node in one.graph["nodes"]] == ["relu", "@", "sum", "output"]
    assert [value["name"] for value in one.graph["inputs"]] == ["x", "weight"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def pattern(x):\n    return (", "is no Python"),
        ("class A:\n    def pattern(x):\n        return x", "has no function pattern"),
        ("def pattern(*x):\n    return x", "other than plain parameters"),
        ("def pattern(x):\n    for i in x:\n        x = x + 1\n    return x", "no straight line"),
        ("def pattern(x):\n    return x" + " " * 70_000, "characters"),
        ("def pattern(x):\n    return " + "(" * 5000 + "x" + ")" * 5000, ""),
        ("def pattern(x):\n    return x + " + "9" * 6000, ""),
        ("def pattern(x):\n    pass\0", ""),
    ],
)
def test_what_can_not_be_drawn_says_why(text: str, why: str):
    (one,) = drawn_patterns({"Fuse.py": text})
    assert one.graph is None and one.problem and why in one.problem


def test_constants_of_the_module_are_put_in():
    code = as_forward("EPS = 1e-05\nN = -1\nx = 3\ndef pattern(x):\n    return x.sum(N) + EPS\n", "A.py")
    assert code.endswith("    return x.sum(-1) + 1e-05\n")


def test_a_long_literal_is_not_put_in_wherever_it_is_named():
    text = f"A = {'x' * 30_000!r}\nB = -A\ndef pattern(x):\n    return f({', '.join(['x', *['A', 'B'] * 2_000])})\n"
    assert len(as_forward(text, "A.py")) < 20_000  # 60 million characters else


def test_strings_of_several_lines_keep_their_lines():
    assert "\n    return x.view(2)" in as_forward("def pattern(x):\n    return x.view(2)", "A.py")


@pytest.mark.django_db
def test_whoever_may_read_a_submission_gets_its_patterns():
    model = do_get_author("a model", Described(), None)
    one = Submission.objects.create(author=model, task_name="t", hash="h", files={"Fuse.py": PATTERN}, path="p")
    client = Client()
    assert client.get(f"/api/submissions/{one.pk}/patterns").status_code == 401
    client.force_login(account("reader").user)
    (found,) = client.get(f"/api/submissions/{one.pk}/patterns").json()
    assert found["file"] == "Fuse.py" and len(found["graph"]["nodes"]) == 4
    assert client.get("/api/submissions/999/patterns").status_code == 404
