"""Which graph it is, by its content. Without Django: the command line names graphs alike."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from graphs.samples import Sample, sample_to_json


def graph_identity(sample: Sample) -> str:
    """SHA-256 (hex) over everything that decides what a graph computes on: its code and its inputs."""
    value = sample_to_json(sample)
    parts = [sample.content_hash, *(canonical(value[key]) for key in ("inputs", "model_inputs", "constraints"))]
    return hash_of(parts)


def canonical(value: Any) -> str:
    """A JSON value as text that is the same for equal values."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def hash_of(parts: Sequence[str]) -> str:
    """SHA-256 (hex) of texts; where one ends and the next begins counts."""
    found = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        found.update(len(content).to_bytes(8, "big"))
        found.update(content)
    return found.hexdigest()
