"""From the bytes of a user's file to text, or to what is wrong with them."""

from __future__ import annotations

import codecs

from eatlas.errors import EatlasError


def decoded(data: bytes, where: str, kind: type[EatlasError]) -> str:
    """Decode UTF-8, with or without a byte order mark.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    kind : type of EatlasError
        What to raise.

    Raises
    ------
    EatlasError
        Of the `kind` given, if the bytes are no UTF-8; it names the line and the byte.
    """
    if _is_utf16(data):
        raise kind(
            f"{where}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8; in Excel that is the file type CSV UTF-8",
        )
    zero = data.find(b"\0")
    if zero >= 0:
        raise kind(
            f"{where}, line {_line(data, zero)}: this is no file of text",
            got="a byte that is 0",
            allowed="text in UTF-8",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = data[error.start : error.start + 1]
        raise kind(
            f"{where}, line {_line(data, error.start)}: the file is not UTF-8",
            got=f"byte 0x{byte.hex()}, which is {byte.decode('cp1252', 'replace')} in files that "
            "are Latin-1",
            remedy="save it as UTF-8",
        ) from error


def _is_utf16(data: bytes) -> bool:
    """Judge by the byte order mark, or by a first character and a second that are ASCII."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return marked or (len(data) > 3 and b"\0\0" in (data[0:4:2], data[1:4:2]))


def _line(data: bytes, offset: int) -> int:
    return data[:offset].count(b"\n") + 1
