"""What `pattern` says about the values that a launcher will get."""

import ast

from evaluator.integrity.analysis.machine import Machine
from evaluator.integrity.analysis.values import Function, Mark, TensorKind, Value, value
from evaluator.integrity.analysis.words import words

# operators whose further positional arguments are tensors too
_TENSORS_AT: dict[str, tuple[int, ...]] = {
    "layer_norm": (0, 2, 3), "rms_norm": (0, 2), "batch_norm": (0, 1, 2, 3, 4),
    "group_norm": (0, 2, 3), "instance_norm": (0, 1, 2),
    "linear": (0, 1, 2), "conv1d": (0, 1, 2), "conv2d": (0, 1, 2), "conv3d": (0, 1, 2),
    "embedding": (0, 1), "matmul": (0, 1),
    "bmm": (0, 1), "mm": (0, 1), "addmm": (0, 1, 2), "baddbmm": (0, 1, 2), "where": (0,),
    "prelu": (0, 1), "einsum": (1, 2),
    "scaled_dot_product_attention": (0, 1, 2), "masked_fill": (1,), "index_select": (2,),
    "gather": (2,), "bilinear": (0, 1, 2),
}  # fmt: skip


def placeholders(machine: Machine, pattern: Value) -> list[Value]:
    """One value for each parameter of the pattern: a tensor where the pattern uses it as one."""
    for atom in pattern:
        if isinstance(atom, Function):
            spec = atom.node.args
            sure = _used_as_tensor(atom.node)
            return [
                value(machine.tensor(atom.node, TensorKind.INPUT, arg.arg))
                if arg.arg in sure
                else value(Mark.GRAPH_VALUE)
                for arg in (*spec.posonlyargs, *spec.args)
            ]
    return [value(Mark.GRAPH_VALUE)] * 12  # a graph built by hand: more than any pattern has


def _used_as_tensor(node: ast.AST) -> set[str]:
    """Names that methods are called on, that are subscripted, or that stand where an operator takes a tensor."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            found |= _tensor_arguments(part)
        elif isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.value, ast.Name):
            found.add(part.value.id)
        elif isinstance(part, ast.BinOp):
            found |= _sure_operand(part)
    return found


def _sure_operand(node: ast.BinOp) -> set[str]:
    """`x * 2`: with a number on the other side, a scalar would leave nothing to match."""
    sides = (node.left, node.right)
    for side, other in (sides, sides[::-1]):
        if isinstance(side, ast.Name) and isinstance(other, ast.Constant):
            return {side.id}
    return set()


def _tensor_arguments(node: ast.Call) -> set[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    on_tensor = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    found = set()
    for position in _TENSORS_AT.get(name, (0,)):
        if position < len(node.args):
            found |= {part.id for part in _names_or_elements(node.args[position])}
    if on_tensor and name not in _TENSORS_AT:
        # `x.view(n, -1)` or `torch.relu(x)`: only a function of a module takes its tensor first
        assert isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        owner = node.func.value.id
        return found if owner in ("torch", "F", "operator") else {owner}
    return found


def _names_or_elements(node: ast.expr) -> list[ast.Name]:
    if isinstance(node, ast.List | ast.Tuple):
        return [part for part in node.elts if isinstance(part, ast.Name)]
    return [node] if isinstance(node, ast.Name) else []


def works_in_place(pattern: Value) -> bool:
    """Whether the pattern itself writes into a tensor; a graph built by hand may."""
    if not pattern:
        return False
    return any(not isinstance(atom, Function) or has_in_place(atom.node) for atom in pattern)


def has_in_place(node: ast.AST) -> bool:
    """Whether code of a pattern writes into a tensor: by operators, methods, `out=` or `inplace=True`."""
    for part in ast.walk(node):
        if isinstance(part, ast.AugAssign):
            return True
        if isinstance(part, ast.Assign) and any(isinstance(target, ast.Subscript) for target in part.targets):
            return True
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name.endswith("_") and not name.endswith("__"):
                return True
            if name in ("iadd", "isub", "imul", "itruediv", "ipow", "iand", "ior", "setitem", "imatmul", "ifloordiv"):
                return True
            words = {word.arg: word.value for word in part.keywords}
            inplace = words.get("inplace")
            if "out" in words or (
                inplace is not None and not (isinstance(inplace, ast.Constant) and not inplace.value)
            ):
                return True
            if (
                any(isinstance(argument, ast.Constant) and argument.value is True for argument in part.args)
                and name in _POSITIONAL_INPLACE
            ):
                return True
    return False


_POSITIONAL_INPLACE = words(
    """relu relu6 elu selu celu leaky_relu hardtanh hardswish hardsigmoid silu mish dropout dropout2d dropout3d
    alpha_dropout threshold rrelu"""
)
