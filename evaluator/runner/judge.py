"""The judge: a process that decides what happened to a submission on every graph, and that no submission can reach.

It draws the inputs, computes the references, holds the tolerances and the clock. The submission runs in another
process (`worker.py`), which sees input values only with the call that uses them, and no expected output ever.
"""

import time
import traceback
from collections.abc import Sequence

from evaluator.engine.compare import compare
from evaluator.engine.inputs import INPUT_SETS
from evaluator.events import GraphResult
from evaluator.job import Job
from evaluator.runner import calibration, generalise, getting_ready, later_calls, reproduction, results, speed, statics
from evaluator.runner.answers import Applied
from evaluator.runner.decided import Decided, no_match
from evaluator.runner.devices import torch_device
from evaluator.runner.findings import Findings
from evaluator.runner.history import History
from evaluator.runner.protocol import Channel, Closed
from evaluator.runner.reference import Case, Reference, reference
from evaluator.runner.remote_runner import RemoteRunner, RunnerFault
from evaluator.runner.report import Report
from evaluator.runner.supervisor_link import SupervisorLink
from evaluator.verdicts import RuntimeReason, Status

# How a process can end because of what it did before.
LOST = (RuntimeReason.CRASH, RuntimeReason.EARLY_EXIT, RuntimeReason.OOM, RuntimeReason.OUTPUT_LIMIT)


def wait(channel: Channel, device: str) -> None:
    """Be the judge of a run that is not known yet: get ready on the device, and hear the job when there is one."""
    getting_ready.judge(torch_device(device), channel.is_readable)
    try:
        said, _ = channel.receive()
    except Closed:
        return
    if calibration.canary(torch_device(device)) is not None:
        SupervisorLink(channel).stale()  # a device that was reset meanwhile works in a new process, or fails there, too
        return
    main(channel, Job.from_json(said["job"]), said["graphs"], first=True)


def main(channel: Channel, job: Job, names: Sequence[str], *, first: bool) -> None:
    """Judge the graphs `names` of a job; `first` is false where an earlier judge did not survive one of its graphs."""
    supervisor = SupervisorLink(channel)
    try:
        judge(job, names, supervisor, first=first)
        supervisor.finished()
    except RunnerFault as fault:
        supervisor.fault(str(fault))
    except Closed:
        pass  # the supervisor has ended the run
    except Exception as error:
        traceback.print_exc()
        supervisor.fault(f"The judge failed: {type(error).__name__}: {error}. The evaluator's log has the traceback.")


def judge(job: Job, names: Sequence[str], supervisor: SupervisorLink, *, first: bool) -> None:
    """Judge one submission: look at its text, load it, and see what it does to each graph."""
    tell = Findings(supervisor, overturned=job.overturned)
    runner = RemoteRunner(supervisor, job.limits, tell, job.files)
    rejected = statics.check(job, supervisor, tell) if first else None
    if job.device != "cpu" and rejected is None:
        runner.prepare()  # it starts CUDA while the same is done here
        if (problem := calibration.canary(torch_device(job.device))) is not None:
            raise RunnerFault(f"The device is taken out: {problem}.")
    rejected = rejected or load(runner, supervisor, announce=first)
    right: list[tuple[int, Reference, Report]] = []
    for index, sample in enumerate(job.graphs):
        if sample.name in names:
            started = time.monotonic()
            report = Report(supervisor, sample.name, job.limits.call_seconds)
            report.started(index, len(job.graphs))
            result = rejected or tell.rejection or judge_graph(job, index, runner, report, tell, right)
            if result["reason"] in LOST and runner.worked_on_others:
                # An earlier graph may have left a thread, or memory, behind: this one gets a process of its own.
                runner.end()
                report.again()
                result = judge_graph(job, index, runner, report, tell, right)
            report.done(tell.rejection or result, time.monotonic() - started)
    if tell.rejection is None:
        generalise_all(right, runner)


def generalise_all(right: Sequence[tuple[int, Reference, Report]], runner: RemoteRunner) -> None:
    """The generalisation reports: told apart from the verdicts, which stand in any case, so after them."""
    sizes = [generalise.other_size(eager, report) for _, eager, report in right]
    for (index, eager, _), size in zip(right, sizes, strict=True):
        generalise.foresee(index, eager, size, runner)
    in_doubt = False
    for (index, eager, report), size in zip(right, sizes, strict=True):
        try:
            in_doubt = generalise.examine(index, eager, size, runner, report, in_doubt=in_doubt)
        except Closed:
            raise
        except RunnerFault:
            traceback.print_exc()
            break
        except Exception:  # an operator that this dtype does not have, for example
            traceback.print_exc()


def load(runner: RemoteRunner, supervisor: SupervisorLink, *, announce: bool) -> GraphResult | None:
    """Have the submission loaded. Where that is not possible: the result of every graph."""
    started = time.monotonic()
    try:
        passes = runner.load()
    except Decided as decided:
        return results.result(decided.status, decided.message, reason=decided.reason)
    if announce:
        supervisor.event("loaded", {"passes": passes, "seconds": time.monotonic() - started})
    return None


def judge_graph(
    job: Job,
    index: int,
    runner: RemoteRunner,
    report: Report,
    tell: Findings,
    right: list[tuple[int, Reference, Report]],
) -> GraphResult:
    """Judge one graph: reference, rewrite, candidate, comparison. The worst input set decides. Adds to `right`."""
    try:
        eager, first = run_without(job, index, report)
        applied = rewrite(index, eager, first, runner, report)
        last, history = call_and_compare(index, eager, first, runner, report, tell)
        later_calls.verify(index, eager, runner, report, history, tell)
        if job.device != "cpu" and report.deserves_timing:
            speed.measure(job, index, eager, last, runner, report, tell)
    except Decided as decided:
        return report.ended(decided)
    result = report.compared()
    if result["status"] == Status.CORRECT and tell.rejection is None:
        right.append((index, eager, report))
    elif result["status"] == Status.ACCURACY and tell.rejection is None:
        reproduction.tell(job, index, applied, eager, runner, report)
    return result


def run_without(job: Job, index: int, report: Report) -> tuple[Reference, Case]:
    """Run the graph by itself, on the first input set."""
    with report.own_work("running the graph without the submission"):
        eager = reference(job.graphs[index], torch_device(job.device))
        case = eager.case(INPUT_SETS[0])
        report.kernels("eager", eager.launches(case))
        return eager, case


def rewrite(index: int, eager: Reference, case: Case, runner: RemoteRunner, report: Report) -> Applied:
    """Have the graph rewritten; raises Decided where nothing in it matches."""
    with report.own_work("running the graph without the submission"):
        shapes = eager.shapes(case)
    applied = runner.apply(index)
    report.matched(applied)
    if not applied.matches:
        raise no_match(applied)
    report.rewritten(applied, shapes)
    return applied


def call_and_compare(
    index: int, eager: Reference, first: Case, runner: RemoteRunner, report: Report, tell: Findings
) -> tuple[Case, History]:
    """Call what came out on every input set, beginning with the `first`; the last one, and all that was returned."""
    history, case = History(), first
    for number, input_set in enumerate(INPUT_SETS):
        if number > 0:
            with report.own_work("running the graph without the submission"):
                case = eager.case(input_set)
        # Launches are not counted in the first call, in which kernels are compiled and tuned.
        returned = runner.call(index, case, count=number == 1, closely=number != 1)
        if number == 0:
            report.compiled(returned.seconds)
        if returned.launches is not None:
            report.kernels("candidate", returned.launches)
        with report.own_work("comparing the outputs"):
            outputs = compare(case.expected, returned.outputs)
            explanation = eager.explain(case, returned.outputs, outputs) if not report.explained else {}
            report.reads_outside(returned.reads_outside)
            report.correctness(input_set.name, outputs, explanation)
            for finding in history.add(returned.outputs, outputs):
                tell(finding)
    return case, history
