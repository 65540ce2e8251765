"""Load a submission: import its passes and helpers from disk as the package `pass_dir`.

The folder holds an already validated copy of the submission's files. Real files matter: Triton reads a kernel's source
with `inspect`. A helper is found in all four ways that people use: `from pass_dir.helper import f`, `from .helper
import f`, `sys.path.insert(…)` with a plain import, and `importlib.util.spec_from_file_location`.
"""

import ast
import importlib.util
import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, MethodType, ModuleType
from typing import Any

import torch
from triton.runtime.jit import KernelInterface

from evaluator.engine import interpreter
from evaluator.engine.blame import blame, describe, relative
from evaluator.engine.submission_files import ORDER_FILE, BadSubmission, invalid_python, read_order, read_source

__all__ = ["PACKAGE", "BadSubmission", "LoadedPass", "load_submission", "modules_of", "unload"]

PACKAGE = "pass_dir"


@dataclass(frozen=True)
class LoadedPass:
    """One pass, imported. `pattern` is a function or a torch.fx Graph or GraphModule; `launcher` is what
    `replacement_func()` returned and is never looked into."""

    name: str
    file: str  # relative to pass_dir
    pattern: Callable[..., Any] | torch.fx.Graph
    replacement_args: Callable[..., Any]
    launcher: Callable[..., Any]
    module: ModuleType


@dataclass
class _State:
    """What a load changed in this process, so that the next one starts clean."""

    folder: Path
    path: list[str] = field(default_factory=lambda: list(sys.path))
    wrapped: set[Any] = field(default_factory=lambda: set(_wrapped()))


_state: _State | None = None


def load_submission(folder: Path) -> tuple[LoadedPass, ...]:
    """Import the passes that the order file names, in its order.

    Raises BadSubmission with file and line. A load replaces the one before it; see `unload`.
    """
    global _state
    folder = folder.resolve()
    unload()
    names = read_order(folder)
    trees = {name: read_source(folder, f"{name}.py")[1] for name in names}
    _state = _State(folder)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        _open_package(folder)
        passes = tuple(_load_pass(folder, name, trees[name]) for name in names)
    except BaseException:
        unload()
        raise
    finally:
        sys.dont_write_bytecode = writes_bytecode
    for module in modules_of(folder):
        linecache.getlines(str(module.__file__))  # else Triton opens the file at the first launch of a kernel
    return passes


def unload() -> None:
    """Forget the last loaded submission: its modules, its entries in `sys.path`, its functions known to torch.fx.wrap.

    What torch itself registered (custom operators) stays until the process ends.
    """
    global _state
    if _state is None:
        return
    state, _state = _state, None
    ours = {id(module) for module in modules_of(state.folder)}
    for name, module in list(sys.modules.items()):
        if id(module) in ours or name == PACKAGE or name.startswith(PACKAGE + "."):
            del sys.modules[name]
    sys.path[:] = state.path
    for key in [key for key in sys.path_importer_cache if relative(key, state.folder) is not None]:
        del sys.path_importer_cache[key]
    for file in [file for file in linecache.cache if relative(file, state.folder) is not None]:
        del linecache.cache[file]
    wrapped = _wrapped()
    for key in set(wrapped) - state.wrapped:
        del wrapped[key]


def modules_of(folder: Path) -> Iterator[ModuleType]:
    """The imported modules whose file lies in `folder`, under whatever name they were imported."""
    starts = tuple({f"{folder}/", f"{folder.resolve()}/"})
    for module in list(sys.modules.values()):
        file = vars(module).get("__file__") if isinstance(module, ModuleType) else None
        if isinstance(file, str) and _may_lie_in(file, starts) and relative(file, folder) is not None:
            yield module


def _may_lie_in(file: str, starts: tuple[str, ...]) -> bool:
    """Quick: thousands of modules are asked about, and nearly all of them are torch's."""
    return file.startswith(starts) or "//" in file or "/./" in file


def _wrapped() -> dict[Any, Any]:
    """torch.fx's table of wrapped functions: it would keep an earlier submission's globals alive and patch them."""
    table = getattr(torch.fx._symbolic_trace, "_wrapped_fns_to_patch", {})
    return table if isinstance(table, dict) else {}


class _Loader(SourceFileLoader):
    """Compiles from source each time: a bytecode file beside the source may be stale, or another program."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)  # type: ignore[no-any-return]


def _open_package(folder: Path) -> None:
    importlib.invalidate_caches()
    finder = FileFinder(str(folder), (_Loader, [".py"]))
    sys.path_importer_cache[str(folder)] = finder  # both for the package and for entries in sys.path
    init = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        PACKAGE, init, loader=_Loader(PACKAGE, str(init)), submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    if init.is_file():
        _execute(package, folder, "__init__.py")


def _load_pass(folder: Path, name: str, tree: ast.Module) -> LoadedPass:
    file = f"{name}.py"
    module = _import(folder, name, file)
    pattern = _member(module, "pattern", file)
    replacement_args = _member(module, "replacement_args", file)
    replacement_func = _member(module, "replacement_func", file)
    launcher = _launcher(replacement_func, folder, file, tree)
    return LoadedPass(name, file, pattern, replacement_args, launcher, module)


def _import(folder: Path, name: str, file: str) -> ModuleType:
    module_name = f"{PACKAGE}.{name.replace('.', '_')}"  # a dot would make it a submodule, and `from .helper` fail
    if module_name in sys.modules:  # another pass has imported it as a helper
        return sys.modules[module_name]
    path = str(folder / file)
    spec = importlib.util.spec_from_file_location(module_name, path, loader=_Loader(module_name, path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    _execute(module, folder, file)
    setattr(sys.modules[PACKAGE], name, module)
    return module


def _execute(module: ModuleType, folder: Path, file: str) -> None:
    assert module.__spec__ is not None and module.__spec__.loader is not None
    try:
        with interpreter.here():
            module.__spec__.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        raise _import_problem(problem, folder, file) from problem


def _import_problem(problem: BaseException, folder: Path, file: str) -> BadSubmission:
    found = blame(problem, folder)
    where = (found.file or file, found.line)
    if isinstance(problem, SystemExit):
        return BadSubmission("ends the process while it is imported", *where)
    if isinstance(problem, SyntaxError):
        return BadSubmission(invalid_python(problem, (folder / where[0]).read_bytes()), *where)
    hint = ""
    if isinstance(problem, ModuleNotFoundError) and problem.name:
        top = problem.name.split(".")[0]
        if (folder / f"{top}.py").is_file():
            hint = f"; {top}.py lies in pass_dir: write `from {PACKAGE}.{top} import …`"
        elif top != PACKAGE:
            hint = f"; {top} is not available to passes here"
    return BadSubmission(f"could not be imported: {found.message}{hint}", *where)


def _member(module: ModuleType, name: str, file: str) -> Any:
    if not hasattr(module, name):
        words = f"has no `{name}`: a pass defines pattern, replacement_args and replacement_func"
        others = {"pattern", "replacement_args", "replacement_func"} - {name}
        if not any(hasattr(module, other) for other in others):
            words += f"; if it is a helper, take it out of {ORDER_FILE}"
        raise BadSubmission(words, file, 1)
    member = getattr(module, name)
    if callable(member) or (name == "pattern" and isinstance(member, torch.fx.Graph)):
        return member
    raise BadSubmission(f"`{name}` is a {type(member).__name__}, not a function", file)


def _launcher(replacement_func: Callable[[], Any], folder: Path, file: str, tree: ast.Module) -> Callable[..., Any]:
    line = _line(replacement_func, folder, file, tree)
    called = _called_in_return(tree)
    first = _call(replacement_func, folder, file, line, called)
    if isinstance(first, KernelInterface):
        words = "replacement_func returns the Triton kernel itself: return the Python function that launches it"
        raise BadSubmission(words, file, line)
    if not callable(first):
        if called:
            raise BadSubmission(_returned_call(called, f"and so gives {_a(first)}"), file, line)
        raise BadSubmission(f"replacement_func gives {_a(first)}, it must return the launcher function", file, line)
    second = _call(replacement_func, folder, file, line, called)
    same = first is second or (isinstance(first, MethodType) and type(second) is MethodType and first == second)
    if not same:
        words = "replacement_func returns another object each time it is called: define the launcher once, at the top"
        raise BadSubmission(f"{words} level of the file, and return that", file, line)
    launcher: Callable[..., Any] = first
    return launcher


def _call(function: Callable[[], Any], folder: Path, file: str, line: int | None, called: str | None) -> object:
    try:
        with interpreter.here():
            return function()
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        found = blame(problem, folder)
        if called and isinstance(problem, TypeError) and f"{called}()" in str(problem):
            raise BadSubmission(_returned_call(called, f"which raised {describe(problem)}"), file, line) from problem
        hint = f"; if {called} is the launcher, return it without calling it" if called else ""
        if "wrap must be called" in str(found.message):
            hint = "; write @torch.fx.wrap above the launcher, at the top level of the file"
        words = f"replacement_func raised {found.message}{hint}"
        raise BadSubmission(words, found.file or file, found.line or line) from problem


def _returned_call(name: str, what: str) -> str:
    return f"replacement_func calls {name} instead of returning it, {what}: write `return {name}` without parentheses"


def _a(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}"


def _called_in_return(tree: ast.Module) -> str | None:
    """Name of the function of this file that `replacement_func` calls in a return statement, if it does."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    body = functions.get("replacement_func")
    for node in ast.walk(body) if body else ():
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in functions:
            return value.func.id
    return None


def _line(function: Callable[..., Any], folder: Path, file: str, tree: ast.Module) -> int | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "replacement_func":
            return node.lineno
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code is not None and relative(code.co_filename, folder) == file else None
