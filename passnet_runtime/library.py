"""Installed bundles: one folder each, which versions are pinned, whose signatures are trusted.

    from passnet_runtime import passes
    from passnet_runtime.library import Library

    backend = passes(*Library().folders())

Lies in `~/.passnet/library`, or where PASSNET_LIBRARY says. Plain Python: no torch.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from passnet_runtime.bundle import PASSES, Bundle, read_bundle, version_key

_BUNDLE = "bundle.zip"


class LibraryProblem(ValueError):
    """What was asked of the library can not be done."""


@dataclass(frozen=True)
class Installed:
    """A bundle in the library. `active` is the one version of its name that is used."""

    bundle: Bundle
    folder: Path
    active: bool
    pinned: bool
    signed_by: str  # the name of a trusted key, "" for none


@dataclass(frozen=True)
class Conflict:
    """Two active bundles have passes for the same operators: `first` comes first and takes the matches."""

    first: str
    second: str
    passes: tuple[str, str]
    operators: tuple[str, ...]  # those that both replace


class Library:
    """A folder of installed bundles. It is made when something is put into it."""

    def __init__(self, root: Path | None = None) -> None:
        default = os.environ.get("PASSNET_LIBRARY") or Path.home() / ".passnet" / "library"
        self.root = Path(root or default)

    def install(self, path: Path, *, unsigned: bool = False) -> Installed:
        """Install a bundle that a trusted key has signed, or any with `unsigned`.

        Raises BadBundle; LibraryProblem for a signature that is missing or not trusted, and for another content under
        a name and version that are there already.
        """
        bundle = read_bundle(path)
        if not unsigned and bundle.signer not in self.trusted():
            why = (
                "it is not signed" if bundle.signer is None else f"nobody trusts the key {bundle.signer} that signed it"
            )
            raise LibraryProblem(f"{bundle.title}: {why}")
        target = self.root / "bundles" / bundle.name / bundle.version
        if target.exists():
            if read_bundle(target / _BUNDLE).files != bundle.files:
                raise LibraryProblem(f"{bundle.title} is installed with other content: a version does not change")
            return self.find(bundle.name, bundle.version)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as fresh:
            new = Path(fresh) / "bundle"
            for name, content in bundle.files.items():
                file = new / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            shutil.copyfile(path, new / _BUNDLE)
            new.rename(target)
        return self.find(bundle.name, bundle.version)

    def installed(self) -> tuple[Installed, ...]:
        """All bundles, by name and version."""
        pins, trusted = self.pins(), self.trusted()
        found = []
        for folder in sorted(path for path in (self.root / "bundles").glob("[!.]*") if path.is_dir()):
            versions = sorted((path.name for path in folder.glob("[!.]*")), key=version_key)
            used = pins.get(folder.name, versions[-1] if versions else "")
            for version in versions:
                bundle = read_bundle(folder / version / _BUNDLE)
                signed_by = trusted.get(bundle.signer or "", "")
                active = version == used
                found.append(Installed(bundle, folder / version, active, active and folder.name in pins, signed_by))
        return tuple(found)

    def find(self, name: str, version: str | None = None) -> Installed:
        """One bundle; without a version the active one. Raises LibraryProblem."""
        for item in self.installed():
            if item.bundle.name == name and (item.active if version is None else item.bundle.version == version):
                return item
        raise LibraryProblem(f"{name}{f' {version}' if version else ''} is not installed")

    def active(self) -> tuple[Installed, ...]:
        """What is used, in its order: what is pinned in the order of pinning, then the rest by name."""
        order = list(self.pins())
        used = [item for item in self.installed() if item.active]
        return tuple(sorted(used, key=lambda item: order.index(item.bundle.name) if item.pinned else len(order)))

    def folders(self) -> tuple[Path, ...]:
        """The folders of passes to hand to `passes`, in order."""
        return tuple(item.folder / PASSES for item in self.active())

    def pin(self, name: str, version: str) -> None:
        """Use this version, also when newer ones are installed, and before what is pinned later."""
        self.find(name, version)
        self._write("pins.json", {key: value for key, value in self.pins().items() if key != name} | {name: version})

    def unpin(self, name: str) -> None:
        """Use the newest version again. Raises LibraryProblem."""
        pins = self.pins()
        if pins.pop(name, None) is None:
            raise LibraryProblem(f"{name} is not pinned")
        self._write("pins.json", pins)

    def remove(self, name: str, version: str) -> None:
        """Forget one version; a pin to it goes too."""
        folder = self.find(name, version).folder
        if self.pins().get(name) == version:
            self.unpin(name)
        shutil.rmtree(folder)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()

    def pins(self) -> dict[str, str]:
        return self._read("pins.json")

    def trusted(self) -> dict[str, str]:
        """Public key (hex) → the name it was given here."""
        return self._read("trusted.json")

    def trust(self, key: str, name: str) -> None:
        """Install what this key has signed. Raises LibraryProblem for what is no key."""
        try:
            right = len(bytes.fromhex(key)) == 32
        except ValueError:
            right = False
        if not right:
            raise LibraryProblem(f"{key!r} is no public key: 64 hexadecimal digits")
        self._write("trusted.json", self.trusted() | {key.lower(): name})

    def search(self, operators: Sequence[str]) -> tuple[tuple[Installed, str], ...]:
        """Bundles with a pass that replaces these operators one after the other, and that pass's name."""
        return tuple(
            (item, name)
            for item in self.installed()
            for name, calls in item.bundle.operators.items()
            if _within(tuple(operators), calls)
        )

    def conflicts(self) -> tuple[Conflict, ...]:
        """Active bundles whose passes would take each other's matches: the same operators, or one within the other."""
        found = []
        for one, two in combinations(self.active(), 2):
            for first, calls in one.bundle.operators.items():
                for second, others in two.bundle.operators.items():
                    short, long = sorted((calls, others), key=len)
                    if short and _within(short, long):
                        found.append(Conflict(one.bundle.title, two.bundle.title, (first, second), short))
        return tuple(found)

    def _read(self, name: str) -> dict[str, str]:
        path = self.root / name
        value = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        if not isinstance(value, dict):
            raise LibraryProblem(f"{path}: is no JSON object")
        return value

    def _write(self, name: str, value: dict[str, str]) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        fresh = self.root / f".{name}.new"
        fresh.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
        fresh.replace(self.root / name)


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))
