"""What Inductor tries out on a CPU, kept. That it is used is seen where baselines are measured."""

import os

import pytest

from evaluator.runner import cpu_seed, processes


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PASSNET_EVALUATOR_CACHE", str(tmp_path / "seeds"))
    return tmp_path / "seeds"


def test_without_a_compiler_there_is_none(monkeypatch, folder):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert cpu_seed.ready() == b""
    assert list(folder.glob("*")) == []


def test_who_does_not_want_to_wait_any_more_gets_none_and_nothing_goes_on(folder):
    before = frozenset(processes.descendants(os.getpid()))  # daemons of other tests, whose own processes come and go
    assert cpu_seed.ready(lambda: True) == b""
    assert processes.descendants(os.getpid(), before) == [] and list(folder.glob("*")) == []


def test_what_was_made_for_this_compiler_is_given_again(monkeypatch, folder, tmp_path):
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o700)
    monkeypatch.setenv("CXX", str(compiler))
    cpu_seed._path().write_bytes(b"a seed")
    assert cpu_seed.ready(lambda: True) == b"a seed"
    compiler.write_text("#!/bin/sh\n# a newer one\n")
    assert cpu_seed.ready(lambda: True) == b""
