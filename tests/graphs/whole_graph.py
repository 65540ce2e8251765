"""Texts of whole model graphs of any size, for tests and measurements of size. Made up here; no model's code."""

import random

_HEAD = "import torch\nfrom torch import device, inf\n\n\nclass GraphModule(torch.nn.Module):\n"


def whole_graph(layers: int, numbers: int = 0, seed: int = 0) -> str:
    """A transformer-like graph in the style of full samples: 19 operators and 8 weights a layer.

    One parameter per line with annotations, clean-up after most lines, a mask that all layers share, and `numbers`
    numbers spread over literals of 2,000.
    """
    weights = [f"L_self_modules_encoder_modules_layer_modules_{i}_parameters_weight_" for i in range(8 * layers)]
    lines = [f"        {name} : torch.nn.parameter.Parameter," for name in weights]
    signature = ["    def forward(", "        self,", "        L_input_ids_ : torch.Tensor,", *lines, "    ):"]
    body = ["l_mask = L_input_ids_.to(device(type='cuda', index=0), dtype = torch.float32)", "mask = l_mask * -inf"]
    body += _literals(numbers, seed)
    state = "L_input_ids_"
    for i in range(layers):
        body += _layer(i, state, weights[8 * i : 8 * i + 8])
        state = f"out_{i}"
    body.append(f"return ({state},)")
    return _HEAD + "\n".join(signature) + "\n" + "\n".join(f"        {line}" for line in body) + "\n"


def _layer(i: int, state: str, w: list[str]) -> list[str]:
    view = "(1, -1, 12, 64)"
    head = "[(slice(None, None, None), Ellipsis, slice(None, 12, None), None)]"
    return [
        f"query_{i} = torch._C._nn.linear({state}, {w[0]}, None);  {w[0]} = None",
        f"key_{i} = torch._C._nn.linear({state}, {w[1]}, None);  {w[1]} = None",
        f"value_{i} = torch._C._nn.linear({state}, {w[2]}, None);  {w[2]} = None",
        f"query_layer_{i} = query_{i}.view{view}.transpose(1, 2);  query_{i} = None",
        f"key_layer_{i} = key_{i}.view{view}.transpose(-1, -2);  key_{i} = None",
        f"value_layer_{i} = value_{i}{head};  value_{i} = None",
        f"scores_{i} = torch.matmul(query_layer_{i}, key_layer_{i});  query_layer_{i} = key_layer_{i} = None",
        f"scores_{i} += mask;  masked_{i} = scores_{i};  scores_{i} = None",
        f"probs_{i} = torch.nn.functional.softmax(masked_{i}, dim = -1, dtype = torch.float32);  masked_{i} = None",
        f"drop_{i} = torch.nn.functional.dropout(probs_{i}, 0.1, False, False);  probs_{i} = None",
        f"context_{i} = (drop_{i} @ value_layer_{i}).contiguous();  drop_{i} = value_layer_{i} = None",
        f"dense_{i} = torch._C._nn.linear(context_{i}, {w[3]}, {w[4]}) + {state};  context_{i} = {state} = None",
        f"norm_{i} = torch.nn.functional.layer_norm(dense_{i}, (768,), {w[5]}, {w[6]}, 1e-12);  dense_{i} = None",
        f"gelu_{i} = torch._C._nn.gelu(torch._C._nn.linear(norm_{i}, {w[7]}, None))",
        f"out_{i} = norm_{i} + gelu_{i};  norm_{i} = gelu_{i} = None",
    ]


def _literals(numbers: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    sizes = [min(2000, numbers - start) for start in range(0, numbers, 2000)]
    return [
        f"table_{k} = torch.tensor({[draw.randint(-50_000, 50_000) for _ in range(size)]}, device = device('cuda', 0))"
        for k, size in enumerate(sizes)
    ]


def long_file(statements: int) -> str:
    """A chain of so many statements, each cleaned up after."""
    lines = ["        tmp_0 = in_0 + 1"]
    lines += [f"        tmp_{i} = torch.relu(tmp_{i - 1});  tmp_{i - 1} = None" for i in range(1, statements)]
    return f"{_HEAD}    def forward(self, in_0):\n" + "\n".join(lines) + f"\n        return (tmp_{statements - 1},)\n"
