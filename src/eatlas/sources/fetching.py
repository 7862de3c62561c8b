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

from eatlas.errors import SourceError
from eatlas.folders import DATA, data_folder
from eatlas.sources.archives import archive_errors, check_growth, locate
from eatlas.sources.downloading import (
    PAUSE,
    BrokenOffError,
    RefusedError,
    Remote,
    Watch,
    download,
    need,
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
        remote = _download(entry, earlier, watch, say, pause)
    try:
        record = _inspect(entry, earlier, file, remote)
        for each in sets:
            if place_of(each) is None:
                say(f"{each.name}: unpacking")
                unpack(file, each.vectors, target_of(each))
    except SourceError:
        ours.unlink(missing_ok=True)  # it is not what it should be, so it is no use later either
        raise
    text = json.dumps(asdict(record), indent=2)
    entry.file(".json").write_text(text, encoding="utf-8")
    ours.unlink(missing_ok=True)


def _download(
    entry: Published,
    earlier: DownloadRecord | None,
    watch: Watch | None,
    say: Callable[[str], None],
    pause: float,
) -> Remote:
    """Download a file."""
    part, url, size = entry.file(".part"), entry.download.url, entry.download.size
    if size is not None:
        need(part.parent, size - (part.stat().st_size if part.exists() else 0))
    if caution := unproven(entry, earlier):
        say(f"{entry.name}: {caution}")
    say(f"{entry.name}: downloading {url}")
    try:
        remote = download(url, part, watch, size=size, pause=pause)
    except (RefusedError, BrokenOffError) as error:
        page, again = entry.download.page, f"eatlas vectors fetch {entry.name}"
        first = f"see {page}" if page else "ask the publisher"
        if isinstance(error, BrokenOffError):
            first = f"run {again} again when there is a connection; it continues where it stopped"
        raise SourceError(
            f"{entry.name}: {url} cannot be downloaded",
            got=str(error),
            remedy=f"{first}; or get the file in another way, put it at {entry.file('')} and run "
            f"{again}",
        ) from error
    part.replace(entry.file(".download"))
    return remote


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
    expected = _hash_of(entry, earlier)
    if expected is not None:
        algorithm, _, digits = expected.partition(":")
        if (got := _hash(path, algorithm)) != digits:
            why = "has not the published hash"
            remedy = (
                "get it again; if that does not help, the publisher's file is no longer the same"
            )
            if not entry.download.hash and earlier:
                why = f"is not the file that was got on {earlier.fetched}"
                remedy = (
                    f"if the publisher replaced it, delete {entry.file('.json')} and fetch again"
                )
            raise SourceError(
                f"{what}{': this' * by_hand} {why}{removed}", got=got, allowed=digits, remedy=remedy
            )
    elif page := web_page(path):
        raise SourceError(
            f"{what}: this is a web page, no file of vectors{removed}",
            got=page,
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


def web_page(path: Path) -> str:
    """How a web page begins; empty for anything else."""
    with path.open("rb") as file:
        start = file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:60].decode("ascii", "replace") if _PAGE.match(start) else ""


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


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

    Nothing is written but what the registry names, and what grows out of proportion is refused. One
    process at a time may unpack to a target.
    """
    folder = _workplace(target)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = folder / "made"
    try:
        if vectors.series:
            years = "1990-w.npy beside 1990-vocab.pkl, or files such as 1990.txt"
            _extract(archive, made, _of_a_year, "vectors by year", years)
        elif inside := vectors.folder:
            start = PurePosixPath(inside).parts
            allowed = "the archive of the repository, as its publisher serves it"
            _extract(archive, made, lambda path: _below(path, start), f"files in {inside}", allowed)
        elif (vectors.texts or vectors.counts) and vectors.member is None:
            try:  # kept as it is; gigabytes are not written twice where a link will do
                made.hardlink_to(archive)
            except OSError:
                shutil.copyfile(archive, made)
        else:
            with locate(archive, vectors.member).open() as source, made.open("xb") as file:
                shutil.copyfileobj(source, file, _COPIED)
        made.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _workplace(target: Path) -> Path:
    return target.with_name(f".{target.name}.unpacking")


def _of_a_year(path: PurePosixPath) -> tuple[str, ...]:
    """The name of a file of vectors of a year."""
    return (path.name,) if _OF_A_YEAR.fullmatch(path.name) else ()


def _below(path: PurePosixPath, start: tuple[str, ...]) -> tuple[str, ...]:
    """The place of an image or a table below a folder of a repository's archive."""
    kept = path.parts[1 : 1 + len(start)] == start and path.suffix.lower() in _KEPT
    return path.parts[1 + len(start) :] if kept else ()


def _extract(
    archive: Path,
    folder: Path,
    place: Callable[[PurePosixPath], tuple[str, ...]],
    what: str,
    allowed: str,
) -> None:
    """Unpack members of a zip archive; links and names that lead out are refused."""
    folder.mkdir()
    with archive_errors(str(archive)), zipfile.ZipFile(archive) as opened:
        members: dict[str, tuple[Path, zipfile.ZipInfo]] = {}
        for info in opened.infolist():
            parts = () if info.is_dir() else place(PurePosixPath(info.filename))
            if not parts:
                continue
            mode = info.external_attr >> 16
            odd = any(part in {".", ".."} or "\\" in part or ":" in part for part in parts)
            if (
                odd
                or info.filename.startswith("/")
                or (stat.S_IFMT(mode) and not stat.S_ISREG(mode))
            ):
                raise SourceError(
                    f"{archive}: a member that is not a plain file of its folder",
                    got=info.filename,
                    allowed="files below the archive's own root",
                    remedy="do not trust this archive",
                )
            name = "/".join(parts).casefold()
            if members.setdefault(name, (folder.joinpath(*parts), info))[1] is not info:
                raise SourceError(f"{archive}: two files would have one name", got=info.filename)
        if not members:
            raise SourceError(
                f"{archive}: the archive holds no {what}",
                got=", ".join(opened.namelist()[:5]) or "nothing",
                allowed=allowed,
            )
        size = sum(info.file_size for _, info in members.values())
        check_growth(str(archive), size, archive.stat().st_size)
        need(folder, size)
        for path, info in members.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(info) as source, path.open("xb") as file:
                shutil.copyfileobj(source, file, _COPIED)
