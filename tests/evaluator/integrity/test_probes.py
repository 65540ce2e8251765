"""The probes of a run, each with what must be told and what must not."""

import functools
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.integrity import probes, process_probe, state_probe
from evaluator.integrity.dispatch_guard import DispatchGuard
from evaluator.integrity.taint import Ledger

ROOT = Path(__file__).parents[3]


def classes(findings: list[Any]) -> list[tuple[str, str]]:
    return [(one["class"], one["severity"]) for one in findings]


# Inputs


@given(st.integers(0, 11), st.sampled_from([torch.float32, torch.bfloat16, torch.int64, torch.bool]))
def test_any_changed_element_changes_the_fingerprint(position: int, dtype: torch.dtype) -> None:
    tensor = torch.zeros(12, dtype=dtype)
    view = tensor[::2]  # a change in a gap of the view counts, too
    before = probes.fingerprint([view, 3])
    assert probes.input_findings(before, probes.fingerprint([view, 3])) == []
    tensor[position] = 1
    after = probes.fingerprint([view, 3])
    assert classes(probes.input_findings(before, after)) == [("input_mutation", "violation")]
    assert probes.input_findings(before, after, allowed=[0]) == []


def test_strides_belong_to_the_fingerprint() -> None:
    tensor = torch.ones(2, 2)
    before = probes.fingerprint([tensor])
    tensor.t_()
    assert probes.fingerprint([tensor]) != before


def test_attribute_on_an_input() -> None:
    tensor = torch.ones(2)
    assert probes.attribute_findings([tensor, 1]) == []
    tensor._kind = torch.float32  # type: ignore[attr-defined]
    assert classes(probes.attribute_findings([tensor])) == [("output_cache", "suspicious")]
    tensor._kind = {"out": tensor}  # type: ignore[attr-defined]
    assert classes(probes.attribute_findings([tensor])) == [("output_cache", "violation")]


def test_who_writes_in_place_is_told_what_to_do() -> None:
    (plain,) = probes.input_findings(["a", "b"], ["a", "c"])
    assert "input 1 was changed by the call; the graph leaves it as it is" in plain["evidence"]
    (told,) = probes.input_findings(["a"], ["c"], in_place=["Add"])
    assert "The pattern of Add writes in place" in told["evidence"] and "a launcher that returns" in told["evidence"]


def test_places_of_an_input_that_are_no_attributes_of_its_own() -> None:
    first, second = torch.ones(2), torch.ones(2)
    first.grad = torch.ones(2)
    second.untyped_storage().kept = first  # type: ignore[attr-defined]
    assert classes(probes.attribute_findings([first])) == [("output_cache", "violation")]
    assert classes(probes.attribute_findings([second])) == [("output_cache", "violation")]
    assert probes.attribute_findings([torch.ones(2), torch.ones(2, 2).to_sparse()]) == []


# Outputs


class Lazy(torch.Tensor):
    pass


class Promise:
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return None


def test_outputs_are_plain() -> None:
    hooked = torch.ones(2, requires_grad=True)
    hooked.register_hook(lambda grad: grad)
    assert probes.output_findings([torch.ones(2), 3, None, torch.nn.Parameter(torch.ones(1))]) == []
    for bad in (torch.ones(2).as_subclass(Lazy), Promise(), hooked):
        assert classes(probes.output_findings([bad])) == [("tensor_subclass", "violation")]


def test_aliases() -> None:
    x, old = torch.ones(4), torch.ones(4)
    assert probes.alias_findings([torch.ones(4), torch.empty(0)], [x], [old, torch.empty(0)]) == []
    assert classes(probes.alias_findings([x.view(2, 2)], [x], [])) == [("output_alias", "note")]
    assert probes.alias_findings([x.view(2, 2)], [x], [], expected=frozenset({(0, 0)})) == []
    assert classes(probes.alias_findings([old[1:]], [x], [old])) == [("output_alias", "suspicious")]
    assert classes(probes.alias_findings([x], [x], [x], expected=frozenset({(0, 0)}))) == []


def test_a_table_may_be_returned_again() -> None:
    ledger, table = Ledger(), torch.arange(4.0)
    assert probes.alias_findings([table], [], [table], ledger=ledger) == []
    ledger.mark(table)
    assert classes(probes.alias_findings([table], [], [table], ledger=ledger)) == [("output_alias", "suspicious")]


def test_a_stale_output_for_new_inputs() -> None:
    old = torch.tensor([1.0, 2.0])
    assert classes(probes.replay_findings([old.clone()], [old])) == [("output_cache", "violation")]
    assert probes.replay_findings([old + 1], [old]) == []
    assert probes.replay_findings([torch.ones(1)], [torch.ones(1)]) == []  # one number may be the same by chance


# Left-over memory


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_unwritten_share(dtype: torch.dtype) -> None:
    with DispatchGuard(()):
        whole, half = torch.empty(8, dtype=dtype), torch.empty(2, 4, dtype=dtype)
        strided = torch.empty_like(torch.ones(4, 4, dtype=dtype).t())
    half[0] = float("nan")
    assert whole.isnan().all()
    assert (probes.unwritten(whole), probes.unwritten(half), probes.unwritten(strided)) == (1.0, 0.5, 1.0)
    assert probes.unwritten(torch.full((4,), float("nan"), dtype=dtype)) == 0.0
    assert classes(probes.leftover_findings([whole, half, torch.ones(2)])) == [
        ("leftover_memory", "violation"),
        ("leftover_memory", "note"),
    ]


def test_integers_and_empty_outputs_can_not_be_told() -> None:
    minus_ones = torch.full((3,), -1)
    assert probes.leftover_findings([minus_ones, torch.empty(0), torch.ones(3, dtype=torch.bool), 5]) == []


POISONED = """
import torch
from evaluator.integrity import probes
size = 40_000  # bytes: small enough for malloc to hand the same block out again
probes.poison_free_memory([size])
print(any(probes.unwritten(block) > 0.9 for block in [torch.empty(size // 4) for _ in range(8)]))
"""


def test_poison_reaches_memory_that_is_allocated_again() -> None:
    """In a fresh process, as a runner is; which of the filled blocks malloc hands out first is its own affair."""
    done = subprocess.run([sys.executable, "-c", POISONED], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True\n", done.stderr


def test_poison_takes_a_bounded_amount_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    empty = torch.empty

    def noted(size: int, **rest: Any) -> torch.Tensor:
        asked.append(size)
        return empty(0, **rest)

    monkeypatch.setattr(torch, "empty", noted)
    probes.poison_free_memory([1 << 40, 100 << 20, 1000])
    assert asked[:2] == [100 << 20, 100 << 20]  # two of eight fit into 256 MiB, and all of the small ones
    assert asked.count(1000) == 8 and sum(asked) < 256 << 20


# Printed text


def test_printed_text() -> None:
    assert classes(probes.printed_findings("[Result] status: success")) == [("forged_output", "violation")]
    assert classes(probes.printed_findings('{"event": "run_done"}')) == [("forged_output", "violation")]
    assert probes.printed_findings("compiling kernel with BLOCK=128\n[FusePass] shapes (2, 3)") == []


# State


@pytest.fixture
def module() -> ModuleType:
    return ModuleType("pass_dir.Pass")


def keep_in(module: ModuleType, how: str, tensor: torch.Tensor) -> None:
    if how == "global":
        module.last = tensor  # type: ignore[attr-defined]
    elif how == "dict":
        module.store = {("k", 1): [tensor]}  # type: ignore[attr-defined]
    elif how == "closure":
        module.launch = lambda: tensor  # type: ignore[attr-defined]
    elif how == "default":
        module.launch = lambda x=[tensor]: x  # type: ignore[attr-defined,misc]
    elif how == "function attribute":
        module.launch = lambda: None  # type: ignore[attr-defined]
        module.launch.out = tensor
    elif how == "lru_cache":
        cached = functools.lru_cache(lambda key: tensor)
        cached(1)
        module.launch = cached  # type: ignore[attr-defined]
    elif how == "instance":
        module.box = type("Box", (), {})()  # type: ignore[attr-defined]
        module.box.inner = {1: tensor}
    elif how == "class":
        module.Box = type("Box", (), {"out": tensor, "__module__": "pass_dir.Pass"})  # type: ignore[attr-defined]
    elif how == "class that names a library":
        module.Box = type("OrderedDict", (), {"out": tensor, "__module__": "collections"})  # type: ignore[attr-defined]
    elif how == "instance of a class that names torch":
        module.box = type("Tensor", (), {"__module__": "torch", "__slots__": ("out",)})()  # type: ignore[attr-defined]
        module.box.out = tensor
    elif how == "class of a metaclass that lies":
        lies = type("Lies", (type,), {"__module__": "torch", "__flags__": 0})
        module.Box = lies("Box", (), {"out": tensor})  # type: ignore[attr-defined]
    elif how == "text":
        module.name = type("Name", (str,), {})("plain")  # type: ignore[attr-defined]
        module.name.out = tensor
    elif how == "module of its own":
        module.more = type("More", (ModuleType,), {})("more")  # type: ignore[attr-defined]
        module.more.out = tensor
    elif how == "module that names a library":
        module.more = ModuleType("math")  # type: ignore[attr-defined]
        module.more.out = tensor
    elif how == "partial":
        module.launch = functools.partial(print, tensor)  # type: ignore[attr-defined]
    elif how == "generator":
        module.steps = (tensor for _ in range(2))  # type: ignore[attr-defined]


WAYS = [
    "global",
    "dict",
    "closure",
    "default",
    "function attribute",
    "lru_cache",
    "instance",
    "class",
    "class that names a library",
    "instance of a class that names torch",
    "class of a metaclass that lies",
    "text",
    "module of its own",
    "module that names a library",
    "partial",
    "generator",
]


@pytest.mark.parametrize("how", [*WAYS, "generator"])
def test_kept_output_is_found_wherever_it_is(module: ModuleType, how: str) -> None:
    before = state_probe.snapshot([module])
    output = torch.arange(6.0)
    keep_in(module, how, output)
    after = state_probe.snapshot([module])
    assert classes(state_probe.state_findings(before, after, [], [output])) == [("output_cache", "suspicious")]
    assert classes(state_probe.state_findings(after, after, [], [output])) == [("output_cache", "violation")]


def test_output_of_each_call_is_kept(module: ModuleType) -> None:
    store: dict[int, torch.Tensor] = {}
    module.store, module.last = store, None  # type: ignore[attr-defined]
    snapshots = [state_probe.snapshot([module])]
    outputs = [torch.full((4,), float(number)) for number in range(3)]
    found = []
    for number, output in enumerate(outputs):
        store[number] = output
        snapshots.append(state_probe.snapshot([module]))
        found.append(classes(state_probe.state_findings(snapshots[-2], snapshots[-1], [], [output])))
    assert found == [[("output_cache", "suspicious")], [("output_cache", "violation")], [("output_cache", "violation")]]


def test_last_output_is_replaced_by_the_next(module: ModuleType) -> None:
    module.last = torch.zeros(4)  # type: ignore[attr-defined]
    before = state_probe.snapshot([module])
    module.last = output = torch.ones(4)
    found = state_probe.state_findings(before, state_probe.snapshot([module]), [], [output])
    assert classes(found) == [("output_cache", "violation")]


def test_buffer_that_is_filled_again_is_an_alias(module: ModuleType) -> None:
    module.buffer = torch.zeros(4)  # type: ignore[attr-defined]
    before = state_probe.snapshot([module])
    module.buffer.fill_(2.0)
    found = state_probe.state_findings(before, state_probe.snapshot([module]), [], [module.buffer.view(2, 2)])
    assert classes(found) == [("output_alias", "suspicious")]


def test_kept_input_is_found(module: ModuleType) -> None:
    x = torch.arange(4.0)
    before = state_probe.snapshot([module])
    module.kept = [x[1:]]  # type: ignore[attr-defined]
    found = state_probe.state_findings(before, state_probe.snapshot([module]), [x], [])
    assert classes(found) == [("output_cache", "violation")]


def test_tables_and_scratch_are_not_held_against_it(module: ModuleType) -> None:
    ledger = Ledger()
    before = state_probe.snapshot([module])
    module.table, module.scratch = {3: torch.arange(3)}, torch.ones(4)  # type: ignore[attr-defined]
    ledger.mark(module.scratch)
    found = state_probe.state_findings(
        before, state_probe.snapshot([module]), [torch.zeros(2)], [torch.ones(3)], ledger
    )
    assert classes(found) == [("output_cache", "note")]
    again = state_probe.snapshot([module])
    assert state_probe.state_findings(again, state_probe.snapshot([module]), [], [], ledger) == []


def test_walk_ends(module: ModuleType) -> None:
    module.loop = loop = []  # type: ignore[attr-defined]
    loop.append(loop)
    module.torch, module.many = torch, [[i, str(i), (i,)] for i in range(30_000)]  # type: ignore[attr-defined]
    assert not state_probe.snapshot([module]).complete


# Process


@pytest.fixture
def primitives() -> Iterator[process_probe.Primitives]:
    yield process_probe.capture_primitives()


def test_nothing_changed(primitives: process_probe.Primitives) -> None:
    assert process_probe.primitive_findings(primitives) == []


@pytest.mark.parametrize(
    ("owner", "name", "expected"),
    [
        (time, "perf_counter", {"monkeypatch"}),
        (torch.cuda, "synchronize", {"monkeypatch"}),
        (torch, "allclose", {"monkeypatch"}),
        (torch.cuda.Event, "elapsed_time", {"monkeypatch"}),
        (torch.nn.functional, "layer_norm", {"monkeypatch", "baseline_tampering"}),
        (torch, "softmax", {"monkeypatch", "baseline_tampering"}),
        (torch.Tensor, "__eq__", {"monkeypatch", "baseline_tampering"}),
    ],
)
def test_replaced_function(
    primitives: process_probe.Primitives, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, expected: set[str]
) -> None:
    monkeypatch.setattr(owner, name, lambda *args, **kwargs: 0.0)
    assert {one["class"] for one in process_probe.primitive_findings(primitives)} == expected


def test_changed_settings(primitives: process_probe.Primitives) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    torch.set_float32_matmul_precision("high")
    try:
        found = process_probe.primitive_findings(primitives)
    finally:
        torch.set_num_threads(before)
        torch.set_float32_matmul_precision("highest")
    assert ("baseline_tampering", "violation") in classes(found)
    assert ("baseline_tampering", "suspicious") in classes(found)


def test_threads(tmp_path: Path) -> None:
    stop = threading.Event()
    check = process_probe.watch_threads(Path(__file__).parent)
    other = process_probe.watch_threads(tmp_path)
    assert check() == []
    thread = threading.Thread(target=lambda: stop.wait(10), name="late work")
    thread.start()
    try:
        assert classes(check()) == [("background_thread", "violation")]
        assert classes(other()) == [("background_thread", "suspicious")]
    finally:
        stop.set()
        thread.join()
    assert check() == []


def test_baseline_beside_the_submission() -> None:
    assert process_probe.baseline_findings(1.0, 1.09) == []
    assert classes(process_probe.baseline_findings(67e-6, 282e-6)) == [("baseline_tampering", "suspicious")]
    assert process_probe.baseline_findings(0.0, 1.0) == []
