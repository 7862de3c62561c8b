"""The parts that records of several measures share."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
)

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from eatlas.numbers import number_of
from eatlas.stimuli import Concept, Image, Sentence
from eatlas.stimuli.kinds import ROLES, TARGETS, ContextsOrigin, ExploredOn, Language

Value = TypeVar("Value")
Tail = Literal["greater", "less", "two_sided"]
TAILS: tuple[Tail, ...] = ("greater", "less", "two_sided")
Method = Literal["exact", "inversion", "sampled", "normal", "wald"]
Probability = Annotated[float, Field(gt=0.0, le=1.0)]
Bounds = tuple[Probability, Probability]
Magnitude = Annotated[float, Field(ge=-1e6, le=1e6)]
"""An effect size, or a mean in cosine or nats; those that can be computed are far smaller."""
MOST_CONTEXTS = 5_000_000
"""Of one group: a result has a score for each."""


def is_empty(value: object) -> bool:
    """Whether a field is left out of the JSON."""
    return not value


def is_none(value: object) -> bool:
    """Whether a field is left out of the JSON; 0 is a number."""
    return value is None


def finite(value: float, digits: int | None = None) -> float | None:
    """A number, rounded to some digits; None where it is not defined."""
    if not math.isfinite(value):
        return None
    return value if digits is None else round(value, digits)


def finite_ends(ends: Iterable[float], digits: int | None = None) -> tuple[float, float] | None:
    """Ends of an interval; None where one is not defined."""
    low, high = (finite(end, digits) for end in ends)
    return None if low is None or high is None else (low, high)


if TYPE_CHECKING:
    property_or_field = property
else:

    class property_or_field(property):  # noqa: N801  (a decorator)
        """A property that records of other measures may have as a field of the same name."""

        def __get__(self, record: Any, owner: Any = None) -> Any:
            if record is None:  # pydantic would take what the class has for the field's default
                raise AttributeError(self.fget.__name__)
            name = self.fget.__name__
            fields = record.__dict__
            return fields[name] if name in fields else super().__get__(record, owner)


def finite_numbers(values: Mapping[str, float | None]) -> dict[str, float]:
    """Numbers without undefined ones."""
    return {n: value for n, value in values.items() if value is not None and math.isfinite(value)}


class Record(BaseModel):
    """A frozen record; unknown keys are refused, numbers are finite or None."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        populate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,  # most runs use few of the records
    )

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, exactly what the JSON holds."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild the record; the inverse of :meth:`to_dict`."""
        return cls.model_validate(values)

    def __getitem__(self, field: str) -> Any:
        """A field by its name, as ``level3["XA"]``."""
        return self.__dict__[field]

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Fields that are not empty, each in short: a record has one line."""
        for name, value in super().__repr_args__():
            if not (value is None or (isinstance(value, Collection) and not value)):
                yield name, _InShort(value)

    def __str__(self) -> str:
        return repr(self)


_MOST_SHOWN, _LONGEST_SHOWN = 4, 60
"""Items of a collection, and characters of a value, that a line shows."""
_BEGINNING = 23
"""Characters of a longer text that a line shows."""


class _InShort:
    """A value whose repr is short: of many items their number, of a long text its beginning."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        if isinstance(self.value, str):
            is_long = len(self.value) > _LONGEST_SHOWN
            return repr(f"{self.value[:_BEGINNING]}…" if is_long else self.value)
        if isinstance(self.value, Record) and type(self.value).__repr__ is not Record.__repr__:
            return repr(self.value)
        is_many = isinstance(self.value, Collection)
        size = f"<{number_of(len(self.value), 'item') if is_many else type(self.value).__name__}>"
        if is_many and len(self.value) > _MOST_SHOWN:
            return size
        text = repr(self.value)
        return text if len(text) <= _LONGEST_SHOWN and "\n" not in text else size


def at(record: object, place: str) -> Any:
    """Return what a record holds at a place such as ``level2.X``; None where it holds nothing."""
    for name in place.split("."):
        if isinstance(record, tuple):
            record = dict(enumerate(record)).get(int(name)) if name.isdecimal() else None
        else:
            record = getattr(record, name, None)
    return record


def part_at(record: object, place: str, kind: type[Value]) -> Value | None:
    """What a record holds at a place, if it is of a kind: other fields may have the same name."""
    found = at(record, place)
    return found if isinstance(found, kind) else None


class KnownDifference(NamedTuple):
    """A difference of two effect sizes that a package computed."""

    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    columns: dict[str, Any]
    """Columns of a frame, as many as :attr:`Part.difference_names`."""
    basis: str = ""
    """What it is computed on, if it is not the difference of the effect sizes."""


class Part(Record):
    """What a package knows of a result besides what its measure found.

    An entry point of the group ``eatlas.parts`` names a class that derives from this one. Its name
    is the key of the part in the JSON of a result, and the attribute of the result that has it.
    Every method may stay as it is.
    """

    heading: ClassVar[str] = ""
    """What the details of a result call it, such as "Other documents."; empty for no details."""
    facet: ClassVar[str] = ""
    """What a claim is about besides words if :meth:`obstacle` has nothing against it."""
    words: ClassVar[str] = ""
    """Template of text, ``WORDS.txt.j2``, whose macro ``statement`` says these of a result."""
    section: ClassVar[str] = ""
    """Template of a page, ``SECTION.html.j2``, below the table of targets of a result `r`."""
    interval_name: ClassVar[str] = ""
    """What tables call its intervals."""
    member_noun: ClassVar[str] = "member"
    """What a `member` is."""
    difference_names: ClassVar[tuple[str, ...]] = ()
    """Columns of differences between results, in a frame."""

    @property
    def member(self) -> str:
        """The member of a source that has several, such as a part of a corpus; may be empty."""
        return ""

    @property
    def sources(self) -> tuple[str, ...]:
        """Source strings that it names, which people read as names of sources."""
        return ()

    def interval_of(self, place: str) -> tuple[float, float] | None:  # noqa: ARG002  (a choice)
        """An interval of the effect size at a place, next to that for other words."""
        return None

    def obstacle(self, place: str) -> str:  # noqa: ARG002  (a choice)
        """Why the effect size at a place says nothing beyond the words of the result."""
        return ""

    def columns(self) -> dict[str, Any]:
        """Columns of the tidy table."""
        return {}

    def effect_columns(self, place: str) -> dict[str, Any]:  # noqa: ARG002  (a choice)
        """Columns of the tidy table on the effect size at a place."""
        return {}

    def difference_from(
        self,
        first: Any,  # noqa: ARG002  (a choice)
        result: Any,  # noqa: ARG002
        place: str,  # noqa: ARG002
    ) -> KnownDifference | None:
        """Difference of the effect sizes of two results."""
        return None


class ByTail(Record, Generic[Value]):
    """A value of each tail."""

    greater: Value
    less: Value
    two_sided: Value


class ByGroup(RootModel[dict[str, Value]], Mapping[str, Value], Generic[Value]):
    """A value of each group of a test, by the group's name, in the order of the test.

    Names that could be attributes are: ``coverage.X`` is ``coverage["X"]``.

    Examples
    --------
    >>> names = Concepts({"targets": "Professions", "Female": "Women", "Male": "Men"})
    >>> names["Female"], names.Male, list(names)
    ('Women', 'Men', ['targets', 'Female', 'Male'])
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False, defer_build=True)
    names: ClassVar[tuple[str, ...]] = ()
    """Names that the groups must have; any, where there are none here."""

    @model_validator(mode="before")
    @classmethod
    def _of_its_groups(cls, values: Any) -> Any:
        return in_order(values, cls.names) if cls.names and isinstance(values, dict) else values

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        return iter(self.root)

    def __getattr__(self, name: str) -> Value:
        if name not in self.__dict__.get("root", {}):
            raise AttributeError(f"{type(self).__name__!r} has no group {name!r}")
        return self.root[name]

    def __getitem__(self, group: str) -> Value:
        return self.root[group]

    def __len__(self) -> int:
        return len(self.root)

    def __repr__(self) -> str:
        groups = ", ".join(f"{name}={_InShort(value)!r}" for name, value in self.root.items())
        short = groups if len(self.root) <= _MOST_SHOWN else f"{len(self.root)} groups"
        return f"{type(self).__name__.partition('[')[0]}({short})"


def in_order(values: Mapping[str, Value], names: tuple[str, ...]) -> dict[str, Value]:
    """Values by group in the order of the names; others than these are refused."""
    if values.keys() != set(names):
        raise ValueError(f"the groups are {', '.join(names)}, not {', '.join(map(str, values))}")
    return {name: values[name] for name in names}


class BySide(ByGroup[Value], Generic[Value]):
    """A value of X and one of Y."""

    names: ClassVar = TARGETS


class ByRole(ByGroup[Value], Generic[Value]):
    """A value of each of X, Y, A and B."""

    names: ClassVar = ROLES


class GroupCoverage(Record):
    """Which terms of a group have a vector, and why the others have none."""

    used: tuple[str, ...]
    """As the test writes them."""
    missing: tuple[str, ...]
    found_as: dict[str, str] = Field(default_factory=dict)
    """Spelling in the source, where it differs from the test's."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Why each missing term is missing."""
    stimulus: dict[str, str] = Field(default_factory=dict)
    """The word that each sentence, used or missing, is about; empty in tests of words."""
    span: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Where that word is in a sentence that holds it in another form, as a plural."""
    text: dict[str, str] = Field(default_factory=dict, exclude_if=is_empty)
    """The text of a sentence that is listed by a key, since another sentence has the same."""
    image: dict[str, str] = Field(default_factory=dict, exclude_if=is_empty)
    """SHA-256 of the bytes of each image, by its name; empty in groups of texts."""
    contexts: dict[str, int] = Field(default_factory=dict, exclude_if=is_empty)
    """In tests in contexts of a file, of which the result has no texts: contexts with a vector of
    each used stimulus, in the order of the scores."""
    without: dict[str, dict[str, int]] = Field(default_factory=dict, exclude_if=is_empty)
    """The number of contexts without a vector, by stimulus and reason."""
    label: dict[str, str] = Field(default_factory=dict, exclude=True)
    """What people saw in each labelled sentence; for measures, and in no file."""

    @model_validator(mode="after")
    def _as_many_as_there_can_be(self) -> Self:
        counts = self.contexts.values()
        if counts and (min(counts) < 0 or sum(counts) > MOST_CONTEXTS):
            raise ValueError(f"contexts of a group are 0 to {MOST_CONTEXTS:,}")
        return self

    def __repr__(self) -> str:
        return f"<GroupCoverage: {len(self.used):,} terms used, {len(self.missing):,} missing>"

    @property
    def scored(self) -> tuple[str, ...]:
        """What each score and each row of cosines belongs to.

        The used terms; in tests in contexts of a file the stimulus of each context.
        """
        if not self.contexts:
            return self.used
        return tuple(stimulus for stimulus, count in self.contexts.items() for _ in range(count))

    def concept(self, name: str) -> Concept:
        """A concept of words, of images, or of sentences with the stimuli they are made of."""
        terms = self.used + self.missing
        if not self.image and not self.stimulus:
            return Concept(name=name, terms=terms)
        present = self.image or self.stimulus
        absent = tuple((term, self.reasons[term]) for term in terms if term not in present)
        terms = tuple(term for term in terms if term in present)
        if self.image:
            images = tuple(
                Image(name=term, sha256=self.image[term], path=self.found_as.get(term, ""))
                for term in terms
            )
            return Concept(name=name, terms=terms, images=images, absent=absent)
        sentences = tuple(
            Sentence(
                text=self.text.get(term, term),
                stimulus=self.stimulus[term],
                span=self.span.get(term),
                key=term if term in self.text else "",
            )
            for term in terms
        )
        keys = tuple(sentence.term for sentence in sentences)
        return Concept(name=name, terms=keys, sentences=sentences, absent=absent)

    @property
    def stimuli(self) -> tuple[str, ...]:
        """The different stimuli of the used terms, in order of their first one.

        Words are their own stimuli.
        """
        if not self.stimulus:
            return self.used
        return tuple(dict.fromkeys(self.stimulus.get(term, term) for term in self.used))

    @property
    def known(self) -> tuple[str, ...]:
        """The different stimuli of all terms, those without a vector included."""
        terms = (*self.scored, *self.missing)
        return tuple(dict.fromkeys(self.stimulus.get(term, term) for term in terms))


class Coverage(ByGroup[GroupCoverage]):
    """Used and missing terms of the four groups."""

    def counts(self) -> tuple[int, int]:
        """Terms used and terms missing, over all groups."""
        groups = self.values()
        return sum(len(g.used) for g in groups), sum(len(g.missing) for g in groups)


class Concepts(ByGroup[str]):
    """What the groups are called."""


class ImageEncoding(Record):
    """How image files become the input of a model: what its image processor does."""

    processor: str
    """Class of the image processor, such as CLIPImageProcessor."""
    size: str = ""
    """What an image is resized to, in pixels, such as 224 x 224, or shortest edge 224."""
    crop: str = ""
    """What is cut out of its middle, such as 224 x 224; empty where nothing is cut off."""
    resample: str = ""
    """How pixels are interpolated, such as bicubic."""
    mean: tuple[float, ...] = ()
    """Subtracted from each channel, of values from 0 to 1."""
    std: tuple[float, ...] = ()
    """What each channel is divided by."""


class Encoding(Record):
    """How texts and images become vectors, with every default spelled out."""

    model: str
    """What was requested, such as a name on a hub or a folder."""
    architecture: str
    """Class of the model, such as BertModel; the kind of encoder where it is not a transformer."""
    level: Literal["sentence", "word", "image"]
    """Whether the vector of a text stands for the whole text or for the stimulus in it; image where
    a model takes images alone."""
    layer: str = ""
    """Number of the layer, 0 for the embeddings, or several such as mean(9,10,11,12); empty where
    an encoder has no layers to choose from."""
    layers: int | None = None
    """Number of the top layer."""
    pool: str = ""
    """How the tokens of a text, or the patches of an image, become one vector; ``mean-all`` takes
    the special tokens of a text, ``mean-words`` leaves them out."""
    subword: str = ""
    """How the pieces of a stimulus become one vector."""
    special_tokens: bool = Field(default=True, exclude_if=bool)
    """Whether texts have the special tokens that the tokenizer adds, such as [CLS]."""
    prompt: str = ""
    """Prompt around words, such as This is {}."""
    weights: Literal["trained", "random"] = "trained"
    """Random weights are a control: what is found with them is an artefact."""
    weights_seed: int | None = None
    precision: str = ""
    """Type of the numbers that the model computes with, such as float32."""
    roundoff: float | None = Field(default=None, exclude_if=is_empty)
    """Relative rounding error of a vector, by which ties are judged: 2^-24 of single precision;
    None for vectors that are exact to double precision."""
    logit_scale: float | None = Field(default=None, gt=0, exclude_if=is_none)
    """What a two-tower model multiplies a cosine by to make it a logit, such as 100 of CLIP: the
    exponential of its learned parameter. None where a model has none."""
    logit_bias: float | None = Field(default=None, exclude_if=is_none)
    """What it adds to that product, such as SigLIP does. None where a model has none."""
    projection: int | None = Field(default=None, exclude_if=is_none)
    """Number of components of the space that a model shares between texts and images."""
    images: ImageEncoding | None = Field(default=None, exclude_if=is_none)
    """How images become its input; None if it only takes texts."""

    @model_validator(mode="before")
    @classmethod
    def _mean_of_earlier_versions(cls, values: Any) -> Any:
        """Name the mean without special tokens, which earlier versions call ``mean``."""
        if not isinstance(values, dict) or values.get("pool") != "mean":
            return values
        of_texts = values.get("level") == "sentence" and values.get("layer")
        return values | {"pool": "mean-words"} if of_texts else values

    def columns(self) -> dict[str, Any]:
        """Columns of a table: the choices that change what is found."""
        choices = {"layer", "pool", "subword", "prompt", "weights"}
        return {"encoded": self.level, **self.model_dump(include=choices)}


class CovariatesOrigin(Record):
    """Covariates of words that associations were found given."""

    file: str
    """Name of the file; empty for what was handed over in Python."""
    sha256: str
    """Hash of the names, and of all words with their numbers, whatever their order."""
    names: tuple[str, ...]


class Run(Record):
    """The run that a result is of, by which results that are missing are seen."""

    id: str = Field(max_length=64)
    """Hash of the settings: tests, sources, measures, seed and version; equal in a repeat."""
    results: int = Field(ge=1)
    """How many results the run has."""


class Provenance(Record):
    """What is needed to recompute the result and to see whether anything has changed."""

    version: str
    """Version of eatlas."""
    seed: int
    """Seed of the run; exact results do not depend on it."""
    seeded_by: Literal["stimuli"] | None = None
    """What decides random samples in addition to the seed: the stimuli alone, so that all settings
    of a test share them; None of scans."""
    case: Literal["auto", "exact"]
    """The rule by which terms were looked up."""
    stimuli_sha256: str
    """Hash of the test's terms by role."""
    labels_sha256: str | None = Field(default=None, exclude_if=is_empty)
    """Hash of the test's id, title and citation and the names of its groups, with the hash of the
    stimuli that bear them; None of scans."""
    source_fingerprint: str
    """Identifies the source's content."""
    vectors_sha256: str
    """Hash of the vectors, or of the log-probabilities, that were used, by role."""
    citation: str = ""
    """Where the stimuli come from."""
    language: Language = Field(default="", exclude_if=is_empty)
    """Language of the test, a tag of BCP 47; left out where the test names none."""
    sentences_from: str = ""
    """Where sentences that were not made for the test were taken from, such as a file's hash."""
    contexts: ContextsOrigin | None = Field(default=None, exclude_if=is_empty)
    """The file of contexts that they are, by which ``eatlas verify`` finds them again."""
    covariates: CovariatesOrigin | None = Field(default=None, exclude_if=is_empty)
    """Covariates besides frequency, by whose file ``eatlas verify`` finds them again."""
    explored: int | None = Field(default=None, ge=1, exclude_if=is_none)
    """Number of lists of words that were looked at, these among them, where words were changed
    after results had been seen, as in ``eatlas explore``; left out otherwise."""
    explored_on: ExploredOn | None = Field(default=None, exclude_if=is_none)
    """The vectors on which the test's X was found as a theme; left out otherwise."""
    run: Run | None = Field(default=None, exclude_if=is_none)
    """The run that the result is of; None of a single measurement."""

    def __eq__(self, other: object) -> bool:
        """Whether all is equal but the run: a result is the same in any run."""
        if not isinstance(other, Provenance):
            return NotImplemented
        return {**self.__dict__, "run": None} == {**other.__dict__, "run": None}

    def __hash__(self) -> int:
        return hash((self.stimuli_sha256, self.source_fingerprint, self.vectors_sha256, self.seed))


def schema_of(record: type[Record], title: str) -> dict[str, Any]:
    """The JSON Schema that every record of a type satisfies, draft 2020-12."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return record.model_json_schema(mode="serialization") | head
