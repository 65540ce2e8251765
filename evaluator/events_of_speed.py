"""What a run says about launches and speed: payloads of the events of `events.py`. Every number names its method."""

from typing import NotRequired, TypedDict


class KernelCount(TypedDict):
    name: str
    count: int


class Kernels(TypedDict):
    graph: str
    who: str  # "eager" | "candidate" | "inductor"
    total: int
    list: list[KernelCount]


class DeviceKernel(TypedDict):
    """One kernel of a call on a GPU. `duration`: median µs of one launch; shared memory in bytes."""

    name: str
    count: int
    kind: str  # "kernel" | "memcpy" | "memset"
    duration: float
    grid: list[int] | None
    block: list[int] | None
    registers: int | None
    shared_memory: int | None
    nodes: list[str]  # of the graph, or of the rewritten graph, that launched it


class DeviceKernels(TypedDict):
    """`kernels` as it is told once more on a GPU, from a profile; `graph` is put in by the judge."""

    who: str  # also names of baselines
    total: int  # launches of kernels; copies and memsets are only in the list
    list: "list[DeviceKernel]"
    device_time: float  # µs of all of them: the method `kernel`
    diff: "dict[str, list[str]] | None"  # names of eager's kernels that were "removed" or "kept", and "new" ones


class SpeedRatio(TypedDict):
    """eager / participant of medians, above 1 is faster, with the 95 % interval."""

    value: float
    low: float
    high: float
    rounds: int
    word: str  # statistics.SpeedWord


class Timed(TypedDict):
    """One method of timing, for all participants ("eager", "candidate", "inductor" …). Times are µs."""

    entry: str  # "direct" | "compiled" (through torch.compile) | "published" (eager direct, the others compiled)
    method: str  # "e2e" | "gpu" | "graph" | "kernel"
    profile: str
    samples: dict[str, list[float]]  # one a round, rounds in the same order for all
    medians: dict[str, float]
    ratios: dict[str, SpeedRatio]
    conclusive: bool  # every interval is as narrow as asked
    missing: dict[str, str]  # who could not be timed by this method, and why


class Baseline(TypedDict):
    """Eager against Inductor on one graph, in a run without a submission. Times are µs, medians of one session."""

    graph: str
    device: str
    processor: str  # what the machine is
    versions: dict[str, str]
    error: NotRequired[str]  # why there are no numbers; all below is then absent
    entry: NotRequired[str]
    method: NotRequired[str]
    eager_us: NotRequired[float]
    inductor_us: NotRequired[float]
    ratio: NotRequired[dict[str, float]]  # eager / Inductor: value, low, high
    word: NotRequired[str]  # statistics.SpeedWord
    inductor_kernels: NotRequired[int]  # by Inductor's own metrics
    threads: NotRequired[int]


class Verified(TypedDict):
    """Outputs of timed calls that the judge has compared with its own."""

    calls: int
    wrong: int


class Roofline(TypedDict):
    """What the graph must do at the least, on this device. Times are µs."""

    bytes_read: int
    bytes_written: int
    matmul_operations: int
    other_operations: int
    floor: float  # the larger of the next two
    memory_floor: float
    arithmetic_floor: float
    kernel_minimum: float  # what an empty kernel takes by `graph`
    fraction: dict[str, float]  # floor / median by `graph`, for each participant
    bound: str  # what dominates eager: "launch" | "memory" | "arithmetic"
    cost: dict[str, float]
    perfect_gain: dict[str, float]  # eager / perfect fused kernel, by method
    peak_memory: dict[str, int | None]  # bytes one call allocates
    compile_seconds: dict[str, float]


class Device(TypedDict):
    """The device while a graph was measured; clocks in MHz, temperature in °C, power in W. Nothing is ever set."""

    name: str | None
    flags: dict[str, bool | str]  # evaluator.precision
    rates: dict[str, object] | None  # measure.roofline.DeviceRates
    facts: NotRequired[dict[str, int]]  # measure.device_facts; runs before it was told lack it
    before: dict[str, object] | None  # measure.device_state.DeviceState
    after: dict[str, object] | None


class CompilerCode(TypedDict):
    """What a compiler has written for the graph: its kernels, and the function that launches them."""

    backend: str
    text: str
    truncated: bool
