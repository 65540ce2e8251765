import os

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.runner import tensors
from evaluator.runner.protocol import ProtocolError

VALUES = [
    torch.arange(12, dtype=torch.float32).reshape(3, 4),
    torch.arange(12, dtype=torch.bfloat16).reshape(3, 4).t(),
    torch.zeros(0, 3, dtype=torch.int64),
    torch.tensor(5.0, dtype=torch.float16),
    torch.tensor([True, False]),
    torch.tensor([1 + 2j]).conj(),
    torch.ones(1, dtype=torch.float64).expand(4),
    7,
    2.5,
    True,
    None,
]


def same(a, b):
    if not isinstance(a, torch.Tensor):
        return type(a) is type(b) and a == b
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)


@pytest.fixture
def descriptors():
    opened = []
    yield lambda descriptor: opened.append(descriptor) or descriptor
    for descriptor in opened:
        os.close(descriptor)


def test_inputs_arrive_as_fresh_tensors(descriptors):
    descriptor, described = tensors.share(VALUES, "inputs")
    taken = tensors.take(descriptors(descriptor), described)
    assert all(same(a, b) for a, b in zip(VALUES, taken, strict=True))
    taken[0].zero_()
    assert same(tensors.take(descriptor, described)[0], VALUES[0])


def test_a_file_may_be_written_over(descriptors):
    small, large = torch.arange(3.0), torch.arange(1 << 12)
    first = descriptors(tensors.share([small], "inputs")[0])
    for values in ([large, 7], [small], [torch.ones(2, 3).t(), large]):
        descriptor, described = tensors.share(values, "inputs", first)
        taken = tensors.take(descriptors(descriptor), described)
        assert all(same(a, b) for a, b in zip(values, taken, strict=True))
        assert os.fstat(descriptor).st_ino == os.fstat(first).st_ino
    assert os.fstat(first).st_size >= large.nbytes + 6 * 4  # it only grows


def test_outputs_come_back(descriptors):
    room = descriptors(tensors.room_for(VALUES))
    found = tensors.collect(room, tensors.put(room, VALUES))
    assert all(same(a, b) for a, b in zip(VALUES, found, strict=True))


def test_outputs_of_a_wider_dtype_fit(descriptors):
    room = descriptors(tensors.room_for([torch.zeros(1 << 18, dtype=torch.bool)]))
    wide = torch.arange(1 << 18, dtype=torch.float64)
    assert same(tensors.collect(room, tensors.put(room, [wide]))[0], wide)


def test_an_output_that_is_far_too_large_comes_without_values(descriptors):
    room = descriptors(tensors.room_for([torch.zeros(2)]))
    huge = torch.zeros(1, dtype=torch.float32).expand(1 << 30)
    small = torch.ones(3)
    found = tensors.collect(room, tensors.put(room, [small, huge]))
    assert same(found[0], small)
    assert found[1].shape == (1 << 30,) and found[1].dtype == torch.float32 and found[1].untyped_storage().nbytes() == 4


def test_the_runner_can_not_shrink_the_room(descriptors):
    room = descriptors(tensors.room_for(VALUES))
    for size in (0, 1 << 30):
        with pytest.raises(OSError):
            os.ftruncate(room, size)


@pytest.mark.parametrize(
    "description",
    [
        3,
        [3],
        [{}],
        [{"scalar": "text"}],
        [{"scalar": [1]}],
        [{"shape": [2], "dtype": "float32", "offset": -4}],
        [{"shape": [2], "dtype": "float32", "offset": 1 << 40}],
        [{"shape": [2], "dtype": "float32", "offset": 2}],
        [{"shape": [2], "dtype": "float32", "offset": "0"}],
        [{"shape": [1 << 19], "dtype": "float32", "offset": 0}],
        [{"shape": [-1], "dtype": "float32", "offset": 0}],
        [{"shape": [True], "dtype": "float32", "offset": 0}],
        [{"shape": [2.0], "dtype": "float32", "offset": 0}],
        [{"shape": [1 << 40, 1 << 40], "dtype": "float32"}],
        [{"shape": [2], "dtype": "no_such_type", "offset": 0}],
        [{"shape": [2], "dtype": ["float32"], "offset": 0}],
        [{"shape": "22", "dtype": "float32", "offset": 0}],
        [{"shape": [1] * 100, "dtype": "float32", "offset": 0}],
        [{"scalar": None}] * 5000,
    ],
)
def test_a_description_that_can_not_be_true_is_refused(descriptors, description):
    room = descriptors(tensors.room_for([torch.zeros(4)]))
    with pytest.raises(ProtocolError):
        tensors.collect(room, description)


@given(
    shapes=st.lists(st.lists(st.integers(0, 5), max_size=3), max_size=5),
    dtype=st.sampled_from(["float32", "float16", "bfloat16", "int8", "bool", "float64"]),
)
def test_any_list_of_tensors_survives_the_way(shapes, dtype):
    values = [(torch.rand(shape) * 3).to(getattr(torch, dtype)) for shape in shapes]
    descriptor, described = tensors.share(values, "inputs")
    try:
        assert all(same(a, b) for a, b in zip(values, tensors.take(descriptor, described), strict=True))
    finally:
        os.close(descriptor)


def test_only_plain_tensors_and_numbers_are_outputs():
    class Lazy(torch.Tensor):
        pass

    parameter = torch.nn.Parameter(torch.ones(2))
    assert tensors.plain([torch.ones(2), parameter, 1, None])[1] is parameter
    with pytest.raises(tensors.NotPlain, match="output 1 is a Lazy, a tensor subclass"):
        tensors.plain([torch.ones(2), torch.ones(2).as_subclass(Lazy)])
    with pytest.raises(tensors.NotPlain, match="output 0 is a str, not a tensor"):
        tensors.plain(["text"])
