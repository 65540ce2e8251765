"""Results that were measured elsewhere become runs that say so for ever."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from evaluator.verdicts import RunState
from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.revisions import do_hand_in
from submissions.events import Event, state_event
from submissions.imported_results import BadResults, Results, read_results
from submissions.models import Author, Bundle, ImportedRun, Revision, Run, RunEvent
from submissions.reviewing.enrolling import enrol_ended
from submissions.safe_json import safe_json, safe_text
from submissions.summary import summarise

#: Owner of the runs that ship with the workbench. No account can have this name.
EXAMPLES = "Shipped examples"


@dataclass(frozen=True)
class Imported:
    """A run that came from a file; `fresh` is False when it had been imported before."""

    run: Run
    fresh: bool


def do_import_results(author: Author, text: str) -> Imported:
    """The run of a file that `run-bundle` wrote for a bundle which this author exported. Raises Refused."""
    results = _read(text)
    digest = results.origin.get("bundle")
    bundles = Bundle.objects.select_related("revision__task").filter(revision__author=author, digest=str(digest))
    bundle = bundles.order_by("-created_at").first()
    if bundle is None:
        raise Refused(
            422,
            "unknown_bundle",
            f"The results belong to the bundle {str(digest)[:12]}, which you have not exported here. Results go back "
            "to the workbench and the account whose bundle was judged.",
        )
    if results.started["profile"] != bundle.profile:
        raise _bad(f"The bundle was exported with the profile {bundle.profile}, the results have another.")
    return _store(bundle.revision, dict(bundle.graphs), results, ImportedRun.Kind.BUNDLE, bundle)


def do_import_example(task: Task, text: str) -> Imported:
    """The run of a shipped task's example, measured by those who wrote it. Raises Refused."""
    results = _read(text)
    if not task.example_files:
        raise _bad(f"The task {task.slug} has no example that these results could belong to.")
    author, _ = Author.objects.get_or_create(name=EXAMPLES, defaults={"kind": Author.Kind.BUILT_IN})
    revision = do_hand_in(author, task, task.example_files)
    graphs = dict(task.entries.values_list("name", "graph__identity"))
    return _store(revision, graphs, results, ImportedRun.Kind.EXAMPLE, None)


def _read(text: str) -> Results:
    try:
        return read_results(text)
    except BadResults as problem:
        raise _bad(str(problem)) from None


def _bad(why: str) -> Refused:
    message = f"These results can not be taken. {why} Import the file as `run-bundle --out` wrote it."
    return Refused(422, "bad_results", message)


@transaction.atomic
def _store(
    revision: Revision, graphs: dict[str, str], results: Results, kind: ImportedRun.Kind, bundle: Bundle | None
) -> Imported:
    strange = [name for name in results.graphs if name not in graphs]
    if strange:
        raise _bad(f"They are about {strange[0][:80]!r}, which is no graph of the task {revision.task.slug}.")
    known = ImportedRun.objects.select_related("run").filter(digest=results.digest, run__revision=revision).first()
    if known is not None:
        return Imported(known.run, fresh=False)
    now = timezone.now()
    short = summarise(results.done)
    run = Run.objects.create(
        revision=revision,
        task=revision.task,
        author=revision.author,
        graphs=[[name, graphs[name]] for name in results.graphs],
        device=_device(results),
        state=RunState.DONE,
        started_at=now,
        finished_at=now,
        result=safe_json(results.done),
        correct=short.correct,
        total=short.total,
        first_t=short.first_t,
        verdict=short.verdict[:12],
        isolation=safe_text(str(results.started.get("isolation") or ""))[:60],
    )
    ImportedRun.objects.create(
        run=run,
        kind=kind,
        digest=results.digest,
        bundle=bundle,
        origin=results.origin,
        hardware=str(results.origin.get("hardware") or results.hardware)[:200],
        versions=results.started["versions"],
        harness=str(results.origin.get("harness") or "")[:64],
    )
    _write_log(run, [("origin", results.origin), *results.events, state_event(RunState.DONE)])
    enrol_ended(str(run.pk))
    return Imported(run, fresh=True)


def _write_log(run: Run, events: list[Event]) -> None:
    """All at once and unannounced: nobody can watch a run that is only now being made."""
    rows = (
        RunEvent(run=run, seq=seq, kind=kind, payload=safe_json(payload), at=run.created_at)
        for seq, (kind, payload) in enumerate(events, 1)
    )
    RunEvent.objects.bulk_create(rows, batch_size=500)
    run.seq = len(events)
    run.save(update_fields=["seq"])


def _device(results: Results) -> str:
    """The class of the device, as workers name theirs: "cuda:H200"."""
    kind = str(results.started["device"]).partition(":")[0]
    if kind == "cpu" or results.hardware == results.started["device"]:
        return str(results.started["device"])[:60]
    return f"{kind}:{results.hardware.removeprefix('NVIDIA ').replace(' ', '-')}"[:60]
