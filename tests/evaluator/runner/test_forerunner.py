"""Kernels compiled ahead, for a GPU that need not be there. In a process of its own: nothing is interpreted in it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TASK = ROOT / "graphs" / "data" / "published-masked-mean-pooling"

SCRIPT = """
import os, sys, time
from pathlib import Path
from evaluator.job import Job
from evaluator.runner import calibration, workspace
from evaluator.runner.forerunner import Forerunner
from graphs.samples import read_pass_dir, read_sample

folder, task = Path(sys.argv[1]), Path(sys.argv[2])
calibration._found["capability"] = 90
ahead = Forerunner.start(folder)
job = Job(read_pass_dir(task / "example"), (read_sample(task / "graphs" / "f16_4x128x384"),), device="cuda")
workspace.write_files(job.files, folder)
ahead.begin(job)
ahead.foresee(0, [[[3, 64, 96], "float16"], [[3, 64, 1], "float16"]])
end = time.monotonic() + 60
while len(list(folder.glob("triton/*/pooling_kernel.json"))) < 2 and time.monotonic() < end:
    with ahead.at_rest():
        pass
    time.sleep(0.02)
ahead.channel.close()
print(ahead.process.wait())
"""


def test_every_kernel_lies_in_the_cache_of_the_run(tmp_path):
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "triton"), "PYTHONPATH": str(ROOT)}
    environment.pop("TRITON_INTERPRET", None)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(TASK)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("exit status 0\n", "")
    cubins = list(tmp_path.glob("triton/*/pooling_kernel.cubin"))
    assert len(cubins) == 2  # for the graph's own size, and for the other one
