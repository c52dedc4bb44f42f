"""litellm hands the arguments on as they came: only its import is measured."""

from __future__ import annotations

import os

from peers.base import Peer

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else the import would fetch a list of prices

import litellm  # noqa: F401 - whether it is there


def peer() -> Peer:
    """The peer."""
    return Peer("litellm", "litellm", "import litellm")
