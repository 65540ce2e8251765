"""What a worker says about its device, and what becomes of its device class by that."""

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from submissions.audit import note
from submissions.models import Author, Device, Worker
from submissions.workers import BEST_FIRST, alive, identity, in_words

REPEAT = timedelta(seconds=8)  # an unchanged state is written again after this, as a sign of life


def do_report_device(
    name: str,
    status: str,
    message: str = "",
    versions: Mapping[str, str] | None = None,
    worker: str = "",
    isolation: str = "",
) -> None:
    """Notes how a worker's device is: at once when that changed, else now and then. Without a worker it is said of the
    whole class, by whoever is about to start one."""
    said = {
        "status": status[:20],
        "message": message,
        "versions": dict(versions or {}),
        "isolation": isolation[:60],
    }
    worker = worker[:200]
    if not worker:
        Device.objects.update_or_create(name=name, defaults={**said, "worker": "", "seen_at": timezone.now()})
        return
    said_lately = Worker.objects.filter(pk=worker, device=name, seen_at__gt=Now() - REPEAT, **said).exists()
    if said_lately and Device.objects.filter(pk=name).exclude(worker="").exists():
        return
    with transaction.atomic():
        Worker.objects.update_or_create(name=worker, defaults={**said, "device": name, "seen_at": Now()})
        _settle(name, worker, identity(versions or {}))
        _sum_up(name)


def _settle(device: str, worker: str, has: Mapping[str, str]) -> None:
    """Holds a worker whose versions are not those of its class, so that results are never mixed without a word.

    A class without versions takes those of its first worker. On one machine a newer version takes the place of an older
    one by itself as soon as no worker of the older one is left; in a cluster an admin says so.
    """
    if not has:
        return  # its daemon does not answer: it can not take a run anyway
    row, _ = Device.objects.select_for_update().get_or_create(
        name=device, defaults={"status": "warming", "seen_at": timezone.now()}
    )
    held = ""
    if row.pinned and row.pinned != has:
        others = any(identity(other.versions) == row.pinned for other in alive(device).exclude(pk=worker))
        if settings.IS_CLUSTER or others:
            held = (
                f"It has {in_words(has)}, its class {in_words(row.pinned)}: it takes no runs, so that results are not "
                "mixed. An admin decides on /operations/."
            )
        else:
            note(None, "versions_changed", device, before=row.pinned, now=dict(has))
    if not held and row.pinned != has:
        Device.objects.filter(pk=device).update(pinned=dict(has))
    Worker.objects.filter(pk=worker).exclude(held=held).update(held=held)


def _sum_up(name: str) -> None:
    """The class is as its best worker is, of those that take runs if there are any."""
    here = list(alive(name))
    takers = [one for one in here if not (one.held or one.draining)]
    order = {status: place for place, status in enumerate(BEST_FIRST)}
    best = min(takers or here, key=lambda one: (order.get(one.status, len(order)), one.name))
    status, message = best.status, best.message
    if not takers:
        status = "offline"
        message = next((one.held for one in here if one.held), "Its workers are being drained: they take no runs.")
    said = {
        "status": status,
        "message": message,
        "versions": best.versions,
        "isolation": best.isolation,
        "worker": best.name,
        "seen_at": timezone.now(),
    }
    Device.objects.update_or_create(name=name, defaults=said)


@transaction.atomic
def do_drain(actor: Author | None, worker: Worker, draining: bool) -> None:
    """Has a worker finish its run and take no other, or take runs again. Nothing is interrupted."""
    if Worker.objects.filter(pk=worker.pk).exclude(draining=draining).update(draining=draining):
        note(actor, "worker_drained" if draining else "worker_resumed", worker.name, device=worker.device)
        if alive(worker.device).exists():
            _sum_up(worker.device)


@transaction.atomic
def do_adopt_versions(actor: Author | None, worker: Worker) -> None:
    """Makes a worker's versions those of its class. Workers that have others are held from now on."""
    row = Device.objects.select_for_update().get(pk=worker.device)
    has = identity(worker.versions)
    note(actor, "versions_changed", worker.device, before=row.pinned, now=has)
    Device.objects.filter(pk=row.pk).update(pinned=has)
    for one in Worker.objects.filter(device=worker.device):
        _settle(one.device, one.pk, identity(one.versions))
    if alive(worker.device).exists():
        _sum_up(worker.device)


def do_forget_worker(actor: Author | None, worker: Worker) -> None:
    """Takes the row of a worker away that is gone for good. One that still lives says so again by itself."""
    note(actor, "worker_forgotten", worker.name, device=worker.device)
    Worker.objects.filter(pk=worker.pk).delete()
