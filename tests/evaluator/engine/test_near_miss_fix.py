"""What a near miss offers as a quick fix makes the pattern agree there, and leaves the author's text as it is."""

from pathlib import Path

import pytest
from pass_helpers import graph

from evaluator.engine.load import load_submission
from evaluator.engine.passes import apply_passes
from evaluator.events import Edit, NearMiss

POOL = (
    "in_0, in_1",
    "tmp_0 = in_0 * in_1",
    "tmp_1 = torch.sum(tmp_0, 1)",
    "tmp_2 = in_1.sum(1)",
    "tmp_3 = torch.clamp(tmp_2, min=1e-09)",
    "tmp_4 = tmp_1 / tmp_3",
    "return (tmp_4,)",
)
LEAKY = ("in_0", "tmp_0 = in_0 * 2", "tmp_1 = torch.relu(tmp_0)", "tmp_2 = tmp_0.sum(1)", "return (tmp_1, tmp_2)")

TEXT = '''\
"""Ünïcode before the pattern: columns are not bytes."""
import torch


def pattern({parameters}):
{body}


def replacement_args({parameters}):
    return ({parameters},)


def launcher(*args):
    return args[0]


def replacement_func():
    return launcher
'''


def matched(folder: Path, module, text: str) -> tuple[int, NearMiss | None]:
    """Matches of a pass file, and its near miss."""
    folder.mkdir(exist_ok=True)
    (folder / "Fuse.py").write_text(text)
    (folder / "sorted_output_pass_rule_names.json").write_text('["Fuse"]')
    found = apply_passes(module, load_submission(folder))
    return found.matches, next(iter(found.near_misses), None)


def edited(text: str, edits: list[Edit]) -> str:
    """The text after edits that do not overlap; all here are on one line and in the basic plane."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda one: (one["line"], one["column"]), reverse=True):
        assert edit["line"] == edit["end_line"]
        line = lines[edit["line"] - 1]
        lines[edit["line"] - 1] = line[: edit["column"]] + edit["text"] + line[edit["end_column"] :]
    return "\n".join(lines)


def pass_text(body: str, parameters: str = "x, m") -> str:
    return TEXT.format(parameters=parameters, body="\n".join(f"    {line}" for line in body.split("\n")))


@pytest.mark.parametrize(
    ("wrong", "kind", "right"),
    [
        ("n = torch.clamp(m.sum(1), min=1e-6)", "constant", "n = torch.clamp(m.sum(1), min=1e-09)"),
        ("n = m.sum(1).clamp(min=1e-9)", "form", "n = torch.clamp(m.sum(1), min=1e-09)"),
        ("n = torch.clamp(torch.sum(m, 1), min=1e-9)", "form", "n = torch.clamp(m.sum(1), min=1e-9)"),
        ("n = torch.clamp(m.sum(2), min=1e-9)  # ß", "constant", "n = torch.clamp(m.sum(1), min=1e-9)  # ß"),
    ],
)
def test_the_graph_s_call_and_the_graph_s_constant(tmp_path, wrong, kind, right):
    rest = "p = x * m\n{line}\nreturn torch.sum(p, 1) / n"
    text = pass_text(rest.format(line=wrong))
    count, miss = matched(tmp_path / "pass_dir", graph(*POOL), text)
    assert count == 0 and miss is not None
    (fix,) = miss["fixes"]
    assert fix["kind"] == kind
    after = edited(text, fix["edits"])
    assert after == pass_text(rest.format(line=right))
    assert matched(tmp_path / "pass_dir", graph(*POOL), after)[0] == 1


def test_what_the_graph_has_instead_of_the_pattern_s_end(tmp_path):
    text = pass_text("return torch.sigmoid(x * m)")
    module = graph("in_0, in_1", "tmp_0 = in_0 * in_1", "tmp_1 = torch.tanh(tmp_0)", "return (tmp_1,)")
    count, miss = matched(tmp_path / "pass_dir", module, text)
    assert count == 0 and miss is not None
    (fix,) = miss["fixes"]
    after = edited(text, fix["edits"])
    assert after == pass_text("return torch.tanh((x * m))")
    assert matched(tmp_path / "pass_dir", module, after)[0] == 1


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("y = x * 2\nreturn torch.relu(y)", "y = x * 2\nreturn torch.relu(y), y"),
        ("y = x * 2\nz = torch.relu(y)\nreturn (z,)", "y = x * 2\nz = torch.relu(y)\nreturn (z, y)"),
        ("return torch.relu(x * 2)  # é", "return torch.relu((mul := x * 2)), mul  # é"),
    ],
)
def test_a_value_that_leaks_is_returned_as_well(tmp_path, body, right):
    text = pass_text(body, "x")
    count, miss = matched(tmp_path / "pass_dir", graph(*LEAKY), text)
    assert count == 0 and miss is not None and miss["kind"] == "leak"
    (fix,) = miss["fixes"]
    after = edited(text, fix["edits"])
    assert after == pass_text(right, "x")
    assert fix["kind"] == "output" and "let the launcher" in fix["title"]
    assert matched(tmp_path / "pass_dir", graph(*LEAKY), after)[0] == 1


@pytest.mark.parametrize(
    "body",
    [
        "x = x * m\nreturn torch.mean(x, 1) / torch.clamp(m.sum(1), min=1e-9)",
        "def least(v):\n    return torch.clamp(v.sum(1), min=1e-6)\nreturn torch.sum(x * m, 1) / least(m)",
    ],
    ids=["a variable that holds two values", "two nodes made in one call of a helper"],
)
def test_where_the_text_does_not_say_it_plainly_nothing_is_offered(tmp_path, body):
    count, miss = matched(tmp_path / "pass_dir", graph(*POOL), pass_text(body))
    assert count == 0 and miss is not None
    assert not miss.get("fixes")
