"""From what a pass calls `pattern` to a graph: a function, a module, or a torch.fx graph made by hand.

Functions are traced with torch.fx, so that every call of torch or torch.nn.functional becomes one node. Three things
differ from `torch.fx.symbolic_trace`:
* factories without a tensor among their arguments (`torch.arange(10)`) become nodes too; Dynamo records them;
* functions of torch.nn.functional that would run through (`F.sigmoid` calls `x.sigmoid()`) stay one node;
* `x += y` and `x[i] = y` are recorded as what they are (see normalise.py on what they match).
"""

import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from evaluator.engine.recording import Place, Recording
from evaluator.engine.signatures import MISSING
from evaluator.engine.tracer import CallTracer, Factories, functional, functions_as_leaves

MAX_VARIADIC = 64  # how many inputs of a pattern(*args) are tried


class PatternError(Exception):
    """`pattern` or `replacement_args` can not be understood: what happened, and where."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.message, self.file, self.line = message, file, line
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(place + message)


@dataclass(frozen=True)
class Input:
    """One parameter of a pattern: its placeholder, or None where its default had to stand in for it.

    `default` is MISSING where it has none.
    """

    name: str
    node: Node | None
    default: Any = MISSING


@dataclass(frozen=True)
class TracedPattern:
    """A pattern as a graph.

    `inputs` are its parameters in order, `outputs` what it returns (nodes; constants where it returns constants),
    `single` whether it returns one value and not a tuple. `names` and `lines` are the variables that the author
    assigned nodes to and where; `places` are the expressions of `source`, the author's function, that made nodes.
    """

    graph: Graph
    inputs: tuple[Input, ...]
    outputs: tuple[Any, ...]
    single: bool
    names: dict[Node, str] = field(default_factory=dict)
    lines: dict[Node, int] = field(default_factory=dict)
    file: str | None = None
    places: dict[Node, Place] = field(default_factory=dict)
    source: Any = None

    def outputs_as_nodes(self) -> list[Node]:
        """The outputs that are nodes."""
        return [value for value in self.outputs if isinstance(value, Node)]

    def lines_in_file(self) -> dict[Node, int]:
        """`lines`, if `file` is where the pattern's function was written: a helper of it has lines of its own."""
        return self.lines if self.file is not None and self.file == _file_of(self.source) else {}

    def name(self, node: Node) -> str:
        """What the author calls a node."""
        return self.names.get(node, node.name)


def trace_pattern(source: Any, arity: int | None = None, file: str | None = None) -> TracedPattern:
    """Trace a pattern. `arity`: how many inputs a `pattern(*args)` gets, if known. Raises PatternError."""
    if isinstance(source, GraphModule):
        source = source.graph
    if isinstance(source, Graph):
        return _finished(_copy(source), file)
    if not callable(source):
        raise PatternError(f"pattern is {kind_of(source)}; it has to be a function or a torch.fx graph", file)
    file = file or _file_of(source)
    attempts = _attempts(source, arity, file)
    failure: Exception | None = None
    for parameters in attempts:
        recording = Recording(_code_of(source))
        try:
            graph, returned = _trace(source, parameters, recording)
        except Exception as error:  # whatever the author's code raises
            failure = failure or error
            continue
        if isinstance(returned, (Graph, GraphModule)):
            return trace_pattern(returned, arity, file)
        code = _code_of(source)
        return _finished(graph, file, recording, parameters, None if code is None else code.co_firstlineno, source)
    assert failure is not None
    if isinstance(failure, PatternError):
        raise failure
    raise explained(failure, source, "pattern", file)


def located(error: BaseException, source: Any, file: str | None) -> int | None:
    """The line of `source`'s file at which an exception was raised."""
    name = getattr(_code_of(source), "co_filename", None) or file
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    return lines[-1] if lines else None


@dataclass(frozen=True)
class _Parameter:
    name: str
    default: Any = inspect.Parameter.empty
    keyword: bool = False
    is_fixed: bool = False

    @property
    def default_or_missing(self) -> Any:
        return MISSING if self.default is inspect.Parameter.empty else self.default


def _attempts(source: Any, arity: int | None, file: str | None) -> Iterator[list[_Parameter]]:
    """Ways to call the pattern: every parameter an input; then *args of growing number; then defaults as constants."""
    try:
        found = list(inspect.signature(source).parameters.values())
    except (TypeError, ValueError):
        raise PatternError("pattern has no signature that Python can read", file) from None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in found):
        found = [parameter for parameter in found if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    plain = [
        _Parameter(parameter.name, parameter.default, parameter.kind is inspect.Parameter.KEYWORD_ONLY)
        for parameter in found
        if parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    variadic = next((p.name for p in found if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
    if variadic is None:
        yield plain
    else:
        counts = [max(arity - len(plain), 0)] if arity is not None else range(1, MAX_VARIADIC + 1)
        first = [parameter for parameter in plain if not parameter.keyword]
        last = [parameter for parameter in plain if parameter.keyword]
        for count in counts:
            yield [*first, *(_Parameter(f"{variadic}_{index}") for index in range(count)), *last]
    if any(parameter.default is not inspect.Parameter.empty for parameter in plain):
        yield [
            parameter
            if parameter.default is inspect.Parameter.empty
            else _Parameter(parameter.name, parameter.default, parameter.keyword, is_fixed=True)
            for parameter in plain
        ]


class _PatternTracer(CallTracer):
    def __init__(self, parameters: Sequence[_Parameter], recording: Recording) -> None:
        super().__init__(autowrap_functions=functional())  # also where a pass imports them by name
        self.parameters = parameters
        self.recording = recording
        self.returned: Any = None

    def create_node(self, *args: Any, **kwargs: Any) -> Node:
        node = super().create_node(*args, **kwargs)
        self.recording.created(node)
        return node

    def create_args_for_root(
        self, root_fn: Any, is_module: bool, concrete_args: Any = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """One placeholder for each input, whatever kind of parameter it is."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter in self.parameters:
            default = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
            value = (
                parameter.default
                if parameter.is_fixed
                else self.create_proxy("placeholder", parameter.name, default, {}, name=parameter.name)
            )
            if parameter.keyword:
                keywords[parameter.name] = value
            else:
                positional.append(value)

        def call() -> Any:
            with self.recording, Factories(self):
                self.returned = root_fn(*positional, **keywords)
            if isinstance(self.returned, (Graph, GraphModule)):
                return None
            return self.returned

        return call, []


def _trace(source: Any, parameters: list[_Parameter], recording: Recording) -> tuple[Graph, Any]:
    tracer = _PatternTracer(parameters, recording)

    def root(*args: Any, **kwargs: Any) -> Any:
        return source(*args, **kwargs)

    # torch.fx looks for functions to keep as leaves in the globals of a plain function
    function = source if inspect.isfunction(source) else root
    with functions_as_leaves():
        graph = tracer.trace(function)
    return graph, tracer.returned


def _finished(
    graph: Graph,
    file: str | None,
    recording: Recording | None = None,
    parameters: Sequence[_Parameter] = (),
    line: int | None = None,
    source: Any = None,
) -> TracedPattern:
    output = next((node for node in graph.nodes if node.op == "output"), None)
    if output is None or not output.args or output.args[0] is None:
        raise PatternError("pattern returns nothing: return the value (or the tuple of values) to replace", file, line)
    returned = output.args[0]
    if isinstance(returned, dict):
        raise PatternError("pattern returns a dict: return one value or a tuple of values", file, line)
    single = not isinstance(returned, (list, tuple))
    outputs = (returned,) if single else tuple(returned)
    if any(isinstance(value, (list, tuple, dict)) for value in outputs):
        raise PatternError("pattern returns a tuple inside a tuple: return one flat tuple of values", file, line)
    if not any(isinstance(value, Node) and value.op != "placeholder" for value in outputs):
        raise PatternError("pattern returns none of its own results: there is nothing to match", file, line)
    names = {} if recording is None else recording.unique_names()
    lines = {} if recording is None else recording.lines
    places = {} if recording is None else recording.places
    return TracedPattern(graph, _inputs(graph, parameters), outputs, single, names, lines, file, places, source)


def _inputs(graph: Graph, parameters: Sequence[_Parameter]) -> tuple[Input, ...]:
    nodes = [node for node in graph.nodes if node.op == "placeholder"]
    if not parameters:
        return tuple(Input(str(node.target), node, node.args[0] if node.args else MISSING) for node in nodes)
    remaining = iter(nodes)
    return tuple(
        Input(item.name, None if item.is_fixed else next(remaining), item.default_or_missing) for item in parameters
    )


def _copy(graph: Graph) -> Graph:
    copy = Graph()
    nodes: dict[Node, Node] = {}
    for node in graph.nodes:
        nodes[node] = copy.node_copy(node, lambda source: nodes[source])
    return copy


def explained(error: Exception, source: Any, what: str, file: str | None) -> PatternError:
    """An exception from an author's function as a PatternError: `what` is that function's name."""
    line = located(error, source, file)
    text = str(error).splitlines()[0] if str(error) else ""
    if isinstance(error, torch.fx.proxy.TraceError):
        text = (
            "the code decides by the value of a tensor (if, while, for, bool, len), which is not known while it is "
            f"traced: {text}"
        )
        return PatternError(f"{what} can not be traced: {text}", file, line)
    return PatternError(f"{what} can not be traced: it raised {type(error).__name__}: {text}", file, line)


def _code_of(source: Any) -> CodeType | None:
    function = inspect.unwrap(source) if inspect.isfunction(source) else source
    if isinstance(function, torch.nn.Module):
        function = type(function).forward
    if not hasattr(function, "__code__"):  # an instance of a class
        function = vars(type(function)).get("__call__")
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _file_of(source: Any) -> str | None:
    code = _code_of(source)
    return code.co_filename.rpartition("/")[2] if code is not None else None


def kind_of(value: Any) -> str:
    """What something is, for a sentence: "a function", "an int"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
