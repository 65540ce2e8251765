"""A launcher as it stands in a rewritten graph: one node, whatever `replacement_func` returned."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Origin:
    """Where a function of the submission begins: the file's path, or its name in pass_dir."""

    file: str
    line: int | None = None


class LauncherFault(RuntimeError):
    """A launcher does not fit its pass; `origin` is where the author can mend it, if that is known."""

    def __init__(self, message: str, origin: Origin | None = None) -> None:
        super().__init__(message)
        self.origin = origin


class LauncherOutputs(LauncherFault):
    """A launcher returned another number of values than its pattern; `found` is None for one that is no tuple."""

    def __init__(self, launcher: str, expected: int, found: int | None, origin: Origin | None = None) -> None:
        self.expected, self.found = expected, found
        got = "one value that is not a tuple" if found is None else f"{found} values"
        super().__init__(f"{launcher} returned {got}; its pattern returns {expected}", origin)


class LauncherReturnsNothing(LauncherOutputs):
    """A launcher has no return statement, or returns None."""

    def __init__(self, launcher: str, expected: int, origin: Origin | None = None) -> None:
        LauncherFault.__init__(self, f"{launcher} returns nothing: write `return …`", origin)
        self.expected, self.found = expected, 0


class LauncherArguments(LauncherFault):
    """A launcher can not be called with what `replacement_args` returns."""


class Leaf:
    """Calls a launcher and checks how many values it returns.

    Having a name of its own it can be the target of a node even where the launcher can not (an instance of a class, a
    functools.partial, a Triton heuristics object). Calling it returns the value, or a tuple of `outputs` values.
    """

    def __init__(
        self,
        launcher: Callable[..., Any],
        pass_name: str,
        outputs: int,
        arguments: Origin | None = None,
    ) -> None:
        """`arguments`: where the pass's `replacement_args` stands, for messages."""
        self.launcher = launcher
        self._written = launcher  # stays what the author wrote while a guard takes the place of `launcher`
        self.pass_name = pass_name
        self.outputs = outputs
        self.arguments = arguments
        self.__name__ = self.__qualname__ = identifier(f"{pass_name}_{launcher_name(launcher)}")
        self.__module__ = "passes"

    def __call__(self, *args: Any) -> Any:
        try:
            result = self.launcher(*args)
        except TypeError:
            if _fits(self._written, args):
                raise
            raise LauncherArguments(self._arguments_words(args), self.arguments) from None
        if result is None:
            raise LauncherReturnsNothing(launcher_name(self._written), self.outputs, _origin(self._written))
        if self.outputs == 1:
            if not isinstance(result, (tuple, list)):
                return result
            if len(result) == 1:
                return result[0]
        elif isinstance(result, (tuple, list)) and len(result) == self.outputs:
            return tuple(result)
        found = len(result) if isinstance(result, (tuple, list)) else None
        raise LauncherOutputs(launcher_name(self._written), self.outputs, found, _origin(self._written))

    def _arguments_words(self, args: tuple[Any, ...]) -> str:
        count = f"{len(args)} argument{'' if len(args) == 1 else 's'}"
        accepted = takes(inspect.signature(self._written))
        return f"replacement_args returns {count}, but the launcher {launcher_name(self._written)} takes {accepted}"

    def __repr__(self) -> str:
        return f"<launcher {self.__name__}>"


def origin_of(function: Callable[..., Any], file: str | None) -> Origin | None:
    """Where a function of the pass file `file` begins."""
    code = getattr(function, "__code__", None)
    return None if file is None else Origin(file, getattr(code, "co_firstlineno", None))


def _origin(function: Callable[..., Any]) -> Origin | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return None if code is None else Origin(code.co_filename, code.co_firstlineno)


def _fits(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    try:
        inspect.signature(function).bind(*args)
    except TypeError:
        return False
    except ValueError:  # no signature that Python can read
        return True
    return True


def takes(signature: inspect.Signature) -> str:
    """`2 (x, mask)`, `1 to 2 (x, mask=None)`, `at least 1 (x, *rest)`: how many arguments, and which."""
    parameters = signature.parameters.values()
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    least = sum(one.default is one.empty for one in positional)
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        number = f"at least {least}"
    else:
        number = f"{least}" if least == len(positional) else f"{least} to {len(positional)}"
    return f"{number} ({', '.join(str(one.replace(annotation=one.empty)) for one in parameters)})"


def launcher_name(launcher: Callable[..., Any]) -> str:
    """What to call a launcher: its own name, that of what it wraps, or that of its class."""
    for candidate in (launcher, getattr(launcher, "func", None), getattr(launcher, "fn", None)):
        name = getattr(candidate, "__name__", None)
        if isinstance(name, str) and name:
            return "launcher" if name == "<lambda>" else name
    return type(launcher).__name__


def identifier(text: str) -> str:
    """The text as a name that Python code can hold."""
    plain = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain
