"""Samples that differ in dtype and shapes alone have one folder name; PassNet's tree says the rest on the way to it."""

from dataclasses import dataclass
from pathlib import Path

from graphs.dtypes import dtype_name
from graphs.plain_text import plain_line

MAX_SLUG = 80


@dataclass(frozen=True)
class Variant:
    """Where a sample or a task stands in a tree `<kind>/<dtype>/<shape variant>/samples/…`; empty elsewhere."""

    kind: str = ""
    dtype: str = ""
    number: str = ""

    def title(self, name: str) -> str:
        """The name with what tells it from its siblings: "bert_3 · fusible, float16, shapes 2"."""
        if not self.dtype:
            return name
        return f"{name} · {', '.join(part for part in (self.kind, self.dtype, f'shapes {self.number}') if part)}"

    def slug(self, slug: str) -> str:
        """The slug with dtype and shape variant at its end."""
        end = f"-{self.dtype}-{self.number}"
        return slug[: MAX_SLUG - len(end)].rstrip("-_") + end if self.dtype else slug


def variant(folder: Path) -> Variant:
    """Read from the way to the folder, from its end: a dtype, then a number, then `samples`."""
    parts = folder.resolve().parts
    for at in range(len(parts) - 2, 1, -1):
        dtype, number = dtype_name(parts[at - 2]), parts[at - 1]
        if parts[at] == "samples" and dtype is not None and number.isascii() and number.isdigit() and len(number) < 4:
            return Variant(plain_line(parts[at - 3]) if at > 3 else "", dtype, number)
    return Variant()
