"""`python -m assistant`: rewards and attempts of a workbench from a shell, over HTTP alone."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from assistant.client import Workbench, WorkbenchError, read_files


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, or 1 when the workbench refuses."""
    options = _parser().parse_args(arguments)
    if not options.token:
        print("No token: give --token, or set PASSNET_TOKEN.", file=sys.stderr)
        return 1
    try:
        options.command(Workbench(options.url, options.token), options)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    except WorkbenchError as error:
        print(f"{error} ({error.code})", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m assistant", description="Talk to a workbench.")
    url = os.environ.get("PASSNET_URL", "http://127.0.0.1:8000")
    parser.add_argument("--url", default=url, help="default: PASSNET_URL, or http://127.0.0.1:8000")
    parser.add_argument("--token", default=os.environ.get("PASSNET_TOKEN", ""), help="default: PASSNET_TOKEN")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser("evaluate", help="have a pass_dir judged; prints its reward")
    one.add_argument("task")
    one.add_argument("folder", type=Path, metavar="PASS_DIR")
    one.add_argument("--device", default="cpu")
    one.add_argument("--reward", default="shaped", choices=("score", "correctness", "shaped"))
    one.set_defaults(command=_evaluate)

    start = commands.add_parser("start", help="let a model try by itself; prints the attempts")
    start.add_argument("task")
    start.add_argument("--provider", type=int, required=True, help="number of the provider")
    start.add_argument("--files", type=Path, metavar="PASS_DIR", help="begin with these (default: nothing)")
    start.add_argument("--goal", default="")
    start.add_argument("--device", default="cpu")
    for name, value in (("count", 1), ("steps", 40), ("minutes", 60), ("tokens", 0)):
        start.add_argument(f"--{name}", type=int, default=value, help=f"default: {value}")
    start.add_argument("--cost", help="most money, in the provider's currency")
    start.set_defaults(command=_start)

    watch = commands.add_parser("watch", help="follow an attempt until it ends")
    watch.add_argument("attempt")
    watch.set_defaults(command=_watch)

    for wish in ("pause", "resume", "stop"):
        change = commands.add_parser(wish, help=f"{wish} an attempt")
        change.add_argument("attempt")
        change.set_defaults(command=_change, wish=wish)

    export = commands.add_parser("export", help="ended attempts as JSON Lines on standard output")
    export.add_argument("--least-score", type=float)
    export.add_argument("--honest", action="store_true", default=None)
    export.add_argument("--correct", action="store_true", default=None, help="every graph correct")
    export.add_argument("--best-per-task", action="store_true", default=None)
    export.add_argument("--held-out", metavar="SLUG,SLUG", help="leave out these tasks, and what shares code with them")
    export.add_argument("--licences", metavar="A,B", help="only tasks under one of these")
    export.set_defaults(command=_export)
    return parser


def _evaluate(workbench: Workbench, options: argparse.Namespace) -> None:
    found = workbench.evaluate(options.task, read_files(options.folder), device=options.device, reward=options.reward)
    print(json.dumps(found.raw, indent=1))


def _start(workbench: Workbench, options: argparse.Namespace) -> None:
    budget = {name: getattr(options, name) for name in ("goal", "device", "count", "steps", "minutes", "tokens")}
    if options.cost is not None:
        budget["cost"] = options.cost
    files = read_files(options.files) if options.files else {}
    for one in workbench.begin_attempts(options.task, options.provider, files, **budget):
        print(one["id"])


def _watch(workbench: Workbench, options: argparse.Namespace) -> None:
    shown = ""
    while True:
        one = workbench.attempt(options.attempt)
        best = one["best"] or {}
        line = f"{one['state']}, step {one['steps']} of {one['max_steps']}, {one['tokens']:,} tokens"
        if best:
            score = "" if best["score"] is None else f", score {best['score']:.4f}"
            line += f", best: {best['correct']} of {best['total']} correct{score}"
        if line != shown:
            print(line, flush=True)
            shown = line
        if one["state"] == "ended":
            print(one["message"])
            return
        time.sleep(2)


def _change(workbench: Workbench, options: argparse.Namespace) -> None:
    one = workbench.change_attempt(options.attempt, options.wish)
    print(one["wish"] or one["state"])


def _export(workbench: Workbench, options: argparse.Namespace) -> None:
    filters = {
        name: getattr(options, name)
        for name in ("least_score", "honest", "correct", "best_per_task", "held_out", "licences")
    }
    for one in workbench.trajectories(**filters):
        print(json.dumps(one, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
