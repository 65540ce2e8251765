"""Questions that a run asks about its own memory, outputs, clocks and threads.

Plain functions: the runner takes a snapshot, calls the candidate, and compares. Each returns findings or plain values;
none changes what it looks at. `files` names the submission where a finding has no line of its own.
"""

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from evaluator.events import Finding
from evaluator.integrity.analysis.report import make_finding
from evaluator.integrity.analysis.text_rules import looks_forged
from evaluator.integrity.taint import Ledger, storage_key, storage_of
from evaluator.verdicts import FindingClass, Severity

CHECK = "probe"
_PLAIN = (torch.Tensor, torch.nn.Parameter)
POISON = 0xFF  # as a byte: NaN in every floating type, -1 or the largest number in integers

_WORDS = 1 << 22  # of 8 bytes, hashed at a time on a device: 32 MiB, and three times that while it is done
#: Odd, and drawn anew by each process that imports this: nobody can write other values of the same fingerprint.
_KEYS = tuple((secrets.randbits(63) | 1) - (1 << 62) * 2 * secrets.randbelow(2) for _ in range(4))


def found(cls: FindingClass, evidence: str, severity: Severity = Severity.VIOLATION) -> Finding:
    """A finding of a probe: it knows no line."""
    return make_finding(cls, severity, None, None, evidence, CHECK)


# Inputs


def fingerprint(values: Sequence[Any]) -> tuple[str, ...]:
    """One text for each value: bytes of the whole storage (gaps of views included), shape, strides, dtype, offset."""
    return tuple(_fingerprint(value) for value in values)


def _fingerprint(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    layout = f"{value.dtype} {tuple(value.shape)} {value.stride()} {value.storage_offset()}"
    memory = torch.empty(0, dtype=torch.uint8, device=value.device).set_(value.untyped_storage())  # type: ignore[call-overload]
    return f"{layout} {_digest(memory) if memory.device.type == 'cpu' else _keyed_sum(memory)}"


def _digest(memory: torch.Tensor) -> str:
    return hashlib.blake2b(memory.cpu().numpy().data, digest_size=16).hexdigest()


def _keyed_sum(memory: torch.Tensor) -> str:
    """A keyed hash of bytes, computed where they are: copying inputs to the host would cost more than most graphs.

    Each word is mixed and multiplied by a weight of its place; the sum is taken modulo 2⁶⁴, as integers wrap.
    """
    whole = memory.numel() // 8 * 8
    words = memory[:whole].view(torch.int64)
    total = torch.zeros((), dtype=torch.int64, device=memory.device)
    for start in range(0, words.numel(), _WORDS):
        part = words[start : start + _WORDS]
        weight = torch.arange(start, start + part.numel(), device=memory.device).mul_(_KEYS[0]).add_(_KEYS[1])
        weight.bitwise_xor_(weight >> 29).mul_(_KEYS[2])
        mixed = part * _KEYS[3]
        total += mixed.bitwise_xor_(mixed >> 31).mul_(weight).sum()
    return f"{int(total):x} {_digest(memory[whole:])}"


def input_findings(
    before: Sequence[str], after: Sequence[str], allowed: Sequence[int] = (), in_place: Iterable[str] = ()
) -> list[Finding]:
    """Inputs whose fingerprint changed during a call.

    `allowed`: positions that the graph itself writes into. `in_place`: passes whose pattern writes into its arguments;
    such a pattern matches a graph that does not, too, and there the launcher must leave its arguments alone.
    """
    changed = [
        index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new and index not in allowed
    ]
    advice = "the graph leaves it as it is: write into new memory (torch.empty_like), not into an argument"
    if passes := ", ".join(sorted(in_place)):
        advice += (
            f". The pattern of {passes} writes in place and matches out of place, too (`x += y` finds `x + y`): a "
            "launcher that returns a new tensor is right for both"
        )
    return [found(FindingClass.INPUT_MUTATION, f"input {at} was changed by the call; {advice}") for at in changed]


def attribute_findings(inputs: Sequence[Any]) -> list[Finding]:
    """Things that were hung onto input tensors or their storages: violations where they are or may hold tensors."""
    tensors = [value for value in inputs if type(value) is torch.Tensor]
    hung = {name: thing for value in tensors for name, thing in _hung(value)}
    findings: list[Finding] = []
    for name, thing in sorted(hung.items()):
        harmless = isinstance(thing, int | float | str | bool | torch.dtype | torch.device | None)
        severity = Severity.SUSPICIOUS if harmless else Severity.VIOLATION
        findings.append(found(FindingClass.OUTPUT_CACHE, f"the call left `.{name}` on an input", severity))
    return findings


def _hung(tensor: torch.Tensor) -> Iterator[tuple[str, Any]]:
    yield from vars(tensor).items()
    if tensor.is_leaf and tensor.grad is not None:
        yield "grad", tensor.grad
    if tensor._backward_hooks:
        yield "_backward_hooks", tensor._backward_hooks
    storage = storage_of(tensor)
    for name, thing in getattr(storage, "__dict__", {}).items():
        yield f"untyped_storage().{name}", thing


# Outputs


def output_findings(outputs: Sequence[Any]) -> list[Finding]:
    """Outputs must be plain tensors with memory of their own kind: no subclass, nothing lazy, no hooks."""
    findings: list[Finding] = []
    for index, value in enumerate(outputs):
        if not isinstance(value, torch.Tensor):
            if hasattr(type(value), "__torch_function__") or hasattr(type(value), "__torch_dispatch__"):
                words = f"output {index} is a {type(value).__name__} that acts as a tensor"
                findings.append(found(FindingClass.TENSOR_SUBCLASS, words))
            continue
        if type(value) not in _PLAIN:
            findings.append(found(FindingClass.TENSOR_SUBCLASS, f"output {index} is a {type(value).__name__}"))
        elif vars(value) or value._backward_hooks:
            findings.append(found(FindingClass.TENSOR_SUBCLASS, f"output {index} carries attributes or hooks"))
    return findings


def alias_findings(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    earlier: Sequence[Any],
    expected: frozenset[tuple[int, int]] = frozenset(),
    ledger: Ledger | None = None,
) -> list[Finding]:
    """Outputs that share memory with an input or with an output of an earlier call that is still held.

    `expected`: pairs (output, input) that share memory in the reference, too, e.g. where the graph makes a view.
    A new tensor can not share memory with a held one: sharing with an earlier output means it was kept. With a `ledger`
    (of the dispatch guard) only data counts: a table made of sizes may be returned again.
    """
    findings: list[Finding] = []
    held = {storage_key(tensor) for tensor in earlier if isinstance(tensor, torch.Tensor)} - {None}
    for number, output in enumerate(outputs):
        if not isinstance(output, torch.Tensor) or output.numel() == 0:
            continue
        key = storage_key(output)
        for position, value in enumerate(inputs):
            shares = isinstance(value, torch.Tensor) and storage_key(value) == key
            if shares and (number, position) not in expected:
                words = f"output {number} shares memory with input {position}; the reference does not"
                findings.append(found(FindingClass.OUTPUT_ALIAS, words, Severity.NOTE))
        if ledger is not None and not ledger.holds_data(output):
            continue
        if key in held and not any(isinstance(value, torch.Tensor) and storage_key(value) == key for value in inputs):
            words = f"output {number} lies in the memory of an earlier call's output"
            findings.append(found(FindingClass.OUTPUT_ALIAS, words, Severity.SUSPICIOUS))
    return findings


def replay_findings(outputs: Sequence[Any], stale: Sequence[Any]) -> list[Finding]:
    """Outputs for fresh inputs that equal those of an earlier call on other inputs, bit for bit.

    For the judge: `stale` are the reference's outputs of the earlier call; pass only graphs whose references differ.
    """
    findings: list[Finding] = []
    for index, (now, old) in enumerate(zip(outputs, stale, strict=False)):
        same = isinstance(now, torch.Tensor) and isinstance(old, torch.Tensor) and now.shape == old.shape
        if same and now.dtype == old.dtype and now.numel() > 1 and torch.equal(now, old):
            words = f"output {index} for new inputs equals that of an earlier call on other inputs"
            findings.append(found(FindingClass.OUTPUT_CACHE, words))
    return findings


# Left-over memory


def poison_free_memory(sizes: Sequence[int], device: str = "cpu", copies: int = 8) -> None:
    """Fill free memory of the allocator with 0xFF, so that an output that nobody writes is recognised.

    `sizes`: bytes of the outputs that are expected. On a GPU all cached free blocks are filled as well. On a CPU it is
    likely, not certain, that malloc hands a filled block out next: with fewer copies it often finds another one.
    """
    wanted = [max(size, 1) for size in sizes for _ in range(copies)]
    if device != "cpu" and torch.cuda.is_available():
        free = _free_cuda_blocks()  # new memory only where none of them would be handed out
        wanted = free + [size for size in sorted(set(wanted)) if not any(block >= size for block in free)]
    blocks, room = [], _MOST_POISON if device == "cpu" else sum(wanted)
    for size in sorted(wanted, reverse=True):
        if size > room:
            continue
        room -= size
        try:
            blocks.append(torch.empty(size, dtype=torch.uint8, device=device).fill_(POISON))
        except RuntimeError:  # no room for a copy: what is there is poisoned
            continue
    # A block behind the filled ones stays: free memory at the end of the heap would be given back, filled or not.
    _behind[:] = [torch.empty(1 << 12, dtype=torch.uint8)] if device == "cpu" else []
    del blocks


_MOST_POISON = 256 << 20  # bytes of a host's memory, held at the same time
_behind: list[torch.Tensor] = []


def fill_with_poison(tensor: Any) -> None:
    """Fill a fresh allocation with 0xFF bytes. Booleans are left alone: they have no such value."""
    if isinstance(tensor, torch.Tensor) and tensor.dtype is not torch.bool and tensor.layout is torch.strided:
        flat = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        flat.set_(tensor.untyped_storage()).fill_(POISON)  # type: ignore[call-overload]


def _free_cuda_blocks() -> list[int]:
    """Sizes of cached blocks that nobody uses (the largest 256)."""
    segments = torch.cuda.memory_snapshot()
    free = [block["size"] for segment in segments for block in segment["blocks"] if block["state"] == "inactive"]
    return sorted(free, reverse=True)[:256]


def unwritten(output: Any) -> float:
    """Share of an output's elements (0 to 1) that still hold poison: all bits set, which no computation gives.

    Integers and booleans can hold that value honestly; for them the answer is 0.
    """
    if not isinstance(output, torch.Tensor) or not output.dtype.is_floating_point or not output.numel():
        return 0.0
    whole = output.detach().contiguous().view(torch.uint8).reshape(output.numel(), output.element_size())
    return float((whole == POISON).all(dim=1).double().mean())


def leftover_findings(outputs: Sequence[Any]) -> list[Finding]:
    """Outputs that were never written: wholly (the memory's old contents were hoped for) or in part (perhaps a bug)."""
    findings: list[Finding] = []
    for index, output in enumerate(outputs):
        share = unwritten(output)
        if share == 1.0:
            findings.append(found(FindingClass.LEFTOVER_MEMORY, f"output {index} is never written"))
        elif share > 0.0:
            words = f"{share:.1%} of output {index} are never written"
            findings.append(found(FindingClass.LEFTOVER_MEMORY, words, Severity.NOTE))
    return findings


# Printed text


def printed_findings(text: str) -> list[Finding]:
    """Text of the submission's standard output in the form of a result."""
    verdict = looks_forged([text])
    if verdict is None:
        return []
    return [found(FindingClass.FORGED_OUTPUT, "prints text in the form of a result", Severity(verdict))]
