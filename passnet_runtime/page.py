"""What passes did to a model, as one HTML file: no script, nothing loaded from elsewhere, every text escaped."""

from collections.abc import Iterator, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from passnet_runtime.drawing import PALETTE, left_out, svg

if TYPE_CHECKING:
    from evaluator.engine.backend import GraphReport

# The policy holds where the file is opened from disk too: no script could run even if one came in.
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.3rem; }} h2 {{ font-size: 1.05rem; margin-top: 2.2rem; }}
.graph {{ overflow: auto; max-height: 40rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent);
  border-radius: 6px; }}
li {{ margin: .25rem 0; }} .mark {{ font-weight: 700; }} small {{ opacity: .75; }}
ul {{ list-style: none; padding: 0; }}
</style></head><body>
"""


def write_page(reports: "Sequence[GraphReport]", path: str | PathLike[str], title: str = "Passes") -> Path:
    """Write the page for `backend.report` to a file; returns its path."""
    target = Path(path)
    target.write_text(page(reports, title), "utf-8")
    return target


def page(reports: "Sequence[GraphReport]", title: str = "Passes") -> str:
    """The page as text."""
    count = sum(len(item.matches) for item in reports if item.fallback is None)
    graphs = f"{len(reports)} graph{'' if len(reports) == 1 else 's'}"
    body = "".join(part for item in reports for part in _section(item))
    summary = f"<h1>{escape(title)}</h1><p>{graphs}, {count} replaced.</p>"
    return f"{HEAD.format(title=escape(title))}{summary}{body}</body></html>\n"


def groups_of(item: "GraphReport") -> dict[str, tuple[str, ...]]:
    """What a graph's matches are called in a drawing → their nodes."""
    return {f"{match.pass_name}, match {at}": match.nodes for at, match in enumerate(item.matches, 1)}


def _section(item: "GraphReport") -> Iterator[str]:
    groups = groups_of(item)
    yield f"<h2>Graph {item.number}: {item.operations} operations, then {escape(item.then)}</h2><ul>"
    for index, match in enumerate(item.matches):
        where = ", ".join((*match.modules, *match.lines))
        mark = "●" if item.fallback is None else "▲"
        colour = PALETTE[index % len(PALETTE)]
        yield (
            f'<li><span class="mark" style="color:{colour}">{mark}</span> <b>{escape(match.pass_name)}</b>: '
            f"{escape(', '.join(match.nodes))} <small>{escape(where)}</small></li>"
        )
    if item.fallback:
        yield f"<li>▲ {escape(item.fallback)}</li>"
    for words in item.left_alone:
        yield f"<li>○ {escape(words)}</li>"
    for miss in item.near_misses:
        hint = f" <small>→ {escape(miss['suggestion'])}</small>" if miss["suggestion"] else ""
        yield f"<li>■ <b>{escape(miss['pass_name'])}</b>: no match. {escape(miss['message'])}{hint}</li>"
    for note in item.notes:
        yield f"<li>· {escape(note)}</li>"
    yield "</ul>"
    missing = left_out(item.nodes, groups)
    if missing:
        yield f"<p><small>{missing} nodes away from the matches are not drawn.</small></p>"
    yield f'<div class="graph" tabindex="0">{svg(item.nodes, groups, f"graph {item.number}")}</div>'
