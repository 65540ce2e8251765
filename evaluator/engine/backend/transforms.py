"""Graphs whose tensors no kernel can take."""

from torch.fx import GraphModule


def transforms_of(module: GraphModule) -> list[str]:
    """Which transforms of `torch.func` a graph enters ("vmap", "grad", "jvp").

    Within one, tensors stand for a batch of tensors or carry derivatives, and have no memory that a kernel could read.
    """
    names = (getattr(node.target, "__name__", "") for node in module.graph.nodes if node.op == "call_function")
    return sorted({name.split("_")[1] for name in names if name.endswith("_increment_nesting")})
