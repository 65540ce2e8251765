"""The same cause in the same words: what differs from author to author is taken out of messages. Pure."""

import hashlib
import re

LONGEST = 200

_PATH = re.compile(r"(?:[\w.~-]*/)+([\w.-]+)")
_FILE = re.compile(r"\b[\w-]+\.py\b(?:[:,]? ?(?:line )?\d+)*")
_HEX = re.compile(r"\b0x[0-9a-fA-F]+\b")
_QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_NUMBER = re.compile(r"(?<![A-Za-z_])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_SUFFIX = re.compile(r"(?<=[A-Za-z])_\d+\b")
_SPACE = re.compile(r"\s+")


def normalised(message: str) -> str:
    """A message without what is particular: folders, file names and lines, addresses, numbers, quoted names.

    The last line that says something is kept, where there are several: that of a traceback is the error itself.
    """
    lines = [line.strip() for line in message[:20_000].splitlines() if line.strip()]
    text = lines[-1] if lines else ""
    text = _PATH.sub(r"\1", text)
    text = _FILE.sub("<file>", text)
    text = _HEX.sub("<address>", text)
    text = _QUOTED.sub(lambda found: _quoted(found[0]), text)
    text = _SUFFIX.sub("_n", text)
    text = _NUMBER.sub("n", text)
    return _SPACE.sub(" ", text).strip()[:LONGEST]


def _quoted(text: str) -> str:
    """A name of the language or of torch tells causes apart; one that an author gave does not."""
    inner = text[1:-1]
    return text if inner.startswith(("torch", "triton", "tl.", "aten")) else f"{text[0]}…{text[-1]}"


def signature(*parts: str) -> str:
    """32 hex digits, equal for equal parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
