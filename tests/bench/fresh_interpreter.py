"""One graph and one compiler in an interpreter of its own, the way published harnesses measure: for bench_gpu.py.

python tests/bench/fresh_interpreter.py GRAPH pass|inductor
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

TASK = ROOT / "graphs" / "data" / "published-masked-mean-pooling"
WARM_UPS, TRIALS = 25, 100


def main(name: str, compiler: str) -> None:
    import torch

    from evaluator.engine.build import build
    from evaluator.engine.compare import compare, verdict
    from evaluator.engine.inputs import replay
    from evaluator.engine.load import load_submission
    from evaluator.engine.passes import apply_passes
    from evaluator.measure.timers import EventTimer
    from graphs.fx_source import parse
    from graphs.samples import read_sample

    sample = read_sample(TASK / "graphs" / name)
    inputs = replay(sample.inputs, seed=1, device="cuda")
    module = build(parse(sample.source))
    with torch.no_grad():
        if compiler == "inductor":
            candidate = torch.compile(module)
        else:
            candidate = torch.compile(apply_passes(module, load_submission(TASK / "example")).module, backend="eager")
        for run in (module, candidate):
            for _ in range(WARM_UPS):
                run(*inputs)
            timer = EventTimer({"run": lambda run=run: run(*inputs)}, lambda: None)
            print([timer.sample("run") for _ in range(TRIALS)])
        print(verdict(compare(module(*inputs), candidate(*inputs))))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
