"""From the bytes of a user's file to text, or to what is wrong with them."""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.errors import EatlasError, SourceError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MAX_TOML = 2 << 20
"""Bytes of a TOML file; tables under tables take tomllib about 2 s and 150 MB a MiB."""
MAX_IMPORT = 8 << 20
"""Bytes of a file of tests or of a dictionary of other software; those that are published have
less than one MiB."""
_MAX_PARTS = 16
_PART = r"""(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}\.[ \t]*+){{{_MAX_PARTS},}}+")

# Text of vectors shrinks 2 to 4 times, one of round numbers 20 times; what grows beyond 200 times
# is made to fill a disk. Below 64 MiB the ratio does not matter.
MAX_RATIO = 200
FREE_BYTES = 64 << 20
GROWTH = "EATLAS_MAX_GROWTH"
"""Environment variable: how many times its own size a file may grow; MAX_RATIO without it."""
LARGEST = 1e150
"""The largest number of a file in JSON."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""A half of a character in JSON, alone or with its other half."""


def read_toml(
    data: bytes,
    where: str,
    kind: type[EatlasError],
    hint: Callable[[str, str], str | None] = lambda _text, _error: None,
) -> dict[str, Any]:
    """Parse the bytes of a TOML file of a user.

    Large files, and keys of many parts, which take quadratic time and memory, are refused before
    anything is parsed.
    """
    require_size(len(data), where, kind, MAX_TOML)
    text = decode_utf8(data, where, kind)
    if match := _LONG_KEY.search(text):
        raise kind(
            f"{where}: a key has too many parts",
            got=f"{match[0][:40]}...",
            allowed=f"at most {_MAX_PARTS} parts, with dots between them",
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise kind(
            f"{where}: this is not TOML", got=str(error), remedy=hint(text, str(error))
        ) from error
    except (RecursionError, ValueError) as error:  # or an integer of thousands of digits
        deep = isinstance(error, RecursionError)
        got = "values nested hundreds deep" if deep else str(error)[:200]
        raise kind(f"{where}: this TOML cannot be read", got=got) from error


def own_toml(file: Traversable) -> dict[str, Any]:
    """Parse a TOML file that comes with eatlas: it needs no limits."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def require_file(path: Path, kind: type[EatlasError]) -> None:
    """Refuse what is neither a regular file nor a folder, before it is opened.

    A pipe or a device may never end, or never begin. What the system shows below /proc and /sys
    calls itself a file and may do the same. A path where nothing is passes: who opens it says so.
    """
    try:
        mode = path.stat().st_mode
        of_the_system = os.path.realpath(path).startswith(("/proc/", "/sys/"))
    except (OSError, ValueError):
        return
    if of_the_system or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise kind(
            f"{path}: this is neither a file nor a folder",
            got="a device, a pipe or a socket, whose end is unknown",
            allowed="a file",
            remedy="save what comes from it in a file, and name that",
        )


def lines_of(path: Path, what: str, kind: type[EatlasError]) -> list[str]:
    """Lines of a text file of a user with one name, or what it is, on each; no empty ones."""
    require_file(path, kind)
    try:
        lines = decode_utf8(path.read_bytes(), str(path), kind).splitlines()
    except OSError as error:
        raise kind(
            f"{path}: the {what}s cannot be read",
            got=error.strerror,
            allowed=f"a text file with a {what} on each line",
        ) from error
    return [line.strip() for line in lines if line.strip()]


def file_bytes(path: Path, kind: type[EatlasError], most: int) -> bytes:
    """Content of a file of a user; of a larger one no more is read than shows that it is."""
    require_file(path, kind)
    with path.open("rb") as file:
        data = file.read(most + 1)
    require_size(len(data), str(path), kind, most)
    return data


def toml_bytes(path: Path, kind: type[EatlasError]) -> bytes:
    """Content of a TOML file of a user."""
    return file_bytes(path, kind, MAX_TOML)


def require_size(size: int, where: str, kind: type[EatlasError], most: int) -> None:
    """Refuse a file of more than `most` bytes."""
    if size > most:
        raise kind(
            f"{where}: this file is too large",
            got=f"more than {most:,} bytes",
            allowed=f"at most {most >> 20} MiB",
            remedy="divide it into several files",
        )


def json_value(
    data: bytes | str,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None,
) -> Any:
    r"""Parse JSON of a user, in which every text must be text."""
    text = data if isinstance(data, str) else data.decode("utf-8-sig")
    try:
        value = json.loads(text, object_pairs_hook=object_pairs_hook, parse_float=_number)
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("values that are nested too deep") from error
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise ValueError(f"\\u{half:04x} occurs alone, which is not a character") from error
    return value


def _number(text: str) -> float:
    """A number that can be squared; what a computer of ours writes is far smaller."""
    number = float(text)
    if abs(number) > LARGEST:
        raise ValueError(f"{text[:30]} is a number beyond {LARGEST:g}")
    return number


def decode_utf8(data: bytes, where: str, kind: type[EatlasError]) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    # by the byte order mark, or by a first character and a second that are ASCII
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked or (len(data) > 3 and b"\0\0" in (data[0:4:2], data[1:4:2])):
        raise kind(
            f"{where}: the file is not UTF-8",
            got="its first bytes look like UTF-16",
            remedy="save the file as UTF-8 (Notepad: Save As, Encoding UTF-8; Excel: file type "
            "CSV UTF-8)",
        )
    try:
        text = data.decode("utf-8-sig")
        place, got = data.find(b"\0"), "a byte that is 0"
    except UnicodeDecodeError as error:
        byte = data[error.start : error.start + 1]
        place, got = (
            error.start,
            f"byte 0x{byte.hex()}, in Latin-1 {byte.decode('cp1252', 'replace')}",
        )
    if place < 0:
        return text
    line = data[:place].count(b"\n") + 1
    raise kind(f"{where}, line {line}: the file is not UTF-8", got=got, remedy="save it as UTF-8")


# --- the one limit --------------------------------------------------------------------------------


def check_growth(label: str, size: int, packed: int) -> None:
    """Refuse what takes far more memory than a file of `packed` bytes can account for."""
    setting = os.environ.get(GROWTH) or str(MAX_RATIO)
    try:
        limit = max(FREE_BYTES, int(packed * float(setting)))
    except (ValueError, OverflowError) as error:
        raise SourceError(
            f"{GROWTH}: this environment variable is not a number", got=setting[:40]
        ) from error
    if size > limit:
        raise SourceError(
            f"{label}: it expands to far more data than a file of its size should",
            got=f"{size:,} bytes, or more",
            allowed=f"{setting} times the size of the file, or {FREE_BYTES:,} bytes",
            remedy=f"if you trust it, set {GROWTH} to a larger number",
        )


def check_parquet_growth(path: Path, head: Any, packed: int) -> None:
    """Refuse a file of Parquet that declares far more than its size accounts for."""
    groups = [head.row_group(k) for k in range(head.num_row_groups)]
    columns = [group.column(c) for group in groups for c in range(group.num_columns)]
    size = sum(max(c.total_uncompressed_size, 8 * c.num_values) for c in columns)
    check_growth(str(path), size, packed)


def check_parquet(path: Path, parquet: Any) -> None:
    """Refuse a file of Parquet that holds far more than its size accounts for.

    What is repeated, such as a text of a megabyte in a thousand rows, counts as often as it occurs,
    because rows that are read repeat it. `parquet` is ``pyarrow.parquet``.
    """
    parquet_table(path, parquet)


def parquet_table(path: Path, parquet: Any, names: Sequence[str] | None = None) -> Any:
    """A table of columns of a file of Parquet, checked as :func:`check_parquet` does.

    Texts are in dictionaries, so that repeated ones take no memory.
    """
    packed = path.stat().st_size
    with parquet.ParquetFile(path) as file:
        check_parquet_growth(path, file.metadata, packed)
        columns = [file.schema.column(k) for k in range(len(file.schema))]
    texts = [c.path for c in columns if c.logical_type.type in {"STRING", "JSON", "NONE"}]
    table = parquet.read_table(path, columns=names, read_dictionary=texts, partitioning=None)
    size = sum(_with_repeats(chunk) for column in table.columns for chunk in column.chunks)
    check_growth(str(path), size, packed)
    return table


def _with_repeats(array: Any) -> int:
    """Bytes of an array of Arrow, or of those in it."""
    kind = str(array.type).partition("<")[0]
    if kind == "struct":
        return sum(map(_with_repeats, array.flatten()))
    if kind in {"list", "large_list", "fixed_size_list"}:
        return _with_repeats(array.flatten())
    if kind == "map":
        return _with_repeats(array.keys) + _with_repeats(array.items)
    if kind != "dictionary":
        return int(array.nbytes)
    compute = import_module("pyarrow.compute")
    lengths = compute.binary_length(array.dictionary)
    return int(compute.sum(compute.take(lengths, array.indices)).as_py() or 0)
