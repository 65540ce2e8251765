"""Compiles Inductor's side of many graphs beforehand, in several processes: what is measured afterwards has the device
and the host to itself, and does not wait for a compiler."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from graphs.samples import Sample


def warm(samples: Sequence[Sample], device: str, cache: Path, jobs: int, seconds: float) -> int:
    """How many graphs' baselines lie in `cache` after at most about `seconds`. One that can not be compiled is left to
    the run that needs it, which says why."""
    until = time.monotonic() + seconds
    os.environ["PASSNET_EVALUATOR_CACHE"] = str(cache)  # inherited by the processes that compile
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        asked = [pool.submit(_compile, sample, device) for sample in samples]
        wait(asked, timeout=max(0.0, until - time.monotonic()))
        return sum(one.done() and one.exception() is None for one in asked)
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:  # one that is in the middle of a compilation would go on beside the measurements
            process.kill()


def _compile(sample: Sample, device: str) -> None:
    import torch

    from evaluator import precision
    from evaluator.engine.inputs import INPUT_SETS
    from evaluator.measure.baselines import compile_baseline
    from evaluator.runner import seeds
    from evaluator.runner.reference import reference

    precision.pin()
    eager = reference(sample, device)
    inputs = eager.case(INPUT_SETS[0]).inputs
    path = seeds.path_of(sample, torch.cuda.get_device_name(device), "inductor")
    seeds.make(path, lambda: compile_baseline("inductor", eager.module, inputs))
