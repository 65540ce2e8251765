"""The rules by which the published harness differs from ours in what it accepts, as far as is known.

`basis` says how: "read" is in the harness's public source (PaddlePaddle/PassNet, a stored copy of it: `pass_mgr`, its
tracer and replacement, the source rules, the guarding tensor), "inferred" follows from what that source calls: torch.fx
and Dynamo. The harness itself was not run here. `fails` is certain, `differs` depends on the graph or on the values,
`note` costs nothing today.
"""

from dataclasses import dataclass
from typing import Literal

Level = Literal["fails", "differs", "note"]
Basis = Literal["read", "inferred"]


@dataclass(frozen=True)
class Rule:
    name: str
    level: Level
    basis: Basis
    theirs: str  # what the published harness does
    instead: str  # what works in both


@dataclass(frozen=True)
class Finding:
    """One place where a rule applies. `found` says what was seen there."""

    rule: str
    file: str
    line: int | None
    found: str

    @property
    def level(self) -> Level:
        return RULES[self.rule].level


def _table(*rules: Rule) -> dict[str, Rule]:
    return {rule.name: rule for rule in rules}


RULES = _table(
    # loading
    Rule(
        "order_file", "fails", "read",
        "without a list of passes in sorted_output_pass_rule_names.json nothing is loaded and the run ends",
        "list every pass by its file name without .py",
    ),
    Rule(
        "relative_import", "fails", "read",
        "a pass is imported as a module without a package, so that `from .x import …` raises",
        "write `from pass_dir.x import …`",
    ),
    Rule(
        "several_launchers", "fails", "read",
        "one launcher for all passes: of several a random one stays, and the passes of the others are dropped",
        "let every replacement_func return the same function of a helper module, and tell the cases apart by a text "
        "in replacement_args",
    ),
    Rule(
        "pass_as_helper", "fails", "read",
        "every listed pass is imported a second time, so that a launcher imported from another pass is another object",
        "move the launcher to a file that is not listed",
    ),
    Rule(
        "unstable_launcher", "fails", "read",
        "replacement_func has to return the very same object twice; an equal one (a bound method) is refused",
        "return a function of the file's top level",
    ),
    Rule(
        "many_passes", "differs", "read",
        "of more than 100 passes a random hundred is kept",
        "list at most 100",
    ),
    # the text of listed files; helper modules are not read
    Rule(
        "blocked_import", "fails", "read",
        "torch.nn, torch.ops and torch.autograd may not be imported anywhere in a pass's file, nor be given another "
        "name; such a file is left out",
        "write the full name in the pattern: torch.nn.functional.gelu(x)",
    ),
    Rule(
        "blocked_call", "fails", "read",
        "outside pattern and replacement_args only torch.empty, zeros, ones, full, their _like forms and as_tensor may "
        "be called; a file with another call of torch is left out",
        "allocate with torch.empty or torch.full; keep the rest in a helper module",
    ),
    # patterns
    Rule(
        "several_outputs", "fails", "read",
        "the launcher's call is one value: a pattern that returns several ends the run with an AssertionError when it "
        "matches (the newer backend pass_mgr_direct takes them)",
        "one pass for each output, or one output",
    ),
    Rule(
        "untraceable_pattern", "fails", "inferred",
        "torch.fx's own tracer raises on this pattern",
        "assign to new names instead of into tensors; no decisions by values",
    ),
    Rule(
        "pattern_object", "fails", "inferred",
        "the inputs' names are read from the pattern's Python signature, which a torch.fx Graph does not have and a "
        "GraphModule only has if one is assigned to it",
        "write the pattern as a function",
    ),
    Rule(
        "variadic_pattern", "fails", "inferred",
        "*args is one placeholder there, and its items become getitem calls that no graph has",
        "name the inputs",
    ),
    Rule(
        "unused_in_pattern", "fails", "read",
        "SubgraphMatcher refuses a pattern with an input or a value that nothing uses",
        "take it out",
    ),
    Rule(
        "in_place_pattern", "differs", "inferred",
        "x += y is traced as x + y, while Dynamo's graph has iadd: a graph with += is missed",
        "leave the in-place operation out of the pattern, as its boundary",
    ),
    Rule(
        "constant_in_pattern", "fails", "inferred",
        "a call without a tensor among its arguments (torch.arange) is run while tracing and becomes a constant, "
        "which matches no call",
        "make its result an input of the pattern",
    ),
    Rule(
        "run_through", "differs", "inferred",
        "torch.fx's own tracer records what is inside this function, not its call",
        "write in the pattern what the graph has, for example x.sigmoid()",
    ),
    Rule(
        "commutative", "differs", "read",
        "`commutative = True` means nothing there: operands have to come in the graph's order",
        "write the operands as the graph has them",
    ),
    Rule(
        "literal_matching", "differs", "read",
        "arguments are compared as they are written (keywords by name and order, 1 is not (1,), a default that is left "
        "out is not the default that is written); of the pattern, calls of Python functions are made positional with "
        "all defaults first",
        "write calls in the pattern as the graph has them",
    ),
    # launchers, in the guarded calls before timing
    Rule(
        "guarded_operator", "fails", "read",
        "in the first 25 calls tensors allow nothing but allocation, .to() and metadata: views raise as well",
        "pass shapes and strides to the kernel; allocate the result in its final shape",
    ),
    Rule(
        "guarded_copy", "differs", "read",
        "in the first 25 calls this raises as soon as it has to copy",
        "pass strides to the kernel",
    ),
    Rule(
        "like_with_dtype", "differs", "read",
        "in the first 25 calls torch.empty_like and its kin forget dtype=: a kernel may write beyond the end",
        "torch.empty(x.shape, dtype=…, device=x.device)",
    ),
    Rule(
        "one_tuple", "differs", "read",
        "the tuple is the value that takes the pattern's place",
        "return the tensor itself",
    ),
    Rule(
        "unwrapped_launcher", "note", "read",
        "the harness wraps the call itself today; earlier versions traced into a launcher without @torch.fx.wrap",
        "decorate the launcher with @torch.fx.wrap",
    ),
)  # fmt: skip
