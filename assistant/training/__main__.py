"""`python -m assistant.training`: the recipe on the tiny model, from exported trajectories to rewards."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from assistant.client import Workbench, WorkbenchError
from assistant.training import reinforce, supervised
from assistant.training.examples import read_examples
from assistant.training.tiny import TinyModel


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0; 1 for data that can not be used, or when the workbench refuses."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(1)  # the model is so small that threads would only get in each other's way
    try:
        options.command(options)
    except (OSError, ValueError, WorkbenchError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m assistant.training", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    first = commands.add_parser("supervised", help="learn what attempts that worked have handed in")
    first.add_argument("data", type=Path, metavar="TRAJECTORIES.jsonl")
    first.add_argument("--out", type=Path, required=True, metavar="MODEL.pt")
    first.add_argument("--steps", type=int, default=200)
    first.add_argument("--least-correct", type=float, default=1.0, help="share of graphs (default: 1)")
    first.set_defaults(command=_supervised)
    second = commands.add_parser("reinforce", help="be rewarded by a workbench (PASSNET_URL, PASSNET_TOKEN)")
    second.add_argument("model", type=Path, metavar="MODEL.pt")
    second.add_argument("--tasks", required=True, metavar="SLUG,SLUG")
    second.add_argument("--out", type=Path, required=True, metavar="MODEL.pt")
    second.add_argument("--rounds", type=int, default=20)
    second.add_argument("--group", type=int, default=8, help="answers to each task in a round (default: 8)")
    second.add_argument("--device", default="cpu", help="where they are judged (default: cpu)")
    second.add_argument("--reward", default="shaped", choices=("score", "correctness", "shaped"))
    second.set_defaults(command=_reinforce)
    return parser


def _supervised(options: argparse.Namespace) -> None:
    torch.manual_seed(0)
    model = TinyModel()
    data = read_examples(options.data, options.least_correct)
    loss = supervised.train(model, data, steps=options.steps, tell=lambda step, loss: print(f"{step} {loss:.3f}"))
    torch.save(model.state_dict(), options.out)
    print(f"{len(data)} examples, loss {loss:.3f}")


def _reinforce(options: argparse.Namespace) -> None:
    model = TinyModel()
    model.load_state_dict(torch.load(options.model, weights_only=True))
    workbench = Workbench(os.environ.get("PASSNET_URL", "http://127.0.0.1:8000"), os.environ.get("PASSNET_TOKEN", ""))
    tasks = [slug.strip() for slug in options.tasks.split(",") if slug.strip()]
    reinforce.train(
        model, workbench, tasks, rounds=options.rounds, group=options.group, device=options.device,
        reward=options.reward, tell=lambda number, mean: print(f"round {number}: mean reward {mean:.3f}", flush=True),
    )  # fmt: skip
    torch.save(model.state_dict(), options.out)


if __name__ == "__main__":
    sys.exit(main())
