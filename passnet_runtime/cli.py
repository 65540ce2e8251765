"""`passnet-runtime`, also `python -m passnet_runtime`: what the runtime and the library do, in a terminal and in CI.

Exit status: 0 done; 1 something that was checked is not right; 2 bad arguments, or what was named can not be read.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence

from graphs.problems import ReadProblem
from passnet_runtime import completion, library_commands, run_commands
from passnet_runtime.answer import Answer

PROGRAM = "passnet-runtime"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        answer: Answer = options.run(options)
    except (ValueError, OSError, ReadProblem) as problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 2
    except Exception as problem:
        if type(problem).__name__ != "BadSubmission":  # importing it would import torch
            raise
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 2
    print(json.dumps(answer.value, indent=1, ensure_ascii=False) if getattr(options, "json", False) else answer.text)
    return 0 if answer.right else 1


def parser() -> argparse.ArgumentParser:
    """All commands and options; completion is made from them."""
    top = argparse.ArgumentParser(prog=PROGRAM, description="Passes where the model runs, and a library of them.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], Answer], words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        made.set_defaults(run=run)
        if name != "completion":
            made.add_argument("--json", action="store_true", help="print JSON")
        return made

    run_commands.add(command)
    library_commands.add(command)
    shell = command("completion", _completion, 'print a completion script: eval "$(passnet-runtime completion bash)"')
    shell.add_argument("shell", choices=completion.SHELLS)
    return top


def _completion(options: argparse.Namespace) -> Answer:
    return Answer(None, completion.script(parser(), options.shell).rstrip("\n"))
