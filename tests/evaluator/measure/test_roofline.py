"""The floor and the cost model on round numbers."""

from evaluator.measure.device_state import throttle_reasons
from evaluator.measure.roofline import DeviceRates, cost_model, floor
from evaluator.measure.traffic import Traffic

RATES = DeviceRates(
    bandwidth=4_000_000.0,  # bytes/µs: 4 TB/s
    matmul_rate={"float32": 50e6, "float16": 800e6},
    vector_rate=60e6,
    launch_host=4.0,
    launch_synchronised=20.0,
    kernel_minimum=2.0,
)


def test_memory_bound_floor():
    least = floor(Traffic(6_000_000, 2_000_000, 0, 60_000), RATES, "float32")
    assert (least.memory, least.arithmetic, least.total) == (2.0, 0.001, 2.0)


def test_arithmetic_takes_the_rate_of_the_dtype():
    work = Traffic(4_000_000, 0, 8_000_000_000, 0)
    assert floor(work, RATES, "float16").arithmetic == 10.0
    assert floor(work, RATES, "float32").arithmetic == 160.0
    assert floor(work, RATES, "float8").arithmetic == 160.0


def test_small_graphs_are_launch_bound():
    least = floor(Traffic(800_000, 0, 0, 0), RATES, "float32")  # 0.2 µs
    model = cost_model(least, RATES, eager_launches=5, eager={"e2e": 60.0, "graph": 15.0})
    assert model.bound == "launch"
    assert model.launch == 20.0
    assert model.perfect_gain == {"e2e": 3.0, "graph": 7.5}


def test_throttle_words():
    assert throttle_reasons(0x1) == ()  # idle is no throttling
    assert throttle_reasons(0x4 | 0x20) == ("power cap", "software thermal slowdown")
