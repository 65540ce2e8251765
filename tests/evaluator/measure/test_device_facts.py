"""What a driver tells of a device, under our names."""

from types import SimpleNamespace

from evaluator.measure.device_facts import facts_of


def test_what_is_not_told_is_left_out():
    told = SimpleNamespace(multi_processor_count=132, L2_cache_size=62914560, warp_size=32, name="NVIDIA H200")
    assert facts_of(told) == {"multiprocessors": 132, "l2_cache": 62914560, "warp_size": 32}
