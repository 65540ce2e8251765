"""No test leaves a clock or another primitive of measuring replaced: a later test would take it for a patched one."""

from collections.abc import Generator

import pytest
import torch

from evaluator.engine import interpreter

# As in a runner: without a GPU its stand-ins are in place before measuring remembers what its primitives are.
if not torch.cuda.is_available():
    interpreter.enable()

from evaluator.measure import primitives

_known: set[str] = set()


def pytest_collection_finish() -> None:
    """The stand-ins for a GPU that test files enable while they are imported are no test's doing."""
    _known.update(primitives.changed())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Looks when all fixtures of the test are gone, for monkeypatch is often the last of them."""
    yield
    left = set(primitives.changed()) - _known
    _known.update(left)  # named once, at the test that did it
    assert not left, f"{item.nodeid} left {', '.join(sorted(left))} replaced"
