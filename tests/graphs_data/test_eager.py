"""Every shipped graph runs eagerly on the CPU, in each of its dtypes, with finite results."""

from pathlib import Path

import pytest
import torch

from evaluator.engine.build import build
from evaluator.engine.inputs import replay
from graphs.fx_source import parse
from graphs.samples import find_samples, read_sample

DATA = Path(__file__).parents[2] / "graphs" / "data"
# The large tasks are for a GPU; their graphs have the operators of two small ones.
FOLDERS = sorted(folder for folder in find_samples(DATA) if not folder.parents[1].name.startswith("published-"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parents[1].name}-{path.name}")
def test_eager_runs(folder):
    sample = read_sample(folder)
    outputs = build(parse(sample.source))(*replay(sample.inputs, seed=5))
    assert len(outputs) == (2 if folder.parents[1].name in ("shifted-window-norm", "rotary-embedding") else 1)
    for output in outputs:
        assert str(output.dtype) == f"torch.{sample.inputs[-1].dtype}"
        assert torch.isfinite(output.float()).all()
        assert len(output.unique()) > 1  # a constant result would hide a wrong pass
