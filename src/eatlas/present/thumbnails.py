"""Thumbnails of the images of tests: found by their bytes, made small, each once in a page.

Results hold no images, but the hash and the name of each. A page shows those whose files are at
hand: in folders that are named, or where the tests of a run found them.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from eatlas.errors import ResultsError, described
from eatlas.present.drawings.svg import tag, words
from eatlas.present.text import isolated

if TYPE_CHECKING:
    from eatlas.results import AssociationResult
    from eatlas.stimuli import Test

SIDE = 48
"""Pixels of the longer side of a thumbnail: 1.0 to 1.6 kB as JPEG."""
QUALITY = 78
MOST_BYTES = 2_000_000
"""Of all thumbnails of a page, as Base64: some 1,200. Others are left out, and the page says so."""
LARGEST_FILE = 200_000_000
"""Bytes of an image file; a larger one has no thumbnail."""
SYMBOL = "image-"
"""How the ids of thumbnails begin."""
REMEDY = "pip install 'eatlas[clip]', or leave the folder of images out"

Named = str | Path | Mapping[str, Any] | Iterable[str | Path]
"""Folders or files; or paths by the SHA-256 of their bytes."""


class Thumbnail(NamedTuple):
    """A thumbnail in a page."""

    symbol: str
    """The id that a drawing uses."""
    alt: str
    """The image in words: its name, and the concept that it stands for."""

    def drawn(self, x: float, y: float, side: float) -> str:
        """Draw it within a drawing."""
        place = {"x": x, "y": y, "width": side, "height": side}
        return tag("use", tag("title", words(self.alt)), href=f"#{self.symbol}", **place)

    @property
    def html(self) -> Markup:
        """Draw it within a line of text."""
        inside = tag("use", href=f"#{self.symbol}")
        size = {"width": 32, "height": 32, "viewBox": f"0 0 {SIDE} {SIDE}"}
        return Markup(  # noqa: S704  (escaped there)
            tag("svg", inside, class_="thumbnail", role="img", aria_label=self.alt, **size)
        )


Finder = Callable[[str, str], Thumbnail | None]
"""From a group and a term to its thumbnail."""


class Thumbnails:
    """Thumbnails that a page uses, made when a drawing asks for them."""

    def __init__(self, paths: Mapping[str, Any] | None = None, most: int = MOST_BYTES) -> None:
        self.paths, self.most = dict(paths or {}), most
        self._symbols: dict[str, str] = {}
        self._uris: list[str] = []
        self.left_out = 0
        """Images that had no room."""

    def of(self, result: AssociationResult) -> Finder:
        """Return what finds the thumbnail of a term of a result."""

        def find(role: str, term: str) -> Thumbnail | None:
            sha256 = result.coverage.group(role).image.get(term, "")
            symbol = self._symbol(sha256) if sha256 in self.paths else ""
            if not symbol:
                return None
            alt = f"{isolated(term)}, image of {isolated(result.concepts.name(role))}"
            return Thumbnail(symbol, alt)

        return find

    def symbols(self) -> Markup:
        """Define every thumbnail that was used, once for the page; empty where none was."""
        drawn = [
            tag(
                "symbol",
                tag("image", href=uri, width=SIDE, height=SIDE),
                id=f"{SYMBOL}{number}",
                viewBox=f"0 0 {SIDE} {SIDE}",
            )
            for number, uri in enumerate(self._uris)
        ]
        if not drawn:
            return Markup()
        return Markup(tag("svg", *drawn, class_="symbols", aria_hidden="true"))  # noqa: S704

    def _symbol(self, sha256: str) -> str:
        """The id of the thumbnail of an image; empty where there is none."""
        if sha256 not in self._symbols:
            uri, symbol = data_uri(Path(self.paths[sha256]), sha256), ""
            if uri and sum(map(len, self._uris)) + len(uri) > self.most:
                self.left_out += 1
            elif uri:
                symbol = f"{SYMBOL}{len(self._uris)}"
                self._uris.append(uri)
            self._symbols[sha256] = symbol
        return self._symbols[sha256]


def data_uri(path: Path, sha256: str) -> str:
    """A small JPEG of an image file; empty where the file is not that image, or is none."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return ""
        content = path.read_bytes()
    except OSError:
        return ""
    if hashlib.sha256(content).hexdigest() != sha256:
        return ""
    small = _small(content)
    return f"data:image/jpeg;base64,{b64encode(small).decode()}" if small else ""


def _small(content: bytes) -> bytes:
    """An image as a small JPEG, upright, on white where it is transparent; empty for none."""
    from PIL import Image, ImageOps  # noqa: PLC0415  (of pages with images alone)

    kept = BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # decompression bombs, and what is damaged
            with Image.open(BytesIO(content)) as opened:
                opened.draft("RGB", (4 * SIDE, 4 * SIDE))
                image = ImageOps.exif_transpose(opened).convert("RGBA")
            image.thumbnail((SIDE, SIDE))
            flat = Image.new("RGB", image.size, "white")
            flat.paste(image, mask=image.getchannel("A"))
            flat.save(kept, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return b""
    return kept.getvalue()


def paths_of_tests(tests: Iterable[Test]) -> dict[str, Path]:
    """Files of the images of tests, by their hashes."""
    return {
        image.sha256: Path(image.path)
        for test in tests
        for concept in test.concepts.values()
        for image in concept.images
        if image.sha256 and image.path
    }


def located(given: Named | None, results: Iterable[AssociationResult]) -> dict[str, Path]:
    """Find the image files of results."""
    if given is None:
        return {}
    wanted = _wanted(results)
    if isinstance(given, Mapping):
        paths = {str(sha256): Path(path) for sha256, path in given.items()}
        return paths if wanted and _has_pillow() else {}
    places = _places(given)
    if wanted and not _has_pillow():
        raise ResultsError("thumbnails of images need Pillow", remedy=REMEDY)
    found: dict[str, Path] = {}
    for path in _files(places) if wanted else ():
        if hashes := wanted.get(path.name, set()) - found.keys():
            sha256 = _sha256(path)
            if sha256 in hashes:
                found[sha256] = path
    return found


def _wanted(results: Iterable[AssociationResult]) -> dict[str, set[str]]:
    """Hashes of the images of results by the names of their files."""
    wanted: dict[str, set[str]] = {}
    for result in results:
        for group in result.coverage.values():
            for name, sha256 in group.image.items():
                wanted.setdefault(_last(name), set()).add(sha256)
    return wanted


def _places(given: str | Path | Iterable[str | Path]) -> list[Path]:
    """Folders and files that were named."""
    places = [given] if isinstance(given, str | Path) else list(given)
    if wrong := [one for one in places if not isinstance(one, str | Path)]:
        raise ResultsError(
            "this is not a folder of images", got=described(wrong[0]), allowed="paths of folders"
        )
    missing = [str(one) for one in places if not Path(one).exists()]
    if missing:
        raise ResultsError(
            f"{missing[0]}: there is no such folder of images",
            allowed="a folder with the images of the tests, or their files",
        )
    return [Path(one) for one in places]


@cache
def _has_pillow() -> bool:
    try:
        import PIL  # noqa: F401, PLC0415
    except ImportError:
        return False
    return True


def _last(name: str) -> str:
    """The name of the file, of a term that may begin with folders, or end with a hash."""
    base, bracket, digits = name.rpartition(" (")
    plain = base if bracket and digits.endswith(")") and len(digits) == len("01234567)") else name
    return PurePath(plain).name


def _files(places: Iterable[Path]) -> Iterator[Path]:
    """Files that were named, and all files below folders, in the order of their names."""
    for place in places:
        if place.is_file():
            yield place
            continue
        for folder, inside, names in os.walk(place):
            inside.sort()
            yield from (Path(folder, name) for name in sorted(names))


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
