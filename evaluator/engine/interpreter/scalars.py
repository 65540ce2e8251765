"""A scalar of a kernel as a Python integer: `for i in range(0, n)`.

The interpreter keeps scalars as arrays of one element. Triton 3.6 calls `int()` on them, which numpy from 2.5 on
refuses for every array that has a dimension.
"""

from typing import Any

from triton.runtime import interpreter


def install() -> None:
    """Take the one element out first, as later versions of Triton do."""
    patch = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.squeeze()))

    interpreter._patch_lang_tensor = patched
