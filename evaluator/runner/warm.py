"""Warming up: the seconds of imports are paid once, in the process that all others are forked from.

Forks stay safe because nothing here starts a thread: the pools are limited to one before torch is imported
(`environment.scrubbed` for those that read the environment), and CUDA is not initialised.
"""

import gc
import os
import warnings

from evaluator import precision
from evaluator.runner import environment, isolation


class CannotWarm(Exception):
    """What the evaluator needs is not there; the text names the fix."""


def warm_up(device: str, *, for_one_run: bool = False) -> None:
    """Import torch, Triton and the engine for `device` ("cpu", "cuda", "cuda:0"). Call it once, before any fork.

    `for_one_run`: what only later requests or large graphs need is left out, and imported by whoever needs it.
    """
    os.environ.update(environment.scrubbed(dict(os.environ)))
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a GPU that happens to be there belongs to somebody else
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as error:
        raise CannotWarm(
            f"{error}: install the evaluator's packages with pip install 'passnet-workbench[evaluator]'"
        ) from error
    torch.set_num_threads(1)
    if device == "cpu":
        from evaluator.engine import interpreter

        interpreter.enable()
    else:
        # Said in namespaces, where NVML's files are not; CUDA itself does not need them. No author's concern.
        warnings.filterwarnings("ignore", "Can't initialize NVML")
    if device != "cpu" and not torch.cuda.is_available():
        raise CannotWarm(f"there is no CUDA device for {device!r}: run with --device cpu, or on a machine with a GPU")
    precision.pin()
    from evaluator.integrity import process_probe
    from evaluator.measure import device_state
    from evaluator.runner import judge, rehearsal, runner_process, worker  # noqa: F401

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rehearsal.rehearse(device)
        if device != "cpu" or not for_one_run:
            rehearsal.rehearse_describing()
    if device != "cpu":
        _warm_up_measuring(device)
    if torch.cuda.is_initialized():
        raise CannotWarm("CUDA was started while the evaluator warmed up; processes forked from here could not use it")
    isolation.probe()
    runner_process.sweep()
    if device != "cpu":
        device_state.release()
    process_probe.capture_ahead()
    gc.collect()
    gc.freeze()  # the collector of a fork does not touch, and so does not copy, what is warm


def _warm_up_measuring(device: str) -> None:
    """Import what measuring needs, and have the device measured by a fork."""
    from evaluator.runner import calibration, rehearsal

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch._dynamo
        import torch._inductor.compile_fx
        import torch.profiler  # noqa: F401

        try:
            calibration.calibrate(device)
        except calibration.BadDevice as problem:
            raise CannotWarm(str(problem)) from problem
        rehearsal.rehearse_measuring(calibration.capability(), calibration.modules())
