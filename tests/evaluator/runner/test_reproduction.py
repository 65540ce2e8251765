"""A wrong pass comes with a script that shows the difference and needs nothing of ours."""

import os
import subprocess
import sys
from dataclasses import replace

from small import files, job, sample


def test_a_wrong_pass_comes_with_a_small_script_that_fails(judge, tmp_path):
    wrong = files()
    wrong["Fuse.py"] = wrong["Fuse.py"].replace("tl.maximum(x + y, 0.0)", "tl.maximum(x + y, 0.5)")
    events = judge(replace(job(graphs=(sample("g", rows=32),)), files=wrong))
    assert events[-1]["graphs"]["g"]["status"] == "accuracy"
    (told,) = [event for event in events if event["event"] == "reproduction"]
    assert (told["graph"], len(told["shapes"])) == ("g", 2)
    # Half of a normal sum is under 0.5: one row of one element, or two, are enough to show it.
    assert all(size <= 8 for shape in told["shapes"] for size in shape)
    path = tmp_path / "reproduce.py"
    path.write_text(told["script"])
    env = {"PATH": os.environ["PATH"], "TRITON_INTERPRET": "1", "HOME": str(tmp_path)}
    ended = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert ended.returncode == 1, ended.stderr
    assert "evaluator" not in told["script"].split("FILES =")[0]


def test_a_right_pass_has_none(judge):
    events = judge(job(graphs=(sample("g"),)))
    assert not [event for event in events if event["event"] == "reproduction"]
