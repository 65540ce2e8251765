"""What the page of a share shows: all of it as it was pinned, and where this workbench differs from that by now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.verdicts import RunState, Status
from graphs.api import drawn
from graphs.layout.model import BADGE_ROW, LABEL_ROW, MOST_BADGES
from graphs.models import Graph
from submissions.devices import device_label
from submissions.imported import imported_of
from submissions.models import Author, Device, Run, Share
from submissions.summary import rejection

METHODS = ("e2e", "gpu", "graph", "kernel")
EXACT = -99  # first_t of outputs that are equal bit by bit
CHARACTER = 6.7  # CSS pixels that one takes in a box
MOST_DRAWN = 300  # nodes: a page of its own for larger graphs is the workbench
GLYPHS = {Status.CORRECT.value: "●", Status.ACCURACY.value: "▲", Status.EAGER_FAIL.value: "○", "rejected": "◆"}
TONES = {Status.CORRECT.value: "correct", Status.ACCURACY.value: "warn", Status.EAGER_FAIL.value: "faint"}


@dataclass(frozen=True)
class Version:
    """`here` is empty where nothing of this workbench has said."""

    name: str
    pinned: str
    here: str

    @property
    def differs(self) -> bool:
        return bool(self.pinned and self.here) and self.pinned != self.here


def shared_page(share: Share, graph: str, viewer: Author | None) -> dict[str, Any]:
    """The template's context for a share that `viewer` may see. `graph` is the one to draw, "" for the pinned one."""
    run = share.run
    known = _known_graphs(share)
    versions = _versions(share)
    measured = imported_of([run]).get(run.pk) if run else None
    names = [name for name, _ in share.graphs]
    shown = next((name for name in (graph, share.graph, *names) if name in known), None)
    return {
        "share": share,
        "title": share.task.title if share.task else share.title,
        "author": share.author.name.partition("@")[0] if viewer else "",  # some use their e-mail as a name
        "files": sorted(share.revision.files.items()) if share.revision else [],
        "run": run,
        "verdict": _verdict(run),
        "message": run.message if run and viewer else "",  # may tell of the machine
        "findings": (run.result or {}).get("findings", []) if run else [],
        "methods": _methods(run),
        "rows": [_row(run, name, name in known) for name in names],
        "versions": versions,
        "device": device_label(share.device),
        "measured": measured,
        "notes": [*_other_harness(measured), *_notes(share, versions, known)],
        "graph_name": shown,
        "drawing": _drawing(known[shown]) if shown else None,
        "source": known[shown].source.text if shown else "",
    }


def _known_graphs(share: Share) -> dict[str, Graph]:
    """The pinned graphs that are still here, by their name in the task."""
    identities = {identity for _, identity in share.graphs}
    rows = Graph.objects.filter(identity__in=identities).select_related("source").defer("shapes", "thumbnail", "layout")
    found = {graph.identity: graph for graph in rows}
    return {name: found[identity] for name, identity in share.graphs if identity in found}


def _versions(share: Share) -> list[Version]:
    said = Device.objects.filter(name=share.device).first()
    here: Mapping[str, Any] = said.versions if said else {}
    return [
        Version(name, str(share.versions.get(name, "")), str(here.get(name, "")))
        for name in ("torch", "harness", "triton", "python")
        if share.versions.get(name) or here.get(name)
    ]


def _notes(share: Share, versions: list[Version], known: Mapping[str, Graph]) -> list[str]:
    """What a reader must know before believing that this workbench would say the same today."""
    notes = []
    if share.with_run and share.run is None:
        notes.append("The run that was shared is gone from this workbench, and its verdict with it.")
    if share.task is None:
        notes.append("The task is gone from this workbench, so that this can not be forked or run here.")
    missing = [name for name, _ in share.graphs if name not in known]
    if missing:
        notes.append(
            f"Gone from this workbench: {', '.join(missing[:10])}. Numbers of it stand, the graph can not be shown."
        )
    if share.task is not None:
        now = [list(pair) for pair in share.task.entries.values_list("name", "graph__identity")]
        if now != [list(pair) for pair in share.graphs]:
            notes.append("The task has other graphs now than when this was shared. A new run judges the present ones.")
    differ = [one for one in versions if one.differs and one.name in ("torch", "harness", "triton")]
    if differ:
        words = ", ".join(f"{one.name} {one.here} instead of {one.pinned}" for one in differ)
        notes.append(f"This workbench has {words}. A new run may come to another verdict.")
    elif share.versions and not any(one.here for one in versions):
        notes.append(f"No device {device_label(share.device)} has answered here. Its versions can not be compared.")
    return notes


def _other_harness(measured: Mapping[str, Any] | None) -> list[str]:
    if measured is None or measured["same_harness"] is not False:
        return []
    return ["It was judged by another version of the harness's code. A new run here may come to another verdict."]


def _verdict(run: Run | None) -> str:
    if run is None:
        return ""
    if run.state != RunState.DONE:
        return run.state.replace("_", " ")
    why = rejection(run.result or {})
    said = run.reviewed_verdict or run.verdict
    reviewed = " after a review" if run.reviewed_verdict else ""
    if why:
        return f"rejected: {why.replace('_', ' ')}{reviewed}"
    return f"correct on {run.correct or 0} of {run.total or 0} graphs · integrity: {said}{reviewed}"


def _methods(run: Run | None) -> list[str]:
    results = ((run.result or {}).get("graphs") or {}).values() if run else ()
    used = {method for one in results for method in (one.get("speedup") or {})}
    return [method for method in METHODS if method in used]


def _row(run: Run | None, name: str, known: bool) -> dict[str, Any]:
    graphs = ((run.result or {}).get("graphs") or {}) if run else {}
    found: dict[str, Any] = graphs.get(name) or {}
    status = str(found.get("status") or "")
    launches = found.get("launches") or {}
    both = launches.get("eager") is not None and launches.get("candidate") is not None
    return {
        "name": name,
        "known": known,
        "status": status.replace("_", " "),
        "glyph": GLYPHS.get(status, "■") if status else "",
        "tone": TONES.get(status, "fail"),
        "matches": found.get("matches"),
        "first_t": _tolerance(found.get("first_t")),
        "launches": f"{launches['eager']} → {launches['candidate']}" if both else "",
        "speedups": [_times((found.get("speedup") or {}).get(method)) for method in _methods(run)],
        "message": str(found.get("message") or ""),
    }


def _tolerance(t: Any) -> str:
    if not isinstance(t, int):
        return ""
    return "exact" if t <= EXACT else str(t).replace("-", "−")


def _times(ratio: Any) -> str:
    return f"{ratio:.2f}×" if isinstance(ratio, int | float) else ""


def _drawing(graph: Graph) -> dict[str, Any] | None:
    """Boxes and lines in CSS pixels; None when it is too large for this page."""
    if not 0 < graph.node_count <= MOST_DRAWN:
        return None
    picture = drawn(graph)
    if not picture["nodes"]:
        return None
    return {
        "width": round(picture["width"] + 2),
        "height": round(picture["height"] + 2),
        "lines": [
            {"points": " ".join(f"{x:.1f},{y:.1f}" for x, y in edge["points"])}
            for edge in picture["edges"]
            if not edge["stub"]
        ],
        "boxes": [_box(node) for node in picture["nodes"]],
    }


def _box(node: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "x": f"{node['x']:.1f}",
        "y": f"{node['y']:.1f}",
        "w": f"{node['w']:.1f}",
        "h": f"{node['h']:.1f}",
        "text_x": f"{node['x'] + 6:.1f}",
        "text_y": f"{node['y'] + min(15, node['h'] / 2 + 4):.1f}",
        "label": _cut(node["label"], node["w"]),
        "title": f"{_described(node)}\n{node['code'][:400]}",
        "badges": [
            {"y": f"{node['y'] + LABEL_ROW + BADGE_ROW * number + 11:.1f}", "text": _cut(_described(badge), node["w"])}
            for number, badge in enumerate(node["badges"][:MOST_BADGES])
        ],
    }


def _cut(text: str, width: float) -> str:
    most = int((width - 12) / CHARACTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _described(value: Mapping[str, Any]) -> str:
    """A node's or an input's name with what is known of it."""
    shape = "" if value["shape"] is None else f"[{','.join(map(str, value['shape']))}]"
    dtype = str(value["dtype"] or "").replace("bfloat", "bf").replace("float", "f").replace("int", "i")
    return " ".join(part for part in (value["name"], shape, dtype) if part)
