"""Attribute reads, with every detour that ends in one: `getattr`, `__dict__`, `vars`, `operator.attrgetter`."""

import ast

from evaluator.integrity.analysis import policy_python, state
from evaluator.integrity.analysis.machine import Frame, Machine, Phase, read_name
from evaluator.integrity.analysis.policy_torch import (
    METADATA_ATTRIBUTES,
    TENSOR_CLASSES,
    Kind,
    kind_of,
    method_kind,
)
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Bound,
    ClassObj,
    Const,
    Container,
    Ext,
    Function,
    Instance,
    Kernel,
    Launch,
    Mark,
    Method,
    ModuleObj,
    Partial,
    StateRead,
    TensorObj,
    Tentative,
    Value,
    constants,
    join,
    value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

# attributes that lead out of the submission, whatever object they are read from
REACHING = {
    **dict.fromkeys(
        ("__globals__", "__builtins__", "__subclasses__", "__loader__", "f_globals", "f_builtins"),
        FindingClass.DYNAMIC_IMPORT,
    ),
    **dict.fromkeys(
        ("f_back", "f_locals", "tb_frame", "tb_next", "gi_frame", "cr_frame", "ag_frame", "gi_code", "cell_contents"),
        FindingClass.REFERENCE_SEARCH,
    ),
    **dict.fromkeys(
        ("__array_interface__", "__cuda_array_interface__", "_cdata", "__dlpack__", "_share_cuda_", "_new_shared_cuda"),
        FindingClass.RAW_MEMORY,
    ),
    **dict.fromkeys(
        ("__torch_dispatch__", "_make_subclass", "_make_wrapper_subclass", "as_subclass"), FindingClass.TENSOR_SUBCLASS
    ),
}
SUSPECT = {
    "__closure__": FindingClass.REFERENCE_SEARCH,
    "__torch_function__": FindingClass.TENSOR_SUBCLASS,
    "__mro__": FindingClass.DYNAMIC_IMPORT,
}
STORAGE = "untyped_storage()"
KERNEL_CLASS = "triton.runtime.jit.JITFunction"
TYPE_NAMES = frozenset({"__name__", "__qualname__", "__module__"})
FILE_METHODS = words(
    """open read_text read_bytes write_text write_bytes unlink mkdir rmdir rename replace touch symlink_to
    hardlink_to iterdir glob rglob walk stat lstat chmod"""
)
_KERNEL_INSIDES = words("device_caches kernel_cache cache used_global_vals")
_RUNNER_CLASSES = ("JITFunction", "KernelInterface", "Autotuner", "Heuristics", "InterpretedFunction")
MOST_CALLS, MOST_STEPS = 2, 12  # in the name of an outside object; what is further away is unknown
_SAME_TENSOR = words("T mT H mH data real imag")


def read(machine: Machine, owner: Value, attr: str, node: ast.AST, frame: Frame, computed: bool | None = None) -> Value:
    """`owner.attr`. `computed` is None for a plain attribute, else whether the name was put together at run time."""
    _judge_reach(machine, owner, attr, node, frame)
    if attr in TYPE_NAMES and Mark.PROBE in owner:
        return value(Mark.TYPE_NAME)
    return join([_read_one(machine, atom, attr, node, frame, computed) for atom in owner]) if owner else UNKNOWN


def _judge_reach(machine: Machine, owner: Value, attr: str, node: ast.AST, frame: Frame) -> None:
    if machine.phase is Phase.TRACED and attr == "__torch_function__":
        return
    if attr in REACHING:
        machine.report.add(REACHING[attr], frame.file, node, f"`{attr}` leads to objects that are not the submission's")
    elif attr in SUSPECT:
        machine.report.add(SUSPECT[attr], frame.file, node, f"`{attr}` is read", Severity.SUSPICIOUS)
    elif attr == "__code__" and not isinstance(getattr(node, "ctx", None), ast.Load):
        machine.report.add(FindingClass.MONKEYPATCH, frame.file, node, "the code of a function is replaced")


def _read_one(machine: Machine, atom: object, attr: str, node: ast.AST, frame: Frame, computed: bool | None) -> Value:
    by_name = computed is not None
    if isinstance(atom, Ext):
        return outside(machine, atom, attr, node, frame, by_name, bool(computed))
    if isinstance(atom, TensorObj):
        return _of_tensor(machine, atom, attr, node, by_name, bool(computed))
    if atom is Mark.GRAPH_VALUE or isinstance(atom, Tentative):
        return _of_graph_value(machine, atom, attr, by_name, bool(computed))
    if isinstance(atom, Instance):
        return _of_instance(machine, atom, attr, node, frame)
    if isinstance(atom, ModuleObj):
        found = read_name(machine, atom.env, attr)
        return _asked_for(machine, read_name(machine, atom.env, "__getattr__"), attr, node, frame, found)
    if isinstance(atom, ClassObj):
        found = class_attribute(machine, atom, attr, value(atom), through_instance=False)
        if found == value(Ext("torch.autograd.Function.apply")):
            return _applied(machine, atom)
        return UNKNOWN if found is None else found
    if isinstance(atom, Kernel):
        if attr in ("fn", "__wrapped__", "func"):
            return value(atom.function)
        if attr == "__class__":
            return value(Ext(KERNEL_CLASS))
        if attr in _KERNEL_INSIDES and attr not in atom.attributes:
            return value(Mark.SIGN)  # what was compiled and called before
        return atom.attributes.get(attr) or (value(Launch(atom, SCALAR)) if attr in ("run", "warmup") else SCALAR)
    if isinstance(atom, Function):
        return _of_function(machine, atom, attr)
    if isinstance(atom, Method) and atom.name == STORAGE:
        return value(Method(atom.owner, f"{STORAGE}.{attr}"))
    if isinstance(atom, Partial):
        return {"func": atom.function, "args": UNKNOWN, "keywords": UNKNOWN}.get(attr, SCALAR)
    if isinstance(atom, Bound):
        return {"__func__": value(atom.function), "__self__": atom.owner}.get(attr, SCALAR)
    if isinstance(atom, Launch):
        return value(Mark.SIGN)
    if isinstance(atom, Const | Container | StateRead | Mark):
        told = value(atom) if atom in (Mark.CLOCK, Mark.DEVICE, Mark.SIGN) else NOTHING  # `os.times().user`
        return join([value(Method(value(atom), attr, by_name, bool(computed))), told])
    return SCALAR


def _asked_for(
    machine: Machine, hook: Value | None, attr: str, node: ast.AST, frame: Frame, found: Value | None
) -> Value:
    """What a `__getattr__` of the submission gives where nothing of that name is found."""
    from evaluator.integrity.analysis import calls

    if found is not None or hook is None:
        return UNKNOWN if found is None else found
    return calls.call_value(machine, hook, calls.Arguments([value(Const(attr, built=True))], {}), node, frame)


def _applied(machine: Machine, cls: ClassObj) -> Value:
    """`Function.apply` runs `forward` with a context first."""
    forward = class_attribute(machine, cls, "forward", value(cls), through_instance=False)
    return UNKNOWN if forward is None else value(Partial(forward, (UNKNOWN,), ()))


def _of_function(machine: Machine, atom: Function, attr: str) -> Value:
    found = atom.attributes.get(attr)
    if found is not None:
        return join([found, state.read_mark(machine, atom)])
    if attr == "__wrapped__":
        return value(atom)
    if attr in ("__call__", "__get__", "cache_clear"):
        return value(atom)
    if attr == "__defaults__":
        return join([*atom.defaults.values(), SCALAR])
    return UNKNOWN


def outside(
    machine: Machine, atom: Ext, attr: str, node: ast.AST, frame: Frame, by_name: bool, computed: bool
) -> Value:
    """An attribute of an outside object."""
    by_name, computed = by_name or atom.by_name, computed or atom.computed
    if attr == "__getattribute__" and not atom.name.startswith("builtins."):
        return value(Partial(value(Ext("builtins.getattr")), (value(atom),), ()))
    if attr == "__self__" and atom.name.startswith("builtins."):
        return value(Ext("builtins", by_name=True))
    if atom.name.count("()") > MOST_CALLS or atom.name.count(".") > MOST_STEPS:
        return UNKNOWN
    name = policy_python.canonical(f"{atom.name}.{attr}")
    if name in ("os.environ", "os.environb"):
        return value(Ext(name))
    if atom.name in TENSOR_CLASSES and attr in METADATA_ATTRIBUTES:
        return SCALAR
    if name.startswith("torch") and kind_of(name) is Kind.PROBE:
        return value(Ext(name, by_name, computed), Mark.PROBE)
    if name.startswith("pathlib.") and attr in FILE_METHODS and "()" in atom.name:
        return value(Ext(f"builtins.open.{attr}", by_name, computed))
    if attr == "run" and atom.name.startswith("triton.") and atom.name.endswith(_RUNNER_CLASSES):
        return value(Ext(name, by_name, computed), Mark.SIGN)
    if name == "sys.argv" or name == "sys.flags":
        return value(Mark.PROBE)
    return value(Ext(name, by_name, computed))


def _of_tensor(machine: Machine, tensor: TensorObj, attr: str, node: ast.AST, by_name: bool, computed: bool) -> Value:
    if attr in _SAME_TENSOR:
        return value(tensor)
    if attr == "__class__":
        return value(Ext("torch.Tensor"), Mark.PROBE)
    if attr == "__getattribute__":
        return value(Partial(value(Ext("builtins.getattr")), (value(tensor),), ()))
    if attr == "_version":  # grows with every refill
        return value(Mark.CLOCK)
    if attr in METADATA_ATTRIBUTES:
        return SCALAR
    if (
        attr.startswith("_")
        and not attr.startswith("__")
        and method_kind(attr) is Kind.COMPUTE
        and attr not in _PRIVATE_METHODS
    ):
        return UNKNOWN
    return value(Method(value(tensor), attr, by_name, computed))


_PRIVATE_METHODS = frozenset({"_to_copy", "_softmax", "_log_softmax", "_foreach_add"})


def _of_graph_value(machine: Machine, atom: object, attr: str, by_name: bool, computed: bool) -> Value:
    if attr == "__class__":
        return value(Ext("torch.Tensor"), Mark.PROBE)
    if attr in METADATA_ATTRIBUTES:
        return SCALAR
    if attr in _SAME_TENSOR:
        return value(atom)  # type: ignore[arg-type]
    return value(Method(value(atom), attr, by_name, computed))  # type: ignore[arg-type]


def _of_instance(machine: Machine, atom: Instance, attr: str, node: ast.AST, frame: Frame) -> Value:
    if attr == "__class__":
        return value(atom.of)
    if attr == "__dict__":
        return value(atom)
    own = atom.attributes.get(attr)
    inherited = class_attribute(machine, atom.of, attr, value(atom), through_instance=True)
    found = [val for val in (own, inherited) if val is not None]
    if not found:
        hook = class_attribute(machine, atom.of, "__getattr__", value(atom), through_instance=True)
        return _asked_for(machine, hook, attr, node, frame, None)
    return join([*found, state.read_mark(machine, atom)])


def class_attribute(machine: Machine, cls: ClassObj, attr: str, owner: Value, through_instance: bool) -> Value | None:
    """A class attribute, its own or inherited; functions read through an instance become bound methods."""
    found = cls.attributes.get(attr)
    if found is None:
        for base in cls.bases:
            for atom in base:
                if isinstance(atom, ClassObj) and atom is not cls:
                    found = class_attribute(machine, atom, attr, owner, through_instance)
                elif isinstance(atom, Ext):
                    found = value(Ext(f"{atom.name}.{attr}"))
                if found is not None:
                    return found
        return None
    bound: list[Value] = [state.read_mark(machine, cls)]
    for atom in found:
        if isinstance(atom, Function) and (
            atom.kind in ("class", "property") or (through_instance and atom.kind == "plain")
        ):
            bound.append(_bind(machine, atom, owner, cls))
        else:
            bound.append(value(atom))
    return join(bound)


def _bind(machine: Machine, function: Function, owner: Value, cls: ClassObj) -> Value:
    from evaluator.integrity.analysis import calls

    if function.kind == "class":
        return value(Bound(function, value(cls)))
    if function.kind == "property":
        return calls.call_function(machine, function, [owner], {}, function.node)
    return value(Bound(function, owner))


def by_name(
    machine: Machine, owner: Value, name: Value, node: ast.AST, frame: Frame, text: ast.expr | None = None
) -> Value:
    """`getattr(owner, name)`: an attribute whose name is a value. `text` is the expression that gives the name."""
    found: list[Value] = []
    names = [atom for atom in constants(name) if isinstance(atom.value, str)]
    for atom in names:
        found.append(read(machine, owner, str(atom.value), node, frame, computed=atom.built))
    if len(names) < len(name) or not names:
        found.extend(_any_attribute(machine, atom, text) for atom in owner)
    return join(found) if found else UNKNOWN


def chosen(names: dict[str, Value], text: ast.expr | None) -> Value:
    """What a name that is put together may mean among these: `f"kernel_{n}"` begins with `kernel_`.

    Modules that were imported are left out: to fetch one by a computed name has a finding of its own.
    """
    begin = end = ""
    if isinstance(text, ast.JoinedStr) and text.values:
        begin, end = _literal(text.values[0]), _literal(text.values[-1])
    elif isinstance(text, ast.BinOp):
        begin, end = _literal(text.left), _literal(text.right)
    picked = join(val for name, val in names.items() if name.startswith(begin) and name.endswith(end))
    return frozenset(atom for atom in picked if not (isinstance(atom, Ext) and "." not in atom.name))


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _any_attribute(machine: Machine, atom: object, text: ast.expr | None) -> Value:
    """What an attribute of unknown name may be."""
    if isinstance(atom, ModuleObj):
        return chosen({**atom.env.names, **atom.env.late}, text)
    if isinstance(atom, Instance):
        return join([*atom.attributes.values(), *atom.of.attributes.values()])
    if isinstance(atom, ClassObj):
        return join(atom.attributes.values())
    if isinstance(atom, Ext):
        return value(Ext(f"{atom.name}.?", by_name=True, computed=True))
    if isinstance(atom, TensorObj) or atom is Mark.GRAPH_VALUE:
        return value(Method(value(atom), "?", by_name=True, computed=True))
    return UNKNOWN


def environment(keys: list[str]) -> Value:
    """A variable of the environment; those of compilers tell how the code is being run, and so may others."""
    return value(Mark.PROBE)
