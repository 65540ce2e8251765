"""Matches the working copy's passes against the task's graphs, on the lane that matches while somebody types."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from assistant.tools.workplace import ToolProblem, Workplace
from graphs.refused import Refused
from submissions.files import check_files, check_texts
from submissions.matching import CONNECT_SECONDS, OFFLINE, graphs_line, line

_TOTAL_SECONDS = 60.0
_MOST_FIXES = 3


def match(place: Workplace, graph: str | None = None) -> str:
    """How often each pass matches on each graph; where one does not, the nearest miss and what would help."""
    try:
        check_files(place.files)
        check_texts(place.files)
    except Refused as refused:
        raise ToolProblem(refused.message) from None
    names = list(place.task.entries.values_list("name", flat=True))
    if not names or (graph is not None and graph not in names):
        raise ToolProblem(f"There is no graph {str(graph)[:100]!r} in this task. There are: {', '.join(names[:30])}.")
    found: list[str] = []
    missing = set(names if graph is None else [graph])
    for said in _answers(place, graph or names[0]):
        match said["say"]:
            case "refused" | "failed":
                raise ToolProblem(f"Nothing could be matched: {said.get('message', '')}")
            case "graph" | "unreadable" if said["graph"] in missing:
                missing.discard(said["graph"])
                found.append(_of_graph(said))
        if not missing:
            break
    if missing:
        found.append(f"not answered: {', '.join(sorted(missing))}")
    return "\n".join(found)


def _answers(place: Workplace, first: str) -> Iterator[dict[str, Any]]:
    """What the lane says about these files, until it is done."""
    deadline = time.monotonic() + _TOTAL_SECONDS
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.settimeout(CONNECT_SECONDS)
            sock.connect(str(settings.MATCH_SOCKET))
            sock.settimeout(1.0)
            # A name of its own: the author's page, which matches as well, would end this text with its next one.
            sock.sendall(graphs_line(f"assistant {place.author.pk}", place.task))
            sock.sendall(line({"op": "match", "version": 1, "files": place.files, "first": first}))
            rest = b""
            while time.monotonic() < deadline and not place.cancelled():
                try:
                    data = sock.recv(1 << 16)
                except TimeoutError:
                    continue
                if not data:
                    raise ToolProblem(OFFLINE)
                *whole, rest = (rest + data).split(b"\n")
                for text in whole:
                    said = json.loads(text)
                    if said["say"] in ("done", "refused", "failed"):
                        deadline = 0.0
                    yield said
        except (OSError, ValueError, KeyError) as error:
            raise ToolProblem(OFFLINE) from error


def _of_graph(said: dict[str, Any]) -> str:
    name = said["graph"]
    if said["say"] == "unreadable":
        return f"{name}: the graph can not be built here: {said.get('message', '')}"
    per_pass = ", ".join(f"{one} {count}" for one, count in said.get("per_pass", {}).items())
    lines = [f"{name}: {said['matches']} matches" + (f" ({per_pass})" if per_pass else "")]
    lines += [f"  matched nodes: {', '.join(nodes)}" for nodes in said.get("nodes", [])[:8]]
    if not said["matches"]:
        lines += [f"  {text}" for miss in said.get("near_misses", [])[:4] for text in near_miss_lines(miss)]
    lines += [f"  note: {note}" for note in said.get("notes", [])[:8]]
    return "\n".join(lines)


def near_miss_lines(miss: dict[str, Any]) -> list[str]:
    """A near miss in a few lines: what differs, where, and what would help."""
    lines = [f"{miss['pass_name']} does not match ({miss['kind']}): {miss['message']}"]
    if miss.get("pattern_code"):
        lines.append(f"  pattern has: {miss['pattern_code']}")
    if miss.get("graph_code"):
        lines.append(f"  graph has:   {miss['graph_code']}")
    lines += [
        f"  {one['argument']}: expected {one['expected']}, found {one['found']}"
        for one in miss.get("differences", [])[:8]
    ]
    lines += [f"  leaks: {one['node']} is used by {', '.join(one['users'][:6])}" for one in miss.get("leaks", [])[:8]]
    if miss.get("matched"):
        lines.append(f"  {len(miss['matched'])} of {miss['pattern_size']} nodes of the pattern do match")
    if miss.get("suggestion"):
        lines.append(f"  suggestion: {miss['suggestion']}")
    lines += [f"  fix: {fix['title']}" for fix in miss.get("fixes", [])[:_MOST_FIXES]]
    return lines
