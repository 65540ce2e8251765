"""A run as a person reads it in a terminal: one row per graph as it is done, findings and totals below."""

import io
import sys
from typing import Any, TextIO

_MARKS = {"correct": "●", "accuracy": "▲", "rejected": "◆"}
_COLOURS = {"correct": "32", "accuracy": "33", "rejected": "35"}
METHODS = ("e2e", "gpu", "graph", "kernel")
_FAILED_MARK, _FAILED_COLOUR = "■", "31"


class Table:
    """Prints events to `out`; what the submission prints goes to standard error. Colours only on a terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="backslashreplace")  # a terminal without UTF-8
        self._coloured = out.isatty()
        self._width = 5
        self._timed = False
        self._floors: dict[str, float] = {}  # graph → floor / candidate's time

    def event(self, kind: str, payload: dict[str, Any]) -> None:
        handle = getattr(self, f"_{kind}", None)
        if handle is not None:
            handle(payload)
            self._out.flush()

    def _run_started(self, run: dict[str, Any]) -> None:
        self._width = max([5, *(len(name) for name in run["graphs"])])
        versions = run["versions"]
        self._print(f"device {run['device']} · torch {versions['torch']} · triton {versions['triton']}")
        self._print(f"isolation: {run['isolation']}")
        self._timed = run["device"] != "cpu"
        speeds = "".join(f"{method:>8}" for method in METHODS) + "   of the floor" if self._timed else ""
        self._print(f"\n  {'graph':<{self._width}}  {'status':<22} {'matches':>7} {'first t':>7}  launches{speeds}")

    def _graph_done(self, graph: dict[str, Any]) -> None:
        status = graph["status"]
        words = " ".join(str(word) for word in (status, graph["reason"] or graph["mismatch"]) if word)
        mark = self._paint(_MARKS.get(status, _FAILED_MARK), _COLOURS.get(status, _FAILED_COLOUR))
        launches = graph["launches"] or {}
        counts = " → ".join("–" if launches.get(who) is None else str(launches[who]) for who in ("eager", "candidate"))
        first_t = {None: "–", -99: "equal"}.get(graph["first_t"], str(graph["first_t"]))
        name = f"{_shown(graph['graph']):<{self._width}}"
        self._print(f"{mark} {name}  {words:<22} {graph['matches']:>7} {first_t:>7}  {counts:<8}{self._speeds(graph)}")
        for line in (graph["message"] or "").splitlines():
            self._print(f"    {_shown(line)}")

    def _speeds(self, graph: dict[str, Any]) -> str:
        """eager / candidate by each method, direct entry, and the share of the roofline floor."""
        if not self._timed:
            return ""
        found = graph["speedup"] or {}
        cells = (f"{found[method]:7.2f}×" if method in found else f"{'–':>8}" for method in METHODS)
        share = self._floors.get(graph["graph"])
        return "".join(cells) + (f"   {share:.0%}" if share is not None else "")

    def _roofline(self, roofline: dict[str, Any]) -> None:
        if "candidate" in roofline["fraction"]:
            self._floors[roofline["graph"]] = roofline["fraction"]["candidate"]

    def _finding(self, finding: dict[str, Any]) -> None:
        place = ":".join(str(part) for part in (finding["file"], finding["line"]) if part is not None)
        self._print(_shown(f"  {finding['severity']} {finding['class']} {place} {finding['evidence']}"))

    def _log(self, log: dict[str, Any]) -> None:
        lines = log["text"].split("\n")
        sys.stderr.write("\n".join(_shown(line) for line in lines))
        sys.stderr.flush()

    def _error(self, error: dict[str, Any]) -> None:
        print(f"evaluator: {error['message']}", file=sys.stderr)

    def _run_done(self, run: dict[str, Any]) -> None:
        graphs = run["graphs"].values()
        correct = sum(graph["status"] == "correct" for graph in graphs)
        shut_in = run.get("isolation")
        if shut_in and shut_in["off"]:
            self._print(f"\nisolation: {shut_in['level']}; off: {', '.join(shut_in['off'])}")
        self._print(f"\ncorrect on {correct} of {len(graphs)} graphs · {run['verdict']} · {run['seconds']:.1f} s")
        if run["aggregate_score"] is not None:
            es = run["es_t"]["-5"]
            self._print(f"AS {run['aggregate_score']:.3f} · ES at t = −5 {es:.3f} · profile {run['profile']}, by e2e")
        if run["aggregate_score"] is None and run["device"] == "cpu":
            self._print("Speed needs a GPU: kernels run in Triton's interpreter here.")

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._coloured else text

    def _print(self, text: str) -> None:
        self._out.write(text + "\n")


def _shown(text: str) -> str:
    """Names and messages come from submissions and data sets: control characters are shown, not obeyed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
