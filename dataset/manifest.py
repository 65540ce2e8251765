"""What has been done already: one JSON object a line, appended as each piece of work ends."""

import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def read_manifest(path: Path) -> dict[str, Entry]:
    """The last entry of each key. A line that was cut off by a crash is passed over."""
    entries: dict[str, Entry] = {}
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and isinstance(entry.get("key"), str):
                entries[entry["key"]] = entry
    return entries


def append(path: Path, entry: Entry) -> None:
    """Add an entry, on a line of its own even where the last one was cut off."""
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(entry).encode() + b"\n")
