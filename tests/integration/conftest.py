"""What the tests over HTTP share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from strict_server import StrictServer, serving


@pytest.fixture
def server() -> Iterator[StrictServer]:
    """A server for one test."""
    with serving() as one:
        yield one


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Both ways of running."""
    return bool(request.param)
