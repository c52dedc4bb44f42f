"""The plugin of pytest: loaded wherever toolmend is installed, it does nothing until a project asks for it.

    [tool.pytest.ini_options]
    toolmend_forbid_real_requests = true

forbids real requests in all tests but those marked `toolmend_real_requests`; the fixture `no_real_requests` forbids
them in one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ("no_real_requests", "pytest_addoption", "pytest_configure")

_OPTION: Final = "toolmend_forbid_real_requests"
_MARKER: Final = "toolmend_real_requests"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option.

    Args:
        parser: reads the options of pytest.
    """
    parser.addini(_OPTION, f"no test asks a real model, unless it is marked {_MARKER}", type="bool", default=False)


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
