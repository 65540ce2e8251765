"""Run folders and logs of evaluations elsewhere: what is read, what is refused, what is kept apart."""

import json
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from graphs.actions import TaskText, do_store_graph, do_store_task
from graphs.refused import Refused
from submissions.access import access_submission, may_watch
from submissions.actions.run_folders import (
    Described,
    do_feed,
    do_get_author,
    do_link_submissions,
    do_link_when_tasks_came,
    do_want_evaluation,
)
from submissions.importing.eval_log import read_eval_log
from submissions.models import Author, Lane, ReportedLog, Run, Submission
from tests.accounts import account
from tests.submissions.conftest import sample

pytestmark = pytest.mark.django_db

ORDER = "sorted_output_pass_rule_names.json"
PASS = "def pattern(x):\n    return x.relu()\n"
UNKNOWN = "ab" * 32  # a task's id in the published benchmark


def handed_in(run: Path, task: str, text: str = PASS, score: str | None = None) -> Path:
    folder = run / "first" / task / "pass_dir"
    folder.mkdir(parents=True)
    (folder / "A.py").write_text(text)
    (folder / ORDER).write_text('["A"]')
    if score is not None:
        (folder / "score.txt").write_text(score)
    return folder


def command(path: Path, *arguments: str, author: str = "model-1") -> tuple[dict[str, int], str]:
    out, err = StringIO(), StringIO()
    call_command("import_run", path, "--author", author, "--json", "--jobs", "1", *arguments, stdout=out, stderr=err)
    return json.loads(out.getvalue().splitlines()[-1]), err.getvalue()


def counts(imported: int = 0, unchanged: int = 0, skipped: int = 0, failed: int = 0) -> dict[str, int]:
    return {"imported": imported, "unchanged": unchanged, "skipped": skipped, "failed": failed}


def test_a_run_folder_is_read_whole_once_and_never_left(tmp_path, task):
    run, outside = tmp_path / "run", tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret")
    handed_in(run, "doubled-relu", score="1.25\n")
    known = handed_in(run, UNKNOWN)
    (known / "link.py").symlink_to(outside / "secret.py")
    (known.parent / "graphs").symlink_to("/nowhere/at/all")
    (known.parent / "score.txt").write_text("0.147")
    (run / "second").symlink_to(run / "first")  # a loop for whoever follows links
    (run / "task").mkdir()
    (run / "task" / "pass_dir").symlink_to(outside)
    bad = handed_in(run, "bad", "import torch\0\n", score="about one")
    (bad / "__pycache__").mkdir()
    (bad / "__pycache__" / "A.pyc").write_bytes(b"\xff")
    huge = handed_in(run, "huge")
    with (huge / "B.py").open("wb") as file:
        os.truncate(file.fileno(), 3 << 20)
    cheat = "import os\n\ndef replacement_func():\n    return os.system\n"
    handed_in(run, "cheat", cheat)

    said, problems = command(run, "--model-version", "2", "--setting", "temperature=0.7")
    assert said == counts(imported=4, failed=1)
    assert "huge" in problems and "the limit is" in problems and "is no score" in problems and "secret" not in problems
    author = Author.objects.get(name="model-1")
    assert (author.kind, author.version, author.settings) == ("model", "2", {"temperature": "0.7"})
    rows = {one.task_name: one for one in Submission.objects.all()}
    assert rows.keys() == {"doubled-relu", UNKNOWN, "bad", "cheat"}
    assert (rows["doubled-relu"].reported, rows["doubled-relu"].task) == (1.25, task)
    assert (rows[UNKNOWN].reported, rows[UNKNOWN].task) == (0.147, None)
    assert rows[UNKNOWN].files == {"A.py": PASS, ORDER: '["A"]'} and rows[UNKNOWN].findings == []
    assert "NUL" in rows["bad"].problem and rows["bad"].reported is None
    assert rows["cheat"].findings, "the static check saw the subprocess"
    assert not Run.objects.exists()

    # The same command again: nothing new, but for the score that somebody wrote only now
    (known.parent / "score.txt").write_text("0.2")
    assert command(run)[0] == counts(unchanged=4, failed=1)
    assert Submission.objects.get(task_name=UNKNOWN).reported == 0.2
    assert author.settings and Author.objects.get(name="model-1").version == "2"
    assert command(tmp_path / "outside")[0] == counts(skipped=1)


def test_what_was_stored_before_an_interruption_is_not_done_again(tmp_path, monkeypatch):
    from submissions import run_folder_import

    run = tmp_path / "run"
    for name in ("a", "b", "c"):
        handed_in(run, name)
    monkeypatch.setattr(run_folder_import, "_BATCH", 1)
    store = run_folder_import.do_store_submissions

    def interrupted(author, batch):
        store(author, batch)
        if Submission.objects.count() == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(run_folder_import, "do_store_submissions", interrupted)
    with pytest.raises(SystemExit) as ended:
        command(run)
    assert ended.value.code == 130 and Submission.objects.count() == 2
    monkeypatch.setattr(run_folder_import, "do_store_submissions", store)
    assert command(run)[0] == counts(imported=1, unchanged=2)


def test_a_task_is_linked_when_its_graphs_arrive_and_then_evaluated_behind_people(tmp_path, settings):
    settings.WORKER_DEVICES = "cpu"
    handed_in(tmp_path / "run", UNKNOWN)
    handed_in(tmp_path / "run", "never", "\0")
    command(tmp_path / "run", "--evaluate", "cpu")
    author = Author.objects.get(name="model-1")
    assert do_link_when_tasks_came() == 0 and do_feed("cpu") == 0 and not Run.objects.exists()
    graphs = [("f32", do_store_graph(sample("f32"), "model.py"))]
    task, _ = do_store_task(UNKNOWN, TaskText("A task of the benchmark"), graphs, None, "imported")
    assert do_link_when_tasks_came() == 1 and do_link_submissions() == 0
    assert do_feed("cpu") == 1
    run = Run.objects.get()
    assert (run.task, run.author, run.lane, run.state) == (task, author, Lane.BACKGROUND, "queued")
    assert Submission.objects.get(task=task).revision == run.revision
    assert do_feed("cpu") == 0 and do_want_evaluation(author, "cpu") == 0  # once is enough
    with pytest.raises(Refused, match="no device class"):
        do_want_evaluation(author, "cuda:H200")


def test_nobody_imports_for_others_and_only_some_may_read(tmp_path):
    ada, eve = account("ada"), account("eve")
    mine = do_get_author("my model", Described(), ada)
    assert do_get_author("my model", Described("3"), ada).version == "3"
    for name, by, code in (
        ("my model", eve, "not_yours"),
        ("ada", eve, "not_yours"),
        ("eager", None, "built_in"),
        ("", ada, "bad_name"),
    ):
        with pytest.raises(Refused) as refused:
            do_get_author(name, Described(), by)
        assert refused.value.code == code
    handed_in(tmp_path / "run", "doubled-relu")
    command(tmp_path / "run", author="my model")
    row = Submission.objects.get(author=mine)
    assert access_submission(ada, row.pk) == row
    with pytest.raises(Refused):
        access_submission(eve, row.pk)
    operators = do_get_author("everybody's", Described(), None)
    assert may_watch(eve, Run(author=operators)) and not may_watch(eve, Run(author=mine))
    with pytest.raises(CommandError, match="program of the workbench"):
        command(tmp_path / "run", author="TorchInductor")


LOG = """\
free text of the program
graph-net-test-compiler-log [Processing] graphs/one
graph-net-test-compiler-log [Config] device: cuda
graph-net-test-compiler-log [Datatype][eager]: float32 int64
[Speedup][e2e]: 99.0
graph-net-test-compiler-log [Correctness][equal]: 1 0
graph-net-test-compiler-log [Correctness][all_close_atol_1.00E-05_rtol_1.30E-06]: 1 1
graph-net-test-compiler-log [Correctness][all_close_atol_1.00E-06_rtol_7.80E-08]: 0 1
graph-net-test-compiler-log [Correctness][max_diff]: 1.2e-06 0
graph-net-test-compiler-log [Result] status: success
graph-net-test-compiler-log [Performance][eager]: {"e2e": {"median": 0.25, "mean": 0.3}, "gpu": {}}
graph-net-test-compiler-log [Performance][compiled]: {"e2e": [1]}
graph-net-test-compiler-log [Speedup][e2e]: 1.234
graph-net-test-compiler-log [Speedup][gpu]: nan
other [Processing] graphs/forged
graph-net-test-compiler-log [Processing] graphs/two
graph-net-test-compiler-log [Speedup][e2e]: 2.0
graph-net-test-compiler-log [Speedup][e2e]: 50.0
graph-net-test-compiler-log [Correctness][equal]: 1
"""


def test_a_log_is_reported_and_what_it_says_twice_is_doubtful():
    one, two = read_eval_log(LOG.encode())
    assert (one.graph, one.status, one.config, one.dtypes) == (
        "graphs/one",
        "success",
        {"device": "cuda"},
        {"eager": "float32 int64"},
    )
    assert (one.first_t, one.max_diff, one.speedup, one.e2e_ms, one.doubtful) == (
        -5,
        "1.2e-06 0",
        {"e2e": 1.234},
        {"eager": 0.25},
        False,
    )
    assert (two.graph, two.first_t, two.doubtful) == ("graphs/two", -99, True)
    assert read_eval_log(b"\xff\x00[Processing] x\n") == [] and read_eval_log(b"p [Processing] " + b"x" * 9000)


def test_logs_beside_the_submissions_are_kept_as_reported(tmp_path):
    handed_in(tmp_path / "run", "a")
    (tmp_path / "run" / "eval.log").write_text(LOG)
    (tmp_path / "run" / "other.log").write_text("nothing of ours")
    assert command(tmp_path / "run")[0] == counts(imported=2, skipped=1)
    assert command(tmp_path / "run")[0] == counts(unchanged=2, skipped=1)
    log = ReportedLog.objects.get()
    assert (log.name, [graph["graph"] for graph in log.graphs]) == ("eval.log", ["graphs/one", "graphs/two"])
    assert command(tmp_path / "run" / "eval.log")[0] == counts(unchanged=1)
    assert not Run.objects.exists()
