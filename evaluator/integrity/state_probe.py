"""What a submission keeps between calls: tensors reachable from its modules, by way of containers and closures."""

import gc
import hashlib
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import torch

from evaluator.events import Finding
from evaluator.integrity.probes import found
from evaluator.integrity.taint import Ledger, storage_key
from evaluator.verdicts import FindingClass, Severity

MOST_OBJECTS = 20_000
# exact types: what hangs on a subclass of a number or text is looked at
_PLAIN = frozenset({str, bytes, int, float, complex, bool, type(None), BuiltinFunctionType, torch.dtype, torch.device})
# objects of these lead to half of the process, and not to anything that a submission could hide there
_OTHERS = frozenset({"torch", "numpy", "threading", "logging", "_thread", "ast", "inspect", "evaluator"})
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_NOWHERE = ModuleType("nowhere")
_flags_of = type.__dict__["__flags__"].__get__  # a metaclass has no say in it
_module = type.__dict__["__module__"].__get__
_OPEN = (dict, list, tuple, set, frozenset, FunctionType, MethodType, CellType)


@dataclass(frozen=True)
class Kept:
    """A tensor that is reachable from a module of the submission."""

    path: str  # "Pass._DONE[...]"
    tensor: torch.Tensor
    contents: str


@dataclass(frozen=True)
class StateSnapshot:
    kept: tuple[Kept, ...]
    complete: bool  # False: there was too much to look through


def snapshot(modules: Iterable[ModuleType]) -> StateSnapshot:
    """All tensors that the modules hold, at any depth, also in closures, default arguments and function caches."""
    own = list(modules)
    walk = _Walk(frozenset(module.__name__ for module in own))
    for module in own:
        walk.visit(vars(module), module.__name__.rpartition(".")[2])
    return StateSnapshot(tuple(walk.kept), len(walk.seen) < MOST_OBJECTS)


class _Walk:
    def __init__(self, own: frozenset[str]) -> None:
        self.own = own
        self.seen: set[int] = set()
        self.kept: list[Kept] = []

    def visit(self, start: Any, name: str) -> None:
        pending: list[tuple[Any, str]] = [(start, name)]
        while pending and len(self.seen) < MOST_OBJECTS:
            thing, path = pending.pop()
            kind = type(thing)
            if kind in _PLAIN or id(thing) in self.seen or (kind is type and self._is_of_a_library(thing)):
                continue
            self.seen.add(id(thing))
            if isinstance(thing, torch.Tensor):
                self.kept.append(Kept(path, thing, _contents(thing)))
            else:
                pending.extend(self._parts(thing, path))

    def _parts(self, thing: Any, path: str) -> list[tuple[Any, str]]:
        """What an object holds that the submission could have put there."""
        if type(thing) is dict:
            values = [
                (part, f"{path}.{key}" if isinstance(key, str) else f"{path}[…]")
                for key, part in thing.items()
                if type(part) not in _PLAIN
            ]
            return values + [(key, f"{path} (key)") for key in thing if type(key) not in _PLAIN]
        if isinstance(thing, ModuleType):  # one that nothing can import is a box like any other
            inside = vars(thing)
            return [] if sys.modules.get(str(inside.get("__name__"))) is thing else [(inside, path)]
        if isinstance(thing, FunctionType):
            closure = [cell.cell_contents for cell in thing.__closure__ or () if _filled(cell)]
            return [(part, path) for part in (*closure, thing.__defaults__, thing.__kwdefaults__, vars(thing))]
        if isinstance(thing, type):
            return [] if self._is_of_a_library(thing) else [(part, path) for part in list(vars(thing).values())]
        if isinstance(thing, threading.local):
            return [(part, f"{path}.{name}") for name, part in vars(thing).items()]
        home = _module_of(type(thing)).split(".")[0] if self._is_of_a_library(type(thing)) else ""
        if home == "triton":  # a kernel: what was hung onto it, not what Triton keeps for itself
            hung = (torch.Tensor, dict, list, tuple)
            return [(part, path) for part in getattr(thing, "__dict__", {}).values() if isinstance(part, hung)]
        if home in _OTHERS and not isinstance(thing, _OPEN):
            return []
        return [(part, path) for part in gc.get_referents(thing)]

    def _is_of_a_library(self, cls: type) -> bool:
        """Whether a class can be had from the module that it names: the name alone is the word of who wrote it."""
        if not _flags_of(cls) & _HEAP_TYPE:
            return True  # written in C: nothing can be put there
        home = _module_of(cls)
        return home not in self.own and vars(sys.modules.get(home, _NOWHERE)).get(cls.__name__) is cls


def _module_of(cls: type) -> str:
    home = _module(cls)
    return home if type(home) is str else ""


def _filled(cell: CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _contents(tensor: torch.Tensor) -> str:
    try:
        flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        return hashlib.blake2b(flat.cpu().numpy().tobytes(), digest_size=16).hexdigest()
    except (RuntimeError, NotImplementedError, TypeError):
        return ""


def state_findings(
    before: StateSnapshot,
    after: StateSnapshot,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    ledger: Ledger | None = None,
) -> list[Finding]:
    """What a call left behind that depends on its inputs. All calls are taken to have inputs of their own.

    Violations: an input is kept; an output that was there before the call is returned again; the output of each call
    is kept. Suspicious: an output is kept for the first time; a buffer that is kept was filled again and returned.
    Notes: anything else that holds data, like scratch memory. `ledger` (of the dispatch guard) tells data from tables;
    with it a table may be kept and returned.
    """
    known = {kept.path: kept for kept in before.kept}
    held = [kept for kept in before.kept if ledger is None or ledger.holds_data(kept.tensor)]
    input_keys, output_keys = _keys(inputs), _keys(outputs)
    findings: list[Finding] = []
    for kept in after.kept:
        if ledger is not None and not ledger.holds_data(kept.tensor):
            continue
        old = known.get(kept.path)
        same = old is not None and old.tensor is kept.tensor
        key = storage_key(kept.tensor)
        if key in input_keys:
            findings.append(found(FindingClass.OUTPUT_CACHE, f"`{kept.path}` keeps an input of the call"))
        elif key in output_keys:
            contents = old.contents if old is not None and same else None
            findings.append(_kept_output(kept, contents, replaced=old is not None and not same, held=held))
        elif ledger is not None and not (old is not None and same and old.contents == kept.contents):
            words = f"`{kept.path}` holds data of the inputs after the call"
            findings.append(found(FindingClass.OUTPUT_CACHE, words, Severity.NOTE))
    return findings


def _kept_output(kept: Kept, contents_before: str | None, *, replaced: bool, held: Sequence[Kept]) -> Finding:
    """An output that the submission keeps: a result for later, or only the buffer that it is made in."""
    if contents_before is not None and contents_before == kept.contents:
        return found(FindingClass.OUTPUT_CACHE, f"`{kept.path}`, made by an earlier call, is returned again")
    if contents_before is not None:
        words = f"the buffer `{kept.path}` is filled again and returned: earlier outputs change with it"
        return found(FindingClass.OUTPUT_ALIAS, words, Severity.SUSPICIOUS)
    like = [one for one in held if one.tensor.shape == kept.tensor.shape and one.tensor.dtype == kept.tensor.dtype]
    if replaced or like:
        return found(FindingClass.OUTPUT_CACHE, f"`{kept.path}` keeps the output of each call")
    return found(FindingClass.OUTPUT_CACHE, f"`{kept.path}` keeps an output of the call", Severity.SUSPICIOUS)


def _keys(values: Sequence[Any]) -> set[int | None]:
    return {storage_key(value) for value in values if isinstance(value, torch.Tensor) and value.numel()} - {None}
