"""One cluster for all tests of this folder. Each test leaves it whole."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.servers import servers, wait_until
from tests.cluster.site import Person, Site

MACHINES = ("a", "b", "c")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with servers() as (postgres, redis), tempfile.TemporaryDirectory(prefix="pn-") as folder:
        site = Site(Path(folder), postgres, redis)
        try:
            site.prepare()
            for name in MACHINES:
                site.start_daemon(name)
            for _ in range(2):
                site.start_web()
            for name in MACHINES:
                site.start_worker(name)
            for which in range(2):
                site.wait_for_web(which)
            yield site
        finally:
            site.end()


@pytest.fixture(scope="session")
def person(site: Site) -> Person:
    person = Person(site)
    wait_until(lambda: _ready(site) == len(MACHINES), 240, "three workers that are ready")
    return person


@pytest.fixture
def whole(site: Site, person: Person) -> Iterator[None]:
    """Before and after: two web servers and three workers that take runs."""
    yield
    for name, process in site.daemons.items():
        if not process.alive:
            site.start_daemon(name)
    for name, process in site.workers.items():
        if not process.alive:
            site.start_worker(name)
    wait_until(lambda: _ready(site) == len(MACHINES), 240, "the cluster being whole again")


def _ready(site: Site) -> int:
    asked = "SELECT count(*) FROM submissions_worker WHERE status IN ('ready', 'busy') AND NOT draining AND held = ''"
    recent = " AND seen_at > now() - interval '15 seconds'"
    return int(site.postgres.run("psql", "-d", "passnet", "-Atc", asked + recent) or 0)
