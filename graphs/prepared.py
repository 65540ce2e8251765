"""A sample as it goes into the database, with everything that is worked out from it. Needs no Django: it is made in the
processes that read."""

from dataclasses import dataclass

from graphs.drawing import draw
from graphs.identity import graph_identity
from graphs.packing import pack, pack_json
from graphs.samples import Sample, sample_to_json


@dataclass(frozen=True)
class TaskText:
    """What people read about a task."""

    title: str
    summary: str = ""
    description: str = ""


@dataclass(frozen=True)
class PreparedGraph:
    """The columns of `graphs.models.Graph` and of its Source; `packed_…` as `graphs.packing` packs them."""

    identity: str
    name: str
    content_hash: str
    canonical_hash: str
    packed_source: bytes
    packed_sample: bytes
    packed_layout: bytes | None
    operators: list[dict[str, str]]
    dtypes: list[str]
    node_count: int
    thumbnail: str
    warnings: list[str]
    problem: str
    drawn: bytes  # of a large graph, to be kept by `graphs.drawn_files`


def prepare_graph(sample: Sample, file: str) -> PreparedGraph:
    """The sample read as a graph, and laid out.

    Raises ReadProblem, with `file` for model.py's name, when the code is not FX code.
    """
    drawing = draw(sample, file)
    value = sample_to_json(sample)
    source = value.pop("source")
    return PreparedGraph(
        identity=graph_identity(sample),
        name=sample.name,
        content_hash=sample.content_hash,
        canonical_hash=drawing.canonical_hash,
        packed_source=pack(source.encode()),
        packed_sample=pack_json(value),
        packed_layout=None if drawing.layout is None else pack_json(drawing.layout),
        operators=drawing.operators,
        dtypes=drawing.dtypes,
        node_count=drawing.node_count,
        thumbnail=drawing.thumbnail,
        warnings=[*sample.warnings, *drawing.warnings],
        problem=drawing.problem,
        drawn=drawing.large,
    )
