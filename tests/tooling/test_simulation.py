"""The queue's simulation: the same seed gives the same figures; a small case by hand."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "scripts" / "simulate_queue.py"


@pytest.fixture(scope="module")
def simulation():
    import sys

    spec = importlib.util.spec_from_file_location("simulate_queue", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_same_seed_gives_the_same_figures(simulation):
    one, again, other = (simulation.simulate(20, 50_000, 0.5, "fair", seed) for seed in (1, 1, 2))
    assert one == again != other
    assert one.runs > 500 and 0 < one.busy <= 1


def test_one_gpu_by_hand(simulation, monkeypatch):
    # Person 1 asks for three runs of a batch at once, person 2 for one a second later, person 3 for an interactive one.
    coming = [(0.0, 1, False, 10.0)] * 3 + [(1.0, 2, False, 10.0), (2.0, 3, True, 5.0)]
    monkeypatch.setattr(simulation, "arrivals", lambda *_: coming)
    monkeypatch.setattr(simulation, "FAILS_EVERY", float("inf"))
    monkeypatch.setattr(simulation, "HEAVY", 2)
    fair = simulation.simulate(1, 0, 1, "fair", 1)
    # 0-10 person 1; 10-15 person 3 (its lane goes first); 15-25 person 2 (had nothing); then person 1 twice.
    assert (fair.interactive_p50, fair.light_batch_p50, fair.heavy_batch_p99) == (8.0, 14.0, 35.0)
    fifo = simulation.simulate(1, 0, 1, "fifo", 1)
    assert (fifo.interactive_p50, fifo.light_batch_p50, fifo.heavy_batch_p99) == (38.0, 29.0, 20.0)
    assert fair.longest_queue == 4 and fair.runs == 5


def test_the_mean_time_of_a_run_is_what_the_text_says(simulation):
    import random

    dice = random.Random(3)
    assert 17.0 < sum(simulation.service(dice) for _ in range(20_000)) / 20_000 < 19.5
