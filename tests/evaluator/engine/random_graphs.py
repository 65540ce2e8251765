"""Random straight-line graphs full of views and in-place operators, and patterns cut out of them."""

import operator
from random import Random

import torch
import torch.nn.functional as F  # noqa: N812
from torch.fx import Graph, GraphModule, Node

ONE = [
    ("call_function", torch.sin, (), {}),
    ("call_function", torch.relu, (), {}),
    ("call_method", "exp", (), {}),
    ("call_function", operator.mul, (2.0,), {}),
]
VIEWS = [
    ("call_method", "view", (4, 4), {}),
    ("call_method", "transpose", (0, 1), {}),
    ("call_method", "reshape", ((4, 4),), {}),
    ("call_method", "contiguous", (), {}),
    ("call_function", operator.getitem, ((slice(None, None, None), slice(None, 4, None)),), {}),
    ("call_function", F.dropout, (0.5, False, False), {}),
    ("call_method", "to", (torch.float64,), {}),
]
TWO = [
    ("call_function", operator.add, (), {}),
    ("call_function", torch.mul, (), {}),
    ("call_function", operator.sub, (), {}),
]
CHANGES = [
    ("call_method", "add_", (0.5,), {}),
    ("call_method", "mul_", (0.5,), {}),
    ("call_function", torch.relu_, (), {}),
    ("call_function", F.relu, (True,), {}),
    ("call_method", "zero_", (), {}),
]
CHANGES_BY = [
    ("call_function", operator.iadd, (), {}),
    ("call_method", "copy_", (), {}),
    ("call_function", operator.imul, (), {}),
]
FLIPPED = {operator.add: operator.iadd, operator.iadd: operator.add, operator.imul: operator.mul}


def random_module(random: Random, size: int, share: float) -> GraphModule:
    """A graph on two 4 × 4 inputs; `share` of the operators change something in place."""
    graph = Graph()
    values = [graph.placeholder("in_0"), graph.placeholder("in_1")]
    for index in range(size):
        recent = values[-5:]
        first, second = random.choice(recent), random.choice(values)
        if random.random() < share:
            both = CHANGES_BY if random.random() < 0.5 else CHANGES
            kind = random.choice(both)
            rest = (second,) if both is CHANGES_BY else ()
        else:
            choices, rest = random.choice([(ONE, ()), (VIEWS, ()), (TWO, (second,))])
            kind = random.choice(choices)
        op, target, constants, kwargs = kind
        values.append(graph.create_node(op, target, (first, *rest, *constants), kwargs, name=f"tmp_{index}"))
    returned = random.sample(values[2:], k=min(3, size))
    graph.output((*returned, values[-1]))
    return GraphModule(torch.nn.Module(), graph)


def cut_out(random: Random, module: GraphModule, most: int, flips: float = 0.0) -> GraphModule:
    """Some neighbouring nodes of a graph as a pattern that returns what is used outside (and sometimes forgets one)."""
    live = {node for node in module.graph.nodes if node.op == "output" or changes(node)}
    for node in reversed(list(module.graph.nodes)):
        if node in live:
            live.update(node.all_input_nodes)
    nodes = [node for node in module.graph.nodes if node.op not in ("placeholder", "output") and node in live]
    chosen = {random.choice(nodes)}
    for _ in range(random.randint(0, most - 1)):
        near = {other for node in chosen for other in (*node.all_input_nodes, *node.users)} & set(nodes) - chosen
        if not near:
            break
        chosen.add(random.choice(sorted(near, key=nodes.index)))
    inside = [node for node in nodes if node in chosen]
    ends = [node for node in inside if any(user not in chosen and user in live for user in node.users)]
    if len(ends) > 1 and random.random() < 0.1:
        ends.pop(random.randrange(len(ends)))
    ends = ends or inside[-1:]
    needed = set(ends) | {node for node in inside if changes(node)}
    for node in reversed(inside):  # not what nobody uses: its inputs would be bound to nothing
        if node in needed:
            needed.update(set(node.all_input_nodes) & chosen)
    inside = [node for node in inside if node in needed]
    used = set(ends).union(*(node.all_input_nodes for node in inside))
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in inside:
        for source in node.all_input_nodes:
            if source not in copies and source not in chosen:
                copies[source] = graph.placeholder(source.name)
    for node in inside:
        copy = copies[node] = graph.node_copy(node, lambda source: copies[source])
        if random.random() < flips and node.target in FLIPPED and node in used:
            copy.target = FLIPPED[node.target]
    returned = [copies[node] for node in ends]
    random.shuffle(returned)
    graph.output(tuple(returned) if len(returned) > 1 or random.random() < 0.5 else returned[0])
    return GraphModule(torch.nn.Module(), graph)


def changes(node: Node) -> bool:
    """Whether a node of these graphs changes its first argument in place."""
    name = getattr(node.target, "__name__", str(node.target))
    return name.endswith("_") or node.target in (operator.iadd, operator.imul) or node.args[1:] == (True,)
