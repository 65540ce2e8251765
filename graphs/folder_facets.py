"""What a task's graphs are taken for: kind, family of models and domain, as their own files say. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphs.plain_text import plain_line

#: Facet → the key of graph_net.json.
_KEYS = {"kind": "subgraph_kind", "family": "model_family", "domain": "heuristic_tag"}
#: Facet → the key of task.json.
_LISTS = {"family": "families", "benchmark": "benchmarks"}
#: The same domain is written in two ways, by what our capturing guesses and by published sets.
_SAME = {"domain": {"cv": "computer_vision"}}
_MOST = 16  # values of one facet
_LONGEST = 80

Facets = dict[str, list[str]]


def folder_facets(nets: Iterable[Mapping[str, Any]], task: Mapping[str, Any]) -> Facets:
    """Values by facet, each once, in order. `nets`: the graphs' graph_net.json; `task`: task.json, which may name
    `families` of models, and the `benchmarks` that the task stands in. What no file says is left out."""
    found: Facets = {}
    for facet, key in _LISTS.items():
        values = task.get(key)
        if isinstance(values, list):
            _note(found, facet, values)
    for net in nets:
        for facet, key in _KEYS.items():
            _note(found, facet, [net.get(key)])
    return found


def one_name(facet: str, value: str) -> str:
    """The value as it is counted: one name where files write several."""
    return _SAME.get(facet, {}).get(value, value)


def _note(found: Facets, facet: str, values: Iterable[Any]) -> None:
    for value in values:
        text = plain_line(value)[:_LONGEST].strip() if isinstance(value, str) else ""
        text = one_name(facet, text)
        known = found.get(facet, [])
        if text and text not in known and len(known) < _MOST:
            found[facet] = [*known, text]
