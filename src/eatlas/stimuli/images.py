"""Images as stimuli: files that are what they are by their bytes, and are called by short names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Annotated

from pydantic import Field, StringConstraints

from eatlas.stimuli.records import Frozen, Term

SHA256 = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
FOLDERS = 8
"""Folders of a path that keys of precomputed vectors may begin with."""


class Image(Frozen):
    """An image: what it is called, what its bytes are, and where it is.

    Two images are equal if their names and bytes are. Where a file lies decides nothing, so that a
    folder can be moved: it belongs to no hash and to no result.
    """

    name: Term
    """The term: the name of the file, with as much of its folders as distinguishes it."""
    sha256: SHA256 = ""
    """Hash of the bytes of the file, in hexadecimal; empty where the file is not at hand, as of a
    published set that was not fetched. A test with such an image can be shown and not be run."""
    path: str = Field(default="", repr=False, exclude=True)
    """Where the file lies; empty where that is not known, as in a test rebuilt from a result."""

    def __eq__(self, other: object) -> bool:
        """Whether name and bytes are the same."""
        if not isinstance(other, Image):
            return NotImplemented
        return (self.name, self.sha256) == (other.name, other.sha256)

    def __hash__(self) -> int:
        """Hash of name and bytes."""
        return hash((self.name, self.sha256))

    @property
    def lookup_keys(self) -> tuple[str, ...]:
        """Keys under which precomputed vectors of the image are looked up, first hit wins.

        A name that is no end of the path; then the ends of the path, the longest first, down to the
        name of the file.

        >>> Image(name="1.jpg", path="/set/young/1.jpg", sha256="0" * 64).lookup_keys
        ('set/young/1.jpg', 'young/1.jpg', '1.jpg')
        """
        ends = _ends(self.path)[: FOLDERS + 1][::-1]
        return tuple(ends if self.name in ends else dict.fromkeys([self.name, *ends]))

    @property
    def stems(self) -> tuple[str, ...]:
        """The same without the extension of the file's name.

        >>> Image(name="1.jpg", path="/set/young/1.jpg", sha256="0" * 64).stems
        ('set/young/1', 'young/1', '1')
        """
        keys = self.lookup_keys
        return tuple(dict.fromkeys(key.removesuffix(PurePath(key).suffix) for key in keys))


def named(paths: Iterable[Path], taken: Iterable[str] = ()) -> dict[Path, str]:
    """Name files by the shortest ends of their paths that tell them apart."""
    ends = {path: _ends(path) for path in dict.fromkeys(paths)}
    length = dict.fromkeys(ends, 1)
    while True:
        names = {path: ends[path][length[path] - 1] for path in ends}
        counts = Counter(names.values()) + Counter(set(taken))
        longer = [p for p in ends if counts[names[p]] > 1 and length[p] < len(ends[p])]
        if not longer:
            return names
        for path in longer:
            length[path] += 1


def same_bytes(images: Iterable[Image]) -> Iterator[tuple[Image, Image]]:
    """Pair each image whose bytes another one before it has with that one."""
    first: dict[str, Image] = {}
    for image in images:
        if image.sha256 and first.setdefault(image.sha256, image) is not image:
            yield image, first[image.sha256]


def _ends(path: str | PurePath) -> list[str]:
    """Ends of a path, the name of the file first, then with ever more of its folders."""
    parts = [part for part in PurePath(path).parts if part.strip("/\\")]
    return ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)]
