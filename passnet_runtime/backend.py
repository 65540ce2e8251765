"""`torch.compile(model, backend=passes("my_pass_dir"))`, held to what the passes were verified for."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from torch.fx import GraphModule, Node

from evaluator.engine.backend import GraphReport, NoBackward, PassBackend, identity, interpret_without_gpu
from evaluator.engine.load import LoadedPass, load_submission
from passnet_runtime.bundle import PASSES
from passnet_runtime.described import UNKNOWN, described_call
from passnet_runtime.record import Call, Record, read_record

__all__ = ["Allowed", "Gate", "GraphReport", "NoBackward", "Unverified", "labels", "loaded_folders", "passes"]

Allowed = Literal["leave", "sizes", "apply"]


class Unverified(UserWarning):
    """Passes are not used because nothing says that they were verified."""


def passes(
    *folders: str | PathLike[str], then: str | Callable[..., Any] = "inductor", unverified: Allowed = "leave"
) -> PassBackend:
    """A backend of `torch.compile` with the passes of one or more folders, in their order.

    `then`: what compiles the rest of each graph: "inductor", "eager", another backend by name or one itself.
    `unverified`: what becomes of a match that the record beside the folder does not list: "leave" it alone, "sizes"
    replaces it where dtypes and numbers of dimensions are listed whatever the sizes, "apply" replaces everything.
    Loads the folders now: their code runs in this process. Raises BadSubmission, BadRecord, ValueError.
    """
    source, loaded, code, admit = loaded_folders(folders, unverified)
    return PassBackend(source, loaded, code, then, admit)


def loaded_folders(
    folders: Sequence[str | PathLike[str]], unverified: Allowed
) -> "tuple[str, tuple[LoadedPass, ...], str, Gate]":
    """What the folders' passes are called together, the passes, the hash of their code, and what may be replaced."""
    if not folders:
        raise ValueError("name at least one folder of passes")
    if unverified not in get_args(Allowed):
        raise ValueError(f"unverified={unverified!r}: it is {', '.join(map(repr, get_args(Allowed)))}")
    interpret_without_gpu()
    paths = [Path(folder) for folder in folders]
    gate = Gate(unverified)
    found: list[LoadedPass] = []
    for path, label in zip(paths, labels(paths), strict=True):
        loaded = [replace(item, name=label + item.name) for item in load_submission(path)]
        gate.add(path, label, [item.name for item in loaded])
        found += loaded
    code = sha256("".join(identity(path) for path in paths).encode()).hexdigest()
    return ", ".join(str(path) for path in paths), tuple(found), code, gate


def labels(folders: Sequence[Path]) -> tuple[str, ...]:
    """What to write before the names of each folder's passes: nothing for one folder, else its own name.

    That of a bundle in a library is its name and version.
    """
    if len(folders) == 1:
        return ("",)
    found: list[str] = []
    for folder in map(Path.resolve, folders):
        name = f"{folder.parents[1].name} {folder.parent.name}" if folder.name == PASSES else folder.name
        same = sum(label.split("#")[0].rstrip("/") == name for label in found)
        found.append(f"{name}#{same + 1}/" if same else f"{name}/")
    return tuple(found)


class Gate:
    """Decides which matches may be replaced (an `Admit`). `asked` are those it was asked about, with its answers."""

    def __init__(self, unverified: Allowed) -> None:
        self.unverified = unverified
        self.asked: list[tuple[Call, str | None]] = []
        self._known: set[tuple[str, ...]] = set()
        self._why: dict[str, str] = {}  # passes that nothing is known of

    def add(self, folder: Path, label: str, names: Sequence[str]) -> None:
        """Take in the record of a folder whose passes are called `names`, each with `label` before its own name."""
        record = read_record(folder)
        why = _void(folder, record)
        if why and self.unverified != "apply":
            self._why |= dict.fromkeys(names, why)
            warnings.warn(
                f"{folder}: {why}; its passes are left out. `passnet-runtime check` writes a record; "
                'unverified="apply" uses them without one.',
                Unverified,
                stacklevel=4,
            )
        elif record is not None:
            calls = (replace(call, pass_name=label + call.pass_name) for call in record.calls)
            self._known |= {call.key(self.unverified == "leave") for call in calls}

    def __call__(self, pass_name: str, inputs: dict[str, Any], nodes: list[Node], source: GraphModule) -> str | None:
        if self.unverified == "apply":
            return None
        call = described_call(pass_name, inputs, nodes, source)
        why = self._answer(call)
        self.asked.append((call, why))
        return why

    def fingerprint(self) -> str:
        """Another text wherever another answer could be given."""
        return repr((self.unverified, sorted(self._known), sorted(self._why)))

    def _answer(self, call: Call) -> str | None:
        if call.pass_name in self._why:
            return self._why[call.pass_name]
        if UNKNOWN in call.inputs.values():
            return "the type of one of its inputs is not known"
        if call.key(self.unverified == "leave") in self._known:
            return None
        told = ", ".join(f"{name} {text}" for name, text in call.inputs.items())
        return f"not verified for {told}{f' under autocast {call.under}' if call.under else ''}"


def _void(folder: Path, record: Record | None) -> str:
    """Why a folder's record says nothing about its code; "" where it does."""
    if record is None:
        return "no verification record lies beside it"
    return "" if record.code == identity(folder) else "its code is not what was verified"
