"""What a runner is asked to do. Plain values: a job travels over the daemon's socket as JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any

from graphs.samples import Sample, sample_from_json, sample_to_json


@dataclass(frozen=True)
class Limits:
    """Bounds of one run. Seconds and bytes. Every one that is passed ends in a verdict, never in a stuck worker."""

    import_seconds: float = 20.0  # loading all files of the submission
    call_seconds: float = 20.0  # one call of the rewritten graph (the first one compiles kernels)
    measure_seconds: float = 120.0  # timing one graph, baselines compiled
    run_seconds: float = 600.0  # the whole run
    memory_bytes: int = 4 << 30  # resident memory of the runner beyond the warm parent's
    output_bytes: int = 16 << 20  # what the submission may print; more ends the graph with output_limit
    streamed_bytes: int = 64 << 10  # how much of that is put into log events
    kept_bytes: int = 0  # how much beyond is put into output events, for whoever stores them
    disk_bytes: int = 256 << 20  # its private temporary folder


#: What a job is for: a submission is judged, the graphs alone are timed, with no submission in sight, or a pattern is
#: matched while somebody types it.
SUBMISSION, BASELINES, MATCH = "submission", "baselines", "match"


@dataclass(frozen=True)
class Job:
    """One submission on the graphs of one task, or no files and those graphs to be timed as they are."""

    files: dict[str, str]  # name relative to pass_dir → text; undecodable bytes as surrogate escapes
    graphs: tuple[Sample, ...]
    device: str = "cpu"
    profile: str = "precise"
    limits: Limits = field(default_factory=Limits)
    run_id: str = ""
    overturned: bool = False  # a reviewer has overturned its violations: they are told, and reject nothing
    baselines: tuple[str, ...] = ("inductor",)  # timed beside the candidate on a GPU, see measure.baselines
    purpose: str = SUBMISSION

    @property
    def is_timed(self) -> bool:
        """Whether a clock runs in the isolated process, or a hand on the keyboard waits for it. A submission on a CPU
        is interpreted: never timed."""
        return self.device != "cpu" or self.purpose in (BASELINES, MATCH)

    def to_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "graphs": [sample_to_json(sample) for sample in self.graphs],
            "device": self.device,
            "profile": self.profile,
            "limits": asdict(self.limits),
            "run_id": self.run_id,
            "overturned": self.overturned,
            "baselines": list(self.baselines),
            "purpose": self.purpose,
        }

    @staticmethod
    def from_json(value: dict[str, Any]) -> "Job":
        return Job(
            files=dict(value["files"]),
            graphs=tuple(sample_from_json(sample) for sample in value["graphs"]),
            device=value["device"],
            profile=value["profile"],
            limits=Limits(**value["limits"]),
            run_id=value["run_id"],
            overturned=bool(value.get("overturned", False)),
            baselines=tuple(value.get("baselines", ("inductor",))),
            purpose=str(value.get("purpose", SUBMISSION)),
        )
