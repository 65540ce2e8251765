"""Plain values that describe one shipped graph, and the text of its files."""

import hashlib
import json
import re
from dataclasses import dataclass

SHORT = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}
NAME = re.compile(r"\b(?:in|tmp)_\d+\b")


@dataclass(frozen=True)
class Tensor:
    """One input: its `data`, or values replayed as `randn · std · 0.2 + mean` and clipped to `[low, high]`."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    mean: float = 0.0
    std: float = 1.0
    low: float | None = None
    high: float | None = None
    data: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Graph:
    """One graph: its folder name, the model whose pattern it follows, its statements and its inputs `in_0, in_1, …`."""

    name: str
    model: str
    tag: str  # "nlp" | "cv"
    body: tuple[str, ...]
    outputs: tuple[str, ...]
    inputs: tuple[Tensor, ...]


def model_source(graph: Graph) -> str:
    """Text of model.py, with the clean-up that TorchDynamo prints after the last use of each name."""
    last_use = {name: i for i, line in enumerate(graph.body) for name in NAME.findall(line.split(" = ", 1)[1])}
    arguments = ", ".join(f"in_{i}" for i in range(len(graph.inputs)))
    lines = ["import torch", "", "", "class GraphModule(torch.nn.Module):", f"    def forward(self, {arguments}):"]
    for i, line in enumerate(graph.body):
        used = dict.fromkeys(NAME.findall(line.split(" = ", 1)[1]))
        done = [name for name in used if last_use[name] == i and name not in graph.outputs]
        lines.append(f"        {line}" + (f";  {' = '.join(done)} = None" if done else ""))
    returned = ", ".join(graph.outputs) + ("," if len(graph.outputs) == 1 else "")
    return "\n".join([*lines, f"        return ({returned})", ""])


def weight_meta(graph: Graph) -> str:
    """Text of weight_meta.py: one class an input, parameters and activations alike, as in decomposed subgraphs."""
    return "\n".join(_tensor_class(f"in_{i}", tensor) for i, tensor in enumerate(graph.inputs))


def _tensor_class(name: str, tensor: Tensor) -> str:
    fields: dict[str, object] = {
        "name": f'"{name}"',
        "shape": list(tensor.shape),
        "dtype": f'"torch.{tensor.dtype}"',
        "device": '"cuda:0"',
        "mean": tensor.mean,
        "std": tensor.std,
        "data": None if tensor.data is None else list(tensor.data),
    }
    if tensor.low is not None:
        fields["min_val"] = tensor.low
    if tensor.high is not None:
        fields["max_val"] = tensor.high
    return f"class Program_weight_tensor_meta_{name}:\n" + "".join(f"\t{k} = {v}\n" for k, v in fields.items())


def graph_net(graph: Graph) -> str:
    """Text of graph_net.json."""
    value = {
        "framework": "torch",
        "num_devices_required": 1,
        "num_nodes_required": 1,
        "dynamic": False,
        "model_name": graph.model,
        "source": "written for PassNet Workbench",
        "heuristic_tag": graph.tag,
    }
    return json.dumps(value, indent=4) + "\n"


def files(graph: Graph) -> dict[str, str]:
    """Every file of the graph's folder: name → text."""
    source = model_source(graph)
    return {
        "model.py": source,
        "weight_meta.py": weight_meta(graph),
        "input_meta.py": "",
        "graph_net.json": graph_net(graph),
        "graph_hash.txt": hashlib.sha256(source.encode()).hexdigest(),
    }
