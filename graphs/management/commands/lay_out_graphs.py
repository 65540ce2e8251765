"""`manage.py lay_out_graphs`: layouts of graphs that an earlier version imported without one."""

from typing import Any

from django.core.management.base import BaseCommand

from graphs.actions import do_lay_out_due


class Command(BaseCommand):
    help = "Lay out graphs that have no drawing yet. Safe to repeat; workers do it, too, a few at a time."

    def handle(self, *args: Any, **options: Any) -> None:
        done = do_lay_out_due()
        self.stdout.write(f"{done} graphs laid out" if done else "every graph is laid out")
