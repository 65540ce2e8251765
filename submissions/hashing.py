"""The hash that names a set of files: equal names and texts, equal hash, whatever the order or the transport."""

import hashlib
from collections.abc import Mapping


def files_hash(files: Mapping[str, str]) -> str:
    """SHA-256 (hex) over the sorted (name, text) pairs, each part with its length in bytes before it."""
    digest = hashlib.sha256()
    for name in sorted(files):
        for part in (name, files[name]):
            content = part.encode("utf-8", "surrogatepass")
            digest.update(len(content).to_bytes(8, "big"))
            digest.update(content)
    return digest.hexdigest()
