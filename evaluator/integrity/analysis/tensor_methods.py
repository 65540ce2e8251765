"""Method calls on tensors, containers, text and outside objects."""

import ast
import re
from typing import TYPE_CHECKING

from evaluator.integrity import torch_names
from evaluator.integrity.analysis import device, folding, operators, policy_torch, state, torch_calls
from evaluator.integrity.analysis.attributes import STORAGE
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import FILL_METHODS, Kind, method_kind
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Const,
    Container,
    Mark,
    Method,
    StateRead,
    TensorKind,
    TensorObj,
    Tentative,
    Value,
    data_tensors,
    join,
    tensors,
    value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_ADDRESSES = frozenset({"data_ptr", "const_data_ptr", "__hash__"})
_FIELDS = re.compile(r"\{([^{}]*)\}")
_READS = words("item tolist __bool__ __int__ __float__ __index__")
_PUTS = words("set append appendleft add insert put put_nowait push")
_STORAGE = frozenset({"untyped_storage", "storage"})
_STORAGE_READS = words("tolist __getitem__ __iter__ clone cpu byte float double half int long")


def call_method(machine: Machine, method: Method, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`owner.name(…)` for every kind of owner that is not the submission's own object."""
    found: list[Value] = []
    for atom in method.owner:
        if isinstance(atom, TensorObj):
            found.append(_on_tensor(machine, atom, method, arguments, node, frame))
        elif atom is Mark.GRAPH_VALUE or isinstance(atom, Tentative):
            found.append(_on_graph_value(machine, atom, method, arguments, node, frame))
        elif isinstance(atom, Container):
            found.append(_on_container(machine, atom, method.name, arguments, node, frame))
        elif isinstance(atom, Const):
            if method.name in ("format", "format_map") and isinstance(atom.value, str):
                _judge_template(machine, atom.value, node, frame)
            found.append(_on_constant(machine, atom, method.name, arguments))
        elif atom is Mark.NUMPY:
            found.append(_on_numpy(machine, method.name, node, frame))
        else:
            found.append(_on_unknown(machine, atom, method, arguments, node, frame))
    return join(found) if found else UNKNOWN


def _on_tensor(
    machine: Machine, tensor: TensorObj, method: Method, arguments: "Arguments", node: ast.AST, frame: Frame
) -> Value:
    name = method.name
    owner = value(tensor)
    if name in _ADDRESSES:
        return value(Mark.ADDRESS)
    if name in _READS:
        if tensor.kind is TensorKind.BUFFER and tensor not in machine.written:
            return value(Mark.DATA_SCALAR, Mark.SIGN)
        return value(Mark.DATA_SCALAR) if tensor.is_data else SCALAR
    if name in _STORAGE:
        return value(Method(owner, STORAGE))
    if name.startswith(STORAGE):
        return _on_storage(machine, tensor, name.rpartition(".")[2], node, frame)
    if name == "numpy":
        return value(Mark.NUMPY) if tensor.is_data else SCALAR
    if name == "set_":
        machine.report.add(
            FindingClass.RAW_MEMORY, frame.file, node, "`set_` puts other memory under a tensor", Severity.SUSPICIOUS
        )
    kind = method_kind(name)
    if kind in (Kind.VIEW, Kind.COPY):
        return torch_calls.same_or_copy(machine, owner, kind, name, node)
    if kind in (Kind.BUFFER, Kind.TABLE):
        return torch_calls.allocate(machine, name, kind, arguments, node)
    if kind is Kind.FREE:
        return SCALAR
    return _work(machine, tensor, method, arguments, node, frame)


def _on_storage(machine: Machine, tensor: TensorObj, name: str, node: ast.AST, frame: Frame) -> Value:
    """A tensor's storage: asking for its address or size is free, writing goes around the rules."""
    if name in _ADDRESSES:
        return value(Mark.ADDRESS)
    if name in ("copy_", "fill_", "resize_", "__setitem__", "share_memory_", "_write_file"):
        what = f"`{operators.text_of(node)}` writes through the storage of a tensor"
        machine.report.add(FindingClass.RAW_MEMORY, frame.file, node, what, Severity.SUSPICIOUS)
        if tensor.kind is TensorKind.INPUT:
            state.report_mutation(machine, node, frame, what, Severity.SUSPICIOUS)
    if name in _STORAGE_READS:
        what = f"`{operators.text_of(node)}` reads elements through the storage of a tensor"
        machine.report.add(FindingClass.RAW_MEMORY, frame.file, node, what, Severity.SUSPICIOUS)
    return SCALAR


def _work(
    machine: Machine, tensor: TensorObj, method: Method, arguments: "Arguments", node: ast.AST, frame: Frame
) -> Value:
    """A method that computes or writes."""
    name = method.name
    if not torch_names.is_tensor_attribute(name):
        return UNKNOWN  # a typo: the run says so
    in_place = name.endswith("_") and not name.endswith("__")
    if in_place and tensor.kind is TensorKind.INPUT:
        state.report_mutation(machine, node, frame, f"`.{name}` writes into an input")
    if name in FILL_METHODS and tensor.kind is not TensorKind.INPUT:
        tensor_fill = data_tensors(join(arguments.everything()))
        if not tensor_fill:
            if tensor.kind is TensorKind.BUFFER:
                machine.written = machine.written - {tensor}
            return value(tensor)
    given = join(arguments.everything())
    if tensor.is_data or data_tensors(given):
        operators.report_work(
            machine, node, frame, f"`{operators.text_of(node)}`: the tensor method `{name}` does the work"
        )
        _report_road(machine, method, node, frame)
    elif not in_place:
        return value(machine.tensor(node, TensorKind.TABLE))
    if in_place and data_tensors(given) and not tensor.written:
        tensor.written = True
    if in_place:
        machine.written = machine.written | {tensor}
        return value(tensor)
    return value(machine.tensor(node, TensorKind.RESULT))


def _report_road(machine: Machine, method: Method, node: ast.AST, frame: Frame) -> None:
    if method.by_name and machine.phase is Phase.CALL:
        how = "put together at run time" if method.computed else "given as a string"
        machine.report.add(
            FindingClass.DYNAMIC_IMPORT,
            frame.file,
            node,
            f"the tensor method `{method.name}` is fetched by a name {how}",
        )


def _on_graph_value(
    machine: Machine, atom: object, method: Method, arguments: "Arguments", node: ast.AST, frame: Frame
) -> Value:
    name = method.name
    itself: Value = value(atom)  # type: ignore[arg-type]
    if name in _ADDRESSES:
        return value(Mark.ADDRESS)
    if name in _READS:
        return value(Mark.DATA_SCALAR)
    kind = method_kind(name)
    if name in policy_torch.NUMBER_METHODS:
        return SCALAR
    confirm(machine, itself)
    if kind in (Kind.VIEW, Kind.COPY):
        return itself
    if kind in (Kind.BUFFER, Kind.TABLE):
        return torch_calls.allocate(machine, name, kind, arguments, node)
    if kind is Kind.FREE:
        return SCALAR
    if not torch_names.is_tensor_attribute(name):
        return UNKNOWN  # a typo: the run says so
    if name.endswith("_") and not name.endswith("__") and atom is Mark.GRAPH_VALUE:
        state.report_mutation(machine, node, frame, f"`.{name}` writes into an input")
    operators.report_work(
        machine, node, frame, f"`{operators.text_of(node)}`: the tensor method `{name}` does the work"
    )
    _report_road(machine, method, node, frame)
    return value(machine.tensor(node, TensorKind.RESULT))


def confirm(machine: Machine, val: Value) -> None:
    """Something shows that results of operators on graph values are tensors: report these operators."""
    if machine.phase is not Phase.CALL:
        return
    for atom in val:
        if isinstance(atom, Tentative):
            what = f"`{atom.text}`: an operator works on tensors that hold data"
            machine.report.add(FindingClass.TENSOR_OPERATOR, atom.file, atom.line, what)


def _on_container(
    machine: Machine, container: Container, name: str, arguments: "Arguments", node: ast.AST, frame: Frame
) -> Value:
    everything = join([*(container.items or ()), container.elements, *container.fields.values()])
    read = state.read_mark(machine, container)
    first = arguments.get(0) or NOTHING
    if name in _PUTS:
        if container.items is not None and not container.outlives and name == "append" and len(container.items) < 64:
            container.elements = join([container.elements, *container.items])
            container.items = None
        state.append(machine, container, join(arguments.everything()), node, frame)
        return SCALAR
    if name in ("setdefault",):
        state.put(machine, container, first, arguments.get(1) or NOTHING, node, frame)
        return join([everything, arguments.get(1) or NOTHING, read])
    if name in ("__setitem__",):
        state.put(machine, container, first, arguments.get(1) or NOTHING, node, frame)
        return SCALAR
    if name in ("update", "extend", "union"):
        for atom in join(arguments.args):
            if isinstance(atom, Container):
                for key, val in atom.fields.items():
                    state.put(machine, container, value(Const(key)), val, node, frame)
        spread = state.elements_of(machine, first, node, frame) if first else NOTHING
        values = join([atom.elements for atom in first if isinstance(atom, Container)]) if first else NOTHING
        state.append(machine, container, join([spread, values, *arguments.kwargs.values()]), node, frame)
        return SCALAR
    if name in ("pop", "popitem", "popleft") and container.outlives and machine.phase is Phase.CALL:
        container.place.counts = True
    if name in ("get", "pop", "popitem", "popleft", "__getitem__"):
        only = folding.single(first) if first else None
        chosen = container.fields.get(only.value) if only is not None and isinstance(only.value, str) else None
        default = arguments.get(1) if name in ("get", "pop") else None
        if chosen is None:
            state.check_chosen(machine, everything, first, node, frame)
        return join([chosen if chosen is not None else everything, default or NOTHING, read])
    if name in ("values", "copy", "__iter__"):
        return value(container) if name == "copy" else _listed(machine, node, name, everything)
    if name == "keys":
        return _listed(machine, node, name, container.keys)
    if name == "items":
        pair = machine.site((node, "pair"), lambda: Container("tuple"))
        pair.items = [container.keys or UNKNOWN, everything or UNKNOWN]
        return _listed(machine, node, name, value(pair))
    if name in ("count", "index", "__len__", "__contains__"):
        return join([SCALAR, read])
    return SCALAR


def _listed(machine: Machine, node: ast.AST, role: str, elements: Value) -> Value:
    made = machine.container(node, "list", role)
    made.elements = join([made.elements, elements])
    return value(made)


def _judge_template(machine: Machine, template: str, node: ast.AST, frame: Frame) -> None:
    """`"{0.__class__}".format(x)` reads attributes: those with an underscore have no place in a message."""
    for field in _FIELDS.findall(template):
        if "._" in field or "[_" in field:
            words = f"the template field `{{{field[:60]}}}` reads an attribute by its name"
            machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, words)


def _on_constant(machine: Machine, atom: Const, name: str, arguments: "Arguments") -> Value:
    if isinstance(atom.value, str | bytes):
        try:
            plain = [_plain_argument(val) for val in arguments.args]
        except LookupError:
            return join([SCALAR, operators.traces(arguments.everything())])
        folded = folding.text_method(atom.value, name, plain) if not arguments.kwargs else None
        if folded is not None:
            return value(folded)
    return join([SCALAR, operators.traces(arguments.everything())])


def _plain_argument(val: Value) -> object:
    only = next(iter(val)) if len(val) == 1 else None
    if isinstance(only, Container) and only.items is not None:
        return [folding.plain(item) for item in only.items]
    return folding.plain(val)


def _on_numpy(machine: Machine, name: str, node: ast.AST, frame: Frame) -> Value:
    if name in ("item", "tolist"):
        return value(Mark.DATA_SCALAR)
    if name in ("reshape", "view", "astype", "copy", "transpose", "ravel", "flatten", "squeeze"):
        return value(Mark.NUMPY)
    operators.report_work(
        machine,
        node,
        frame,
        f"`{operators.text_of(node)}`: numpy works on the data of a tensor",
        FindingClass.TORCH_COMPUTE,
    )
    return value(Mark.NUMPY)


def _on_unknown(
    machine: Machine, atom: object, method: Method, arguments: "Arguments", node: ast.AST, frame: Frame
) -> Value:
    from evaluator.integrity.analysis import calls

    if isinstance(atom, StateRead) or (isinstance(atom, Mark) and atom is not Mark.UNKNOWN):
        return join([SCALAR, value(atom), operators.traces(arguments.everything())])
    calls.call_back(machine, arguments, node, frame)
    given = join(arguments.everything())
    if method.name in device.WAITS:
        machine.streams.anything_waits()
    kind = method_kind(method.name)
    if (
        tensors(given)
        and kind is Kind.COMPUTE
        and machine.phase is Phase.CALL
        and data_tensors(given)
        and method.name in _ARITHMETIC
    ):
        operators.report_work(machine, node, frame, f"`{operators.text_of(node)}`: `{method.name}` is given a tensor")
    return UNKNOWN


_ARITHMETIC = words("matmul mm bmm addmm mul add sub div softmax layer_norm linear")
