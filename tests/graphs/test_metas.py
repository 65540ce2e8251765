"""Meta files are read as literals only."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.metas import TensorMeta, read_metas, write_metas
from graphs.problems import ReadProblem
from graphs.sample_json import meta_from_json, meta_to_json

FULL = """\
class Program_weight_tensor_meta_L_x_:
\tname = "L_x_"
\toriginal_name = "model.x"
\tshape = [2, 3]
\tdtype = "torch.float16"
\tdevice = "cuda:0"
\tmean = -0.25
\tstd = 1e-05
\tmin_val = -1
\tmax_val = 7
\tdata = [1, -2.5, True, inf, -inf, float("nan")]
"""


def read(text: str) -> list[TensorMeta]:
    found = read_metas(text, "weight_meta.py")
    assert found.warnings == []
    return found.metas


def problem(text: str) -> ReadProblem:
    with pytest.raises(ReadProblem) as caught:
        read_metas(text, "weight_meta.py")
    return caught.value


def field(line: str) -> str:
    return f"class A:\n    name = 'a'\n    shape = [2]\n    dtype = 'torch.int64'\n    {line}\n"


def test_every_field() -> None:
    (meta,) = read(FULL)
    assert meta.data is not None and math.isnan(meta.data[5])
    assert meta.data[:5] == (1, -2.5, True, math.inf, -math.inf)
    assert meta == TensorMeta(
        name="L_x_",
        shape=(2, 3),
        dtype="float16",
        device="cuda:0",
        mean=-0.25,
        std=1e-05,
        data=meta.data,
        min_val=-1,
        max_val=7,
        original_name="model.x",
        class_name="Program_weight_tensor_meta_L_x_",
    )


def test_spaces_line_ends_and_byte_order_mark_do_not_matter() -> None:
    expected = repr(read(FULL))
    for text in (FULL.replace("\t", "    "), FULL.replace("\n", "\r\n"), "\ufeff" + FULL, FULL.rstrip("\n")):
        assert repr(read(text)) == expected


def test_what_may_be_missing() -> None:
    assert read("") == []
    assert read("# nothing\nimport torch\nfrom torch import inf\n'text'\npass\n") == []
    (meta,) = read(
        "class A:\n    'doc'\n    name = 'a'\n    shape = ()\n    dtype = torch.bool\n    data = None\n    std = None"
    )
    assert meta == TensorMeta("a", (), "bool", "cpu", class_name="A")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("data = [3, -4]", (3, -4)),
        ("data = (3, 4)", (3, 4)),
        ("data = [[3], [4]]", (3, 4)),
        ("data = [-inf, float('-inf')]", (-math.inf, -math.inf)),
        ("data = [math.inf, torch.inf]", (math.inf, math.inf)),
        ("data : list = [+3, - -4]", (3, 4)),
    ],
)
def test_data(line: str, expected: tuple[float, ...]) -> None:
    assert read(field(line))[0].data == expected


def test_one_number_is_the_data_of_a_scalar() -> None:
    assert read(field("data = 4").replace("[2]", "[]"))[0].data == (4,)


def test_data_of_many_thousand_numbers() -> None:
    numbers = [round(i / 7, 4) for i in range(50_000)]
    assert read(field(f"data = {numbers}").replace("[2]", "[50000]"))[0].data == tuple(numbers)


def test_unknown_keys_and_data_of_the_wrong_size_are_warnings() -> None:
    found = read_metas(field("colour = compute()\n    data = [1, 2, 3]"), "weight_meta.py")
    assert found.metas[0].data is None
    assert found.warnings == [
        "weight_meta.py:5: unknown key 'colour' was ignored",
        "weight_meta.py:6: data has 3 numbers but shape [2] holds 2: data was ignored",
    ]


def test_the_last_of_two_descriptions_counts() -> None:
    found = read_metas(field("std = 1.0") + field("std = 2.0"), "weight_meta.py")
    assert [meta.std for meta in found.metas] == [2.0]
    assert found.warnings == ["weight_meta.py:6: describes 'a' again: the last one counts"]


def test_complex_data_is_a_warning() -> None:
    found = read_metas(field("data = [(1+2j), (-0.5-1j)]"), "weight_meta.py")
    assert found.metas[0].data is None
    assert found.warnings == ["weight_meta.py:5: data has complex numbers, which can not be replayed: data was ignored"]


@pytest.mark.parametrize(
    ("written", "read_as"), [("torch.float", "float32"), ("torch.long", "int64"), ("half", "float16")]
)
def test_dtypes_have_one_name(written: str, read_as: str) -> None:
    assert read(field("").replace("torch.int64", written))[0].dtype == read_as


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("class A:\n    name = 'a'\n    dtype = 'torch.int8'\n", 1, "class A has no shape"),
        ("\nclass A:\n    pass\n", 2, "has no name and no shape and no dtype"),
        (field("name = 3"), 5, "name must be a text, not 3"),
        (field("shape = [-1]"), 5, "shape must be"),
        (field("shape = 'x'"), 5, 'shape = "x" is not a list of integers'),
        (field("shape = ['s0']"), 5, "shape = ['s0'] is not a list of integers"),
        (field("shape = [True]"), 5, "shape = [True] is not a list of integers"),
        (field("shape = [2.0]"), 5, "shape = [2.0] is not a list of integers"),
        (field("dtype = 'torch.float33'"), 5, 'dtype = "torch.float33" is not a dtype of torch that is known'),
        (field("dtype = torch.ones"), 5, 'dtype = "torch.ones" is not a dtype of torch'),
        (field("mean = 'x'"), 5, "mean must be a number"),
        (field("data = 'x'"), 5, "data must be a flat list"),
        (field("data = [1, 'x']"), 5, "data must be a flat list"),
        (field("data = torch.ones(3)"), 5, "is not a literal value"),
        (field("data = [1] * 3"), 5, "is not a literal value"),
        (field("std = float('x')"), 5, "is not a literal value"),
        (field("std = unknown"), 5, "is not a literal value"),
        (field("a, b = 1, 2"), 5, "is not a plain key"),
        (field("a = b = 1"), 5, "is not a `key = value` line"),
        (field("def f(self): pass"), 5, "is not a `key = value` line"),
        ("x = 1\n", 1, "is not a class that describes a tensor"),
        ("import os\n", 1, "is not a class that describes a tensor"),
        (field("std = 2j"), 5, "std must be a number"),
        ("class A:\n    name = \n", 2, "is not Python"),
        ("a\0b", None, "is not Python"),
        (field(f"std = {'-' * 2000}1"), 1, "nested too deeply"),
        (f"\n{'not ' * 800}x\n", 2, "something that is nested too deeply to be shown is not a class"),
        (field(f"std = 1{'0' * 400}"), 5, "holds a whole number of 1,329 bits; the limit is 1,000"),  # 400 · log2(10)
        (field(f"data = [1, -0x{'f' * 9000}]"), 5, "holds a whole number of 36,000 bits"),
        (field(f"name = [0x{'f' * 9000}]"), 5, "holds a whole number of 36,000 bits"),
        (f"# {'1' * 400}\nx = 0x{'f' * 9000}\n", 2, "holds a whole number of 36,000 bits"),
    ],
)
def test_problems(text: str, line: int | None, word: str) -> None:
    found = problem(text)
    assert word in found.why
    assert found.line == line


finite = st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.booleans())
metas = st.builds(
    lambda shape, **fields: TensorMeta(shape=tuple(shape), **fields),
    shape=st.lists(st.integers(0, 1000), max_size=4),
    name=st.text(st.characters(codec="utf-8"), min_size=1),
    dtype=st.sampled_from(["float32", "bfloat16", "bool"]),
    device=st.sampled_from(["cpu", "cuda:0"]),
    mean=st.one_of(st.none(), st.floats()),
    std=st.one_of(st.none(), st.floats()),
    min_val=st.one_of(st.none(), finite),
    max_val=st.one_of(st.none(), finite),
    original_name=st.one_of(st.none(), st.text(st.characters(codec="utf-8"), min_size=1)),
    class_name=st.sampled_from(["A", "Program_weight_tensor_meta_größe"]),
)


@given(st.lists(metas, max_size=4, unique_by=lambda meta: meta.name), st.lists(finite, max_size=5))
def test_what_is_written_reads_back(written: list[TensorMeta], data: list[float]) -> None:
    if data and written:
        values = {item: getattr(written[0], item) for item in written[0].__dataclass_fields__}
        written[0] = TensorMeta(**{**values, "shape": (len(data),), "data": tuple(data)})
    found = read(write_metas(written))
    assert repr(found) == repr(written)  # nan equals nan in writing
    assert repr([meta_from_json(meta_to_json(meta)) for meta in written]) == repr(written)
