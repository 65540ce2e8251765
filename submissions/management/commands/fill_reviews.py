"""`manage.py fill_reviews`: tells causes of what failed before there was a review queue, or anew."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from submissions.models import ReviewItem, Run, Submission
from submissions.reviewing.enrolling import enrol_ended, enrol_submissions, runs_without_item

_AT_ONCE = 500


class Command(BaseCommand):
    help = (
        "Put failed runs and imported submissions that are not in the review queue into it. Can be broken off and "
        "started again. New runs and imports enter the queue by themselves."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--again", action="store_true", help="tell the causes of undecided runs anew, after the rules have changed"
        )

    def handle(self, *args: Any, again: bool, **options: Any) -> None:
        before = ReviewItem.objects.count()
        runs = list(runs_without_item().order_by("created_at").values_list("pk", flat=True))
        if again:
            runs += list(Run.objects.filter(review_item__decision="").values_list("pk", flat=True))
        for run_id in runs:
            enrol_ended(str(run_id))
        last, found = 0, True
        while found:
            rows = Submission.objects.filter(pk__gt=last, review_item=None, revision=None).order_by("pk")
            part = list(rows.select_related("task").defer("files")[:_AT_ONCE])
            enrol_submissions(part)
            found, last = bool(part), part[-1].pk if part else last
        new = ReviewItem.objects.count() - before
        self.stdout.write(f"{len(runs):,} runs looked at, {new:,} items are new, {ReviewItem.objects.count():,} in all")
