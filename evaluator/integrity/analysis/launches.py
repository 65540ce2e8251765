"""Kernels: which of their arguments they store into, and what a launch does to the tensors it is given."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import state
from evaluator.integrity.analysis.machine import Frame, Machine, read_name
from evaluator.integrity.analysis.policy_torch import METADATA_ATTRIBUTES, Kind, method_kind
from evaluator.integrity.analysis.values import (
    SCALAR,
    UNKNOWN,
    Bound,
    Container,
    Function,
    Instance,
    Kernel,
    Launch,
    Mark,
    Partial,
    TensorKind,
    Tentative,
    Value,
    tensors,
    value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

_STORES = words(
    """store atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas
    experimental_descriptor_store"""
)
_POINTER_CALLS = words(
    """make_block_ptr make_tensor_descriptor advance multiple_of max_contiguous max_constancy broadcast_to where to
    cast expand_dims broadcast view reshape"""
)
_DATA_MARKS = frozenset({Mark.DATA_SCALAR, Mark.ADDRESS, Mark.GRAPH_VALUE, Mark.NUMPY, Mark.UNKNOWN})
_TENSOR_METHODS = words("stride numel data_ptr is_contiguous element_size storage_offset size dim untyped_storage")
_CLOCKS = re.compile(r"%(global|wall)?(timer|clock)")
# names that other objects may well have, too
_SHARED_NAMES = words(
    "name names real imag data values indices split type bool int float slice new volatile T H grad copy"
)


def launch(machine: Machine, handle: Launch, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`kernel[grid](…)`."""
    machine.launches += 1
    _run_grid(machine, handle, node, frame)
    stores = stored_parameters(machine, handle.kernel.function)
    names = [arg.arg for arg in (*handle.kernel.function.node.args.posonlyargs, *handle.kernel.function.node.args.args)]
    given = list(zip(names, arguments.args, strict=False)) + list(arguments.kwargs.items())
    if arguments.loose:
        given += [(name, arguments.loose) for name in names[len(arguments.args) :]]
    fed = any(_feeds(val, name in stores) for name, val in given)
    for name, val in given:
        if name in stores:
            _write(machine, val, stores[name], name, node, frame, fed)
    return SCALAR


def _feeds(val: Value, stored: bool) -> bool:
    """Whether an argument brings data into a kernel; a buffer that it fills brings none."""
    found = [*tensors(val), *state.reachable_tensors(val)]
    if any(tensor.written or tensor.kind not in (TensorKind.TABLE, TensorKind.BUFFER) for tensor in found):
        return True
    if not stored and any(tensor.is_data for tensor in found):
        return True
    return any(atom in _DATA_MARKS or isinstance(atom, Tentative) for atom in val)


def _write(machine: Machine, val: Value, always: bool, name: str, node: ast.AST, frame: Frame, fed: bool) -> None:
    """The kernel stores through an argument. Without data among the others what it makes is a table."""
    targets = list(tensors(val))
    for atom in val:
        if isinstance(atom, Container):
            targets.extend(state.reachable_tensors(value(atom)))
    for tensor in targets:
        if not fed and tensor.kind is TensorKind.BUFFER:
            tensor.kind = TensorKind.TABLE
        tensor.written = tensor.written or fed
        machine.written = machine.written | {tensor}
        if tensor.kind is TensorKind.INPUT and always:
            state.report_mutation(
                machine, node, frame, f"the kernel stores through `{name}`, which is an input of the launcher"
            )


def _run_grid(machine: Machine, handle: Launch, node: ast.AST, frame: Frame) -> None:
    from evaluator.integrity.analysis import calls

    for atom in handle.grid:
        if isinstance(atom, Function):
            meta = machine.site((atom, "meta"), lambda: Container("dict", elements=SCALAR))
            grid = calls.call_function(machine, atom, [value(meta)], {}, node)
            state.check_grid(machine, grid, node, frame)
        elif isinstance(atom, Partial | Bound | Instance):
            calls.call_value(machine, value(atom), calls.Arguments([UNKNOWN], {}), node, frame)


def stored_parameters(machine: Machine, function: Function, depth: int = 6) -> dict[str, bool]:
    """Parameters that a kernel stores through, and whether it does so outside of every `if`."""
    return machine.site((function.node, "stores"), lambda: _Stores(machine, function, depth).found)


class _Stores(ast.NodeVisitor):
    """Walks a kernel once. Pointers are followed through additions, block pointers and descriptors."""

    def __init__(self, machine: Machine, function: Function, depth: int) -> None:
        self.machine = machine
        self.function = function
        self.depth = depth
        spec = function.node.args
        self.parameters = {arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
        self.assigned: dict[str, list[ast.expr]] = {}
        self.found: dict[str, bool] = {}
        self.conditions = 0
        for node in ast.walk(function.node):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assigned_to(target, node.value)
            elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._assigned_to(node.target, node.value)
        for statement in function.node.body if isinstance(function.node.body, list) else [function.node.body]:
            self.visit(statement)

    def _assigned_to(self, target: ast.expr, source: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(source)
        elif isinstance(target, ast.Tuple):
            for part in target.elts:
                self._assigned_to(part, source)

    def visit_If(self, node: ast.If) -> None:
        self.conditions += 1
        self.generic_visit(node)
        self.conditions -= 1

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _STORES:
            on_language = isinstance(node.func.value, ast.Name) and node.func.value.id not in self.assigned
            pointer = node.args[0] if on_language and node.args else node.func.value
            for keyword in node.keywords:
                if keyword.arg in ("pointer", "ptr") and on_language:
                    pointer = keyword.value
            for name in self.bases(pointer):
                self.found[name] = self.found.get(name, False) or not self.conditions
        elif isinstance(node.func, ast.Name) and self.depth:
            self._call_of_helper(node)

    def _call_of_helper(self, node: ast.Call) -> None:
        assert isinstance(node.func, ast.Name)
        for atom in read_name(self.machine, self.function.env, node.func.id) or ():
            if isinstance(atom, Kernel) and atom.function is not self.function:
                inner = stored_parameters(self.machine, atom.function, self.depth - 1)
                names = [arg.arg for arg in atom.function.node.args.args]
                given = [
                    *zip(names, node.args, strict=False),
                    *((word.arg or "", word.value) for word in node.keywords),
                ]
                for name, argument in given:
                    if name in inner:
                        for base in self.bases(argument):
                            self.found[base] = self.found.get(base, False) or (inner[name] and not self.conditions)

    def bases(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> set[str]:
        """Parameters that a pointer expression starts from."""
        if isinstance(node, ast.Name):
            found = {node.id} if node.id in self.parameters else set()
            if node.id in seen:
                return found
            for source in self.assigned.get(node.id, []):
                found |= self.bases(source, seen | {node.id})
            return found
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            return self.bases(node.left, seen) | self.bases(node.right, seen)
        if isinstance(node, ast.IfExp):
            return self.bases(node.body, seen) | self.bases(node.orelse, seen)
        if isinstance(node, ast.Subscript):
            return self.bases(node.value, seen)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _POINTER_CALLS:
            base = next((word.value for word in node.keywords if word.arg == "base"), None)
            if base is None:
                outside = isinstance(node.func.value, ast.Name) and node.func.value.id not in self.parameters | set(
                    self.assigned
                )
                base = node.args[0] if outside and node.args else node.func.value
            return self.bases(base, seen)
        return set()


def tensor_names(machine: Machine, function: Function) -> frozenset[str]:
    """Parameters whose shape, strides or the like the function asks for: they are tensors."""
    return machine.site((function.node, "tensor names"), lambda: _tensor_names(function))


def _tensor_names(function: Function) -> frozenset[str]:
    spec = function.node.args
    names = {arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    asked: set[str] = set()
    for node in _unrouted(function.node, names):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and _only_tensors_have(node.attr):
            asked.add(node.value.id)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name) and _is_like(node.func):
            asked.add(node.args[0].id)
    return frozenset(names & asked)


def _unrouted(node: ast.AST, names: set[str]) -> Iterator[ast.AST]:
    """All nodes but the branches of `if route == "…"`: there a parameter may be something else for another route."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and _is_route(child.test):
            continue
        yield from _unrouted(child, names)


def _is_route(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) for part in (test.left, *test.comparators)
    )


def _is_like(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name.endswith("_like")


def _only_tensors_have(attr: str) -> bool:
    """Whether numbers, text, containers and the author's own objects are unlikely to have such an attribute."""
    if attr in _SHARED_NAMES or attr.startswith("_"):
        return False
    views = method_kind(attr) in (Kind.VIEW, Kind.COPY, Kind.BUFFER)
    return views or attr in _TENSOR_METHODS or attr in METADATA_ATTRIBUTES


def check_kernel_body(machine: Machine, kernel: Kernel) -> None:
    """Triton's interpreter runs a kernel as Python: it must not reach torch or plain functions from there."""
    function = kernel.function
    parameters = {arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)}
    frame = Frame(function.env, function.file, function)
    for node in ast.walk(function.node):
        if isinstance(node, ast.Call):
            _check_kernel_call(machine, node, parameters, frame)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _CLOCKS.search(node.value):
            words = "a kernel reads the device's clock in its assembler"
            machine.report.add(FindingClass.PHASE_DETECTION, frame.file, node, words, Severity.SUSPICIOUS)


def _check_kernel_call(machine: Machine, node: ast.Call, parameters: set[str], frame: Frame) -> None:
    from evaluator.integrity.analysis import imports, outside_names, torch_calls

    path: list[str] = []
    root: ast.expr = node.func
    while isinstance(root, ast.Attribute):
        path.append(root.attr)
        root = root.value
    if not isinstance(root, ast.Name) or root.id in parameters:
        return
    read = read_name(machine, frame.env, root.id)
    for atom in imports.global_name(machine, frame.env, root.id) if read is None else read:
        name = getattr(atom, "name", "")
        if isinstance(atom, Function) and not path:
            if _touches_outside(atom):
                what = f"a kernel calls the plain Python function `{atom.name}`"
                machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, what)
        elif name.startswith("torch") and hasattr(atom, "by_name"):
            full = ".".join([name, *reversed(path)])
            if torch_calls.computes(full):
                machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, f"a kernel calls `{full}`")
        elif hasattr(atom, "by_name"):
            outside_names.judge_name(machine, ".".join([name, *reversed(path)]), node, frame)


def _touches_outside(function: Function) -> bool:
    """Whether a plain function that a kernel calls does more than arithmetic on its arguments."""
    return any(
        isinstance(node, ast.Attribute | ast.Import | ast.ImportFrom | ast.Global) for node in ast.walk(function.node)
    )
