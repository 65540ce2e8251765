"""The published source rules, applied to one pass's file: imports and calls, as far as names tell."""

import ast
from collections.abc import Iterable, Iterator

from evaluator.portability.rules import Finding

_NOT_IMPORTED = ("torch.nn", "torch.ops", "torch.autograd")
_CALLED = frozenset(
    f"torch.{name}"
    for name in ("empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "as_tensor")
)
_FREE = ("pattern", "replacement_args")  # what stands in these two is not looked at


def check(name: str, tree: ast.Module) -> Iterator[Finding]:
    """Findings on a file that is a pass."""
    yield from _imports(name, tree)
    known = dict(_other_names(tree))
    for part in tree.body:
        if not (isinstance(part, ast.FunctionDef) and part.name in _FREE):
            for call, target in _calls(part):
                full = _resolved(target, known)
                if full.startswith("torch") and full not in _CALLED:
                    yield Finding("blocked_call", name, call.lineno, f"it calls {full}")


def _imports(name: str, tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        modules: Iterable[str] = ()
        if not isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            source = "." * node.level + (node.module or "")
            yield Finding("relative_import", name, node.lineno, f"it imports from `{source}`")
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            modules = [dotted(node.value) or ""]
        for module in modules:
            if any(module == one or module.startswith(f"{one}.") for one in _NOT_IMPORTED):
                how = "names" if isinstance(node, ast.Assign) else "imports"
                yield Finding("blocked_import", name, node.lineno, f"it {how} {module}")


def _other_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that stand for something else, wherever they are bound: the published rule knows no scopes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname, alias.name) for alias in node.names if alias.asname)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            full = dotted(node.value)
            yield from ((target.id, full) for target in node.targets if full and isinstance(target, ast.Name))


def _calls(part: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(part):
        if isinstance(node, ast.Call) and (target := dotted(node.func)):
            yield node, target


def _resolved(target: str, known: dict[str, str]) -> str:
    first, dot, rest = target.partition(".")
    return known.get(first, first) + dot + rest


def dotted(node: ast.expr) -> str | None:
    """`torch.nn.functional` for such an expression, None for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None
