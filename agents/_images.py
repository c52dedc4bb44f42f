"""What images and other data cost: by rules on their size, never by tokenising them.

The rule is the one of OpenAI's tile models: 85 tokens at low detail; else the image is fitted into a square of 2048,
its shorter side brought down to 768, and each tile of 512 that it then covers costs 170 tokens on top of the 85.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolmend.repairs.record import JsonValue

__all__ = ("audio_tokens", "file_tokens", "image_tokens")

BASE: Final = 85
TILE: Final = 170
TILE_SIDE: Final = 512
LARGEST_SIDE: Final = 2048
SHORTER_SIDE: Final = 768
REMOTE: Final = BASE + 8 * TILE
"""The most that any size costs: the image is behind an address, so that its size is not known."""
UNREADABLE: Final = BASE + 4 * TILE
"""The cost of a large square: the data is there, and is none of the four formats that the API takes."""
HEADER_BYTES: Final = 256 * 1024
"""How much of the data is looked at: photographs carry previews in front of their size."""
BYTES_PER_AUDIO_TOKEN: Final = 100
"""Ten tokens a second, and no format spends less than a thousand bytes on one."""
BYTES_PER_FILE_TOKEN: Final = 4
JPEG_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def image_tokens(url: str, detail: str | None) -> int:
    """What an image costs.

    Args:
        url: its address, or a data URL.
        detail: `low`, `high` or `auto`.
    """
    if detail == "low":
        return BASE
    if not url.startswith("data:"):
        return REMOTE
    size = _size(_decoded(url.partition(",")[2][: HEADER_BYTES * 4 // 3]))
    return _tiled(*size) if size and all(size) else UNREADABLE


def audio_tokens(part: Mapping[str, JsonValue]) -> int:
    """A bound on what recorded speech costs.

    Args:
        part: the `input_audio` of a content part.
    """
    return math.ceil(len(str(part.get("data", ""))) * 3 / 4 / BYTES_PER_AUDIO_TOKEN)


def file_tokens(part: Mapping[str, JsonValue]) -> int:
    """An estimate of what a document costs; a file that was uploaded before counts like an image.

    Args:
        part: the `file` of a content part.
    """
    data = part.get("file_data")
    return math.ceil(len(data) * 3 / 4 / BYTES_PER_FILE_TOKEN) if isinstance(data, str) else REMOTE


def _tiled(width: int, height: int) -> int:
    scale = min(1.0, LARGEST_SIDE / max(width, height))
    scale = min(scale, SHORTER_SIDE / min(width, height))
    tiles = math.ceil(width * scale / TILE_SIDE) * math.ceil(height * scale / TILE_SIDE)
    return BASE + TILE * tiles


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (ValueError, binascii.Error):
        return b""


def _size(data: bytes) -> tuple[int, int] | None:
    """Width and height as the header of a PNG, GIF, WebP or JPEG gives them."""
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR":
            return struct.unpack_from(">II", data, 16)
        if data[:6] in {b"GIF87a", b"GIF89a"}:
            return struct.unpack_from("<HH", data, 6)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
        if data[:2] == b"\xff\xd8":
            return _jpeg_size(data)
    except struct.error:
        pass
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:
            return None
        if kind in JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + length
