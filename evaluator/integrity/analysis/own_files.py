"""Files of the submission's own folder, which it may read: a table of block sizes beside the pass.

A path is the submission's own when it is written out from `__file__` with constant names and leads nowhere else. What
can not be read from the source is not; where it is opened by `open`, the import guard looks at the path once more.
"""

import ast
from collections import Counter

from evaluator.integrity.analysis.machine import Frame, Machine
from evaluator.integrity.analysis.words import words

_READERS = words("read_text read_bytes open")
_SAME_PATH = words("abspath realpath normpath fspath str Path PurePath resolve absolute")
_JOINING = words("join Path PurePath joinpath")
_METHODS = words("resolve absolute joinpath with_name")  # of a path: it stands before the dot
_MODULES = frozenset({"os", "os.path", "pathlib"})
_OWN_PACKAGE = frozenset({"__package__", "__name__"})
_IN_THE_FILE = -1  # how far up from the folder of the file that is being looked at
_MOST_STEPS = 12  # of one path


def reads_own_file(machine: Machine, name: str, node: ast.AST, frame: Frame) -> bool:
    """Whether a call of `name` only reads a file of the submission's own folder."""
    if not isinstance(node, ast.Call):
        return False
    if name in ("builtins.open", "io.open"):
        path = node.args[0] if node.args else None
        return path is not None and _only_reads(node, 1) and _is_own(machine, path, frame)
    if name.startswith("builtins.open.") and name.rpartition(".")[2] in _READERS:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return owner is not None and _only_reads(node, 0) and _is_own(machine, owner, frame)
    if name == "importlib.resources.files":
        return len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id in _OWN_PACKAGE
    return False


def _only_reads(node: ast.Call, position: int) -> bool:
    modes = [keyword.value for keyword in node.keywords if keyword.arg in ("mode", None)]
    modes += node.args[position : position + 1]
    return all(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not set(mode.value) & set("wax+")
        for mode in modes
    )


def _is_own(machine: Machine, path: ast.expr, frame: Frame) -> bool:
    tree = next((one.tree for one in machine.project.files if one.name == frame.file), None)
    up = None if tree is None else _Paths(tree).up(path)
    return up is not None and _IN_THE_FILE < up <= frame.file.count("/")


class _Paths:
    """Follows an expression back to `__file__`, through names that the whole file binds once."""

    def __init__(self, tree: ast.Module) -> None:
        parts = list(ast.walk(tree))
        bound = Counter(part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
        bound.update(part.arg for part in parts if isinstance(part, ast.arg))
        bound.update(part.name for part in parts if isinstance(part, ast.FunctionDef | ast.ClassDef))
        plain = [part for part in parts if isinstance(part, ast.Assign) and len(part.targets) == 1]
        names = [(part.targets[0], part.value) for part in plain]
        self._assigned = {key.id: val for key, val in names if isinstance(key, ast.Name) and bound[key.id] == 1}
        self._known = {name for name in _imported(parts) | {"str", "__file__"} if not bound[name]}
        self._steps = 0

    def up(self, node: ast.expr) -> int | None:
        """How many folders above that of the file the path lies or begins; None where it can not be said.

        `__file__` itself is at -1, its folder at 0.
        """
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        if isinstance(node, ast.Name):
            if node.id == "__file__" and node.id in self._known:
                return _IN_THE_FILE
            return self.up(self._assigned[node.id]) if node.id in self._assigned else None
        if isinstance(node, ast.Attribute):
            return _raised(self.up(node.value)) if node.attr == "parent" else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
            return self._joined(node.left, [node.right], bare=isinstance(node.op, ast.Div))
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.FormattedValue):
            return self._joined(node.values[0].value, node.values[1:], bare=False)
        return self._called(node) if isinstance(node, ast.Call) and not node.keywords else None

    def _called(self, node: ast.Call) -> int | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        parts = list(node.args)
        if isinstance(node.func, ast.Attribute) and name in _METHODS:
            parts = [node.func.value, *parts]
        elif _root(node.func) not in self._known:
            return None
        if not parts:
            return None
        if name == "dirname" and len(parts) == 1:
            return _raised(self.up(parts[0]))
        if name == "with_name":
            return self._joined(ast.Attribute(parts[0], "parent", ast.Load()), parts[1:])
        if name in _SAME_PATH and len(parts) == 1:
            return self.up(parts[0])
        return self._joined(parts[0], parts[1:]) if name in _JOINING and len(parts) > 1 else None

    def _joined(self, start: ast.expr, parts: list[ast.expr], *, bare: bool = True) -> int | None:
        """`start` with constant names behind it; where they are not `bare`, the first begins with a slash."""
        up = self.up(start)
        names = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if up is None or up == _IN_THE_FILE or len(names) != len(parts) or not names:
            return None
        if not bare:
            if not names[0].startswith("/"):
                return None
            names[0] = names[0][1:]
        return None if any(name.startswith("/") or ".." in name or "~" in name for name in names) else up


def _raised(up: int | None) -> int | None:
    return None if up is None else up + 1


def _imported(parts: list[ast.AST]) -> set[str]:
    """Names under which the file has modules and functions for paths."""
    names = {
        alias.asname or alias.name.partition(".")[0]
        for part in parts
        if isinstance(part, ast.Import)
        for alias in part.names
        if alias.name in _MODULES
    }
    return names | {
        alias.asname or alias.name
        for part in parts
        if isinstance(part, ast.ImportFrom) and part.level == 0 and part.module in _MODULES
        for alias in part.names
    }


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
