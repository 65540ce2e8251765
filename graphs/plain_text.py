"""Names and titles that come with data sets, made fit to be read among other text."""

import unicodedata

KEPT = "\n\t"


def plain_line(text: str) -> str:
    """`text` on one line; characters that can not be seen, or turn the direction of what follows, become U+FFFD."""
    return plain_text(" ".join(text.split()))


def plain_text(text: str) -> str:
    """Like `plain_line`, with lines and tabs kept."""
    return "".join(character if _is_visible(character) else "\ufffd" for character in text)


def _is_visible(character: str) -> bool:
    # C: controls, formats (among them the ones for direction), surrogates, private use, not assigned
    return character in KEPT or unicodedata.category(character)[0] != "C"
