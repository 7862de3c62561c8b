"""Bring published vectors here: download, check, record, unpack; two processes do it once."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from eatlas.errors import SourceError
from eatlas.folders import DATA, data_folder
from eatlas.sources.archives import archive_errors, check_growth, locate
from eatlas.sources.published import (
    Published,
    Vectors,
    find,
    place_of,
    published_vectors,
    target_of,
)
from eatlas.stimuli.image_files import SUFFIXES

Watch = Callable[[int, int | None], None]
"""Called with how many bytes are here, and how many there are if the server says so."""
Say = Callable[[str], None]
CHUNK = 1 << 20
TRIES = 5
"""Broken connections in a row, without a byte between them, before we give up."""
PAUSE = 1.0
"""Seconds before the first new try; each further one waits twice as long."""
_TIMEOUT = (20, 60)  # to connect, between two packets; in seconds
LARGEST = 50 * 10**9
"""Bytes that are taken where neither the list nor the server says how many there are."""
# what eatlas reads as a series: 1990-w.npy beside 1990-vocab.pkl, or 1990.txt and the like
_OF_A_YEAR = re.compile(r"\d{4}(-w\.npy|-vocab\.pkl|\.[A-Za-z0-9.]+)")
_TAKEN = {*SUFFIXES, ".csv"}
_PAGE = re.compile(rb"<!doctype html|<html|<head|<body|<\?xml", re.IGNORECASE)


@dataclass(frozen=True)
class DownloadRecord:
    """What was got from a publisher."""

    url: str
    size: int
    sha256: str
    etag: str | None
    modified: str | None
    fetched: str


def fetch_vectors(
    name: str, *, watch: Watch | None = None, say: Say | None = None, pause: float = PAUSE
) -> Path:
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
    pause : float
        Seconds before a broken connection is tried again; each further try waits twice as long.

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
            _bring(entry, watch, report, pause)
        finally:
            lock.release()
    except OSError as error:
        raise SourceError(
            f"{name}: the vectors cannot be written to {data_folder()}",
            got=error.strerror or str(error),
            remedy=f"make room, or set {DATA} to a folder that you may write to",
        ) from error
    return target_of(entry)


def read_record(entry: Published) -> DownloadRecord | None:
    """What an earlier download got; None if there was none."""
    path = entry.file(".json")
    try:
        return DownloadRecord(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise SourceError(
            f"{path}: the record of an earlier download cannot be read",
            remedy="delete it, and fetch the vectors again",
        ) from error


def _bring(entry: Published, watch: Watch | None, say: Say, pause: float) -> None:
    """Use a file that is here, or download it; then unpack all its vectors.

    No other process works on this file, which is locked: what killed processes have left goes.
    """
    sets = [other for other in published_vectors() if other.download == entry.download]
    by_hand, ours = entry.file(""), entry.file(".download")
    for each in sets:
        shutil.rmtree(_workplace(target_of(each)), ignore_errors=True)
    if all(place_of(each) is not None for each in sets):
        for path in (ours, entry.file(".part"), entry.file(".part.json")):
            path.unlink(missing_ok=True)
    if place_of(entry) is not None:
        return
    earlier, remote = read_record(entry), None
    file = by_hand if by_hand.exists() else ours
    if not file.exists():  # an earlier run may have left what it could not unpack
        if caution := unproven(entry, earlier):
            say(f"{entry.name}: {caution}")
        say(f"{entry.name}: downloading {entry.download.url}")
        remote = _download(entry, watch, pause)
    try:
        record = _inspect(entry, earlier, file, remote)
        for each in sets:
            if place_of(each) is None:
                say(f"{each.name}: unpacking")
                unpack(file, each.vectors, target_of(each))
    except SourceError:
        ours.unlink(missing_ok=True)  # it is not what it should be, so it is no use later either
        raise
    entry.file(".json").write_text(json.dumps(asdict(record), indent=2), encoding="utf-8")
    ours.unlink(missing_ok=True)


def unproven(entry: Published, earlier: DownloadRecord | None) -> str:
    """What a user should know of vectors whose content nobody vouches for; empty if somebody does.

    A size is no proof, and MD5 and SHA-1 are none against somebody who wants to deceive.
    """
    stated = entry.download.hash or ""
    if stated.startswith("sha256:") or (not stated and _hash_of(entry, earlier)):
        return ""
    open_way = "; over http, everybody on the way can replace it"
    way = open_way if entry.download.url.startswith("http:") else ""
    if stated:
        kind = stated.partition(":")[0].upper()
        return f"of this file only an {kind} is published, which can be forged{way}"
    return (
        "no hash of this file was published, so it cannot be checked; its SHA-256 is recorded "
        f"and later downloads are compared with it{way}"
    )


def _hash_of(entry: Published, earlier: DownloadRecord | None) -> str | None:
    """The hash that the file must have: as published, or as it came from there before."""
    if entry.download.hash or earlier is None:
        return entry.download.hash
    same = earlier.url.partition("://")[2] == entry.download.url.partition("://")[2]
    return f"sha256:{earlier.sha256}" if same else None


def _inspect(
    entry: Published, earlier: DownloadRecord | None, path: Path, remote: Remote | None
) -> DownloadRecord:
    """Check a file: its hash where there is one, and that it is no web page; what to record."""
    by_hand = path == entry.file("")
    what = str(path) if by_hand else f"{entry.name}: what {entry.download.url} serves"
    removed = "" if by_hand else "; the download was removed"
    algorithm, _, digits = (_hash_of(entry, earlier) or "").partition(":")
    if algorithm and (got := _hash(path, algorithm)) != digits:
        why = "has not the published hash"
        remedy = "get it again; if that does not help, the publisher's file is no longer the same"
        if not entry.download.hash and earlier:
            why = f"is not the file that was got on {earlier.fetched}"
            remedy = f"if the publisher replaced it, delete {entry.file('.json')} and fetch again"
        raise SourceError(
            f"{what}{': this' * by_hand} {why}{removed}", got=got, allowed=digits, remedy=remedy
        )
    with path.open("rb") as file:
        start = file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not algorithm and _PAGE.match(start):
        raise SourceError(
            f"{what}: this is a web page, no file of vectors{removed}",
            got=start[:60].decode("ascii", "replace"),
            remedy="a network that requires a login, or a host that moved the file, sends "
            f"such a page; see {entry.download.page or 'the address in a browser'}",
        )
    record = DownloadRecord(
        url=entry.download.url,
        size=path.stat().st_size,
        sha256=_hash(path, "sha256"),
        etag=remote.etag if remote else None,
        modified=remote.modified if remote else None,
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    again = earlier and (earlier.url, earlier.sha256) == (record.url, record.sha256)
    return earlier if earlier and again else record


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


# --- over HTTP, so that a half file continues where it stopped ------------------------------------


@dataclass(frozen=True)
class Remote:
    """What distinguishes one state of a remote file from another."""

    url: str
    length: int | None
    etag: str | None
    modified: str | None

    @property
    def condition(self) -> str | None:
        """For If-Range: a weak ETag does not promise the same bytes, so it does not do."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified


class _BrokenOffError(Exception):
    """The connection broke, or there is none."""


class _RefusedError(Exception):
    """The server's answer is no such file."""


def need(folder: Path, size: int) -> None:
    """Refuse to begin what cannot end."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise SourceError(
            f"{folder}: there is not enough room on this disk",
            got=f"{free:,} bytes free",
            allowed=f"{size:,} bytes at least",
            remedy=f"make room, or set {DATA} to a folder on another disk",
        )


def _download(entry: Published, watch: Watch | None, pause: float) -> Remote:
    """Fetch a file into a part beside its place, try after try."""
    part, url = entry.file(".part"), entry.download.url
    first, failures = _size(part), 0
    if entry.download.size is not None:
        need(part.parent, entry.download.size - first)
    try:
        while True:
            start = _size(part)
            try:
                remote = _continue(entry, part, watch)
            except _BrokenOffError:
                failures = 1 if _size(part) > start else failures + 1
                if _size(part) == first or failures >= TRIES:  # nothing came: no connection
                    raise
                time.sleep(pause * 2 ** (failures - 1))
            else:
                if remote is not None:
                    part.replace(entry.file(".download"))
                    return remote
    except (_RefusedError, _BrokenOffError) as error:
        page, again = entry.download.page, f"eatlas vectors fetch {entry.name}"
        remedy = f"see {page}" if page else "ask the publisher"
        if isinstance(error, _BrokenOffError):
            remedy = f"run {again} again when there is a connection; it continues where it stopped"
        raise SourceError(
            f"{entry.name}: {url} cannot be downloaded",
            got=str(error),
            remedy=f"{remedy}; or get the file in another way, put it at {entry.file('')} and run "
            f"{again}",
        ) from error


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _continue(entry: Published, part: Path, watch: Watch | None) -> Remote | None:
    """Ask for what is missing, or for everything, and write what comes; None to begin anew."""
    import requests  # noqa: PLC0415  (0.2 s, and only a download needs it)
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    url, size, state = entry.download.url, entry.download.size, entry.file(".part.json")
    known: Remote | None = None
    with suppress(OSError, ValueError, TypeError, RecursionError):
        known = Remote(**json.loads(state.read_text(encoding="utf-8")))
    if known is None or known.url != url or known.condition is None:
        part.unlink(missing_ok=True)  # nothing tells whether it is of the same file
        known = None
    elif known.length == _size(part):
        state.unlink(missing_ok=True)
        return known
    # a packed transfer would make lengths and ranges those of the packed bytes
    headers = {"Accept-Encoding": "identity"}
    if known is not None and _size(part):
        headers |= {"Range": f"bytes={_size(part)}-", "If-Range": str(known.condition)}
    try:
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
            if answer.status_code == 416:
                part.unlink(missing_ok=True)  # the file is shorter now
                return None
            remote = _judged(url, answer, size)
            if answer.status_code == 206 and remote != known:
                part.unlink(missing_ok=True)
                return None
            if answer.status_code == 200:
                part.unlink(missing_ok=True)
                state.write_text(json.dumps(asdict(remote)), encoding="utf-8")
            _write(answer, part, remote, size, watch)
    except (requests.RequestException, HTTPError) as error:
        inner: BaseException = error  # connection refused, name or service not known, ...
        while (deeper := inner.__cause__ or inner.__context__) is not None:
            inner = deeper
        said = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
        raise _BrokenOffError(said) from error
    state.unlink(missing_ok=True)
    return remote


def _judged(url: str, answer: Any, size: int | None) -> Remote:
    """The state of the remote file, if it is the one that is wanted."""
    if answer.status_code not in {200, 206}:
        raise _RefusedError(f"{answer.status_code} {answer.reason}")
    if url.startswith("https:") and not answer.url.startswith("https:"):
        raise _RefusedError(f"the server leads from https to {answer.url}")
    total = answer.headers.get("Content-Range", "").rpartition("/")[2]
    length = total if answer.status_code == 206 else answer.headers.get("Content-Length", "")
    known = int(length) if length.isdigit() else None
    if size is not None and known not in (None, size):
        raise _RefusedError(f"the file has {known:,} bytes, {size:,} were published")
    return Remote(url, known, answer.headers.get("ETag"), answer.headers.get("Last-Modified"))


def _write(answer: Any, part: Path, remote: Remote, size: int | None, watch: Watch | None) -> None:
    """Append the body of an answer to the part, within the limits of size and disk."""
    start, expected = _size(part), size or remote.length
    if expected is not None:
        need(part.parent, expected - start)
    most = expected or LARGEST
    with part.open("ab") as file:
        for chunk in answer.raw.stream(CHUNK, decode_content=False):
            start += len(chunk)
            if start > most:
                part.unlink()
                raise _RefusedError(f"more than {most:,} bytes came")
            file.write(chunk)
            if watch:
                watch(start, remote.length)
    if remote.length is not None and start < remote.length:
        raise _BrokenOffError("the connection ended early")


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
        if vectors.series or vectors.folder:
            _extract(archive, made, vectors)
        elif (vectors.texts or vectors.counts) and vectors.member is None:
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


def _parts(path: PurePosixPath, vectors: Vectors) -> tuple[str, ...]:
    """Where a member of an archive belongs: a file of a year, or one below a folder; else ()."""
    if vectors.series:
        return (path.name,) if _OF_A_YEAR.fullmatch(path.name) else ()
    start = PurePosixPath(vectors.folder or "").parts
    taken = path.parts[1 : 1 + len(start)] == start and path.suffix.lower() in _TAKEN
    return path.parts[1 + len(start) :] if taken else ()


def _extract(archive: Path, folder: Path, vectors: Vectors) -> None:
    """Unpack members of a zip archive; links and names that lead out are refused."""
    folder.mkdir()
    with archive_errors(str(archive)), zipfile.ZipFile(archive) as opened:
        members: dict[str, tuple[Path, zipfile.ZipInfo]] = {}
        for info in opened.infolist():
            parts = () if info.is_dir() else _parts(PurePosixPath(info.filename), vectors)
            if not parts:
                continue
            mode = stat.S_IFMT(info.external_attr >> 16)
            odd = any(part in {".", ".."} or "\\" in part or ":" in part for part in parts)
            if odd or info.filename.startswith("/") or mode not in {0, stat.S_IFREG}:
                raise SourceError(
                    f"{archive}: a member that is not a plain file of its folder",
                    got=info.filename,
                    allowed="files below the archive's own root",
                    remedy="do not trust this archive",
                )
            path = folder.joinpath(*parts)
            if members.setdefault("/".join(parts).casefold(), (path, info))[1] is not info:
                raise SourceError(f"{archive}: two files would have one name", got=info.filename)
        if not members:
            what = "vectors by year" if vectors.series else f"files in {vectors.folder}"
            raise SourceError(
                f"{archive}: the archive holds no {what}",
                got=", ".join(opened.namelist()[:5]) or "nothing",
                allowed="1990-w.npy beside 1990-vocab.pkl, or files such as 1990.txt"
                if vectors.series
                else "the archive of the repository, as its publisher serves it",
            )
        size = sum(info.file_size for _, info in members.values())
        check_growth(str(archive), size, archive.stat().st_size)
        need(folder, size)
        for path, info in members.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(info) as source, path.open("xb") as file:
                shutil.copyfileobj(source, file, CHUNK)
