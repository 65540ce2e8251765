"""Giving each node a name that is unique and can be printed."""

# Words that printed code needs for itself; a node of that name would hide them.
RESERVED = frozenset(
    {"torch", "operator", "float", "complex", "slice", "Ellipsis", "getattr", "self", "None", "True", "False"}
)


class Namer:
    """Hands out unique names. `assigned` are variables of the text: generated names keep clear of them."""

    def __init__(self, assigned: set[str]) -> None:
        self._assigned = assigned
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def variable(self, name: str) -> str:
        """The name of a node that is assigned to `name`: itself the first time, then name_1, name_2, …"""
        if name in self._used or name in RESERVED:
            return self._numbered(name)
        self._used.add(name)
        return name

    def generated(self, name: str) -> str:
        """A name like `name` for a node that has no variable of its own."""
        if name in self._used or name in self._assigned or name in RESERVED or not name.isidentifier():
            return self._numbered(name if name.isidentifier() else f"_{name}")
        self._used.add(name)
        return name

    def rename(self, old: str, new: str) -> bool:
        """Give up `old` for `new`; False when `new` is taken."""
        if new in self._used or new in RESERVED:
            return False
        self._used.discard(old)
        self._used.add(new)
        return True

    def _numbered(self, name: str) -> str:
        count = self._counts.get(name, 0)
        while True:
            count += 1
            candidate = f"{name}_{count}"
            if candidate not in self._used and candidate not in self._assigned:
                break
        self._counts[name] = count
        self._used.add(candidate)
        return candidate
