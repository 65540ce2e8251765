"""What a name may stand for while a submission is run abstractly.

A value is a set of atoms: everything the expression may be. Small facts are frozen and compared by content; things
that can be changed (containers, functions, tensors) are objects compared by identity, one for each place in the source
that makes them.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto


class Mark(Enum):
    """Atoms without further content."""

    SCALAR = auto()  # a number, string or shape that depends on sizes and constants alone
    GRAPH_VALUE = auto()  # what the graph hands to a launcher: a tensor in most cases, not known for sure
    DATA_SCALAR = auto()  # a number read out of a tensor: `.item()`
    ADDRESS = auto()  # where something lies or who it is: `data_ptr()`, `id()`
    CLOCK = auto()  # the time of day or of a timer
    TYPE_NAME = auto()  # the name of an object's type
    PROBE = auto()  # tells how the code is being run: type of an input, compiler state, environment
    SIGN = auto()  # what a guard leaves: who runs a kernel, what memory holds that nobody has written
    DEVICE = auto()  # what the device is doing: whether a call is captured, how much memory is in use
    NUMPY = auto()  # a numpy array with data of an input
    UNKNOWN = auto()


@dataclass(frozen=True)
class Ext:
    """An object from outside the submission, by its full dotted name ("torch.nn.functional.relu", "builtins.open").

    A name that ends in "()" is what a call of it returned. `by_name` says that it was fetched by a string, `computed`
    that this string was put together at run time.
    """

    name: str
    by_name: bool = False
    computed: bool = False


@dataclass(frozen=True)
class Const:
    """A literal, or text put together from literals (`built`)."""

    value: str | bytes | int | float | complex | bool | None
    built: bool = False

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))

    def __eq__(self, other: object) -> bool:
        # 1 == True == 1.0 in Python, and NaN is not equal to itself
        return (
            isinstance(other, Const) and type(self.value) is type(other.value) and repr(self.value) == repr(other.value)
        )


@dataclass(frozen=True)
class StateRead:
    """A number read from a place that outlives the call, e.g. a call counter."""

    place: "Place"


@dataclass(frozen=True)
class Tentative:
    """The result of an operator on graph values: a tensor if they are. Reported once something shows that it is."""

    file: str
    line: int
    text: str


@dataclass(eq=False)
class Place:
    """A place that outlives a call: a global, an attribute, the elements of a container."""

    name: str
    counts: bool = False  # a call stores there what it read from there, changed
    latches: bool = False  # a call stores a constant there


class TensorKind(Enum):
    INPUT = auto()  # an input of the launcher, or a view of it
    COPY = auto()  # a copy of data; it may be the very tensor (`contiguous`)
    RESULT = auto()  # computed by a torch operator
    BUFFER = auto()  # allocated without values
    TABLE = auto()  # made from sizes and constants alone


@dataclass(eq=False)
class TensorObj:
    kind: TensorKind
    line: int
    alias_of: "frozenset[TensorObj]" = frozenset()
    written: bool = False  # a kernel stores into it
    kept: bool = False  # reachable from a place that outlives the call
    returned: bool = False  # a launcher returns it
    from_numbers: bool = False  # made of numbers that were read out of a tensor

    @property
    def is_data(self) -> bool:
        """Whether its elements depend on an input (or are what the memory happened to hold)."""
        return self.kind is not TensorKind.TABLE or self.written


@dataclass(eq=False)
class Container:
    """A list, tuple, set or dict. `items` holds the elements in order while their number is known."""

    kind: str
    items: "list[Value] | None" = None
    elements: "Value" = frozenset()
    keys: "Value" = frozenset()
    fields: "dict[str, Value]" = field(default_factory=dict)  # by constant string key
    outlives: bool = False
    place: Place = field(default_factory=lambda: Place("a container"))


@dataclass(eq=False)
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    name: str
    file: str
    env: "Env"
    defaults: "dict[str, Value]" = field(default_factory=dict)
    attributes: "dict[str, Value]" = field(default_factory=dict)
    cached: bool = False  # functools.cache and the like
    kind: str = "plain"  # plain | static | class | property
    owner: "ClassObj | None" = None


@dataclass(eq=False)
class Kernel:
    """A function under `triton.jit`."""

    function: Function
    attributes: "dict[str, Value]" = field(default_factory=dict)


@dataclass(frozen=True)
class Launch:
    """`kernel[grid]`, ready to be called."""

    kernel: Kernel
    grid: "Value"


@dataclass(eq=False)
class ClassObj:
    name: str
    file: str
    line: int
    attributes: "dict[str, Value]" = field(default_factory=dict)
    bases: "list[Value]" = field(default_factory=list)


@dataclass(eq=False)
class Instance:
    of: ClassObj
    attributes: "dict[str, Value]" = field(default_factory=dict)
    outlives: bool = False


@dataclass(frozen=True)
class Bound:
    """A method with its object."""

    function: Function
    owner: "Value"


@dataclass(frozen=True)
class Method:
    """A method of a tensor, a container, a constant or an outside object, not yet called."""

    owner: "Value"
    name: str
    by_name: bool = False
    computed: bool = False


@dataclass(frozen=True)
class Partial:
    function: "Value"
    args: "tuple[Value, ...]"
    kwargs: "tuple[tuple[str, Value], ...]"


@dataclass(eq=False)
class ModuleObj:
    """A module of the submission."""

    name: str
    file: str
    env: "Env"
    star: list[str] = field(default_factory=list)  # outside modules that were star-imported


Atom = (
    Mark | Ext | Const | StateRead | Tentative | TensorObj | Container | Function | Kernel | Launch | ClassObj
    | Instance | Bound | Method | Partial | ModuleObj
)  # fmt: skip
Value = frozenset[Atom]

NOTHING: Value = frozenset()
SCALAR: Value = frozenset({Mark.SCALAR})
UNKNOWN: Value = frozenset({Mark.UNKNOWN})
MOST_ATOMS = 48


def value(*atoms: Atom) -> Value:
    return frozenset(atoms)


def join(values: Iterable[Value]) -> Value:
    """Everything that any of the values may be. What is too many to be told apart becomes a scalar or unknown."""
    parts = [val for val in values if val]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    merged = parts[0].union(*parts[1:])
    return merged if len(merged) <= MOST_ATOMS else _fewer(merged)


def _fewer(merged: Value) -> Value:
    kept: set[Atom] = {atom for atom in merged if not isinstance(atom, Const)}
    if len(kept) < len(merged):
        kept.add(Mark.SCALAR)
    if len(kept) > MOST_ATOMS:
        kept = {*(atom for atom in kept if not isinstance(atom, Ext | Method)), Mark.UNKNOWN}
    if len(kept) > 4 * MOST_ATOMS:
        told = (Mark, TensorObj, StateRead, Tentative)
        kept = {*(atom for atom in kept if isinstance(atom, told)), Mark.UNKNOWN}
    return frozenset(kept)


@dataclass(eq=False)
class Env:
    """Names of one scope. `module` is the module whose globals are meant by `global`."""

    names: dict[str, Value]
    parent: "Env | None"
    module: "ModuleObj | None" = None
    global_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)
    outlives: bool = False  # made while loading: lives as long as the submission
    is_class: bool = False
    late: dict[str, Value] = field(default_factory=dict)  # what calls stored here
    changing: set[str] = field(default_factory=set)  # names that functions declare `global` or `nonlocal`
    places: dict[str, Place] = field(default_factory=dict)

    def place(self, name: str) -> Place:
        return self.places.setdefault(name, Place(name))


Owner = Container | Function | Kernel | ClassObj | Instance | ModuleObj


def tensors(val: Value) -> list[TensorObj]:
    return [atom for atom in val if isinstance(atom, TensorObj)]


def data_tensors(val: Value) -> list[TensorObj]:
    return [tensor for tensor in tensors(val) if tensor.is_data]


def constants(val: Value) -> list[Const]:
    return [atom for atom in val if isinstance(atom, Const)]


def text_constants(val: Value) -> list[str]:
    return [atom.value for atom in val if isinstance(atom, Const) and isinstance(atom.value, str)]
