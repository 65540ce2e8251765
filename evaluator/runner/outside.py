"""Which loads of a submission's kernels went outside their tensors: what may explain a NaN or another wrong value."""

from contextlib import AbstractContextManager
from pathlib import Path

from evaluator.engine import interpreter
from evaluator.engine.blame import relative
from evaluator.engine.interpreter.launch import Launch, ReadOutside

MAX_READS = 3  # that are told; the first ones say enough


class ReadsOutside:
    """Collects them while kernels are interpreted; `words` are sentences for the author."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.words: list[str] = []

    def listening(self) -> AbstractContextManager[None]:
        """Within this block every launch is looked at."""
        return interpreter.listen(self._launched)

    def _launched(self, launch: Launch) -> None:
        for read in launch.reads_outside:
            said = _sentence(read, self._folder)
            if said not in self.words and len(self.words) < MAX_READS:
                self.words.append(said)


def _sentence(read: ReadOutside, folder: Path) -> str:
    file = None if read.file is None else relative(read.file, folder)
    place = f"{file}:{read.line}: a" if file else "A"
    if read.argument is None:
        return f"{place} load in kernel {read.kernel} reads outside every tensor: check its offsets and its mask."
    return f"{place} load of {read.argument} in kernel {read.kernel} reads outside the tensor: check its mask."
