"""Passes where the model runs: in your own `torch.compile`, in `torch.export` programs, in a notebook, in CI.

    import torch
    from passnet_runtime import passes

    fused = torch.compile(model.eval(), backend=passes("my_pass_dir"))

Needs torch and Triton, no server. Matching, rewriting and launchers are the judge's own code (`evaluator.engine`).
Names are imported when they are first used: the library of passes can be managed without importing torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passnet_runtime.backend import GraphReport, NoBackward, Unverified, passes
    from passnet_runtime.check import check
    from passnet_runtime.exported import apply_to_export
    from passnet_runtime.notebook import draw_graph, draw_match, draw_verdict
    from passnet_runtime.page import write_page
    from passnet_runtime.pre_grad import pre_grad_pass

_HOMES = {
    "GraphReport": "passnet_runtime.backend",
    "NoBackward": "passnet_runtime.backend",
    "Unverified": "passnet_runtime.backend",
    "passes": "passnet_runtime.backend",
    "check": "passnet_runtime.check",
    "apply_to_export": "passnet_runtime.exported",
    "draw_graph": "passnet_runtime.notebook",
    "draw_match": "passnet_runtime.notebook",
    "draw_verdict": "passnet_runtime.notebook",
    "write_page": "passnet_runtime.page",
    "pre_grad_pass": "passnet_runtime.pre_grad",
}

__all__ = [
    "GraphReport",
    "NoBackward",
    "Unverified",
    "apply_to_export",
    "check",
    "draw_graph",
    "draw_match",
    "draw_verdict",
    "passes",
    "pre_grad_pass",
    "write_page",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
