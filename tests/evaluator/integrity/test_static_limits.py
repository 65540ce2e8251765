"""The static check ends, whatever it is given, and says so when it can not follow."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.integrity.static_check import check_files

GROWING = "\n".join(
    ["def f0(*a): return a", *(f"def f{i}(*a): return f{i - 1}(f{i - 1}(*a), lambda: a)" for i in range(1, 60))]
)


@pytest.mark.parametrize(
    "text",
    [
        GROWING + "\nlaunch = f59(f59, f58)\n",
        "x = " + "(" * 150 + "1" + ")" * 150,
        "x = " + " + ".join(["1"] * 3000),
        "x = " + "-" * 2000 + "1",
        "def f(n): return f(f(n))\nf(f)\n",
        "x = []\nx.append(x)\nx[0] = x\ny = {1: x}\ny[2] = y\n",
        "class A(A): pass\n",
        "while True:\n    x = lambda: x\n",
    ],
    ids=["growing", "parentheses", "long sum", "many signs", "recursive", "cyclic", "own base", "endless"],
)
def test_ends_on_hard_files(text: str) -> None:
    started = time.process_time()
    check_files({"Pass.py": text})
    assert time.process_time() - started < 30  # a bound against running for ever, not a measurement


def test_says_when_it_can_not_follow_and_still_judges_imports() -> None:
    text = "import socket\n" + GROWING + "\nlaunch = f59(f59, f58)\n"
    found = {(one["class"], one["severity"]) for one in check_files({"Pass.py": text})}
    assert ("network", "violation") in found


def test_files_that_are_no_python_are_left_to_the_loader() -> None:
    assert check_files({"Pass.py": "def f(:\n", "notes.txt": "import socket", "b.py": "\x00"}) == []
    assert check_files({}) == []


names = st.sampled_from(["x", "y", "torch", "open", "launch", "kernel", "_S", "F"])
expressions = st.recursive(
    names | st.integers(0, 9).map(str) | st.just("None") | st.just("'re'"),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "@", "==", "[0] *", "and"]), inner).map(" ".join),
        st.tuples(inner, names).map(lambda pair: f"({pair[0]}).{pair[1]}"),
        st.tuples(names, inner).map(lambda pair: f"{pair[0]}({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, *{pair[1]}]"),
        st.tuples(names, inner).map(lambda pair: f"(lambda {pair[0]}: {pair[1]})"),
        st.tuples(names, inner).map(lambda pair: "{" + f"{pair[0]!r}: {pair[1]}" + "}"),
    ),
    max_leaves=12,
)
statements = st.one_of(
    st.tuples(names, expressions).map(" = ".join),
    st.tuples(names, expressions, expressions).map(lambda three: f"{three[0]}[{three[1]}] = {three[2]}"),
    st.tuples(names, expressions).map(" += ".join),
    st.tuples(expressions, names).map(lambda pair: f"for {pair[1]} in {pair[0]}: pass"),
    st.tuples(names, expressions).map(lambda pair: f"def {pair[0]}(x, *y): return {pair[1]}"),
    st.tuples(names, expressions).map(lambda pair: f"if {pair[1]}: del {pair[0]}"),
    names.map(lambda name: f"import {name}"),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(statements, max_size=8))
def test_never_raises_and_never_gives_up_on_small_files(lines: list[str]) -> None:
    found = check_files({"Pass.py": "\n".join(lines)})
    assert not any("could not follow" in one["evidence"] for one in found), found
