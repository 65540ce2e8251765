"""What an attempt took stands beside the run that it made."""

from decimal import Decimal

import pytest

from assistant.models import Attempt, Conversation, Provider
from submissions.models import Author
from submissions.spending import cost_words, trajectories
from tests.accounts import account
from tests.submissions.test_boards import graph, run, store_task

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("cost", "words"), [(Decimal("0.421"), "0.42 USD"), (None, "?")])
def test_a_run_of_an_attempt_has_its_trajectory(own_redis: None, cost: Decimal | None, words: str):
    person, task = account("person"), store_task("one", 2)
    model = Author.objects.create(name="m", kind=Author.Kind.MODEL, brought_in_by=person)
    made, by_hand = run(model, task, graph(speed=1.0)), run(person, task, graph(speed=1.0))
    provider = Provider.objects.create(owner=person, name="p", kind="openai", base_url="http://x", model="m")
    conversation = Conversation.objects.create(author=person, task=task, provider=provider)
    Attempt.objects.create(
        conversation=conversation,
        device="cpu",
        max_steps=9,
        max_seconds=9,
        first_files={},
        files={},
        steps=7,
        tokens=1234,
        cost=cost,
        exit_reason="solved",
        evaluations=[{"step": 3, "run": str(made.pk)}],
    )
    found = trajectories([made.pk, by_hand.pk])
    assert set(found) == {made.pk}
    one = found[made.pk]
    assert (one.step, one.exit_reason, one.spent.steps, one.spent.tokens) == (3, "solved", 7, 1234)
    assert cost_words(one.spent) == words
