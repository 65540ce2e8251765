"""The words for why a submission failed (docs/verdicts.md), each with what it means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """`kinds`: key → words; a kind that is not listed (a finding's class) is its own word."""

    key: str
    name: str
    means: str
    kinds: dict[str, str]


GROUPS = (
    Group(
        "no_match",
        "no match",
        "No pass changed the graph.",
        {
            "operator": "another operator",
            "argument": "another argument",
            "constant": "another constant",
            "leak": "a value leaks",
            "form": "another form",
            "mutation": "a write between",
            "absent": "nothing alike",
        },
    ),
    Group("boundary", "wrong boundary", "Right, but slower than eager.", {}),
    Group("fusion", "breaks fusion", "Right, but slower: the kernels that the pass left alone got slower.", {}),
    Group(
        "accuracy",
        "accuracy",
        "It ran, and some output is not correct at t = −5.",
        {
            "systematic": "systematic",
            "rounding": "rounding",
            "reduction_order": "reduction order",
            "indexing": "indexing",
            "overflow": "overflow",
        },
    ),
    Group("compile", "compile", "The pattern, the rewritten graph or a kernel does not compile.", {}),
    Group(
        "runtime",
        "runtime",
        "It raised, crashed or ended the process.",
        {"exception": "exception", "crash": "crash", "early_exit": "early exit"},
    ),
    Group(
        "resource",
        "resource",
        "Too much time, memory or output.",
        {"timeout": "time", "oom": "memory", "output_limit": "output"},
    ),
    Group("format", "format", "The files can not be evaluated as they are.", {}),
    Group("integrity", "integrity", "The integrity check found something.", {}),
    Group(
        "harness",
        "harness limit",
        "The harness could not judge: no fault of the author.",
        {"eager_fail": "the graph does not run", "infrastructure_error": "the worker was lost"},
    ),
)
BY_KEY = {group.key: group for group in GROUPS}


def group_name(key: str) -> str:
    """ "no match" for "no_match"; a key of no group is its own name."""
    return BY_KEY[key].name if key in BY_KEY else key


def kind_name(group: str, kind: str) -> str:
    """ "another operator"; "" for none."""
    known = BY_KEY[group].kinds if group in BY_KEY else {}
    return known.get(kind, kind.replace("_", " "))
