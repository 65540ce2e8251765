"""What was measured about a task: kernels, roofline and device of a run, Inductor's and eager's figures."""

from typing import Any

from assistant.tools.evaluating import _finished
from assistant.tools.workplace import ToolProblem, Workplace
from evaluator.verdicts import RunState
from submissions.baselines import baseline_rows
from submissions.models import Run, RunEvent

_MOST_KERNELS = 30
_LOOKED_AT = 20  # runs of a device, for one that was measured


def kernels(place: Workplace, run: str, graph: str) -> str:
    """The kernels that eager, Inductor and the submission launched on a graph of a run."""
    lines = []
    for said in _of_graph(place, run, graph, "kernels"):
        time = f", {said['device_time']:.2f} µs on the device" if said.get("device_time") else ""
        lines.append(f"{said['who']}: {said['total']} launches{time}")
        for one in said.get("list", [])[:_MOST_KERNELS]:
            more = [f"{one['duration']:.2f} µs" if one.get("duration") else ""]
            more += [f"{key} {one[key]}" for key in ("grid", "block", "registers", "shared_memory") if one.get(key)]
            more += [f"nodes {', '.join(one['nodes'][:6])}" if one.get("nodes") else ""]
            lines.append(f"  {one['count']} × {one['name']}  {', '.join(part for part in more if part)}".rstrip())
    return "\n".join(lines) or f"No kernels were counted on {graph}: the run did not come so far there."


def roofline(place: Workplace, run: str, graph: str) -> str:
    """What a graph must do at the least on the run's device, how near everybody is, and what the device reaches."""
    lines = []
    for said in _of_graph(place, run, graph, "roofline")[-1:]:
        fraction = ", ".join(f"{who} {value:.0%}" for who, value in (said.get("fraction") or {}).items())
        lines += [
            f"least time {said['floor']:.3g} µs: memory {said['memory_floor']:.3g} µs for {said['bytes_read']:,} bytes "
            f"read and {said['bytes_written']:,} written, arithmetic {said['arithmetic_floor']:.3g} µs",
            f"an empty kernel takes {said['kernel_minimum']:.3g} µs; eager is bound by {said.get('bound', 'unknown')}",
            f"least time as a share of what was measured: {fraction}",
        ]
        if said.get("perfect_gain"):
            gains = ", ".join(f"{method} {value:.3g}×" for method, value in said["perfect_gain"].items())
            lines.append(f"a perfect fused kernel against eager: {gains}")
    for said in _of_graph(place, run, graph, "device")[-1:]:
        lines += _device_lines(said)
    for said in _of_graph(place, run, graph, "timed"):
        medians = ", ".join(f"{who} {value:.3g} µs" for who, value in said["medians"].items())
        ratios = ", ".join(
            f"{who} {r['value']:.3g}× [{r['low']:.3g}, {r['high']:.3g}]" for who, r in said.get("ratios", {}).items()
        )
        lines.append(f"{said['method']} ({said['entry']}): {medians}; against eager: {ratios}")
    return "\n".join(lines) or f"Nothing was measured on {graph} in this run: speed needs a GPU and a correct result."


def device_facts(place: Workplace) -> str:
    """What the device that runs are judged on is made of and reaches, from the newest run that was measured there."""
    if place.device == "cpu":
        return "Runs are judged on the CPU, by an interpreter of Triton: there is no GPU here, and no facts of one."
    runs = Run.objects.filter(device=place.device, imported=None, state=RunState.DONE).order_by("-created_at")
    for run in runs[:_LOOKED_AT]:
        last = RunEvent.objects.filter(run=run, kind="device").order_by("seq").last()
        if last is not None:
            return "\n".join(_device_lines(last.payload))
    return f"No run was measured on {place.device[:60]} yet: evaluate once, then ask again."


def compiler_code(place: Workplace, run: str, graph: str) -> str:
    """What Inductor wrote for a graph, as a run on a GPU has kept it."""
    found = _of_graph(place, run, graph, "compiler_code")
    if not found:
        return (
            f"This run has no code of a compiler for {graph[:100]}: it is kept where Inductor was measured beside a "
            "correct pass, which needs a GPU."
        )
    said = found[-1]
    return f"{said['backend']}{' (cut off)' if said['truncated'] else ''}:\n{said['text']}"


def baselines(place: Workplace) -> str:
    """Eager against Inductor on the task's graphs, where that was measured here or shipped."""
    lines = [
        f"{row['graph']} on {row['device']} ({row['backend']}, {row['entry']}, {row['method']}): "
        f"eager {row['eager_us']:.3g} µs, compiler {row['median_us']:.3g} µs, ratio {row['ratio']['value']:.3g}, "
        f"{row['word']}"
        for row in baseline_rows(place.task)[:80]
    ]
    return "\n".join(lines) or "No baseline was measured for this task."


def _device_lines(said: dict[str, Any]) -> list[str]:
    rates: dict[str, Any] = said.get("rates") or {}
    lines = [f"device: {said.get('name') or 'not named'}"]
    if rates.get("bandwidth"):
        lines.append(f"measured bandwidth {rates['bandwidth'] / 1e6:.3g} TB/s")
        lines.append(f"measured vector rate {rates['vector_rate'] / 1e6:.3g} TFLOP/s")
    if rates.get("matmul_rate"):
        by = ", ".join(f"{dtype} {value / 1e6:.3g}" for dtype, value in rates["matmul_rate"].items())
        lines.append(f"measured matmul rates in TFLOP/s: {by}")
    facts = {key: value for key, value in rates.items() if key not in ("bandwidth", "vector_rate", "matmul_rate")}
    facts |= said.get("facts") or {}
    lines += [f"{key.replace('_', ' ')}: {_amount(key, value)}" for key, value in facts.items()]
    return lines


def _amount(key: str, value: Any) -> str:
    if "memory" in key or "cache" in key:
        return f"{value:,} bytes"
    return f"{value:.3g} µs" if isinstance(value, float) else f"{value}"


def _of_graph(place: Workplace, run: str, graph: str, kind: str) -> list[dict[str, Any]]:
    row = _finished(place, run)
    names = [name for name, _ in row.graphs]
    if graph not in names:
        raise ToolProblem(f"The run has no graph {graph[:100]!r}. It has: {', '.join(names[:30])}.")
    events = RunEvent.objects.filter(run=row, kind=kind).order_by("seq").values_list("payload", flat=True)
    return [said for said in events if said.get("graph") == graph]
