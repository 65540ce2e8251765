"""`tl.maximum`, `tl.minimum` and `tl.clamp` of a NaN and a number: the number, as on a GPU.

Triton 3.6's interpreter gives NaN even where no `propagate_nan` asks for it; later versions do as here.
"""

from typing import Any

import numpy as np
from triton._C.libtriton import ir
from triton.runtime import interpreter


def install() -> None:
    builder = interpreter.InterpreterBuilder
    clamp = builder.create_clampf

    def clamped(self: Any, arg: Any, lo: Any, hi: Any, propagate_nans: Any) -> Any:
        if propagate_nans != ir.PROPAGATE_NAN.NONE:
            return clamp(self, arg, lo, hi, propagate_nans)
        return self.binary_op(self.binary_op(arg, lo, np.fmax), hi, np.fmin)

    builder.create_maxnumf = lambda self, lhs, rhs: self.binary_op(lhs, rhs, np.fmax)
    builder.create_minnumf = lambda self, lhs, rhs: self.binary_op(lhs, rhs, np.fmin)
    builder.create_clampf = clamped
