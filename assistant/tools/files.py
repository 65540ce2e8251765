"""Files of the working copy: list, view, write, edit, remove. A file that does not parse is said at once."""

from collections.abc import Mapping

from assistant.tools.workplace import ToolProblem, Workplace
from graphs.refused import Refused
from submissions.checking import syntax_apart
from submissions.files import ORDER_FILE, check_files, check_texts

_MOST_LINES = 800


def list_files(place: Workplace) -> str:
    """Names and sizes, and the order of application."""
    if not place.files:
        return "There are no files yet."
    rows = [f"{name}  {len(_lines(text))} lines" for name, text in sorted(place.files.items())]
    order = place.files.get(ORDER_FILE, "missing: no pass is applied without it").strip()
    return "\n".join([*rows, f"order of application ({ORDER_FILE}): {order}"])


def view_file(place: Workplace, name: str, first_line: int = 1, last_line: int | None = None) -> str:
    """Numbered lines."""
    lines = _lines(_text(place, name))
    first = max(1, first_line)
    last = min(len(lines), last_line or len(lines), first + _MOST_LINES - 1)
    if first > len(lines):
        raise ToolProblem(f"{name} has {len(lines)} lines only.")
    shown = [f"{number:>5}  {lines[number - 1]}" for number in range(first, last + 1)]
    rest = f"\n… lines {last + 1} to {len(lines)} are not shown." if last < len(lines) else ""
    return "\n".join(shown) + rest


def write_file(place: Workplace, name: str, text: str) -> str:
    """A new file, or one that is replaced as a whole."""
    was = name in place.files
    return _changed(place, {**place.files, name: text}, name, "replaced" if was else "written")


def edit_file(place: Workplace, name: str, old: str, new: str) -> str:
    """Puts `new` in the place of `old`, which must occur exactly once."""
    text = _text(place, name)
    count = text.count(old) if old else 0
    if count != 1:
        raise ToolProblem(
            f"`old` occurs {count} times in {name}; it must occur exactly once. "
            + ("Copy it from view_file, with its indentation." if not count else "Take in more lines around it.")
        )
    return _changed(place, {**place.files, name: text.replace(old, new)}, name, "changed")


def delete_file(place: Workplace, name: str) -> str:
    """Removes a file from the working copy."""
    _text(place, name)
    place.files = {other: text for other, text in place.files.items() if other != name}
    return f"{name} is removed. The order file still names it, if it did before."


def syntax_problems(files: Mapping[str, str]) -> list[str]:
    """One sentence for each Python file that does not parse. Read in a process of its own.

    None while that has no place for one more: edits are worth more than the word about them, and every run checks.
    """
    python = {name: text for name, text in files.items() if name.endswith(".py")}
    if not python:
        return []
    try:
        checked = syntax_apart(python)
    except Refused:
        return []
    if checked.problem:
        return [checked.problem]
    return [f"{one['file']}:{one['line']}: {one['evidence']}" for one in checked.findings]


def _changed(place: Workplace, files: dict[str, str], name: str, what: str) -> str:
    try:
        check_files(files)
        check_texts(files)
    except Refused as refused:
        raise ToolProblem(refused.message) from None
    place.files = files
    problems = syntax_problems({name: files[name]})
    return f"{name} is {what}." + "".join(f" But it does not parse: {problem}" for problem in problems)


def _lines(text: str) -> list[str]:
    """As an editor numbers them, without an empty last one."""
    return text.removesuffix("\n").split("\n")


def _text(place: Workplace, name: str) -> str:
    if name not in place.files:
        raise ToolProblem(f"There is no file {name[:100]!r}. There are: {', '.join(sorted(place.files)) or 'none'}.")
    return place.files[name]
