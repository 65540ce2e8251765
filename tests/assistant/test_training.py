"""The recipe end to end on a tiny model: from exported trajectories, over HTTP, to a model that is rewarded more."""

import json

import pytest
import torch
from judging_thread import judging
from small_daemon import graph_result, run_done, start
from task_of_two import store_task

from assistant.training import reinforce, supervised
from assistant.training.__main__ import main
from assistant.training.examples import examples, files_of, prompt_for, text_of
from assistant.training.tiny import TinyModel
from submissions.actions.tokens import do_make_token
from submissions.tokens import Scope


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


def trajectory(right, correct=(2, 2), verdict="clean"):
    return {
        "task_id": "doubled-relu",
        "submission": {"P.py": f"x={right}\n"},
        "correct": list(correct),
        "integrity": {"verdict": verdict},
    }


def judge(connection, job):
    """As many graphs are correct as the file says; what can not be read has none."""
    names = start(connection, job)
    text = "".join(job["files"].values()).strip()
    right = int(text[2:]) if text in ("x=0", "x=1", "x=2") else 0
    words = ["correct" if at < right else "no_match" for at in range(len(names))]
    graphs = {name: graph_result(word, None) for name, word in zip(names, words, strict=True)}
    connection.say("run_done", **run_done(graphs))


def test_files_go_into_a_text_and_come_back():
    files = {"a.py": "x = 1\n", "b/c.py": "def f():\n    pass\n"}
    assert files_of(text_of(files)) == files and files_of("no name\nat all") == {}
    assert files_of("=== a.py\nx = 1\n\x00=== b.py\n") == {"a.py": "x = 1\n"}


def test_only_what_worked_and_is_clean_is_learnt():
    lines = [trajectory(2), trajectory(1, (1, 2)), trajectory(2, verdict="violation"), trajectory(0, (0, 0))]
    assert [one.completion for one in examples(lines)] == ["=== P.py\nx=2\n\x00"]
    assert len(list(examples(lines, least_correct=0.5))) == 2
    with pytest.raises(ValueError, match="no trajectory"):
        list(examples([{"task_id": "x"}]))


def test_the_probability_of_a_text_is_that_of_its_bytes_in_turn():
    torch.manual_seed(0)
    model = TinyModel(8)
    both = model.log_probability("p", ["ab", "a"])
    _, state = model.unit(model.embedding(torch.tensor([[ord("p")]])))
    first = model.head(state[0]).log_softmax(-1)[0, ord("a")]
    _, state = model.unit(model.embedding(torch.tensor([[ord("a")]])), state)
    second = model.head(state[0]).log_softmax(-1)[0, ord("b")]
    assert torch.allclose(both, torch.stack([first + second, first]))


@pytest.mark.hostile  # it waits for a hundred evaluations
@pytest.mark.django_db(transaction=True)
def test_from_trajectories_to_a_better_model(live_server, author, tmp_path, monkeypatch, capsys):
    store_task()
    data = tmp_path / "t.jsonl"
    data.write_text("".join(json.dumps(trajectory(right)) + "\n" for right in (0, 1, 2)))
    assert main(["supervised", str(data), "--out", str(tmp_path / "first.pt"), "--steps", "150"]) == 0
    assert "3 examples, loss" in capsys.readouterr().out
    monkeypatch.setenv("PASSNET_URL", live_server.url)
    monkeypatch.setenv("PASSNET_TOKEN", do_make_token(author, "rl", Scope.EVALUATE, 1)[1])
    monkeypatch.setitem(reinforce.train.__kwdefaults__, "every", 0.05)
    monkeypatch.setitem(reinforce.train.__kwdefaults__, "rate", 1e-2)
    asked = ["reinforce", str(tmp_path / "first.pt"), "--out", str(tmp_path / "second.pt"), "--tasks", "doubled-relu"]
    with judging(tmp_path / "cpu.sock", judge):
        assert main([*asked, "--rounds", "8", "--group", "12", "--reward", "correctness"]) == 0
    means = [float(line.rpartition(" ")[2]) for line in capsys.readouterr().out.splitlines()]
    assert len(means) == 8 and means[-1] > means[0], means
    model = TinyModel()
    model.load_state_dict(torch.load(tmp_path / "second.pt", weights_only=True))
    texts = [text_of({"P.py": f"x={right}\n"}) for right in (0, 1, 2)]
    chances = model.log_probability(prompt_for("doubled-relu"), texts)
    assert chances.argmax() == 2 and chances[2].exp() > 0.5, chances.exp()


def test_a_tiny_model_learns_and_draws_what_it_has_learnt(tmp_path):
    torch.manual_seed(0)
    model = TinyModel(24)
    learnt = list(examples([trajectory(2)]))
    first = model.log_probability(learnt[0].prompt, [learnt[0].completion]).item()
    supervised.train(model, learnt, steps=60, batch=2)
    assert model.log_probability(learnt[0].prompt, [learnt[0].completion]).item() > first + 10
    assert learnt[0].completion in model.sample(learnt[0].prompt, 8, torch.Generator().manual_seed(0))


def test_what_can_not_be_used_is_said(tmp_path, capsys):
    (tmp_path / "t.jsonl").write_text("")
    assert main(["supervised", str(tmp_path / "t.jsonl"), "--out", str(tmp_path / "m.pt")]) == 1
    assert "no example" in capsys.readouterr().err
