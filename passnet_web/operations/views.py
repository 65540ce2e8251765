"""The operations page, for admins, and its few buttons. Each writes an entry of the audit log."""

import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from graphs.refused import Refused
from passnet_web.operations.overview import device_lines, open_leases, stuck_lines, worker_lines
from submissions.access import access_run, is_admin
from submissions.actions.claims import do_requeue
from submissions.actions.devices import do_adopt_versions, do_drain, do_forget_worker
from submissions.authors import current_author
from submissions.models import AuditEntry, Author, Worker

_ACTIONS = ("worker_drained", "worker_resumed", "worker_forgotten", "versions_changed", "run_requeued")
_ENTRIES = 20
REQUEUED = "An operator has put it back into the queue."


@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    """Devices, workers, leases, stuck runs, and what operators did lately."""
    _admin(request)
    shown = {
        "devices": device_lines(),
        "workers": worker_lines(),
        "leases": open_leases(),
        "stuck": stuck_lines(),
        "entries": AuditEntry.objects.select_related("actor").filter(action__in=_ACTIONS)[:_ENTRIES],
        "now": timezone.now(),
    }
    return render(request, "operations/operations.html", shown)


@require_POST
def worker_action(request: HttpRequest, action: str) -> HttpResponse:
    """Drain, resume, adopt the versions of, or forget the worker that the form names."""
    admin = _admin(request)
    worker = Worker.objects.filter(pk=request.POST.get("worker", "")[:200]).first()
    if worker is None:
        raise Refused(404, "unknown_worker", "There is no such worker any more. Load /operations/ again.")
    todo: dict[str, Callable[[], None]] = {
        "drain": lambda: do_drain(admin, worker, True),
        "resume": lambda: do_drain(admin, worker, False),
        "adopt": lambda: do_adopt_versions(admin, worker),
        "forget": lambda: do_forget_worker(admin, worker),
    }
    if action not in todo:
        raise Refused(404, "unknown_action", "A worker can be drained, resumed, adopted or forgotten.")
    todo[action]()
    return HttpResponseRedirect("/operations/")


@require_POST
def requeue(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Puts a run back into the queue, whoever holds it."""
    admin = _admin(request)
    do_requeue(admin, access_run(admin, run_id), REQUEUED)
    return HttpResponseRedirect("/operations/")


def _admin(request: HttpRequest) -> Author:
    """Whoever asks, if they are an admin; others are told that there is no such page."""
    author = current_author(request)
    if not is_admin(author):
        raise Refused(404, "not_found", f"There is no page at {request.path[:200]}.")
    return author
