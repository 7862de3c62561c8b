"""Texts that are made before they are encoded: words in prompts, sentences as means of words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from eatlas.decoding import decode_utf8, require_file
from eatlas.errors import SourceError, described
from eatlas.notes import Note
from eatlas.paths import is_there
from eatlas.results.parts import Encoding
from eatlas.sources.coverage import spellings
from eatlas.sources.source import Answers, Found, Item, Source, Vector, Wrapper, forward
from eatlas.sources.spec import PROMPT, PROMPTS, with_option
from eatlas.stimuli.languages import APOSTROPHE, marks
from eatlas.stimuli.sentences import PLACE, built_in, fault_of, fill, forms_of

HERE = "{}"
"""Place for the word in a prompt; templates of sentences call it {term}."""
UNESCAPED = "/ {}.,:;!'\"()*-|\\"
"""Characters of a prompt that a source string holds as they are."""
BETWEEN = "|"
"""Stands between prompts on one line."""
LONGEST = 200
"""Characters of prompts that are a name; more are named by their number and hash."""
CBOW = "cbow:"
PUNCTUATION = "punctuation"
"""Option of means of words: whether marks such as the full stop are words too."""
_MARK = re.compile(r"[^\w\s]")
_PART = re.compile(r"(?=['\u2019])|-")
"""Where a word is cut that has no vector of its own: person's into person and 's."""
_SHOWN = 10


def _keys(part: str) -> tuple[str, ...]:
    """Keys of a word, or of a part: 's, 'll, but homme behind the apostrophe of l'homme."""
    bare = part.lstrip(APOSTROPHE + "\u2019")
    elided = len(part) > len(bare) > 2
    return spellings(part, "auto") + (spellings(bare, "auto") if elided else ())


@cache
def _word() -> re.Pattern[str]:
    """Letters with their marks, and digits; with apostrophes, hyphens and full stops inside."""
    letters = rf"(?:[^\W_]++[{marks()}]*+)++"
    return re.compile(rf"{letters}(?:['\u2019.-]{letters})*")


@dataclass(frozen=True)
class PromptSet:
    """Prompts that are averaged: a text is the mean of its unit vectors in all of them."""

    prompts: tuple[str, ...]
    file: str = ""
    """Path of the file that holds them."""

    def __post_init__(self) -> None:
        no_texts = [prompt for prompt in self.prompts if not isinstance(prompt, str)]
        twice = [prompt for prompt in self.prompts if self.prompts.count(prompt) > 1]
        if no_texts or twice or not self.prompts:
            why = "is not a text" if no_texts else "occurs twice"
            raise SourceError(
                f"a prompt of a set {why}" if self.prompts else "a set of prompts is empty",
                got=described([*no_texts, *twice, ""][0]),
                allowed="different texts with a placeholder for the word, such as 'a photo of {}'",
            )

    @classmethod
    def read(cls, text: str) -> PromptSet:
        """Read prompts from a file, one a line, or from a text with ``|`` between two."""
        if is_there(text):
            return cls(_lines_of(text), str(text))
        if "{" not in text:
            raise SourceError(
                "this is not a file of prompts, nor prompts",
                got=repr(text),
                allowed="a file with one prompt per line, or 'a photo of {}|a picture of {}'",
            )
        return cls(tuple(part.strip() for part in text.split(BETWEEN) if part.strip()))

    @property
    def sha256(self) -> str:
        """Hash of the prompts."""
        return hashlib.sha256("\n".join(self.prompts).encode()).hexdigest()

    @property
    def name(self) -> str:
        """The file, the prompts themselves, or their number and hash."""
        name = self.file or BETWEEN.join(self.prompts)
        long = not self.file and len(name) > LONGEST
        return f"{len(self.prompts)} prompts, sha256 {self.sha256[:12]}" if long else name

    @property
    def description(self) -> str:
        """What an encoding says of them."""
        if not self.file:
            return f"mean of {self.name.replace(BETWEEN, f' {BETWEEN} ')}"
        file, sha256 = Path(self.file).name, self.sha256[:12]
        return f"mean of {len(self.prompts)} prompts of {file} (sha256 {sha256})"


class PromptedSource(Wrapper):
    """A source that inserts words into a prompt, or a set of prompts, before encoding them.

    In a set a word is the mean of its unit vectors in all prompts, an ensemble over the embedding
    space (Radford et al. 2021, section 3.1.4). Images stay as they are.
    """

    def __init__(self, source: Source, prompts: str | PromptSet) -> None:
        super().__init__(source)
        self.averaged = prompts if isinstance(prompts, PromptSet) else None
        self.prompts = prompts.prompts if isinstance(prompts, PromptSet) else (prompts,)
        self._templates = [_template(prompt) for prompt in self.prompts]
        option, text = PROMPT, self.prompts[0]
        self.mark = f"{option}={text}"
        if self.averaged:
            option, text = PROMPTS, self.averaged.name
            self.mark = f"{option}=sha256:{self.averaged.sha256}"
        self.option = f"{option}={quote(text, safe=UNESCAPED)}"

    @property
    def encoding(self) -> Encoding | None:
        """The fingerprint of the source, with the prompts."""
        encoding = self.source.encoding
        if encoding is None:
            return None
        if self.averaged:
            prompt = ", ".join(filter(None, [encoding.prompt, self.averaged.description]))
        else:  # a prefix of the source's own precedes all of it
            prompt = (encoding.prompt or HERE).replace(HERE, self.prompts[0])
        return encoding.model_copy(update={"prompt": prompt})

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode words in each prompt; a word without a vector in one of them has none."""
        words = [item for item in items if item.kind == "text"]
        if images := [item for item in items if item.kind != "text"]:
            yield from self.source.vectors(images)
        if not words:
            return
        items_of: dict[Item, list[Item]] = {}
        for item, text in self._in_prompts(words):
            items_of.setdefault(text, []).append(item)
        parts: dict[Item, list[Found]] = {item: [] for item in words}
        for batch in self.source.vectors(items_of.keys()):
            done: dict[Item, Found] = {}
            for text, answer in batch.items():
                for item in items_of[text]:
                    parts[item].append(answer)
                    if len(parts[item]) == len(self._templates):
                        answers = parts.pop(item)
                        done[item] = _mean(answers) if self.averaged else answer
            yield done

    def _in_prompts(self, words: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
        """Each word with each text that is encoded for it."""
        for item in words:
            if item.stimulus != item.text:
                raise SourceError(
                    f"{self.name}: prompts apply only to tests of words",
                    got=f"the sentence {item.text!r}",
                    remedy="remove the prompt, or use the test of the words in these sentences",
                )
        forms = {}
        if any(set(PLACE.findall(template)) != {"term"} for template in self._templates):
            listed = built_in().forms
            terms = (item.text for item in words)
            forms = {**listed, **forms_of(term for term in terms if term not in listed)}
        for template in self._templates:
            for item in words:
                yield item, Item(*fill(template, item.text, forms.get(item.text)))


def _mean(answers: Sequence[Found]) -> Found:
    """Mean of the unit vectors of one word in several prompts, and what is wrong in any of them."""
    rows = [np.asarray(a.vector, np.float64) for a in answers if a.vector is not None]
    lengths = [float(np.linalg.norm(row)) for row in rows]
    vector = None
    if len(rows) == len(answers) and all(lengths):
        units = [row / length for row, length in zip(rows, lengths, strict=True)]
        vector = np.mean(units, axis=0)
    return Found(
        vector,
        reason=next((answer.reason for answer in answers if answer.reason), ""),
        unknown=next((answer.unknown for answer in answers if answer.unknown), ""),
        cut=any(answer.cut for answer in answers),
    )


def _template(prompt: str) -> str:
    """Return a prompt as a template of sentences, with one place."""
    template = prompt.replace(HERE, "{term}")
    places = PLACE.findall(template)
    if fault_of(template) is not None or len(places) != 1:
        raise SourceError(
            "the prompt cannot be used" if places else "the prompt has no placeholder for the word",
            got=repr(prompt),
            allowed="one placeholder, {}, as in 'This is {}'; or a form of the word, as in "
            "'This is {a term}' and 'These are {terms}'",
        )
    return template


def add_prompt(source: Source, prompts: str | PromptSet) -> PromptedSource:
    """Put the words that a source encodes into a prompt, or into a set of prompts."""
    text = prompts.name if isinstance(prompts, PromptSet) else prompts
    if isinstance(source, PromptedSource):
        raise SourceError(
            f"{source.name}: two options set a prompt",
            got=text,
            remedy=f"remove one: ?{PROMPT}=, ?{PROMPTS}=, --prompt or --prompts-averaged",
        )
    if not source.encodes:
        raise SourceError(
            f"{source.name}: a prompt has no effect on vectors of single words",
            got=f"the prompt {text!r}",
            allowed="prompts for sources that encode text, such as hf:",
            remedy="remove the prompt for these vectors",
        )
    return PromptedSource(source, prompts)


def in_prompts(source: Source, wanted: Any) -> list[Source]:
    """Put the texts of a source into a prompt, into each of a file, or into the mean of a set."""
    if isinstance(wanted, str):
        alone = _lines_of(wanted) if "{" not in wanted and is_there(wanted) else (wanted,)
        return [add_prompt(source, prompt) for prompt in dict.fromkeys(alone)]
    if not isinstance(wanted, PromptSet | Iterable):
        raise SourceError(
            "this is not a prompt", got=described(wanted), allowed="a text, or a list of texts"
        )
    several = wanted if isinstance(wanted, PromptSet) else PromptSet(tuple(wanted))
    return [add_prompt(source, several)]


def _lines_of(path: str | Path) -> tuple[str, ...]:
    """Prompts of a file, one a line; empty lines and those that begin with # are left out."""
    require_file(Path(path), SourceError)
    text = decode_utf8(Path(path).read_bytes(), str(path), SourceError)
    lines = map(str.strip, text.splitlines())
    prompts = tuple(line for line in lines if line and not line.startswith("#"))
    if not prompts:
        raise SourceError(f"{path}: the file contains no prompts", allowed="one prompt per line")
    return prompts


# --- sentences as means of words ------------------------------------------------------------------


class CBOWSource(Source):
    """Sentences encoded as the mean of their words' vectors (May et al. 2019, section 4).

    With `punctuation`, marks such as the full stop are words, as in the code of that paper.
    """

    def __init__(self, words: Source, *, punctuation: bool = False) -> None:
        if isinstance(words, CBOWSource):
            what, remedy = "the mean of words is taken twice", f"leave out one {CBOW}"
            raise SourceError(what, got=words.name, remedy=remedy)
        self.words, self.punctuation = words, punctuation
        self._unknown: set[str] = set()

    dim = forward("words.dim")

    @property
    def name(self) -> str:
        """``cbow:`` and the name of the vectors of words."""
        name = f"{CBOW}{self.words.name}"
        return with_option(name, f"{PUNCTUATION}=yes") if self.punctuation else name

    @property
    def fingerprint(self) -> str:
        """That of the vectors of words, marked as their mean."""
        return f"{CBOW}{self.words.fingerprint}{f';{PUNCTUATION}' * self.punctuation}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Words without a vector, so far."""
        if not self._unknown:
            return self.words.notes
        values = {"words": sorted(self._unknown), "most": _SHOWN}
        return (*self.words.notes, Note("coverage.words-left-out", values=values))

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Mean of the words' vectors, float64; a text is missing if no word has one."""
        split = {item: self._tokens(item.content) for item in items}
        of_word = self._of_words(token for words in split.values() for token in words)
        self._unknown |= {token.lower() for token, hits in of_word.items() if not hits}
        yield {
            item: Found(np.mean(rows, axis=0, dtype=np.float64))
            for item, words in split.items()
            if (rows := [vector for token in words for vector in of_word[token]])
        }

    def without_vector(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Words of texts that means would lack, each once."""
        of_word = self._of_words(token for text in texts for token in self._tokens(text))
        return tuple(token for token, hits in of_word.items() if not hits)

    def _tokens(self, text: str) -> list[str]:
        """Words of a text, and punctuation marks if they also count as words."""
        words = _word().findall(text)
        return words + _MARK.findall(_word().sub(" ", text)) if self.punctuation else words

    def _of_words(self, tokens: Iterable[str]) -> dict[str, list[Vector]]:
        """The vector of each word, or else the vectors of its parts."""
        pieces = {token: (token, *filter(None, _PART.split(token))) for token in tokens}
        wanted = {s for parts in pieces.values() for p in parts for s in _keys(p)}
        vectors = self.words.lookup(wanted)
        of_word = {}
        for token, several in pieces.items():
            whole, *parts = (
                [vectors[key] for key in _keys(p) if key in vectors][:1] for p in several
            )
            of_word[token] = whole or [vector for part in parts for vector in part]
        return of_word
