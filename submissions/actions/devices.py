"""What a worker says about its device."""

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from submissions.models import Device

REPEAT = timedelta(seconds=8)  # an unchanged state is written again after this, as a sign of life


def do_report_device(
    name: str,
    status: str,
    message: str = "",
    versions: Mapping[str, str] | None = None,
    worker: str = "",
    isolation: str = "",
) -> None:
    """Notes the state of a device class: at once when it changed, else now and then."""
    now = timezone.now()
    said = {
        "status": status[:20],
        "message": message,
        "versions": dict(versions or {}),
        "worker": worker[:200],
        "isolation": isolation[:60],
    }
    if Device.objects.filter(pk=name, seen_at__gt=now - REPEAT, **said).exists():
        return
    Device.objects.update_or_create(name=name, defaults={**said, "seen_at": now})
