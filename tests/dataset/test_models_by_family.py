"""The list of models to start from can be read as it stands."""

from pathlib import Path

from dataset.commands import models_of
from dataset.models import parse_name

LIST = Path(__file__).parents[2] / "scripts" / "models_by_family.txt"


def test_every_line_names_a_model_of_its_own():
    names = [parse_name(line) for line in models_of([f"@{LIST}"])]
    assert len(names) >= 150 and len({name.folder for name in names}) == len(names)
    families = LIST.read_text("utf-8").split("\n\n# ")[1:]
    assert len(families) >= 8 and all(len(family.splitlines()) > 4 for family in families)
