from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolmend.agents.clients._sse import EventReader

DATA = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x00"), min_size=1)


def read(*pieces: bytes) -> list[str]:
    """All events of a stream."""
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)] + reader.finish()


@given(st.lists(DATA), st.lists(st.integers(1, 9), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_it_does_not_matter_how_a_stream_is_cut(data: list[str], sizes: list[int], line_end: str) -> None:
    """The events are those that were sent, whatever stands in them and however the network cuts the bytes."""
    stream = "".join(f"data: {one}{line_end}{line_end}" for one in data).encode()
    pieces: list[bytes] = []
    while stream:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(stream[:size])
        stream = stream[size:]
    assert read(*pieces) == data


def test_only_data_is_kept() -> None:
    """Comments, names, ids and empty events say nothing."""
    assert read(b": keep alive\n\nevent: x\nid: 3\n\nevent: y\ndata:1\n\nretry: 3\n\n") == ["1"]


def test_lines_of_data_belong_together_until_an_empty_line() -> None:
    """An event may have several."""
    assert read(b"data: a\ndata: b\n\ndata: c") == ["a\nb", "c"]


def test_signs_that_end_lines_elsewhere_are_part_of_the_data() -> None:
    """JSON may hold a line separator as it is; only a line feed ends a line here."""
    assert read("data: a\u2028b\x85c\x0bd\n\n".encode()) == ["a\u2028b\x85c\x0bd"]


def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    """What came is joined once."""
    assert read(b"data: ", *[b"x"] * 300_000, b"\n\n") == ["x" * 300_000]
