"""One model captured on several devices at once: a process for each rank, which talk to each other through gloo."""

import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch._C._distributed_c10d import FileStore

from evaluator.runner import processes

_POLL_SECONDS = 0.02


def on_ranks(work: Callable[[int], dict[str, Any]], devices: int, folder: Path) -> list[dict[str, Any]]:
    """Call `work(rank)` in `devices` processes of one process group; what each returned, by rank.

    `folder` is theirs for meeting. Raises RuntimeError with the first failure, when the others have been ended: a rank
    that fails leaves them waiting for it.
    """
    running = [
        processes.start(partial(_rank, work, rank, devices, folder), stdio=(None, 1, 2)) for rank in range(devices)
    ]
    try:
        while any(process.poll() is None for process in running):
            if any((folder / f"failed{rank}").is_file() for rank in range(devices)):
                break
            time.sleep(_POLL_SECONDS)
    finally:
        for process in running:
            process.kill()
            process.wait()
    found = []
    for rank in range(devices):
        failed = folder / f"failed{rank}"
        if failed.is_file():
            raise RuntimeError(f"rank {rank}: {failed.read_text('utf-8')}")
    for rank in range(devices):
        said = folder / f"rank{rank}.json"
        if not said.is_file():
            raise RuntimeError(f"rank {rank}: its process ended early ({running[rank].poll()})")
        found.append(json.loads(said.read_text("utf-8")))
    return found


def _rank(work: Callable[[int], dict[str, Any]], rank: int, devices: int, folder: Path) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    store = FileStore(str(folder / "store"), devices)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=devices)
    try:
        said = work(rank)
        torch.distributed.barrier()  # nobody leaves while others still need it
        (folder / f"rank{rank}.json").write_text(json.dumps(said), "utf-8")
    except BaseException as error:
        (folder / f"failed{rank}").write_text(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", "utf-8")
        raise
    finally:
        torch.distributed.destroy_process_group()
