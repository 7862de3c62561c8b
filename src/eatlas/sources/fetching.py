"""Bring published vectors here: download, check, record, unpack; two processes do it once."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from eatlas.errors import SourceError, listed
from eatlas.folders import DATA, data_folder
from eatlas.sources.archives import check_growth, faults_of_library, locate
from eatlas.sources.published import (
    Published,
    Vectors,
    find,
    place_of,
    published_vectors,
    target_of,
)
from eatlas.stimuli.images import SUFFIXES

Watch = Callable[[int, int | None], None]
"""Called with how many bytes are here, and how many there are if the server says so."""
Say = Callable[[str], None]
CHUNK = 1 << 20
TRIES = 6
"""Broken connections before we give up; one without a byte is the last."""
PAUSE = 1.0
"""Seconds before the first new try; each further one waits twice as long."""
_TIMEOUT = (20, 60)  # to connect, between two packets; in seconds
LARGEST = 50 * 10**9
"""Bytes that are taken where neither the list nor the server says how many there are."""
# what eatlas reads as a series: 1990-w.npy beside 1990-vocab.pkl, or 1990.txt and the like
_OF_A_YEAR = re.compile(r"\d{4}(-w\.npy|-vocab\.pkl|\.[A-Za-z0-9.]+)")
_TAKEN = {*SUFFIXES, ".csv"}
_PAGE = re.compile(rb"<!doctype html|<html|<head|<body|<\?xml", re.IGNORECASE)


def fetch_vectors(name: str, *, watch: Watch | None = None, say: Say | None = None) -> Path:
    """Bring published vectors to this machine, unless they are here.

    A download that broke off continues where it stopped; a file that changed meanwhile is begun
    anew. The file is checked against the published hash, or, if none was published, against
    what an earlier download recorded; another file is refused and removed. Processes that fetch the
    same file wait for each other.

    Parameters
    ----------
    name : str
        Name of published vectors; ``eatlas vectors list`` shows them.
    watch : callable, optional
        Called with the bytes that are here and those there are, chunk by chunk.
    say : callable, optional
        Called with a sentence on progress.

    Returns
    -------
    Path
        The file of vectors, or the folder of vectors by year.

    Raises
    ------
    SourceError
        If the name is unknown, the file cannot be downloaded or is another than it should be, or
        the disk is full. The message says how to go on by hand.

    Examples
    --------
    ``eatlas.fetch_vectors("glove.6B.50d")`` downloads 862 MB; a wrong name nothing:

    >>> fetch_vectors("glove.6B.51d")
    Traceback (most recent call last):
    eatlas.errors.SourceError: there are no published vectors called 'glove.6B.51d'
      remedy: did you mean glove.6B.50d, ...? eatlas vectors list shows them all
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415

    entry, report = find(name), say or (lambda _: None)
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        lock = FileLock(entry.file(".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            report(f"{entry.name}: another process is fetching this file; waiting for it")
            lock.acquire()
        try:
            _bring(entry, watch, report)
        finally:
            lock.release()
    except OSError as error:
        raise SourceError(
            f"{name}: the vectors cannot be written to {data_folder()}",
            got=error.strerror or str(error),
            remedy=f"make room, or set {DATA} to a folder that you may write to",
        ) from error
    return target_of(entry)


def read_record(entry: Published) -> dict[str, str] | None:
    """What an earlier download got: url, sha256, fetched; None if there was none."""
    path = entry.file(".json")
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {key: str(record[key]) for key in ("url", "sha256", "fetched")}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"{path}: the record of an earlier download cannot be read"
        raise SourceError(what, remedy="delete it, and fetch the vectors again") from error


def unproven(entry: Published) -> str:
    """What a user should know of vectors whose content nobody vouches for; empty if somebody does.

    A size is no proof, and MD5 and SHA-1 are none against somebody who wants to deceive.
    """
    kind = (entry.download.hash or "").partition(":")[0]
    if kind == "sha256":
        return ""
    forged = f"only an {kind.upper()} of this file is published, which can be forged"
    none = "no hash of this file was published; later downloads are compared with the first"
    http = entry.download.url.startswith("http:")
    return (forged if kind else none) + ("; http can be changed on the way" if http else "")


def _bring(entry: Published, watch: Watch | None, say: Say) -> None:
    """Use a file that is here, or download it; then unpack all its vectors.

    No other process works on this file, which is locked: what killed processes have left goes.
    """
    sets = [each for each in published_vectors() if each.download == entry.download]
    missing = [each for each in sets if place_of(each) is None]
    part, file = entry.file(".part"), entry.file("")
    for each in sets:
        shutil.rmtree(_workplace(target_of(each)), ignore_errors=True)
    if entry in missing:
        if not file.exists():
            if caution := unproven(entry):
                say(f"{entry.name}: {caution}")
            say(f"{entry.name}: downloading {entry.download.url}")
            _download(entry, watch)
            file = part
        try:
            record = _inspect(entry, file)
            for each in missing:
                say(f"{each.name}: unpacking")
                unpack(file, each.vectors, target_of(each))
        except SourceError:
            _discard(entry)  # it is not what it should be, so it is no use later
            raise
        entry.file(".json").write_text(json.dumps(record, indent=2), encoding="utf-8")
    _discard(entry)


def _discard(entry: Published) -> None:
    """Remove what a download has left."""
    entry.file(".part").unlink(missing_ok=True)
    entry.file(".part.state").unlink(missing_ok=True)


def _inspect(entry: Published, path: Path) -> dict[str, str]:
    """Check a file: its hash where there is one, and that it is no web page; what to record."""
    earlier, url = read_record(entry), entry.download.url
    if earlier and earlier["url"].partition(":")[2] != url.partition(":")[2]:
        earlier = None
    by_hand = path == entry.file("")
    what = f"{path}: this file" if by_hand else f"{entry.name}: what {url} serves"
    stated, first, remedy = entry.download.hash or "", "was published", "get it again"
    if not stated and earlier:
        stated, first = f"sha256:{earlier['sha256']}", f"was got on {earlier['fetched']}"
        remedy = f"if the publisher replaced it, delete {entry.file('.json')} and fetch again"
    algorithm, _, digits = stated.partition(":")
    if algorithm and (got := _hash(path, algorithm)) != digits:
        what = f"{what} is not the file that {first}"
        raise SourceError(what, got=got, allowed=digits, remedy=remedy)
    with path.open("rb") as file:
        start = file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not algorithm and _PAGE.match(start):
        see = entry.download.page or "the address in a browser"
        raise SourceError(
            f"{what} is a web page, no file of vectors",
            got=start[:60].decode("ascii", "replace"),
            remedy=f"a login of the network, or a host that moved the file, sends one; see {see}",
        )
    sha256 = _hash(path, "sha256")
    if earlier and earlier["sha256"] == sha256:
        return earlier
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"url": entry.download.url, "sha256": sha256, "fetched": now}


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


# --- over HTTP, so that a half file continues where it stopped ------------------------------------


def _failed(entry: Published, got: str, remedy: str) -> SourceError:
    return SourceError(
        f"{entry.name}: {entry.download.url} cannot be downloaded",
        got=got,
        remedy=f"{remedy}; or get the file in another way, put it at {entry.file('')} and run "
        f"eatlas vectors fetch {entry.name}",
    )


def _download(entry: Published, watch: Watch | None) -> None:
    """Fetch a file into a part beside its place, try after try, as long as something comes."""
    import requests  # noqa: PLC0415  (0.2 s, and only a download needs it)
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    inner: BaseException
    for failures in range(TRIES):
        start = _size(entry)
        try:
            return _receive(entry, watch)
        except (requests.RequestException, HTTPError) as error:
            inner = error  # connection refused, name or service not known, ...
            while (deeper := inner.__cause__ or inner.__context__) is not None:
                inner = deeper
        if _size(entry) == start:
            break
        time.sleep(PAUSE * 2**failures)
    reason = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    again = f"run eatlas vectors fetch {entry.name} again when there is a connection"
    raise _failed(entry, reason, f"{again}; it continues")


def _size(entry: Published) -> int:
    part = entry.file(".part")
    return part.stat().st_size if part.exists() else 0


def _receive(entry: Published, watch: Watch | None) -> None:
    """Ask for what is missing, or for everything, and write what comes."""
    import requests  # noqa: PLC0415

    state = entry.file(".part.state")  # the ETag or the time of change that the part is of
    condition = state.read_text(encoding="utf-8") if state.exists() else ""
    # a packed transfer would make lengths and ranges those of the packed bytes
    headers = {"Accept-Encoding": "identity"}
    if condition and _size(entry):
        headers |= {"Range": f"bytes={_size(entry)}-", "If-Range": condition}
    url = entry.download.url
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
        if answer.status_code == 416:  # what came is of a longer file
            _discard(entry)
            raise requests.ConnectionError(answer.reason)
        length = _write(entry, answer, watch)
    if length is not None and _size(entry) < length:
        raise requests.ConnectionError("the connection ended early")


def _write(entry: Published, answer: Any, watch: Watch | None) -> int | None:
    """Write the body of an answer to the part; how long the file is, if the server says so."""
    url, size, page = entry.download.url, entry.download.size, entry.download.page
    remedy = f"see {page}" if page else "ask the publisher"
    if answer.status_code not in {200, 206}:
        raise _failed(entry, f"{answer.status_code} {answer.reason}", remedy)
    if url.startswith("https:") and not answer.url.startswith("https:"):
        raise _failed(entry, f"the server leads from https to {answer.url}", remedy)
    start, total = _size(entry), answer.headers.get("Content-Range", "").rpartition("/")[2]
    if answer.status_code == 200:  # all of the file, perhaps in another state
        start, total = 0, answer.headers.get("Content-Length", "")
    length = int(total) if total.isdigit() else None
    if size is not None and length not in (None, size):
        raise _failed(entry, f"the file has {length:,} bytes, {size:,} were published", remedy)
    expected = size or length
    if answer.status_code == 200:
        etag = answer.headers.get("ETag", "W/")  # a weak one does not promise the same bytes
        condition = answer.headers.get("Last-Modified", "") if etag.startswith("W/") else etag
        entry.file(".part.state").write_text(condition, encoding="utf-8")
    with entry.file(".part").open("ab" if start else "wb") as file:
        for chunk in answer.raw.stream(CHUNK, decode_content=False):
            start += len(chunk)
            if start > (expected or LARGEST):
                _discard(entry)
                raise _failed(entry, f"more than {expected or LARGEST:,} bytes came", remedy)
            file.write(chunk)
            if watch:
                watch(start, length)
    return length


# --- from a download to vectors -------------------------------------------------------------------


def unpack(archive: Path, vectors: Vectors, target: Path) -> None:
    """Unpack vectors to `target`; they appear there when they are whole.

    Nothing is written but what the registry names, and what grows out of proportion is refused. One
    process at a time may unpack to a target.
    """
    folder = _workplace(target)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = folder / "made"
    try:
        if vectors.kind in {"series", "images", "tables"}:
            _extract(archive, made, vectors)
        elif vectors.kind in {"texts", "counts"} and vectors.member is None:
            try:  # as it is; gigabytes are not written twice where a link will do
                made.hardlink_to(archive)
            except OSError:
                shutil.copyfile(archive, made)
        else:
            with locate(archive, vectors.member).open() as source, made.open("xb") as file:
                shutil.copyfileobj(source, file, CHUNK)
        made.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _workplace(target: Path) -> Path:
    return target.with_name(f".{target.name}.unpacking")


def _extract(archive: Path, folder: Path, vectors: Vectors) -> None:
    """Unpack the files of years, or those below the archive's folder, as plain files."""
    start = PurePosixPath(vectors.folder or "").parts
    with faults_of_library(archive, "this archive"), zipfile.ZipFile(archive) as opened:
        members = {PurePosixPath(info.filename): info for info in opened.infolist()}
    files: dict[PurePosixPath, tuple[str, ...]]
    if vectors.kind == "series":
        files = {path: (path.name,) for path in members if _OF_A_YEAR.fullmatch(path.name)}
    else:
        below = [path for path in members if path.parts[1 : 1 + len(start)] == start]
        files = {p: p.parts[1 + len(start) :] for p in below if p.suffix.lower() in _TAKEN}
    outside = [p for p, parts in files.items() if {"..", "\\", ":"} & {*parts, *"".join(parts)}]
    if outside or not files:
        raise SourceError(
            f"{archive}: not the archive of {vectors.name}",
            got=f"the member {outside[0]}" if outside else listed(map(str, members)) or "nothing",
            allowed=f"files in {vectors.folder}" if vectors.folder else "1990-w.npy or 1990.txt",
        )
    size = sum(members[path].file_size for path in files)
    check_growth(str(archive), size, archive.stat().st_size)
    for path, parts in files.items():
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with locate(archive, members[path].filename).open() as source, target.open("xb") as file:
            shutil.copyfileobj(source, file, CHUNK)
