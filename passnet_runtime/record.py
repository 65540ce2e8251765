"""What a folder of passes was verified for: a record that lies beside the folder.

`my_pass_dir` has its record in `my_pass_dir.verified.json`. It names the code by its hash, so that a record is void as
soon as the code changes, and lists calls: one match of one pass, with what the pattern's inputs were there. Plain
JSON and plain Python: no torch.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

FORMAT = "passnet-verified/1"
_SIZES = re.compile(r"\[[^\[\]]*\]")
_SIZE = re.compile(r"[^,\[\] ]+")


class BadRecord(ValueError):
    """The file is no record."""


@dataclass(frozen=True)
class Call:
    """One match that was judged correct. `inputs`: what each of the pattern's inputs was, by name, in words.

    `speedup` is eager's median over the candidate's, by method ("e2e", "graph"), of the whole graph it was found in.
    """

    pass_name: str
    inputs: dict[str, str]
    under: str = ""  # the autocast that was on, "" for none
    graph: str = ""  # where it was verified
    device: str = ""  # "cpu" (Triton's interpreter) or a GPU's name
    torch: str = ""
    first_t: int | None = None  # smallest tolerance t at which every output is right
    speedup: dict[str, float] | None = None

    def key(self, sizes: bool = True) -> tuple[str, ...]:
        """What has to be equal for a match to count as verified; without sizes, any extent of a dimension does."""
        told = [f"{name}: {text if sizes else without_sizes(text)}" for name, text in sorted(self.inputs.items())]
        return (self.pass_name, self.under, *told)


@dataclass(frozen=True)
class Record:
    """`code` is the hash of the folder's files, `by` who verified."""

    code: str
    by: str
    calls: tuple[Call, ...] = field(default=())

    def keys(self, sizes: bool = True) -> frozenset[tuple[str, ...]]:
        return frozenset(call.key(sizes) for call in self.calls)

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "code": self.code, "by": self.by, "calls": [asdict(call) for call in self.calls]}


def place_of(folder: Path) -> Path:
    """Where the record of a folder lies."""
    folder = folder.resolve()
    return folder.with_name(f"{folder.name}.verified.json")


def read_record(folder: Path) -> Record | None:
    """The record beside a folder; None where there is none. Raises BadRecord with the file."""
    path = place_of(folder)
    if not path.is_file():
        return None
    try:
        return from_json(json.loads(path.read_text("utf-8")))
    except (ValueError, OSError) as problem:
        raise BadRecord(f"{path}: {problem}") from problem


def write_record(folder: Path, record: Record) -> Path:
    """Write the record beside a folder; returns where."""
    path = place_of(folder)
    path.write_text(json.dumps(record.to_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def from_json(value: Any) -> Record:
    """A record from parsed JSON. Raises BadRecord."""
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise BadRecord(f"its format is not {FORMAT!r}")
    calls = value.get("calls")
    if not isinstance(calls, list) or not all(isinstance(value.get(key), str) for key in ("code", "by")):
        raise BadRecord("`code` and `by` are texts, `calls` is a list")
    try:
        return Record(value["code"], value["by"], tuple(map(_call, calls)))
    except (TypeError, AttributeError) as problem:
        raise BadRecord(f"a call is not readable: {problem}") from problem


def merged(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Calls that say the same once: the first of each key on each device."""
    return tuple({(call.key(), call.device): call for call in reversed(list(calls))}.values())[::-1]


def without_sizes(text: str) -> str:
    """`float32 [4, 8]` → `float32 [·, ·]`: dtype, number of dimensions, and whether it lies without gaps."""
    return _SIZES.sub(lambda found: _SIZE.sub("·", found.group()), text)


def _call(value: Any) -> Call:
    inputs = value["inputs"] if isinstance(value, Mapping) and isinstance(value.get("inputs"), Mapping) else None
    if inputs is None or not all(isinstance(text, str) for pair in inputs.items() for text in pair):
        raise BadRecord("a call's `inputs` are an object of texts")
    return Call(**{**value, "inputs": dict(inputs)})


def judged(record: Record, result: Mapping[str, Any], by: str) -> Record:
    """The calls that a judge found correct too, with the speed-ups that it measured.

    `result` is the last line of `python -m evaluator run … --json`. Raises BadRecord where that is none, or where its
    verdict on integrity is not "clean".
    """
    graphs = result.get("graphs")
    if not isinstance(graphs, Mapping):
        raise BadRecord("the result has no `graphs`")
    if result.get("verdict") != "clean":
        raise BadRecord(f"the judge's verdict is {result.get('verdict')!r}, not 'clean'")
    right = {name.split("/")[-1]: told for name, told in graphs.items() if told.get("status") == "correct"}
    device = str(result.get("device") or "")
    calls = [
        replace(call, speedup=right[call.graph].get("speedup"), device=device or call.device)
        for call in record.calls
        if call.graph in right
    ]
    return replace(record, by=by, calls=tuple(calls))
