"""What Celery workers do for the assistant: they keep its attempts going. Loaded by Celery, in workers only."""

from typing import Any

from celery import signals


@signals.worker_ready.connect
def _start(**kwargs: Any) -> None:
    from assistant.autopilot.keeper import Keeper

    keeper = Keeper()
    keeper.start()
    signals.worker_shutdown.connect(lambda **_: keeper.stop(), weak=False)
