"""Models in memory, which encode texts as the source strings of their saved files do.

A model may be trained between two uses: its weights are hashed when a fingerprint is read, and what
it computes is not kept on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from eatlas.encoders.encoder import EVERY, Encoder, Options, read_options, roundoff_of
from eatlas.encoders.functions import AT_ONCE
from eatlas.encoders.loading import (
    Loaded,
    digest_of,
    repeat_products,
    require_plain,
    tokenizer_digest,
    wrap_module,
)
from eatlas.encoders.models import (
    HF,
    OF_VECTORS,
    NamedModel,
    card_of,
    pooling_called,
    prompt_of,
    require_no_use,
)
from eatlas.encoders.sentence_model import SentenceModelSource, wrap_model
from eatlas.encoders.transformer import ModelSource, pool_of, way_of
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item

PAIR = "(model, tokenizer), as AutoModel and AutoTokenizer of transformers make them"
WITHIN = "of a wrapper hand over the model in it: model.get_base_model() of PEFT, model.module"


def refuse_part(part: object) -> NoReturn:
    """Refuse a model without its tokenizer, or a tokenizer without its model."""
    raise SourceError(
        "this object cannot encode texts",
        got=type(part).__name__,
        allowed=f"{PAIR}; a SentenceTransformer; a pipeline",
        remedy="pass (model, tokenizer), in this order; or a function that takes a list of "
        "texts and returns a vector for each: lambda texts: ...",
    )


# --- transformers ---------------------------------------------------------------------------------


class TransformerObject(ModelSource):
    """Texts encoded by a model of transformers and its tokenizer, as ``hf:`` does."""

    def __init__(self, module: Any, tokenizer: Any, named: NamedModel) -> None:
        layers, method, notes = way_of(named)
        whole = named.options.level == "sentence" and "pool" not in named.given
        if whole and named.name != named.text and not named.path.is_dir():
            values = {"model": named.name, "pool": pool_of(method)}
            notes = (*notes, Note("source.default-pooling", values=values))
        super().__init__(named, layers, method, notes)
        self._module, self._tokenizer = module, tokenizer
        require_plain(module, self.name)

    @property
    def content(self) -> str:
        """Hash of the weights and the tokenizer, as they are now."""
        return digest_of(self._module, self._tokenizer)

    @property
    def loaded(self) -> Loaded:
        """The model, on the device where it is."""
        repeat_products()
        return wrap_module(self._tokenizer, self._module, self._module.config)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer that was handed over."""
        return self._tokenizer


def encoder(model: Any, tokenizer: Any, *, name: str = "", **options: Any) -> TransformerObject:
    """Take a model of transformers in memory as a source of vectors.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A model of texts; a head that predicts words or classes is left out.
    tokenizer : transformers.PreTrainedTokenizerBase
    name : str, optional
        What names the source in results; by default the class of the model.
    **options
        ``level``, ``layer``, ``pool``, ``subword``, ``special_tokens`` and ``truncate``, with the
        values and defaults that they have in a source string ``hf:NAME``.

    Returns
    -------
    TransformerObject

    Raises
    ------
    SourceError
        If this is not a model of texts with its tokenizer, or an option cannot have its value.

    Examples
    --------
    >>> encoder(object(), None)
    Traceback (most recent call last):
    ...
    eatlas.errors.SourceError: object: not a transformers model with its tokenizer
      got: object and NoneType
      allowed: (model, tokenizer), as AutoModel and AutoTokenizer of transformers make them
      remedy: of a wrapper hand over the model in it: model.get_base_model() of PEFT, model.module
    """
    name = name or type(model).__name__
    is_model = "PreTrainedModel" in (kind.__name__ for kind in type(model).__mro__)
    card = card_of(model.config) if is_model else None
    if card and card.takes != "texts":
        raise SourceError(
            f"{name}: this model takes images",
            got=card.architecture,
            allowed="models of texts",
            remedy="save the model and its processor with save_pretrained, and open the folder: "
            "clip:FOLDER, or hf:FOLDER where it takes images alone",
        )
    if not card or not hasattr(tokenizer, "convert_ids_to_tokens"):
        raise SourceError(
            f"{name}: not a transformers model with its tokenizer",
            got=f"{type(model).__name__} and {type(tokenizer).__name__}",
            allowed=PAIR,
            remedy=WITHIN,
        )
    choices = {key: str(value) for key, value in options.items()}
    chosen = read_options(Options, choices, name)
    require_no_use(name, choices, Options.model_fields.keys() - set(OF_VECTORS))
    if chosen.layer == EVERY:
        raise SourceError(
            f"{name}: a source has one layer, or the mean of several",
            got=f"layer={EVERY}",
            allowed=f"layer=0 to layer={card.top}, or a range such as -4..-1",
            remedy="create one encoder per layer",
        )
    module = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    precision = str(module.dtype).removeprefix("torch.")
    origin = getattr(module, "name_or_path", "") or name
    named = NamedModel(
        name, HF + origin, choices, chosen.model_copy(update={"precision": precision}),
        Path(origin), card,
    )  # fmt: skip
    return TransformerObject(module, tokenizer, named)


# --- sentence-transformers, model2vec -------------------------------------------------------------


class SentenceObject(SentenceModelSource):
    """Texts encoded by a ``SentenceTransformer``, as ``st:`` does."""

    prefix = ""

    def __init__(self, model: Any) -> None:
        Encoder.__init__(self, type(model).__name__)
        self._model = model
        require_plain(model, self.name)
        origins = (getattr(part, "name_or_path", "") for part in model.modules())
        self.model_name = next(filter(None, origins), self.name)
        self.precision = str(model.dtype).removeprefix("torch.")
        names = ((type(part).__name__, part) for part in model)
        self._parts = ", ".join(
            pooling_called(part.get_config_dict()) if name == "Pooling" else name
            for name, part in names
        )
        named = {"prompts": model.prompts, "default_prompt_name": model.default_prompt_name}
        self._prompt, self._notes = prompt_of(named, memory=True)

    @property
    def fingerprint(self) -> str:
        """Hash of the weights and of all settings that decide numbers, as they are now."""
        model = self._model
        decides = (
            f"{digest_of(model, model.tokenizer)};{self._prompt!r};{model.max_seq_length};"
            f"{model.truncate_dim}"
        )
        return f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}"

    @property
    def loaded(self) -> Loaded:
        """The model, on the device where it is."""
        repeat_products()
        return wrap_model(self._model, self.name)


class StaticObject(Encoder):
    """Texts encoded by a ``StaticModel`` of model2vec: the mean of the vectors of its tokens."""

    def __init__(self, model: Any) -> None:
        super().__init__(type(model).__name__)
        self._model = model

    @property
    def fingerprint(self) -> str:
        """Hash of all arrays and of the tokenizer."""
        model = self._model
        digest = hashlib.sha256(f"{tokenizer_digest(model.tokenizer)};{model.normalize}".encode())
        for name in ("embedding", "weights", "token_mapping"):
            array = getattr(model, name, None)
            if array is not None:
                digest.update(f"{name}{array.dtype}{array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
        return f"sha256:{digest.hexdigest()}"

    @cached_property
    def encoding(self) -> Encoding:
        """How a text becomes a vector."""
        return Encoding(
            model=getattr(self._model, "base_model_name", None) or self.name,
            architecture=f"model2vec {version('model2vec')}",
            level="sentence",
            pool="mean",
            roundoff=roundoff_of("float32"),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Have the model encode items; no text is cut."""

        def call(texts: list[str]) -> Any:
            return self._model.encode(texts, max_length=None, use_multiprocessing=False)

        yield from self.in_calls(items, lambda item: item.content, AT_ONCE, call)
