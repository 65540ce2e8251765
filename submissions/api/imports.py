"""Jobs out and results in: bundles for machines without network, and files of what they came to."""

from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from graphs.access import access_task
from submissions import limits
from submissions.actions.imports import do_import_results
from submissions.authors import current_author
from submissions.bundles import do_export_bundle

router = Router(tags=["bundles"])


class BundleIn(Schema):
    files: dict[str, str]
    profile: Literal["precise", "published"] = "precise"


class ResultsIn(Schema):
    results: str  # the text of the file that `run-bundle --out` wrote


class ImportedRunOut(Schema):
    run: UUID
    task: str
    fresh: bool  # false: these results had been imported before


@router.post("/tasks/{slug}/bundle", summary="A job as a zip file, for `python -m evaluator run-bundle`")
def export_bundle(request: HttpRequest, slug: str, body: BundleIn) -> HttpResponse:
    """Hands the files in as a run does, and answers with the bundle. Its results can be imported again."""
    author = current_author(request)
    limits.take(limits.RUNS, author.pk)
    made = do_export_bundle(author, access_task(slug), body.files, body.profile)
    disposition = f'attachment; filename="{made.name}"'
    return HttpResponse(made.content, content_type="application/zip", headers={"Content-Disposition": disposition})


@router.post("/imports", response={200: ImportedRunOut, 201: ImportedRunOut}, summary="Import the results of a bundle")
def import_results(request: HttpRequest, body: ResultsIn) -> Status[dict[str, Any]]:
    """The results become a run of the revision that was exported, marked with where it was measured."""
    author = current_author(request)
    limits.take(limits.RUNS, author.pk)
    imported = do_import_results(author, body.results)
    said = {"run": imported.run.pk, "task": imported.run.task.slug, "fresh": imported.fresh}
    return Status(201 if imported.fresh else 200, said)
