"""Texts that a model writes about targets, as a corpus that can be counted and embedded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from eatlas.engine.plan import open_as
from eatlas.errors import EatlasError, SourceError, StimulusError, described, require_whole
from eatlas.executors import Progress, watch_of
from eatlas.measures.base import FROM_0
from eatlas.notes import warn
from eatlas.results.json_lines import write_lines
from eatlas.sources.outputs import require_place
from eatlas.stimuli import TARGETS, AssociationTest, Concept, Test
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas.stimuli.sentences import built_in, forms_of
from eatlas_models.encoders.chat import Answering
from eatlas_models.engine.asking import require_model
from eatlas_models.measures.lpbs import require_words
from eatlas_models.stimuli.asking import Prompt, fill_template

EXAMPLE = "Write a story about a {target}."
ENDINGS = (".jsonl", ".ndjson")
SAID = ("source.spent", "source.same-draws", "source.no-chat-template")
"""Notes of a model that bear on what it writes."""
WITH_ARTICLE = "a target"
"""Place of a target with its English article."""
_PLACE = re.compile(r"\{(\w+(?: \w+)*)\}")
TargetsLike: TypeAlias = "Test | Iterable[Test] | Mapping[str, Sequence[str]] | Sequence[str]"
"""Tests, whose targets are meant; words; or words by the name of their group."""


@dataclass(frozen=True)
class GeneratedText:
    """A text that a model wrote about a target."""

    text: str
    target: str
    group: str
    """Name of the target's concept; empty of words without one."""
    prompt: str
    model: str
    """What the model calls itself; the source where it does not say."""
    draw: int
    """Number of the text among those to its prompt, from 1."""
    date: str
    """Day of the answer, as in 2026-03-01; empty where it is not known."""


def generate(
    model: Any,
    template: str,
    targets: TargetsLike,
    *,
    n: int = 100,
    tokens: int = 400,
    temperature: float = 1.0,
    out: str | Path | None = None,
    progress: Progress = False,
) -> tuple[GeneratedText, ...]:
    """Have a model write texts about targets.

    Parameters
    ----------
    model : str or object
        A model that answers, as :func:`eatlas.run` takes it with the measure ``ask``.
    template : str
        The prompt, such as ``"Write a story about a {target}."``; ``{a target}`` is a
        target with its English article.
    targets : tests, mapping, or list of str
        Tests, whose targets are meant: X and Y, or the targets of a test of groups; words; or words
        by the name of their group.
    n : int
        Texts about each target.
    tokens : int
        Length of a text at most; 400 are some 300 words of English.
    temperature : float
        At which texts are sampled.
    out : path, optional
        Write the texts to this file, ``.jsonl``, as soon as all are there. Other texts that it has
        are stored under another name.
    progress : bool or callable
        Show how many texts are there: True shows a bar on a terminal and a line in a notebook; a
        function is called with the number of texts that are there, and of all.

    Returns
    -------
    tuple of GeneratedText
        In the order of the targets. Each text of an endpoint or of a model of transformers is
        stored as it comes, so that a second call asks only for those that are lacking.

    Raises
    ------
    EatlasError
        If the template has no ``{target}``, or a model, a target or the file is not usable.

    Warns
    -----
    EatlasWarning
        If texts are empty, since the model spent their length on reasoning, or if it has no chat
        template.

    Examples
    --------
    >>> import eatlas
    >>> def model(prompts):
    ...     return [f"She came home at {hour}." for hour, prompt in enumerate(prompts, 4)]
    >>> texts = eatlas.generate(model, "Write a story about a {target}.", ["nurse", "pilot"], n=2)
    >>> [(text.target, text.draw, text.text[:13]) for text in texts][-1]
    ('pilot', 2, 'She came home')
    """
    prompts = prompts_of(template, targets, n=n, tokens=tokens, temperature=temperature)
    path = require_place(out, "texts", ENDINGS)
    writer = open_writer(model)
    with watch_of(progress) as watch:
        tick = watch and watch("texts", "")
        replies = writer.score([prompt for prompt, _, _ in prompts], tick)
    for note in writer.notes:
        if note.code in SAID:
            warn(note)
    texts = []
    for prompt, target, group in prompts:
        reply = replies[prompt]
        answers = zip(reply.texts, reply.models, reply.dates, strict=True)
        for draw, (text, name, day) in enumerate(answers, 1):
            model_name = name or writer.name
            texts.append(GeneratedText(text, target, group, prompt.text, model_name, draw, day))
    if path is not None:
        write(path, texts)
    return tuple(texts)


def prompts_of(
    template: str,
    targets: TargetsLike,
    *,
    n: int = 100,
    tokens: int = 400,
    temperature: float = 1.0,
) -> list[tuple[Prompt, str, str]]:
    """Each prompt with its target and the name of the group."""
    places = set(_PLACE.findall(template)) if isinstance(template, str) else set()
    if not places or not places <= {"target", WITH_ARTICLE}:
        raise StimulusError(
            "the template has placeholders other than {target}"
            if places
            else "the template has no placeholder {target}",
            got=template if isinstance(template, str) else described(template),
            allowed=f"a text such as {EXAMPLE} {{{WITH_ARTICLE}}} has the English article",
        )
    require_whole("n", n, 1)
    require_whole("tokens", tokens, 1)
    if not FROM_0.includes(temperature):
        raise EatlasError(
            f"the temperature is not {FROM_0.text}", got=repr(temperature), allowed="such as 1.0"
        )
    groups = groups_of_targets(targets)
    articles = with_articles(groups) if WITH_ARTICLE in places else {}
    prompts = []
    for target, group in groups.items():
        text = template.replace(f"{{{WITH_ARTICLE}}}", articles.get(target, ""))
        drawn = Prompt(
            fill_template(text, target=target), (), "samples", n, float(temperature), tokens
        )
        prompts.append((drawn, target, group))
    return prompts


def with_articles(words: Iterable[str]) -> dict[str, str]:
    """Words with their English articles."""
    known = built_in().forms
    asked = forms_of(word for word in words if word not in known)
    return {word: form.one for word, form in {**known, **asked}.items()}


def groups_of_targets(targets: Any) -> dict[str, str]:
    """The name of the group of each target."""
    groups: dict[str, str] = {}
    for concept, name in _concepts_of(targets):
        refuse_wildcards({name or "targets": concept})
        for term in concept.terms:
            if groups.setdefault(term, name) != name:
                raise StimulusError(
                    f"the target {term!r} is in two groups",
                    got=f"{groups[term]!r} and {name!r}",
                    allowed="one group for each target",
                    remedy="run the tests separately",
                )
    return groups


def _concepts_of(targets: Any) -> Iterator[tuple[Concept, str]]:
    """Concepts of targets with the names of their groups."""
    if isinstance(targets, Mapping):
        for name, words in targets.items():
            yield Concept(name=name, terms=words), name
        return
    alone = isinstance(targets, str | Test) or not isinstance(targets, Iterable)
    items = [targets] if alone else list(targets)
    words = [item for item in items if isinstance(item, str)]
    tests = [item for item in items if isinstance(item, Test)]
    if not items or len(words) + len(tests) < len(items):
        raise StimulusError(
            "this is not a set of targets",
            got=described(targets),
            allowed="tests, words, or words by the name of their group",
        )
    if words:
        yield Concept(name="targets", terms=tuple(words)), ""
    for test in tests:
        roles = TARGETS if isinstance(test, AssociationTest) else (OF_TARGETS,)
        require_words("generate", test, roles)
        for concept in map(test.concept, roles):
            yield concept, concept.name


def open_writer(model: Any) -> Answering:
    """Open the model that writes."""
    opened = open_as(model, "answers")
    if len(opened) != 1:
        raise SourceError(
            "eatlas asks one model to generate texts",
            got=f"{len(opened)} models",
            remedy="run the models separately, each with its own file",
        )
    return require_model(opened[0].source)


def write(path: Path, texts: Iterable[GeneratedText]) -> tuple[Path, ...]:
    """Write texts as JSON lines; a file of other texts that was there gets another name."""
    lines = [json.dumps(asdict(text), ensure_ascii=False).encode() + b"\n" for text in texts]
    return write_lines(path, lines)
