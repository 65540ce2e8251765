"""Why something can not be drafted."""

from collections.abc import Sequence


class CannotBePattern(Exception):
    """The selection is no pattern. `code`: empty, not_convex, mutation, devices or dead; `nodes` are to blame."""

    def __init__(self, code: str, message: str, nodes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.nodes = tuple(nodes)


class NoKernel(Exception):
    """The selection is a pattern, but not one whose kernel can be written; `node` is the first that is in the way."""

    def __init__(self, why: str, node: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.node = node
