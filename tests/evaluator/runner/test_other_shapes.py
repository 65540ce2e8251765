"""Other sizes of inputs, worked out by hand."""

from evaluator.runner.other_shapes import variants, words
from graphs.samples import TensorMeta


def meta(name: str, *shape: int, data: tuple | None = None) -> TensorMeta:
    return TensorMeta(name, shape, "int64" if data else "float32", data=data)


def shapes(metas) -> list[tuple[int, ...]]:
    return [one.shape for one in metas]


def test_one_size_changes_wherever_it_stands_and_becomes_no_other():
    metas = [meta("x", 4, 8), meta("w", 8, 5), meta("b", 5)]
    found = variants(metas)
    changed = {tuple(old != now for old, now in zip(shapes(metas), shapes(one), strict=True)) for one in found}
    assert changed == {(True, False, False), (True, True, False), (False, True, True)}  # the 4, the 8, the 5
    for one in found:
        sizes = {size for shape in shapes(one) for size in shape}
        assert len(sizes) == 3 and len(sizes & {4, 5, 8}) == 2 and max(sizes - {4, 5, 8}) > min({4, 5, 8} - sizes)


def test_exact_data_is_cut_and_never_made_up():
    ((ids,),) = variants([meta("ids", 6, data=(0, 1, 2, 3, 4, 5))])
    assert ids.shape[0] < 6 and ids.data == tuple(range(ids.shape[0]))


def test_a_dynamic_size_comes_first_and_its_number_follows():
    metas = [meta("x", 3, 7), meta("s0", data=(7,))]
    changed = variants(metas)[0]
    assert changed[0].shape == (3, changed[1].data[0]) and changed[1].data[0] > 7
    assert words(metas, changed) == f"x of shape [3, {changed[1].data[0]}] and 1 more"


def test_ones_stay_and_what_is_too_large_is_left_alone():
    assert variants([meta("x", 1, 1)]) == []
    assert variants([meta("x", 1 << 12, 1 << 12)]) == []
