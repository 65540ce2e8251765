"""Word lists as text: they stay short to read and to change."""


def words(text: str) -> frozenset[str]:
    """The words of a text, in no order."""
    return frozenset(text.split())
