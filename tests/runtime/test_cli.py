"""The commands as a person types them: what they print, as a table and as JSON, and their exit status."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from passnet_runtime.cli import main, parser
from passnet_runtime.completion import commands_of, script
from passnet_runtime.tables import table

ROOT = Path(__file__).parents[2]


def test_tables():
    assert table(("name", "n", ""), [("a", 1, "")]) == "name  n\na     1"
    assert table(("name", "n"), [("a", 5), ("bcdefg", 12)]) == "name     n\na        5\nbcdefg  12"
    assert table(("a", "b"), []) == "a  b"


def test_completion_knows_every_command_and_option():
    commands = commands_of(parser())
    assert {"check", "verify", "explain", "scan", "bundle", "install", "list", "pin", "conflicts"} <= set(commands)
    assert "--record" in commands["check"] and "--json" in commands["list"]
    asked = (
        script(parser(), "bash")
        + '\nCOMP_WORDS=(passnet-runtime "$1" "$2"); COMP_CWORD=$3; _passnet_runtime; echo "${COMPREPLY[@]}"'
    )
    for words, expected in ((("con", "", "1"), "conflicts"), (("check", "--re", "2"), "--help --record --result")):
        run = subprocess.run(["bash", "-c", asked, "bash", *words], capture_output=True, text=True, check=True)
        assert set(run.stdout.split()) == {
            word for word in expected.split() if word.startswith(words[int(words[2]) - 1])
        }
    assert "complete -c passnet-runtime" in script(parser(), "fish")
    assert script(parser(), "zsh").startswith("autoload -U +X bashcompinit")


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSNET_LIBRARY", str(tmp_path / "library"))
    shutil.copytree(ROOT / "tests/graphs_data/passes/residual_layer_norm", tmp_path / "my_pass_dir")
    task = tmp_path / "task" / "graphs"
    task.mkdir(parents=True)
    shutil.copytree(ROOT / "graphs/data/residual-layer-norm/graphs/f32_2x14x64", task / "f32_2x14x64")
    (tmp_path / "toy.py").write_text(TOY)
    return tmp_path


TOY = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm, self.drop = nn.Linear(64, 64), nn.LayerNorm(64, eps=1e-12), nn.Dropout(0.1)

    def forward(self, x):
        return self.norm(self.drop(self.linear(x)) + x)

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Block(), Block()

    def forward(self, x):
        x = self.one(x)
        return self.two(torch.cat([x, x]))

def small():
    return Two().eval(), (torch.randn(2, 14, 64),)
"""


def answer(capsys, *words):
    status = main(words)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_from_a_folder_to_a_library_and_into_a_model(workplace, capsys):
    status, out, _ = answer(capsys, "check", "my_pass_dir", "task", "--record")
    assert status == 0 and "●  f32_2x14x64  correct        1  -6       the same" in out and "1 calls written" in out

    status, public, _ = answer(capsys, "key", "my.key")
    assert status == 0 and (workplace / "my.key").stat().st_mode & 0o777 == 0o600
    assert answer(capsys, "key", "my.key")[0] == 2  # an old key is not lost
    about = ["--name", "add-norm", "--version", "1.0.0", "--author", "Me", "--licence", "MIT", "--graphs", "task"]
    assert answer(capsys, "bundle", "my_pass_dir", "add-norm.zip", *about, "--key", "my.key")[0] == 0
    status, _, err = answer(capsys, "install", "add-norm.zip")
    assert status == 2 and "nobody trusts the key" in err
    assert answer(capsys, "trust", public.strip(), "me")[0] == 0
    assert answer(capsys, "install", "add-norm.zip")[1] == "add-norm 1.0.0 by Me (MIT), signed by me\n"

    status, out, _ = answer(capsys, "list", "--json")
    (item,) = json.loads(out)
    assert (item["name"], item["signed_by"], item["operators"]["AddNorm64"]) == (
        "add-norm",
        "me",
        ["dropout", "add", "layer_norm"],
    )
    assert answer(capsys, "search", "add", "layer_norm")[0] == 0
    assert answer(capsys, "search", "relu")[0] == 1

    status, out, _ = answer(capsys, "verify", "--json")
    told = json.loads(out)
    assert status == 0 and told["broke"] == [] and told["checked"][0]["captured"] is True

    status, out, _ = answer(capsys, "explain", "toy:small", "--page", "toy.html")
    assert status == 0 and "1 match, then eager" in out
    assert "○ AddNorm64: dropout_1, add_1, layer_norm_1 is left alone: not verified for" in out
    assert "float32 [4, 14, 64]" in out and (workplace / "toy.html").read_text().startswith("<!doctype html>")

    status, out, _ = answer(capsys, "scan", "toy:small", "--json")
    told = json.loads(out)
    assert status == 0 and (told["graphs"], len(told["found"]), len(told["left_alone"])) == (1, 1, 1)
    assert 0 < told["found"][0]["share"] < 1 and told["expected"] is None  # no speed-up was recorded here


def test_what_broke_is_the_exit_status(workplace, capsys):
    path = workplace / "my_pass_dir" / "AddNorm64.py"
    path.write_text(path.read_text().replace("torch.nn.functional.layer_norm", "torch.nn.functional.rms_norm"))
    status, out, _ = answer(capsys, "check", "my_pass_dir", "task")
    assert status == 1 and "■  f32_2x14x64" in out
    assert answer(capsys, "check", "nowhere", "task")[0] == 2
    assert answer(capsys, "scan", "toy:nothing", "my_pass_dir")[0] == 2


def test_the_library_s_commands_start_without_torch(tmp_path):
    code = "import sys; from passnet_runtime.cli import main; main(['list']); sys.exit('torch' in sys.modules)"
    env = {**os.environ, "PASSNET_LIBRARY": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (run.returncode, run.stdout) == (0, "The library is empty.\n")
