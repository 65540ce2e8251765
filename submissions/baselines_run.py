"""A worker's attempt at a run without a submission: what the daemon measures becomes baselines, graph by graph."""

from typing import Any

from evaluator.job import BASELINES, Job, Limits
from graphs.models import Graph
from submissions.actions.baselines import do_store_baseline
from submissions.actions.claims import do_finish_measuring
from submissions.baselines import read_line
from submissions.judging import Session, samples_of
from submissions.models import Run

# A first compile takes some ten seconds, more on a busy machine; its precompiled headers are 150 MB on disk.
LIMITS = Limits(measure_seconds=300.0, run_seconds=3600.0, disk_bytes=512 << 20)


class BaselineSession(Session):
    """Measures the task's graphs and writes each line down in the transaction that puts it into the log."""

    def job(self, run: Run) -> Job:
        self.identities = dict(run.graphs)
        return Job(
            files={},
            graphs=samples_of(run),
            device=run.device,
            limits=LIMITS,
            run_id=str(run.pk),
            purpose=BASELINES,
        )

    def take(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "baseline" and "error" not in payload:
            line = read_line(payload)
            do_store_baseline(Graph.objects.get(identity=self.identities[line.graph]), line)
        super().take(kind, payload)

    def finish(self, payload: dict[str, Any]) -> None:
        do_finish_measuring(self.claim, payload)
