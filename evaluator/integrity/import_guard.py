"""Guards what code of a submission imports and calls while it runs.

`install()` belongs into the isolated runner, after torch, Triton and the interpreter's additions are in place and
before the first file of the submission is imported. From then on every module whose file lies in `pass_dir` (and every
other file that is neither of Python nor of an installed package) runs with restricted builtins:

* `import` goes by an allow-list, and what comes back is a stand-in (see `facades`);
* `exec`, `eval`, `compile`, `open` outside of `pass_dir`, `exit` and the like are refused with a finding;
* `getattr`, `setattr` and `delattr` do not reach behind functions and frames, nor change what belongs to others.

Only code of the submission sees this: torch and Triton import lazily from their own modules, with their own builtins.
A finding is reported once for each class, severity and line. What is refused raises; the finding is what counts.
"""

import builtins
import importlib
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

from evaluator.events import Finding
from evaluator.integrity import library_guard
from evaluator.integrity.analysis.attributes import REACHING
from evaluator.integrity.analysis.report import make_finding
from evaluator.integrity.facades import FacadeMaker, ModuleTable, is_facade
from evaluator.integrity.import_rules import refused_import
from evaluator.verdicts import FindingClass, Severity

CHECK = "import guard"
_HARNESS = Path(__file__).resolve().parents[1]


class ImportGuard:
    """The guard of one submission. `builtins` is what its modules get as `__builtins__`."""

    def __init__(self, pass_dir: Path, report: Callable[[Finding], None]) -> None:
        self.pass_dir = pass_dir.resolve()
        self._report = report
        self._told: set[tuple[str, str, str | None, int | None]] = set()
        self.facades = FacadeMaker(self._refused, self._is_own)
        self.builtins = _restricted_builtins(self)
        self.facades.stand_ins.update(_stand_ins(self))
        self._exec_module: Any = None

    def install(self) -> None:
        """Have every module of the submission run with the restricted builtins, whichever way it is imported."""
        self._exec_module = exec_module = SourceFileLoader.exec_module

        def guarded_exec_module(loader: SourceFileLoader, module: ModuleType) -> None:
            if self._is_foreign(loader.path):
                vars(module)["__builtins__"] = self.builtins
            exec_module(loader, module)

        SourceFileLoader.exec_module = guarded_exec_module  # type: ignore[assignment,method-assign]

    def uninstall(self) -> None:
        """Take the guard off new imports (for tests; a runner ends with its submission)."""
        if self._exec_module is not None:
            SourceFileLoader.exec_module = self._exec_module  # type: ignore[method-assign]

    def find(self, cls: FindingClass, evidence: str, severity: Severity = Severity.VIOLATION) -> None:
        """Report a finding at the submission's line that is being run."""
        file, line = self.place()
        key = (cls.value, severity.value, file, line)
        if key not in self._told:
            self._told.add(key)
            self._report(make_finding(cls, severity, file, line, evidence, CHECK))

    def place(self) -> tuple[str | None, int | None]:
        """File (relative to pass_dir) and line of the innermost frame that belongs to the submission."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_absolute() and path.is_relative_to(self.pass_dir):
                return path.relative_to(self.pass_dir).as_posix(), frame.f_lineno
            frame = frame.f_back
        return None, None

    def inside(self, path: object) -> bool:
        """Whether a path, as `open` takes it, lies in pass_dir."""
        try:
            return Path(str(path)).resolve().is_relative_to(self.pass_dir)
        except (OSError, ValueError):
            return False

    def _refused(self, cls: FindingClass, reason: str) -> None:
        self.find(cls, reason)

    def _is_own(self, module: ModuleType) -> bool:
        file = vars(module).get("__file__")
        return module.__name__.split(".")[0] == "pass_dir" or (isinstance(file, str) and self.inside(file))

    def _is_foreign(self, file: str) -> bool:
        path = Path(file)
        if self.inside(path):
            return True
        return not any(path.is_relative_to(root) for root in _TRUSTED)


def install(pass_dir: Path, report: Callable[[Finding], None]) -> ImportGuard:
    """Make and install the guard for a submission that lies in `pass_dir`; `report` is called with each finding."""
    guard = ImportGuard(pass_dir, report)
    guard.install()
    return guard


def _trusted_roots() -> tuple[Path, ...]:
    """Folders of Python, of installed packages and of the judge itself."""
    paths = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {*site.getsitepackages(), sys.prefix, sys.base_prefix}
    return (_HARNESS.parent, *(Path(path).resolve() for path in paths), *(Path(path) for path in paths))


_TRUSTED = _trusted_roots()  # once, in the process that all runs are forked from


def _restricted_builtins(guard: ImportGuard) -> dict[str, Any]:
    names = dict(vars(builtins))

    def refuse(name: str, cls: FindingClass) -> Callable[..., NoReturn]:
        def refused(*_: object, **__: object) -> NoReturn:
            guard.find(cls, f"`{name}` is called")
            raise RuntimeError(f"{name} is not for passes")

        refused.__name__ = refused.__qualname__ = name
        return refused

    for name in ("exec", "eval", "compile"):
        names[name] = refuse(name, FindingClass.DYNAMIC_CODE)
    for name in ("exit", "quit"):
        names[name] = refuse(name, FindingClass.EARLY_EXIT)
    for name in ("breakpoint", "input"):
        names[name] = refuse(name, FindingClass.FILE_ACCESS)
    names["__import__"] = _importer(guard)
    names["open"] = _opener(guard)
    names.update(_attribute_functions(guard))
    return names


def _importer(guard: ImportGuard) -> Callable[..., Any]:
    real_import = builtins.__import__

    def guarded_import(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level == 0:
            _check_import(guard, name)
            for item in fromlist or ():
                if isinstance(item, str) and item != "*" and f"{name}.{item}" in sys.modules:
                    _check_import(guard, f"{name}.{item}")
        found = real_import(name, globals, locals, fromlist or (), level)
        return guard.facades.facade(found)

    guarded_import.__name__ = guarded_import.__qualname__ = "__import__"
    return guarded_import


def _check_import(guard: ImportGuard, name: str) -> None:
    """Raise ImportError for what pass code may not import. The submission's own modules are always free."""
    if _is_helper(guard, name):
        return
    reason = refused_import(name)
    if reason is None:
        return
    cls, severity, why = reason
    if severity is Severity.VIOLATION or _exists(name):
        guard.find(cls, why, severity)
    raise ImportError(f"{why}: it is kept from passes", name=name)


def _is_helper(guard: ImportGuard, name: str) -> bool:
    top = name.split(".")[0]
    if top in sys.stdlib_module_names:
        return False
    return (guard.pass_dir / f"{top}.py").is_file() or (guard.pass_dir / top).is_dir()


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name.split(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _opener(guard: ImportGuard) -> Callable[..., Any]:
    real_open = builtins.open

    def open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if guard.inside(file) and isinstance(mode, str) and not set(mode) & set("wax+"):
            return real_open(file, mode, *args, **kwargs)
        guard.find(FindingClass.FILE_ACCESS, f"opens {str(file)[:200]!r}")
        raise PermissionError(f"passes may not open {str(file)[:200]!r}")

    return open


def _attribute_functions(guard: ImportGuard) -> dict[str, Any]:
    real_getattr, real_setattr, real_delattr = builtins.getattr, builtins.setattr, builtins.delattr

    def getattr(owner: Any, name: str, *default: Any) -> Any:
        if name in REACHING:
            guard.find(REACHING[name], f"`getattr(…, {name!r})`")
            raise AttributeError(f"{name} is kept from passes")
        return real_getattr(owner, name, *default)

    def setattr(owner: Any, name: str, value: Any) -> None:
        _check_owner(guard, owner, name)
        real_setattr(owner, name, value)

    def delattr(owner: Any, name: str) -> None:
        _check_owner(guard, owner, name)
        real_delattr(owner, name)

    return {"getattr": getattr, "setattr": setattr, "delattr": delattr}


def _check_owner(guard: ImportGuard, owner: Any, name: str) -> None:
    """Modules and classes of others are not the submission's to change."""
    if isinstance(owner, ModuleType):
        foreign = not is_facade(owner) and not guard._is_own(owner)
    elif isinstance(owner, type):
        module = sys.modules.get(owner.__module__)
        foreign = module is None or not guard._is_own(module)
    else:
        foreign = False
    if foreign:
        guard.find(FindingClass.MONKEYPATCH, f"`setattr(…, {name!r}, …)` on {owner!r}"[:200])
        raise TypeError(f"passes may not change {name} of {owner!r}"[:200])


def _stand_ins(guard: ImportGuard) -> dict[str, Any]:
    """Functions of importlib that keep to the guard's rules."""

    def import_module(name: str, package: str | None = None) -> ModuleType:
        absolute = importlib.util.resolve_name(name, package) if name.startswith(".") else name
        if not _is_helper(guard, absolute) and absolute.split(".")[0] != "pass_dir":
            guard.find(FindingClass.DYNAMIC_IMPORT, f"`import_module({absolute!r})`")
            _check_import(guard, absolute)
        return guard.facades.facade(importlib.import_module(absolute))

    def spec_from_file_location(name: str, location: Any = None, *args: Any, **kwargs: Any) -> Any:
        if location is None or not guard.inside(location):
            guard.find(FindingClass.DYNAMIC_IMPORT, f"loads a module from {str(location)[:200]!r}")
            raise ImportError("passes may only load files of their own folder")
        return importlib.util.spec_from_file_location(name, location, *args, **kwargs)

    guarded = guard.builtins
    return {
        "importlib.import_module": import_module,
        "importlib.__import__": guarded["__import__"],
        "importlib.util.spec_from_file_location": spec_from_file_location,
        **{f"builtins.{name}": guarded[name] for name in _OWN_BUILTINS},
        "io.open": guarded["open"],
        "sys.modules": ModuleTable(guard.facades),
        "inspect.getattr_static": guarded["getattr"],
        **library_guard.stand_ins(guard._refused),
    }


_OWN_BUILTINS = (
    "exec", "eval", "compile", "open", "exit", "quit", "breakpoint", "input", "__import__",
    "getattr", "setattr", "delattr",
)  # fmt: skip
