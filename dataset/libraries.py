"""Models of libraries that users have installed, by name, with random weights. None of them is needed by anything else.

An example is one call with sizes that fit the model's configuration. Nothing is downloaded.
"""

import importlib
import importlib.metadata
import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import torch

from dataset.examples import Example, ModelName, ModelProblem

_TOKENS = 32  # of a text
_SAMPLES = 16_000  # of a sound: one second
_NODES, _EDGES = 64, 256
_IMPORTED_LATE = {  # they import these when a first model is made, which takes seconds
    "transformers": ("transformers.models.auto", "transformers.modeling_utils"),
    "torch_geometric": ("torch_geometric.nn.models",),
}


def installed(library: str) -> Any:
    """The imported library. Raises ModelProblem, which says how to get it."""
    try:
        return importlib.import_module(library)
    except Exception as error:  # a build for another torch fails with whatever it likes
        why = f"{library} can not be imported ({type(error).__name__}: {error})"
        raise ModelProblem(f"{why}: pip install {library}, in a build for torch {torch.__version__}") from error


def import_before_forks(libraries: Iterable[str]) -> None:
    """Import what models are made from, once for all of them. Whoever makes a model says what can not be imported."""
    for library in dict.fromkeys(libraries):
        for module in _IMPORTED_LATE.get(library, (library,)):
            with suppress(Exception):
                importlib.import_module(module)


def versions_of(library: str) -> dict[str, str]:
    """Of torch, and of the library that a model comes from where it is an installed one."""
    found = {"torch": str(torch.__version__)}
    with suppress(importlib.metadata.PackageNotFoundError, ValueError):
        found[library] = importlib.metadata.version(library)
    return found


def _timm(timm: Any, name: ModelName) -> Example:
    """`input_size` is the side of the pictures; `img_size` as well, for models that are made for one size."""
    options = dict(name.options)
    side = options.pop("input_size", options.get("img_size"))
    model = timm.create_model(name.name, pretrained=False, **options)
    channels, *sides = getattr(model, "pretrained_cfg", {}).get("input_size", (3, 224, 224))
    return Example(model, (torch.randn(1, channels, *([side, side] if side else sides)),), tag="computer_vision")


def _torchvision(torchvision: Any, name: ModelName) -> Example:
    builder = torchvision.models.get_model_builder(name.name)
    options = dict(name.options)
    if "weights_backbone" in inspect.signature(builder).parameters:
        options.setdefault("weights_backbone", None)  # or it would be downloaded
    model = builder(weights=None, **options)
    return Example(model, (torch.randn(1, 3, 224, 224),), tag="computer_vision")


def _transformers(transformers: Any, name: ModelName) -> Example:
    """`transformers/bert`: the model type's own configuration, without weights from anywhere."""
    config = transformers.AutoConfig.for_model(name.name, **name.options)
    model = transformers.AutoModel.from_config(config)
    match model.main_input_name:
        case "input_ids":
            inputs, tag = {"input_ids": _tokens(config)}, "nlp"
            if getattr(config, "is_encoder_decoder", False):
                inputs["decoder_input_ids"] = _tokens(config)
        case "pixel_values":
            size = getattr(config, "image_size", None) or 224
            height, width = size if isinstance(size, (tuple, list)) else (size, size)
            images = torch.randn(1, getattr(config, "num_channels", 3), height, width)
            inputs, tag = {"pixel_values": images}, "computer_vision"
        case "input_values":
            inputs, tag = {"input_values": torch.randn(1, _SAMPLES)}, "audio"
        case "input_features" if hasattr(config, "num_mel_bins"):
            frames = 2 * getattr(config, "max_source_positions", 100)  # what the encoder's first layers halve
            inputs, tag = {"input_features": torch.randn(1, config.num_mel_bins, frames)}, "audio"
            if getattr(config, "is_encoder_decoder", False):
                inputs["decoder_input_ids"] = _tokens(config)
        case other:
            raise _no_example(name, f"takes {other!r}")
    return Example(model, kwargs=inputs, tag=tag)


def _tokens(config: Any) -> torch.Tensor:
    text = config if getattr(config, "vocab_size", None) else config.get_text_config()
    return torch.randint(0, text.vocab_size, (1, _TOKENS))


def _torchaudio(torchaudio: Any, name: ModelName) -> Example:
    factory = _found(torchaudio.models, name)
    model = factory(**name.options)
    if name.name.startswith(("wav2vec2", "hubert", "wavlm")):
        return Example(model, (torch.randn(1, _SAMPLES),), tag="audio")
    if name.name.startswith("conv_tasnet"):
        return Example(model, (torch.randn(1, 1, _SAMPLES),), tag="audio")
    if name.name.startswith("hdemucs"):
        return Example(model, (torch.randn(1, 2, _SAMPLES),), tag="audio")
    raise _no_example(name, "is no model of sounds alone")


def _torch_geometric(_library: Any, name: ModelName) -> Example:
    """`torch_geometric/GCN`: a network of its basic models on a graph drawn by chance."""
    factory = _found(importlib.import_module("torch_geometric.nn.models"), name)
    options = {"in_channels": 16, "hidden_channels": 32, "num_layers": 2, **name.options}
    try:
        model = factory(**options)
    except TypeError as error:
        raise _no_example(name, f"is made otherwise ({error})") from error
    nodes = torch.randn(_NODES, options["in_channels"])
    return Example(model, (nodes, torch.randint(0, _NODES, (2, _EDGES))), tag="graph")


def _found(space: Any, name: ModelName) -> Callable[..., Any]:
    factory = getattr(space, name.name, None)
    if not callable(factory):
        raise ModelProblem(f"{name.library} has no model {name.name!r}")
    return factory  # type: ignore[no-any-return]


def _no_example(name: ModelName, why: str) -> ModelProblem:
    return ModelProblem(f"{name.text} {why}, for which no example is known: write a factory for it")


LIBRARIES: dict[str, Callable[[Any, ModelName], Example]] = {
    "timm": _timm,
    "torchvision": _torchvision,
    "transformers": _transformers,
    "torchaudio": _torchaudio,
    "torch_geometric": _torch_geometric,
}
