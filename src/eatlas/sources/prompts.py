"""Words in a prompt, or in several that are averaged, as prompt ensembles of CLIP are."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from eatlas.decoding import decoded, require_file
from eatlas.errors import SourceError, described
from eatlas.paths import is_there
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Unknown
from eatlas.sources.source import Source, Wrapper
from eatlas.sources.spec import PROMPT, PROMPTS, with_option

HERE = "{}"
"""Place for the word in a prompt; templates of sentences call it {term}."""
UNESCAPED = "/ {}.,:;!'\"()*-"
"""Characters of a prompt that a source string holds as they are."""
BETWEEN = "|"
"""Stands between prompts on one line."""
LONGEST = 200
"""Characters of prompts that are a name; more are named by their number and hash."""
MOST_BYTES = 1_000_000
"""Of a file of prompts."""
NAMED = 3
"""So many prompts are written out where an encoding is described."""


class PromptedSource(Wrapper):
    """A source whose words are put into a prompt before they are encoded."""

    def __init__(self, source: Source, prompt: str) -> None:
        super().__init__(source)
        self.prompt = prompt
        self._template = _template(prompt)

    @property
    def name(self) -> str:
        """That of the source, with the prompt as an option."""
        return with_option(self.source.name, f"{PROMPT}={quote(self.prompt, safe=UNESCAPED)}")

    @property
    def fingerprint(self) -> str:
        """That of the source, and the prompt."""
        return f"{self.source.fingerprint};{PROMPT}={self.prompt}"

    @property
    def encoding(self) -> Encoding | None:
        """That of the source, with the prompt."""
        encoding = self.source.encoding
        if encoding is None:
            return None
        # a prefix of the source's own precedes all of it
        prompt = (encoding.prompt or HERE).replace(HERE, self.prompt)
        return encoding.model_copy(update={"prompt": prompt})

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode words in the prompt; images as they are."""
        plain_of: dict[Item, list[Item]] = {}
        for one, prompted_item in self.in_prompt(items).items():
            plain_of.setdefault(prompted_item, []).append(one)
        for batch in self.source.vectors(plain_of.keys()):
            yield {one: found for put, found in batch.items() for one in plain_of[put]}

    def in_prompt(self, items: Collection[Item]) -> Mapping[Item, Item]:
        """Return each item with the one that is encoded for it."""
        from eatlas.stimuli.sentences import (  # noqa: PLC0415  (most runs have none)
            PLACE,
            built_in,
            fill,
            forms_of,
        )

        words = [one for one in items if one.kind == "text"]
        for one in words:
            if one.stimulus != one.text:
                raise SourceError(
                    f"{self.name}: a prompt is for tests of words",
                    got=f"the sentence {one.text!r}",
                    remedy="leave the prompt out, or take the test of the words that these "
                    "sentences are made of",
                )
        forms = {}
        if set(PLACE.findall(self._template)) != {"term"}:
            known = built_in().forms
            forms = {**known, **forms_of(one.text for one in words if one.text not in known)}
        return {one: one for one in items} | {
            one: Item(*fill(self._template, one.text, forms.get(one.text))) for one in words
        }


def prompted(source: Source, prompt: str) -> PromptedSource:
    """Put the words that a source encodes into a prompt."""
    _require_no_prompt(source, prompt)
    if not source.encodes:
        raise SourceError(
            f"{source.name}: a prompt changes nothing here, as words are looked up one by one",
            got=f"the prompt {prompt!r}",
            allowed="prompts for sources that encode text, such as hf:",
            remedy="leave the prompt out for these vectors",
        )
    return PromptedSource(source, prompt)


def _template(prompt: str) -> str:
    """Return a prompt as a template of sentences, with one place."""
    from eatlas.stimuli.sentences import PLACE, fault_of  # noqa: PLC0415

    template = prompt.replace(HERE, "{term}")
    fault = fault_of(template)
    places = PLACE.findall(template)
    if fault is not None or len(places) != 1:
        raise SourceError(
            "the prompt has no place for the word" if not places else "the prompt cannot be used",
            got=repr(prompt),
            allowed="one place, {}, as in 'This is {}'; or a form of the word, as in "
            "'This is {a term}' and 'These are {terms}'",
        )
    return template


@dataclass(frozen=True)
class PromptSet:
    """Prompts that are averaged: a text is the mean of its unit vectors in all of them."""

    prompts: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        allowed = "texts with a place for the word, each once, such as 'a photo of {}'"
        if not self.prompts:
            raise SourceError("a set of prompts has none", allowed=allowed)
        for prompt in self.prompts:
            if not isinstance(prompt, str) or self.prompts.count(prompt) > 1:
                why = "is not a text" if not isinstance(prompt, str) else "occurs twice"
                raise SourceError(
                    f"a prompt of a set {why}", got=described(prompt), allowed=allowed
                )

    @classmethod
    def of(cls, prompts: Iterable[str]) -> PromptSet:
        """Take prompts as they are."""
        texts = tuple(prompts)
        name = BETWEEN.join(map(str, texts))
        if len(name) > LONGEST:
            name = f"{len(texts)} prompts, sha256 {_sha256(texts)[:12]}"
        return cls(texts, name)

    @classmethod
    def read(cls, text: str) -> PromptSet:
        """Read prompts from a file, one a line, or from a text with ``|`` between two."""
        if is_there(text):
            return cls(lines_of(text), str(text))
        if "{" not in text:
            raise SourceError(
                "a set of prompts is neither a file nor prompts",
                got=repr(text),
                allowed="a file with a prompt on each line, or 'a photo of {}|a picture of {}'",
            )
        return cls.of(part.strip() for part in text.split(BETWEEN) if part.strip())

    @property
    def sha256(self) -> str:
        """Hash of the prompts."""
        return _sha256(self.prompts)

    @property
    def described(self) -> str:
        """What an encoding says of them."""
        if len(self.prompts) <= NAMED and len(BETWEEN.join(self.prompts)) <= LONGEST:
            return f"mean of {f' {BETWEEN} '.join(self.prompts)}"
        of_file = "" if self.name.endswith(f"sha256 {self.sha256[:12]}") else Path(self.name).name
        where = f" of {of_file}" if of_file and BETWEEN not in self.name else ""
        return f"mean of {len(self.prompts)} prompts{where} (sha256 {self.sha256[:12]})"


def _sha256(prompts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(map(str, prompts)).encode()).hexdigest()


def lines_of(path: str | Path) -> tuple[str, ...]:
    """Prompts of a file, one a line; empty lines and those that begin with # are left out."""
    require_file(Path(path), SourceError)
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SourceError(
            f"{path}: the prompts cannot be read", got=error.strerror or str(error)
        ) from error
    lines = (line.strip() for line in decoded(content, str(path), SourceError).splitlines())
    prompts = tuple(line for line in lines if line and not line.startswith("#"))
    if not prompts or len(content) > MOST_BYTES:
        raise SourceError(
            f"{path}: no prompt in this file" if not prompts else f"{path}: this is too large",
            allowed=f"a prompt on each line, {MOST_BYTES:,} bytes at most",
        )
    return prompts


class AveragedPromptsSource(Wrapper):
    """A source whose texts are each the mean of their unit vectors in several prompts.

    Radford et al. (2021), section 3.1.4: an ensemble over the embedding space. Images stay as they
    are.
    """

    def __init__(self, source: Source, prompts: PromptSet) -> None:
        super().__init__(source)
        self.prompts = prompts
        self._each = [prompted(self.source, prompt) for prompt in prompts.prompts]

    @property
    def name(self) -> str:
        """That of the source, with the prompts as an option."""
        written = quote(self.prompts.name, safe=UNESCAPED + BETWEEN + "\\")
        return with_option(self.source.name, f"{PROMPTS}={written}")

    @property
    def fingerprint(self) -> str:
        """That of the source, and the hash of the prompts."""
        return f"{self.source.fingerprint};{PROMPTS}=sha256:{self.prompts.sha256}"

    @property
    def encoding(self) -> Encoding | None:
        """That of the source, with the prompts."""
        encoding = self.source.encoding
        if encoding is None:
            return None
        parts = [encoding.prompt, self.prompts.described]
        return encoding.model_copy(update={"prompt": ", ".join(filter(None, parts))})

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode texts in each prompt, and take the mean of their unit vectors.

        A text without a vector in one of the prompts has none.
        """
        texts = [item for item in items if item.kind == "text"]
        images = [item for item in items if item.kind != "text"]
        if images:
            yield from self.source.vectors(images)
        items_of: dict[Item, list[Item]] = {}
        for each in self._each:
            for item, put in each.in_prompt(texts).items():
                items_of.setdefault(put, []).append(item)
        means = {item: _Mean() for item in texts}
        for batch in self.source.vectors(items_of.keys()) if texts else ():
            done: dict[Item, Found] = {}
            for put, answer in batch.items():
                for item in items_of[put]:
                    means[item].add(answer)
                    if means[item].count == len(self._each):
                        done[item] = means.pop(item).answer()
            yield done


class _Mean:
    """Sum of the unit vectors of one text in several prompts, and what is wrong in any of them."""

    count = 0
    total: Any = 0.0
    reason = ""
    unknown: Unknown = ""
    cut = False

    def add(self, answer: Found) -> None:
        """Add the answer in one more prompt."""
        self.count += 1
        vector = 0.0 if answer.vector is None else np.asarray(answer.vector, np.float64)
        length = float(np.linalg.norm(vector))
        if not length or self.total is None:
            self.total = None
        else:
            self.total = self.total + vector / length
        self.reason = answer.reason or self.reason
        self.unknown = answer.unknown or self.unknown
        self.cut = answer.cut or self.cut

    def answer(self) -> Found:
        """The mean, with what is to be said of the text."""
        vector = None if self.total is None else self.total / self.count
        return Found(vector, self.reason, self.unknown, self.cut)


def in_prompts(source: Source, wanted: Any) -> list[Source]:
    """Put the texts of a source into a prompt, into each of a file, or into the mean of a set."""
    if isinstance(wanted, str):
        alone = lines_of(wanted) if "{" not in wanted and is_there(wanted) else (wanted,)
        return [prompted(source, prompt) for prompt in dict.fromkeys(alone)]
    if isinstance(wanted, list | tuple):
        wanted = PromptSet.of(wanted)
    if not isinstance(wanted, PromptSet):
        raise SourceError(
            "this is not a prompt", got=described(wanted), allowed="a text, or a list of texts"
        )
    return [averaged(source, wanted)]


def averaged(source: Source, prompts: PromptSet) -> AveragedPromptsSource:
    """Take the mean of a text in several prompts for the text."""
    _require_no_prompt(source, prompts.name)
    return AveragedPromptsSource(source, prompts)


def _require_no_prompt(source: Source, more: str) -> None:
    if isinstance(source, AveragedPromptsSource | PromptedSource):
        raise SourceError(
            f"{source.name}: texts are put into prompts twice",
            got=more,
            remedy=f"leave one out: ?{PROMPT}=, ?{PROMPTS}=, --prompt or --prompts-averaged",
        )
