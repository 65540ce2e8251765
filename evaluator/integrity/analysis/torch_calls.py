"""Calls of names below `torch`."""

import ast
from typing import TYPE_CHECKING

from evaluator.integrity import torch_names
from evaluator.integrity.analysis import device, operators, outside_state, state
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import (
    BUILTIN_NAMESPACES,
    UNWRITTEN_WORDS,
    Kind,
    kind_of,
)
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    ClassObj,
    Container,
    Ext,
    Function,
    Instance,
    Kernel,
    Mark,
    Method,
    TensorKind,
    TensorObj,
    Tentative,
    Value,
    data_tensors,
    join,
    tensors,
    text_constants,
    value,
)
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_SIMPLE = {
    Kind.UNPICKLE: (FindingClass.UNPICKLE, "can run whatever a pickle names"),
    Kind.FILE: (FindingClass.FILE_ACCESS, "touches files"),
    Kind.NETWORK: (FindingClass.NETWORK, "opens connections"),
    Kind.SUBPROCESS: (FindingClass.SUBPROCESS, "starts processes"),
    Kind.THREAD: (FindingClass.BACKGROUND_THREAD, "works in another thread"),
    Kind.DELEGATE: (FindingClass.COMPILE_DELEGATION, "hands the work to another compiler"),
    Kind.GUARD: (FindingClass.GUARD_DETECTION, "reaches into the dispatcher, where the guard lives"),
    Kind.SETTING: (
        FindingClass.BASELINE_TAMPERING,
        "changes how everything in the process runs, the baseline included",
    ),
}
_KINDS_OF_DEVICE = {
    Kind.SEARCH: (FindingClass.REFERENCE_SEARCH, Severity.VIOLATION, "lists the memory of the whole process"),
    Kind.ALLOCATOR: (FindingClass.RAW_MEMORY, Severity.VIOLATION, "takes memory that belongs to no tensor"),
    Kind.WAIT: (FindingClass.RESOURCE, Severity.SUSPICIOUS, "keeps the device waiting"),
    Kind.EMPTIES: (FindingClass.BASELINE_TAMPERING, Severity.NOTE, "makes whoever allocates next slower"),
}
_EXTRA = {"torch.load": FindingClass.FILE_ACCESS, "torch.hub.load": FindingClass.COMPILE_DELEGATION}


def computes(name: str) -> bool:
    return kind_of(name) in (Kind.COMPUTE, Kind.METHOD, Kind.DELEGATE)


def judge_kind(machine: Machine, atom: Ext, kind: Kind, node: ast.AST, frame: Frame) -> None:
    """Findings for names that are forbidden whatever they are given."""
    add = machine.report.add
    if kind in _SIMPLE and machine.phase is not Phase.TRACED:
        cls, why = _SIMPLE[kind]
        add(cls, frame.file, node, f"`{atom.name}` {why}")
        if atom.name in _EXTRA:
            add(_EXTRA[atom.name], frame.file, node, f"`{atom.name}` {why}")
    elif kind is Kind.PRECISION:
        add(
            FindingClass.BASELINE_TAMPERING,
            frame.file,
            node,
            f"`{atom.name}` changes the precision of the baseline too",
            Severity.SUSPICIOUS,
        )
    elif kind is Kind.RAW:
        add(
            FindingClass.RAW_MEMORY,
            frame.file,
            node,
            f"`{atom.name}` reaches memory by another road",
            Severity.SUSPICIOUS,
        )
    elif kind in _KINDS_OF_DEVICE and machine.phase is not Phase.TRACED:
        cls, severity, why = _KINDS_OF_DEVICE[kind]
        if kind is not Kind.EMPTIES or machine.phase is Phase.CALL:
            add(cls, frame.file, node, f"`{atom.name}` {why}", severity)
    elif atom.name == "torch.utils.benchmark.Timer" and machine.phase is Phase.CALL:
        add(FindingClass.DYNAMIC_CODE, frame.file, node, f"`{atom.name}` runs text as code")
    elif kind is Kind.CLOCK:
        add(FindingClass.PHASE_DETECTION, frame.file, node, f"`{atom.name}` measures time", Severity.SUSPICIOUS)


def call(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`torch.name(…)`."""
    name = atom.name
    if outside_state.writes_namespace(name):
        outside_state.assign_namespace(machine, atom, node, frame)
        return SCALAR
    own_or_unknown = kind_of(name) is Kind.COMPUTE
    if name.startswith("torch.ops.") and own_or_unknown and not name.endswith("load_library"):
        return _operator_namespace(machine, atom, arguments, node, frame)
    kind = kind_of(name)
    word = name.split(".")[3] if name.startswith("torch.ops.") else name.rsplit(".", 1)[-1]
    judge_kind(machine, atom, kind, node, frame)
    if name.startswith("torch.utils._pytree.tree_map") and machine.phase is Phase.CALL:
        _judge_mapped(machine, atom, arguments, node, frame)
    if kind is Kind.REGISTER:
        return _register(machine, name, arguments, node, frame)
    if kind in (Kind.BUFFER, Kind.TABLE):
        return allocate(machine, word, kind, arguments, node)
    if kind in (Kind.VIEW, Kind.COPY):
        return same_or_copy(machine, arguments.get(0, "input") or UNKNOWN, kind, word, node)
    if kind is Kind.DECORATE:
        return _decorate(arguments)
    if kind is Kind.METHOD:
        return _unbound(machine, atom, arguments, node, frame)
    if kind is Kind.TENSOR:
        return join([arguments.get(0) or UNKNOWN])
    if kind is Kind.TRACE:
        return _trace(machine, name, arguments, node, frame)
    if kind is Kind.PROBE:
        return value(Mark.PROBE)
    if kind is Kind.CHANCE:
        return value(Mark.CLOCK) if machine.phase is Phase.CALL else SCALAR
    if device.tells_the_phase(name):
        return value(Mark.DEVICE)
    if kind in (Kind.COMPUTE, Kind.DELEGATE, Kind.GUARD, Kind.THREAD):
        return _compute(machine, atom, kind, arguments, node, frame)
    if device.is_wait(name):
        machine.streams.waits(name)
    if kind is Kind.STREAM and machine.phase is not Phase.TRACED and not device.is_callers_stream(name, arguments):
        machine.streams.used.append((frame.file, node))
    functions = frozenset(part for part in join(arguments.everything()) if isinstance(part, Function | Kernel))
    if functions:  # a decorator
        return functions
    if kind is Kind.STREAM:
        return value(Ext("torch.cuda.Stream()"))
    return value(Ext(f"{name}()")) if name.startswith("torch.cuda") or kind is Kind.BASE else SCALAR


def allocate(machine: Machine, word: str, kind: Kind, arguments: "Arguments", node: ast.AST) -> Value:
    """Allocations; `as_tensor` of a tensor is that tensor."""
    if kind is Kind.TABLE:
        given = arguments.get(0, "data") or UNKNOWN
        if tensors(given):
            return given
        held = [tensor for tensor in state.reachable_tensors(given) if tensor.is_data]
        marks = _marks_in(given)
        if held or any(mark in marks for mark in (Mark.DATA_SCALAR, Mark.NUMPY, Mark.ADDRESS)):
            made = machine.tensor(node, TensorKind.COPY)
            made.from_numbers = made.from_numbers or Mark.DATA_SCALAR in marks
            return value(made)
        return value(machine.tensor(node, TensorKind.TABLE))
    unwritten = word in UNWRITTEN_WORDS
    return value(machine.tensor(node, TensorKind.BUFFER if unwritten else TensorKind.TABLE))


def _marks_in(given: Value) -> Value:
    parts = [part for box in given if isinstance(box, Container) for part in (*(box.items or ()), box.elements)]
    return join([given, *parts])


def same_or_copy(machine: Machine, owner: Value, kind: Kind, word: str, node: ast.AST) -> Value:
    """A view, or a copy that may be the very tensor."""
    if kind is Kind.VIEW:
        if word in (
            "chunk",
            "split",
            "split_with_sizes",
            "unbind",
            "tensor_split",
            "unsafe_chunk",
            "unsafe_split",
            "hsplit",
            "vsplit",
            "dsplit",
            "broadcast_tensors",
        ):
            parts = machine.container(node, "tuple")
            parts.elements = join([parts.elements, frozenset(tensors(owner)) or UNKNOWN])
            return value(parts)
        return owner
    found: list[Value] = []
    for atom in owner:
        if atom in data_tensors(owner) and getattr(atom, "kind", None) is not TensorKind.BUFFER:
            copy = machine.tensor(node, TensorKind.COPY)
            found.append(value(copy))
        else:
            found.append(value(atom))
    return join(found) if found else UNKNOWN


def _decorate(arguments: "Arguments") -> Value:
    given = frozenset(
        atom for atom in arguments.get(0) or () if isinstance(atom, Function | Kernel | ClassObj | Instance)
    )
    return given or value(Ext("torch.no_grad"))


def _unbound(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    from evaluator.integrity.analysis import tensor_methods
    from evaluator.integrity.analysis.calls import Arguments

    owner = arguments.get(0) or UNKNOWN
    if atom.name.endswith(("_make_subclass", "_make_wrapper_subclass")):
        return UNKNOWN
    method = Method(owner if owner else UNKNOWN, atom.name.rsplit(".", 1)[-1], atom.by_name, atom.computed)
    rest = Arguments(arguments.args[1:], arguments.kwargs, arguments.loose)
    return tensor_methods.call_method(machine, method, rest, node, frame)


def _compute(machine: Machine, atom: Ext, kind: Kind, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    if not torch_names.may_exist(atom.name):
        return UNKNOWN  # a typo: the run says so
    given = join(state.flattened(val) for val in arguments.everything())
    callables = [part for part in given if isinstance(part, Function | ClassObj) or _is_operator(part)]
    certain = bool(data_tensors(given)) or any(
        part is Mark.GRAPH_VALUE or isinstance(part, Tentative) for part in given
    )
    if machine.phase is Phase.CALL and kind is not Kind.GUARD:
        cls = FindingClass.COMPILE_DELEGATION if kind is Kind.DELEGATE else FindingClass.TORCH_COMPUTE
        if certain:
            machine.report.add(cls, frame.file, node, f"`{operators.text_of(node)}`: `{atom.name}` does the work")
            _report_road(machine, atom, node, frame)
        elif Mark.UNKNOWN in given and not callables and "()" not in atom.name:
            machine.report.add(cls, frame.file, node, f"`{atom.name}` is called in a launcher", Severity.SUSPICIOUS)
            _report_road(machine, atom, node, frame)
        _report_in_place(machine, atom, arguments, node, frame)
    if kind is Kind.DELEGATE or callables or _makes_module(atom.name):
        return value(Ext(f"{atom.name}()", atom.by_name, atom.computed), *callables)
    if certain:
        return value(machine.tensor(node, TensorKind.RESULT))
    return value(machine.tensor(node, TensorKind.TABLE))


def _is_operator(part: object) -> bool:
    """An operator that is handed on as a value, as to `torch.vmap`."""
    return (
        isinstance(part, Ext) and part.name.startswith("torch.") and kind_of(part.name) in (Kind.COMPUTE, Kind.METHOD)
    )


def _judge_mapped(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    for part in join(arguments.everything()):
        if isinstance(part, Ext) and part.name.startswith("torch.") and kind_of(part.name) is Kind.COMPUTE:
            words = f"`{atom.name}` applies `{part.name}` to tensors"
            machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, words)


def _makes_module(name: str) -> bool:
    last = name.rsplit(".", 1)[-1]
    return name.startswith(("torch.nn.", "torch.ao.")) and last[:1].isupper()


def _report_road(machine: Machine, atom: Ext, node: ast.AST, frame: Frame) -> None:
    """The operator was not named in the source but fetched by a string."""
    if atom.by_name:
        how = "put together at run time" if atom.computed else "given as a string"
        machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, f"`{atom.name}` is fetched by a name {how}")


def _report_in_place(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    targets = arguments.kwargs.get("out") or (
        arguments.get(0) if atom.name.endswith("_") and not atom.name.endswith("__") else None
    )
    for target in state.flattened(targets or NOTHING):
        if target is Mark.GRAPH_VALUE or (isinstance(target, TensorObj) and target.kind is TensorKind.INPUT):
            state.report_mutation(machine, node, frame, f"`{atom.name}` writes into an input")


def _trace(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """Graphs for patterns are built while loading; a launcher that runs one delegates."""
    from evaluator.integrity.analysis import calls

    given = join(arguments.everything())
    for part in given:
        if isinstance(part, Function):
            machine.touched.add(part)
        if isinstance(part, Instance):
            for method in part.of.attributes.values():
                machine.touched |= {inner for inner in method if isinstance(inner, Function)}
    if machine.phase is Phase.CALL and (data_tensors(given) or Mark.GRAPH_VALUE in given):
        machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, f"`{name}` runs a graph of torch operators")
    if machine.phase is Phase.TRACED:
        calls.call_back(machine, arguments, node, frame)
    return value(Ext(f"{name}()"))


def _register(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """Operator registration: own namespaces are honest, those of torch are not the author's."""
    texts = text_constants(join(arguments.args[:2]))
    for text in texts:
        namespace = text.split("::")[0] if "::" in text else text if name.endswith("Library") else ""
        if namespace in BUILTIN_NAMESPACES and name.rsplit(".", 1)[-1] not in ("get_ctx", "opcheck"):
            for cls in (FindingClass.MONKEYPATCH, FindingClass.BASELINE_TAMPERING):
                machine.report.add(cls, frame.file, node, f"`{name}({text!r}, …)` replaces operators of torch itself")
        elif namespace:
            machine.operators.setdefault(namespace, [])
    given = join(arguments.everything())
    functions = [atom for atom in given if isinstance(atom, Function)]
    quiet = any(
        word in name
        for word in ("register_fake", "impl_abstract", "register_autograd", "register_vmap", "register_torch_dispatch")
    )
    for function in functions:
        if quiet:
            machine.touched.add(function)
        else:
            for known in machine.operators.values():
                if function not in known:
                    known.append(function)
    if functions:
        return value(*functions)
    return value(Ext(f"{name}()" if not name.endswith("()") else name))


def _operator_namespace(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    from evaluator.integrity.analysis import calls

    namespace = atom.name.split(".")[2]
    own = machine.operators.get(namespace)
    if own is None:
        return _compute(machine, atom, Kind.COMPUTE, arguments, node, frame)
    wanted = atom.name.split(".")[3] if atom.name.count(".") > 2 else ""
    named = [function for function in own if function.name == wanted] or own
    if machine.phase is Phase.TRACED:
        return UNKNOWN
    found = [
        calls.call_function(machine, function, arguments.args, arguments.kwargs, node, arguments.loose)
        for function in named
    ]
    return join(found) if found else UNKNOWN
