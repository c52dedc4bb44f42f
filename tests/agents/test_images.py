from __future__ import annotations

import base64
import struct

import pytest

from toolmend.agents._images import image_tokens


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + bytes(40)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(40)


def jpeg(width: int, height: int) -> bytes:
    preview = b"\xff\xe1" + struct.pack(">H", 60_002) + b"\xff\xc0" * 30_000  # looks like sizes, and is passed over
    return b"\xff\xd8" + preview + b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + bytes(40)


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + bytes(4) + b"WEBP" + kind + bytes(4) + body + bytes(40)


def webp_lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", bytes(6) + struct.pack("<HH", width, height))


def webp_lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14))


def webp_extended(width: int, height: int) -> bytes:
    return webp(b"VP8X", bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


FORMATS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


def url(data: bytes) -> str:
    return "data:image/any;base64," + base64.b64encode(data).decode()


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.__name__)
@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 255),
        (512, 512, 255),
        (513, 512, 425),
        (1024, 1024, 765),  # OpenAI's own example: brought down to 768, four tiles
        (2048, 4096, 1105),  # and its other one: to 1024 by 2048, then to 768 by 1536, six tiles
        (768, 2048, 1445),
        (8000, 100, 765),
    ],
)
def test_the_size_in_the_data_decides(form: object, width: int, height: int, tokens: int) -> None:
    """It is read from the header of each format that the API takes."""
    assert callable(form)
    assert image_tokens(url(form(width, height)), "high") == tokens
    assert image_tokens(url(form(width, height)), None) == tokens


def test_low_detail_costs_the_same_for_any_image() -> None:
    """Its size does not matter."""
    assert image_tokens(url(png(4000, 4000)), "low") == image_tokens("https://x.test/a.png", "low") == 85


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\nxxxxxxxx",
        b"\xff\xd8\x00\x00",
        b"\xff\xd8\xff\xe1\xff\xff",
        b"RIFF....WEBPVP9 ",
        png(0, 5),
    ],
)
def test_data_without_a_size_costs_what_a_large_square_does(data: bytes) -> None:
    """Broken headers are no errors: the server will tell."""
    assert image_tokens(url(data), "auto") == 765


def test_data_that_is_no_base64_costs_the_same() -> None:
    """It is not decoded further than it can be."""
    assert image_tokens("data:image/png;base64,é", None) == 765
    assert image_tokens("data:,", None) == 765


def test_an_image_behind_an_address_costs_the_most_there_is() -> None:
    """Nothing is fetched to find its size."""
    assert image_tokens("https://x.test/a.png", "auto") == max(
        image_tokens(url(png(width, height)), None) for width in (600, 768, 2048) for height in (600, 768, 2048, 9000)
    )
