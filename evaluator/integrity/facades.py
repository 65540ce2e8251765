"""Stand-ins for modules, made for pass code.

A pass that imports `torch` gets a module that looks like it but keeps back what the rules forbid. Replacing a function
on a stand-in replaces it for the pass alone, so a patched clock or operator does not reach the judge. Names are copied
into the stand-in when they are first asked for: after that they cost what they always cost.

Triton's own modules are handed out as they are: its compiler and interpreter compare them by identity.
"""

import sys
import types
from collections.abc import Callable, Iterator, MutableMapping
from types import MethodType, ModuleType
from typing import Any

import torch

from evaluator.integrity.import_rules import refused_import, refused_name
from evaluator.verdicts import FindingClass

Refuse = Callable[[FindingClass, str], None]

_REAL_TOPS = frozenset({"triton", "pass_dir"})
# What never changes may be copied; anything else (sys.stdout, flags) is asked for each time.
_COPIED = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, int, float, complex, str, bytes, bool,
    type(None), tuple, torch.dtype, torch.layout, torch.memory_format,
)  # fmt: skip


class _Owner:
    def __init__(self, facade: ModuleType, real: ModuleType, path: str, maker: "FacadeMaker") -> None:
        self.facade = facade  # keeps it alive, so that its id is nobody else's
        self.real = real
        self.path = path
        self.maker = maker


_owners: dict[int, _Owner] = {}  # by id of the facade


def _facade_of(module: ModuleType, path: str, maker: "FacadeMaker") -> ModuleType:
    """A module that fetches names from a real one, unless they are refused.

    Its type is `ModuleType` itself, with functions of its own for what is missing (PEP 562): Triton's compiler takes a
    global of a kernel for a module only if its type is exactly that.
    """
    made = ModuleType(module.__name__, module.__doc__)
    _owners[id(made)] = _Owner(made, module, path, maker)
    vars(made)["__getattr__"] = MethodType(_fetch, made)
    vars(made)["__dir__"] = MethodType(_names, made)
    return made


def _names(facade: ModuleType) -> list[str]:
    return dir(_owners[id(facade)].real)


def _fetch(facade: ModuleType, name: str) -> Any:
    owner = _owners[id(facade)]
    full = f"{owner.path}.{name}"
    stand_in = owner.maker.stand_ins.get(full)
    if stand_in is not None:
        return stand_in
    value = getattr(owner.real, name)
    if isinstance(value, ModuleType):
        value = owner.maker.facade(value)
        vars(facade)[name] = value
        return value
    refused = refused_name(full)
    if refused is not None:
        owner.maker.refuse(refused[0], refused[1])
        raise AttributeError(f"{refused[1]}: it is kept from passes")
    if isinstance(value, _COPIED):
        vars(facade)[name] = value
    return value


class FacadeMaker:
    """Makes one facade for each module. `refuse(class, reason)` is told what pass code wanted and did not get."""

    def __init__(self, refuse: Refuse, is_own: Callable[[ModuleType], bool]) -> None:
        self.refuse = refuse
        self.is_own = is_own
        self.stand_ins: dict[str, Any] = {}  # by full name, given out instead of the real thing
        self._made: dict[int, ModuleType] = {}

    def facade(self, module: ModuleType) -> ModuleType:
        """The stand-in for a module; Triton's modules and the submission's own are returned as they are."""
        if is_facade(module) or self.is_own(module):
            return module
        name = module.__name__
        if name.split(".")[0] in _REAL_TOPS:
            return module
        known = self._made.get(id(module))
        if known is not None:
            return known
        reason = refused_import(name)
        if reason is not None and reason[1] == "violation":
            self.refuse(reason[0], reason[2])
            raise AttributeError(f"{reason[2]}: it is kept from passes")
        made = _facade_of(module, _path(name), self)
        self._made[id(module)] = made
        for special in ("__file__", "__path__", "__package__", "__version__"):
            if special in vars(module):
                vars(made)[special] = vars(module)[special]
        exported = vars(module).get("__all__")
        if exported is not None:
            path = _path(name)
            vars(made)["__all__"] = [item for item in exported if _is_given(f"{path}.{item}")]
        return made


def _is_given(full: str) -> bool:
    return refused_name(full) is None and refused_import(full) is None


def _path(name: str) -> str:
    """The name under which the rules know a module: `posixpath` is `os.path`, `posix` is `os`."""
    return {"posixpath": "os.path", "posix": "os", "_io": "io", "_operator": "operator"}.get(name, name)


def is_facade(thing: object) -> bool:
    return id(thing) in _owners


class ModuleTable(MutableMapping[str, ModuleType]):
    """`sys.modules` for pass code: what it reads are stand-ins, and only entries of its own can be set."""

    def __init__(self, maker: FacadeMaker) -> None:
        self._maker = maker

    def __getitem__(self, name: str) -> ModuleType:
        return self._maker.facade(sys.modules[name])

    def __setitem__(self, name: str, module: ModuleType) -> None:
        self._check(name)
        sys.modules[name] = module

    def __delitem__(self, name: str) -> None:
        self._check(name)
        del sys.modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(list(sys.modules))

    def __len__(self) -> int:
        return len(sys.modules)

    def __contains__(self, name: object) -> bool:
        return name in sys.modules

    def _check(self, name: str) -> None:
        if name in sys.modules and not self._maker.is_own(sys.modules[name]):
            self._maker.refuse(FindingClass.MONKEYPATCH, f"`sys.modules[{name!r}]` is replaced")
            raise TypeError(f"passes may not replace the module {name}")
