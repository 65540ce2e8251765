"""The kernels of Triton's own standard library (`tl.sum`, `tl.softmax`, …) where Triton was imported before us.

They are decorated when `triton.language` is imported. If that happened without TRITON_INTERPRET they were made for
the compiler, and an interpreted kernel can not call them.
"""

import sys
from types import ModuleType

import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction


def reinterpret() -> None:
    """Replace every compiled standard function by an interpreted one, under all the names it goes by."""
    made: dict[int, InterpretedFunction] = {}
    for module in _modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, JITFunction):
                setattr(module, name, made.setdefault(id(value), InterpretedFunction(value.fn)))
    for name, value in list(vars(tl.tensor).items()):  # tensor.sum(…) and other methods
        if isinstance(value, JITFunction):
            setattr(tl.tensor, name, made.setdefault(id(value), InterpretedFunction(value.fn)))


def _modules() -> list[ModuleType]:
    prefix = tl.__name__
    known = [module for name, module in sys.modules.items() if name == prefix or name.startswith(prefix + ".")]
    return [triton, *known]
