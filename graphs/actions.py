"""One function for each way graphs and tasks change."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from graphs import drawn_files
from graphs.drawing import lay_out
from graphs.folder_reading import ReadFolder
from graphs.fx_source import parse
from graphs.identity import canonical, graph_identity, hash_of
from graphs.models import Content, Folder, Graph, Source, Task, TaskGraph
from graphs.plain_text import plain_line, plain_text
from graphs.prepared import PreparedGraph, TaskText, prepare_graph
from graphs.samples import Sample

__all__ = [
    "TaskText",
    "do_lay_out",
    "do_note_places",
    "do_set_shapes",
    "do_store_folders",
    "do_store_graph",
    "do_store_graphs",
    "do_store_task",
]


def do_store_graph(sample: Sample, file: str) -> Graph:
    """The graph of a sample: the one that is stored already, or a new one with its layout.

    Raises ReadProblem when the code is not FX code.
    """
    stored = Graph.objects.filter(identity=graph_identity(sample)).first()
    if stored is not None:
        return stored
    prepared = prepare_graph(sample, file)
    do_store_graphs([prepared])
    return Graph.objects.get(identity=prepared.identity)


def do_store_graphs(prepared: Sequence[PreparedGraph]) -> dict[str, Graph]:
    """Stores those that are not stored yet; all of them by identity, with what a task needs of them."""
    by_identity = {graph.identity: graph for graph in prepared}
    rows = Graph.objects.filter(identity__in=by_identity)
    with transaction.atomic():
        _store_sources(prepared)
        known = set(rows.values_list("identity", flat=True))
        new = [graph for identity, graph in by_identity.items() if identity not in known]
        # Another import may have been faster: its row is as good
        Graph.objects.bulk_create([_graph_row(graph) for graph in new], ignore_conflicts=True)
        for graph in new:
            if graph.drawn:
                drawn_files.keep(settings.VAR / "drawings", graph.content_hash, graph.drawn)
        return {graph.identity: graph for graph in rows.only("identity", "operators", "dtypes", "thumbnail")}


def do_lay_out(graph: Graph) -> None:
    """Makes and stores the layout that an import of an earlier version left for later, if it did."""
    if not graph.layout_is_due:
        return
    graph.layout, graph.thumbnail = lay_out(parse(graph.source.text))
    graph.layout_is_due = False
    graph.save(update_fields=["layout", "thumbnail", "layout_is_due"])
    first_of = graph.entries.filter(position=0).values("task")
    Task.objects.filter(pk__in=first_of, thumbnail="").update(thumbnail=graph.thumbnail)


def do_lay_out_due(seconds: float = math.inf) -> int:
    """Makes layouts that an import of an earlier version left for later, for about so many seconds: nobody has to wait
    for them when they look. Returns how many. Safe to repeat, and for several at once."""
    until = time.monotonic() + seconds
    done = 0
    for key in list(Graph.objects.filter(layout_is_due=True).values_list("pk", flat=True)):
        graph = Graph.objects.select_related("source").filter(pk=key, layout_is_due=True).first()
        if graph is not None:
            do_lay_out(graph)
            done += 1
        if time.monotonic() >= until:
            break
    return done


def do_store_folders(folders: Sequence[ReadFolder], origin: str) -> list[tuple[Task, bool]]:
    """Stores what was read: all of it or, when the database refuses something, nothing. The task that each became, and
    whether it was new."""
    with transaction.atomic():
        graphs = do_store_graphs([graph for folder in folders for _, graph in folder.graphs])
        contents = {key: packed for folder in folders for key, packed in folder.contents.items()}
        known = set(Content.objects.filter(pk__in=contents).values_list("pk", flat=True))
        Content.objects.bulk_create(
            [Content(content_hash=key, packed=packed) for key, packed in contents.items() if key not in known],
            ignore_conflicts=True,
        )
        stored, notes = [], []
        for folder in folders:
            named = [(name, graphs[graph.identity]) for name, graph in folder.graphs]
            slug = folder.variant.slug(make_slug(folder.name))
            task, is_new = do_store_task(slug, folder.text, named, folder.example_files, origin, folder.facets)
            stored.append((task, is_new))
            notes.append(_note(folder, task, folder.files))
        Folder.objects.bulk_create(notes, ignore_conflicts=True)
    return stored


def do_note_places(folders: Sequence[ReadFolder]) -> None:
    """Notes where folders lie whose content is stored already, so that an export has them there, too."""
    with transaction.atomic():
        by_key = {folder.key: folder for folder in folders}
        for key in Folder.objects.filter(key__in=by_key).values_list("key", flat=True):
            del by_key[key]
        digests = {folder.digest for folder in by_key.values()}
        stored = {row.digest: row for row in Folder.objects.filter(digest__in=digests).select_related("task")}
        notes = [
            _note(folder, row.task, row.files)
            for folder in by_key.values()
            if (row := stored.get(folder.digest)) is not None  # else its task was deleted just now
        ]
        Folder.objects.bulk_create(notes, ignore_conflicts=True)


def do_store_task(
    slug: str,
    text: TaskText,
    graphs: Sequence[tuple[str, Graph]],
    example_files: Mapping[str, str] | None,
    origin: str,
    facets: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Task, bool]:
    """Stores a task under `slug` and says whether anything changed. `graphs` are (name in the task, graph) pairs.

    A task of that slug and origin is brought up to date; one of another origin keeps its place, and the new one gets
    a slug of its own.
    """
    text = TaskText(plain_line(text.title), plain_line(text.summary), plain_text(text.description))
    content_hash = _task_digest(text, graphs, example_files)
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(slug=slug).first()
        if task is not None and task.content_hash != content_hash and not task.origin == origin == "shipped":
            slug = f"{slug}-{content_hash[:8]}"
            task = Task.objects.select_for_update().filter(slug=slug).first()
        own = {name: list(values) for name, values in (facets or {}).items()}
        fields = _task_fields(slug, text, graphs, origin, own)
        if task is not None and task.content_hash == content_hash:
            if own and task.facets != own:  # stored before there were facets, or its folder says more now
                Task.objects.filter(pk=task.pk).update(
                    facets=own, search_text=fields["search_text"], updated_at=timezone.now()
                )
            return task, False
        fields |= {
            "content_hash": content_hash,
            "example_files": None if example_files is None else dict(example_files),
        }
        if task is None:
            task = Task.objects.create(slug=slug, **fields)
        else:
            task, _ = Task.objects.update_or_create(slug=slug, defaults=fields)
            task.entries.all().delete()
            task.folders.all().delete()  # of what it was before
        TaskGraph.objects.bulk_create(
            TaskGraph(task=task, graph=graph, name=name, position=position)
            for position, (name, graph) in enumerate(graphs)
        )
    return task, True


def do_set_shapes(graph: Graph, shapes: Mapping[str, Any] | None, problem: str = "") -> None:
    """Stores what the evaluator found out about the nodes of a graph, or why it could not."""
    Graph.objects.filter(pk=graph.pk).update(
        shapes=None if shapes is None else dict(shapes), shapes_problem=problem[:2000]
    )


def make_slug(name: str) -> str:
    """A slug from a folder's name; one that says nothing becomes a hash of it."""
    return slugify(name)[:80].strip("-") or hash_of([name])[:16]


def _task_fields(
    slug: str, text: TaskText, graphs: Sequence[tuple[str, Graph]], origin: str, facets: dict[str, list[str]]
) -> dict[str, Any]:
    """What the catalogue shows of a task and searches in it."""
    labels: dict[str, dict[str, str]] = {}
    for _, graph in graphs:
        for operator in graph.operators:
            labels.setdefault(operator["label"], operator)
    dtypes = list(dict.fromkeys(dtype for _, graph in graphs for dtype in graph.dtypes))
    words = [slug, text.title, text.summary, *labels, *dtypes, *(name for name, _ in graphs)]
    words += [value for values in facets.values() for value in values]
    return {
        "title": text.title[:200],
        "summary": text.summary[:500],
        "description": text.description,
        "origin": origin,
        "operators": list(labels.values()),
        "dtypes": dtypes,
        "facets": facets,
        "graph_count": len(graphs),
        "thumbnail": graphs[0][1].thumbnail if graphs else "",
        "search_text": " ".join(words).lower(),
    }


def _store_sources(prepared: Sequence[PreparedGraph]) -> None:
    sources = {graph.content_hash: graph for graph in prepared}
    known = dict(Source.objects.filter(pk__in=sources).values_list("pk", "canonical_hash"))
    for key, stored in known.items():
        if not stored and sources[key].canonical_hash:  # stored before there were canonical hashes
            Source.objects.filter(pk=key).update(canonical_hash=sources[key].canonical_hash)
    Source.objects.bulk_create(
        [
            Source(content_hash=key, canonical_hash=graph.canonical_hash, packed=graph.packed_source)
            for key, graph in sources.items()
            if key not in known
        ],
        ignore_conflicts=True,
    )


def _graph_row(graph: PreparedGraph) -> Graph:
    return Graph(
        identity=graph.identity,
        name=plain_line(graph.name)[:300],
        source_id=graph.content_hash,
        sample=graph.packed_sample,
        operators=graph.operators,
        dtypes=graph.dtypes,
        node_count=graph.node_count,
        layout=graph.packed_layout,
        thumbnail=graph.thumbnail,
        warnings=graph.warnings,
        problem=graph.problem,
    )


def _note(folder: ReadFolder, task: Task, files: Mapping[str, str]) -> Folder:
    return Folder(key=folder.key, digest=folder.digest, path=folder.path, files=dict(files), task=task)


def _task_digest(text: TaskText, graphs: Sequence[tuple[str, Graph]], example_files: Mapping[str, str] | None) -> str:
    names = [[name, graph.identity] for name, graph in graphs]
    example = None if example_files is None else dict(example_files)
    return hash_of([text.title, text.summary, text.description, canonical(names), canonical(example)])
