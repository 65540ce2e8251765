"""The files of a submission: what names and sizes are taken, and what a new draft starts from."""

import unicodedata
from collections.abc import Mapping

from graphs.refused import Refused

ORDER_FILE = "sorted_output_pass_rule_names.json"
MAX_FILES = 64
MAX_BYTES = 1_000_000
MAX_NAME = 200


def check_files(files: Mapping[str, str], *, may_be_empty: bool = False) -> None:
    """Raises Refused unless every name is a plain path inside pass_dir and the set is within the limits."""
    if not files and not may_be_empty:
        raise _bad("There is no file to run. Add a pass, for example MyPass.py, and name it in the order file.")
    if len(files) > MAX_FILES:
        raise _bad(f"{len(files)} files are more than the {MAX_FILES} that a submission may have. Remove some.")
    total = sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values())
    if total > MAX_BYTES:
        raise _bad(f"The files have {total:,} bytes; a submission may have {MAX_BYTES:,}. Make them smaller.")
    for name in files:
        why = name_problem(name)
        if why:
            raise _bad(f"The file name {name[:80]!r} {why}. Rename the file.")
    folders = {"/".join(parts[:end]) for parts in (name.split("/") for name in files) for end in range(1, len(parts))}
    both = sorted(folders & set(files))
    if both:
        raise _bad(f"{both[0]!r} is a file and a folder at once. Rename one of them.")


def check_texts(files: Mapping[str, str]) -> None:
    """Raises Refused for a text that is no text: no Python file can hold NUL or half a character."""
    for name, text in files.items():
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise _bad(f"{name}:{line}: holds a NUL character, which Python does not read. Delete it.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            odd = f"U+{ord(text[error.start]):04X}"
            raise _bad(f"{name}:{line}: holds {odd}, which is no character (a lone surrogate). Delete it.") from error


def name_problem(name: str) -> str | None:
    """What is wrong with a file name, as the rest of a sentence; None when nothing is."""
    if not name or len(name) > MAX_NAME:
        return f"is empty or longer than {MAX_NAME} characters"
    if any(unicodedata.category(character)[0] == "C" or character in '\\:*?"<>|' for character in name):
        return "holds a character that a file name can not have everywhere"
    for part in name.split("/"):
        if not part:
            return "starts or ends with a slash, or has two in a row"
        if part.startswith("."):
            return "has a part that starts with a dot"
        if part != part.strip() or part.endswith("."):
            return "has a part that starts or ends with a space, or ends with a dot"
    return None


def _bad(message: str) -> Refused:
    return Refused(400, "bad_files", message)


def starter_files() -> dict[str, str]:
    """A new draft: valid Python that matches nothing yet and says what each part is for."""
    return {"MyPass.py": _STARTER, ORDER_FILE: '["MyPass"]\n'}


_STARTER = '''\
"""A pass finds a piece of the graph and puts one call of yours in its place.

The file that lists the passes in the order of application is sorted_output_pass_rule_names.json.
"""

import torch
import triton
import triton.language as tl


def pattern(x):
    # Copy the lines of model.py that you want to replace. The arguments stand for any value; what you return
    # are the values that the rest of the graph still needs. This one matches a ReLU followed by its double.
    y = torch.nn.functional.relu(x)
    return y * 2


def replacement_args(x):
    # What your function below is called with: the pattern's arguments, in any order, and constants.
    return (x,)


@triton.jit
def kernel(x_pointer, out_pointer, count, block: tl.constexpr):
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    inside = offsets < count
    x = tl.load(x_pointer + offsets, mask=inside)
    tl.store(out_pointer + offsets, tl.maximum(x, 0.0) * 2, mask=inside)


def launcher(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), block=1024)
    return out


def replacement_func():
    # Returns the function itself, not a call of it.
    return launcher
'''
