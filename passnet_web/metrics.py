"""`/metrics` for Prometheus: counts and states out of the database, so that every web server says the same."""

import hmac
from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from evaluator.verdicts import RunState
from passnet_web.addresses import is_loopback
from passnet_web.gate import client_address
from submissions.devices import device_states
from submissions.models import LIVE_STATES, Lane, Run, Tally
from submissions.tallies import BUCKETS, GRAPHS, LOST, RUNS, STAGE, read_key
from submissions.workers import alive

Sample = tuple[str, Mapping[str, str], float]  # suffix of the name, labels, value

_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LANES = {Lane.INTERACTIVE: "interactive", Lane.REVIEW: "review", Lane.BACKGROUND: "batch"}


def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics, in Prometheus' text format; 404 for whoever may not read them."""
    if not _may_read(request):
        return HttpResponse("There is nothing here.\n", status=404, content_type="text/plain")
    return HttpResponse("".join(_lines()), content_type=_TYPE)


def _may_read(request: HttpRequest) -> bool:
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return hmac.compare_digest(shown.strip().encode(), settings.METRICS_TOKEN.encode())
    if isinstance(request.user, User) and request.user.is_superuser:
        return True
    return settings.ONLY_THIS_MACHINE and is_loopback(client_address(request))


def _lines() -> Iterable[str]:
    yield from _family("runs_queued", "gauge", "Runs that wait.", _queued())
    yield from _family("oldest_wait_seconds", "gauge", "How long the first run that waits has waited.", _oldest())
    yield from _family("runs_live", "gauge", "Runs that a worker holds.", _live())
    yield from _family("workers", "gauge", "Workers that have said something in the last 30 s.", _workers())
    yield from _family("device_up", "gauge", "1 for the status that a device class has.", _devices())
    kept = defaultdict(list)
    for key, count, seconds in Tally.objects.order_by("key").values_list("key", "count", "seconds"):
        name, labels = read_key(key)
        kept[name].append((labels, count, seconds))
    for name, about in (
        (RUNS, "Runs that have ended."),
        (GRAPHS, "Outcomes of graphs; time-outs and memory kills are reasons."),
        (LOST, "Attempts that were lost with their worker or daemon."),
    ):
        yield from _family(f"{name}_total", "counter", about, [("", labels, count) for labels, count, _ in kept[name]])
    yield from _family(STAGE, "histogram", "Time that a run spent in a stage.", _histogram(kept[STAGE]))


def _queued() -> Iterable[Sample]:
    rows = Run.objects.filter(state=RunState.QUEUED).order_by().values_list("device", "lane").annotate(n=Count("pk"))
    return [("", {"device": device, "lane": LANES.get(Lane(lane), str(lane))}, n) for device, lane, n in rows]


def _oldest() -> Iterable[Sample]:
    rows = Run.objects.filter(state=RunState.QUEUED).order_by().values_list("device").annotate(at=Min("created_at"))
    now = timezone.now()
    return [("", {"device": device}, max(0.0, (now - at).total_seconds())) for device, at in rows]


def _live() -> Iterable[Sample]:
    rows = Run.objects.filter(state__in=LIVE_STATES).order_by().values_list("device", "state").annotate(n=Count("pk"))
    return [("", {"device": device, "state": state}, n) for device, state, n in rows]


def _workers() -> Iterable[Sample]:
    counted: dict[tuple[str, str, str], int] = defaultdict(int)
    for one in alive():
        takes = "no" if one.draining or one.held else "yes"
        counted[one.device, one.status, takes] += 1
    return [
        ("", {"device": device, "status": status, "takes": takes}, n) for (device, status, takes), n in counted.items()
    ]


def _devices() -> Iterable[Sample]:
    return [("", {"device": state.device, "status": state.status}, 1) for state in device_states()]


def _histogram(rows: Iterable[tuple[dict[str, str], int, float]]) -> Iterable[Sample]:
    series: dict[tuple[str, str], dict[str, tuple[int, float]]] = defaultdict(dict)
    for labels, count, seconds in rows:
        series[labels["device"], labels["stage"]][labels["le"]] = (count, seconds)
    for (device, stage), buckets in series.items():
        labels, below = {"device": device, "stage": stage}, 0
        for end in BUCKETS:
            below += buckets.get(f"{end:g}", (0, 0.0))[0]
            yield "_bucket", {**labels, "le": "+Inf" if end == float("inf") else f"{end:g}"}, below
        yield "_sum", labels, sum(seconds for _, seconds in buckets.values())
        yield "_count", labels, below


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterable[str]:
    yield f"# HELP passnet_{name} {about}\n# TYPE passnet_{name} {kind}\n"
    for suffix, labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"passnet_{name}{suffix}{{{shown}}} {value:.12g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
