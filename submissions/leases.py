"""Which leases nobody renews any more, told by what is seen to change, not by what a clock says.

A machine's clock may jump, and the clocks of two machines differ. A worker that lives renews its lease every few
seconds: so one that stays the same, letter by letter, over a whole lease is a dead worker's, whatever time it names.
"""

from datetime import datetime

from submissions.actions.claims import LEASE
from submissions.models import Lease

SETTLED = 10.0  # seconds: two renewals. A lease that has run out by the clock as well is given up after so long


class LeaseWatch:
    """Remembers since when each open lease has not changed, by a clock that only goes forward."""

    def __init__(self) -> None:
        self._since: dict[int, tuple[datetime, float]] = {}

    def silent(self, now: datetime, monotonic: float) -> list[int]:
        """The open leases whose workers are gone. `monotonic` is in seconds; ask every few of them."""
        open_leases = dict(Lease.objects.filter(ended_at=None).values_list("pk", "expires_at"))
        seen: dict[int, tuple[datetime, float]] = {}
        for pk, expires_at in open_leases.items():
            known = self._since.get(pk)
            seen[pk] = known if known is not None and known[0] == expires_at else (expires_at, monotonic)
        self._since = seen
        return [
            pk
            for pk, (expires_at, since) in seen.items()
            if monotonic - since >= (SETTLED if expires_at < now else LEASE.total_seconds())
        ]
