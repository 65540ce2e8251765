"""Where a kernel can not know to which side eager rounds to float16, because the last digits in float32 differ.

Next to the middle between two numbers of float16, eager may take the one and a kernel the other. They differ by a
thousandth, which is allowed; what is computed from them may then differ by two steps of float16, which is not. What is
left unrounded there differs from either by one step at the most.
"""

import re

from assistant.drafter.values import Formula, Reduce, Value, children

LAST_DIGITS = 5e-7  # of a value in float32: four of its steps

_QUOTIENTS = re.compile("/")
_FUNCTIONS = re.compile("exp|log|sin|cos|erf|tanh|sqrt")


def in_doubt(value: Formula) -> bool:
    """Whether a value that is rounded to float16 may have other last digits in eager: sums in another order, functions
    computed in another way."""
    return "float16" in value.dtype.names and (_made_with(_QUOTIENTS, value) or _made_with(_FUNCTIONS, value))


def may_be_exact(value: Formula) -> bool:
    """Whether it may well lie in the middle exactly, as a sum of few numbers does: then eager's does, too."""
    return not _made_with(_FUNCTIONS, value)


def is_rounded(value: Value) -> bool:
    """Whether a kernel rounds it to a narrower type than it computes in."""
    return isinstance(value, Formula) and value.dtype.narrow and not value.exact


def _made_with(words: re.Pattern[str], value: Value) -> bool:
    """Whether such a word, or with quotients a sum, is in what it is made of since something was rounded last."""
    match value:
        case Reduce(how="sum") if words is _QUOTIENTS:
            return True
        case Formula(text=text) if words.search(text):
            return True
    return any(_made_with(words, part) for part in children(value) if not is_rounded(part))
