"""A daemon whose jobs say by their `run_id` which parts of the judge they go without.

"unread": the text of the submission is not looked at, so that the guards of the run stand alone. "untimed": nothing is
timed, so that many daemons can judge on one device. Used by on_a_gpu.py: `asked_daemon.py DEVICE SOCKET`.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evaluator.runner import daemon, environment, results, speed, statics

_check, _measure, _run_done = statics.check, speed.measure, results.run_done


def check(job, supervisor, tell):
    if "unread" not in job.run_id.split():
        return _check(job, supervisor, tell)
    supervisor.event("static_check", {"findings": 0, "verdict": "clean"})
    return None


def measure(job, *others):
    if "untimed" not in job.run_id.split():
        _measure(job, *others)


def run_done(job, *others):
    """Without speeds there is no score: as on a CPU."""
    return _run_done(replace(job, device="cpu") if "untimed" in job.run_id.split() else job, *others)


if __name__ == "__main__":
    environment.restart_scrubbed()
    statics.check, speed.measure, results.run_done = check, measure, run_done
    sys.exit(daemon.serve(Path(sys.argv[2]), sys.argv[1]))
