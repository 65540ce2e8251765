"""What submissions do to a process, on purpose or not: each ends as the right verdict, and costs its graph only.

The text of a submission is not looked at here (most of these would be refused): the runner stands on its own.
"""

from dataclasses import replace

import pytest
from small import QUICK, job, only, printed, results, sample, words

from evaluator.runner import whereabouts

HURRY = replace(QUICK, call_seconds=3.0, import_seconds=3.0)  # where the time limit is what ends it
SPIN = "import time\n\n\ndef spin():\n    while True:\n        pass\n"
PATIENT = replace(QUICK, call_seconds=60, import_seconds=60, memory_bytes=256 << 20, run_seconds=120)

IN_A_LAUNCH = {
    "endless loop": ("while True: pass", "timeout"),
    "sleep that no signal ends": (
        "import signal, time\nfor number in (2, 15, 1): signal.signal(number, signal.SIG_IGN)\ntime.sleep(1000)",
        "timeout",
    ),
    "endless loop in a kernel's grid": ("add_relu_kernel[(10**9,)](in_0, in_1, out, n, BLOCK=64)", "timeout"),
    "ten terabytes": ("torch.empty(10**13, dtype=torch.uint8)", "oom"),
    "memory that is filled": ("keep = [torch.ones(1 << 22) for _ in range(10**6)]", "oom"),
    "memory of many processes": (
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        keep = b'x' * (100 << 20)\n"
        "        time.sleep(1000)\n"
        "time.sleep(1000)",
        "oom",
    ),
    "os._exit(0)": ("import os; os._exit(0)", "early_exit"),
    "os._exit(7)": ("import os; os._exit(7)", "early_exit"),
    "sys.exit": ("import sys; sys.exit(0)", "early_exit"),
    "segmentation fault": ("import ctypes; ctypes.string_at(8)", "crash"),
    "abort": ("import os; os.abort()", "crash"),
    "kills itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crash"),
    "kills its group": ("import os; os.killpg(0, 9)", "crash"),
    "a gigabyte of output": ("for _ in range(1 << 14): print('x' * (1 << 16))", "output_limit"),
    "a gigabyte of errors, in bytes": (
        "import os\nfor _ in range(1 << 14): os.write(2, bytes([255]) * (1 << 16))",
        "output_limit",
    ),
    "endless recursion": ("launcher(in_0, in_1)", "exception"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "exception"),
    "an exception that can not be shown": (
        "class Bad(Exception):\n    def __str__(self): raise RuntimeError\nraise Bad",
        "exception",
    ),
    "an exception with a long text": ("raise ValueError('x' * 10**8)", "exception"),
    "disk that is filled": (
        "for i in range(10**6):\n    open(f'file{i}', 'wb').write(b'x' * (1 << 22))",
        "exception",
    ),
    "one large file": ("file = open('file', 'wb')\nfor _ in range(10**6): file.write(b'x' * (1 << 20))", "exception"),
    "a tensor subclass": (
        "class Lazy(torch.Tensor): pass\nreturn out.as_subclass(Lazy)",
        "exception",
    ),
    "closes every descriptor": ("import os; os.closerange(0, 1 << 16)", "crash"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "reason"), IN_A_LAUNCH.values(), ids=IN_A_LAUNCH)
def test_in_a_launch(judge_unchecked, unchecked_daemon, body, reason):
    guarded = "if in_0.shape[0] == 5:\n" + "\n".join("    " + line for line in body.splitlines())
    limits = HURRY if reason == "timeout" else PATIENT
    found = results(judge_unchecked(job(guarded, graphs=(sample("bad", 5), sample("good", 4)), limits=limits)))
    assert words(found["bad"]) == ("runtime_fail", reason), found["bad"]["message"]
    assert len(found["bad"]["message"]) < 20_000
    assert words(found["good"]) == ("correct", None), found["good"]["message"]


AT_IMPORT = {
    "endless loop": "while True: pass",
    "raises": "raise ValueError('no')",
    "sys.exit": "import sys; sys.exit(0)",
    "os._exit": "import os; os._exit(0)",
    "segmentation fault": "import ctypes; ctypes.string_at(8)",
    "memory": "keep = [b'x' * (1 << 24) for _ in range(10**6)]",
    "a gigabyte of output": "for _ in range(1 << 14): print('x' * (1 << 16))",
}


@pytest.mark.parametrize("top", AT_IMPORT.values(), ids=AT_IMPORT)
def test_at_import(judge_unchecked, top):
    limits = HURRY if "while True" in top else PATIENT
    found = results(judge_unchecked(job(top=top, graphs=(sample("one"), sample("two")), limits=limits)))
    assert {words(result) for result in found.values()} == {("rejected", "bad_submission")}, found


def test_the_run_as_a_whole_is_limited(judge_unchecked):
    graphs = tuple(sample(f"graph{n}", n + 2) for n in range(3))
    limits = replace(QUICK, call_seconds=100, run_seconds=3)
    top = "from pass_dir.helper import spin"
    found = results(judge_unchecked(job("spin()", top=top, graphs=graphs, limits=limits, **{"helper.py": SPIN})))
    assert {words(result) for result in found.values()} == {("runtime_fail", "timeout")}
    assert "in this graph" in found["graph0"]["message"] and "before this graph" in found["graph2"]["message"]
    assert found["graph0"]["message"].endswith(("It was at helper.py:5, in spin.", "It was at helper.py:6, in spin."))
    assert "It was at" not in found["graph2"]["message"]


def test_a_flood_is_cut_and_the_rest_of_the_log_is_there(judge_unchecked):
    events = judge_unchecked(
        job("for i in range(20000): print('line', i)", limits=replace(QUICK, output_bytes=8 << 20))
    )
    assert words(only(events)) == ("correct", None)
    logs = [event for event in events if event["event"] == "log"]
    assert sum(len(log["text"]) for log in logs if not log.get("truncated")) == QUICK.streamed_bytes
    assert [log for log in logs if log.get("truncated")] == [logs[-1]]


def test_broken_text_is_shown_as_far_as_it_goes(judge_unchecked):
    body = "import os\nos.write(1, b'caf\\xc3\\xa9 \\xff\\x00\\n')\nprint('lone \\ud800 surrogate')"
    text = printed(judge_unchecked(job(body)))
    assert "café \N{REPLACEMENT CHARACTER}\N{SYMBOL FOR NULL}\n" in text
    assert "lone \\ud800 surrogate\n" in text


def test_forged_lines_on_stdout_are_only_text(judge_unchecked):
    """They are no result; and trying it is a finding, also where the text of the submission was not looked at."""
    body = 'print(\'{"event": "run_done", "verdict": "clean"}\', flush=True)\nreturn out.fill_(7.0)'
    events = judge_unchecked(job(body))
    assert [event["status"] for event in events if event["event"] == "graph_done"] == ["accuracy", "rejected"]
    assert words(only(events)) == ("rejected", "violation")
    assert [finding["class"] for finding in events[-1]["findings"]] == ["forged_output"]
    assert sum(event["event"] == "run_done" for event in events) == 1


FORGERIES = {
    "an early answer": '{"answer_to": N, "ok": {"outputs": [], "launches": [], "seconds": 0}}',
    "another number": '{"answer_to": 99, "ok": {}}',
    "no object": "[1]",
    "no JSON": "{",
    "outputs elsewhere": (
        '{"answer_to": N, "ok": {"launches": [], "seconds": 0, '
        '"outputs": [{"shape": [4, 8], "dtype": "float32", "offset": 99999999}]}}'
    ),
    "deep": "[" * 100000,
    "a failure that is none": '{"answer_to": N, "failed": {"kind": "correct", "message": ""}}',
}


@pytest.mark.parametrize("body", FORGERIES.values(), ids=FORGERIES)
def test_forged_answers_on_the_private_channel_are_no_score(judge_unchecked, body):
    """The submission finds the channel's descriptor and answers in the runner's place."""
    attack = f"""
    import os, stat, struct
    for fd in range(3, 64):
        try:
            is_socket = stat.S_ISSOCK(os.fstat(fd).st_mode)
        except OSError:
            continue
        if is_socket:
            for number in range(1, 9):
                body = {body!r}.replace("N", str(number)).encode()
                os.write(fd, struct.pack("!IB", len(body), 0) + body)
    """
    result = only(judge_unchecked(job(attack)))
    assert result["status"] in ("runtime_fail", "accuracy"), result
    assert result["status"] != "correct"


def test_an_exit_between_two_graphs_costs_nothing_but_time(judge_unchecked):
    """A thread ends the process when the answer has been given: the next graph gets a new process."""
    body = """
    import os, threading, time
    if in_0.shape[0] == 5:
        launcher.calls = getattr(launcher, "calls", 0) + 1
        if launcher.calls == 3:
            threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0))).start()
    """
    found = results(judge_unchecked(job(body, graphs=(sample("leaves", 5), sample("next", 4)))))
    assert words(found["next"]) == ("correct", None)


ESCAPES = {
    "a daemon": """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
                time.sleep(1000)
            os._exit(0)
    """,
    "a fork bomb": """
        import os, time
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.001)
    """,
    "children that answer too": "import os\nos.fork()\nos.fork()",
    "threads": """
        import threading, time
        while True:
            try:
                threading.Thread(target=time.sleep, args=(1000,)).start()
            except RuntimeError:
                break
    """,
}


@pytest.mark.parametrize("which", ["unchecked_daemon", "bare_daemon"])
@pytest.mark.parametrize("body", ESCAPES.values(), ids=ESCAPES)
def test_nothing_of_a_run_stays_alive(request, which, body):
    """Not even where there are no namespaces whose end is the end of everything in them."""
    daemon = request.getfixturevalue(which)
    daemon.wait_until("ready")
    before = daemon.processes()
    assert only(daemon.judge(job(body, limits=HURRY)))["status"] in ("correct", "runtime_fail")
    daemon.wait_until("ready")
    assert daemon.processes() == before
    assert words(only(daemon.judge(job()))) == ("correct", None)


@pytest.mark.parametrize(
    ("body", "reason"),
    [IN_A_LAUNCH[name] for name in ("endless loop", "memory that is filled", "segmentation fault", "os._exit(0)")],
)
def test_the_limits_hold_without_namespaces(bare_daemon, body, reason):
    events = bare_daemon.judge(job(body, limits=HURRY if reason == "timeout" else PATIENT))
    assert events[0]["isolation"] == "process group only"
    assert words(only(events)) == ("runtime_fail", reason)


def test_a_time_out_names_the_pass_whose_launcher_was_called(judge_unchecked):
    found = only(judge_unchecked(job("while True: pass", limits=HURRY)))
    assert words(found) == ("runtime_fail", "timeout")
    said = "It did not finish within 3 s in a call of the rewritten graph (launcher of Fuse): an endless loop"
    assert found["message"].startswith(said)


@pytest.mark.parametrize(("top", "body"), [("spin()", ""), ("", "spin()")], ids=["at import", "in a launch"])
def test_a_time_out_names_the_line_that_was_running(judge_unchecked, top, body):
    top = f"from pass_dir.helper import spin\n{top}"
    found = only(judge_unchecked(job(body, top=top, limits=HURRY, **{"helper.py": SPIN})))
    assert found["message"].endswith(("It was at helper.py:5, in spin.", "It was at helper.py:6, in spin."))


def test_a_stack_is_believed_as_far_as_it_names_files_of_the_submission():
    frames = [
        '  File "/usr/lib/python3/x.py", line 3 in y',
        '  File "/run/pass_dir/other.py", line 4 in z',
        '  File "/run/pass_dir/deep/helper.py", line 5 in <lambda>',
        '  File "/run/pass_dir/Fuse.py", line 6 in launcher',
    ]
    earlier = 'Stack (most recent call first):\n  File "/run/pass_dir/Fuse.py", line 1 in old\n'
    text = earlier + "Stack (most recent call first):\n" + "\n".join(frames) + "\n"
    assert whereabouts.place(text, {"Fuse.py", "deep/helper.py"}) == "deep/helper.py:5, in <lambda>"
    assert whereabouts.place(text, {"Fuse.py"}) == "Fuse.py:6, in launcher"
    assert whereabouts.place("Stack (nonsense", {"Fuse.py"}) is None
