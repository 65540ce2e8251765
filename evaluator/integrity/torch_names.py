"""Names that exist in torch, so that a typo is not taken for an operator.

The static check must not import torch. `torch_names.json` holds the public names of torch.Tensor, torch and
torch.nn.functional over the versions that are supported; `python -m evaluator.integrity.torch_names` adds those of the
installed one. A name that is not there raises AttributeError when it is used: that is the runner's to say. Should it
exist in a newer torch, the run-time guard sees what it computes.
"""

import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).with_name("torch_names.json")
NAMESPACES = ("torch.Tensor", "torch", "torch.nn.functional")


@cache
def _names() -> dict[str, frozenset[str]]:
    return {place: frozenset(names) for place, names in json.loads(FILE.read_text(encoding="ascii")).items()}


def is_tensor_attribute(name: str) -> bool:
    """Whether a tensor may have an attribute of this name; what is no name stands for one that can not be read."""
    return not name.isidentifier() or name.startswith("_") or name in _names()["torch.Tensor"]


def may_exist(dotted: str) -> bool:
    """False for `torch.X` and `torch.nn.functional.X` with an unknown X; other namespaces are not listed."""
    place, _, name = dotted.rpartition(".")
    return (
        place not in ("torch", "torch.nn.functional")
        or not name.isidentifier()
        or name.startswith("_")
        or name in _names()[place]
    )


def installed() -> dict[str, list[str]]:
    """Public names of the installed torch, without submodules (which come and go with imports). Imports it."""
    import torch

    places = {"torch.Tensor": torch.Tensor, "torch": torch, "torch.nn.functional": torch.nn.functional}
    return {place: _public(where) for place, where in places.items()}


def _public(where: object) -> list[str]:
    named = {name: getattr(where, name, None) for name in dir(where) if not name.startswith("_")}
    return sorted(name for name, value in named.items() if not isinstance(value, ModuleType))


def main() -> int:
    """Add the installed torch's names to the file."""
    known = {place: set(names) for place, names in _names().items()} if FILE.exists() else {}
    merged = {place: sorted(known.get(place, set()) | set(names)) for place, names in installed().items()}
    FILE.write_text(json.dumps(merged, indent=0) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
