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
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in data[:4]:
        raise kind(
            f"{where}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8; in Excel that is the file type CSV UTF-8",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise kind(
            f"{where}, line {line}: the file is not UTF-8",
            got=f"byte 0x{data[error.start]:02x}",
            remedy="save it as UTF-8",
        ) from error
