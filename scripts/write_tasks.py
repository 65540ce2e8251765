"""Write the graphs of the shipped tasks into graphs/data (task.json and example/ are written by hand).

python scripts/write_tasks.py            write
python scripts/write_tasks.py --check    change nothing; exit 1 and name the files that differ
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.shipped import language, published, vision  # noqa: E402
from scripts.shipped.spec import files  # noqa: E402

TASKS = {
    "masked-mean-pooling": language.masked_mean_pooling,
    "gated-tanh-gelu": language.gated_tanh_gelu,
    "residual-layer-norm": language.residual_layer_norm,
    "rms-norm": language.rms_norm,
    "attention-softmax": language.attention_softmax,
    "rotary-embedding": language.rotary_embedding,
    "shifted-window-norm": vision.shifted_window_norm,
    "squeeze-excite-gate": vision.squeeze_excite_gate,
    "published-masked-mean-pooling": published.masked_mean_pooling,
    "published-roll-norm": published.roll_norm,
}


def task_files() -> dict[str, str]:
    """Path below graphs/data → text, for every file this script owns."""
    written: dict[str, str] = {}
    for slug, graphs in TASKS.items():
        made = graphs()
        written[f"{slug}/graph_list.txt"] = "".join(f"graphs/{graph.name}\n" for graph in made)
        for graph in made:
            for name, text in files(graph).items():
                written[f"{slug}/graphs/{graph.name}/{name}"] = text
    return written


def main(arguments: list[str] | None = None) -> int:
    """Write or check; exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file differs")
    check = parser.parse_args(arguments).check
    data = ROOT / "graphs" / "data"
    different = [
        name for name, text in task_files().items() if not (data / name).is_file() or (data / name).read_text() != text
    ]
    for name in different:
        print(f"{'differs' if check else 'wrote'}: {name}")
        if not check:
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            (data / name).write_text(task_files()[name])
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
