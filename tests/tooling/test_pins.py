"""constraints.txt pins what pyproject.toml asks for, and leaves open what must stay open."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def pins():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in found}


def wanted():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(text) for group in project["optional-dependencies"].values() for text in group]


def test_every_dependency_is_pinned_within_its_range():
    versions = pins()
    for requirement in wanted():
        if requirement.name != "triton":
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_every_pin_is_one_exact_version():
    assert all(re.fullmatch(r"[0-9][0-9A-Za-z.]*", version) for version in pins().values())


def test_what_each_build_of_torch_brings_itself_is_left_open():
    versions = pins()
    assert versions["torch"] == "2.13.0"
    assert not [name for name in versions if name.startswith(("triton", "nvidia", "torchvision", "cuda"))]
