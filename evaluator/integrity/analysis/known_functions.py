"""Functions of Python and of Triton that are followed by what they do: name → handler."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import (
    attributes,
    collection_calls,
    folding,
    imports,
    operator_module,
    outside_names,
    printing,
    state,
)
from evaluator.integrity.analysis.attributes import KERNEL_CLASS
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import TENSOR_CLASSES
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    ClassObj,
    Const,
    Ext,
    Function,
    Instance,
    Kernel,
    Mark,
    Partial,
    TensorKind,
    Tentative,
    Value,
    data_tensors,
    join,
    tensors,
    text_constants,
    value,
)
from evaluator.verdicts import FindingClass

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

Handler = Callable[[Machine, Ext, "Arguments", ast.AST, Frame], Value]


def _import(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    return imports.import_by_name(
        machine, arguments.get(0, "name") or UNKNOWN, node, frame, f"`{atom.name.removeprefix('builtins.')}`"
    )


def _getattr(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    owner, name = arguments.get(0) or UNKNOWN, arguments.get(1) or UNKNOWN
    text = node.args[1] if isinstance(node, ast.Call) and len(node.args) > 1 else None
    return join([attributes.by_name(machine, owner, name, node, frame, text), arguments.get(2) or NOTHING])


def _setattr(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    names = text_constants(arguments.get(1) or UNKNOWN) or ["?"]
    for name in names:
        state.assign_attribute(machine, arguments.get(0) or UNKNOWN, name, arguments.get(2) or SCALAR, node, frame)
    return SCALAR


def _vars(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    owner = arguments.get(0)
    if owner is None or atom.name != "builtins.vars":
        return value(Ext(f"{atom.name}()"))
    return join([attributes.read(machine, owner, "__dict__", node, frame)])


def _type(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    if len(arguments.args) == 3:
        for base in state.elements_of(machine, arguments.args[1], node, frame):
            if isinstance(base, Ext) and base.name in TENSOR_CLASSES:
                machine.report.add(FindingClass.TENSOR_SUBCLASS, frame.file, node, "a tensor class is made at run time")
        return UNKNOWN
    owner = arguments.get(0) or UNKNOWN
    if tensors(owner) or any(part is Mark.GRAPH_VALUE or isinstance(part, Tentative) for part in owner):
        return value(Ext("torch.Tensor"), Mark.PROBE)
    if any(isinstance(part, Kernel) for part in owner):
        return value(Ext(KERNEL_CLASS))
    return join([value(part.of) if isinstance(part, Instance) else SCALAR for part in owner])


def _identity_number(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    owner = arguments.get(0) or UNKNOWN
    at_tensor = bool(tensors(owner)) or Mark.GRAPH_VALUE in owner or Mark.ADDRESS in owner
    return value(Mark.ADDRESS) if at_tensor else SCALAR


def _partial(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    outside_names.judge_handed(machine, arguments, node, frame)
    first = arguments.get(0)
    if first is None:
        return value(Ext("functools.partial"))
    return value(Partial(first, tuple(arguments.args[1:]), tuple(arguments.kwargs.items())))


def _cache(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    functions = [part for part in arguments.get(0) or () if isinstance(part, Function)]
    for function in functions:
        function.cached = True
    return value(*functions) if functions else value(Ext("functools.cache"))


def _method_kind(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    kinds = {"builtins.staticmethod": "static", "builtins.classmethod": "class"}
    for part in arguments.get(0) or ():
        if isinstance(part, Function):
            part.kind = kinds.get(atom.name, "property")
            part.cached = part.cached or atom.name == "functools.cached_property"
    return arguments.get(0) or UNKNOWN


def _jit(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    functions = [part for part in arguments.get(0, "fn") or () if isinstance(part, Function)]
    if not functions:
        return value(Ext("triton.jit"))
    for function in functions:
        machine.touched.add(function)
    return value(*(machine.site((function, "kernel"), lambda f=function: Kernel(f)) for function in functions))  # type: ignore[misc]


def _location(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    found = imports.from_location(machine, arguments.get(1, "location") or UNKNOWN, node, frame)
    return found


def _module_of_spec(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    return arguments.get(0) or UNKNOWN


def _path_join(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    path = imports.folded_path(arguments.args)
    return path if atom.name == "os.path.join" else join([path, value(Ext("pathlib.Path()"))])


def _dumps(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`json.dumps(…)`: the words in it matter where it is printed."""
    text = ", ".join(part for val in arguments.args for part in printing.texts_in(val))
    return value(Const(text[: folding.LONGEST], built=True))


def _environment(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    return value(Mark.PROBE)


def _namespace(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`types.SimpleNamespace(…)`, `types.ModuleType(name)`: an object with attributes."""
    cls = machine.site((node, "namespace"), lambda: ClassObj("a namespace", frame.file, getattr(node, "lineno", 0)))
    made = machine.site((node, cls, "instance"), lambda: Instance(cls))
    made.outlives = made.outlives or machine.phase is Phase.LOAD
    for name, val in arguments.kwargs.items():
        made.attributes[name] = join([made.attributes.get(name, NOTHING), val])
    return value(made)


def _copied(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    given = arguments.get(0) or UNKNOWN
    return join([value(machine.tensor(node, TensorKind.COPY)) if data_tensors(given) else given])


def _isinstance(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    wanted = join([arguments.get(1) or NOTHING])
    return value(Mark.PROBE) if any(isinstance(part, Ext) and "_subclasses" in part.name for part in wanted) else SCALAR


_HANDLERS: dict[str, Handler] = {
    "builtins.__import__": _import,
    "importlib.import_module": _import,
    "importlib.__import__": _import,
    "builtins.getattr": _getattr,
    "inspect.getattr_static": _getattr,
    "builtins.object.__getattribute__": _getattr,
    "builtins.type.__getattribute__": _getattr,
    "builtins.setattr": _setattr,
    "builtins.delattr": _setattr,
    "builtins.object.__setattr__": _setattr,
    "builtins.type.__setattr__": _setattr,
    "builtins.vars": _vars,
    "builtins.globals": _vars,
    "builtins.locals": _vars,
    "builtins.type": _type,
    "builtins.id": _identity_number,
    "builtins.hash": _identity_number,
    "builtins.isinstance": _isinstance,
    "builtins.next": collection_calls.next_of,
    "builtins.staticmethod": _method_kind,
    "builtins.classmethod": _method_kind,
    "builtins.property": _method_kind,
    "functools.cached_property": _method_kind,
    "functools.partial": _partial,
    "functools.cache": _cache,
    "functools.lru_cache": _cache,
    "functools.reduce": collection_calls.map_over,
    "builtins.map": collection_calls.map_over,
    "builtins.filter": collection_calls.map_over,
    "triton.jit": _jit,
    "triton.runtime.jit.jit": _jit,
    "triton.runtime.jit": _jit,
    "triton.runtime.JITFunction": _jit,
    "triton.experimental.gluon.jit": _jit,
    "importlib.util.spec_from_file_location": _location,
    "importlib.util.module_from_spec": _module_of_spec,
    "os.path.join": _path_join,
    "pathlib.Path": _path_join,
    "types.SimpleNamespace": _namespace,
    "types.ModuleType": _namespace,
    "threading.local": _namespace,
    "json.dumps": _dumps,
    "os.getenv": _environment,
    "os.environ.get": _environment,
    "os.environ.setdefault": _environment,
    "sys.gettrace": _environment,
    "sys.getprofile": _environment,
    "threading.current_thread": _environment,
    "threading.get_ident": _environment,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    **dict.fromkeys(collection_calls.REDUCERS, collection_calls.reduce),
    **dict.fromkeys(collection_calls.SCALARS, collection_calls.to_scalar),
    **dict.fromkeys(collection_calls.CONTAINERS, collection_calls.container_of),
}


def handler_of(name: str) -> Handler | None:
    if name.startswith("operator."):
        return operator_module.call_operator
    return _HANDLERS.get(name)
