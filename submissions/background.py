"""How much may wait in the lane of programs: more is refused with the time after which to ask again."""

import math

from django.conf import settings

from graphs.refused import Refused
from submissions.models import OPEN_STATES, Author, Lane, Run
from submissions.queue import UNKNOWN_SECONDS, usual_seconds

_SHORTEST, _LONGEST = 1, 600  # seconds to be asked to wait


def check_room(author: Author, device: str, count: int) -> None:
    """Raises Refused (429 with `retry_after`) unless `count` more runs may be queued for this author."""
    waiting = Run.objects.filter(lane=Lane.BACKGROUND, state__in=OPEN_STATES)
    own, of_all = waiting.filter(author=author).count(), waiting.count()
    too_many = max(own + count - settings.MAX_EVALUATIONS, of_all + count - settings.MAX_ALL_EVALUATIONS)
    if too_many <= 0:
        return
    usual = usual_seconds(device)
    wait = min(_LONGEST, max(_SHORTEST, math.ceil(too_many * (UNKNOWN_SECONDS if usual is None else usual))))
    message = (
        f"{own} evaluations of yours wait and {of_all} of everybody; {settings.MAX_EVALUATIONS} and "
        f"{settings.MAX_ALL_EVALUATIONS} are the limits. Ask for {count} more in about {wait} s."
    )
    raise Refused(429, "queue_full", message, retry_after=wait)
