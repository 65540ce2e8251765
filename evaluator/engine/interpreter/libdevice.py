"""CUDA's device library (`libdevice.tanh`, …) for the interpreter, which has none: the same functions in numpy.

Single and double precision; the fast variants are computed like the exact ones.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

Function = Callable[..., Any]


def _each(function: Callable[[float], float]) -> Function:
    """A Python function of one float for every element; outside its domain NaN, beyond its range infinity."""

    def safe(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return np.vectorize(safe, otypes=[np.float64])


def _round_half_away(x: Any) -> Any:
    return np.trunc(x + np.copysign(0.5, x))


_SAME_IN_NUMPY = [
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt",
    "cbrt", "floor", "ceil", "trunc", "rint", "copysign", "hypot", "fmod", "nextafter",
]  # fmt: skip

# Name in libdevice without `__nv_` and without the `f` of single precision → function.
FUNCTIONS: dict[str, Function] = {
    **{name: getattr(np, name) for name in _SAME_IN_NUMPY},
    **{name: getattr(np, "arc" + name[1:]) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")},
    "exp10": lambda x: np.power(10.0, x),
    "pow": np.power, "powi": np.power, "fabs": np.abs, "abs": np.abs, "llabs": np.abs, "fmin": np.fmin, "fmax": np.fmax,
    "fma": lambda x, y, z: np.multiply(x, y, dtype=np.float64) + z, "fdim": lambda x, y: np.maximum(x - y, 0),
    "min": np.minimum, "max": np.maximum, "llmin": np.minimum, "llmax": np.maximum,
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcbrt": lambda x: 1 / np.cbrt(x),
    "erf": _each(math.erf), "erfc": _each(math.erfc), "lgamma": _each(math.lgamma), "tgamma": _each(math.gamma),
    "erfcx": _each(lambda x: math.exp(x * x) * math.erfc(x)),
    "normcdf": _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
    "round": _round_half_away, "nearbyint": np.rint, "saturate": lambda x: np.clip(x, 0, 1),
    "sinpi": lambda x: np.sin(np.pi * x), "cospi": lambda x: np.cos(np.pi * x),
    "ldexp": np.ldexp, "scalbn": np.ldexp,
    "isnan": np.isnan, "isnand": np.isnan, "isinf": np.isinf, "isinfd": np.isinf, "finite": np.isfinite,
    "isfinited": np.isfinite, "signbit": np.signbit, "signbitd": np.signbit,
    "fdivide": np.divide, "fdiv": np.divide, "div": np.divide, "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "rcp": np.reciprocal,
}  # fmt: skip


def find(symbol: str) -> Function | None:
    """Function for a symbol such as `__nv_tanhf`, `__nv_fast_expf`, `__nv_frcp_rn`; None where there is none."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    names = [name, name.removesuffix("f")]
    base, _, mode = name.rpartition("_")
    if mode in ("rn", "rz", "ru", "rd"):  # directed rounding is not imitated; fadd_rn, dadd_rn: single, double
        names += [base, base.removesuffix("f"), base.removeprefix("f"), base.removeprefix("d")]
    return next((FUNCTIONS[name] for name in names if name in FUNCTIONS), None)


def install() -> None:
    """Give the interpreter `extern_elementwise`, and both libdevice modules functions that it can call."""
    InterpreterBuilder.create_extern_elementwise = _extern_elementwise
    for name, member in inspect.getmembers(cuda_libdevice):
        if tl.core.is_builtin(member) and not name.startswith("_"):
            callable_here = _with_semantic(member)
            setattr(cuda_libdevice, name, callable_here)
            if hasattr(libdevice, name):
                setattr(libdevice, name, callable_here)


def _with_semantic(member: Function) -> Function:
    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("_semantic", None)
        return member(*args, **kwargs, _semantic=interpreter.interpreter_semantic)

    call.__name__ = member.__name__
    return call


def _extern_elementwise(
    self: Any, lib_name: str, lib_path: str, symbol: str, args: list[Any], ret_type: Any, is_pure: bool
) -> Any:
    function = find(symbol)
    if function is None:
        raise NotImplementedError(f"{symbol} of {lib_name or 'libdevice'} is not there under the interpreter")
    result = np.asarray(function(*(arg.data for arg in args)))
    return TensorHandle(result.astype(interpreter._get_np_dtype(ret_type.scalar)), ret_type.scalar)
