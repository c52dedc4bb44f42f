"""The plugin of pytest: loaded wherever toolmend is installed, it does nothing until a project asks for it.

    [tool.pytest.ini_options]
    toolmend_forbid_real_requests = true

forbids real requests in all tests but those marked `toolmend_real_requests`; the fixture `no_real_requests` forbids
them in one. `recorded_client` makes clients that replay what `pytest --toolmend-record` has recorded.
"""

from __future__ import annotations

import itertools
import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolmend.agents.clients.base import LLMClient, LLMConfig
    from toolmend.agents.testing import RecordedClient

__all__ = ("no_real_requests", "pytest_addoption", "pytest_configure", "recorded_client")

_OPTION: Final = "toolmend_forbid_real_requests"
_RECORD: Final = "--toolmend-record"
_MARKER: Final = "toolmend_real_requests"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options.

    Args:
        parser: reads the options of pytest.
    """
    parser.addini(_OPTION, f"no test asks a real model, unless it is marked {_MARKER}", type="bool", default=False)
    told = "have recorded_client ask real models, and record what they say"
    parser.getgroup("toolmend").addoption(_RECORD, action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker.

    Args:
        config: the settings of this run.
    """
    config.addinivalue_line("markers", f"{_MARKER}: may ask a real model although {_OPTION} is set")


@pytest.fixture(autouse=True)
def _toolmend_requests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Forbid or allow real requests, if the project has an opinion."""
    if not request.config.getini(_OPTION):
        yield
        return
    from toolmend.agents.clients._guard import switched

    with switched(allowed=request.node.get_closest_marker(_MARKER) is not None):
        yield


@pytest.fixture
def no_real_requests() -> Iterator[None]:
    """No real model is asked in this test: that raises `RealRequestError`."""
    from toolmend.agents.clients._guard import switched

    with switched(allowed=False):
        yield


@pytest.fixture
def recorded_client(request: pytest.FixtureRequest) -> Iterator[Callable[[LLMConfig | LLMClient], RecordedClient]]:
    """Makes the client of a model from its settings: it replays `recordings/<module>/<test>.json` beside the test.

    With `--toolmend-record` it asks the model, and writes that file; a test that makes several has a file for each.
    """
    from toolmend.agents.clients._guard import switched
    from toolmend.agents.testing import RecordedClient

    record = request.config.getoption(_RECORD)
    folder = request.path.parent / "recordings" / request.path.stem
    name = re.sub(r"[^\w.-]", "_", request.node.name)
    numbers = itertools.count(1)

    def make(llm: LLMConfig | LLMClient) -> RecordedClient:
        number = next(numbers)
        return RecordedClient(folder / f"{name}{f'-{number}' if number > 1 else ''}.json", llm, record=record)

    with switched(allowed=True) if record else nullcontext():
        yield make
