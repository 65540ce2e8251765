import json
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def built_front_end(tmp_path: Path, settings) -> Iterator[Path]:
    """A build of the front end as far as templates need one: a manifest that names two entries."""
    from django_vite.core.asset_loader import DjangoViteAssetLoader

    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    settings.DJANGO_VITE = {"default": {**settings.DJANGO_VITE["default"], "manifest_path": tmp_path / "manifest.json"}}
    before = DjangoViteAssetLoader._instance
    DjangoViteAssetLoader._instance = None
    yield tmp_path
    DjangoViteAssetLoader._instance = before


MANIFEST = {
    f"static/src/{name}.tsx": {
        "file": f"assets/{name}-1a2b3c4d.js",
        "src": f"static/src/{name}.tsx",
        "isEntry": True,
        "css": [f"assets/{name}-5e6f7a8b.css"],
    }
    for name in ("catalogue", "workbench")
}
