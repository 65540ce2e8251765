"""The catalogue's order and search, kept in memory: what is new, changed or deleted is seen at once."""

import pytest
from django.utils import timezone

from graphs.models import Task
from graphs.task_index import find_tasks

pytestmark = pytest.mark.django_db


def task(slug, text, origin="imported", **more):
    return Task.objects.create(slug=slug, title=slug, origin=origin, content_hash=slug, search_text=text, **more)


def found(*words):
    slugs = dict(Task.objects.values_list("pk", "slug"))
    return [slugs[one] for one in find_tasks(words)]


def test_tasks_are_in_the_catalogues_order_and_every_word_has_to_occur():
    assert found() == []
    task("d", "relu add", "captured")
    task("c", "relu cat")
    task("b", "cat", "shipped")
    task("a", "add", example_files={"p.py": ""})
    assert found() == ["a", "b", "c", "d"]
    assert found("relu") == ["c", "d"] and found("relu", "cat") == ["c"] and found("nothing") == []


def test_what_changes_is_seen():
    one, other = task("one", "relu"), task("other", "cat")
    assert found("cat") == ["other"]
    Task.objects.filter(pk=one.pk).update(search_text="relu cat", updated_at=timezone.now())
    assert found("cat") == ["one", "other"]
    other.delete()
    task("new", "cat")
    assert found("cat") == ["new", "one"]
    Task.objects.all().delete()
    assert found() == []


def test_a_page_of_the_catalogue_takes_as_many_queries_as_there_are_kinds_of_things(
    client, django_assert_max_num_queries
):
    for number in range(3):
        task(f"t{number}", "relu")
    client.get("/api/tasks")
    with django_assert_max_num_queries(14):
        assert client.get("/api/tasks?q=relu&limit=2").json()["total"] == 3
