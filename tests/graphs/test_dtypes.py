"""Names of dtypes, against torch's own."""

import pytest
import torch

from graphs.dtypes import ALIASES, DTYPES, dtype_name, nearest


def test_every_dtype_of_torch_has_the_name_that_torch_gives_it() -> None:
    names = {name for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype)}
    for name in names:
        assert dtype_name(f"torch.{name}") == str(getattr(torch, name)).removeprefix("torch."), name
    assert set(ALIASES) <= names and {"float32", "uint1", "int7"} <= DTYPES


@pytest.mark.parametrize(
    ("written", "meant"), [("torch.float33", "float32"), ("torch.integer64", "int64"), ("x", None)]
)
def test_words_that_are_none(written: str, meant: str | None) -> None:
    assert dtype_name(written) is None and nearest(written) == meant
