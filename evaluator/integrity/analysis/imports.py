"""Imports: which module a name means, and by which road it was reached."""

import ast
import builtins
import sys

from evaluator.integrity.analysis import folding, policy_python
from evaluator.integrity.analysis.machine import Frame, Machine, read_name
from evaluator.integrity.analysis.project import PACKAGE, SourceFile
from evaluator.integrity.analysis.values import (
    UNKNOWN,
    Env,
    Ext,
    Mark,
    ModuleObj,
    Value,
    constants,
    join,
    text_constants,
    value,
)
from evaluator.verdicts import FindingClass, Severity

# a file of the submission can not stand in for these: they are loaded before it
ALWAYS_OUTSIDE = frozenset({*sys.stdlib_module_names, "torch", "triton", "numpy"}) - {"this", "antigravity"}
_BUILTINS = frozenset(dir(builtins)) | {
    "__file__",
    "__name__",
    "__builtins__",
    "__loader__",
    "__spec__",
    "__path__",
    "__package__",
}


def own_module(machine: Machine, name: str) -> ModuleObj | None:
    """The submission's module of this dotted name (with or without `pass_dir.`), run if it was not."""
    inner = "" if name == PACKAGE else name.removeprefix(PACKAGE + ".")
    if inner == name and name.split(".")[0] in ALWAYS_OUTSIDE:
        return None
    found = machine.modules.get(inner)
    if found is not None:
        from evaluator.integrity.analysis import statements

        statements.run_module(machine, found)
    return found


def module_value(machine: Machine, name: str) -> Value:
    found = own_module(machine, name)
    return value(Ext(name)) if found is None else value(found)


def judge_import(machine: Machine, name: str, node: ast.AST, frame: Frame) -> None:
    rule = policy_python.import_rule(name)
    if rule is not None:
        machine.report.add(rule.cls, frame.file, node, f"import of `{name}`: {rule.why}", rule.severity)


def judge_all(machine: Machine, source: SourceFile) -> None:
    """Judge every import of a file by itself, where the file is too involved to be run."""
    frame = Frame(machine.modules[source.module].env, source.name)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.removeprefix(PACKAGE + ".").split(".")[0] not in machine.modules:
                judge_import(machine, name, node, frame)


def run_import(machine: Machine, node: ast.Import, frame: Frame) -> None:
    for alias in node.names:
        own = own_module(machine, alias.name)
        if own is None:
            judge_import(machine, alias.name, node, frame)
        if alias.asname is not None:
            bound: Value = value(own) if own is not None else value(Ext(policy_python.canonical(alias.name)))
            frame.env.names[alias.asname] = bound
        else:
            top = alias.name.split(".")[0]
            frame.env.names[top] = value(Ext(top)) if own is None or "." in alias.name else value(own)


def run_import_from(machine: Machine, node: ast.ImportFrom, frame: Frame) -> None:
    base = _base_name(node, frame)
    own = own_module(machine, base) if base else machine.modules.get("")
    for alias in node.names:
        name = alias.asname or alias.name
        full = f"{base}.{alias.name}" if base else alias.name
        if alias.name == "*":
            _star(machine, own, base, frame, node)
            continue
        submodule = own_module(machine, full if base not in ("", PACKAGE) else f"{PACKAGE}.{alias.name}")
        found = read_name(machine, own.env, alias.name) if own is not None else None
        if found is not None:
            frame.env.names[name] = found
        elif submodule is not None:
            frame.env.names[name] = value(submodule)
        elif own is not None or node.level:
            frame.env.names[name] = UNKNOWN
        else:
            judge_import(machine, full, node, frame)
            frame.env.names[name] = value(Ext(policy_python.canonical(full)))


def _base_name(node: ast.ImportFrom, frame: Frame) -> str:
    """Absolute name of the module that a `from` names; relative ones begin at pass_dir."""
    if not node.level:
        return node.module or ""
    package = [PACKAGE, *frame.file.split("/")[:-1]]
    kept = package[: len(package) - (node.level - 1)] if node.level > 1 else package
    return ".".join([*(kept or [PACKAGE]), *([node.module] if node.module else [])])


def _star(machine: Machine, own: ModuleObj | None, base: str, frame: Frame, node: ast.ImportFrom) -> None:
    module = frame.env.module
    if own is not None:
        if own.env is not frame.env:
            frame.env.names.update({name: val for name, val in own.env.names.items() if not name.startswith("_")})
        if module is not None:
            module.star.extend(star for star in own.star if star not in module.star)
        return
    judge_import(machine, base, node, frame)
    if module is not None and base not in module.star:
        module.star.append(base)


def global_name(machine: Machine, env: Env, name: str) -> Value:
    """A name that no scope binds: from a star import, a builtin, or nothing."""
    stars = env.module.star if env.module is not None else []
    found: list[Value] = [value(Ext(policy_python.canonical(f"{star}.{name}"))) for star in stars]
    if name in _BUILTINS:
        found.append(value(Ext(f"builtins.{name}")))
    return join(found) if found else UNKNOWN


def namespace_element(machine: Machine, index: Value, node: ast.AST, frame: Frame) -> Value:
    """`globals()[name]`."""
    module = frame.env.module
    if module is None:
        return UNKNOWN
    found: list[Value] = []
    for atom in constants(index):
        if not isinstance(atom.value, str):
            continue
        read = read_name(machine, module.env, atom.value)
        val = global_name(machine, module.env, atom.value) if read is None else read
        for part in val:
            if isinstance(part, Ext):
                if atom.built:
                    machine.report.add(
                        FindingClass.DYNAMIC_IMPORT, frame.file, node,
                        f"`{part.name}` is fetched by a name that is put together at run time",
                    )  # fmt: skip
                found.append(value(Ext(part.name, by_name=True, computed=atom.built)))
            else:
                found.append(value(part))
    if not text_constants(index):
        from evaluator.integrity.analysis import attributes

        text = node.slice if isinstance(node, ast.Subscript) else None
        own = attributes.chosen({**module.env.names, **module.env.late}, text)
        found.append(own or value(Ext("builtins.globals().?", by_name=True, computed=True)))
    return join(found) if found else UNKNOWN


def loaded_module(machine: Machine, index: Value, node: ast.AST, frame: Frame) -> Value:
    """`sys.modules[name]`: the own module by `__name__` is honest, others are reached by name."""
    if index == value(Ext("builtins.__name__")) and frame.env.module is not None:
        return value(frame.env.module)
    found: list[Value] = []
    for name in text_constants(index):
        own = own_module(machine, name)
        if own is not None or not _is_outside(name):
            found.append(machine.named_modules.get(name, UNKNOWN) if own is None else value(own))
            continue
        cls = FindingClass.REFERENCE_SEARCH if name == "__main__" else FindingClass.DYNAMIC_IMPORT
        if name.split(".")[0] in policy_python.HARNESS:
            cls = FindingClass.GUARD_DETECTION
        machine.report.add(cls, frame.file, node, f"`sys.modules[{name!r}]` reaches a module by name")
        found.append(value(Ext(policy_python.canonical(name), by_name=True)))
    if not found:
        machine.report.add(
            FindingClass.DYNAMIC_IMPORT,
            frame.file,
            node,
            "`sys.modules` is searched by a computed name",
            Severity.SUSPICIOUS,
        )
        found.append(value(Ext("sys.modules.?", by_name=True, computed=True)))
    return join(found)


def _is_outside(name: str) -> bool:
    top = name.split(".")[0]
    return top in ALWAYS_OUTSIDE or top in policy_python.HARNESS or top in ("__main__", "evaluator")


def put_loaded_module(machine: Machine, index: Value, val: Value, node: ast.AST, frame: Frame) -> None:
    """`sys.modules[name] = module`: part of loading a helper from its file, under a name of its own."""
    texts = text_constants(index)
    for name in texts:
        if _is_outside(name):
            machine.report.add(FindingClass.MONKEYPATCH, frame.file, node, f"`sys.modules[{name!r}]` is replaced")
        else:
            machine.named_modules[name] = join([machine.named_modules.get(name, frozenset()), val])
    if not texts and not any(isinstance(atom, ModuleObj) for atom in val):
        machine.report.add(
            FindingClass.MONKEYPATCH, frame.file, node, "an entry of `sys.modules` is replaced", Severity.SUSPICIOUS
        )


def import_by_name(machine: Machine, name: Value, node: ast.AST, frame: Frame, road: str) -> Value:
    """`importlib.import_module(name)`, `__import__(name)`."""
    found: list[Value] = []
    for text in text_constants(name):
        own = machine.modules.get("") if text == PACKAGE else own_module(machine, text.lstrip("."))
        if own is not None:
            found.append(value(own))
            continue
        machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, f"{road} fetches `{text}` by name")
        rule = policy_python.import_rule(text)
        if rule is not None:
            machine.report.add(rule.cls, frame.file, node, f"{road} fetches `{text}`: {rule.why}", rule.severity)
        found.append(value(Ext(policy_python.canonical(text), by_name=True, computed=True)))
    if not found:
        if _own_prefix(name, node):
            return join([value(module) for module in machine.modules.values()])
        machine.report.add(
            FindingClass.DYNAMIC_IMPORT,
            frame.file,
            node,
            f"{road} fetches a module whose name is made at run time",
            Severity.SUSPICIOUS,
        )
        found.append(value(Ext("importlib.?", by_name=True, computed=True)))
    return join(found)


def _own_prefix(name: Value, node: ast.AST) -> bool:
    """Whether a computed name begins with `pass_dir.`: a helper of the own folder."""
    argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
    while isinstance(argument, ast.BinOp):
        argument = argument.left
    if isinstance(argument, ast.JoinedStr) and argument.values:
        argument = argument.values[0]
        if isinstance(argument, ast.FormattedValue):
            inner = argument.value
            return isinstance(inner, ast.Name) and inner.id in ("__package__", "__name__")
    if isinstance(argument, ast.Name):
        return argument.id in ("__package__", "__name__")
    return isinstance(argument, ast.Constant) and str(argument.value).startswith((PACKAGE + ".", "."))


def from_location(machine: Machine, path: Value, node: ast.AST, frame: Frame) -> Value:
    """`spec_from_file_location(name, path)`: honest for a file of the own folder."""
    matching = {text.replace("\\", "/").rsplit("/", 1)[-1] for text in text_constants(path)}
    own = [module for module in machine.modules.values() if module.file.rsplit("/", 1)[-1] in matching]
    absolute = [text for text in text_constants(path) if text.startswith(("/", "~"))]
    if own:
        from evaluator.integrity.analysis import statements

        for module in own:
            statements.run_module(machine, module)
        return join([value(module) for module in own])
    if absolute:
        machine.report.add(FindingClass.DYNAMIC_IMPORT, frame.file, node, f"loads a module from `{absolute[0]}`")
    if Mark.UNKNOWN not in path and not absolute and machine.modules:
        return join([value(module) for module in machine.modules.values()])
    return UNKNOWN


def folded_path(parts: list[Value]) -> Value:
    """`os.path.join(...)`: the last constant part names the file."""
    names = [folding.single(part) for part in parts]
    last = names[-1] if names else None
    return value(last, Mark.SCALAR) if last is not None else value(Mark.SCALAR)
