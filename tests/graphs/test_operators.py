"""The class that tints a node and the label that is written on it."""

import pytest

from graphs.fx_source import parse
from graphs.operators import operator_class, operator_label


@pytest.mark.parametrize(
    ("code", "kind", "label"),
    [
        ("x + y", "pointwise", "+"),
        ("x @ y", "matmul", "@"),
        ("x ** 2", "pointwise", "**"),
        ("-x", "pointwise", "-"),
        ("~x", "pointwise", "~"),
        ("not x", "pointwise", "not"),
        ("x <= y", "pointwise", "<="),
        ("x is y", "other", "is"),
        ("operator.iadd(x, y)", "pointwise", "+="),
        ("operator.iand(x, y)", "pointwise", "&="),
        ("operator.imatmul(x, y)", "matmul", "@="),
        ("operator.setitem(x, 0, y)", "gather", "[ ]="),
        ("x[0]", "view", "[ ]"),
        ("x[:, None, y.size(0):]", "view", "[ ]"),
        ("x[y]", "gather", "[ ]"),
        ("x[:, (y, 1)]", "gather", "[ ]"),
        ("x.shape", "other", ".shape"),
        ("x.T", "view", ".T"),
        ("x.view(1)", "view", "view"),
        ("x.add_(y)", "pointwise", "add_"),
        ("x.relu_()", "pointwise", "relu_"),
        ("x.masked_fill(y, 0)", "pointwise", "masked_fill"),
        ("x.to(torch.float16)", "pointwise", "to"),
        ("torch.sum(x)", "reduction", "sum"),
        ("torch.ops.aten.sum.dim_IntList(x, [1])", "reduction", "sum"),
        ("torch.ops.aten._softmax.default(x, 1, False)", "normalisation", "_softmax"),
        ("torch.nn.functional.layer_norm(x, (1,))", "normalisation", "layer_norm"),
        ("torch.nn.functional.softmax(x)", "normalisation", "softmax"),
        ("torch.nn.functional.adaptive_avg_pool2d(x, 1)", "reduction", "adaptive_avg_pool2d"),
        ("torch.conv2d(x, y)", "matmul", "conv2d"),
        ("torch._C._nn.linear(x, y)", "matmul", "linear"),
        ("torch._C._nn.gelu(x)", "pointwise", "gelu"),
        ("torch.einsum('ij,jk', x, y)", "matmul", "einsum"),
        ("torch._C._nn.scaled_dot_product_attention(x, x, x)", "matmul", "scaled_dot_product_attention"),
        ("torch.cat([x, y])", "view", "cat"),
        ("torch.roll(x, 1)", "view", "roll"),
        ("torch.functional.split(x, 1)", "view", "split"),
        ("torch.nn.functional.embedding(x, y)", "gather", "embedding"),
        ("torch.gather(x, 0, y)", "gather", "gather"),
        ("torch.nn.functional.dropout(x)", "random", "dropout"),
        ("torch.rand(3)", "random", "rand"),
        ("x.normal_()", "random", "normal_"),
        ("FuseNorm_launch(x)", "other", "FuseNorm_launch"),
        ("self.weight", "other", "weight"),
    ],
)
def test_class_and_label(code: str, kind: str, label: str) -> None:
    node = parse(f"def forward(self, x, y):\n    z = {code}\n    return z\n").node("z")
    assert (operator_class(node), operator_label(node)) == (kind, label)


def test_inputs_and_outputs() -> None:
    graph = parse("def forward(self, x):\n    return x\n")
    assert [(operator_class(node), operator_label(node)) for node in graph.nodes] == [
        ("other", "x"),
        ("other", "output"),
    ]
