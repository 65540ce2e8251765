"""What a command found."""

from typing import Any


class Answer:
    """`value` as JSON, `text` for a person, `right` for the exit status."""

    def __init__(self, value: Any, text: str, right: bool = True) -> None:
        self.value, self.text, self.right = value, text, right
