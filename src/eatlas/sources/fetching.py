"""Bring published vectors here: download, check, record, unpack; two processes do it once."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from eatlas.errors import SourceError
from eatlas.folders import DATA, data_folder
from eatlas.sources.archives import archive_errors, check_growth, locate
from eatlas.sources.downloading import (
    PAUSE,
    BrokenOffError,
    NoRoomError,
    RefusedError,
    Remote,
    Resuming,
    Watch,
)
from eatlas.sources.published import (
    Published,
    Vectors,
    find,
    place_of,
    published_vectors,
    target_of,
)
from eatlas.stimuli.image_files import SUFFIXES

# what eatlas reads as a series: 1990-w.npy beside 1990-vocab.pkl, or 1990.txt and the like
_OF_A_YEAR = re.compile(r"\d{4}(-w\.npy|-vocab\.pkl|\.[A-Za-z0-9.]+)")
_COPIED = 1 << 20
_KEPT = {*SUFFIXES, ".csv"}
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
    name: str,
    *,
    watch: Watch | None = None,
    say: Callable[[str], None] | None = None,
    pause: float = PAUSE,
) -> Path:
    """Bring published vectors to this machine, unless they are here.

    A download that broke off continues where it stopped; a file that changed meanwhile is begun
    anew. The file is checked against the published hash, or, if none was published, against
    what an earlier download recorded; another file is refused and removed. Processes that fetch the
    same file wait for each other.

    Parameters
    ----------
    name : str
        Name of published vectors; ``eatlas data list`` shows them.
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
      remedy: did you mean glove.6B.50d, ...? eatlas data list shows them all
    """
    entry, report = find(name), say or (lambda _: None)
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        with _alone(entry, report):
            _bring(entry, watch, report, pause)
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


def _bring(entry: Published, watch: Watch | None, say: Callable[[str], None], pause: float) -> None:
    """Use a file that is here, or download it; then unpack all its vectors."""
    _tidy(entry)
    if place_of(entry) is not None:
        return
    by_hand, ours = entry.file(""), entry.file(".download")
    earlier = read_record(entry)
    if by_hand.exists():
        record = _inspect(entry, earlier, by_hand)
    elif ours.exists():  # an earlier run could not unpack it
        record = _inspect(entry, earlier, ours)
    else:
        remote = _download(entry, earlier, watch, say, pause)
        record = _record(entry, ours, remote)
    try:
        _unpack_all(entry, by_hand if by_hand.exists() else ours, say)
    except SourceError:
        ours.unlink(missing_ok=True)  # it is not what it should be, so it is no use later either
        raise
    text = json.dumps(asdict(record), indent=2)
    entry.file(".json").write_text(text, encoding="utf-8")
    ours.unlink(missing_ok=True)


def _tidy(entry: Published) -> None:
    """Remove what killed processes have left: half-unpacked vectors, parts of what is here.

    No other process works on this file, which is locked.
    """
    sets = [one for one in published_vectors() if one.download == entry.download]
    for one in sets:
        clear(target_of(one))
    if all(place_of(one) is not None for one in sets):
        for path in (entry.file(".download"), entry.file(".part"), entry.file(".part.json")):
            path.unlink(missing_ok=True)


def _unpack_all(entry: Published, archive: Path, say: Callable[[str], None]) -> None:
    """Unpack every set of vectors that the file holds."""
    for each in published_vectors():
        if each.download == entry.download and place_of(each) is None:
            say(f"{each.name}: unpacking")
            unpack(archive, each.vectors, target_of(each))


def _download(
    entry: Published,
    earlier: DownloadRecord | None,
    watch: Watch | None,
    say: Callable[[str], None],
    pause: float,
) -> Remote | None:
    """Download and check a file; one that is wrong is removed."""
    path, download = entry.file(".download"), entry.download
    part = entry.file(".part")
    if download.size is not None:
        need(path.parent, download.size - (part.stat().st_size if part.exists() else 0))
    if caution := unproven(entry, earlier):
        say(f"{entry.name}: {caution}")
    say(f"{entry.name}: downloading {download.url}")
    fetched = Resuming(part, watch, size=download.size, pause=pause)
    try:
        fetched(download.url, path)
    except NoRoomError as error:
        need(path.parent, error.size)
        raise _no_file(entry, RefusedError("there is not enough room on this disk")) from error
    except (RefusedError, BrokenOffError) as error:
        raise _no_file(entry, error) from error
    try:
        _inspect(entry, earlier, path)
    except SourceError:
        path.unlink()
        raise
    return fetched.remote


def unproven(entry: Published, earlier: DownloadRecord | None) -> str:
    """What a user should know of vectors whose content nobody vouches for; empty if somebody does.

    A size is no proof, and MD5 and SHA-1 are none against somebody who wants to deceive.
    """
    stated = entry.download.hash or ""
    if stated.startswith("sha256:") or (not stated and _known(entry, earlier)):
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


def _known(entry: Published, earlier: DownloadRecord | None) -> str | None:
    """The hash that the file must have."""
    if entry.download.hash:
        return entry.download.hash
    return f"sha256:{earlier.sha256}" if earlier and _same_place(earlier, entry) else None


def _same_place(earlier: DownloadRecord, entry: Published) -> bool:
    """Whether an earlier download came from the same address, over http or https."""
    return earlier.url.partition("://")[2] == entry.download.url.partition("://")[2]


def _inspect(entry: Published, earlier: DownloadRecord | None, path: Path) -> DownloadRecord:
    """Check a file that lies there: its hash where one is known, and that it is no web page."""
    at = path if path == entry.file("") else None
    if known := _known(entry, earlier):
        algorithm, _, digits = known.partition(":")
        if (got := _hash(path, algorithm)) != digits:
            raise _another(entry, earlier, got, at=at)
    elif page := web_page(path):
        raise SourceError(
            f"{at or f'{entry.name}: what {entry.download.url} serves'}: this is a web page, no "
            "file of vectors" + ("" if at else "; the download was removed"),
            got=page,
            remedy="a network that requires a login, or a host that moved the file, sends "
            f"such a page; see {entry.download.page or 'the address in a browser'}",
        )
    record = _record(entry, path, None)
    known_before = earlier and (earlier.url, earlier.sha256) == (record.url, record.sha256)
    return earlier if earlier and known_before else record


def web_page(path: Path) -> str:
    """How a web page begins; empty for anything else."""
    with path.open("rb") as file:
        start = file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()
    shown = start[:60].decode("ascii", "replace")
    return shown if _PAGE.match(start) else ""


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def _record(entry: Published, path: Path, remote: Remote | None) -> DownloadRecord:
    return DownloadRecord(
        url=entry.download.url,
        size=path.stat().st_size,
        sha256=_hash(path, "sha256"),
        etag=remote.etag if remote else None,
        modified=remote.modified if remote else None,
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _no_file(entry: Published, error: RefusedError | BrokenOffError) -> SourceError:
    url, page, again = entry.download.url, entry.download.page, f"eatlas data fetch {entry.name}"
    if isinstance(error, BrokenOffError):
        first = f"run {again} again when there is a connection; it continues where it stopped"
    else:
        first = f"see {page}" if page else "ask the publisher"
    by_hand = f"or get the file in another way, put it at {entry.file('')} and run {again}"
    what = f"{entry.name}: {url} cannot be downloaded"
    return SourceError(what, got=str(error), remedy=f"{first}; {by_hand}")


def _another(
    entry: Published, earlier: DownloadRecord | None, got: str, *, at: Path | None = None
) -> SourceError:
    """The file is not the one that was published, or not the one that was got before."""
    allowed: str | None
    if entry.download.hash:
        what, allowed = "has not the published hash", entry.download.hash.partition(":")[2]
        remedy = "get it again; if that does not help, the publisher's file is no longer the same"
    else:
        then, allowed = (earlier.fetched, earlier.sha256) if earlier else ("an earlier day", None)
        what = f"is not the file that was got on {then}"
        remedy = f"if the publisher replaced it, delete {entry.file('.json')} and fetch again"
    file = f"{at}: this" if at else f"{entry.name}: what {entry.download.url} serves"
    removed = "" if at else "; the download was removed"
    return SourceError(f"{file} {what}{removed}", got=got, allowed=allowed, remedy=remedy)


@contextmanager
def _alone(entry: Published, say: Callable[[str], None]) -> Iterator[None]:
    """Let one process at a time fetch a file."""
    from filelock import FileLock, Timeout  # noqa: PLC0415

    lock = FileLock(entry.file(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say(f"{entry.name}: another process is fetching this file; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


# --- from a download to vectors -------------------------------------------------------------------


def unpack(archive: Path, vectors: Vectors, target: Path) -> None:
    """Unpack vectors to `target`; they appear there when they are whole.

    Nothing is written but what the registry names: of an archive's own names only the last part
    is used, and what grows out of proportion is refused. One
    process at a time may unpack to a target.
    """
    clear(target)
    folder = _workplace(target)
    folder.mkdir(parents=True)
    try:
        if vectors.series:
            made = _years(archive, folder / "years")
        elif vectors.folder:
            made = _files_of(archive, vectors.folder, folder / "files")
        elif (vectors.texts or vectors.counts) and vectors.member is None:
            made = folder / "texts"
            _as_it_is(archive, made)
        else:
            made = folder / "vectors"
            _copy(archive, vectors.member, made)
        made.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear(target: Path) -> None:
    """Remove what a process that was killed has left: gigabytes."""
    shutil.rmtree(_workplace(target), ignore_errors=True)


def _workplace(target: Path) -> Path:
    return target.with_name(f".{target.name}.unpacking")


def _copy(archive: Path, member: str | None, path: Path) -> None:
    with locate(archive, member).open() as source, path.open("xb") as file:
        _pour(source, file)


def _as_it_is(archive: Path, path: Path) -> None:
    """Keep a file as it was downloaded; gigabytes are not written twice where a link will do."""
    try:
        path.hardlink_to(archive)
    except OSError:
        shutil.copyfile(archive, path)


def _pour(source: BinaryIO, file: BinaryIO) -> None:
    while part := source.read(_COPIED):
        file.write(part)


def _years(archive: Path, folder: Path) -> Path:
    """Unpack the vectors of each year into a folder."""
    folder.mkdir()
    if not zipfile.is_zipfile(archive):
        raise SourceError(
            f"{archive}: this is not a zip archive", allowed="a zip of vectors by year"
        )
    with archive_errors(str(archive)), zipfile.ZipFile(archive) as opened:
        members = [info for info in opened.infolist() if not info.is_dir()]
    chosen = [m for m in members if _OF_A_YEAR.fullmatch(PurePosixPath(m.filename).name)]
    if not chosen:
        raise SourceError(
            f"{archive}: the archive holds no vectors by year",
            got=", ".join(member.filename for member in members[:5]) or "nothing",
            allowed="1990-w.npy beside 1990-vocab.pkl, or files such as 1990.txt",
        )
    need(folder, sum(member.file_size for member in chosen))
    for member in chosen:
        path = folder / PurePosixPath(member.filename).name
        if path.exists():
            raise SourceError(f"{archive}: two files would have one name", got=member.filename)
        _copy(archive, member.filename, path)
    return folder


def _files_of(archive: Path, within: str, folder: Path) -> Path:
    """Unpack the images and tables below a folder of a repository's archive.

    Names are those below that folder. A link, and a name that leads elsewhere, is refused.
    """
    folder.mkdir()
    if not zipfile.is_zipfile(archive):
        raise SourceError(f"{archive}: this is not a zip archive", allowed="a zip of a repository")
    start = PurePosixPath(within).parts
    with archive_errors(str(archive)), zipfile.ZipFile(archive) as opened:
        chosen: dict[str, zipfile.ZipInfo] = {}
        for info in opened.infolist():
            place = PurePosixPath(info.filename)
            below = place.parts[1 + len(start) :]  # behind the folder of the repository
            if info.is_dir() or place.parts[1 : 1 + len(start)] != start or not below:
                continue
            if place.suffix.lower() not in _KEPT:
                continue
            _require_safe(archive, info, below)
            name = "/".join(below)
            if chosen.setdefault(name.casefold(), info) is not info:
                raise SourceError(f"{archive}: two files would have one name", got=info.filename)
        if not chosen:
            raise SourceError(
                f"{archive}: the archive has no files in {within}",
                allowed="the archive of the repository, as its publisher serves it",
            )
        size = sum(info.file_size for info in chosen.values())
        check_growth(str(archive), size, archive.stat().st_size)
        need(folder, size)
        for info in chosen.values():
            path = folder.joinpath(*PurePosixPath(info.filename).parts[1 + len(start) :])
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(info) as source, path.open("xb") as file:
                shutil.copyfileobj(source, file, _COPIED)
    return folder


def _require_safe(archive: Path, info: zipfile.ZipInfo, below: tuple[str, ...]) -> None:
    """Refuse a member that is not a plain file, or whose name leads out of the folder."""
    mode = info.external_attr >> 16
    odd = any(part in {".", ".."} or "\\" in part or ":" in part for part in below)
    if odd or info.filename.startswith("/") or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
        raise SourceError(
            f"{archive}: a member that is not a plain file of its folder",
            got=info.filename,
            allowed="files below the archive's own root",
            remedy="do not trust this archive",
        )


def need(folder: Path, size: int) -> None:
    """Refuse to begin what cannot end."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise SourceError(
            f"{folder}: there is not enough room on this disk",
            got=f"{free:,} bytes free",
            allowed=f"{size:,} bytes at least",
            remedy="make room, or set EATLAS_DATA to a folder on another disk",
        )
