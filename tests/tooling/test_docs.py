"""Links and pictures of the documentation lead somewhere, and what it names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_exist(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)
    for target in targets:
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page):
    makefile = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = set(re.findall(r"(?:^    |`)(?:[A-Z_]+=\S+ )*make ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert asked <= makefile


def test_the_readme_stays_under_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 66


def test_every_variable_of_the_readme_is_read_somewhere():
    names = re.findall(r"`([A-Z_]{4,})`", (ROOT / "README.md").read_text())
    places = [ROOT / "passnet_web" / "settings.py", ROOT / "Makefile", *(ROOT / "scripts").rglob("*.sh")]
    text = "\n".join(place.read_text() for place in places)
    assert [name for name in names if name not in text] == []
