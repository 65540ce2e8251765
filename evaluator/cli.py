"""The command line of the evaluator.

Exit status: 0 judged, whatever the verdict; 2 bad arguments or an unreadable task; 3 a fault of the machine or of the
evaluator; 130 interrupted. Only the commands that judge import torch.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from evaluator.job import Limits
from graphs.problems import ReadProblem

BAD_ARGUMENTS, FAULT = 2, 3

_MOST_THREADS = 1024

_UNISOLATED = "judge also where the kernel gives no isolation: only code that you trust as your own"


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    status: int = options.command(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluator", description="Judge graph-compiler passes.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="judge a submission on the graphs of a task")
    run.add_argument("task", type=Path, metavar="TASK_DIR", help="a task folder, or the folder of a single sample")
    run.add_argument("submission", type=Path, metavar="PASS_DIR", help="the folder with the passes")
    run.add_argument("--device", default="cpu", metavar="cpu|cuda", help="where to judge (default: cpu)")
    run.add_argument("--profile", default="precise", choices=("precise", "published"), help="rules of the score")
    run.add_argument("--graphs", metavar="A,B", help="judge only these graphs of the task, by folder name")
    run.add_argument("--json", action="store_true", help="events as JSON Lines, the last one is `result`")
    names = ", ".join(field.name for field in fields(Limits))
    run.add_argument("--unisolated", action="store_true", help=_UNISOLATED)
    run.add_argument("--limit", action="append", default=[], metavar="NAME=VALUE", help=f"set a limit: {names}")
    run.add_argument(
        "--baselines", default="inductor", metavar="A,B", help="timed beside it on a GPU (default: inductor)"
    )
    run.set_defaults(command=_run)

    bundled = commands.add_parser("run-bundle", help="judge a bundle that the workbench exported, without network")
    bundled.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
    bundled.add_argument(
        "--out", type=Path, required=True, metavar="RESULTS.jsonl", help="events, to be imported again"
    )
    bundled.set_defaults(command=_run_bundle)

    score = commands.add_parser("score", help="scores of a file of worked examples")
    score.add_argument("file", type=Path, metavar="FILE")
    score.set_defaults(command=_score)

    baseline = commands.add_parser("baseline", help="eager against Inductor for the graphs of a task, without a pass")
    baseline.add_argument("task", type=Path, metavar="TASK_DIR", help="a task folder, or the folder of a single sample")
    baseline.add_argument("--graphs", metavar="A,B", help="measure only these graphs of the task, by folder name")
    baseline.add_argument("--json", action="store_true", help="one JSON object a line for each graph")
    baseline.add_argument("--device", default="cpu", metavar="cpu|cuda", help="where to measure (default: cpu)")
    baseline.add_argument(
        "--baselines", default="inductor", metavar="A,B", help="compilers to compare with on a GPU (default: inductor)"
    )
    baseline.add_argument("--threads", type=int, default=1, metavar="N", help="threads on a CPU (default: 1)")
    baseline.add_argument(
        "--seconds", type=float, default=180.0, metavar="S", help="limit for one graph (default: 180)"
    )
    baseline.set_defaults(command=_baseline)

    portability = commands.add_parser("portability", help="what the published harness would refuse of a submission")
    portability.add_argument("submission", type=Path, metavar="PASS_DIR", help="the folder with the passes")
    portability.add_argument(
        "--task", type=Path, metavar="TASK_DIR", help="also match on this task's graphs, both ways"
    )
    portability.add_argument("--json", action="store_true", help="one JSON object")
    portability.set_defaults(command=_portability)

    serve = commands.add_parser("serve", help="the runner daemon of one device")
    serve.add_argument("--socket", type=Path, required=True, metavar="PATH", help="unix socket to listen on")
    serve.add_argument("--device", default="cpu", metavar="cpu|cuda", help="device to judge on (default: cpu)")
    serve.add_argument("--match-socket", type=Path, metavar="PATH", help="match patterns here while they are typed")
    serve.add_argument("--unisolated", action="store_true", help=_UNISOLATED)
    serve.set_defaults(command=_serve)

    languages = commands.add_parser("languages", help="language servers for what is being typed, each shut in")
    languages.add_argument("--socket", type=Path, required=True, metavar="PATH", help="unix socket to listen on")
    languages.add_argument("--unisolated", action="store_true", help=_UNISOLATED)
    languages.set_defaults(command=_languages)

    doctor = commands.add_parser("doctor", help="what is there, what is missing, and how to get it")
    doctor.set_defaults(command=_doctor)
    return parser


def _run(options: argparse.Namespace) -> int:
    from evaluator.run_command import BadArguments, read_job, run
    from evaluator.runner import environment

    environment.allow_unisolated(options.unisolated)
    environment.restart_scrubbed()
    try:
        job, refused = read_job(
            options.task, options.submission, options.device, options.profile, options.graphs, options.limit
        )
    except (BadArguments, ReadProblem, OSError) as problem:
        return _complain(problem, BAD_ARGUMENTS)
    baselines = tuple(name for text in options.baselines.split(",") if (name := text.strip()))
    run(replace(job, baselines=baselines), refused, as_json=options.json)


def _run_bundle(options: argparse.Namespace) -> int:
    from evaluator.bundle import BadBundle
    from evaluator.run_command import open_bundle, run
    from evaluator.runner import environment

    environment.restart_scrubbed()
    try:
        job, record = open_bundle(options.bundle, options.out)
    except (BadBundle, ReadProblem, OSError) as problem:
        return _complain(problem, BAD_ARGUMENTS)
    run(job, None, as_json=False, record=record)


def _score(options: argparse.Namespace) -> int:
    from evaluator.score_file import ScoreFileError, score_file

    try:
        scores = score_file(options.file)
    except ScoreFileError as problem:
        return _complain(problem, BAD_ARGUMENTS)
    print(json.dumps(scores, indent=1))
    return 0


def _baseline(options: argparse.Namespace) -> int:
    from evaluator import baseline_command
    from evaluator.baseline_child import Gpu
    from evaluator.run_command import BadArguments, check_device, read_samples
    from evaluator.runner import environment

    environment.restart_scrubbed()
    try:
        check_device(options.device)
        if not 1 <= options.threads <= _MOST_THREADS or not 0 < options.seconds < math.inf:
            raise BadArguments(f"--threads is a number from 1 to {_MOST_THREADS}, --seconds one above 0")
        samples = read_samples(options.task, options.graphs)
    except (BadArguments, ReadProblem, OSError) as problem:
        return _complain(problem, BAD_ARGUMENTS)
    gpu = None
    if options.device != "cpu":
        backends = tuple(name for text in options.baselines.split(",") if (name := text.strip()))
        gpu = Gpu(options.device, backends)
    return baseline_command.run(
        samples, as_json=options.json, threads=options.threads, seconds=options.seconds, gpu=gpu
    )


def _portability(options: argparse.Namespace) -> int:
    from evaluator import portability_command
    from evaluator.run_command import BadArguments

    try:
        portability_command.run(options.submission, options.task, as_json=options.json)
    except (BadArguments, ReadProblem, OSError) as problem:
        return _complain(problem, BAD_ARGUMENTS)


def _serve(options: argparse.Namespace) -> int:
    from evaluator.runner import daemon, environment

    environment.allow_unisolated(options.unisolated)
    environment.restart_scrubbed()
    try:
        return daemon.serve(options.socket, options.device, match_socket=options.match_socket)
    except (daemon.AddressInUse, OSError) as problem:
        return _complain(problem, FAULT)


def _languages(options: argparse.Namespace) -> int:
    from evaluator.runner import daemon, environment, language_lane

    environment.allow_unisolated(options.unisolated)
    environment.restart_scrubbed()
    try:
        return language_lane.serve(options.socket)
    except (daemon.AddressInUse, OSError) as problem:
        return _complain(problem, FAULT)


def _doctor(options: argparse.Namespace) -> int:
    from evaluator import doctor

    return doctor.main()


def _complain(problem: Exception, status: int) -> int:
    if isinstance(problem, OSError) and problem.strerror and problem.filename is not None:
        print(f"evaluator: {problem.filename}: {problem.strerror}", file=sys.stderr)
    else:
        print(f"evaluator: {problem}", file=sys.stderr)
    return status
