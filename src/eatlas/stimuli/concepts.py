"""Concepts: words, sentences or images that represent one, frozen and only ever well formed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from eatlas.errors import StimulusError
from eatlas.stimuli.images import Image, name_files, not_here, read_images, same_bytes
from eatlas.stimuli.languages import whole_words
from eatlas.stimuli.records import Frozen, Term, Text, quote

FEW = 4
"""Terms of a concept that are shown where it is named in short."""
_WILDCARD = re.compile(r"(?=.*[*?])(?=.*\w)\S+")
"""A term that stands for words: it has ``*`` or ``?``, a letter or digit, and no space."""


class Sentence(Frozen):
    """A sentence that represents a concept, and what it was made of."""

    text: Term
    """The whole sentence, as it is to be encoded."""
    stimulus: Term
    """The word or phrase that the sentence is about."""
    template: str = ""
    """The template of the sentence, as in ``This is {a term}.``"""
    span: tuple[int, int] | None = None
    """Place of the stimulus: characters of the text, first and behind the last. Found where it
    is not given; None where the text does not hold the stimulus as it is written."""
    key: str = Field(default="", repr=False)
    """What distinguishes it from another sentence of the same text; empty where the text does."""
    label: str = Field(default="", repr=False, exclude_if=lambda one: not one)
    """What people saw in it: a group of the test, or "none"; empty where it has no label."""

    @property
    def term(self) -> str:
        """The term that the sentence is: its key, or else its text."""
        return self.key or self.text

    @property
    def stated_span(self) -> tuple[int, int] | None:
        """Its span, where a search for the stimulus would not find it there; else None."""
        return None if self.span == place_of(self.stimulus, self.text) else self.span

    @model_validator(mode="before")
    @classmethod
    def _find_the_stimulus(cls, values: object) -> object:
        if isinstance(values, Mapping) and values.get("span") is None:
            text, stimulus = values.get("text"), values.get("stimulus")
            if isinstance(text, str) and isinstance(stimulus, str) and stimulus:
                return {**values, "span": place_of(stimulus, text)}
        return values

    @model_validator(mode="after")
    def _span_lies_in_the_text(self) -> Sentence:
        if self.span is not None and not 0 <= self.span[0] < self.span[1] <= len(self.text):
            raise ValueError(
                f"the span {list(self.span)} is not within the {len(self.text)} characters "
                f"of {self.text!r}"
            )
        return self


class Concept(Frozen):
    """A concept and the terms that represent it: words, sentences made of words, or images.

    Examples
    --------
    >>> Concept(name="Flowers", terms=("aster", "clover")).terms
    ('aster', 'clover')
    >>> said = Concept(name="Flowers", sentences=[{"text": "This is ivy.", "stimulus": "ivy"}])
    >>> said.terms, said.stimulus_of
    (('This is ivy.',), {'This is ivy.': 'ivy'})
    """

    name: Text
    """What a reader calls the concept, as in "Flowers are associated with Pleasant"."""
    terms: tuple[Term, ...] = Field(min_length=1)
    """The stimuli, as they would be written in a text; no term twice. Of images, their names. A
    word with ``*`` or ``?``, such as ``nurs*``, stands for the words that match, and is to be
    written out before a run (``eatlas tests expand``)."""
    images: tuple[Image, ...] = ()
    """Where the stimuli are images: each with its name, the hash of its bytes, and its path. A
    concept has words, sentences or images; the concepts of one test may be of different kinds. In
    Python also a folder, a pattern such as ``"flowers/*.jpg"``, or a list of paths."""
    images_from: str = ""
    """The folder of a published set that they are, such as ``ieat:age/young``; else empty."""
    sentences: tuple[Sentence, ...] = ()
    """Where the terms are sentences made of stimuli: each with its stimulus; the terms are their
    keys, or else their texts."""
    absent: tuple[tuple[Term, Text], ...] = ()
    """Stimuli of the concept that have no sentence, and images that are left out, each with the
    reason."""

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, values: Any, info: ValidationInfo) -> Any:
        """Read images that are named by their files; take what is given as the terms.

        The context of the validation says where paths start from.
        """
        if not isinstance(values, Mapping) or "terms" in values:
            return values
        images = values.get("images")
        are_read = isinstance(images, list | tuple) and all(isinstance(i, Image) for i in images)
        if "images" in values and (images == [] or not are_read):
            if values.get("sentences"):
                raise ValueError("a concept has terms, sentences or images, one of them")
            fields = read_images(images, **(info.context or {}))
            absent = (*values.get("absent", ()), *fields.get("absent", ()))
            values = {**values, **fields, "absent": absent}
        parts = values.get("images") or values.get("sentences") or ()
        if isinstance(parts, list | tuple) and parts:
            return {**values, "terms": tuple(map(_term, parts))}
        return values

    @field_validator("terms", mode="before")
    @classmethod
    def _from_any_list(cls, terms: Any) -> Any:
        """Also take columns of frames and arrays, and sets in a fixed order."""
        if isinstance(terms, set | frozenset):
            return tuple(sorted(terms, key=str))
        return terms.tolist() if hasattr(terms, "tolist") else terms

    @field_validator("terms")
    @classmethod
    def _require_unique_terms(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        if twice := find_duplicates(terms):
            raise ValueError(f"duplicate terms {quote(twice)}; each term may occur once")
        return terms

    @model_validator(mode="after")
    def _parts_fit_the_terms(self) -> Concept:
        """Refuse parts beside other terms, or one image under two names."""
        if self.images and self.sentences:
            raise ValueError("a concept has images or sentences, not both")
        parts = tuple(map(_term, self.images or self.sentences))
        if parts and parts != self.terms:
            raise ValueError("a concept has terms, sentences or images, one of them")
        if twice := [f"{one.name!r} and {other.name!r}" for one, other in same_bytes(self.images)]:
            raise ValueError(
                f"images {', '.join(twice)} have the same bytes; each image may occur once"
            )
        return self

    def __repr__(self) -> str:
        shown = ", ".join(self.terms[:FEW]) + (", ..." if len(self.terms) > FEW else "")
        return f"<Concept {self.name}: {len(self.terms):,} terms, {shown}>"

    __str__ = __repr__

    @property
    def kind(self) -> Literal["text", "image"]:
        """Whether the stimuli are texts or images."""
        return "image" if self.images else "text"

    @cached_property
    def at_hand(self) -> bool:
        """Whether it is known of all images what they are; False for a set that is not here."""
        return all(one.sha256 for one in self.images)

    @cached_property
    def image_of(self) -> dict[str, str]:
        """The hash of the bytes of each image, by its name; empty for texts."""
        return {one.name: one.sha256 for one in self.images}

    @property
    def texts(self) -> tuple[str, ...]:
        """What is looked up or encoded: the words, or the texts of the sentences; no image."""
        if self.images:
            return ()
        return tuple(one.text for one in self.sentences) or self.terms

    @cached_property
    def text_of(self) -> dict[str, str]:
        """The text of each sentence that has a key next to it."""
        return {one.key: one.text for one in self.sentences if one.key}

    @cached_property
    def stimulus_of(self) -> dict[str, str]:
        """The stimulus of each sentence, by its term; empty for words."""
        return {sentence.term: sentence.stimulus for sentence in self.sentences}

    @cached_property
    def wildcards(self) -> tuple[str, ...]:
        """Terms such as ``nurs*``, which stand for the words that match."""
        if self.images or self.sentences:
            return ()
        return tuple(filter(_WILDCARD.fullmatch, self.terms))

    @cached_property
    def label_of(self) -> dict[str, str]:
        """What people saw in each sentence that they labelled, by its term."""
        return {one.term: one.label for one in self.sentences if one.label}

    @cached_property
    def span_of(self) -> dict[str, tuple[int, int]]:
        """Place of the stimulus in each sentence in which a search would not find it there."""
        return {one.term: span for one in self.sentences if (span := one.stated_span)}

    @property
    def hashed(self) -> list[Any]:
        """What of a concept of a test of groups belongs to its hash: terms, or hashes of images."""
        return self.stimuli if self.images else sorted(self.terms)

    @property
    def stimuli(self) -> list[Any]:
        """What distinguishes these stimuli from others, in a fixed order.

        Words; texts of sentences with their stimuli and places; of images the hashes of their
        bytes, each in a table of its own, so that none is taken for a word.

        Raises
        ------
        StimulusError
            If image files are missing, so that their bytes are unknown.
        """
        if self.images:
            if not self.at_hand:
                raise not_here([self.images_from], self.name)
            return [{"sha256": one} for one in sorted(one.sha256 for one in self.images)]
        if self.sentences:
            return sorted([one.text, one.stimulus, *(one.span or ())] for one in self.sentences)
        return sorted(self.terms)


def _term(part: Any) -> Any:
    """The term that an image or a sentence is; a table of one may still be faulty."""
    if isinstance(part, Mapping):
        return part.get("name") or part.get("key") or part.get("text")
    return part.name if isinstance(part, Image) else getattr(part, "term", part)


def refuse_wildcards(concepts: Mapping[str, Concept], where: str = "") -> None:
    """Refuse terms that stand for the words that match; `where` is the test."""
    for role, concept in concepts.items():
        for term in concept.wildcards:
            raise StimulusError(
                f"{where}group {role} ({concept.name}): {term!r} is a wildcard, not a word",
                allowed="words",
                remedy="write the words out; eatlas tests expand FILE SOURCE writes those "
                "that vectors have",
            )


def as_concept(content: Any, name: str) -> Any:
    """Give a list of terms, or a mapping from a name to a list, the form of a concept.

    What is of another form, such as a concept or the fields of one, is returned as it is.

    >>> as_concept({"Male": ["he"]}, "A"), as_concept(["he", "him"], "A")
    ({'name': 'Male', 'terms': ['he']}, {'name': 'A', 'terms': ['he', 'him']})
    """
    if isinstance(content, Mapping) and len(content) == 1:
        ((key, terms),) = content.items()
        if key not in Concept.model_fields:
            return {"name": key, "terms": terms}
    is_list = isinstance(content, list | tuple | set | frozenset) or hasattr(content, "tolist")
    return {"name": name, "terms": content} if is_list else content


def place_of(stimulus: str, text: str) -> tuple[int, int] | None:
    """Find where a stimulus first occurs in a text as a word of its own.

    As it is written, or else in any case.

    >>> place_of("will", "Will is a will.")
    (10, 14)
    >>> place_of("aster", "These are asters.") is None
    True
    """
    word = whole_words([stimulus])
    match = re.search(word, text) or re.search(word, text, re.IGNORECASE)
    return match.span() if match else None


def find_duplicates(terms: Iterable[str]) -> list[str]:
    """The terms that occur more than once."""
    return [term for term, count in Counter(terms).items() if count > 1]


def distinguish_images(concepts: Sequence[Concept]) -> list[Concept]:
    """Return the concepts of a test, with longer names of images where these are not unique.

    An image is called by a longer end of its path where another image of the test, or a text, has
    its name. Hashes do not depend on names.
    """
    images = {image for concept in concepts for image in concept.images}
    texts = {term for concept in concepts if not concept.images for term in concept.terms}
    counts = Counter(image.name for image in images)
    clashing = [one for one in images if one.path and (counts[one.name] > 1 or one.name in texts)]
    if not clashing:
        return list(concepts)
    taken = texts | (counts.keys() - {image.name for image in clashing})
    ends = name_files((Path(image.path) for image in clashing), taken)
    names = {image: ends[Path(image.path)] for image in clashing}
    return [_rename_images(concept, names) for concept in concepts]


def _rename_images(concept: Concept, names: dict[Image, str]) -> Concept:
    """A concept whose images have other names."""
    if not any(image in names for image in concept.images):
        return concept
    new = {image.name: names.get(image, image.name) for image in concept.images}
    images = tuple(one.model_copy(update={"name": new[one.name]}) for one in concept.images)
    terms = tuple(image.name for image in images)
    return concept.model_copy(update={"images": images, "terms": terms})


OF_PAIRS = ("more stereotyping", "less stereotyping")
"""Names of the two groups of a test of pairs of sentences that names no `sides`."""
ALL_TYPES = "all"
"""Type of pairs that state none."""


def check_tables(
    tables: Any, sentences: tuple[str, ...], more: tuple[str, ...], item: str, allowed: str
) -> list[dict[str, str]]:
    """Check tables of sentences that differ, with a type; what else they may have is a text."""
    if not isinstance(tables, list | tuple) or not tables:
        raise ValueError(f"{item}s is a list of {item}s of sentences (allowed: {allowed})")
    number_of_sentences = {"pair": "two", "triple": "three"}[item]
    read = []
    for number, table in enumerate(tables, 1):
        texts = dict(table) if isinstance(table, Mapping) else {}
        if not set(sentences) <= set(texts) <= {*sentences, *more} or not all(
            isinstance(text, str) and text.strip() for text in texts.values()
        ):
            raise ValueError(
                f"{item} {number} is not {number_of_sentences} sentences (allowed: {allowed})"
            )
        texts = {name: text.strip() for name, text in texts.items()}
        if twice := find_duplicates(texts[name] for name in sentences):
            raise ValueError(f"{item} {number} has the sentence {twice[0]!r} twice")
        read.append({**dict.fromkeys(more, ""), **texts, "type": texts.get("type", ALL_TYPES)})
    return read


def without_sides(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Take the names of the two sides out of values; names by the key of a sentence."""
    sides = values.get("sides", OF_PAIRS)
    if not isinstance(sides, list | tuple) or len(sides) != len(OF_PAIRS):
        raise ValueError('sides are the names of both sides (allowed: ["Jewish", "Catholic"])')
    rest = {name: value for name, value in values.items() if name != "sides"}
    return rest, dict(zip(("more", "less"), sides, strict=True))


def sentence_groups(
    tables: list[dict[str, str]], names: Mapping[str, str], title: str
) -> dict[str, Any]:
    """Make targets of the types of tables, a group of each of their sentences, and pairs."""
    groups: dict[str, list[Sentence]] = {key: [] for key in names}
    for number, table in enumerate(tables, 1):
        context = f"{table['context']} " if table.get("context") else ""
        for key, group in groups.items():
            text = context + table[key]
            span = (len(context), len(text)) if "context" in table else None
            name = f"{number} {key}"
            group.append(Sentence(text=text, stimulus=table["type"], key=name, span=span))
    concepts = [{"name": names[key], "sentences": group} for key, group in groups.items()]
    keys = [tuple(s.key for s in sentences) for sentences in zip(*groups.values(), strict=True)]
    types = list(dict.fromkeys(table["type"] for table in tables))
    return {"targets": {"name": title, "terms": types}, "groups": concepts, "pairs": keys}
