"""The part of MessagePack in which spaCy writes a map from whole numbers to whole numbers."""

from __future__ import annotations

from eatlas.errors import SourceError

_MAP16, _MAP32 = 0xDE, 0xDF
_UNSIGNED = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_SIGNED = {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}


def read_int_map(data: bytes, label: str) -> dict[int, int]:
    """Read a map from whole numbers to whole numbers.

    Raises
    ------
    SourceError
        If the bytes hold anything else, or end early.
    """
    try:
        count, at = _length(data)
        found: dict[int, int] = {}
        for _ in range(count):
            key, at = _integer(data, at)
            found[key], at = _integer(data, at)
    except (IndexError, ValueError) as error:
        raise SourceError(
            f"{label}: this is no table of words and rows", got=str(error) or "it ends early"
        ) from error
    return found


def _length(data: bytes) -> tuple[int, int]:
    kind = data[0]
    if 0x80 <= kind <= 0x8F:
        return kind & 0x0F, 1
    if kind not in (_MAP16, _MAP32):
        raise ValueError(f"byte 0x{kind:02x} at its beginning")
    width = 2 if kind == _MAP16 else 4
    return int.from_bytes(data[1 : 1 + width], "big"), 1 + width


def _integer(data: bytes, at: int) -> tuple[int, int]:
    kind = data[at]
    if kind <= 0x7F:
        return kind, at + 1
    if kind >= 0xE0:
        return kind - 0x100, at + 1
    width = _UNSIGNED.get(kind) or _SIGNED.get(kind)
    if width is None:
        raise ValueError(f"byte 0x{kind:02x} at {at}, where a whole number should stand")
    raw = data[at + 1 : at + 1 + width]
    if len(raw) < width:
        raise IndexError
    return int.from_bytes(raw, "big", signed=kind in _SIGNED), at + 1 + width
