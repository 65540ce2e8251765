"""What is said about a file that can not be read."""


class ReadProblem(Exception):
    """A file can not be read: where, and in plain words what is wrong and why. Prints as `file:line: why`."""

    def __init__(self, file: str, line: int | None, why: str) -> None:
        super().__init__(file, line, why)
        self.file = file
        self.line = line  # 1-based; None when the problem has no line
        self.why = why

    def __str__(self) -> str:
        return f"{self.file}: {self.why}" if self.line is None else f"{self.file}:{self.line}: {self.why}"


class TooLarge(ReadProblem):
    """The file is sound as far as it was looked at, but beyond a limit; `counts` says how large it is."""

    def __init__(self, file: str, line: int | None, why: str, counts: dict[str, int]) -> None:
        super().__init__(file, line, why)
        self.args = (file, line, why, counts)  # what pickle hands to __init__
        self.counts = counts
