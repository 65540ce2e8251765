"""A verified pass as one file to hand on: code, what it was verified for, graphs, licence, author, signature.

A zip with `manifest.json` (what is in it, with the SHA-256 of every file), `signature.json` (Ed25519 over the bytes of
the manifest), `passes/`, `passes.verified.json`, and the graphs it was verified on. Plain Python: no torch.
"""

import json
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphs.samples import find_samples
from graphs.task_folders import read_pass_dir
from passnet_runtime import ed25519
from passnet_runtime.record import BadRecord, Record, from_json, read_record

FORMAT = "passnet-bundle/1"
PASSES, RECORD, GRAPHS = "passes", "passes.verified.json", "graphs"
MOST_BYTES, MOST_FILES = 32 << 20, 5_000
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_VERSION = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})")
_PATH = re.compile(r"(?!.*(^|/)\.)[^\\:\x00-\x1f]{1,240}")
_DATE = (1980, 1, 1, 0, 0, 0)  # the same content is the same file
_TEXTS = ("name", "version", "author", "licence", "description", "code")


class BadBundle(ValueError):
    """The file is no bundle, or not what its manifest says."""


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds. `signer` is the public key (hex) whose signature is right; None for an unsigned one."""

    name: str
    version: str
    author: str
    licence: str
    description: str
    code: str
    operators: dict[str, tuple[str, ...]]  # pass → what its pattern calls, in order
    record: Record
    files: dict[str, bytes]
    signer: str | None

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"


def version_key(version: str) -> tuple[int, ...]:
    """To sort versions by: 1.10.0 comes after 1.9.0."""
    return tuple(int(part) for part in version.split("."))


def write_bundle(
    folder: Path,
    target: Path,
    about: Mapping[str, str],
    operators: Mapping[str, Sequence[str]],
    graphs: Path | None = None,
    secret: bytes | None = None,
) -> Bundle:
    """Write the bundle of a folder of passes that has a record beside it, and read it back.

    `about` has name, version, author, licence, description. Raises BadBundle, BadRecord, ReadProblem.
    """
    record = read_record(folder)
    if record is None:
        raise BadBundle(f"{folder}: no verification record lies beside it; `passnet-runtime check --record` writes one")
    files = {f"{PASSES}/{name}": text.encode(errors="surrogateescape") for name, text in read_pass_dir(folder).items()}
    files[RECORD] = (json.dumps(record.to_json(), indent=1, ensure_ascii=False) + "\n").encode()
    if graphs is not None:
        files |= _graph_files(graphs)
    manifest = {
        "format": FORMAT,
        **{key: about.get(key, "") for key in _TEXTS},
        "code": record.code,
        "passes": [{"name": name, "operators": list(calls)} for name, calls in operators.items()],
        "files": {name: sha256(content).hexdigest() for name, content in sorted(files.items())},
    }
    told = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    members = {"manifest.json": told, **dict(sorted(files.items()))}
    if secret is not None:
        signed = {"key": ed25519.public_key(secret).hex(), "signature": ed25519.sign(secret, told).hex()}
        members["signature.json"] = json.dumps(signed).encode()
    _checked(members)  # before anything is written
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return read_bundle(target)


def read_bundle(path: Path) -> Bundle:
    """Read a bundle and check it against its manifest and signature. Nothing is written or run. Raises BadBundle."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
                raise BadBundle(f"it holds more than {MOST_FILES} files or {MOST_BYTES:,} bytes")
            members = {info.filename: _content(archive, info) for info in infos}
            if len(members) != len(infos):
                raise BadBundle("it holds a file twice")
        return _checked(members)
    except (BadBundle, OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as problem:
        raise BadBundle(f"{path}: {problem}") from problem


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        content = stream.read(info.file_size + 1)  # the size is what the archive claims
    if len(content) != info.file_size:
        raise BadBundle(f"{info.filename} is larger than it says")
    return content


def _checked(members: Mapping[str, bytes]) -> Bundle:
    files = dict(members)
    told = files.pop("manifest.json", b"")
    signature = files.pop("signature.json", None)
    manifest = _object(told, "manifest.json")
    if manifest.get("format") != FORMAT:
        raise BadBundle(f"manifest.json: its format is not {FORMAT!r}")
    if not all(isinstance(manifest.get(key), str) for key in _TEXTS):
        raise BadBundle(f"manifest.json: {', '.join(_TEXTS)} are texts")
    if not _NAME.fullmatch(manifest["name"]) or not _VERSION.fullmatch(manifest["version"]):
        raise BadBundle("a name has small letters, digits and hyphens; a version is like 1.0.0")
    if not manifest["author"].strip() or not manifest["licence"].strip():
        raise BadBundle("author and licence have to be named")
    sums = {name: sha256(content).hexdigest() for name, content in files.items()}
    if sums != manifest.get("files"):
        raise BadBundle("its files are not those that manifest.json lists")
    bad = next((name for name in files if not _PATH.fullmatch(name) or name.startswith("/") or "//" in name), None)
    if bad is not None:
        raise BadBundle(f"{bad!r} is no name of a file in a bundle")
    try:
        record = from_json(_object(files.get(RECORD, b""), RECORD))
    except BadRecord as problem:
        raise BadBundle(f"{RECORD}: {problem}") from problem
    if record.code != manifest["code"] or record.code != _code_of(files):
        raise BadBundle("its code is not what was verified")
    return Bundle(
        **{key: manifest[key] for key in _TEXTS},
        operators=_operators(manifest.get("passes")),
        record=record,
        files=dict(members),
        signer=None if signature is None else _signer(told, _object(signature, "signature.json")),
    )


def _signer(told: bytes, value: Mapping[str, Any]) -> str:
    try:
        key, signature = bytes.fromhex(value["key"]), bytes.fromhex(value["signature"])
    except (KeyError, TypeError, ValueError):
        raise BadBundle("signature.json: `key` and `signature` are hexadecimal") from None
    if not ed25519.is_signed(key, told, signature):
        raise BadBundle("its signature is wrong: it was changed after it was signed")
    return key.hex()


def _operators(value: Any) -> dict[str, tuple[str, ...]]:
    try:
        return {str(item["name"]): tuple(str(name) for name in item["operators"]) for item in value}
    except (TypeError, KeyError) as problem:
        raise BadBundle("manifest.json: `passes` is a list of names and operators") from problem


def _code_of(files: Mapping[str, bytes]) -> str:
    """The hash that `evaluator.engine.backend.identity` gives to the folder of passes."""
    digest = sha256()
    start = f"{PASSES}/"
    for name, content in sorted((name.removeprefix(start), files[name]) for name in files if name.startswith(start)):
        for data in (name.encode(), content):
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _object(content: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise BadBundle(f"{name}: {problem}") from problem
    if not isinstance(value, dict):
        raise BadBundle(f"{name}: is no JSON object")
    return value


def _graph_files(graphs: Path) -> dict[str, bytes]:
    found = {}
    for sample in sorted(find_samples(graphs)):
        for path in sorted(sample.iterdir()):
            if path.is_file() and not path.is_symlink() and path.suffix in (".py", ".json", ".txt"):
                found[f"{GRAPHS}/{sample.relative_to(graphs).as_posix()}/{path.name}"] = path.read_bytes()
    if not found:
        raise BadBundle(f"{graphs}: holds no graph")
    return found
