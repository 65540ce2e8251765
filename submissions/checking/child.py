"""The process that checks: files as JSON on standard input, findings as JSON on standard output. No torch."""

import ast
import json
import resource
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluator.runner import landlock, linux, seccomp

MEMORY = 1 << 30  # bytes of address space
CPU_SECONDS = 6
MAX_OUTPUT = 4 << 20


def _shut_in() -> None:
    """No network, no programs, nothing to write, no files to read but Python's and ours, where the kernel can.

    The text is only read here, never run: this is for the day on which a text finds a hole in Python's parser.
    """
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    if landlock.version():
        landlock.apply([Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[2]], [], [])
    if seccomp.is_available():
        seccomp.apply("cpu")


def _integrity() -> Callable[[dict[str, str]], Any]:
    from evaluator.integrity.static_check import check_files

    return check_files


def _portability() -> Callable[[dict[str, str]], Any]:
    from evaluator.portability import RULES, check_files

    return lambda files: [{**asdict(found), **asdict(RULES[found.rule])} for found in check_files(files)]


def _syntax(files: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for name, text in files.items():
        try:
            ast.parse(text, name)
        except SyntaxError as error:
            found.append({"file": name, "line": error.lineno or 1, "evidence": error.msg})
        except (ValueError, RecursionError, MemoryError):
            found.append({"file": name, "line": 1, "evidence": "it is nested too deeply, or holds a NUL character"})
    return found


_CHECKS: dict[str, Callable[[], Callable[[dict[str, str]], Any]]] = {
    "integrity": _integrity,
    "portability": _portability,
    "syntax": lambda: _syntax,
}


def main() -> int:
    """Bound this process, then look at the files."""
    for limit, value in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    check = _CHECKS[sys.argv[1] if len(sys.argv) > 1 else "integrity"]()
    _shut_in()
    text = json.dumps(check(json.load(sys.stdin)))
    if len(text) > MAX_OUTPUT:
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
