"""Guards on the launchers of a rewritten graph, for the calls that are to be guarded."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from torch.fx import GraphModule

from evaluator.engine.leaf import Leaf
from evaluator.events import Finding
from evaluator.integrity.analysis.patterns import has_in_place
from evaluator.integrity.argument_watch import watch_arguments
from evaluator.integrity.dispatch_guard import guarded
from evaluator.integrity.stream_watch import StreamWatch
from evaluator.integrity.taint import Ledger


@contextmanager
def watched(
    module: GraphModule,
    report: Callable[[Finding], None],
    *,
    pass_dir: Path,
    ledger: Ledger,
    helpers: frozenset[str] = frozenset(),
    in_place: frozenset[str] = frozenset(),
    streams: StreamWatch | None = None,
) -> Iterator[None]:
    """Within the block each launcher call of the module is guarded; after it the module is as before.

    `report` is called with each finding. `ledger` is shared by all guarded calls of a run. `helpers` are files that the
    order file does not name, `in_place` the names of passes whose pattern writes into its inputs (`in_place_passes`).
    `streams` watches the CUDA streams, where there are any.
    """
    leaves = {id(node.target): node.target for node in module.graph.nodes if isinstance(node.target, Leaf)}
    originals = [(leaf, leaf.launcher) for leaf in leaves.values()]
    launches: list[int] = []
    for leaf, launcher in originals:
        leaf.launcher = guarded(
            launcher,
            report,
            pass_dir=pass_dir,
            ledger=ledger,
            helpers=helpers,
            in_place=leaf.pass_name in in_place,
            streams=streams,
            launches=launches,
        )
    arguments = watch_arguments(module)
    try:
        with arguments or nullcontext():
            yield
    finally:
        for leaf, launcher in originals:
            leaf.launcher = launcher
        if arguments is not None:
            for finding in arguments.findings(launches=sum(launches)):
                report(finding)


def in_place_passes(files: dict[str, str], *, certain: bool = False) -> frozenset[str]:
    """Names of passes whose pattern may write into its inputs; one that is no plain function may.

    `certain`: only those whose pattern can be read and does.
    """
    found = set()
    for name, text in files.items():
        if name.endswith(".py"):
            try:
                tree = ast.parse(text.encode())
            except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
                continue
            patterns = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "pattern"]
            if has_in_place(patterns[-1]) if patterns else not certain:
                found.add(name.removesuffix(".py").replace("/", "."))
    return frozenset(found)
