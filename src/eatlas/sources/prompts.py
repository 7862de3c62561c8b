"""Words put into a prompt before they are encoded, as ML-EAT does for GPT-2 (Table 3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Tell,
    Unknown,
    is_contextual,
    unknown,
    why_not,
    words_alone,
)
from eatlas.sources.protocol import Vector, VectorSource
from eatlas.sources.spec import with_option
from eatlas.stimuli.sentences.making import fill
from eatlas.stimuli.sentences.templates import PLACE, Forms, built_in, fault_of, forms_of

OPTION = "prompt"
HERE = "{}"
"""Place for the word in a prompt; templates of sentences call it {term}."""
_PLAIN = "/ {}.,:;!'\"()*-"
"""Characters of a prompt that a source string holds as they are."""


class PromptedSource:
    """A contextual source whose words stand in a prompt.

    Parameters
    ----------
    source : ContextualSource
    prompt : str
        With one place for the word: ``{}`` as it is written, or ``{a term}``, ``{terms}`` and so
        on for a form of it.

    Raises
    ------
    SourceError
        If the prompt has no place for the word, or more than one; or a prompt is there already.
    """

    prompt: str

    def __init__(self, source: ContextualSource, prompt: str) -> None:
        if isinstance(source, PromptedSource):
            raise SourceError(
                f"{source.name}: words are put into two prompts",
                got=f"{source.prompt!r} and {prompt!r}",
                remedy=f"leave one out: the option ?{OPTION}= or --prompt",
            )
        self.source = source
        self.prompt = prompt
        self._template = _template(prompt)

    @property
    def name(self) -> str:
        """That of the source, with the prompt as an option."""
        return with_option(self.source.name, f"{OPTION}={quote(self.prompt, safe=_PLAIN)}")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def fingerprint(self) -> str:
        """That of the source, and the prompt."""
        return f"{self.source.fingerprint};{OPTION}={self.prompt}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source."""
        return self.source.notes

    @property
    def encoding(self) -> Encoding:
        """That of the source, with the prompt."""
        encoding = self.source.encoding
        # a prefix of the source's own stands before all of it
        said = encoding.prompt.replace(HERE, self.prompt) if encoding.prompt else self.prompt
        return encoding.model_copy(update={"prompt": said})

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Encode words in the prompt.

        Raises
        ------
        SourceError
            If a passage is no word alone.
        """
        asked = self._in_prompt(passages)
        found = self.source.encode(set(asked.values()), tell)
        return {one: found[said] for one, said in asked.items() if said in found}

    def why_not(self, passage: Passage) -> str:
        """What the source says of the word in the prompt."""
        return why_not(self.source, self._in_prompt([passage])[passage])

    def unknown(self, passage: Passage) -> Unknown:
        """What the source says of the word in the prompt."""
        return unknown(self.source, self._in_prompt([passage])[passage])

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Encode words in the prompt, by word."""
        return words_alone(self, keys)

    def _in_prompt(self, passages: Collection[Passage]) -> dict[Passage, Passage]:
        for one in passages:
            if one.stimulus != one.text:
                raise SourceError(
                    f"{self.name}: a prompt is for tests of words",
                    got=f"the sentence {one.text!r}",
                    remedy="leave the prompt out, or take the test of the words that these "
                    "sentences are made of",
                )
        forms = self._forms([one.text for one in passages])
        return {
            one: Passage(*fill(self._template, one.text, forms.get(one.text))) for one in passages
        }

    def _forms(self, words: list[str]) -> Mapping[str, Forms]:
        if set(PLACE.findall(self._template)) == {"term"}:
            return {}
        known = built_in().forms
        return {**known, **forms_of(word for word in words if word not in known)}


def prompted(source: VectorSource, prompt: str) -> PromptedSource:
    """Put the words that a source encodes into a prompt.

    Raises
    ------
    SourceError
        If the source looks words up, so that what stands around them changes nothing.
    """
    if not is_contextual(source):
        raise SourceError(
            f"{source.name}: a prompt changes nothing here, as words are looked up one by one",
            got=f"the prompt {prompt!r}",
            allowed="prompts for sources that encode text, such as hf:",
            remedy="leave the prompt out for these vectors",
        )
    return PromptedSource(source, prompt)


def _template(prompt: str) -> str:
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
