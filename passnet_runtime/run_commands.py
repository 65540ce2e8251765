"""Commands that run models and passes; torch is imported when one of them runs."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passnet_runtime.answer import Answer
from passnet_runtime.library import Library
from passnet_runtime.record import judged, write_record
from passnet_runtime.tables import table

if TYPE_CHECKING:
    from passnet_runtime.check import Checked

Command = Callable[[str, Callable[[argparse.Namespace], Answer], str], argparse.ArgumentParser]


def add(command: Command) -> None:
    """Add check, verify, explain and scan."""
    made = command("check", _check, "run a folder of passes on graphs, eagerly and rewritten, and compare")
    made.add_argument("pass_dir", type=Path)
    made.add_argument("graphs", type=Path, help="a task, a sample folder, or any folder that holds some")
    made.add_argument("--device", choices=("cpu", "cuda"))
    made.add_argument("--record", action="store_true", help="write what is correct to PASS_DIR.verified.json")
    made.add_argument("--result", type=Path, help="`python -m evaluator run … --json`: its verdict and speed-ups too")

    made = command("verify", _verify, "check every active bundle of the library again, on its own graphs")
    made.add_argument("--device", choices=("cpu", "cuda"))
    _library(made)

    made = command("explain", _explain, "compile a model with passes and say what matched where and what did not")
    made.add_argument("model", help="module:factory; the factory returns (model, inputs)")
    made.add_argument("pass_dir", nargs="*", type=Path, help="without one: the library's active bundles")
    made.add_argument("--then", default="eager", help="what compiles the rest (eager, inductor, …)")
    made.add_argument("--unverified", choices=("leave", "sizes", "apply"), default="leave")
    made.add_argument("--page", type=Path, help="write it as an HTML file too, with the graphs drawn")
    _library(made)

    made = command("scan", _scan, "which subgraphs of a model have a known faster pass, and what to expect of them")
    made.add_argument("model", help="module:factory; the factory returns (model, inputs)")
    made.add_argument("pass_dir", nargs="*", type=Path, help="without one: the library's active bundles")
    _library(made)


def _library(made: argparse.ArgumentParser) -> None:
    made.add_argument("--library", type=Path, help="its folder; else PASSNET_LIBRARY, else ~/.passnet/library")


def _check(options: argparse.Namespace) -> Answer:
    from passnet_runtime.check import check, record_of

    checked = check(options.pass_dir, options.graphs, options.device)
    if not checked:
        raise ValueError(f"{options.graphs}: holds no graph")
    text = _checked_table([("", item) for item in checked])
    if options.record:
        record = record_of(options.pass_dir, checked)
        if options.result:
            record = judged(record, _last_line(options.result), f"python -m evaluator run ({options.result.name})")
        text += f"\n\n{len(record.calls)} calls written to {write_record(options.pass_dir, record)}"
    return Answer([item.to_json() for item in checked], text, all(map(_right, checked)))


def _verify(options: argparse.Namespace) -> Answer:
    import torch

    from passnet_runtime.bundle import GRAPHS, PASSES
    from passnet_runtime.check import check

    rows: list[tuple[str, Checked]] = []
    without = []
    for item in Library(options.library).active():
        if (item.folder / GRAPHS).is_dir():
            rows += [
                (item.bundle.title, one) for one in check(item.folder / PASSES, item.folder / GRAPHS, options.device)
            ]
        else:
            without.append(item.bundle.title)
    broke = [(title, one) for title, one in rows if not _right(one)]
    lines = [f"torch {torch.__version__}", _checked_table(rows), f"{len(rows)} graphs checked, {len(broke)} broke"]
    lines += [f"  {title}: {one.graph}: {one.status}{f', {one.reason}' if one.reason else ''}" for title, one in broke]
    lines += [f"  {title}: holds no graphs to check on" for title in without]
    value = {
        "torch": torch.__version__,
        "checked": [{"bundle": title, **one.to_json()} for title, one in rows],
        "broke": [{"bundle": title, "graph": one.graph} for title, one in broke],
        "without_graphs": without,
    }
    return Answer(value, "\n".join(lines), not broke and not without)


def _explain(options: argparse.Namespace) -> Answer:
    from dataclasses import asdict

    import torch

    from passnet_runtime.backend import passes
    from passnet_runtime.page import write_page
    from passnet_runtime.scan import model_of

    model, inputs = model_of(options.model)
    backend = passes(*_folders(options), then=options.then, unverified=options.unverified)
    with torch.no_grad():
        torch.compile(model, backend=backend)(*inputs)
    text = backend.explain()
    if options.page:
        text += f"\n\n{write_page(backend.report, options.page, options.model)}"
    value = [{key: part for key, part in asdict(item).items() if key != "nodes"} for item in backend.report]
    return Answer(value, text)


def _scan(options: argparse.Namespace) -> Answer:
    from passnet_runtime.scan import model_of, scan

    found = scan(*model_of(options.model), _folders(options))
    rows = [
        (
            item.graph,
            item.pass_name,
            ", ".join(item.nodes),
            f"{item.share:.1%}",
            "unknown" if item.speedup is None else f"{item.speedup:.2f} ({item.method})",
        )
        for item in found.found
    ]
    lines = [table(("graph", "pass", "operations", "of the time", "speed-up"), rows)] if rows else []
    lines.append(f"{found.graphs} graphs, {found.operations} operations, {len(rows)} with a known pass")
    lines += [f"  ○ {words}" for words in found.left_alone]
    if found.expected is not None:
        lines.append(f"expected for the whole model over eager: {found.expected:.2f}")
    elif rows:
        lines.append("no speed-up was recorded on this device: what to expect is unknown")
    return Answer(found.to_json(), "\n".join(lines))


def _folders(options: argparse.Namespace) -> list[Path]:
    folders = options.pass_dir or list(Library(options.library).folders())
    if not folders:
        raise ValueError("the library is empty: name a folder of passes, or install a bundle")
    return folders


def _right(item: "Checked") -> bool:
    return item.status == "correct" and item.captured is not False


def _checked_table(rows: "list[tuple[str, Checked]]") -> str:
    told = [
        (
            "●" if _right(item) else "■",
            title,
            item.graph,
            item.status,
            item.matches,
            "" if item.first_t is None else "exact" if item.first_t <= -99 else str(item.first_t),
            {True: "the same", False: "other matches", None: ""}[item.captured],
            item.reason,
        )
        for title, item in rows
    ]
    return table(("", "bundle", "graph", "status", "matches", "first t", "captured", "reason"), told)


def _last_line(path: Path) -> dict[str, Any]:
    lines = path.read_text("utf-8").strip().splitlines()
    value = json.loads(lines[-1]) if lines else None
    if not isinstance(value, dict):
        raise ValueError(f"{path}: its last line is no JSON object")
    return value
