"""Words put into a prompt before they are encoded, as ML-EAT does for GPT-2 (Table 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import cast
from urllib.parse import quote

from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.protocol import VectorSource
from eatlas.sources.source import Answers, ContextualSource, Item, Wrapper, is_contextual
from eatlas.sources.spec import with_option
from eatlas.stimuli.sentences.making import fill
from eatlas.stimuli.sentences.templates import PLACE, built_in, fault_of, forms_of

OPTION = "prompt"
HERE = "{}"
"""Place for the word in a prompt; templates of sentences call it {term}."""
_PLAIN = "/ {}.,:;!'\"()*-"
"""Characters of a prompt that a source string holds as they are."""


class PromptedSource(Wrapper):
    """A source whose words stand in a prompt before they are encoded.

    Parameters
    ----------
    source : VectorSource
        One that encodes.
    prompt : str
        With one place for the word: ``{}`` as it is written, or ``{a term}``, ``{terms}`` and so
        on for a form of it.

    Raises
    ------
    SourceError
        If the prompt has no place for the word, or more than one; or a prompt is there already.
    """

    prompt: str

    def __init__(self, source: VectorSource, prompt: str) -> None:
        if isinstance(source, PromptedSource):
            raise SourceError(
                f"{source.name}: words are put into two prompts",
                got=f"{source.prompt!r} and {prompt!r}",
                remedy=f"leave one out: the option ?{OPTION}= or --prompt",
            )
        super().__init__(source)
        self.prompt = prompt
        self._template = _template(prompt)

    @property
    def name(self) -> str:
        """That of the source, with the prompt as an option."""
        return with_option(self.source.name, f"{OPTION}={quote(self.prompt, safe=_PLAIN)}")

    @property
    def fingerprint(self) -> str:
        """That of the source, and the prompt."""
        return f"{self.source.fingerprint};{OPTION}={self.prompt}"

    @property
    def encoding(self) -> Encoding:
        """That of the source, with the prompt."""
        encoding = cast("ContextualSource", self.source).encoding
        # a prefix of the source's own stands before all of it
        said = encoding.prompt.replace(HERE, self.prompt) if encoding.prompt else self.prompt
        return encoding.model_copy(update={"prompt": said})

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode words in the prompt; images as they are.

        Raises
        ------
        SourceError
            If a text is no word alone.
        """
        asked: dict[Item, list[Item]] = {}
        for one, prompted_item in self._in_prompt(items).items():
            asked.setdefault(prompted_item, []).append(one)
        for batch in self.source.vectors(asked.keys()):
            yield {one: found for said, found in batch.items() for one in asked[said]}

    def _in_prompt(self, items: Collection[Item]) -> Mapping[Item, Item]:
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
