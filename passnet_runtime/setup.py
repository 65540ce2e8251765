"""Builds the wheel from the one source tree: what the runtime imports is taken along, nothing is kept twice.

`evaluator.engine.match` of the checkout becomes `passnet_runtime.workbench.evaluator.engine.match` of the wheel: names
as general as `evaluator` and `graphs` do not belong into other people's environments.
"""

import ast
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py

PACKAGE = "passnet_runtime"
INSIDE = f"{PACKAGE}.workbench"
ROOT = Path(__file__).resolve().parents[1]
TAKEN = ("evaluator", "graphs")
_IMPORT = re.compile(rf"^(\s*(?:from|import)\s+)({'|'.join(TAKEN)})(?=[.\s])", re.MULTILINE)
_OWN = ("setup",)  # this file


def modules() -> dict[str, Path]:
    """Every module of the wheel by its name in the checkout: the runtime's, and what they import of ours."""
    own = [path for path in sorted((ROOT / PACKAGE).glob("*.py")) if path.stem not in _OWN]
    waiting = [PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}" for path in own]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += [name.rsplit(".", 1)[0]] if "." in name else []
        waiting += [item for item in _imports(path) if item.split(".")[0] in (*TAKEN, PACKAGE)]
    return found


def renamed(source: str) -> str:
    """A module's text with its imports of ours as they are called in the wheel."""
    return _IMPORT.sub(rf"\1{INSIDE}.\2", source)


def _imports(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [node.module, *(f"{node.module}.{item.name}" for item in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{PACKAGE}."):
            found.append(node.value)  # imported by name when it is first used
    return found


def _file(name: str) -> Path | None:
    path = ROOT.joinpath(*name.split("."))
    choices = (path / "__init__.py", path.with_suffix(".py"))
    return next((choice for choice in choices if choice.is_file()), None)


class BuildOneTree(build_py):
    """Writes the modules under their names in the wheel."""

    def run(self) -> None:
        for name, path in modules().items():
            new = name if name.split(".")[0] == PACKAGE else f"{INSIDE}.{name}"
            parts = new.split(".")
            target = Path(self.build_lib, *parts)
            target = target / "__init__.py" if path.name == "__init__.py" else target.with_suffix(".py")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(path.read_text("utf-8")), "utf-8")
        home = Path(self.build_lib, *INSIDE.split("."), "__init__.py")
        home.write_text('"""What the runtime takes of the workbench."""\n', "utf-8")

    def get_outputs(self, *_: Any, **__: Any) -> list[str]:
        return [str(path) for path in sorted(Path(self.build_lib, PACKAGE).rglob("*.py"))]


if __name__ == "__main__":
    with TemporaryDirectory() as outside:  # nothing is left in the checkout
        setup(
            packages=[PACKAGE],
            package_dir={PACKAGE: "."},
            cmdclass={"build_py": BuildOneTree},
            options={"build": {"build_base": outside}, "egg_info": {"egg_base": outside}},
        )
