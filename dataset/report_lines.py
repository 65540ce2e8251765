"""Lines of text about what the commands did."""

from typing import Any


def decompose_line(result: dict[str, Any]) -> str:
    found = count(len(result["subgraphs"]), "subgraph")
    head = f"{result['graph']}: {result['status']}, {found}, {result['seconds']:.1f} s"
    return "\n".join([head, *reasons(result)])


def reasons(result: dict[str, Any]) -> list[str]:
    """Why it failed, and what was left out of it."""
    lines = [f"    {result['why']}"] if result["why"] else []
    return lines + [f"    left out, {count}×: {why}" for why, count in result["left"].items()]


def capture_line(entry: dict[str, Any]) -> str:
    before = "done before" if entry["graphs"] else "tried before (--retry tries it again)"
    when = before if entry["done_before"] else f"{entry['seconds']:.1f} s"
    lines = [f"{entry['model']}: {entry['status']}, {count(len(entry['graphs']), 'graph')}, {when}"]
    if entry["why"]:
        lines.append(f"    {entry['why']}")
    lines += [f"    {graph}" for graph in entry["graphs"]]
    lines += [f"    left out, a graph of {left['kind']}: {left['why']}" for left in entry["left"]]
    lines += [f"    graph break, {one['count']}×: {one['reason']}. {one['explanation']}" for one in entry["breaks"]]
    return "\n".join(lines)


def count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
