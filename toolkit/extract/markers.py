"""The table of markers that models put in front of calls: a new format is one row, or one row and one small reader.

A marker only says that a call was meant, and how sure that is. What the call looks like is told by its body, as models
mix one format's marker with another one's body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from toolmend.toolkit.extract.marker import Marker
from toolmend.toolkit.extract.special_tokens import SPECIAL_TOKENS
from toolmend.toolkit.extract.tags import TAGS

__all__ = ("ANY_OPENER", "MARKERS", "OPENERS", "STARTS")

_GROUP: Final = re.compile(r"\(\?P<\w+>")

MARKERS: Final[tuple[Marker, ...]] = (*TAGS, *SPECIAL_TOKENS)
"""All markers."""

OPENERS: Final[Mapping[str, tuple[tuple[Marker, re.Pattern[str]], ...]]] = {
    first: tuple(
        (marker, re.compile(marker.opener))
        for marker in MARKERS
        if any(start.startswith(first) for start in marker.starts)
    )
    for first in {start[0] for marker in MARKERS for start in marker.starts}
}
"""The markers with their openers compiled, by the first character."""

ANY_OPENER: Final = "|".join(_GROUP.sub("(?:", marker.opener) for marker in MARKERS)
"""A pattern for any of them, without groups that have a name."""

STARTS: Final = tuple(dict.fromkeys(start for marker in MARKERS for start in marker.starts))
"""The texts one of which a marker begins with, so that it is looked for quickly."""
