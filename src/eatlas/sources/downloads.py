"""Published vectors are fetched: downloaded, checked and unpacked once, by one process at a time.

Downloads may be large: they are continued where they broke off, and are never too long.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import requests
from filelock import FileLock, Timeout
from urllib3.exceptions import HTTPError

from eatlas.decoding import check_growth
from eatlas.errors import SourceError, listing
from eatlas.paths import DATA, data_folder
from eatlas.sources.archives import faults_of_library, locate
from eatlas.sources.download import Published, Vectors, find, published_vectors, unproven
from eatlas.stimuli.images import SUFFIXES

log = logging.getLogger("eatlas")
Watch = Callable[[int, int | None], None]
"""Called with how many bytes are here, and how many there are if the server says so."""
CHUNK = 1 << 20
TRIES = 6
"""Broken connections before we give up; one without a byte is the last."""
PAUSE = 1.0
"""Seconds before the first new try; each further one waits twice as long."""
_TIMEOUT = (20, 60)  # to connect, between two packets; in seconds
LARGEST = 50 * 10**9
"""Bytes that are taken where the list does not say how many there are."""
_LENGTH = re.compile(r"[0-9]{1,18}")
Say = Callable[[str], None]
# what eatlas reads as a series: 1990-w.npy beside 1990-vocab.pkl, or 1990.txt and the like
_OF_A_YEAR = re.compile(r"\d{4}(-w\.npy|-vocab\.pkl|\.[A-Za-z0-9.]+)")
_TAKEN = {*SUFFIXES, ".csv"}


def fetch_vectors(name: str, *, watch: Watch | None = None, say: Say | None = None) -> Path:
    """Download published vectors, unless they are already on this machine.

    A download that broke off continues where it stopped; a file that changed meanwhile is begun
    anew. The file is checked against the published hash or, if none was published, the hash of an
    earlier download; another file is refused and removed. Processes that fetch the same file wait
    for each other.

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
    entry = find(name)

    def report(sentence: str) -> None:
        log.info("%s", sentence)
        if say is not None:
            say(sentence)

    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        lock = FileLock(entry.file(".lock"))
        try:
            locked = lock.acquire(timeout=0)
        except Timeout:
            report(f"{name}: another process is fetching this file; waiting for it")
            locked = lock.acquire()
        with locked:
            _bring(entry, watch, report)
    except OSError as error:
        raise SourceError(
            f"{name}: the vectors cannot be written to {data_folder()}",
            got=error.strerror or str(error),
            remedy=f"free some space, or set {DATA} to a folder that you may write to",
        ) from error
    log.info("%s: on this machine at %s", name, entry.target)
    return entry.target


def _bring(entry: Published, watch: Watch | None, say: Say) -> None:
    """Use a file that is here, or download it; then unpack all its vectors.

    No other process works on this file, which is locked: what killed processes have left goes.
    """
    sets = [each for each in published_vectors() if each.download == entry.download]
    for each in sets:
        shutil.rmtree(_workplace(each.target), ignore_errors=True)
    if not entry.target.exists():
        file = entry.file("")
        if not file.exists():
            if caution := unproven(entry):
                say(f"{entry.name}: {caution}")
            say(f"{entry.name}: downloading {entry.download.url}")
            _download(entry, watch)
            file = entry.file(".part")
        try:
            _check(entry, file)
            for each in sets:
                if not each.target.exists():
                    say(f"{each.name}: unpacking")
                    unpack(file, each.vectors, each.target)
        except SourceError:
            _discard(entry)  # it is not what it should be, so it is no use later
            raise
    _discard(entry)


def _check(entry: Published, path: Path) -> None:
    """Refuse a file whose hash differs from the published one, or from an earlier download."""
    record, first, remedy = entry.file(".hash"), "published", "get it again"
    stated = entry.download.hash
    if not stated and record.exists():
        stated, first = record.read_text(encoding="utf-8").strip(), "first downloaded"
        remedy = f"if the publisher replaced it, delete {record} and fetch again"
    algorithm, _, digits = (stated or "sha256:").partition(":")
    with path.open("rb") as file:
        got = hashlib.file_digest(file, algorithm).hexdigest()
    if stated and got != digits:
        what = f"{entry.name}: what {entry.download.url} serves"
        if path == entry.file(""):  # put there by hand
            what = f"{path}: this file"
        what = f"{what} is not the file that was {first}"
        raise SourceError(what, got=got, allowed=digits, remedy=remedy)
    record.write_text(f"{algorithm}:{got}", encoding="utf-8")


def _discard(entry: Published) -> None:
    """Remove what a download has left."""
    entry.file(".part").unlink(missing_ok=True)
    entry.file(".part.state").unlink(missing_ok=True)


def _download_error(entry: Published, got: str, remedy: str) -> SourceError:
    return SourceError(
        f"{entry.name}: {entry.download.url} cannot be downloaded",
        got=got,
        remedy=f"{remedy}; or download the file yourself, save it as {entry.file('')} and run "
        f"eatlas vectors fetch {entry.name}",
    )


def _download(entry: Published, watch: Watch | None) -> None:
    """Fetch a file into a part beside its place, try after try, as long as something comes."""
    reason: BaseException | None = None
    for failures in range(TRIES):
        start = _size(entry)
        try:
            return _receive(entry, watch)
        except (requests.RequestException, HTTPError) as error:
            reason = error
        if _size(entry) == start:
            break
        pause = PAUSE * 2**failures
        log.info("%s: the download broke off; trying again in %g s", entry.name, pause)
        time.sleep(pause)
    while reason and (cause := reason.__cause__ or reason.__context__):
        reason = cause  # connection refused, name or service not known, ...
    got = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    again = f"run eatlas vectors fetch {entry.name} again when there is a connection"
    raise _download_error(entry, got, f"{again}; it continues")


def _size(entry: Published) -> int:
    part = entry.file(".part")
    return part.stat().st_size if part.exists() else 0


def _receive(entry: Published, watch: Watch | None) -> None:
    """Ask for what is missing, or for everything, and write what comes."""
    state = entry.file(".part.state")  # the ETag or the time of change that the part is of
    condition = state.read_text(encoding="utf-8") if state.exists() else ""
    # a packed transfer would make lengths and ranges those of the packed bytes
    headers = {"Accept-Encoding": "identity"}
    if condition and _size(entry):
        headers |= {"Range": f"bytes={_size(entry)}-", "If-Range": condition}
    with requests.get(entry.download.url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
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
        raise _download_error(entry, f"{answer.status_code} {answer.reason}", remedy)
    if url.startswith("https:") and not answer.url.startswith("https:"):
        raise _download_error(entry, f"the server leads from https to {answer.url}", remedy)
    if answer.headers.get("Content-Type", "").startswith("text/html"):
        raise _download_error(entry, "a web page, as of a login of the network", remedy)
    start, total = _size(entry), answer.headers.get("Content-Range", "").rpartition("/")[2]
    if answer.status_code == 200:  # all of the file, perhaps in another state
        start, total = 0, answer.headers.get("Content-Length", "")
        etag = answer.headers.get("ETag", "W/")  # a weak one does not promise the same bytes
        condition = answer.headers.get("Last-Modified", "") if etag.startswith("W/") else etag
        entry.file(".part.state").write_text(condition, encoding="utf-8")
    length = int(total) if _LENGTH.fullmatch(total) else None
    if length is not None and (length != size if size else length > LARGEST):
        _discard(entry)
        allowed = f"{size:,} were published" if size else f"the largest has {LARGEST:,}"
        raise _download_error(entry, f"the file has {length:,} bytes, {allowed}", remedy)
    most = size or length or LARGEST
    with entry.file(".part").open("ab" if start else "wb") as file:
        for chunk in answer.raw.stream(CHUNK, decode_content=False):
            start += len(chunk)
            if start > most:
                _discard(entry)
                raise _download_error(entry, f"more than {most:,} bytes came", remedy)
            file.write(chunk)
            if watch:
                watch(start, length)
    return length


def unpack(archive: Path, vectors: Vectors, target: Path) -> None:
    """Unpack vectors to `target`; they appear there when they are complete.

    Nothing is written but what the registry names, and what grows out of proportion is refused. One
    process at a time may unpack to a target.
    """
    folder = _workplace(target)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = folder / "made"
    try:
        if vectors.in_folder:
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
    with faults_of_library(archive, "this archive"), zipfile.ZipFile(archive) as zipped:
        members = {PurePosixPath(info.filename): info for info in zipped.infolist()}
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
            got=f"the member {outside[0]}" if outside else listing(map(str, members)) or "nothing",
            allowed=f"files in {vectors.folder}" if vectors.folder else "1990-w.npy or 1990.txt",
        )
    size = sum(members[path].file_size for path in files)
    check_growth(str(archive), size, archive.stat().st_size)
    for path, parts in files.items():
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with locate(archive, members[path].filename).open() as source, target.open("xb") as file:
            shutil.copyfileobj(source, file, CHUNK)
