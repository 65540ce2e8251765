"""Tables on a terminal."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as their widest cell; one of numbers stands to the right, one without anything is left out."""
    filled = [at for at in range(len(head)) if not rows or any(row[at] not in (None, "") for row in rows)]
    head, rows = [head[at] for at in filled], [[row[at] for at in filled] for row in rows]
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(head, *texts, strict=True)]
    right = [bool(rows) and all(isinstance(row[at], (int, float)) for row in rows) for at in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        )
        for line in [list(head), *texts]
    ]
    return "\n".join(line.rstrip() for line in lines)
