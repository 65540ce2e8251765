"""Bundles: a job there and back, and files that are none."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from small import job as small_job

from evaluator.bundle import MEMBER, BadBundle, read_bundle, write_bundle


def test_a_job_comes_back_as_it_was(tmp_path):
    job = replace(small_job(), baselines=("inductor", "inductor max-autotune"))
    write_bundle(job, tmp_path / "a.zip")
    write_bundle(job, tmp_path / "b.zip")
    assert read_bundle(tmp_path / "a.zip").to_json() == job.to_json()
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def bundle(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"../evil": "x", MEMBER: "{}"},
        {MEMBER: "not JSON"},
        {MEMBER: b"\xff\xfe\xfd"},
        {MEMBER: "[" * 100_000},
        {MEMBER: '{"format": ' + "1" * 5_000 + "}"},
        {MEMBER: "[]"},
        {MEMBER: json.dumps({"format": 99, "job": {}})},
        {MEMBER: json.dumps({"format": 1, "job": {"files": {}}})},
    ],
)
def test_what_is_no_bundle_says_so(tmp_path, members):
    with pytest.raises(BadBundle):
        read_bundle(bundle(tmp_path / "bad.zip", members))


def test_what_is_no_zip_says_so(tmp_path):
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(BadBundle, match="no zip"):
        read_bundle(tmp_path / "text.zip")


def test_the_command_judges_a_bundle(tmp_path):
    write_bundle(small_job(), tmp_path / "job.zip")
    command = [sys.executable, "-m", "evaluator", "run-bundle", tmp_path / "job.zip", "--out", tmp_path / "out.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert lines[0]["event"] == "origin"
    assert lines[0]["run_id"] == "test"
    assert (lines[1]["event"], lines[-1]["event"]) == ("run_started", "run_done")
    assert lines[-1]["graphs"]["one"]["status"] == "correct"


def test_a_bad_bundle_is_exit_status_2(tmp_path):
    (tmp_path / "text.zip").write_text("hello")
    command = [sys.executable, "-m", "evaluator", "run-bundle", tmp_path / "text.zip", "--out", tmp_path / "o.jsonl"]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 2
