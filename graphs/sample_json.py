"""Samples as JSON values: what travels to the runner daemon and into the database."""

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from graphs.metas import TensorMeta

if TYPE_CHECKING:
    from graphs.samples import Sample

_NUMBERS = ("mean", "std", "min_val", "max_val")
_TENSORS = ("inputs", "model_inputs")
_META_FIELDS = tuple(item.name for item in fields(TensorMeta))


def meta_to_json(meta: TensorMeta) -> dict[str, Any]:
    """A JSON object of one tensor; inf and nan become the texts "inf", "-inf" and "nan"."""
    value: dict[str, Any] = {name: getattr(meta, name) for name in _META_FIELDS}  # asdict copies every number of data
    value["shape"] = list(meta.shape)
    for key in _NUMBERS:
        value[key] = _finite(value[key])
    value["data"] = None if meta.data is None else [_finite(number) for number in meta.data]
    return value


def meta_from_json(value: dict[str, Any]) -> TensorMeta:
    """The tensor back from `meta_to_json`."""
    read = dict(value)
    read["shape"] = tuple(read["shape"])
    for key in _NUMBERS:
        read[key] = _number(read.get(key))
    data = read.get("data")
    read["data"] = None if data is None else tuple(_number(number) for number in data)
    return TensorMeta(**read)


def sample_fields_to_json(sample: "Sample") -> dict[str, Any]:
    value = {item.name: getattr(sample, item.name) for item in fields(sample)}
    for key in _TENSORS:
        value[key] = [meta_to_json(meta) for meta in value[key]]
    value["warnings"] = list(sample.warnings)
    return value


def sample_fields_from_json(value: dict[str, Any]) -> dict[str, Any]:
    read = dict(value)
    for key in _TENSORS:
        read[key] = tuple(meta_from_json(meta) for meta in read[key])
    read["warnings"] = tuple(read["warnings"])
    return read


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value
