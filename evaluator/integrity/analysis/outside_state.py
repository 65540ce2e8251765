"""Writes that reach beyond the submission: into other modules, and into tensors."""

import ast

from evaluator.integrity.analysis import attributes, operators, policy_python, state
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import Kind, kind_of
from evaluator.integrity.analysis.values import Const, Ext, Mark, TensorKind, TensorObj, Value, data_tensors, value
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

_PRECISION = (
    "torch.backends.cuda.matmul",
    "torch.backends.cudnn.allow_tf32",
    "torch.backends.cuda.",
    "torch.backends.cudnn.",
)
_COMPILER_SETTINGS = ("torch._inductor.config", "torch._dynamo.config", "torch.compiler.config")
_OUTPUT_STREAMS = frozenset({"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"})
_HOOKS = words("""sys.excepthook sys.unraisablehook threading.excepthook sys.displayhook sys.breakpointhook""")
# attributes of outside objects that are the author's to set
_HARMLESS = words(
    """triton.knobs torch._logging warnings.simplefilter sys.dont_write_bytecode sys.path
    torch.fx numpy.random"""
)


def assign_outside(machine: Machine, owner: Ext, attr: str, val: Value, node: ast.AST, frame: Frame) -> None:
    """`owner.attr = val` (or an element, then attr is "[...]") on an object from outside."""
    name = owner.name if attr == "[...]" else policy_python.canonical(f"{owner.name}.{attr}")
    add = machine.report.add
    if name.startswith(("os.environ", "os.environb")):
        _assign_environment(machine, node, frame)
    elif name in _OUTPUT_STREAMS:
        add(FindingClass.MONKEYPATCH, frame.file, node, f"`{name}` is replaced")
        add(FindingClass.FORGED_OUTPUT, frame.file, node, f"`{name}` is replaced", Severity.SUSPICIOUS)
    elif name in _HOOKS:
        add(
            FindingClass.EXIT_HOOK,
            frame.file,
            node,
            f"`{name}` is replaced: it runs when the submission no longer does",
        )
        add(FindingClass.MONKEYPATCH, frame.file, node, f"`{name}` is replaced")
    elif name.startswith(_COMPILER_SETTINGS):
        words = f"`{name}` changes how the baseline is compiled"
        add(FindingClass.BASELINE_TAMPERING, frame.file, node, words, Severity.SUSPICIOUS)
    elif name.startswith(_PRECISION):
        add(
            FindingClass.BASELINE_TAMPERING,
            frame.file,
            node,
            f"`{name}` changes the precision of everything in the process",
            Severity.SUSPICIOUS,
        )
    elif name.startswith("triton.knobs.") and name.endswith("_hook"):
        words = f"`{name}` runs at every launch of the process, those of the baseline included"
        add(FindingClass.BASELINE_TAMPERING, frame.file, node, words)
    elif name.startswith(("triton.knobs.nvidia.", "triton.knobs.compilation.")):
        words = f"`{name}` changes how the kernels of the baseline are compiled, too"
        add(FindingClass.BASELINE_TAMPERING, frame.file, node, words, Severity.SUSPICIOUS)
    elif name.startswith(tuple(_HARMLESS)) or "()" in name:
        pass
    elif owner.name.endswith("?") and not owner.name.startswith("torch"):
        add(
            FindingClass.MONKEYPATCH,
            frame.file,
            node,
            f"an attribute of `{owner.name}` is replaced",
            Severity.SUSPICIOUS,
        )
    else:
        add(FindingClass.MONKEYPATCH, frame.file, node, f"`{name}` is replaced")
        if name.startswith("torch") and kind_of(name) in (
            Kind.COMPUTE,
            Kind.METHOD,
            Kind.VIEW,
            Kind.BUFFER,
            Kind.TABLE,
            Kind.COPY,
        ):
            add(
                FindingClass.BASELINE_TAMPERING,
                frame.file,
                node,
                f"the operator `{name}` is replaced, for the baseline too",
            )
    if data_tensors(val):
        state.keep(machine, state.place_of(machine, owner), val, node, frame)


def writes_namespace(name: str) -> bool:
    """`module.__dict__.update` and the like."""
    head, _, method = name.rpartition(".")
    return head.endswith(".__dict__") and method in ("update", "setdefault", "pop", "clear", "popitem", "__setitem__")


def assign_namespace(machine: Machine, atom: Ext, node: ast.AST, frame: Frame) -> None:
    owner = atom.name.split(".__dict__")[0]
    machine.report.add(FindingClass.MONKEYPATCH, frame.file, node, f"names of `{owner}` are replaced")


def judge_attribute(machine: Machine, attr: str, node: ast.AST, frame: Frame) -> None:
    """Attributes that make other code see memory or types that are not there."""
    if attr in attributes.REACHING:
        machine.report.add(attributes.REACHING[attr], frame.file, node, f"`{attr}` is given to an object")


def _assign_environment(machine: Machine, node: ast.AST, frame: Frame) -> None:
    key = node.slice if isinstance(node, ast.Subscript) else None
    text = key.value if isinstance(key, ast.Constant) else ""
    quiet = isinstance(text, str) and text.startswith(
        ("TRITON_PRINT", "TRITON_CACHE", "TORCH_LOGS", "TOKENIZERS", "PYTHONWARN")
    )
    severity = Severity.NOTE if quiet else Severity.SUSPICIOUS
    machine.report.add(
        FindingClass.MONKEYPATCH, frame.file, node, f"the environment variable {text!r} is set", severity
    )


def assign_on_tensor(machine: Machine, tensor: TensorObj, attr: str, val: Value, node: ast.AST, frame: Frame) -> None:
    """`tensor.attr = val`: `data` replaces its contents, anything else is kept on it."""
    if attr == "data":
        if tensor.kind is TensorKind.INPUT:
            state.report_mutation(machine, node, frame, "the contents of an input are replaced through `.data`")
        return
    if attr in ("requires_grad", "grad", "names"):
        return
    if attr == "__class__":
        machine.report.add(FindingClass.TENSOR_SUBCLASS, frame.file, node, "the type of a tensor is replaced")
    elif machine.phase is Phase.CALL and tensor.kind is TensorKind.INPUT:
        severity = Severity.VIOLATION if state.reachable_tensors(val) else Severity.SUSPICIOUS
        machine.report.add(
            FindingClass.OUTPUT_CACHE, frame.file, node, f"`.{attr}` is kept on an input tensor", severity
        )


def write_elements(machine: Machine, tensor: TensorObj, val: Value, node: ast.AST, frame: Frame) -> None:
    """`tensor[...] = val`: an in-place torch operator."""
    if tensor.kind is TensorKind.INPUT:
        state.report_mutation(machine, node, frame, f"`{operators.text_of(node)} = …` writes into an input")
        operators.report_work(machine, node, frame, f"`{operators.text_of(node)} = …` is an in-place tensor operator")
    elif data_tensors(val) or Mark.NUMPY in val or any(atom is Mark.GRAPH_VALUE for atom in val):
        operators.report_work(machine, node, frame, f"`{operators.text_of(node)} = …` copies data by a tensor operator")
        tensor.written = True
        machine.written = machine.written | {tensor}
    elif tensor.written:
        operators.report_work(
            machine, node, frame, f"`{operators.text_of(node)} = …` changes a result by a tensor operator"
        )


def delete_outside(machine: Machine, owner: Ext, attr: str, node: ast.AST, frame: Frame) -> None:
    """`del owner.attr`."""
    if not owner.name.startswith("os.environ"):
        assign_outside(machine, owner, attr, value(Const(None)), node, frame)
