"""`weight_meta.py` and `input_meta.py`: one class per tensor, read with `ast` and never executed."""

import ast
import json
import keyword
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphs.big_numbers import refuse_big_numbers
from graphs.dtypes import dtype_name, nearest
from graphs.meta_values import literal_value, shown
from graphs.problems import ReadProblem

Number = float | int | bool

_KNOWN = frozenset({"name", "shape", "dtype", "device", "mean", "std", "data", "min_val", "max_val", "original_name"})
_REQUIRED = ("name", "shape", "dtype")


@dataclass(frozen=True)
class TensorMeta:
    """What is known about one input tensor: enough to make one like it.

    `dtype` is torch's name without "torch." ("float32"); `data` is the flat content when it is given exactly.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"
    mean: float | None = None
    std: float | None = None
    data: tuple[Number, ...] | None = None
    min_val: Number | None = None
    max_val: Number | None = None
    original_name: str | None = None
    class_name: str = ""


@dataclass
class MetaFile:
    """What a meta file holds, and what was odd about it."""

    metas: list[TensorMeta] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_metas(text: str, file: str) -> MetaFile:
    """The tensors of a meta file in the order of its classes. Raises ReadProblem with the line."""
    try:
        module = ast.parse(text.removeprefix("\ufeff"), filename=file)
    except SyntaxError as error:
        raise ReadProblem(file, error.lineno, f"is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ReadProblem(file, None, f"is not Python that can be read: {error}") from error
    refuse_big_numbers(text, module, file)
    warnings: list[str] = []
    metas: dict[str, TensorMeta] = {}
    for statement in module.body:
        if isinstance(statement, ast.ClassDef):
            try:
                meta = _read_class(statement, file, warnings)
            except RecursionError:
                raise ReadProblem(file, statement.lineno, f"class {statement.name} is nested too deeply") from None
            if meta.name in metas:
                warnings.append(f"{file}:{statement.lineno}: describes {meta.name!r} again: the last one counts")
            metas[meta.name] = meta
        elif not _is_harmless(statement):
            raise ReadProblem(
                file,
                statement.lineno,
                f"{shown(statement)} is not a class that describes a tensor; meta files are read, never run",
            )
    return MetaFile(list(metas.values()), warnings)


def write_metas(metas: Iterable[TensorMeta]) -> str:
    """The text of a meta file. `read_metas` gives equal tensors back; empty without tensors."""
    return "\n".join(_write_class(index, meta) for index, meta in enumerate(metas))


def _write_class(index: int, meta: TensorMeta) -> str:
    name = meta.class_name
    if not name.isidentifier() or keyword.iskeyword(name):
        name = f"Program_weight_tensor_meta_{index}"
    values: list[tuple[str, Any]] = [("name", meta.name)]
    if meta.original_name is not None:
        values.append(("original_name", meta.original_name))
    values += [
        ("shape", list(meta.shape)),
        ("dtype", f"torch.{meta.dtype}"),
        ("device", meta.device),
        ("mean", meta.mean),
        ("std", meta.std),
    ]
    values += [
        (key, value) for key, value in (("min_val", meta.min_val), ("max_val", meta.max_val)) if value is not None
    ]
    values.append(("data", None if meta.data is None else list(meta.data)))
    return f"class {name}:\n" + "".join(f"\t{key} = {_literal(value)}\n" for key, value in values)


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _read_class(node: ast.ClassDef, file: str, warnings: list[str]) -> TensorMeta:
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        elif _is_harmless(statement):
            continue
        else:
            raise ReadProblem(file, statement.lineno, f"{shown(statement)} is not a `key = value` line")
        if not isinstance(target, ast.Name):
            raise ReadProblem(file, statement.lineno, f"{shown(target)} is not a plain key")
        if target.id not in _KNOWN:
            warnings.append(f"{file}:{statement.lineno}: unknown key {target.id!r} was ignored")
            continue
        values[target.id] = literal_value(value, file)
        lines[target.id] = statement.lineno
    missing = [key for key in _REQUIRED if key not in values]
    if missing:
        raise ReadProblem(file, node.lineno, f"class {node.name} has no {' and no '.join(missing)}")
    return _Fields(file, values, lines, warnings).meta(node.name)


@dataclass(frozen=True)
class _Fields:
    """The values of one class, taken out with the type that each must have."""

    file: str
    values: dict[str, Any]
    lines: dict[str, int]
    warnings: list[str]

    def meta(self, class_name: str) -> TensorMeta:
        mean, std = self.number("mean"), self.number("std")
        return TensorMeta(
            name=self.text("name") or "",
            shape=self.shape(),
            dtype=self.dtype(),
            device=self.text("device") or "cpu",
            mean=None if mean is None else float(mean),
            std=None if std is None else float(std),
            data=self.data(),
            min_val=self.number("min_val"),
            max_val=self.number("max_val"),
            original_name=self.text("original_name"),
            class_name=class_name,
        )

    def problem(self, key: str, expected: str) -> ReadProblem:
        return ReadProblem(
            self.file, self.lines[key], f"{key} must be {expected}, not {_short(repr(self.values[key]))}"
        )

    def written(self, key: str) -> str:
        """The line as it stands in the file, with double quotes as data sets have them."""
        value = self.values[key]
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
        return f"{key} = {_short(text)}"

    def warn(self, key: str, why: str) -> None:
        self.warnings.append(f"{self.file}:{self.lines[key]}: {why}: {key} was ignored")

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None and key not in _REQUIRED:
            return None
        if not isinstance(value, str) or not value:
            raise self.problem(key, "a text")
        return value

    def dtype(self) -> str:
        written = self.text("dtype") or ""
        name = dtype_name(written)
        if name is None:
            meant = nearest(written)
            hint = f"; torch.{meant} is one" if meant else ""
            raise ReadProblem(
                self.file, self.lines["dtype"], f"{self.written('dtype')} is not a dtype of torch that is known{hint}"
            )
        return name

    def shape(self) -> tuple[int, ...]:
        value = self.values["shape"]
        if not isinstance(value, (list, tuple)) or not all(type(size) is int for size in value):
            raise ReadProblem(self.file, self.lines["shape"], f"{self.written('shape')} is not a list of integers")
        if any(size < 0 for size in value):
            raise self.problem("shape", "a list of sizes that are 0 or larger")
        return tuple(value)

    def number(self, key: str) -> Number | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, (int, float)):
            raise self.problem(key, "a number or None")
        return value

    def data(self) -> tuple[Number, ...] | None:
        value = self.values.get("data")
        if value is None:
            return None
        if isinstance(value, (int, float)):
            value = [value]
        if not isinstance(value, (list, tuple)):
            raise self.problem("data", "a flat list of numbers or None")
        flat = tuple(_flat(value))
        if any(isinstance(number, complex) for number in flat):
            self.warn("data", "data has complex numbers, which can not be replayed")
            return None
        if not all(isinstance(number, (int, float)) for number in flat):
            raise self.problem("data", "a flat list of numbers or None")
        expected = math.prod(self.values["shape"])
        if len(flat) != expected:
            self.warn("data", f"data has {len(flat)} numbers but shape {list(self.values['shape'])} holds {expected}")
            return None
        return flat


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _flat(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _is_harmless(statement: ast.stmt) -> bool:
    """Imports of nothing but torch and its inf, comments as strings, `pass`."""
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Import):
        return all(name.name in ("torch", "math") for name in statement.names)
    return isinstance(statement, ast.ImportFrom) and statement.module in ("torch", "math") and statement.level == 0
