"""Sets of prompts: each alone, or averaged, as prompt ensembles of CLIP are."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from eatlas.decoding import require_file
from eatlas.errors import SourceError, described
from eatlas.paths import is_there
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Vector, VectorSource
from eatlas.sources.source import Wrapper
from eatlas.sources.spec import with_option
from eatlas.sources.wrappers import PROMPT, UNESCAPED, PromptedSource, prompted

PROMPTS = "prompts"
"""The option of source strings."""
BETWEEN = "|"
"""Stands between prompts on one line."""
LONGEST = 200
"""Characters of prompts that are a name; more are named by their number and hash."""
MOST_BYTES = 1_000_000
"""Of a file of prompts."""
NAMED = 3
"""So many prompts are written out where an encoding is described."""


@dataclass(frozen=True)
class PromptSet:
    """Prompts that are averaged: a text is the mean of its unit vectors in all of them."""

    prompts: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        if not self.prompts:
            raise SourceError(
                "a set of prompts has none", allowed="one prompt or more, such as 'a photo of {}'"
            )
        if twice := [one for one in self.prompts if self.prompts.count(one) > 1]:
            raise SourceError(
                "a prompt occurs twice in a set of prompts, and would count twice in their mean",
                got=repr(twice[0]),
                remedy="leave one out",
            )

    @classmethod
    def of(cls, prompts: Iterable[str]) -> PromptSet:
        """Take prompts as they are."""
        given = tuple(prompts)
        if wrong := [one for one in given if not isinstance(one, str)]:
            raise SourceError(
                "a set of prompts holds something that is not text",
                got=described(wrong[0]),
                allowed="texts with a place for the word, such as 'a photo of {}'",
            )
        name = BETWEEN.join(given)
        if len(name) > LONGEST:
            name = f"{len(given)} prompts, sha256 {_sha256(given)[:12]}"
        return cls(given, name)

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


def lines_of(path: str | Path) -> tuple[str, ...]:
    """Prompts of a file, one a line; empty lines and those that begin with # are left out."""
    require_file(Path(path), SourceError)
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise SourceError(
                f"{path}: too large for a file of prompts",
                got=f"more than {MOST_BYTES:,} bytes",
                allowed="a prompt on each line",
            )
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path}: no file of prompts", got=str(error), allowed="text in UTF-8"
        ) from error
    except OSError as error:
        raise SourceError(
            f"{path}: the prompts cannot be read", got=error.strerror or str(error)
        ) from error
    lines = (line.strip() for line in text.splitlines())
    found = tuple(line for line in lines if line and not line.startswith("#"))
    if not found:
        raise SourceError(f"{path}: no prompt in this file", allowed="a prompt on each line")
    return found


class AveragedPromptsSource(Wrapper):
    """A source whose texts are each the mean of their unit vectors in several prompts.

    Radford et al. (2021), section 3.1.4: an ensemble over the embedding space. Images stay as they
    are.
    """

    def __init__(self, source: VectorSource, prompts: PromptSet) -> None:
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
        said = self.prompts.described
        return encoding.model_copy(
            update={"prompt": f"{encoding.prompt}, {said}" if encoding.prompt else said}
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode texts in each prompt, and take the mean of their unit vectors.

        A text without a vector in one of the prompts has none.
        """
        texts = [one for one in items if one.kind == "text"]
        others = [one for one in items if one.kind != "text"]
        if others:
            yield from self.source.vectors(others)
        wanted: dict[Item, list[Item]] = {}
        for each in self._each:
            for one, put in each.in_prompt(texts).items():
                wanted.setdefault(put, []).append(one)
        means = {one: _Mean() for one in texts}
        for batch in self.source.vectors(wanted.keys()) if texts else ():
            done: dict[Item, Found] = {}
            for put, found in batch.items():
                for one in wanted[put]:
                    means[one].add(found)
                    if means[one].count == len(self._each):
                        done[one] = means.pop(one).found()
            yield done


class _Mean:
    """Sum of the unit vectors of one text in several prompts."""

    def __init__(self) -> None:
        self.count, self.total, self.first = 0, np.zeros(1), Found(None)

    def add(self, found: Found) -> None:
        """Add the answer in one more prompt."""
        self.count += 1
        vector = found.vector
        length = 0.0 if vector is None else float(np.linalg.norm(np.asarray(vector, np.float64)))
        lost = vector is None or length == 0
        if self.count == 1 or lost or found.unknown or found.cut:
            # what is wrong in any prompt is what is said of the text
            self.first = Found(
                None if lost or (self.count > 1 and self.first.vector is None) else vector,
                found.reason or self.first.reason,
                found.unknown or self.first.unknown,
                found.cut or self.first.cut,
            )
        if not lost:
            self.total = self.total + np.asarray(vector, np.float64) / length

    def found(self) -> Found:
        """The mean, with what is to be said of the text in any of the prompts."""
        vector: Vector | None = None if self.first.vector is None else self.total / self.count
        return Found(vector, self.first.reason, self.first.unknown, self.first.cut)


def in_prompts(source: VectorSource, wanted: Any) -> list[VectorSource]:
    """Put the texts of a source into a prompt, into each of a file, or into the mean of a set."""
    if isinstance(source, AveragedPromptsSource):
        raise _twice(source, described(wanted))
    if isinstance(wanted, str):
        alone = lines_of(wanted) if "{" not in wanted and is_there(wanted) else (wanted,)
        return [prompted(source, one) for one in dict.fromkeys(alone)]
    if not isinstance(wanted, PromptSet):
        if not isinstance(wanted, list | tuple):
            raise SourceError(
                "this is not a prompt", got=described(wanted), allowed="a text, or a list of texts"
            )
        wanted = PromptSet.of(wanted)
    return [averaged(source, wanted)]


def averaged(source: VectorSource, prompts: PromptSet) -> AveragedPromptsSource:
    """Take the mean of a text in several prompts for the text."""
    if isinstance(source, AveragedPromptsSource | PromptedSource):
        raise _twice(source, prompts.name)
    return AveragedPromptsSource(source, prompts)


def _twice(source: VectorSource, more: str) -> SourceError:
    return SourceError(
        f"{source.name}: texts are put into prompts twice",
        got=more,
        remedy=f"leave one out: ?{PROMPT}=, ?{PROMPTS}=, --prompt or --prompts-averaged",
    )


def _sha256(prompts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(prompts).encode()).hexdigest()
