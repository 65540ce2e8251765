"""What stands on disk before anything of a submission is run: the order file, the names in it, and source that parses.

Every refusal is a BadSubmission in words that an author who sees the format for the first time can act on.
"""

import ast
import difflib
import json
import re
from pathlib import Path

ORDER_FILE = "sorted_output_pass_rule_names.json"
_EXAMPLE = '["FuseMaskedPool"]'


class BadSubmission(Exception):
    """The submission can not be loaded. `file` is relative to pass_dir, `line` counts from 1; None where unknown."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message, self.file, self.line = message, file, line

    def __str__(self) -> str:
        if self.file is None:
            return self.message
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


def read_order(folder: Path) -> tuple[str, ...]:
    """Names of the passes in the order of application; each has a regular `<name>.py` inside `folder`.

    Raises BadSubmission for a missing or unreadable order file and for every name that can not be used.
    """
    names: list[str] = []
    for position, name in enumerate(_read_list(folder), 1):
        if not isinstance(name, str):
            raise BadSubmission(f"entry {position} is {json.dumps(name)[:40]}, not a name in quotes", ORDER_FILE)
        _check_name(name, names)
        _check_file(folder, name)
        names.append(name)
    if not names:
        raise BadSubmission(f"the list is empty: name your passes, for example {_EXAMPLE}", ORDER_FILE)
    return tuple(names)


def read_source(folder: Path, file: str) -> tuple[bytes, ast.Module]:
    """Bytes and syntax tree of a Python file of the submission. Raises BadSubmission with the line of the problem."""
    content = (folder / file).read_bytes()
    if not _declares_encoding(content):  # Python lets odd bytes in a comment pass, but then can not show the source
        undecodable = _undecodable(content, file)
        if undecodable:
            raise undecodable
    try:
        tree = ast.parse(content, filename=file)
    except SyntaxError as problem:
        raise BadSubmission(invalid_python(problem, content), file, problem.lineno or None) from problem
    except ValueError as problem:  # zero bytes
        raise BadSubmission(f"is not valid Python: {problem}", file) from problem
    except (RecursionError, MemoryError) as problem:
        raise BadSubmission("is nested too deeply for Python to read", file) from problem
    return content, tree


def invalid_python(problem: SyntaxError, content: bytes) -> str:
    """A syntax error in words; mixed indentation, which no editor shows, is named."""
    words = f"is not valid Python: {problem.msg}"
    first = {line[:1] for line in content.splitlines() if line.strip()}
    mixed = re.search(rb"^(\t+ | +\t)", content, re.MULTILINE) or {b"\t", b" "} <= first
    if isinstance(problem, IndentationError) and mixed:
        words += "; lines are indented with tabs and with spaces: use only spaces"
    return words


def _declares_encoding(content: bytes) -> bool:
    return any(re.match(rb"[ \t\f]*#.*?coding[:=]", line) for line in content.split(b"\n", 2)[:2])


def _undecodable(content: bytes, file: str) -> BadSubmission | None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        byte = content[problem.start]
        return BadSubmission(f"is not UTF-8 text (byte 0x{byte:02X}): save it with the encoding UTF-8", file, line)
    return None


def _read_list(folder: Path) -> list[object]:
    path = folder / ORDER_FILE
    if not path.is_file():
        raise BadSubmission(
            f"is missing: it lists your passes in the order of application, {_suggest(folder)}", ORDER_FILE
        )
    content = path.read_bytes()
    if content.startswith(b"\xef\xbb\xbf"):
        raise BadSubmission(
            "begins with a byte order mark, which JSON does not allow: save it as plain UTF-8", ORDER_FILE, 1
        )
    undecodable = _undecodable(content, ORDER_FILE)
    if undecodable:
        raise undecodable
    text = content.decode("utf-8")
    try:
        names = json.loads(text)
    except json.JSONDecodeError as problem:
        why = f"is not JSON: {problem.msg} at line {problem.lineno}, column {problem.colno}{_json_hint(text)}"
        raise BadSubmission(why, ORDER_FILE, problem.lineno) from problem
    except ValueError as problem:  # a number of more digits than Python converts
        raise BadSubmission(f"is not a list of names: {problem}", ORDER_FILE) from problem
    except RecursionError as problem:
        raise BadSubmission("is nested too deeply: it must be a plain list of names", ORDER_FILE) from problem
    if not isinstance(names, list):
        raise BadSubmission(f"must hold a list of pass names, for example {_EXAMPLE}", ORDER_FILE)
    return names


def _json_hint(text: str) -> str:
    if not text.strip():
        return f"; the file is empty, it must hold a list such as {_EXAMPLE}"
    if "'" in text and '"' not in text:
        return "; names stand in double quotes"
    if re.search(r",\s*\]", text):
        return "; there must be no comma after the last name"
    return ""


def _check_name(name: str, before: list[str]) -> None:
    shown = json.dumps(name)[:80]
    if not name.strip() or "\0" in name:
        raise BadSubmission(f"{shown} is not a name", ORDER_FILE)
    if "/" in name or "\\" in name or name in (".", ".."):
        raise BadSubmission(
            f"{shown} is a path, but only names of files that lie directly in pass_dir are allowed", ORDER_FILE
        )
    if name.endswith(".py"):
        raise BadSubmission(f"{shown}: leave out the ending .py", ORDER_FILE)
    if name in before:
        raise BadSubmission(f"{shown} is listed twice", ORDER_FILE)


def _check_file(folder: Path, name: str) -> None:
    path, file = folder / f"{name}.py", f"{name}.py"
    try:
        there, inside = path.is_file(), path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):  # a name that no file can have
        there, inside = False, True
    if not there:
        stems = [found.stem for found in sorted(folder.glob("*.py"))]
        close = difflib.get_close_matches(name, stems, 1, 0.6)
        hint = f"; there is {close[0]}.py: did you mean that?" if close else ""
        raise BadSubmission(f"{json.dumps(name)[:80]} is listed, but there is no file {file[:80]!r}{hint}", ORDER_FILE)
    if not inside:
        raise BadSubmission(f"{file!r} is a link that leads out of pass_dir", ORDER_FILE)


def _suggest(folder: Path) -> str:
    passes = [path.stem for path in sorted(folder.glob("*.py")) if b"def pattern" in path.read_bytes()]
    return f"for example {json.dumps(passes[:3])}" if passes else f"for example {_EXAMPLE}"
