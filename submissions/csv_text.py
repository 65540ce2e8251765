"""Tables as CSV that a spreadsheet opens without running anything in it."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run what begins so


def csv_text(columns: Sequence[str], lines: Iterable[Iterable[Any]]) -> str:
    """RFC 4180; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for line in lines:
        writer.writerow(_cell(one) for one in line)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
