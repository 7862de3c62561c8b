"""From a source string, or a model in memory, to a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eatlas.encoders.cache.option import take_cache
from eatlas.encoders.hf import SCHEME
from eatlas.encoders.language.cached import CachedLanguageModel, about_kept
from eatlas.encoders.language.hf import open_hf_language_model
from eatlas.encoders.language.kinds import not_of_kind
from eatlas.encoders.language.questions import Kind, LanguageModel
from eatlas.errors import SourceError, described
from eatlas.sources.care import computes_afresh

_CALLED = {"masked": "a masked language model", "causal": "a causal language model"}
_ALLOWED = "hf:NAME or hf:FOLDER of a language model, or one in memory: eatlas.language_model(...)"


def open_language_model(spec: Any, kind: Kind) -> LanguageModel:
    """Open a language model.

    Parameters
    ----------
    spec : str, path or LanguageModel
    kind : {"masked", "causal"}
        What the model must do: fill masks, or continue a text.

    Raises
    ------
    SourceError
        If this is no language model, or one of another kind.
    """
    if isinstance(spec, LanguageModel) and not isinstance(spec, type):
        return _of_kind(spec, kind)
    if isinstance(spec, str) and spec.startswith(SCHEME):
        return _open_hf(spec, kind)
    name = str(spec) if isinstance(spec, str | Path) else described(spec)
    raise SourceError(
        f"{name}: log-probabilities need {_CALLED[kind]}, and this is none",
        allowed=_ALLOWED,
        remedy=f"did you mean {SCHEME}{name}?" if Path(name, "config.json").is_file() else None,
    )


def _open_hf(text: str, kind: Kind) -> LanguageModel:
    """Open a model whose answers are kept, unless its source string says ``cache=no``."""
    plain, keep = take_cache(text)
    if not keep or computes_afresh():
        return open_hf_language_model(plain, kind)
    known = lambda fingerprint: about_kept(fingerprint) is not None  # noqa: E731
    return CachedLanguageModel(open_hf_language_model(plain, kind, known))


def _of_kind(model: LanguageModel, kind: Kind) -> LanguageModel:
    if model.kind == kind:
        return model
    raise not_of_kind(model.name, kind, f"a {model.kind} language model")
