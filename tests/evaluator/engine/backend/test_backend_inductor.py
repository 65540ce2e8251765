"""`then="inductor"`: launchers stay what they are, the rest is compiled. The first compile takes long."""

import pytest
import torch
from pass_folders import RELU, SCALED, folder, one
from torch import nn
from torch._dynamo.exc import BackendCompilerFailed

from evaluator.engine.backend import NoBackward, passes
from evaluator.engine.backend.results import LauncherResult

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(autouse=True)
def a_fresh_dynamo():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def pair(rows=4):
    return torch.randn(rows, 8), torch.randn(rows, 8)


def close(found, expected):
    torch.testing.assert_close(found, expected)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, y):
        h = torch.tanh(self.linear(x)) * 2
        total = h + y * 3
        return torch.sigmoid(total).sum(-1), torch.relu(torch.relu(total) + x) - 1


@torch.no_grad()
def test_the_rest_is_compiled_into_one_graph_with_the_launchers_in_it(tmp_path):
    from torch._inductor import metrics

    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU), then="inductor")
    model, inputs = Block(), pair()
    metrics.reset()
    close(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    (graph,) = backend.report
    assert [match.pass_name for match in graph.matches] == ["Scaled", "Relu"]
    assert (graph.then, graph.fallback, graph.notes) == ("inductor", None, ())
    assert metrics.generated_kernel_count >= 2  # tanh · 2; sigmoid, sum; relu - 1
    assert "2 matches, then inductor" in backend.explain()


@torch.no_grad()
def test_one_graph_for_all_sizes(tmp_path):
    backend = passes(folder(tmp_path / "p", Scaled=SCALED, Relu=RELU), then="inductor")
    model = Block()
    compiled = torch.compile(model, backend=backend, dynamic=True)
    for rows in (4, 6, 3):
        inputs = pair(rows)
        close(compiled(*inputs), model(*inputs))
    assert [len(graph.matches) for graph in backend.report] == [2]


@torch.no_grad()
def test_no_match_is_plain_inductor(tmp_path):
    backend = passes(folder(tmp_path / "p", Relu=RELU), then="inductor")
    x, y = pair()
    compiled = torch.compile(lambda x, y: torch.tanh(x * y), backend=backend, mode="default", options=None)
    close(compiled(x, y), torch.tanh(x * y))
    assert backend.report[0].matches == () and backend.report[0].then == "inductor"


def test_without_a_backward_all_of_the_graph_is_inductors(tmp_path):
    backend = passes(folder(tmp_path / "p", Relu=RELU), then="inductor")
    linear = nn.Linear(8, 8)

    def model(x, y):
        return torch.relu(linear(x) + y) * 2

    inputs = pair()
    with pytest.warns(NoBackward):
        found = torch.compile(model, backend=backend)(*inputs)
    close(found, model(*inputs))
    close(torch.autograd.grad(found.sum(), linear.weight), torch.autograd.grad(model(*inputs).sum(), linear.weight))


@torch.no_grad()
def test_a_launcher_is_called_with_literals_and_values_as_replacement_args_made_them(tmp_path):
    text = one(
        "return torch.relu(x + y)",
        args='(x, [y, y], x.shape[0], "on", None, (1, 2.5), torch.half, y.view(-1), x.shape, slice(0, x.size(1)))',
        top="""
        calls = []

        def launcher(*args):
            calls.append(args)
            return torch.relu(args[0] + args[1][0])
        """,
        launcher="launcher",
    )
    backend = passes(folder(tmp_path / "p", Relu=text), then="inductor")
    x, y = pair()
    compiled = torch.compile(lambda x, y: torch.relu((x * 2) + y) * 2, backend=backend)
    close(compiled(x, y), torch.relu(x * 2 + y) * 2)
    (args,) = backend.passes[0].module.calls
    assert args[2:7] == (4, "on", None, (1, 2.5), torch.float16)
    assert isinstance(args[1], list) and torch.equal(args[1][1], y) and torch.equal(args[7], y.view(-1))
    close(args[0], x * 2)
    assert args[8] == x.shape and args[9] == slice(0, 8)


@torch.no_grad()
def test_two_matches_of_one_pass_and_outputs_of_which_one_is_unused(tmp_path):
    text = one("total = x + y\nreturn total, torch.relu(total)", args='(x, y, "both", 1, None)')
    backend = passes(folder(tmp_path / "p", Both=text), then="inductor")

    def model(x, y):
        a = torch.relu(x + y)  # its sum is not used
        b = a + x
        return torch.relu(b) * 2, b * 3

    inputs = pair()
    close(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert len(backend.report[0].matches) == 2


@torch.no_grad()
def test_results_laid_out_in_another_way_or_shared_with_an_input(tmp_path):
    """Inductor generates code for eager's strides, and takes every result for memory of its own."""
    transposed = one(
        "return torch.relu(x + y)",
        args="(x, y)",
        top="""
        def launcher(x, y):
            return torch.relu(x + y).t().contiguous().t()
        """,
        launcher="launcher",
    )
    returned = one(
        "return x.contiguous().contiguous()",
        args="(x,)",
        inputs="x",
        top="""
        def launcher(x):
            return x
        """,
        launcher="launcher",
    )
    backend = passes(folder(tmp_path / "p", Transposed=transposed, Returned=returned), then="inductor")

    def model(x, y):
        z = torch.relu(x + y)
        same = (x * 2).contiguous().contiguous()
        return z.view(-1) * 2, same.add_(1) + z

    inputs = pair()
    close(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert [match.pass_name for match in backend.report[0].matches] == ["Transposed", "Returned"]


@torch.no_grad()
def test_a_launcher_that_changes_what_its_pattern_changes(tmp_path):
    """Code before the launcher that reads the value has to run before, although the launcher returns a new one."""
    text = one(
        "h = x.add_(y)\nreturn h * 2",
        args="(x, y)",
        top="""
        def launcher(x, y):
            return x.add_(y) * 2
        """,
        launcher="launcher",
    )
    backend = passes(folder(tmp_path / "p", Add=text), then="inductor")

    def model(x, y):
        h = torch.tanh(x) + 1
        before = h * 3
        after = h.add_(y) * 2
        return before, after

    inputs = pair()
    close(torch.compile(model, backend=backend)(*inputs), model(*inputs))
    assert len(backend.report[0].matches) == 1


@torch.no_grad()
def test_within_autocast(tmp_path):
    text = one("return torch.relu(x + y)", args='(x, y, "relu", 1, None)')
    backend = passes(folder(tmp_path / "p", Relu=text), then="inductor")
    linear = nn.Linear(8, 8)

    def model(x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = torch.relu(linear(x) + y)
            return linear(z) * 2

    x, y = torch.randn(4, 8), torch.randn(4, 8).bfloat16()
    found = torch.compile(model, backend=backend)(x, y)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found, model(x, y), rtol=0.05, atol=0.05)
    assert len(backend.report[0].matches) == 1


@torch.no_grad()
def test_a_launcher_that_calls_torch_computes_in_the_dtype_of_its_region(tmp_path):
    """Inductor runs its code with autocast off. 257 is 256 in bfloat16, so the dtype shows in the value as well."""
    product = one(
        "return x.matmul(y)",
        args="(x, y)",
        top="""
        dtypes = []

        def launcher(x, y):
            dtypes.append(torch.matmul(x, y).dtype)
            return torch.matmul(x, y)
        """,
        launcher="launcher",
    )
    backend = passes(folder(tmp_path / "p", Product=product), then="inductor")

    def model(x, y):
        around = x.matmul(y) + 0
        with torch.autocast("cpu", dtype=torch.float16):
            inner = x.matmul(y) + 0
        with torch.autocast("cpu", enabled=False):
            off = x.matmul(y) + 0
        return around, inner, off

    x, y = torch.full((1, 1), 257.0), torch.ones(1, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = torch.compile(model, backend=backend)(x, y)
    assert [(one.item(), one.dtype) for one in found] == [
        (256, torch.bfloat16),
        (257, torch.float16),
        (257, torch.float32),
    ]
    assert backend.passes[0].module.dtypes == [torch.bfloat16, torch.float16, torch.float32]


@torch.no_grad()
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("(x + y).double()", r"torch.float64 \[4, 8\] on cpu; the graph has torch.float32 \[4, 8\]"),
        ("(x + y)[:2]", r"torch.float32 \[2, 8\] on cpu; the graph has"),
        ("3", "returned a int in the place of a tensor"),
    ],
)
def test_a_result_that_generated_code_could_not_read(tmp_path, returned, said):
    top = f"""
    def launcher(x, y):
        return {returned}
    """
    text = one("return torch.relu(x + y)", args="(x, y)", top=top, launcher="launcher")
    backend = passes(folder(tmp_path / "p", Relu=text), then="inductor")
    x, y = pair()
    with pytest.raises(LauncherResult, match=said):
        torch.compile(lambda x, y: torch.relu(x + y) * 2, backend=backend)(x, y)


@torch.no_grad()
def test_a_wrong_size_of_a_dynamic_dimension_is_noticed(tmp_path):
    top = """
    def launcher(x, y):
        return torch.relu(x + y)[:-1].contiguous()
    """
    text = one("return torch.relu(x + y)", args="(x, y)", top=top, launcher="launcher")
    backend = passes(folder(tmp_path / "p", Relu=text), then="inductor")
    x, y = pair()
    with pytest.raises(AssertionError, match="expected size"):
        torch.compile(lambda x, y: torch.relu(x + y) * 2, backend=backend, dynamic=True)(x, y)


@torch.no_grad()
def test_what_no_operator_takes_runs_eagerly_and_is_said(tmp_path):
    text = one(
        "return torch.relu(x.max(1)[0])",
        args="(x.max(1),)",
        inputs="x",
        top="""
        def launcher(pair):
            return torch.relu(pair[0])
        """,
        launcher="launcher",
    )
    backend = passes(folder(tmp_path / "p", Relu=text), then="inductor")
    x, _ = pair()
    close(torch.compile(lambda x: torch.relu(x.max(1)[0]) * 2, backend=backend)(x), torch.relu(x.max(1)[0]) * 2)
    (graph,) = backend.report
    assert graph.then == "eager" and len(graph.matches) == 1
    assert "runs eagerly, not with Inductor: launcher: " in graph.notes[0]


@torch.no_grad()
def test_a_missing_compiler_names_the_command(tmp_path):
    backend = passes(folder(tmp_path / "p", Relu=RELU), then="inductor")
    options = {"cpp.cxx": (None, "no-such-compiler")}
    with pytest.raises(BackendCompilerFailed, match="apt-get install g"):
        torch.compile(lambda x, y: torch.relu(x + y) * 7, backend=backend, options=options)(*pair())
