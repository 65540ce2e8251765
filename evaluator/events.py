"""What a run says while it goes on: one JSON object per event, `{"event": kind, **payload}`.

The same payloads are printed by `python -m evaluator run --json`, sent over the runner daemon's socket, stored in
the run log and read by the browser. Nothing here imports torch. All times are seconds unless a name says otherwise.
"""

from typing import Literal, NotRequired, TypedDict

EventKind = Literal[
    "run_started", "static_check", "loaded", "graph_started", "matched", "rewritten", "compiled", "correctness",
    "verified", "timed", "kernels", "roofline", "device", "compiler_code", "generalisation", "reproduction",
    "finding", "log", "output", "graph_done", "run_done",
    "baseline",
]  # fmt: skip


class NodeInfo(TypedDict):
    """Shape and dtype ("float32") of what a node produces; None where it is not a tensor or not known."""

    shape: list[int] | None
    dtype: str | None


class RunStarted(TypedDict):
    device: str  # "cpu", "cuda:H200"
    profile: str  # "precise" | "published"
    versions: dict[str, str]  # python, torch, triton, harness
    graphs: list[str]
    limits: dict[str, float]
    isolation: NotRequired[str]  # what separates the submission from the machine


class Finding(TypedDict):
    """One integrity finding; `class` is a FindingClass, `severity` a Severity."""

    severity: str
    file: str | None
    line: int | None
    evidence: str
    check: NotRequired[str]


Finding.__annotations__["class"] = str  # a keyword: it can not be written as a field


class StaticCheck(TypedDict):
    findings: int
    verdict: str  # Integrity


class Loaded(TypedDict):
    passes: list[str]
    seconds: float


class GraphStarted(TypedDict):
    graph: str
    index: int
    total: int


class ArgumentDiff(TypedDict):
    """One argument that differs: its name (or position), what the pattern expects, what the graph has."""

    argument: str
    expected: str
    found: str


class Leak(TypedDict):
    """A matched value that something outside the match uses although the pattern does not return it."""

    node: str  # graph node
    pattern_node: str
    users: list[str]


class Edit(TypedDict):
    """A stretch of the pass's file and what takes its place. Lines from 1, columns in UTF-16 units from 0."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Fix(TypedDict):
    """An edit of the pattern after which this near miss is none any more; there may be others behind it."""

    kind: str  # form: the graph's call | constant: the graph's constant | output: return what leaks
    title: str
    edits: list[Edit]


class NearMiss(TypedDict):
    """The largest partial match of a pattern that did not match."""

    pass_name: str
    kind: str  # operator | argument | constant | leak | form | mutation | absent
    message: str  # one or two plain sentences
    suggestion: str | None
    pattern_node: str | None
    pattern_code: str | None  # that node as a line of code
    graph_node: str | None
    graph_code: str | None
    differences: list[ArgumentDiff]
    leaks: list[Leak]
    matched: list[tuple[str, str]]  # (pattern node, graph node)
    pattern_size: int  # pattern nodes that are not placeholders or output
    fixes: NotRequired[list[Fix]]  # in the pass's own file


class Matched(TypedDict):
    graph: str
    matches: int
    per_pass: dict[str, int]
    nodes: list[list[str]]  # original graph's node names, one list a match
    lines: NotRequired[list[dict[str, int]]]  # for each match: node → line (from 1) of the pass's file that lies on it
    near_misses: list[NearMiss]  # one for each pass without a match, nearest first
    notes: NotRequired[list[str]]  # what the author should know: operands were swapped, the search was cut short


class Rewritten(TypedDict):
    graph: str
    code: str  # FX code of the rewritten module, readable by graphs.fx_source
    nodes: dict[str, NodeInfo]
    new_nodes: list[str]  # nodes that the passes put in
    steps: NotRequired[list["Step"]]  # after each pass that changed the graph, but for the last of them


class Step(TypedDict):
    """The graph between two passes."""

    pass_name: str  # the last one that was applied
    code: str
    new_nodes: list[str]


class Compiled(TypedDict):
    graph: str
    seconds: float  # first call of the candidate, kernels compiled


class OutputReport(TypedDict):
    """Comparison of one output on one input set. Errors are over finite elements, None where there are none."""

    index: int
    dtype: str
    expected_dtype: str
    shape: list[int]
    expected_shape: list[int]
    mismatch: str | None  # Mismatch
    first_t: int | None  # smallest t in -10 … 5 at which it is correct; -99 means exactly equal
    max_abs: float | None
    max_rel: float | None
    expected_range: list[float] | None  # [min, max] of the reference
    worst: list[dict[str, object]]  # up to 5 × {"index": [...], "expected": x, "found": y}
    differing: int  # elements that are not equal
    elements: int


class TruthReport(TypedDict):
    """Error of eager and of the candidate against a float64 evaluation, over finite elements of one output."""

    eager_max: float
    eager_rms: float
    candidate_max: float
    candidate_rms: float
    nearer: str  # "eager" | "candidate" | "same"


class ErrorMap(TypedDict):
    """Where the error of one output lies: the largest |error| per cell of its two largest dimensions."""

    dims: list[int]  # the dimensions of the output that are rows and columns; one or none for small outputs
    sizes: list[int]  # their sizes: with more elements than cells, a cell stands for several neighbours
    cells: list[list[float | None]]  # at most 64 × 64; None where an error is not finite


class Noise(TypedDict):
    """Eager against eager on the same inputs."""

    deterministic: bool  # two runs from the same random seed agree exactly
    random: bool  # runs from different seeds do not
    first_t: int | None  # smallest t at which eager agrees with itself


class Correctness(TypedDict):
    graph: str
    input_set: str  # "replay", "spread 1", ...
    outputs: list[OutputReport]
    # For the first input set on which an output is not correct:
    truth: NotRequired[list[TruthReport | None]]  # per output; None where it can not be said
    truth_note: NotRequired[str]  # what the float64 evaluation keeps, or why there is none
    error_maps: NotRequired[list[ErrorMap | None]]  # per output; None where it is correct or can not be compared
    noise: NotRequired[Noise]


class GeneralCheck(TypedDict):
    name: str  # "zeros", "non-contiguous inputs", …
    outcome: str  # "yes" | "no" | "not applicable"
    detail: str  # why; empty for "yes"


class Generalisation(TypedDict):
    """A right pass on inputs that the score does not ask about. It changes no status."""

    graph: str
    checks: list[GeneralCheck]


class Log(TypedDict):
    stream: str  # "stdout" | "stderr"
    text: str
    truncated: NotRequired[bool]


class Output(TypedDict):
    """A piece of what was printed beyond what `log` events show: to be stored, not shown."""

    text: str


class Reproduction(TypedDict):
    """A script that shows what is wrong, on inputs as small as still fail. It needs torch and Triton only."""

    graph: str
    script: str
    shapes: list[list[int]]  # of its inputs


class GraphResult(TypedDict):
    """The final word on one graph, also the value of `graphs` in the result."""

    matches: int
    status: str
    reason: str | None
    mismatch: str | None
    first_t: int | None
    launches: dict[str, int | None] | None  # {"eager": 5, "candidate": 1}
    speedup: dict[str, float] | None  # by method, `direct` entry (all but the profile `published`)
    message: str | None  # what happened, why, what to do


class GraphDone(GraphResult):
    graph: str
    seconds: float


class Isolation(TypedDict):
    """What separated the submission from the machine: its parts, in words, that were on and that were not."""

    level: str
    on: list[str]
    off: list[str]


class RunDone(TypedDict):
    verdict: str  # Integrity
    graphs: dict[str, GraphResult]
    findings: list[Finding]
    es_t: dict[str, float] | None
    aggregate_score: float | None
    profile: NotRequired[str]  # whose speed the score follows
    device: str
    versions: dict[str, str]
    isolation: NotRequired[Isolation]
    seconds: float
