"""Models by name: `module:factory`, `file.py:factory`, or `library/name` from a library that is installed."""

import ast
import importlib
import importlib.util
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import torch

from dataset.examples import Example, ModelName, ModelProblem
from dataset.libraries import LIBRARIES, installed


def parse_name(text: str) -> ModelName:
    """`package.module:factory`, `path/to/file.py:factory` or `timm/resnet18?num_classes=10`. Raises ModelProblem."""
    head, colon, factory = text.rpartition(":")
    if colon and factory.isidentifier():
        library = Path(head).stem if head.endswith(".py") else head
        return ModelName(library, factory, factory=factory, text=text)
    library, slash, rest = text.partition("/")
    name, _, options = rest.partition("?")
    if not slash or not name:
        raise ModelProblem(
            f"{text!r} names no model: write module:factory, file.py:factory or library/name ({', '.join(LIBRARIES)})"
        )
    if library not in LIBRARIES:
        raise ModelProblem(f"{library!r} is no library that is known here: {', '.join(LIBRARIES)}, or module:factory")
    return ModelName(library, name, {key: _literal(value) for key, value in parse_qsl(options)}, text=text)


def load(name: ModelName) -> Example:
    """Make the model, with random weights, and its example inputs. Raises ModelProblem, and what the factory raises."""
    if name.factory is None:
        return LIBRARIES[name.library](installed(name.library), name)
    head = name.text.rpartition(":")[0]
    module = module_from_file(Path(head)) if head.endswith(".py") else _imported(head)
    factory = getattr(module, name.factory, None)
    if not callable(factory):
        raise ModelProblem(f"{head} has no function or class {name.factory!r}")
    return example_of(factory(), name.text)


def example_of(made: Any, text: str) -> Example:
    """What a factory made, as a module with one call. `text` names it in ModelProblem."""
    if isinstance(made, torch.nn.Module):
        inputs = getattr(made, "example_inputs", None)
        if inputs is None:
            raise ModelProblem(
                f"{text} gives a module without example inputs: return (module, inputs) or add example_inputs"
            )
        return _called(made, inputs() if callable(inputs) else inputs)
    if isinstance(made, (tuple, list)) and len(made) == 2 and isinstance(made[0], torch.nn.Module):
        return _called(made[0], made[1])
    raise ModelProblem(f"{text} gives a {type(made).__name__}: a torch.nn.Module or (module, inputs) is needed")


def _called(module: torch.nn.Module, inputs: Any) -> Example:
    """A dict is given by keyword, a tuple or list by position, anything else is the only argument."""
    if isinstance(inputs, dict):
        return Example(module, kwargs=inputs)
    return Example(module, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,))


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModelProblem(f"{error}: run it where `python -c 'import {name}'` works") from error


def module_from_file(path: Path) -> Any:
    """A Python file, run as a module. Raises ModelProblem, and whatever the file raises."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ModelProblem(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
