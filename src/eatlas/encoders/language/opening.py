"""From a source string, or a model in memory, to a language model, with a cache of its answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from eatlas.encoders.cache import SHARED, hashed, take_cache, through_cache
from eatlas.encoders.cache_store import ABOUT, ANSWER, CacheStore, Entry
from eatlas.encoders.encoder import LanguageModel, roundoff_of_log_ratios
from eatlas.encoders.language.log_probabilities import require_offsets
from eatlas.encoders.language.models import CausalLM, MaskedLM, TransformerLM
from eatlas.encoders.loading import NO_LIMIT, Loaded, Model, load, load_tokenizer, quiet
from eatlas.encoders.model_config import DECODER
from eatlas.encoders.model_files import content_of
from eatlas.encoders.model_paths import SCHEME, NamedModel, find_model
from eatlas.errors import SourceError, described
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.interface import Tell
from eatlas.stimuli.sentences.pairs import Answer, Kind, Question
from eatlas.untrusted import computes_afresh

OF_VECTORS = ("level", "layer", "layers", "pool", "subword", "prompt", "truncate")
"""Options of ``hf:`` that say how a text becomes a vector."""
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other answers."""
_TYPES: dict[Kind, type[TransformerLM]] = {"masked": MaskedLM, "causal": CausalLM}
_CALLED = {"masked": "a masked language model", "causal": "a causal language model"}
_ALLOWED = "hf:NAME or hf:FOLDER of a language model, or one in memory: eatlas.language_model(...)"


def open_language_model(spec: Any, kind: Kind) -> LanguageModel:
    """Open a language model."""
    if isinstance(spec, LanguageModel) and not isinstance(spec, type):
        if spec.kind == kind:
            return spec
        raise not_of_kind(spec.name, kind, f"a {spec.kind} language model")
    if isinstance(spec, str) and spec.startswith(SCHEME):
        plain, keep = take_cache(spec)
        if not keep or computes_afresh():
            return open_hf_language_model(plain, kind)
        is_known = lambda fingerprint: about_kept(fingerprint) is not None  # noqa: E731
        return CachedLanguageModel(open_hf_language_model(plain, kind, is_known))
    name = str(spec) if isinstance(spec, str | Path) else described(spec)
    raise SourceError(
        f"{name}: log-probabilities need {_CALLED[kind]}, and this is not one",
        allowed=_ALLOWED,
        remedy=f"did you mean {SCHEME}{name}?" if Path(name, "config.json").is_file() else None,
    )


def open_hf_language_model(
    text: str, kind: Kind, is_known: Callable[[str], bool] = lambda _: False
) -> TransformerLM:
    """Open a transformer as a language model; its weights are read with the first question."""
    found = find_model(text)
    _require_options(found)
    _require_kind(found, kind)
    content = content_of(found.path, weights=found.options.weights)
    said = (
        f"{content};{ALGORITHM};{kind};precision={found.options.precision}"
        f";seed={found.options.seed}"
    )
    fingerprint = f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"
    model = Model.of(found.path, content, found.options, found.card, head=kind)
    # before any work; a causal model's tokenizer, slow in GGUF, can wait
    if kind == "masked" and not is_known(fingerprint):
        with quiet():
            tokenizer = load_tokenizer(model)
        require_offsets(tokenizer, found.where)
        require_mask(tokenizer, found.where)
    return _TYPES[kind](partial(load, model), text, fingerprint, found.options.notes)


def _require_options(found: NamedModel) -> None:
    given = [name for name in OF_VECTORS if name in found.spec.options]
    if given:
        raise SourceError(
            f"{found.where}: the option {given[0]} is for vectors, and this is a source of "
            "log-probabilities",
            got=f"{given[0]}={found.spec.options[given[0]]}",
            allowed="weights, seed, precision, device, trust_remote_code, revision",
            remedy="leave it out",
        )


def _require_kind(found: NamedModel, kind: Kind) -> None:
    """Refuse a model that is known to be of the other kind; what is not known is tried."""
    family = found.card.family
    if family is not None and (family == DECODER) != (kind == "causal"):
        raise not_of_kind(found.where, kind, found.card.architecture)


def language_model(model: Any, tokenizer: Any, *, name: str) -> TransformerLM:
    """Take a language model of transformers as a source of log-probabilities.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With a head that predicts pieces: ``AutoModelForMaskedLM`` or ``AutoModelForCausalLM``.
    tokenizer : transformers.PreTrainedTokenizerFast
        A fast one, which gives the characters of its pieces.
    name : str
        What names the source in results.

    Returns
    -------
    TransformerLM
        A masked language model where the model's class is one, else a causal one.

    Raises
    ------
    SourceError
        If the model has no such head, or is a masked one and the tokenizer has no mask.

    Examples
    --------
    >>> language_model(object(), None, name="mine")
    Traceback (most recent call last):
    ...
    eatlas.errors.SourceError: mine: this is not a language model of transformers
      got: object
      allowed: AutoModelForMaskedLM or AutoModelForCausalLM
    """
    kind = kind_of_class(type(model).__name__)
    if kind is None:
        raise SourceError(
            f"{name}: this is not a language model of transformers",
            got=described(model),
            allowed="AutoModelForMaskedLM or AutoModelForCausalLM",
        )
    if kind is MaskedLM:
        require_mask(tokenizer, name)
    said = tokenizer.model_max_length
    loaded = Loaded(tokenizer, model, said if said < NO_LIMIT else None)
    return kind(lambda: loaded, name, _fingerprint(model, tokenizer))


def _fingerprint(model: Any, tokenizer: Any) -> str:
    """Hash of all weights and of how texts are cut."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    digest = hashlib.sha256(type(model).__name__.encode())
    for key, weights in sorted(model.state_dict().items()):
        digest.update(f"{key}{tuple(weights.shape)}{weights.dtype}".encode())
        digest.update(weights.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    backend = getattr(tokenizer, "backend_tokenizer", None)
    digest.update(b"" if backend is None else backend.to_str().encode())
    return f"sha256:{digest.hexdigest()}"


def kind_of_class(architecture: str) -> type[TransformerLM] | None:
    """Tell what a class of transformers does; None where it is no language model.

    >>> kind_of_class("BertForMaskedLM").kind, kind_of_class("GPT2LMHeadModel").kind
    ('masked', 'causal')
    """
    if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
        return MaskedLM
    return CausalLM if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def require_mask(tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer that has no mask."""
    if tokenizer.mask_token_id is None:
        raise SourceError(
            f"{name}: the tokenizer has no mask token, so no word can be masked",
            got=type(tokenizer).__name__,
            allowed="a tokenizer with a mask token, as BERT's and RoBERTa's have",
            remedy="lpbs(model=causal) takes models without one",
        )


def not_of_kind(name: str, kind: Kind, got: str) -> SourceError:
    """Say that a model is of the other kind, and point to the measure for it."""
    if kind == "masked":
        return SourceError(
            f"{name}: the model has no mask token, so no word of a sentence can be masked",
            got=got,
            allowed="a masked language model, such as BERT or RoBERTa",
            remedy="lpbs(model=causal) takes causal models: the attribute given the target",
        )
    return SourceError(
        f"{name}: the model does not continue texts",
        got=got,
        allowed="a causal language model, such as GPT-2, OPT or BLOOM",
        remedy="lpbs(model=masked) takes masked models: the target given the attribute",
    )


class CachedLanguageModel:
    """A language model whose answers are kept, under all that they depend on."""

    def __init__(self, model: TransformerLM) -> None:
        self.model, self.kind = model, model.kind
        self.name, self.fingerprint, self.notes = model.name, model.fingerprint, model.notes

    @cached_property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model, without loading it where it has answered before."""
        kept = about_kept(self.fingerprint)
        if kept is None:
            return self.model.about
        return LanguageModelRecord(
            model=self.model.model_name,
            kind=self.kind,
            roundoff=roundoff_of_log_ratios(str(kept.get("precision", ""))),
            **kept,
        )

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Return answers that are kept, and have the model compute the others."""
        keys = {one: _key_of(self.fingerprint, one) for one in questions}
        head = (self.fingerprint, self.name)
        found: dict[Question, Answer] = {}
        for batch in through_cache(
            keys, head, self._same, self._answered, "questions are answered"
        ):
            found |= {one: _answer_of(entry) for one, entry in batch.items()}
            if tell is not None:
                tell(len(found), len(keys))
        return {one: found[one] for one in questions}

    def _same(self, missing: list[Question]) -> Mapping[Question, str]:
        """What decides each answer; the model also says once what it is."""
        if about_kept(self.fingerprint) is None:
            self._keep_about()
        return self.model.same(missing)

    def _answered(self, questions: list[Question]) -> Iterator[Mapping[Question, Entry]]:
        for batch in self.model.score_batches(questions):
            yield {one: _entry_of(answer) for one, answer in batch.items()}

    def _keep_about(self) -> None:
        said = self.model.about.model_dump(include={"architecture", "vocabulary", "precision"})
        entry = Entry(json.dumps(said).encode(), ABOUT)
        CacheStore(quiet=True).put(
            self.fingerprint, self.name, {_about_key(self.fingerprint): entry}
        )


def about_kept(fingerprint: str) -> dict[str, str | int] | None:
    """What was said of a model when it answered; None of one that did not."""
    key = _about_key(fingerprint)
    entry = CacheStore(quiet=True).get([key]).get(key)
    return None if entry is None else json.loads(entry.data)


def _key_of(fingerprint: str, question: Question) -> bytes:
    """Hash of what an answer depends on; the fingerprint says what the model is.

    >>> one, other = Question("An ant.", (3, 6)), Question("An ant.", (3, 6), how="pll")
    >>> _key_of("m", one) == _key_of("m", other)
    False
    """
    spans = (question.asked, question.other, question.hidden, question.how)
    return hashed(ANSWER, SHARED, fingerprint, repr(spans), question.text)


def _about_key(fingerprint: str) -> bytes:
    return hashed(ABOUT, fingerprint)


def _entry_of(answer: Answer) -> Entry:
    """Write an answer down; JSON has every digit of a number of double precision."""
    said = (
        answer.log_probability, answer.pieces, answer.other_pieces, answer.fault, answer.at,
    )  # fmt: skip
    return Entry(json.dumps(said).encode(), ANSWER)


def _answer_of(entry: Entry) -> Answer:
    """Read what :func:`_entry_of` wrote.

    >>> _answer_of(_entry_of(Answer(-0.1, pieces=2)))
    Answer(log_probability=-0.1, pieces=2, other_pieces=0, fault='', at='')
    """
    return Answer(*json.loads(entry.data))
