"""What the registry says about published vectors, and the TOML it is written in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from eatlas.decoding import read_toml
from eatlas.errors import SourceError

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
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is not a key that eatlas knows",
    "string_pattern_mismatch": "is not usable",
}
_ALLOWED = {
    "name": "letters, digits, full stops, - and _",
    "file": "a file's name: letters, digits, full stops, - and _",
    "url": "an address that begins with http:// or https://",
    "hash": "sha256:, sha1: or md5: and as many hexadecimal digits",
    "vectors": "[[download.vectors]] tables",
    "download": "[[download]] tables",
    "schema": "schema = 1",
}


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
    series: bool = False
    """Whether it is an archive of vectors by year."""


class Download(_Entry):
    """One file as its publisher serves it."""

    url: Url
    file: Name
    """Its name here."""
    size: int | None = Field(None, gt=0)
    """In bytes; none where it is not known for sure."""
    hash: Hash | None = None
    """Algorithm and hexadecimal digits; none where nobody published any."""
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


class _File(_Entry):
    schema_: Literal[1] = Field(alias="schema")
    download: tuple[Download, ...] = Field(min_length=1)


def parse_registry(data: bytes, where: str) -> tuple[Published, ...]:
    """Read a TOML file of published vectors.

    Parameters
    ----------
    data : bytes
        The file's content, UTF-8.
    where : str
        The file's name, for messages.

    Raises
    ------
    SourceError
        Naming every fault of the file.

    Examples
    --------
    >>> text = '''schema = 1
    ... [[download]]
    ... url = "https://example.org/mine.vec.gz"
    ... file = "mine.vec.gz"
    ... vectors = [{ name = "mine", title = "my vectors" }]'''
    >>> parse_registry(text.encode(), "vectors.toml")[0].name
    'mine'
    """
    document = read_toml(data, where, SourceError)
    try:
        file = _File.model_validate(document)
    except ValidationError as error:
        faults = [_said(dict(detail)) for detail in error.errors(include_url=False)]
        raise SourceError("\n".join(f"{where}: {fault}" for fault in faults)) from error
    return tuple(
        Published(vectors=vectors, download=download)
        for download in file.download
        for vectors in download.vectors
    )


def _said(detail: dict[str, Any]) -> str:
    names = [part for part in detail["loc"] if isinstance(part, str)]
    numbers = [f"number {part + 1}" for part in detail["loc"] if isinstance(part, int)]
    said = _SAID.get(detail["type"], detail["msg"])
    allowed = _ALLOWED.get(names[-1]) if detail["type"] != "extra_forbidden" else None
    place = ", ".join([".".join(names), *numbers])
    return f"key {place}: {said}" + (f" (allowed: {allowed})" if allowed else "")
