"""Code of a submission runs behind the guard; nothing else notices it."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
import triton

from evaluator.events import Finding
from evaluator.integrity import facades, import_guard, process_probe

KERNEL = """
import torch, triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)

@torch.fx.wrap
def launch(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=16)
    return out
"""


class Sandbox:
    """A pass_dir with an installed guard; `run` imports a file of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: list[Finding] = []
        self.guard = import_guard.install(folder, self.found.append)

    def run(self, text: str, name: str = "a_pass") -> ModuleType:
        path = self.folder / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(f"pass_dir.{name}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[f"pass_dir.{name}"] = module
        spec.loader.exec_module(module)
        return module

    def classes(self) -> list[str]:
        return [one["class"] for one in self.found]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox(tmp_path)
    path = list(sys.path)
    yield made
    made.guard.uninstall()
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("pass_dir.")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "text",
    [
        KERNEL,
        "from torch import *\nfrom math import *\nx = relu, sqrt",
        "import torch.nn.functional as F\nfrom torch.nn import functional\nassert F.relu is functional.relu",
        "import torch\nassert torch.nn.functional.relu is __import__('torch').nn.functional.relu",
        "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\nassert os.path.exists(__file__)",
        "import numpy as np\nn = int(np.prod((2, 3)))",
        "import sys\nt = sys.modules\nt['_mine'] = t[__name__]\nassert '_mine' in t\ndel t['_mine']",
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass A:\n    x: int = 1\nassert A(2).x == 2",
        "from collections import namedtuple\nP = namedtuple('P', 'a b')\nassert P(1, 2).b == 2",
        "import torch\n@torch.compiler.disable\ndef f(x): return x\nfrom torch._dynamo import disable",
        "import torch\ng = torch._C._nn.gelu, torch.ops.aten.add.Tensor, torch.jit._unwrap_optional",
        "import time, threading, inspect\nlock = threading.Lock()\nt = time.perf_counter\ns = inspect.signature(len)",
        "x = getattr([], 'append')\nclass A: pass\nsetattr(A, 'y', 1)\nsetattr(A(), 'z', 2)\nassert hasattr(A, 'y')",
        "try:\n    import not_there_at_all\nexcept ImportError:\n    pass",
        "text = open(__file__).read()",
        "import logging, warnings\nwarnings.filterwarnings('ignore')\nlogging.getLogger(__name__).debug('x')",
        "import importlib\nme = importlib.import_module('pass_dir.a_pass')",
    ],
)
def test_honest_code_runs_without_a_finding(sandbox: Sandbox, text: str) -> None:
    sandbox.run(text)
    assert sandbox.found == []


def test_helper_in_all_four_ways(sandbox: Sandbox) -> None:
    (sandbox.folder / "helper.py").write_text("def f(): return open\n")
    package = ModuleType("pass_dir")
    package.__path__ = [str(sandbox.folder)]
    sys.modules["pass_dir"] = package
    try:
        module = sandbox.run(
            "import os, sys, importlib.util\n"
            "from pass_dir.helper import f as first\n"
            "from .helper import f as second\n"
            "sys.path.insert(0, os.path.dirname(__file__))\n"
            "from helper import f as third\n"
            "spec = importlib.util.spec_from_file_location('h', os.path.join(os.path.dirname(__file__), 'helper.py'))\n"
            "h = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(h)\n"
        )
    finally:
        del sys.modules["pass_dir"]
        sys.modules.pop("helper", None)
    assert sandbox.found == []
    restricted = sandbox.guard.builtins["open"]
    assert [f() for f in (module.first, module.second, module.third, module.h.f)] == [restricted] * 4


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        ("dynamic_code", "exec('x = 1')"),
        ("dynamic_code", "import builtins\nrun = builtins.eval\nrun('1')"),
        ("dynamic_import", "import importlib\nimportlib.import_module('tor' + 'ch')"),
        ("dynamic_import", "getattr(len, '__glo' + 'bals__', None)"),
        ("reference_search", "getattr((i for i in ()), 'gi_' + 'frame')"),
        ("unpickle", "import pickle"),
        ("unpickle", "import torch\ntorch.load"),
        ("raw_memory", "__import__('cty' + 'pes')"),
        ("network", "from socket import socket"),
        ("subprocess", "import os\ngetattr(os, 'sys' + 'tem')"),
        ("subprocess", "import torch\nrun = torch.os.system"),
        ("early_exit", "import os\nos._exit"),
        ("early_exit", "exit(0)"),
        ("exit_hook", "import atexit"),
        ("reference_search", "import sys\nsys._getframe(0)"),
        ("reference_search", "import gc\nfind = getattr(gc, 'get_' + 'objects')"),
        ("file_access", "open('/etc/hostname')"),
        ("file_access", "import io\nio.open('/etc/hostname')"),
        ("file_access", "open('new.txt', 'w')"),
        ("background_thread", "from threading import Thread"),
        ("compile_delegation", "import torch\nf = getattr(torch, 'com' + 'pile')"),
        ("compile_delegation", "import torch._inductor.compile_fx"),
        ("compile_delegation", "from torch.utils.cpp_extension import load_inline"),
        ("guard_detection", "import torch\nn = torch._C._len_torch_dispatch_stack"),
        ("guard_detection", "from torch.utils._python_dispatch import _get_current_dispatch_mode"),
        ("guard_detection", "import evaluator.integrity.dispatch_guard"),
        ("baseline_tampering", "import torch\ntorch.set_num_threads(1)"),
        ("monkeypatch", "import torch\nsetattr(torch.Tensor, 'add', None)"),
        ("monkeypatch", "import sys\nsys.modules['time'] = None"),
        ("dynamic_import", "import tomllib"),
        ("dynamic_import", "import importlib.util\nimportlib.util.spec_from_file_location('x', '/etc/x.py')"),
    ],
)
def test_forbidden_road_is_refused_and_reported(sandbox: Sandbox, cls: str, text: str) -> None:
    with pytest.raises(Exception):  # noqa: B017
        sandbox.run(text)
        raise LookupError  # `getattr` with a default does not raise
    assert cls in sandbox.classes()
    assert sandbox.found[0]["file"] == "a_pass.py"
    assert sandbox.found[0]["line"] == text.count("\n") + 1


def test_patching_a_stand_in_patches_nothing(sandbox: Sandbox) -> None:
    import time

    clock, relu = time.perf_counter, torch.nn.functional.relu
    module = sandbox.run(
        "import time, torch\nimport torch.nn.functional as F\n"
        "time.perf_counter = lambda: 0.0\nF.relu = None\ntorch.allclose = lambda *a: True\n"
        "sees = time.perf_counter(), torch.nn.functional.relu"
    )
    assert module.sees == (0.0, None)
    assert time.perf_counter is clock
    assert torch.nn.functional.relu is relu


def test_lazy_imports_of_other_code_are_not_restricted(sandbox: Sandbox) -> None:
    module = sandbox.run("import json\n\ndef call(f): return f()\n")

    def imports_socket() -> ModuleType:
        import socket

        return socket

    assert module.call(imports_socket).__name__ == "socket"
    assert sandbox.found == []


def test_launcher_is_guarded_when_it_is_called(sandbox: Sandbox) -> None:
    module = sandbox.run("def launch(x):\n    import subprocess\n    return x\n")
    with pytest.raises(ImportError):
        module.launch(1)
    assert [(one["class"], one["line"]) for one in sandbox.found] == [("subprocess", 2)]


def test_a_finding_is_told_once_a_line(sandbox: Sandbox) -> None:
    module = sandbox.run("def launch(x):\n    try:\n        import subprocess\n    except ImportError:\n        pass\n")
    module.launch(1)
    module.launch(1)
    assert len(sandbox.found) == 1


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("import torch\ntorch.library.Library('aten', 'IMPL')", "baseline_tampering"),
        ("import torch\ntorch.library.Library(ns='aten', kind='IMPL')", "baseline_tampering"),
        ("from torch.library import impl\nimpl('aten::relu', 'CPU')", "baseline_tampering"),
        ("import torch\ntorch.library.register_kernel(torch.ops.aten.relu.default, 'cpu')", "baseline_tampering"),
        ("import torch\ntorch.library.register_autograd(torch.ops.aten.relu, None)", "baseline_tampering"),
        ("import torch\ntorch.overrides._get_current_function_mode()", "guard_detection"),
        ("from torch.overrides import TorchFunctionMode", "guard_detection"),
        ("from torch.cuda import graphs\ngraphs.CUDAGraph", "compile_delegation"),
        ("import torch\ntorch.cuda.memory_snapshot()", "reference_search"),
        ("import torch\ntorch.cuda.caching_allocator_alloc(8)", "raw_memory"),
    ],
)
def test_what_is_torchs_own_is_not_registered_anew_nor_looked_into(sandbox: Sandbox, text: str, cls: str) -> None:
    with pytest.raises((RuntimeError, AttributeError, ImportError)):
        sandbox.run(text)
    assert sandbox.classes() == [cls]


def test_operators_of_one_s_own_are_registered(sandbox: Sandbox) -> None:
    module = sandbox.run(
        "import torch\n"
        "kept = torch.library.Library('guard_test', 'DEF')\n"
        "kept.define('twice(Tensor x) -> Tensor')\n"
        "torch.library.impl(kept, 'twice', 'CPU')(lambda x: x + x)\n"
        "@torch.library.custom_op('guard_test2::same', mutates_args=())\n"
        "def same(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n"
        "@torch.library.register_fake('guard_test2::same')\n"
        "def _(x):\n    return torch.empty_like(x)\n"
        "assert torch.overrides.is_tensor_like(torch.ones(1))\n"
    )
    assert torch.ops.guard_test.twice(torch.ones(2)).tolist() == [2.0, 2.0] and module.same(torch.ones(1)).item() == 1.0
    assert sandbox.found == []


def test_launch_hooks_and_the_driver_are_asked_for() -> None:
    before = process_probe.capture_primitives()
    hooks = triton.knobs.runtime
    kept = hooks.launch_enter_hook
    hooks.launch_enter_hook = lambda *_: None
    try:
        found = process_probe.primitive_findings(before)
    finally:
        hooks.launch_enter_hook = kept
    assert [(one["class"], one["severity"]) for one in found] == [("baseline_tampering", "violation")]
    assert process_probe.primitive_findings(before) == []


def test_a_kernel_that_names_a_module_is_one_that_triton_compiles(sandbox: Sandbox) -> None:
    """Triton's compiler knows a module by its exact type; it copies any other global, and refuses it."""
    top = "import math, torch, triton\nfrom torch._inductor.runtime import triton_helpers"
    module = sandbox.run(KERNEL.replace("import torch, triton", top).replace("* 2", "* math.pi"))
    assert facades.is_facade(module.math) and type(module.math) is ModuleType
    assert type(module.triton_helpers) is ModuleType and "maximum" in dir(module.triton_helpers)
    compiled = triton.runtime.jit.JITFunction(module.kernel.fn)
    assert compiled.cache_key and list(compiled.used_global_vals) == []
    assert sandbox.classes() == []
