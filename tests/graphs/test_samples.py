"""Sample folders: read without executing, written so that they read back."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from sample_folders import META, MODEL, make_sample

from graphs import samples as samples_module
from graphs.samples import (
    ReadProblem,
    Sample,
    TensorMeta,
    TooLarge,
    find_samples,
    is_sample,
    read_sample,
    sample_from_json,
    sample_to_json,
    write_sample,
)


def problem(folder: Path) -> ReadProblem:
    with pytest.raises(ReadProblem) as caught:
        read_sample(folder)
    return caught.value


def test_a_whole_sample(tmp_path: Path) -> None:
    folder = make_sample(
        tmp_path / "resnet_start14_end16_4",
        input_meta_py=META.replace("in_0", "image"),
        input_tensor_constraints_py="from sympy import Symbol\nS0 = Symbol('S0')\n",
        subgraph_sources_json='{"resnet": [[14, 16]]}',
    )
    sample = read_sample(folder)
    tensor = TensorMeta("in_0", (2,), "float32", "cpu", 0.0, 1.0, class_name="A")
    digest = hashlib.sha256(MODEL.encode()).hexdigest()
    assert sample == Sample(
        name="resnet_start14_end16_4",
        source=MODEL,
        inputs=(tensor,),
        model_inputs=(replace(tensor, name="image"),),
        graph_net={"framework": "torch", "model_name": "small", "extra": [1]},
        content_hash=digest,
        stored_hash=digest,
        constraints="from sympy import Symbol\nS0 = Symbol('S0')\n",
        subgraph_sources={"resnet": [[14, 16]]},
        warnings=(),
    )
    assert sample.meta("image") == replace(tensor, name="image")
    assert sample.meta("other") is None


def test_the_least_that_a_sample_needs(tmp_path: Path) -> None:
    folder = make_sample(tmp_path / "a", graph_net_json=None, graph_hash_txt=None, input_meta_py=None)
    sample = read_sample(folder)
    assert (sample.stored_hash, sample.constraints, sample.subgraph_sources) == (None, None, None)
    assert sample.graph_net == {}
    (warning,) = sample.warnings
    assert "graph_net.json" in warning


def test_a_hash_that_does_not_fit_is_a_warning(tmp_path: Path) -> None:
    sample = read_sample(make_sample(tmp_path / "a", graph_hash_txt="ABC\n"))
    assert sample.stored_hash == "abc"
    (warning,) = sample.warnings
    assert "says abc, but model.py hashes to" in warning


def test_unknown_keys_of_a_meta_file_reach_the_sample(tmp_path: Path) -> None:
    sample = read_sample(make_sample(tmp_path / "a", weight_meta_py=META + "\tcolour = 1\n"))
    assert sample.warnings == (f"{tmp_path}/a/weight_meta.py:8: unknown key 'colour' was ignored",)


@pytest.mark.parametrize(
    ("name", "content", "line", "word"),
    [
        ("model_py", None, None, "is missing"),
        ("weight_meta_py", None, None, "is missing"),
        ("model_py", b"import torch\n# \xff\n", 2, "is not UTF-8 text: byte 0xff"),
        ("weight_meta_py", "x = 1", 1, "is not a class"),
        ("input_meta_py", "x = 1", 1, "is not a class"),
        ("graph_net_json", '{\n"a": }', 2, "is not JSON"),
        ("graph_net_json", "[1]", 1, "must be a JSON object"),
        ("graph_net_json", "[" * 100_000, None, "is not JSON"),
        ("subgraph_sources_json", "nonsense", 1, "is not JSON"),
    ],
)
def test_problems(tmp_path: Path, name: str, content: str | bytes | None, line: int | None, word: str) -> None:
    found = problem(make_sample(tmp_path / "a", **{name: content}))
    stem, _, extension = name.rpartition("_")
    assert found.file == str(tmp_path / "a" / f"{stem}.{extension}")
    assert (found.line, word in found.why) == (line, True)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert problem(tmp_path / "none").why == "is not a folder"


def test_infinity_in_json_becomes_a_text_that_a_browser_can_read(tmp_path: Path) -> None:
    sample = read_sample(make_sample(tmp_path / "a", graph_net_json='{"a": [NaN, -Infinity]}'))
    assert sample.graph_net == {"a": ["NaN", "-Infinity"]}


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(MODEL)
    folder = make_sample(tmp_path / "a", model_py=None)
    (folder / "model.py").symlink_to(tmp_path / "secret.py")
    assert "leaves its folder" in problem(folder).why
    (folder / "model.py").unlink()
    (folder / "model.py").symlink_to("model.py")  # a loop
    assert problem(folder)
    (folder / "model.py").unlink()
    (folder / "model.py").symlink_to("nowhere.py")
    assert problem(folder)
    (folder / "model.py").unlink()
    (folder / "real.py").write_text(MODEL)
    (folder / "model.py").symlink_to("real.py")
    assert read_sample(folder).source == MODEL


def test_what_is_no_file_is_a_problem_and_never_waited_for(tmp_path: Path) -> None:
    folder = make_sample(tmp_path / "a", model_py=None)
    os.mkfifo(folder / "model.py")
    assert "not a regular file" in problem(folder).why
    (folder / "model.py").unlink()
    (folder / "model.py").mkdir()
    assert problem(folder)


def test_too_large_a_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples_module, "MAX_MODEL_BYTES", 10)
    with pytest.raises(TooLarge) as caught:
        read_sample(make_sample(tmp_path / "a"))
    assert caught.value.counts == {"bytes": len(MODEL), "limit": 10}


def test_finding_samples_at_any_depth(tmp_path: Path) -> None:
    first = make_sample(tmp_path / "lib" / "model" / "_decomposed" / "sub_1")
    second = make_sample(tmp_path / "lib" / "model")
    make_sample(tmp_path / "elsewhere")
    (tmp_path / "lib" / "no_sample").mkdir()
    (tmp_path / "lib" / "no_sample" / "model.py").write_text("x = 1")
    (tmp_path / "lib" / "link").symlink_to(tmp_path / "elsewhere")
    assert list(find_samples(tmp_path / "lib")) == [second, first]
    assert is_sample(first)
    assert not is_sample(tmp_path / "lib")
    assert not is_sample(tmp_path / "lib" / "no_sample")


@pytest.mark.parametrize("source", [MODEL, MODEL.replace("\n", "\r\n"), "\ufeff" + MODEL, MODEL + "# größe 𝑥", "\r"])
def test_what_is_written_reads_back(tmp_path: Path, source: str) -> None:
    folder = make_sample(
        tmp_path / "a",
        model_py=source,
        graph_hash_txt=hashlib.sha256(source.encode()).hexdigest(),
        weight_meta_py=META + "\tdata = [inf, 0.1]\n",
        subgraph_sources_json='{"größe": [[1, 2]]}',
        input_tensor_constraints_py="S0 = 1\r\n",
    )
    sample = read_sample(folder)
    write_sample(sample, tmp_path / "b" / "a")
    assert (tmp_path / "b" / "a" / "model.py").read_bytes() == source.encode()
    assert len((tmp_path / "b" / "a" / "graph_hash.txt").read_bytes()) == 64
    assert read_sample(tmp_path / "b" / "a") == sample


def test_a_sample_is_a_json_value(tmp_path: Path) -> None:
    folder = make_sample(tmp_path / "a", weight_meta_py=META.replace("1.0", "inf") + "\tdata = [-inf, 3]\n")
    sample = read_sample(folder)
    value = json.loads(json.dumps(sample_to_json(sample), allow_nan=False))
    assert value["inputs"][0]["std"] == "inf"
    assert value["inputs"][0]["data"] == ["-inf", 3]
    assert sample_from_json(value) == sample
