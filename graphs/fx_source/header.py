"""What stands around forward's body: imports, one class, one method, its inputs."""

import ast
from dataclasses import dataclass, field

from graphs.fx_source.builder import Place
from graphs.fx_source.refused import shown
from graphs.problems import ReadProblem

_MODULES = frozenset({"torch", "math", "operator"})


@dataclass(frozen=True)
class Parameter:
    """One input of forward."""

    node: ast.arg
    default: ast.expr | None


@dataclass
class Header:
    """The frame of a graph's text."""

    place: Place
    self_name: str | None = None
    parameters: list[Parameter] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)  # name in the text → dotted name
    body: list[ast.stmt] = field(default_factory=list)


def read_header(module: ast.Module, file: str, place: Place) -> Header:
    """Check the frame and take out what matters. Raises ReadProblem for anything that is not part of FX code."""
    header = Header(place)
    forward: list[tuple[ast.FunctionDef, bool]] = []
    for statement in module.body:
        if isinstance(statement, ast.ClassDef):
            forward += [(function, True) for function in _methods(statement, place)]
        elif isinstance(statement, ast.FunctionDef) and statement.name == "forward":
            forward.append((statement, False))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            header.imports |= _imports(statement, place)
        elif not _is_harmless(statement):
            raise place.problem(
                statement,
                f"{shown(statement)} is neither an import of torch nor `class GraphModule` with its `forward`",
            )
    if not forward:
        raise ReadProblem(file, None, "has no `def forward`: a graph is a class GraphModule with one forward")
    if len(forward) > 1:
        raise place.problem(forward[1][0], f"is a second `forward`; the first is on line {forward[0][0].lineno}")
    _read_function(header, *forward[0])
    return header


def _methods(statement: ast.ClassDef, place: Place) -> list[ast.FunctionDef]:
    found = []
    for item in statement.body:
        if isinstance(item, ast.FunctionDef) and item.name == "forward":
            found.append(item)
        elif not (_is_harmless(item) or _is_empty_init(item)):
            raise place.problem(item, f"{shown(item)}: a graph's class holds `forward` and nothing else")
    return found


def _read_function(header: Header, function: ast.FunctionDef, in_class: bool) -> None:
    place, arguments = header.place, function.args
    if function.decorator_list:
        raise place.problem(function.decorator_list[0], f"{shown(function.decorator_list[0])} decorates forward")
    for extra in (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs):
        if extra is not None:
            raise place.problem(
                extra, f"`{extra.arg}` is a variadic or keyword-only input; FX graphs have plain inputs"
            )
    names = [*arguments.posonlyargs, *arguments.args]
    known: set[str] = set()
    for name in names:
        if name.arg in known:
            raise place.problem(name, f"`{name.arg}` is the name of two inputs")
        known.add(name.arg)
    defaults = [*[None] * (len(names) - len(arguments.defaults)), *arguments.defaults]
    parameters = [Parameter(name, default) for name, default in zip(names, defaults, strict=True)]
    if parameters and (in_class or parameters[0].node.arg == "self"):
        header.self_name = parameters.pop(0).node.arg
    elif in_class:
        raise place.problem(function, "forward takes no `self`")
    header.parameters = parameters
    header.body = function.body


def _imports(statement: ast.Import | ast.ImportFrom, place: Place) -> dict[str, str]:
    """The names that an import brings, by their dotted names."""
    if isinstance(statement, ast.ImportFrom):
        module = statement.module or ""
        if module == "__future__":
            return {}
        if statement.level == 0 and module.split(".")[0] in _MODULES and statement.names[0].name != "*":
            return {name.asname or name.name: f"{module}.{name.name}" for name in statement.names}
    elif all(name.name.split(".")[0] in _MODULES for name in statement.names):
        return {name.asname: name.name for name in statement.names if name.asname is not None}
    raise place.problem(statement, f"{shown(statement)}: a graph imports nothing but torch, operator and math")


def _is_harmless(statement: ast.stmt) -> bool:
    """Docstrings, `pass`, and the `wrap("name")` lines that FX prints above a forward."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    match statement.value:
        case ast.Constant():
            return True
        case ast.Call(func=function, args=[ast.Constant(value=str())], keywords=[]):
            return ast.unparse(function).split(".")[-1] == "wrap"
    return False


def _is_empty_init(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.FunctionDef) or statement.name != "__init__":
        return False
    return all(ast.unparse(line) in ("super().__init__()", "pass") for line in statement.body)
