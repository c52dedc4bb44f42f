"""Reads the calls behind a marker, with what closes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.toolkit.extract.candidate import CallCandidate
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.markers import MARKERS, OPENERS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("read_marked",)


def read_marked(source: Source, start: int) -> tuple[list[CallCandidate], int] | None:
    """Read the calls behind a marker.

    Args:
        source: the text, with the registered tools.
        start: where the marker begins.

    Returns:
        The calls, and the offset behind them and what closes them; no calls for a marker that only opens a section;
        None if no marker stands there, or nothing behind it looks like a call.
    """
    for marker, opener in zip(MARKERS, OPENERS, strict=True):
        match = opener.match(source.text, start)
        if match is None:
            continue
        if marker.read is None:
            return [], match.end()
        with source.behind_marker():
            found = marker.read(source, match)
        if found is None:
            return None
        closers = ENDS.match(source.text, found.end)
        end = closers.end() if closers is not None else found.end
        spans = [(min(start, part.span[0]), end) for part in found.parts]
        candidates = [
            CallCandidate(part, marker.format, marker.evidence, span)
            for part, span in zip(found.parts, spans, strict=True)
        ]
        return candidates, end
    return None
