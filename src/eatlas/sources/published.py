"""Published vectors, images and corpora: entries of the registry, and where the files are kept.

Known are eatlas' own and the user's. They are in platformdirs' cache
folder, or in the one that the environment variable EATLAS_DATA names.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import SourceError, nearest
from eatlas.folders import data_folder
from eatlas.sources.spec import FileSpec

OWN_FILE = "vectors.toml"
"""The user's entries, in the folder of data."""
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
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


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class Vectors(_Entry):
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


class Download(_Entry):
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


class Published(_Entry):
    """Published vectors: one set, and the download that holds it."""

    vectors: Vectors
    download: Download

    @property
    def name(self) -> str:
        """What ``--vectors`` takes."""
        return self.vectors.name

    def file(self, kind: Literal["", ".part", ".part.state", ".json", ".lock"]) -> Path:
        """Where a file of the download lies.

        Without a kind, where somebody without a connection may put it as the publisher serves it;
        an unfinished download and which state of the file it is of; what was got, and when; the
        lock.
        """
        return data_folder() / f"{self.download.file}{kind}"


class _File(_Entry):
    schema_: Literal[1] = Field(alias="schema")
    download: tuple[Download, ...] = Field(min_length=1)


def parse_registry(data: bytes, where: str) -> tuple[Published, ...]:
    """Read a TOML file of published vectors."""
    try:
        file = _File.model_validate(read_toml(data, where, SourceError))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        keys = [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults]
        raise SourceError(
            "\n".join(f"{where}: key {k}: {message}" for k, message in keys)
        ) from error
    downloads = [(download, vectors) for download in file.download for vectors in download.vectors]
    return tuple(Published(vectors=vectors, download=download) for download, vectors in downloads)


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
    for entry in (*_bundled(), *own):
        same_file = files.setdefault(entry.download.file.casefold(), entry)
        if entry.name in entries or same_file.download != entry.download:
            raise SourceError(
                f"{user}: two entries of published vectors share a name, or two downloads a file",
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


@cache
def _bundled() -> tuple[Published, ...]:
    folder = resources.files("eatlas.sources") / "data"
    files = [(name, folder / name) for name in ("published.toml", "corpora.toml", "tables.toml")]
    return tuple(entry for name, path in files for entry in parse_registry(path.read_bytes(), name))


# --- where they are kept --------------------------------------------------------------------------


def target_of(entry: Published) -> Path:
    """Where the vectors lie once they are here: a file, or a folder of vectors by year."""
    folder, file = data_folder() / entry.name, entry.download.file
    if entry.vectors.kind in {"series", "images", "tables"}:
        return folder
    if entry.vectors.member:
        return folder / entry.vectors.member.rpartition("/")[2]
    if entry.vectors.kind == "texts":
        return folder / file
    compressed = Path(file).suffix if file.endswith(_COMPRESSED) else ""  # NAME.gz becomes NAME
    return folder / file.removesuffix(compressed)


def place_of(entry: Published) -> Path | None:
    """Where published vectors are on this machine; None if they are not here.

    They are unpacked beside their place and moved there when whole, so what is there is whole.
    """
    target = target_of(entry)
    return target if target.exists() else None


_USES = {
    "images": "eatlas run --tests TEST names its images",
    "texts": "eatlas text {name} --tests TEST counts associations in it",
    "counts": '--measure "divdist(soa=counts)" takes it, and --reference {name}?year=YEAR',
}


def on_this_machine(spec: FileSpec) -> FileSpec:
    """Replace the name of published vectors by their path; leave anything else as it is."""
    for entry in published_vectors():
        if entry.name != str(spec.path):
            continue
        if (what := entry.vectors.what) != "vectors":
            raise SourceError(
                f"{entry.name}: these are {what}, and no vectors",
                allowed="published vectors; eatlas vectors list shows them",
                remedy=_USES[what].format(name=entry.name),
            )
        return replace(spec, path=require_here(entry))
    return spec


def corpus_on_this_machine(name: str) -> Path | None:
    """Return where a published corpus lies; None if no corpus has that name."""
    return _here("texts", name)


def table_on_this_machine(name: str) -> Path | None:
    """Return where a published table of counts lies; None if no table has that name."""
    return _here("counts", name)


def _here(what: str, name: str) -> Path | None:
    for entry in published_vectors():
        if entry.name == name and entry.vectors.what == what:
            return require_here(entry)
    return None


def require_here(entry: Published) -> Path:
    """Return where published vectors, or images, are on this machine."""
    path = place_of(entry)
    if path is None:
        size, what = entry.download.size, entry.vectors.what
        raise SourceError(
            f"{entry.name}: these published {what} are not on this machine yet",
            got=f"nothing at {target_of(entry)}",
            remedy=f"eatlas vectors fetch {entry.name}" + (f" ({size_text(size)})" if size else ""),
        )
    return path


def size_text(size: int) -> str:
    """Bytes as a person reads them."""
    if size >= 10**9:
        return f"{size / 10**9:.1f} GB"
    if size >= 10**6:
        return f"{size / 10**6:.0f} MB"
    return f"{size / 10**3:.0f} kB" if size >= 10**3 else f"{size} bytes"
