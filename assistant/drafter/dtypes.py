"""dtypes in each of the graphs that a draft is made for, and what comes of mixing them."""

from dataclasses import dataclass

from assistant.drafter.refusals import NoKernel

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("uint8", "int8", "int16", "int32", "int64")
_ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True, slots=True)
class DType:
    """`names`: torch's name in each graph. `source`: the tensor whose dtype it is, or "" where it is written out."""

    names: tuple[str, ...]
    source: str = ""

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def kind(self) -> int:
        """0 bool, 1 integer, 2 floating."""
        kinds = {0 if name == "bool" else 1 if name in INTS else 2 for name in self.names}
        if len(kinds) != 1:
            raise NoKernel("its dtype is of another kind in another graph of the task")
        return kinds.pop()

    @property
    def compute(self) -> str:
        """What a kernel computes in: float32 for the narrow ones."""
        if self.kind == 2:
            return "float64" if "float64" in self.names else "float32"
        return "int1" if self.kind == 0 else self.names[0] if len(set(self.names)) == 1 else "int64"

    @property
    def narrow(self) -> bool:
        """Whether a value computed in `compute` has to be rounded to it in some graph."""
        return self.kind == 2 and any(name != self.compute for name in self.names)


def written(name: str, like: DType) -> DType:
    if name not in FLOATS and name not in INTS and name != "bool":
        raise NoKernel(f"{name} is a dtype that no kernel is drafted for")
    return DType((name,) * len(like.names))


def promoted(first: DType, second: DType, first_scalar: bool = False, second_scalar: bool = False) -> DType:
    """The dtype of a result of two tensors; one without dimensions counts only by its kind."""
    if first_scalar != second_scalar and first.kind == second.kind:
        return second if first_scalar else first
    if first_scalar != second_scalar and (first.kind > second.kind) != first_scalar:
        return first if first.kind > second.kind else second
    names = tuple(_promoted(a, b) for a, b in zip(first.names, second.names, strict=True))
    for known in (first, second):
        if known.names == names:
            return known
    if len(set(names)) != 1:
        raise NoKernel("two dtypes mix to another one in another graph of the task")
    return DType(names)


def _promoted(a: str, b: str) -> str:
    if a == b:
        return a
    pair = {a, b}
    if pair == {"float16", "bfloat16"}:
        return "float32"
    if pair == {"uint8", "int8"}:
        return "int16"
    return max(a, b, key=_ORDER.index)


def with_number(dtype: DType, number: object) -> DType:
    """The dtype of a tensor's result with a Python number."""
    if isinstance(number, bool) or dtype.kind == 2:
        return dtype
    if isinstance(number, int):
        return written("int64", dtype) if dtype.kind == 0 else dtype
    return written("float32", dtype)
