"""Calls of builtins, of Python's own modules and of other packages."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from evaluator.integrity.analysis import (
    attributes,
    folding,
    imports,
    operators,
    outside_state,
    own_files,
    policy_python,
    state,
    text_rules,
)
from evaluator.integrity.analysis.attributes import KERNEL_CLASS, STORAGE
from evaluator.integrity.analysis.machine import Frame, Machine, Phase
from evaluator.integrity.analysis.policy_torch import TENSOR_CLASSES
from evaluator.integrity.analysis.values import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    ClassObj,
    Const,
    Container,
    Ext,
    Function,
    Instance,
    Kernel,
    Mark,
    Method,
    Partial,
    Place,
    StateRead,
    TensorKind,
    Tentative,
    Value,
    data_tensors,
    join,
    tensors,
    text_constants,
    value,
)
from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass, Severity

if TYPE_CHECKING:
    from evaluator.integrity.analysis.calls import Arguments

Handler = Callable[[Machine, Ext, "Arguments", ast.AST, Frame], Value]
_OPERATOR_VIEWS = words(
    """operator.getitem operator.is_ operator.is_not operator.index operator.length_hint operator.itemgetter"""
)
_REDUCERS = frozenset(f"builtins.{name}" for name in ["sum", "max", "min", "abs", "pow", "round", "divmod", "sorted"])
_FETCHERS = words("builtins.getattr inspect.getattr_static builtins.object.__getattribute__")
# What tells one call of a launcher from another and has no honest part in what it computes.
_CHANCES = (
    "random.", "secrets.", "uuid.uuid", "os.urandom", "numpy.random.", "sys.getrefcount", "threading.active_count",
    "threading.enumerate", "gc.get_count", "gc.get_stats", "os.times", "os.getloadavg", "resource.getrusage",
    "sys.getallocatedblocks", "weakref.getweakrefcount", "weakref.getweakrefs",
)  # fmt: skip
_CLOCKS = ("time.", "datetime.datetime.now", "datetime.datetime.utcnow", "timeit.")
_NOT_CLOCKS = ("time.sleep", "time.strftime", "time.strptime")
_ELEMENTS = words(
    """builtins.bytes builtins.bytearray builtins.memoryview builtins.list builtins.tuple builtins.map builtins.sum
    builtins.sorted builtins.max builtins.min builtins.iter numpy.frombuffer numpy.asarray numpy.array"""
)
_WEAK = ("weakref.ref", "weakref.proxy", "weakref.ReferenceType", "weakref.WeakMethod")
_PRINTERS = (
    "builtins.print",
    "sys.stdout.write",
    "sys.stderr.write",
    "sys.__stdout__.write",
    "sys.__stderr__.write",
    "sys.stdout.writelines",
    "sys.stdout.buffer.write",
    "logging.",
    "warnings.warn",
    "pprint.",
    "os.write",
    "rich.",
    "loguru.",
)


def judge_name(machine: Machine, name: str, node: ast.AST, frame: Frame) -> None:
    """Findings for using an outside name, whatever it is given."""
    rule = policy_python.rule_for(name)
    if rule is not None:
        machine.report.add(rule.cls, frame.file, node, f"`{name}` {rule.why}", rule.severity)
        if name.startswith(("torch.load", "numpy.load")):
            machine.report.add(
                FindingClass.UNPICKLE,
                frame.file,
                node,
                f"`{name}` can run whatever a pickle names",
                Severity.SUSPICIOUS,
            )
    top = name.split(".")[0]
    if top in policy_python.COMPILERS and machine.phase is not Phase.TRACED:
        machine.report.add(
            FindingClass.COMPILE_DELEGATION, frame.file, node, f"`{name}` hands the work to another compiler"
        )


def call(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`name(…)` for a name outside torch."""
    name = atom.name
    _check_printing(machine, name, arguments, node, frame)
    _judge_arguments(machine, name, arguments, node, frame)
    if outside_state.writes_namespace(name):
        outside_state.assign_namespace(machine, atom, node, frame)
    handler = _handler(name)
    if handler is not None:
        return handler(machine, atom, arguments, node, frame)
    if own_files.reads_own_file(machine, name, node, frame):
        return SCALAR
    judge_name(machine, name, node, frame)
    _judge_handed(machine, arguments, node, frame)
    if name in _WEAK and _is_something(arguments.get(1, "callback")):
        words = f"`{name}` with a callback runs code later, outside the call"
        machine.report.add(FindingClass.EXIT_HOOK, frame.file, node, words, Severity.SUSPICIOUS)
    if name.startswith(_CLOCKS) and not name.startswith(_NOT_CLOCKS):
        machine.clock_reads.append((frame.file, node))
        return value(Mark.CLOCK)
    if name.startswith(_CHANCES) and machine.phase is Phase.CALL:
        return value(Mark.CLOCK)
    if name == "functools.singledispatch().register":
        _judge_registered(machine, arguments, node, frame)
    worked = _library_work(machine, name, arguments, node, frame)
    if worked is not None:
        return worked
    return _generic(machine, atom, arguments, node, frame)


def _is_something(given: Value | None) -> bool:
    return bool(given) and not all(isinstance(atom, Const) and atom.value is None for atom in given or ())


def _handler(name: str) -> Handler | None:
    if name.startswith("operator."):
        return _operator
    return _HANDLERS.get(name)


def _judge_handed(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """Forbidden functions may be handed over instead of being called."""
    for atom in join(arguments.everything()):
        if isinstance(atom, Ext) and not atom.name.endswith("()") and atom.name not in ("builtins.open",):
            rule = policy_python.rule_for(atom.name)
            if rule is not None and "." in atom.name:
                machine.report.add(rule.cls, frame.file, node, f"`{atom.name}` is handed on: {rule.why}", rule.severity)


def _judge_arguments(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """Calls that are harmless but for one argument of theirs."""
    if name in ("inspect.signature", "inspect.get_annotations") and _is_something(arguments.kwargs.get("eval_str")):
        words = f"`{name}` evaluates annotations given as text"
        machine.report.add(FindingClass.DYNAMIC_CODE, frame.file, node, words, Severity.SUSPICIOUS)
    storages = [atom for val in arguments.args for atom in val if isinstance(atom, Method) and atom.name == STORAGE]
    if name in _ELEMENTS and storages:
        words = f"`{name}` reads the elements of a tensor through its storage"
        machine.report.add(FindingClass.RAW_MEMORY, frame.file, node, words, Severity.SUSPICIOUS)


def _judge_registered(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """An operator of torch that a generic function is to call for tensors."""
    from evaluator.integrity.analysis import torch_calls

    for part in join(arguments.everything()):
        if isinstance(part, Ext) and part.name.startswith("torch.") and torch_calls.computes(part.name):
            words = f"`{part.name}` is registered to do the work"
            machine.report.add(FindingClass.TORCH_COMPUTE, frame.file, node, words)


def _library_work(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value | None:
    """Other numerical packages, on data."""
    given = join(arguments.everything())
    held = join([given, *(value(tensor) for tensor in state.reachable_tensors(given))])
    on_data = bool(data_tensors(held)) or Mark.NUMPY in held or Mark.GRAPH_VALUE in held
    top = name.split(".")[0]
    if not on_data or top not in {"numpy", *policy_python.LIBRARIES, *policy_python.COMPILERS}:
        return None
    if name in ("numpy.asarray", "numpy.array", "numpy.ascontiguousarray"):
        return value(Mark.NUMPY)
    if machine.phase is Phase.CALL:
        machine.report.add(
            FindingClass.TORCH_COMPUTE, frame.file, node, f"`{operators.text_of(node)}`: `{name}` does the work"
        )
    return value(Mark.NUMPY) if top == "numpy" else value(machine.tensor(node, TensorKind.RESULT))


def _generic(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """Anything else: functions that are handed over may run; what comes back is opaque."""
    from evaluator.integrity.analysis import calls

    name = atom.name
    if name.startswith("triton."):
        functions = frozenset(part for part in join(arguments.everything()) if isinstance(part, Function))
        with machine.in_phase(Phase.CALL):  # hooks and heuristics run at every launch
            calls.call_back(machine, calls.Arguments([functions], {}), node, frame)
    if name.startswith(("triton.", "functools.wraps")):
        kept = frozenset(part for part in arguments.get(0) or () if isinstance(part, Kernel | Function))
        if kept:
            return kept
    if name.endswith("?") and (machine.phase is Phase.CALL) and _on_data(arguments):
        machine.report.add(
            FindingClass.DYNAMIC_IMPORT,
            frame.file,
            node,
            "a function that was fetched by a computed name is given tensors",
        )
    calls.call_back(machine, arguments, node, frame)
    if _is_wait(name):
        machine.streams.anything_waits()
    if name == "itertools.count":
        return value(Ext("itertools.count()"))
    if name.startswith(("math.", "builtins.len", "triton.", "itertools.")):
        return join([SCALAR, operators.traces(arguments.everything())])
    decorated = frozenset(part for part in join(arguments.everything()) if isinstance(part, Function | Kernel))
    return decorated | {Ext(name if name.endswith("()") else f"{name}()", atom.by_name, atom.computed)}


def _is_wait(name: str) -> bool:
    return name.endswith((".wait_stream", ".synchronize", ".wait_event")) and "triton" not in name


def _on_data(arguments: "Arguments") -> bool:
    given = join(arguments.everything())
    return bool(data_tensors(given)) or Mark.GRAPH_VALUE in given


def _check_printing(machine: Machine, name: str, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    if not name.startswith(_PRINTERS):
        return
    texts = [text for val in arguments.everything() for text in _texts_in(val)]
    texts += [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    verdict = text_rules.looks_forged(texts)
    if verdict is not None:
        machine.report.add(
            FindingClass.FORGED_OUTPUT, frame.file, node, "prints text in the form of a result", Severity(verdict)
        )


def _texts_in(val: Value, depth: int = 3) -> list[str]:
    """Constant text in a value; a dict reads like its own print."""
    found = text_constants(val)
    found += [
        atom.value.decode(errors="replace") for atom in val if isinstance(atom, Const) and isinstance(atom.value, bytes)
    ]
    for atom in val:
        if isinstance(atom, Container) and depth:
            for part in (*(atom.items or ()), atom.elements):
                found += _texts_in(part, depth - 1)
            for key, part in atom.fields.items():
                found += [f"{key}: {text}" for text in _texts_in(part, depth - 1)] or [f"{key}: "]
    return found


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


def _reduce(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`sum`, `max`, `abs` … of Python: on tensors they call tensor operators."""
    given = [*arguments.everything()]
    flat = [
        state.elements_of(machine, val, node, frame) if any(isinstance(part, Container) for part in val) else val
        for val in given
    ]
    worked = operators.result_of_work(machine, flat, node, frame, f"`{atom.name.removeprefix('builtins.')}`")
    if worked is not None:
        return worked
    return join([SCALAR, operators.traces(flat), operators.maybe_graph(machine, flat, node, frame)])


def _to_scalar(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    given = join(arguments.everything())
    if atom.name in ("builtins.str", "builtins.repr", "builtins.format", "builtins.ascii") and Mark.PROBE in given:
        return value(Mark.TYPE_NAME)
    folded = _folded(atom.name, arguments)
    if folded is not None:
        return folded
    read = (
        value(Mark.DATA_SCALAR)
        if data_tensors(given) and atom.name in ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
        else NOTHING
    )
    return join([SCALAR, read, operators.traces(arguments.everything())])


def _folded(name: str, arguments: "Arguments") -> Value | None:
    plain: list[object] = []
    for val in arguments.args:
        only = next(iter(val)) if len(val) == 1 else None
        try:
            if isinstance(only, Container) and only.items is not None:
                plain.append([folding.plain(item) for item in only.items])
            else:
                plain.append(folding.plain(val))
        except LookupError:
            return None
    return folding.constant(folding.call(name, plain)) if plain else None


def _container_of(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`list(x)`, `dict(…)`, `zip(…)`, `enumerate(…)`, `deque(…)` …"""
    word = atom.name.rsplit(".", 1)[-1]
    kind = {"dict": "dict", "tuple": "tuple", "set": "set", "frozenset": "set"}.get(
        word, "dict" if "dict" in word.lower() or "Dictionary" in word else "list"
    )
    made = machine.container(node, kind)
    parts = [state.elements_of(machine, val, node, frame) for val in arguments.args if val is not None]
    if word == "zip":
        pair = machine.site((node, "pair"), lambda: Container("tuple"))
        old = pair.items if pair.items is not None and len(pair.items) == len(parts) else [NOTHING] * len(parts)
        pair.items = [join([before, now]) for before, now in zip(old, parts, strict=True)]
        parts = [value(pair)]
    elif word == "enumerate":
        pair = machine.site((node, "pair"), lambda: Container("tuple"))
        pair.items = [SCALAR, join([*(pair.items or [NOTHING, NOTHING])[1:], *parts])]
        parts = [value(pair)]
    elif word in ("tuple", "list") and len(arguments.args) == 1:
        only = next(iter(arguments.args[0])) if len(arguments.args[0]) == 1 else None
        if isinstance(only, Container) and only.items is not None and made.items is None and not made.elements:
            made.items = list(only.items)
            return value(made)
    if word == "defaultdict":
        parts = [value(machine.container(node, "list", "default"))]
    if parts and made.items is not None:
        made.elements, made.items = join([made.elements, *made.items]), None
    made.elements = join([made.elements, *parts])
    for key, val in arguments.kwargs.items():
        made.fields[key] = join([made.fields.get(key, NOTHING), val])
    for val in arguments.args:
        for part in val:
            if isinstance(part, Container) and part.kind == "dict" and kind == "dict":
                made.fields.update(part.fields)
                made.elements = join([made.elements, part.elements])
    return value(made)


def _map(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`map(f, xs)`, `filter(f, xs)`, `functools.reduce(f, xs)`."""
    from evaluator.integrity.analysis import calls
    from evaluator.integrity.analysis.calls import Arguments

    elements = [state.elements_of(machine, val, node, frame) for val in arguments.args[1:]]
    if atom.name == "functools.reduce":
        _judge_folded_names(machine, arguments, node, frame)
        elements = [join(elements), join(elements)]
    result = calls.call_value(machine, arguments.get(0) or UNKNOWN, Arguments(elements, {}), node, frame)
    if atom.name == "functools.reduce":
        return result
    made = machine.container(node, "list")
    made.elements = join([made.elements, result if atom.name == "builtins.map" else join(elements)])
    return value(made)


def _judge_folded_names(machine: Machine, arguments: "Arguments", node: ast.AST, frame: Frame) -> None:
    """`reduce(getattr, "nn.functional.relu".split("."), torch)`: a dotted name, followed step by step."""
    fetches = any(isinstance(part, Ext) and part.name in _FETCHERS for part in arguments.get(0) or ())
    from_outside = any(isinstance(part, Ext) for part in arguments.get(2) or ())
    if fetches and from_outside:
        words = "a dotted name is followed from text into another module"
        machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, words)


def _partial(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    _judge_handed(machine, arguments, node, frame)
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


def _next(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """`next(counter)`: an iterator that outlives the call counts calls."""
    source = arguments.get(0) or UNKNOWN
    found = [state.elements_of(machine, source, node, frame)]
    for part in source:
        outlives = isinstance(part, Container) and part.outlives
        if machine.phase is Phase.CALL and (outlives or (isinstance(part, Ext) and part.name == "itertools.count()")):
            place = machine.site((part, "place"), lambda: Place("an iterator"))
            place.counts = True
            found.append(value(StateRead(place), Mark.SCALAR))
    return join(found)


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
    text = ", ".join(part for val in arguments.args for part in _texts_in(val))
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


def _operator(machine: Machine, atom: Ext, arguments: "Arguments", node: ast.AST, frame: Frame) -> Value:
    """The operator module: the same work as the operators."""
    from evaluator.integrity.analysis import calls, expressions
    from evaluator.integrity.analysis.calls import Arguments

    name = atom.name.removeprefix("operator.")
    if name == "call":
        handed = Arguments(arguments.args[1:], arguments.kwargs, arguments.loose)
        return calls.call_value(machine, arguments.get(0) or UNKNOWN, handed, node, frame)
    if name in ("attrgetter", "methodcaller", "itemgetter"):
        names = arguments.get(0) or UNKNOWN
        rest = tuple(arguments.args[1:])
        return value(Partial(value(Ext(f"operator.{name}()")), (names, *rest), ()))
    if name == "attrgetter()":
        return _dotted(machine, arguments.get(1) or UNKNOWN, arguments.get(0) or UNKNOWN, node, frame)
    if name == "methodcaller()":
        owner = arguments.args[-1] if arguments.args else UNKNOWN
        method = attributes.by_name(machine, owner, arguments.get(0) or UNKNOWN, node, frame)
        return calls.call_value(machine, method, Arguments(arguments.args[1:-1], {}), node, frame)
    if name in ("getitem", "itemgetter()"):
        owner = (arguments.get(0) if name == "getitem" else arguments.get(1)) or UNKNOWN
        index = (arguments.get(1) if name == "getitem" else arguments.get(0)) or UNKNOWN
        made = ast.Subscript(value=ast.Name("x"), slice=ast.Name("i"), ctx=ast.Load())
        ast.copy_location(made, node)
        key = machine.site((node, "getitem"), lambda: made)
        return expressions.subscript(machine, owner, index, key, frame)
    if name == "setitem":
        state.assign_element(
            machine, arguments.get(0) or UNKNOWN, arguments.get(1) or UNKNOWN, arguments.get(2) or UNKNOWN, node, frame
        )
        return SCALAR
    if f"operator.{name}" in _OPERATOR_VIEWS:
        return SCALAR
    target = arguments.get(0) or UNKNOWN
    if name.startswith("i") and name not in ("invert", "inv", "indexOf", "index"):
        for tensor in tensors(target):
            if tensor.kind is TensorKind.INPUT:
                state.report_mutation(machine, node, frame, f"`operator.{name}` writes into an input")
    worked = operators.result_of_work(machine, arguments.everything(), node, frame, f"`operator.{name}`")
    if worked is not None:
        return worked
    given = arguments.everything()
    return join([SCALAR, operators.traces(given), operators.maybe_graph(machine, given, node, frame)])


def _dotted(machine: Machine, owner: Value, path: Value, node: ast.AST, frame: Frame) -> Value:
    """`operator.attrgetter("nn.functional.relu")(torch)`."""
    names = [part for part in path if isinstance(part, Const) and isinstance(part.value, str)]
    if not names:
        return attributes.by_name(machine, owner, path, node, frame)
    found: list[Value] = []
    for name in names:
        current = owner
        for step in str(name.value).split("."):
            current = attributes.read(machine, current, step, node, frame, computed=name.built)
        found.append(current)
    return join(found)


_SCALARS = words(
    """builtins.str builtins.repr builtins.format builtins.ascii builtins.int builtins.float builtins.bool
builtins.complex builtins.chr builtins.ord builtins.hex builtins.oct builtins.bin builtins.bytes builtins.len
builtins.callable builtins.range builtins.hasattr builtins.any builtins.all builtins.bytes.fromhex
base64.b64decode base64.b32decode base64.b16decode base64.b85decode binascii.unhexlify codecs.decode"""
)
_CONTAINERS = words(
    """builtins.list builtins.dict builtins.tuple builtins.set builtins.frozenset builtins.zip
builtins.enumerate builtins.reversed builtins.iter collections.deque collections.OrderedDict collections.defaultdict
collections.ChainMap weakref.WeakKeyDictionary weakref.WeakValueDictionary queue.Queue
types.MappingProxyType contextvars.ContextVar
itertools.chain itertools.product itertools.cycle itertools.repeat itertools.islice"""
)
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
    "builtins.next": _next,
    "builtins.staticmethod": _method_kind,
    "builtins.classmethod": _method_kind,
    "builtins.property": _method_kind,
    "functools.cached_property": _method_kind,
    "functools.partial": _partial,
    "functools.cache": _cache,
    "functools.lru_cache": _cache,
    "functools.reduce": _map,
    "builtins.map": _map,
    "builtins.filter": _map,
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
    **dict.fromkeys(_REDUCERS, _reduce),
    **dict.fromkeys(_SCALARS, _to_scalar),
    **dict.fromkeys(_CONTAINERS, _container_of),
}
