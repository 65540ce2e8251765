"""What launchers do that the published harness does not take, and which launcher a pass returns."""

import ast
from collections.abc import Iterator, Sequence

from evaluator.portability.rules import Finding
from evaluator.portability.sources import dotted

# Methods that reach an operator other than allocation and `_to_copy`.
_OPERATORS = frozenset({
    "view", "reshape", "transpose", "permute", "unsqueeze", "squeeze", "expand", "expand_as", "flatten", "unflatten",
    "t", "narrow", "select", "chunk", "split", "unbind", "as_strided", "movedim", "swapaxes", "view_as", "reshape_as",
    "clone", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "item", "tolist", "fill_", "zero_",
    "copy_", "repeat", "unfold",
})  # fmt: skip
_COPIES = frozenset({"contiguous"})
_VIEW_ATTRIBUTES = frozenset({"T", "mT", "H", "mH"})
_LIKE = frozenset({"torch.empty_like", "torch.zeros_like", "torch.ones_like", "torch.full_like"})
_NOT_LAUNCHED = ("pattern", "replacement_args", "replacement_func")

Function = ast.FunctionDef


def check(name: str, tree: ast.Module) -> Iterator[Finding]:
    """Findings on the plain functions of one file: those that are neither kernels nor the pass's own three."""
    for function in _functions(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                yield from _call(name, node)
            elif isinstance(node, ast.Attribute) and node.attr in _VIEW_ATTRIBUTES and isinstance(node.value, ast.Name):
                yield Finding("guarded_operator", name, node.lineno, f"{function.name} reads .{node.attr}")


def check_identity(passes: Sequence[tuple[str, str, ast.Module]]) -> Iterator[Finding]:
    """Do all passes return one launcher? `passes` are (module, file name, tree)."""
    listed = {module for module, _, _ in passes}
    launchers: dict[tuple[str, str], tuple[str, int]] = {}
    for module, file, tree in passes:
        for line, origin, launcher in _returned(module, tree):
            if origin != module and origin in listed:
                found = f"replacement_func returns {launcher} of the pass {origin}"
                yield Finding("pass_as_helper", file, line, found)
            launchers.setdefault((origin, launcher), (file, line))
            function = _function(tree, launcher) if origin == module else None
            if function is not None:
                yield from _of_launcher(file, function)
    if len(launchers) > 1:
        names = ", ".join(f"{launcher} of {origin}" for origin, launcher in launchers)
        file, line = list(launchers.values())[1]
        yield Finding("several_launchers", file, line, f"the passes return {len(launchers)} launchers: {names}")


def _of_launcher(file: str, function: Function) -> Iterator[Finding]:
    if not any(dotted(decorator) in ("torch.fx.wrap", "fx.wrap", "wrap") for decorator in function.decorator_list):
        yield Finding("unwrapped_launcher", file, function.lineno, f"{function.name} has no @torch.fx.wrap")
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 1:
            yield Finding("one_tuple", file, node.lineno, f"{function.name} returns a tuple of one value")


def _call(name: str, node: ast.Call) -> Iterator[Finding]:
    full = dotted(node.func)
    if full in _LIKE and any(keyword.arg == "dtype" for keyword in node.keywords):
        yield Finding("like_with_dtype", name, node.lineno, f"it calls {full} with dtype=")
    if isinstance(node.func, ast.Attribute) and not _is_other(node, full or ""):
        if node.func.attr in _OPERATORS:
            yield Finding("guarded_operator", name, node.lineno, f"it calls .{node.func.attr}()")
        elif node.func.attr in _COPIES:
            yield Finding("guarded_copy", name, node.lineno, f"it calls .{node.func.attr}()")


def _is_other(node: ast.Call, full: str) -> bool:
    """Not a tensor's method: a module's function, or a text's (`route.split("_")`)."""
    texts = (*node.args, node.func.value) if isinstance(node.func, ast.Attribute) else ()
    return full.startswith(("torch.", "triton.", "tl.", "math.")) or any(
        isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts
    )


def _functions(tree: ast.Module) -> Iterator[Function]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in _NOT_LAUNCHED and not _is_kernel(node):
            yield node


def _is_kernel(function: Function) -> bool:
    names = [dotted(one.func if isinstance(one, ast.Call) else one) or "" for one in function.decorator_list]
    return any(name.split(".")[0] == "triton" or name.split(".")[-1] in ("jit", "autotune") for name in names)


def _returned(module: str, tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """(line, module, name) of what `replacement_func` returns, where that is a name."""
    function = _function(tree, "replacement_func")
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Return) and node.value is not None and (full := dotted(node.value)):
            yield node.lineno, *_origin(module, full, tree)


def _origin(module: str, full: str, tree: ast.Module) -> tuple[str, str]:
    """Where a launcher is defined: (module, name). Names of the package and of the folder are one."""
    first, _, rest = full.partition(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == first:
                    source = ".".join(part for part in (node.module, alias.name if rest else None) if part)
                    return source.removeprefix("pass_dir").removeprefix("."), rest or alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname == first or full.startswith(f"{alias.name}."):
                    name = rest if alias.asname else full.removeprefix(f"{alias.name}.")
                    return alias.name.removeprefix("pass_dir."), name
    return module, full


def _function(tree: ast.Module, name: str) -> Function | None:
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)
