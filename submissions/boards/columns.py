"""The columns of a board: what they are called and what they mean, for pages and files alike."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """`percent`: a share. `timed`: there only where speed is measured."""

    key: str
    name: str
    means: str
    percent: bool = False
    timed: bool = True


COLUMNS = (
    Column(
        "as",
        "AS",
        "Aggregate score: geometric mean over the tasks. Each task's is ES_t over t = −10 … 4, weighted. A failed "
        "graph counts what its kind of failure is tolerated for, a task without a submission 0.1. Eager is 1.",
    ),
    Column(
        "g_mean",
        "G-mean",
        "Geometric mean of eager / submission over the graphs that are correct at t = −5, by e2e. It says nothing "
        "about graphs that failed.",
    ),
    Column(
        "correct",
        "graphs",
        "Share of all graphs of the benchmark that are correct at t = −5; those of missing tasks are not.",
        True,
        False,
    ),
    Column("tasks", "tasks", "Share of the tasks all of whose graphs are correct at t = −5.", True, False),
    Column("fast_1", "fast₁", "Share of all graphs that are correct and at least as fast as eager.", True),
    Column(
        "fast_1.5", "fast₁.₅", "Share of all graphs that are correct and at least 1.5 times as fast as eager.", True
    ),
    Column("fast_2", "fast₂", "Share of all graphs that are correct and at least twice as fast as eager.", True),
)
EXPLOITS = (
    "Tasks on which a run of the author stands as a violation, after review. All graphs of such a run count 0.1 at "
    "every t, unless the author has an honest one."
)
AGAINST = "Tasks won, lost and tied against TorchInductor by AS, where both have one."
COST = (
    "What the model's attempts behind the results took, where they were made here; a question mark: a price is not "
    "known. Steps: after how many, on average, the run came that counts. Imported results tell neither."
)
COVERED = "Tasks with a result, of all. Where submissions wait to be evaluated the row is in part: they count 0.1."
INTERVAL = "The lighter figures are 95 % intervals by bootstrap over tasks: 1,000 draws, the same for every author."
