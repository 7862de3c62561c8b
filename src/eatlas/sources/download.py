"""Published vectors, images, corpora and tables: the registry, and where files are stored.

Known are eatlas' own and the user's. They are in platformdirs' cache folder, or in the one that the
environment variable EATLAS_DATA names.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, Field, StringConstraints

from eatlas.decoding import toml_bytes
from eatlas.errors import SourceError, nearest
from eatlas.paths import data_folder
from eatlas.sources.spec import parse_toml

OWN_FILE = "vectors.toml"
"""The user's entries, in the folder of data."""
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


# --- the registry ---------------------------------------------------------------------------------

# a name becomes a folder's name, so it may lead nowhere else
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Url = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]
Hash = Annotated[
    str,
    StringConstraints(
        pattern=r"^(sha256:[0-9a-f]{64}|sha1:[0-9a-f]{40}|md5:[0-9a-f]{32})$", to_lower=True
    ),
]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Vectors(BaseModel, frozen=True, extra="forbid"):
    """One set of vectors in a download."""

    name: Name
    """What ``--vectors`` takes."""
    title: Text
    """Method, corpus, size of the vocabulary, letter case."""
    dim: int | None = Field(None, gt=0)
    """Number of components."""
    member: Text | None = None
    """The file in the archive; none where the download is one (compressed) file."""
    kind: Literal["vectors", "series", "images", "tables", "texts", "counts"] = "vectors"
    """One set of vectors, or an archive of vectors by year; of images, or tables of features of
    them; texts, which stay as their publisher compressed them; numbers by term and group."""
    folder: Text | None = None
    """The folder of the archive that holds images or tables."""
    part_of: Name | None = None
    """A name by which several small sets are fetched together."""

    @property
    def what(self) -> str:
        """What it holds, as messages call it."""
        return "vectors" if self.kind in {"series", "tables"} else self.kind

    @property
    def in_folder(self) -> bool:
        """Whether it is several files."""
        return self.kind in {"series", "images", "tables"}


class Download(BaseModel, frozen=True, extra="forbid"):
    """One file as its publisher serves it."""

    url: Url
    file: Name
    """Its name here."""
    size: int | None = Field(None, gt=0)
    """In bytes; none where it is not known for sure."""
    hash: Hash | None = None
    """Algorithm and hexadecimal digits; none if none was published."""
    evidence: Text | None = None
    """Who published the hash."""
    page: Text | None = None
    """Where the publisher describes it."""
    licence: Text | None = None
    """Identifier of the licence; none where it was not found."""
    citation: Text | None = None
    """What to cite."""
    notes: tuple[Text, ...] = ()
    vectors: tuple[Vectors, ...] = Field(min_length=1)


class Published(NamedTuple):
    """Published vectors: one set, and the download that holds it."""

    vectors: Vectors
    download: Download

    @property
    def name(self) -> str:
        """What ``--vectors`` takes."""
        return self.vectors.name

    def file(self, kind: Literal["", ".part", ".part.state", ".hash", ".lock"]) -> Path:
        """Where a file of the download lies.

        Without a kind, where somebody without a connection may put it as the publisher serves it;
        an unfinished download, and which state of the file it is of; its hash; the lock.
        """
        return data_folder() / f"{self.download.file}{kind}"

    @property
    def target(self) -> Path:
        """Where the vectors lie once they are here: a file, or a folder of several.

        They are unpacked beside their place and moved there when whole, so what is there is whole.
        """
        folder, file = data_folder() / self.name, self.download.file
        if self.vectors.in_folder:
            return folder
        if self.vectors.member:
            return folder / self.vectors.member.rpartition("/")[2]
        packed = self.vectors.kind != "texts" and file.endswith(_COMPRESSED)
        return folder / (file.removesuffix(Path(file).suffix) if packed else file)


class _File(BaseModel, frozen=True, extra="forbid"):
    schema_: Literal[1] = Field(alias="schema")
    download: tuple[Download, ...] = Field(min_length=1)


def parse_registry(data: bytes, label: str) -> tuple[Published, ...]:
    """Read a TOML file of published vectors."""
    file = parse_toml(data, label, _File)
    downloads = [(vectors, download) for download in file.download for vectors in download.vectors]
    return tuple(Published(*pair) for pair in downloads)


@cache
def _builtin_entries() -> tuple[Published, ...]:
    folder = resources.files("eatlas.sources") / "data"
    files = [(name, folder / name) for name in ("published.toml", "corpora.toml", "tables.toml")]
    return tuple(entry for name, path in files for entry in parse_registry(path.read_bytes(), name))


def published_vectors() -> tuple[Published, ...]:
    """List the published vectors that can be fetched by name.

    Returns
    -------
    tuple of Published
        Those that come with eatlas first, then the user's.

    Raises
    ------
    SourceError
        If a file of entries is not well formed, or two entries share a name.

    Examples
    --------
    >>> published_vectors()[0].name
    'glove.840B.300d'
    """
    entries: dict[str, Published] = {}
    files: dict[str, Published] = {}
    user = data_folder() / OWN_FILE
    own = parse_registry(toml_bytes(user, SourceError), str(user)) if user.is_file() else ()
    for entry in (*_builtin_entries(), *own):
        same_file = files.setdefault(entry.download.file.casefold(), entry)
        if entry.name in entries or same_file.download != entry.download:
            raise SourceError(
                f"{user}: two entries of published vectors have the same name or file",
                got=f"{entry.name}, {entry.download.file}",
                remedy="choose another name, or another file = ... for one of them",
            )
        entries[entry.name] = entry
    return tuple(entries.values())


def find(name: str) -> Published:
    """Return published vectors by name."""
    entries = {entry.name: entry for entry in published_vectors()}
    if name in entries:
        return entries[name]
    near = nearest(name, entries, 3)
    raise SourceError(
        f"there are no published vectors called {name!r}",
        remedy=(f"did you mean {', '.join(near)}? " if near else "")
        + "eatlas vectors list shows them all",
    )


def find_all(name: str) -> tuple[Published, ...]:
    """Return the published sets that a name stands for: one, or those that are parts of it."""
    parts = tuple(entry for entry in published_vectors() if entry.vectors.part_of == name)
    return parts or (find(name),)


def on_this_machine(name: str, what: str = "vectors") -> Path | None:
    """Return where published vectors, or texts or counts, lie; None if the name is of none."""
    entry = next((entry for entry in published_vectors() if entry.name == name), None)
    holds = entry.vectors.what if entry else ""
    if entry is None or what not in {holds, "vectors"}:
        return None
    size = entry.download.size
    if holds != what:
        raise SourceError(
            f"{name}: these are {holds}, not {what}",
            allowed=f"published {what}; eatlas vectors list shows them",
        )
    if not entry.target.exists():
        raise SourceError(
            f"{name}: these published {what} are not downloaded yet",
            got=f"nothing at {entry.target}",
            remedy=f"eatlas vectors fetch {name}" + (f" ({size_text(size)})" if size else ""),
        )
    return entry.target


def size_text(size: int) -> str:
    """Bytes as a person reads them."""
    if size >= 10**9:
        return f"{size / 10**9:.1f} GB"
    if size >= 10**6:
        return f"{size / 10**6:.0f} MB"
    return f"{size / 10**3:.0f} kB" if size >= 10**3 else f"{size} bytes"


# --- a download -----------------------------------------------------------------------------------


def unproven(entry: Published) -> str:
    """A warning about vectors whose content has no trusted hash; empty if it has one.

    A size is no proof, and MD5 and SHA-1 are none against somebody who wants to deceive.
    """
    kind = (entry.download.hash or "").partition(":")[0]
    if kind == "sha256":
        return ""
    http = "; http can be changed on the way" if entry.download.url.startswith("http:") else ""
    if kind:
        return f"only an {kind.upper()} of this file is published, which can be forged{http}"
    return f"no hash of this file was published; later downloads are compared with the first{http}"
