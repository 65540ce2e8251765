"""What the text of a submission shows about the published harness's rules."""

import json
from pathlib import Path

import pytest

from evaluator.portability import RULES, check_files

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
PATTERN = "def pattern(x, y):\n    return torch.relu(x + y)\n"
ARGS = "def replacement_args(x, y):\n    return (x, y, 'route')\n"
KERNEL = "@triton.jit\ndef kernel(x_ptr, n, B: tl.constexpr):\n    x = tl.load(x_ptr + tl.arange(0, B)).reshape(B)\n"
LAUNCHER = """
@torch.fx.wrap
def launch(x, y, route):
    out = torch.empty_like(x)
    kernel[(1,)](out, 1, B=4)
    return out
""".lstrip()
FUNC = "def replacement_func():\n    return launch\n"


def one(head=HEAD, pattern=PATTERN, args=ARGS, launcher=KERNEL + LAUNCHER, func=FUNC):
    return "\n".join((head, pattern, args, launcher, func))


def submission(**texts):
    files = {f"{name}.py": text for name, text in texts.items()}
    listed = [name for name in texts if not name.startswith("_")]
    return {**files, "sorted_output_pass_rule_names.json": json.dumps(listed)}


def rules(**texts):
    return [finding.rule for finding in check_files(submission(**texts))]


def test_a_plain_pass_with_literal_routes_is_portable():
    assert rules(Fuse=one()) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import torch.nn.functional as F", ["blocked_import"]),
        ("from torch.nn import functional", ["blocked_import"]),
        ("from torch import nn", []),  # the published rule looks at the module's name only
        ("F = torch.nn.functional", ["blocked_import"]),
        ("import torch.autograd", ["blocked_import"]),
        ("import torchvision", []),
        ("DEVICE = torch.device('cuda')", ["blocked_call"]),
        ("from torch import arange\nINDEX = arange(3)", ["blocked_call"]),
        ("from torch import empty as e\nTABLE = e(3)", []),
        ("import torch as t\nTABLE = t.tensor([1])", ["blocked_call"]),
        ("TABLE = torch.zeros(3)", []),
        ("from .kernels import launch", ["relative_import"]),
        ("commutative = True", ["commutative"]),
        ("commutative = False", []),
    ],
)
def test_source_rules(line, expected):
    assert rules(Fuse=one(head=HEAD + line)) == expected


def test_pattern_and_replacement_args_may_call_anything_and_kernels_are_not_looked_at():
    pattern = "def pattern(x, y):\n    return torch.nn.functional.gelu(torch.matmul(x, y)).view(-1)\n"
    args = "def replacement_args(x, y):\n    return (x.view(-1), torch.matmul(x, y))\n"
    assert rules(Fuse=one(pattern=pattern, args=args)) == []


def test_a_decorator_that_is_called_counts_as_a_call():
    assert rules(Fuse=one(launcher="@torch.no_grad()\n" + LAUNCHER)) == ["blocked_call"]
    assert rules(Fuse=one(launcher=LAUNCHER.replace("@torch.fx.wrap\n", "") + "torch.fx.wrap('launch')\n")) == [
        "unwrapped_launcher",
        "blocked_call",
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("def pattern(x, y):\n    t = x + y\n    return t, torch.relu(t)\n", ["several_outputs"]),
        ("def pattern(x, y):\n    return (torch.relu(x + y),)\n", []),
        ("def pattern(*args):\n    return torch.relu(args[0])\n", ["variadic_pattern"]),
        ("def pattern(x, y):\n    return torch.relu(x)\n", ["unused_in_pattern"]),
    ],
)
def test_patterns(pattern, expected):
    assert rules(Fuse=one(pattern=pattern)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x.view(-1)", ["guarded_operator"]),
        ("return x.T", ["guarded_operator"]),
        ("x = x.contiguous()\n    return x", ["guarded_copy"]),
        ("return x.to(torch.float16)", []),
        ("return torch.empty(x.shape, dtype=x.dtype, device=x.device)", []),
        ("return torch.empty_like(x, dtype=torch.float32)", ["like_with_dtype"]),
        ("out = torch.empty_like(x)\n    return (out,)", ["one_tuple"]),
        ("kind = route.split('_')[0]\n    return torch.empty_like(x)", []),
        ("n = x.stride(0) * x.numel() + x.size(1)\n    return torch.empty_like(x)", []),
    ],
)
def test_launchers(body, expected):
    launcher = f"@torch.fx.wrap\ndef launch(x, y, route):\n    {body}\n"
    assert rules(Fuse=one(launcher=launcher)) == expected


def test_helpers_are_under_the_guard_but_not_under_the_source_rules():
    helper = HEAD + "import torch.nn.functional\n\ndef launch(x, y, route):\n    return x.reshape(-1)\n"
    found = check_files(
        submission(Fuse=one(head=HEAD + "from pass_dir._helper import launch", launcher=""), _helper=helper)
    )
    assert [(finding.rule, finding.file, finding.line) for finding in found] == [("guarded_operator", "_helper.py", 7)]


def test_one_launcher_for_all_passes():
    shared = one(head=HEAD + "from pass_dir._helper import launch", launcher="")
    other = one(
        head=HEAD + "import pass_dir._helper as h", launcher="", func="def replacement_func():\n    return h.launch\n"
    )
    assert rules(A=shared, B=shared, C=other, _helper=HEAD + LAUNCHER) == []
    found = check_files(submission(A=one(), B=one()))
    assert [(finding.rule, finding.file) for finding in found] == [("several_launchers", "B.py")]
    assert "2 launchers: launch of A, launch of B" in found[0].found


def test_a_launcher_of_another_pass_is_another_object_there():
    borrowed = one(head=HEAD + "from pass_dir.A import launch", launcher="")
    found = check_files(submission(A=one(), B=borrowed))
    assert [(finding.rule, finding.file) for finding in found] == [("pass_as_helper", "B.py")]


def test_more_than_a_hundred_passes_and_no_list():
    many = {f"P{n}.py": "" for n in range(101)}
    order = json.dumps([f"P{n}" for n in range(101)])
    assert [f.rule for f in check_files({**many, "sorted_output_pass_rule_names.json": order})] == ["many_passes"]
    assert [f.rule for f in check_files({"Fuse.py": one()})] == ["order_file"]


def test_what_is_not_python_is_left_out():
    assert rules(Fuse="def pattern(:", Other="\0") == []


def test_every_rule_says_what_works_in_both():
    for rule in RULES.values():
        assert rule.theirs and rule.instead and rule.basis in ("read", "inferred")


def test_the_documentation_lists_every_rule():
    text = (Path(__file__).parents[2] / "docs" / "portability.md").read_text()
    for rule in RULES.values():
        assert f"| `{rule.name}` ({rule.level}) | {rule.theirs} | {rule.basis} | {rule.instead} |" in text
