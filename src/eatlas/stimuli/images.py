"""Images as stimuli: files that are what they are by their bytes, and are called by short names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any

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
        ends = list(_ends(self.path))[: FOLDERS + 1][::-1]
        return tuple(ends if self.name in ends else dict.fromkeys([self.name, *ends]))

    @property
    def stems(self) -> tuple[str, ...]:
        """The same without the extension of the file's name.

        >>> Image(name="1.jpg", path="/set/young/1.jpg", sha256="0" * 64).stems
        ('set/young/1', 'young/1', '1')
        """
        return tuple(dict.fromkeys(map(_without_suffix, self.lookup_keys)))


def named(paths: Iterable[Path], taken: Iterable[str] = ()) -> dict[Path, str]:
    """Name files by the shortest ends of their paths that tell them apart."""
    ends = {path: list(_ends(path)) for path in dict.fromkeys(paths)}
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
    for one in images:
        if one.sha256 and first.setdefault(one.sha256, one) is not one:
            yield one, first[one.sha256]


def told_apart(concepts: Mapping[str, Any]) -> dict[str, Any]:
    """Return those concepts of a test whose images need longer names, with these.

    An image is called by a longer end of its path where another image of the test, or a text, has
    its name. Hashes do not depend on names.
    """
    images = {group: found for group, one in concepts.items() if (found := _images_in(one))}
    if not images:
        return {}
    texts = {term for group, one in concepts.items() if group not in images for term in _terms(one)}
    known: dict[str, set[str]] = {}
    for one in (one for some in images.values() for one in some):
        known.setdefault(one.name, set()).add(one.sha256 or one.path)
    clashing = {name for name, which in known.items() if len(which) > 1 or name in texts}
    if not clashing:
        return {}
    those = [one for some in images.values() for one in some if one.name in clashing]
    longer = named((Path(one.path) for one in those if one.path), texts | (known.keys() - clashing))
    names = {one: _longer(one, longer, texts | clashing) for one in those}
    return {
        group: _with_images(concepts[group], [_called(one, names.get(one)) for one in some])
        for group, some in images.items()
        if any(one in names for one in some)
    }


def _longer(image: Image, ends: Mapping[Path, str], taken: Collection[str]) -> str:
    """The end of the path, or else the name with the first digits of the hash."""
    name = ends.get(Path(image.path), image.name) if image.path else image.name
    return f"{name} ({image.sha256[:8]})" if name in taken else name


def _called(image: Image, name: str | None) -> Image:
    return image if name is None else image.model_copy(update={"name": name})


def _with_images(concept: Any, images: Sequence[Image]) -> Any:
    """Return a concept, or what is to become one, with images under other names."""
    given = concept if isinstance(concept, Mapping) else dict(concept)
    terms = tuple(one.name for one in images)
    names = dict(zip((one.name for one in _images_in(concept)), terms, strict=True))
    update = {**given, "images": tuple(images), "terms": terms}
    if given.get("clusters"):
        update["clusters"] = tuple(
            tuple(names.get(one, one) for one in cluster) for cluster in given["clusters"]
        )
    return update if isinstance(concept, Mapping) else type(concept)(**update)


def _images_in(concept: object) -> list[Image]:
    some = concept.get("images") if isinstance(concept, Mapping) else getattr(concept, "images", ())
    some = some if isinstance(some, list | tuple) else ()
    return [one for one in some if isinstance(one, Image)]


def _terms(concept: object) -> list[str]:
    some = concept.get("terms") if isinstance(concept, Mapping) else getattr(concept, "terms", ())
    return [one for one in some if isinstance(one, str)] if isinstance(some, list | tuple) else []


def _ends(path: str | PurePath) -> Iterator[str]:
    """Ends of a path, the name of the file first, then with ever more of its folders."""
    parts = [part for part in PurePath(path).parts if part.strip("/\\")]
    for start in range(len(parts) - 1, -1, -1):
        yield "/".join(parts[start:])


def _without_suffix(key: str) -> str:
    return key.removesuffix(PurePath(key).suffix)
