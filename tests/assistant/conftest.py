from collections.abc import Iterator

import pytest
from model_server import Anthropic, ModelServer, OpenAi
from redis import Redis

from graphs.models import Task


@pytest.fixture
def own_redis(private_redis: Redis) -> None:
    """No test of the API may reach a Redis that is not its own."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Answers what a test says, as a model's server would."""
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture(params=[OpenAi, Anthropic], ids=["openai", "anthropic"])
def speaks(request: pytest.FixtureRequest) -> type[OpenAi] | type[Anthropic]:
    """Each protocol in turn."""
    kind: type[OpenAi] | type[Anthropic] = request.param
    return kind


@pytest.fixture
def task(db: None) -> Task:
    from task_of_two import store_task

    return store_task()
