"""The passes of a folder as a backend of `torch.compile`, for scripts of one's own.

    from evaluator.engine.backend import passes

    fused = torch.compile(model, backend=passes("my_pass_dir"))                     # the rest runs eagerly
    fused = torch.compile(model, backend=passes("my_pass_dir", then="inductor"))    # the rest is compiled

Dynamo hands over one graph for each piece of the model between graph breaks, in the form of a data set's model.py:
parameters and buffers are inputs. Matching, rewriting and launchers are those of the judge, so that a graph gives the
same result here and there. The folder's code runs in this process: nothing isolates it, and nothing checks its rules.
"""

from evaluator.engine.backend.compiler import NoBackward, PassBackend, identity, interpret_without_gpu, passes
from evaluator.engine.backend.report import GraphReport, ReplacedMatch, ReportedNode

__all__ = [
    "GraphReport",
    "NoBackward",
    "PassBackend",
    "ReplacedMatch",
    "ReportedNode",
    "identity",
    "interpret_without_gpu",
    "passes",
]
