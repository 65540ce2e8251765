import pytest
from redis import Redis


@pytest.fixture
def own_redis(private_redis: Redis) -> None:
    """No test of the API may reach a Redis that is not its own."""
