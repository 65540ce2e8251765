"""The abstract machine: its state, and how names are read and written."""

import ast
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeVar, cast

from evaluator.integrity.analysis.device import Streams
from evaluator.integrity.analysis.project import Project
from evaluator.integrity.analysis.report import Report
from evaluator.integrity.analysis.values import (
    NOTHING,
    Container,
    Env,
    Function,
    Mark,
    ModuleObj,
    StateRead,
    TensorKind,
    TensorObj,
    Value,
    join,
    value,
)

MOST_STEPS = 300_000  # some seconds; a real submission needs a few thousand
MOST_DEPTH = 24
MOST_CONTEXTS = 16  # different calls of one function in one round
T = TypeVar("T")


class Phase(Enum):
    LOAD = auto()  # while a file is imported, and in `replacement_func`
    TRACED = auto()  # in `pattern` and `replacement_args`: any torch operation is fine
    CALL = auto()  # in a launcher


class OutOfSteps(Exception):
    """The submission is too involved to be followed to the end."""


@dataclass
class Frame:
    """One function (or module) being run."""

    env: Env
    file: str
    function: Function | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    exits: list[frozenset[TensorObj]] = field(default_factory=list)  # tensors written so far, at each return


@dataclass
class Contexts:
    """How one function was called in this round: the first calls one by one, later ones joined."""

    single: set[Hashable] = field(default_factory=set)
    merged: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Test:
    """A branch whose condition depends on something that tells calls apart."""

    node: ast.AST
    file: str
    condition: Value
    scope: ast.AST | None


@dataclass
class Machine:
    project: Project
    report: Report
    modules: dict[str, ModuleObj] = field(default_factory=dict)
    sites: dict[Hashable, object] = field(default_factory=dict)
    phase: Phase = Phase.LOAD
    written: frozenset[TensorObj] = frozenset()  # buffers that kernels have filled on the path at hand
    memo: dict[Hashable, tuple[Value, frozenset[TensorObj]]] = field(default_factory=dict)
    contexts: dict[Hashable, Contexts] = field(default_factory=dict)
    active: list[Hashable] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    returned: dict[ast.AST, Value] = field(default_factory=dict)  # return statement → what it returned
    touched: set[Function] = field(default_factory=set)
    functions: dict[ast.AST, Function] = field(default_factory=dict)
    executed: set[str] = field(default_factory=set)  # modules run in this round
    operators: dict[str, list[Function]] = field(default_factory=dict)  # own torch.library namespaces
    pattern_in_place: bool = False
    named_modules: dict[str, Value] = field(default_factory=dict)  # entries that the submission made in sys.modules
    launches: int = 0
    streams: Streams = field(default_factory=Streams)
    clock_reads: list[tuple[str, ast.AST]] = field(default_factory=list)
    steps: int = 0

    def step(self, cost: int = 1) -> None:
        """Count work, so that every check ends: about 100,000 steps a second."""
        self.steps += cost
        if self.steps > MOST_STEPS:
            raise OutOfSteps

    def site(self, key: Hashable, make: Callable[[], T]) -> T:
        """The one object that a place in the source makes."""
        if key not in self.sites:
            self.sites[key] = make()
        return cast(T, self.sites[key])

    def tensor(self, node: ast.AST, kind: TensorKind, role: str = "") -> TensorObj:
        return self.site((node, "tensor", kind, role), lambda: TensorObj(kind, getattr(node, "lineno", 0)))

    def container(self, node: ast.AST, kind: str, role: str = "") -> Container:
        made = self.site((node, kind, role), lambda: Container(kind))
        made.outlives = made.outlives or self.phase is Phase.LOAD
        return made

    @contextmanager
    def in_phase(self, phase: Phase) -> Iterator[None]:
        before, self.phase = self.phase, phase
        try:
            yield
        finally:
            self.phase = before


def read_name(machine: Machine, env: Env, name: str) -> Value | None:
    """What a name stands for, or None when no scope of the submission binds it."""
    scope: Env | None = env
    if name in env.global_names and env.module is not None:
        scope = env.module.env
    while scope is not None:
        found = scope.names.get(name)
        if found is not None and not (scope.is_class and scope is not env):
            late = scope.late.get(name, NOTHING)
            merged = join([found, late])
            if machine.phase is Phase.CALL and scope.outlives and name in scope.changing:
                merged = join([merged, value(StateRead(scope.place(name)))])
            return merged
        scope = scope.parent
    return None


def home_of(env: Env, name: str) -> Env | None:
    """The outer scope that `global` or `nonlocal` sends an assignment to; None for a local name."""
    if name in env.global_names:
        return env.module.env if env.module is not None else None
    if name in env.outer_names:
        scope = env.parent
        while scope is not None:
            if name in scope.names and not scope.is_class:
                return scope
            scope = scope.parent
    return None


def tested(val: Value) -> bool:
    """Whether a condition of this value may tell one call from another."""
    told = (Mark.CLOCK, Mark.PROBE, Mark.TYPE_NAME, Mark.SIGN, Mark.DEVICE)
    return any(
        atom in told or isinstance(atom, StateRead) or (isinstance(atom, Container) and atom.outlives) for atom in val
    )
