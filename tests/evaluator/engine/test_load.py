"""Submissions as people write them are loaded; the others are refused with the place and the reason."""

import json
import sys
import textwrap

import pytest
import torch

from evaluator.engine import interpreter

interpreter.enable()

from evaluator.engine.load import BadSubmission, load_submission, modules_of, unload  # noqa: E402

HELPER = """
import torch
import triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 16),)](x, y, out, x.numel(), BLOCK=16)
    return out
"""
TAIL = """
import torch

def pattern(x, y):
    return x + y

def replacement_args(x, y):
    return (x, y)

@torch.fx.wrap
def launcher(x, y):
    return helper_add(x, y)

def replacement_func():
    return launcher
"""
HELPER_IMPORTS = {
    "package": "from pass_dir.helper import add as helper_add",
    "relative": "from .helper import add as helper_add",
    "module": "import pass_dir.helper\nhelper_add = pass_dir.helper.add",
    "sys.path": """
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from helper import add as helper_add""",
    "spec": """
import importlib.util
import os
spec = importlib.util.spec_from_file_location("kernels_of_mine", os.path.join(os.path.dirname(__file__), "helper.py"))
helper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(helper)
helper_add = helper.add""",
    "lazy": """
def helper_add(x, y):
    from pass_dir.helper import add
    return add(x, y)""",
}


@pytest.fixture
def write(tmp_path):
    def write(order=("FuseAdd",), **files):
        folder = tmp_path / "submission"
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.*"):
            old.unlink()
        for name, text in files.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(text).lstrip("\n"))
        (folder / "sorted_output_pass_rule_names.json").write_text(json.dumps(list(order)))
        return folder

    yield write
    unload()


def refusal(folder):
    before = set(sys.modules)
    with pytest.raises(BadSubmission) as caught:
        load_submission(folder)
    assert not any(name.startswith("pass_dir") for name in set(sys.modules) - before)
    return caught.value


@pytest.mark.parametrize("way", HELPER_IMPORTS)
def test_four_honest_ways_to_a_helper(write, way):
    (found,) = load_submission(write(FuseAdd=HELPER_IMPORTS[way] + TAIL, helper=HELPER))
    x, y = torch.arange(20.0), torch.ones(20)
    assert torch.equal(found.launcher(x, y), x + y)
    assert (found.name, found.file) == ("FuseAdd", "FuseAdd.py")
    assert found.pattern(2, 3) == 5 and found.replacement_args(2, 3) == (2, 3)
    assert found.launcher is found.module.replacement_func()


def test_two_loads_leave_nothing_behind(write):
    path, wrapped = list(sys.path), dict(torch.fx._symbolic_trace._wrapped_fns_to_patch)
    twice = HELPER.replace("tl.load(x + i, mask=i < n)", "2 * tl.load(x + i, mask=i < n)")
    for helper, factor in [(HELPER, 1), (twice, 2)]:
        (found,) = load_submission(write(FuseAdd=HELPER_IMPORTS["sys.path"] + TAIL, helper=helper))
        assert found.launcher(torch.ones(3), torch.ones(3)).tolist() == [factor + 1.0] * 3
    unload()
    assert sys.path == path and torch.fx._symbolic_trace._wrapped_fns_to_patch == wrapped
    assert "helper" not in sys.modules and "pass_dir" not in sys.modules


def test_modules_of_a_submission(write):
    folder = write(FuseAdd=HELPER_IMPORTS["sys.path"] + TAIL, helper=HELPER, unused="raise ValueError")
    load_submission(folder)
    assert {module.__name__ for module in modules_of(folder)} == {"pass_dir", "pass_dir.FuseAdd", "helper"}


def test_passes_in_their_order_and_odd_names(write):
    text = "from .helper import add as helper_add" + TAIL
    folder = write(order=["b-2.x", "FuseAdd"], FuseAdd=text, helper=HELPER, **{"b-2.x": text})
    assert [found.name for found in load_submission(folder)] == ["b-2.x", "FuseAdd"]


def test_a_pass_that_another_pass_imports_is_loaded_once(write):
    first = "from pass_dir.Second import launcher, pattern, replacement_args, replacement_func"
    second = "from .helper import add as helper_add" + TAIL
    one, two = load_submission(write(order=["First", "Second"], First=first, Second=second, helper=HELPER))
    assert one.launcher is two.launcher


def test_a_package_of_helpers_and_an_init_file(write):
    text = "from pass_dir import helper_add" + TAIL
    folder = write(FuseAdd=text, __init__="from .helper import add as helper_add\nLOADED = True\n", helper=HELPER)
    (found,) = load_submission(folder)
    assert sys.modules["pass_dir"].LOADED and found.launcher(torch.ones(1), torch.ones(1)).item() == 2


def test_a_hand_built_graph_is_a_pattern(write):
    text = """
        import torch
        pattern = torch.fx.Graph()
        x = pattern.placeholder("x")
        pattern.output(pattern.call_function(torch.relu, (x,)))
        def replacement_args(x): return (x,)
        def launcher(x): return x
        def replacement_func(): return launcher
    """
    (found,) = load_submission(write(FuseAdd=text))
    assert isinstance(found.pattern, torch.fx.Graph)


def complete(**parts):
    """A pass with one part replaced; an empty text leaves it out."""
    default = {
        "head": "# line 1",
        "pattern": "def pattern(x): return x + 1",
        "replacement_args": "def replacement_args(x): return (x,)",
        "launcher": "def launcher(x): return x",
        "replacement_func": "def replacement_func(): return launcher",
    }
    return "\n".join((default | parts).values())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (complete(pattern=""), 1, "has no `pattern`: a pass defines pattern, replacement_args and replacement_func$"),
        ("", 1, "has no `pattern`: .*; if it is a helper, take it out of sorted_output_pass_rule_names.json"),
        (
            complete(head="def f(x):\n\ty = 1\n        return y"),
            3,
            "is not valid Python: .*; lines are indented with tabs",
        ),
        (complete(replacement_args="replacement_args = (1,)"), None, "`replacement_args` is a tuple, not a function"),
        (complete(replacement_func=""), 1, "has no `replacement_func`"),
        (complete(replacement_func="def replacement_func(): launcher"), 5, r"gives nothing \(None\)"),
        (complete(replacement_func="def replacement_func(): return 3"), 5, "gives a int"),
        (
            complete(replacement_func="def replacement_func(): return launcher()"),
            5,
            "calls launcher instead of returning",
        ),
        (
            complete(
                launcher="def launcher(x=None): return x", replacement_func="def replacement_func(): return launcher()"
            ),
            5,
            r"calls launcher instead of returning it, and so gives nothing \(None\)",
        ),
        (complete(replacement_func="def replacement_func(): return lambda x: x"), 5, "another object each time"),
        (
            complete(replacement_func="import torch\ndef replacement_func(): return torch.fx.wrap(launcher)"),
            6,
            "wrap must be called .*; write @torch.fx.wrap above the launcher",
        ),
        (complete(replacement_func="def replacement_func(): return 1 / 0"), 5, "raised ZeroDivisionError: division"),
        (complete(replacement_func="def replacement_func(name): return launcher"), 5, "raised TypeError"),
        (complete(head="x = 1\n\nraise ValueError('no luck')"), 3, "could not be imported: ValueError: no luck"),
        (complete(head="import sys\nsys.exit(0)"), 2, "ends the process"),
        (complete(head="import no_such_module_here"), 1, "no_such_module_here is not available"),
        (complete(head="import helper"), 1, "write `from pass_dir.helper import"),
        (
            complete(head="from pass_dir.helper import nothing"),
            1,
            r"cannot import name 'nothing' from 'pass_dir.helper' \(helper.py\)",
        ),
        (complete(head="from pass_dir.absent import f"), 1, "No module named 'pass_dir.absent'"),
        ("def f(:", 1, "is not valid Python"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(write, text, line, message):
    found = refusal(write(FuseAdd=text, helper="x = 1\n"))
    assert found.file == "FuseAdd.py" and (line is None or found.line == line), str(found)
    with pytest.raises(BadSubmission, match=message):
        raise found


def test_a_kernel_is_not_a_launcher(write):
    found = refusal(write(FuseAdd="from pass_dir.helper import add_kernel as helper_add" + TAIL
        .replace("return launcher", "return helper_add"), helper=HELPER))  # fmt: skip
    assert "the Triton kernel itself" in found.message


def test_the_deepest_line_of_the_submission_is_blamed(write):
    helper = "def build(n):\n    return [1, 2][n]\n"
    found = refusal(write(FuseAdd=complete(head="from pass_dir.helper import build\nX = build(7)"), helper=helper))
    assert (found.file, found.line) == ("helper.py", 2) and "IndexError" in found.message


def test_a_syntax_error_in_a_helper(write):
    found = refusal(write(FuseAdd=complete(head="from pass_dir.helper import f"), helper="x = 1\ndef f(:\n"))
    assert (found.file, found.line) == ("helper.py", 2)


def test_a_factory_of_the_launcher_is_no_call_of_it(write):
    text = complete(launcher="def make(cache={}):\n    return cache.setdefault(0, lambda x: x)",
                    replacement_func="def replacement_func(): return make()")  # fmt: skip
    (found,) = load_submission(write(FuseAdd=text))
    assert found.launcher(3) == 3


def test_an_exception_that_can_not_be_shown(write):
    head = "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd()"
    assert "its text can not be shown" in refusal(write(FuseAdd=complete(head=head))).message


def test_tables_made_on_a_gpu_while_importing(write):
    head = "import torch\nTABLE = torch.arange(3, device='cuda')"
    text = complete(head=head, launcher="def launcher(x): return TABLE")
    (found,) = load_submission(write(FuseAdd=text))
    assert found.launcher(1).device.type == ("cuda" if torch.cuda.is_available() else "cpu")
