"""Makes values that came from a submission fit for every database and every browser."""

import math
import re
from typing import Any

_BAD = re.compile("[\x00\ud800-\udfff]")
MAX_DEPTH = 60


def safe_text(text: str) -> str:
    """NUL characters and lone surrogates, which Postgres and JSON readers refuse, become U+FFFD."""
    return _BAD.sub("�", text)


def safe_json(value: Any, depth: int = 0) -> Any:
    """A JSON value in which every text is safe and every float finite; "inf", "-inf" and "nan" stand for the others."""
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool | int) or value is None:
        return value
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        return {safe_text(str(key)): safe_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [safe_json(item, depth + 1) for item in value]
    return safe_text(str(value))
