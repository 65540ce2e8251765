"""Commands of the library: none of them but `bundle` imports torch."""

import argparse
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from passnet_runtime import ed25519
from passnet_runtime.answer import Answer
from passnet_runtime.bundle import write_bundle
from passnet_runtime.library import Installed, Library
from passnet_runtime.run_commands import Command
from passnet_runtime.tables import table

Answering = Callable[[argparse.Namespace, Library], Answer]


def add(command: Command) -> None:
    """Add bundle, key, trust, install, list, search, pin, unpin, remove, conflicts."""
    made = command("bundle", _bundle, "write a verified folder of passes as one signed file")
    made.add_argument("pass_dir", type=Path)
    made.add_argument("output", type=Path)
    for name in ("name", "version", "author", "licence"):
        made.add_argument(f"--{name}", required=True)
    made.add_argument("--description", default="")
    made.add_argument("--graphs", type=Path, help="the graphs it was verified on, to verify it again later")
    made.add_argument("--key", type=Path, help="a file made by `key`; without it the bundle is not signed")

    made = command("key", _key, "make a key to sign bundles with, and print the public one")
    made.add_argument("file", type=Path)

    made = _of_library(command, "trust", _trust, "install what this public key has signed")
    made.add_argument("key")
    made.add_argument("name")
    made = _of_library(command, "install", _install, "install a bundle")
    made.add_argument("file", type=Path)
    made.add_argument("--unsigned", action="store_true", help="also one that no trusted key has signed")
    _of_library(command, "list", _list, "what is installed, and which version is used")
    made = _of_library(command, "search", _search, "bundles that replace these operators, one after the other")
    made.add_argument("operators", nargs="+")
    for name, run, words in (
        ("pin", _pin, "use this version, before what is pinned later"),
        ("remove", _remove, "forget one version"),
    ):
        made = _of_library(command, name, run, words)
        made.add_argument("name")
        made.add_argument("version")
    made = _of_library(command, "unpin", _unpin, "use the newest version again")
    made.add_argument("name")
    _of_library(command, "conflicts", _conflicts, "active bundles that would take each other's matches")


def _of_library(command: Command, name: str, run: Answering, words: str) -> argparse.ArgumentParser:
    made = command(name, lambda options: run(options, Library(options.library)), words)
    made.add_argument("--library", type=Path, help="its folder; else PASSNET_LIBRARY, else ~/.passnet/library")
    return made


def _bundle(options: argparse.Namespace) -> Answer:
    from passnet_runtime.operators import operators_of

    about = {name: getattr(options, name) for name in ("name", "version", "author", "licence", "description")}
    secret = bytes.fromhex(options.key.read_text().strip()) if options.key else None
    made = write_bundle(options.pass_dir, options.output, about, operators_of(options.pass_dir), options.graphs, secret)
    value = {"bundle": str(options.output), "name": made.name, "version": made.version, "signer": made.signer}
    signed = f"signed by {made.signer}" if made.signer else "not signed"
    return Answer(value, f"{options.output}: {made.title}, {len(made.record.calls)} verified calls, {signed}")


def _key(options: argparse.Namespace) -> Answer:
    secret = secrets.token_bytes(32)
    descriptor = os.open(options.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # an old key is not lost
    with os.fdopen(descriptor, "w") as stream:
        stream.write(secret.hex() + "\n")
    public = ed25519.public_key(secret).hex()
    return Answer({"public": public}, public)


def _trust(options: argparse.Namespace, library: Library) -> Answer:
    library.trust(options.key, options.name)
    return Answer(library.trusted(), f"{options.name} is trusted")


def _install(options: argparse.Namespace, library: Library) -> Answer:
    item = library.install(options.file, unsigned=options.unsigned)
    by = f"signed by {item.signed_by}" if item.signed_by else "not signed by a trusted key"
    return Answer(_told(item), f"{item.bundle.title} by {item.bundle.author} ({item.bundle.licence}), {by}")


def _list(options: argparse.Namespace, library: Library) -> Answer:
    items = library.installed()
    rows = [
        (
            "●" if item.active else "",
            item.bundle.name,
            item.bundle.version + (" pinned" if item.pinned else ""),
            item.bundle.author,
            item.bundle.licence,
            item.signed_by or "–",
            ", ".join(sorted({call.device for call in item.bundle.record.calls})),
            "; ".join(dict.fromkeys(" → ".join(calls) for calls in item.bundle.operators.values())),
        )
        for item in items
    ]
    head = ("", "name", "version", "author", "licence", "signed by", "verified on", "replaces")
    return Answer([_told(item) for item in items], table(head, rows) if rows else "The library is empty.")


def _search(options: argparse.Namespace, library: Library) -> Answer:
    found = library.search(options.operators)
    rows = [
        (item.bundle.name, item.bundle.version, name, " → ".join(item.bundle.operators[name])) for item, name in found
    ]
    text = table(("name", "version", "pass", "replaces"), rows) if rows else "No bundle replaces these operators."
    return Answer([{**_told(item), "pass": name} for item, name in found], text, bool(found))


def _pin(options: argparse.Namespace, library: Library) -> Answer:
    library.pin(options.name, options.version)
    return Answer(library.pins(), f"{options.name} stays at {options.version}")


def _unpin(options: argparse.Namespace, library: Library) -> Answer:
    library.unpin(options.name)
    return Answer(library.pins(), f"{options.name} {library.find(options.name).bundle.version} is used")


def _remove(options: argparse.Namespace, library: Library) -> Answer:
    library.remove(options.name, options.version)
    return Answer({"removed": [options.name, options.version]}, f"{options.name} {options.version} is gone")


def _conflicts(options: argparse.Namespace, library: Library) -> Answer:
    found = library.conflicts()
    lines = [
        f"▲ {item.first} ({item.passes[0]}) and {item.second} ({item.passes[1]}) both replace "
        f"{' → '.join(item.operators)}: {item.first} comes first. `pin` decides."
        for item in found
    ]
    return Answer([vars(item) for item in found], "\n".join(lines) or "No conflicts.", not found)


def _told(item: Installed) -> dict[str, Any]:
    bundle = item.bundle
    return {
        "name": bundle.name,
        "version": bundle.version,
        "author": bundle.author,
        "licence": bundle.licence,
        "description": bundle.description,
        "active": item.active,
        "pinned": item.pinned,
        "signed_by": item.signed_by or None,
        "operators": bundle.operators,
        "verified": [{"graph": c.graph, "device": c.device, "torch": c.torch} for c in bundle.record.calls],
    }
