"""What code of a submission may import and reach while it runs: the same rules as the static check, by full name.

Pure tables and functions; `import_guard` and `facades` enforce them in the runner.
"""

from functools import lru_cache

from evaluator.integrity.analysis import policy_python
from evaluator.integrity.analysis.policy_torch import Kind, kind_of
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

ALLOWED = words(
    """torch triton numpy math cmath functools itertools operator collections typing typing_extensions types
    dataclasses enum abc contextlib contextvars copy warnings logging os sys pathlib importlib inspect time datetime
    random re string json textwrap numbers fractions decimal statistics bisect heapq struct array threading queue
    weakref gc traceback pprint platform hashlib base64 binascii io errno uuid builtins reprlib keyword secrets zlib
    codecs __future__ sympy unicodedata posixpath ntpath stat graphlib difflib locale calendar timeit pass_dir"""
)
# Refused although a part of them is honest in `pattern`: only these names, not what lies beside them.
_REFUSED_TORCH = words(
    """torch.compile torch.load torch.save torch.from_file torch.compiler.compile torch.compiler.set_stance
    torch.jit.script torch.jit.trace torch.jit.trace_module torch.jit.load torch.jit.freeze torch.jit.fork
    torch.jit._fork torch.jit.optimize_for_inference torch.jit.ScriptModule torch.jit.CompilationUnit
    torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.make_graphed_callables torch.cuda.jiterator
    torch.cuda._compile_kernel torch.ops.load_library torch.classes.load_library"""
)
_REFUSED_PARTS = (
    "torch._inductor.", "torch.export.", "torch._export.", "torch._functorch.", "torch.utils.cpp_extension.",
    "torch.utils._python_dispatch.", "torch._guards.", "torch.hub.", "torch.multiprocessing.", "torch.package.",
    "torch.serialization.", "torch.utils._mode_utils.", "torch.distributed.", "torch._higher_order_ops.",
    "torch.cuda.graphs.",
)  # fmt: skip
# Device functions that Inductor writes into its kernels: who copies such a kernel imports them.
_DEVICE_FUNCTIONS = "torch._inductor.runtime.triton_helpers"
_DYNAMO_ALLOWED = words("disable allow_in_graph disallow_in_graph graph_break mark_dynamic is_compiling config")
_CLASS_OF_KIND = {
    Kind.DELEGATE: FindingClass.COMPILE_DELEGATION,
    Kind.GUARD: FindingClass.GUARD_DETECTION,
    Kind.UNPICKLE: FindingClass.UNPICKLE,
    Kind.FILE: FindingClass.FILE_ACCESS,
    Kind.NETWORK: FindingClass.NETWORK,
    Kind.SUBPROCESS: FindingClass.SUBPROCESS,
    Kind.THREAD: FindingClass.BACKGROUND_THREAD,
    Kind.SETTING: FindingClass.BASELINE_TAMPERING,
    Kind.SEARCH: FindingClass.REFERENCE_SEARCH,
    Kind.ALLOCATOR: FindingClass.RAW_MEMORY,
}


@lru_cache(maxsize=8192)
def refused_name(name: str) -> tuple[FindingClass, str] | None:
    """Class and reason why pass code may not have the object of this dotted name; None where it may.

    `name` is a function, class or value, not a module: modules are judged by what is taken from them.
    """
    if name.split(".")[0] == "torch":
        return _refused_torch(name)
    rule = policy_python.rule_for(name)
    if rule is None or rule.severity is not Severity.VIOLATION or name in _NEEDED:
        return None
    return rule.cls, f"`{name}` {rule.why}"


# used by honest code for harmless things, or handled by a stand-in of the guard
_NEEDED = words(
    """builtins.open builtins.exec builtins.eval builtins.compile builtins.__import__ builtins.exit builtins.quit
    builtins.SystemExit builtins.KeyboardInterrupt builtins.GeneratorExit builtins.__loader__ builtins.__spec__
    builtins.__builtins__ importlib.machinery.SourceFileLoader importlib.__import__ importlib.util importlib.machinery
    sys.excepthook sys.unraisablehook types.FunctionType types.LambdaType types.CodeType gc.disable"""
)


def _refused_torch(name: str) -> tuple[FindingClass, str] | None:
    kind = kind_of(name)
    refused = name in _REFUSED_TORCH or (name.startswith(_REFUSED_PARTS) and not _is_device_function(name))
    if name.startswith("torch._C."):
        refused = kind is Kind.GUARD and name.count(".") == 2 and not _is_type_name(name)
    elif name.startswith("torch._dynamo."):
        refused = name.split(".")[2] not in _DYNAMO_ALLOWED
    elif name.startswith("torch.overrides."):
        refused = name.split(".")[2].startswith("_") or "mode" in name.lower()
    elif kind in (Kind.SETTING, Kind.SEARCH, Kind.ALLOCATOR):
        refused = True
    if not refused:
        return None
    return _CLASS_OF_KIND.get(kind, FindingClass.COMPILE_DELEGATION), f"`{name}` is not for passes"


def _is_device_function(name: str) -> bool:
    return name.startswith(f"{_DEVICE_FUNCTIONS}.")


def _leads_to_device_functions(name: str) -> bool:
    """The module that holds them, and those above it, from which nothing else is given out."""
    return f"{_DEVICE_FUNCTIONS}.".startswith(f"{name}.")


def _is_type_name(name: str) -> bool:
    """`torch._C.TensorBase`, `torch._C.Graph`: types, asked for by `isinstance`."""
    return name.rsplit(".", 1)[1][:1].isupper()


@lru_cache(maxsize=1024)
def refused_import(name: str) -> tuple[FindingClass, Severity, str] | None:
    """Class, severity and reason why pass code may not import this module; None where it may."""
    rule = policy_python.import_rule(name)
    if rule is not None:
        return rule.cls, rule.severity, f"import of `{name}`: {rule.why}"
    top = name.split(".")[0]
    if top == "torch" and f"{name}.".startswith(_REFUSED_PARTS) and not _leads_to_device_functions(name):
        cls = _CLASS_OF_KIND.get(kind_of(name), FindingClass.COMPILE_DELEGATION)
        return cls, Severity.VIOLATION, f"import of `{name}`, which is not for passes"
    if top in policy_python.COMPILERS:
        return FindingClass.COMPILE_DELEGATION, Severity.SUSPICIOUS, f"import of `{name}`, another compiler"
    if top not in ALLOWED:
        return (
            FindingClass.DYNAMIC_IMPORT,
            Severity.SUSPICIOUS,
            f"import of `{name}`, which is not on the list for passes",
        )
    return None
