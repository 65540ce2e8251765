"""What is not straight-line FX code is refused with file, line, and the reason; never half read."""

import pickle
import sys

import pytest
from whole_graph import long_file, whole_graph

from graphs.fx_source import ReadProblem, TooLarge, literals, parse
from graphs.fx_source import reader as reader_module


def problem(text: str) -> ReadProblem:
    with pytest.raises(ReadProblem) as caught:
        parse(text, "some/model.py")
    assert caught.value.file == "some/model.py"
    return caught.value


def in_body(*lines: str) -> ReadProblem:
    """The problem of lines that start on line 5 of a module."""
    body = "\n".join(f"        {line}" for line in lines)
    return problem(
        "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, in_0, in_1):\n"
        f"{body}\n        return (in_0,)\n"
    )


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("for x in in_0: y = x", "loop"),
        ("while in_0: pass", "loop"),
        ("if in_0 > 1: x = 1", "`if`"),
        ("with torch.no_grad(): x = 1", "`with`"),
        ("try: pass\n        except ValueError: pass", "`try`"),
        ("raise ValueError", "raise"),
        ("assert in_0", "assert"),
        ("def f(): pass", "function inside"),
        ("class A: pass", "class inside"),
        ("import os", "import inside"),
        ("from torch import inf", "import inside"),
        ("global x", "global"),
        ("match in_0:\n            case 1: pass", "match"),
        ("x = [y for y in in_0]", "comprehension"),
        ("x = {y for y in in_0}", "comprehension"),
        ("x = {y: 1 for y in in_0}", "comprehension"),
        ("x = sum(y for y in in_0)", "generator"),
        ("x = lambda y: y", "lambda"),
        ("x = in_0 if in_1 else 2", "conditional"),
        ("x = in_0 and in_1", "`and`"),
        ("x = (y := in_0)", ":="),
        ("x = f'{in_0}'", "formatted"),
        ("x = b'abc'", "bytes"),
        ("x = {in_0, 1}", "a set"),
        ("x = f(*in_0)", "`*`"),
        ("x = f(**in_0)", "`**`"),
        ("x = f(**{'a b': 1})", "name an argument"),
        ("x = f(a=1, **{'a': 1})", "name an argument"),
        ("x = {in_0: 1}", "key"),
        ("x = in_0 < in_1 < 3", "more than two"),
        ("x = in_0 in in_1", "`in`"),
        ("x = in_0(1)", "calls a value"),
        ("x = f(1)(2)", "calls a value"),
        ("x = self.layer(in_0)", "submodule"),
        ("x = tmp_0 + 1", "`tmp_0` is used before it is assigned"),
        ("x += 1", "`x` is used before it is assigned"),
        ("del in_0; y = in_0 + 1", "`in_0` is used before it is assigned"),
        ("x = numpy.float32", "numpy"),
        ("in_0.data = in_1", "assigned to"),
        ("a, b = 1, 2, 3", "takes 2 values, there are 3"),
        ("a, *b = in_0", "assigned to"),
        ("del in_0[0]", "deleted"),
        ("yield in_0", "yield"),
        ("x: int", "not a statement"),
        ("return in_1", "after the `return`"),
        ("x = in_0 +", "is not Python: invalid syntax"),
        ("x = (in_0", "is not Python"),
        ("  x = 1", "is not Python: unexpected indent"),
        ("x = 'open", "is not Python"),
        ("x = in_0 + -0x" + "f" * 300, "a whole number of 1,200 bits"),
        ("x: 0x" + "f" * 300 + " = in_0", "a whole number of 1,200 bits"),
    ],
)
def test_what_is_no_straight_line_code(line: str, word: str) -> None:
    found = in_body("y = 1", line)
    assert word in found.why
    assert found.line == (7 if "return" in line else 6)
    assert str(found) == f"some/model.py:{found.line}: {found.why}"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", None, "has no `def forward`"),
        ("import torch\nclass A:\n    pass\n", None, "has no `def forward`"),
        ("import os\ndef forward(self, x):\n    return x\n", 1, "imports nothing but torch"),
        ("import torch\nfrom os import path\ndef forward(self):\n    return 1\n", 2, "imports nothing but torch"),
        ("from . import x\ndef forward(self):\n    return 1\n", 1, "imports nothing but torch"),
        ("from torch import *\ndef forward(self):\n    return 1\n", 1, "imports nothing but torch"),
        ("x = 1\ndef forward(self, x):\n    return x\n", 1, "neither an import"),
        ("print('hello')\ndef forward(self, x):\n    return x\n", 1, "neither an import"),
        ("def forward(self, x):\n    return x\nx = 1\n", 3, "neither an import"),
        ("def forward(self, x):\n    return x\n\ndef forward(self, x):\n    return x\n", 4, "second `forward`"),
        ("class A:\n    def other(self): pass\n    def forward(self, x):\n        return x\n", 2, "nothing else"),
        ("class A:\n    def forward():\n        return 1\n", 2, "no `self`"),
        ("@torch.no_grad()\ndef forward(self, x):\n    return x\n", 1, "decorates"),
        ("def forward(self, *x):\n    return x\n", 1, "variadic"),
        ("def forward(self, *, x):\n    return x\n", 1, "keyword-only"),
        ("def forward(self, **x):\n    return 1\n", 1, "variadic"),
        ("def forward(self, torch):\n    return torch\n", 1, "hides a name"),
        ("def forward(self, x, x):\n    return x\n", 1, "two inputs"),
        ("def forward(self, x):\n    y = x + 1\n", 1, "returns nothing"),
        ("async def forward(self, x):\n    return x\n", 1, "neither an import"),
        ("def forward(self, x):\n    return x\n  y = 1\n", 3, "is not Python"),
        ("def forward(self, x):\n\treturn x\n        y = 1\n", 3, ""),
        ("def forward(self, x):\nreturn x\n", 2, "is not Python"),
        ("def forward(self, x:\n    return x\n", None, "is not Python"),
        ("def forward(self, x):\n    return x\0\n", None, "null bytes"),
        ("class A:\n  def forward(self, x):\n    return x\n  class B:\n    pass\n", 4, "nothing else"),
        ("\x0c" * 10, None, "has no `def forward`"),
        ("\\", None, "is not Python"),
    ],
)
def test_frames_that_are_no_graph(text: str, line: int | None, word: str) -> None:
    found = problem(text)
    assert word in found.why
    if line is not None:
        assert found.line == line


def test_a_problem_on_a_late_line_of_a_long_file_names_that_line() -> None:
    lines = whole_graph(60).split("\n")
    assert len(lines) > 1000
    lines[-3] = "        x = nonsense + 1"
    assert problem("\n".join(lines)).line == len(lines) - 2
    lines[-3] = "        x = = 1"
    assert problem("\n".join(lines)).line == len(lines) - 2


def test_deep_nesting_ends_as_a_problem_too() -> None:
    assert "nested" in in_body("x = " + "(" * 150 + "in_0" + ",)" * 150 + " + " + "-" * 5000 + "1").why
    assert problem(f"def forward(self, x):\n    return {'f(' * 90}x{')' * 90}{'.a()' * 20000}\n")
    assert problem("def forward(self, x):\n    return " + "[" * 5000 + "]" * 5000 + "\n")


def test_beyond_the_limit_only_counts_are_given() -> None:
    source = long_file(500)
    assert len(parse(source, max_statements=501).nodes) == 502
    with pytest.raises(TooLarge) as caught:
        parse(source, max_statements=500)
    assert caught.value.counts == {
        "statements": 501,  # 500 and the return
        "clean_ups": 499,
        "lines": 507,
        "characters": len(source),
        "limit": 500,
    }
    assert caught.value.line == 6
    assert "501 statements" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.counts) == (str(caught.value), caught.value.counts)


def test_the_default_limit_is_fifty_thousand_statements() -> None:
    with pytest.raises(TooLarge):
        parse(long_file(50_000))


def test_memory_beyond_the_limit_is_a_few_times_the_text() -> None:
    source = long_file(60_000)
    before = _allocated()
    with pytest.raises(TooLarge):
        parse(source)
    assert _allocated() - before < 3 * sys.getsizeof(source)


def _allocated() -> int:
    """The most memory that Python had at any time since the last call, in bytes."""
    import tracemalloc

    if not tracemalloc.is_tracing():
        tracemalloc.start()
        return 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_sizes_of_single_pieces_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "MAX_PIECE", 1000)
    text = "def forward(self, x):\n    y = 1\n    return f('" + "a" * 1000 + "')\n"
    with pytest.raises(TooLarge) as caught:
        parse(text)
    assert caught.value.counts["limit"] == 1000
    monkeypatch.setattr(reader_module, "MAX_CHARACTERS", 900)
    with pytest.raises(TooLarge, match="characters"):
        parse(text)


def test_reading_executes_nothing(tmp_path) -> None:
    mark = tmp_path / "executed"
    parse(
        "import torch\n"
        "class GraphModule(torch.nn.Module):\n"
        f"    def forward(self, x = open({str(mark)!r}, 'w')):\n"
        f"        y = open({str(mark)!r}, 'w')\n"
        f"        z = __import__('os').system('touch {mark}')\n"
        "        return (y, z)\n"
    )
    assert not mark.exists()


def test_formatted_text_with_very_many_fields_is_refused_before_it_is_parsed():
    """Python's parser takes the square of their number: 150 KB took 47 s."""
    assert "too many fields" in str(in_body("y = f'" + "{x}" * 50_000 + "'"))
    body = "        y = in_0.rename('" + "{" * 3_000 + "')\n        return (y,)\n"  # braces, and no formatted text
    text = "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, in_0):\n" + body
    assert parse(text).nodes


@pytest.mark.parametrize("opening", ["[", "[1, "])
@pytest.mark.parametrize("depth", [500, 20_000])
def test_brackets_without_end_are_not_read_from_each_of_them(
    opening: str, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    decode = literals._decode

    def counted(text: str, offset: int, end: int) -> tuple[tuple[object, int] | None, int]:
        decoded = decode(text, offset, end)
        read.append(decoded[1])
        return decoded

    monkeypatch.setattr(literals, "_decode", counted)
    caught = in_body(f"a = torch.tensor({opening * depth})")
    assert caught.line == 5
    assert "nested" in caught.why
    assert len(read) < 20  # eight times the text, and not each of the brackets
