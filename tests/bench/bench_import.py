"""Measures imports of whole trees: `python tests/bench/bench_import.py [--small 18000] [--whole 2400] [--jobs 2]`.

The targets, on two cores: 18,000 small subgraphs in under 5 minutes, 2,400 whole graphs (1 GB of text, up to 3 MB each)
in under 10 minutes, memory under 1 GB. The trees are made up in a temporary folder and imported into a database of its
own; then they are imported again, which has to be quick, and exported, which has to give the same bytes.
"""

import argparse
import filecmp
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "graphs")]

from whole_graph import whole_graph  # noqa: E402

_META = """\
class Program_weight_tensor_meta_{name}:
\tname = "{name}"
\tshape = {shape}
\tdtype = "torch.float32"
\tdevice = "cuda:0"
\tmean = {mean}
\tstd = {std}
\tdata = None

"""


def small_tree(root: Path, count: int) -> int:
    """Subgraphs in the layout of PassNet's second version, from the shipped ones; no two have the same code."""
    shipped = sorted(path.parent for path in (_ROOT / "graphs" / "data").glob("*/graphs/*/model.py"))
    texts = [{file.name: file.read_text() for file in folder.iterdir() if file.is_file()} for folder in shipped]
    size = 0
    for number in range(count):
        files = texts[number % len(texts)]
        dtype = ("float32", "float16", "bfloat16")[number % 3]
        place = root / "fusible" / dtype / str(number // 3 % 10) / "samples" / f"library_{number % 7}"
        folder = place / f"model_{number // 30}" / "_decomposed" / f"model_{number // 30}_start{number}_end{number + 9}"
        folder.mkdir(parents=True)
        for name, text in files.items():
            if name == "graph_hash.txt":
                continue
            varied = text.replace("class GraphModule", f"# {number}\nclass GraphModule") if name == "model.py" else text
            (folder / name).write_text(varied)
            size += len(varied)
    return size


def whole_tree(root: Path, count: int) -> int:
    """Whole graphs of 100 to 5,800 nodes; the largest have 3 MB of code, all of them 1 GB in 2,400."""
    draw = random.Random(0)
    size = 0
    for number in range(count):
        layers = 205 if number % 100 == 0 else min(200, max(4, int(draw.lognormvariate(2.9, 0.75))))
        text = whole_graph(layers, numbers=min(330_000, layers * 1_870), seed=number)
        folder = root / f"library_{number % 5}" / f"model_{number}"
        folder.mkdir(parents=True)
        names = [f"L_self_modules_encoder_modules_layer_modules_{i}_parameters_weight_" for i in range(8 * layers)]
        metas = [_META.format(name=n, shape=[768, 768], mean=draw.random(), std=draw.random()) for n in names]
        metas.append(_META.format(name="L_input_ids_", shape=[1, 128], mean=0.0, std=1.0))
        (folder / "model.py").write_text(text)
        (folder / "weight_meta.py").write_text("".join(metas))
        (folder / "input_meta.py").write_text("")
        (folder / "graph_net.json").write_text(json.dumps({"framework": "torch", "model_name": f"model_{number}"}))
        size += len(text) + sum(map(len, metas))
    return size


def manage(var: Path, *arguments: str) -> None:
    """Runs a command of the workbench; prints its seconds, the most memory that it had, and its last line."""
    env = {**os.environ, "PASSNET_VAR": str(var)}
    env.pop("DATABASE_URL", None)
    start, before = time.perf_counter(), _worked()
    process = psutil.Popen([sys.executable, "manage.py", *arguments], cwd=_ROOT, env=env, stdout=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(process))
        time.sleep(0.2)
    seconds, worked = time.perf_counter() - start, _worked() - before
    said = ["", *process.stdout.read().decode().strip().splitlines()][-1]
    print(
        f"  {arguments[0]:<14} {seconds:7.1f} s, {worked:7.1f} s of all cores, {peak / 1e6:5.0f} MB  {said}", flush=True
    )


def _worked() -> float:
    """Seconds of all cores in processes that have ended, and in theirs: what a busy machine does not change."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory(process: psutil.Process) -> int:
    """Bytes of the process and all below it; shared pages count once for each: the figure is an upper limit."""
    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


def differences(one: Path, other: Path) -> int:
    """Files of `one` that `other` lacks or has with other bytes."""
    files = [path for path in one.rglob("*") if path.is_file()]
    wrong = 0
    for path in files:
        copy = other / path.relative_to(one)
        wrong += not copy.is_file() or not filecmp.cmp(path, copy, shallow=False)
    return wrong


def measure(name: str, tree: Path, size: int, jobs: int, folder: Path) -> None:
    files = sum(path.is_file() for path in tree.rglob("*"))
    print(f"{name}: {files:,} files, {size / 1e6:,.0f} MB of text")
    var = folder / f"var-{name}"
    manage(var, "migrate", "-v", "0")
    manage(var, "import_graphs", str(tree), "--json", "--jobs", str(jobs))
    manage(var, "import_graphs", str(tree), "--json", "--jobs", str(jobs))
    print(f"  the database has {sum(f.stat().st_size for f in var.glob('passnet.sqlite3*')) / 1e6:,.0f} MB")
    manage(var, "export_graphs", str(folder / f"out-{name}"), "--json")
    print(f"  {differences(tree, folder / f'out-{name}')} files came back otherwise")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=2_000, help="subgraphs")
    parser.add_argument("--whole", type=int, default=40, help="whole graphs")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name, make, count in (("small", small_tree, chosen.small), ("whole", whole_tree, chosen.whole)):
            if count:
                tree = Path(temporary) / name
                measure(name, tree, make(tree, count), chosen.jobs, Path(temporary))
