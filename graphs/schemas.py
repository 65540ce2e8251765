"""What the API's graphs look like, for its documentation. They are sent as stored bytes, so that nothing is checked
against these on the way out; a test compares them with what is sent."""

from ninja import Schema
from pydantic import ConfigDict, Field


class Value(Schema):
    """A tensor that enters or leaves a graph."""

    name: str
    shape: list[int] | None
    dtype: str | None


class Span(Schema):
    """Where a node is written: lines from 1, columns from 0 in UTF-16 units, as the editor counts."""

    line: int
    column: int
    end_line: int
    end_column: int


class Node(Schema):
    model_config = ConfigDict(populate_by_name=True)

    name: str
    op: str  # call_function, call_method, get_attr, output
    target: str
    label: str
    class_: str = Field(alias="class")  # pointwise, reduction, normalisation, matmul, view, gather, random, other
    code: str
    args: list[tuple[str, str]]
    span: Span | None
    shape: list[int] | None
    dtype: str | None
    x: float
    y: float
    w: float
    h: float
    badges: list[Value]  # inputs that only this node and its neighbours use


class Edge(Schema):
    source: str
    target: str
    points: list[tuple[float, float]]
    stub: bool  # too long to draw: two labelled ends
    shape: list[int] | None
    dtype: str | None


class DrawnGraph(Schema):
    """Coordinates are CSS pixels, y down; (x, y) is a node's top left corner."""

    nodes: list[Node]
    edges: list[Edge]
    inputs: list[Value]
    outputs: list[str]
    width: float
    height: float


class GraphOut(DrawnGraph):
    name: str
    source: str
    content_hash: str
    canonical_hash: str  # equal for graphs that differ in names and in the order of independent nodes
    warnings: list[str]


class RewrittenOut(DrawnGraph):
    source: str
    new_nodes: list[str]
