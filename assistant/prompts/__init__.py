"""Prompts are files, `<name>.v<version>.md`: the newest version is used, and each answer names its own."""

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_FILE = re.compile(r"(?P<name>[a-z_]+)\.v(?P<version>[0-9]+)\.md")


@dataclass(frozen=True)
class Prompt:
    """A prompt's text, and what it is known by: `hash` is the first 12 digits of the file's SHA-256."""

    name: str
    version: int
    hash: str
    text: str

    @property
    def label(self) -> dict[str, str | int]:
        """What is stored with an answer."""
        return {"name": self.name, "version": self.version, "hash": self.hash}


@functools.cache
def prompts() -> dict[str, Prompt]:
    """The newest version of each prompt, by name."""
    found: dict[str, Prompt] = {}
    for path in Path(__file__).parent.glob("*.md"):
        match = _FILE.fullmatch(path.name)
        if match is None:
            continue
        name, version = match["name"], int(match["version"])
        if name not in found or found[name].version < version:
            content = path.read_bytes()
            found[name] = Prompt(name, version, hashlib.sha256(content).hexdigest()[:12], content.decode().strip())
    return found


def prompt(name: str) -> Prompt:
    """The newest version of a prompt. Raises KeyError."""
    return prompts()[name]
