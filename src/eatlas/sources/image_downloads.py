"""Images that tests name by their addresses: downloaded once, and checked against their hashes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eatlas.errors import SourceError
from eatlas.sources.downloading import (
    PAUSE,
    BrokenOffError,
    NoRoomError,
    RefusedError,
    Resuming,
)
from eatlas.stimuli import Image
from eatlas.stimuli.image_files import LARGEST_IMAGE, image_of


def bring_images(images: Iterable[Image], *, pause: float = PAUSE) -> None:
    """Download those images that have an address and are not on this machine yet.

    Each is kept in the folder of the cache under its hash, so it comes once, whatever tests name
    it. Processes that need the same image wait for each other.
    """
    for one in images:
        if one.url and not Path(one.path).is_file():
            _bring(one, pause)


def _bring(image: Image, pause: float) -> None:
    """Download one image beside its place, check it, and move it there."""
    from filelock import FileLock  # noqa: PLC0415  (few tests name addresses)

    path = Path(image.path)
    come = path.with_name(f"{path.name}.download")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock")):
            if path.is_file():
                return
            Resuming(come.with_suffix(".part"), _within_limits, pause=pause)(image.url, come)
            try:
                got = image_of(come, image.name).sha256
                if got != image.sha256:
                    raise SourceError(
                        f"{image.url}: this is another image than the test names",
                        got=f"SHA-256 {got}",
                        allowed=image.sha256,
                        remedy="see whether the test, or what is served, has changed",
                    )
                come.replace(path)
            except ValueError as fault:
                raise SourceError(f"{image.url}: the answer is not an image: {fault}") from fault
            finally:
                come.unlink(missing_ok=True)
    except (RefusedError, BrokenOffError, NoRoomError) as error:
        what = "there is not enough room" if isinstance(error, NoRoomError) else str(error)
        raise SourceError(
            f"{image.url}: the image cannot be downloaded",
            got=what,
            remedy=f"run again when there is a connection, or save the image as {path}",
        ) from error
    except OSError as error:
        raise SourceError(
            f"{image.url}: the image cannot be saved in {path.parent}",
            got=error.strerror or str(error),
            remedy="make room, or set EATLAS_CACHE to a folder that you may write to",
        ) from error


def _within_limits(done: int, total: int | None) -> None:
    if max(done, total or 0) > LARGEST_IMAGE:
        raise RefusedError(f"more than {LARGEST_IMAGE:,} bytes")
