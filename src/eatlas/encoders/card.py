"""What a model's own files say about it, read without loading it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eatlas.encoders.families import Family, family_of
from eatlas.encoders.gguf_header import read_gguf_header
from eatlas.errors import SourceError

CONFIG = "config.json"
_DIM = ("hidden_size", "d_model", "n_embd", "dim")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
"""Names that configurations give the same number; GPT-2, DistilBERT and T5 have their own."""
_POSITIONS = ("max_position_embeddings", "n_positions")
_AFTER_PADDING = frozenset(
    (
        "camembert", "data2vec-text", "ibert", "longformer", "mpnet", "roberta",
        "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod",
    )
)  # fmt: skip
"""Model types that count positions from behind the index of padding, so 514 places hold 512."""
_HEAD = re.compile(r"(For[A-Z]\w*|LMHeadModel|DoubleHeadsModel|EncoderModel)$")


@dataclass(frozen=True)
class Card:
    """What is known of a model before it is loaded."""

    model_type: str
    architecture: str
    """Class of the model that is used, such as BertModel."""
    family: Family | None
    dim: int
    """Components of a vector of any layer but the top."""
    top_dim: int
    """Components of a vector of the top layer; OPT-350m projects it."""
    top: int
    """Number of the top layer."""
    positions: int | None
    """Tokens that the model has positions for, special ones included; None without a limit."""
    weights: int | None = None
    """Number of weights, where the file says it."""

    def dim_of(self, layer: int) -> int:
        """Components of a vector of one layer."""
        return self.top_dim if layer == self.top else self.dim


def read_card(path: Path) -> Card:
    """Read what the files of a model say: a folder with config.json, or a GGUF file.

    Raises
    ------
    SourceError
        If they cannot be read, or say too little.
    """
    return _of_gguf(path) if path.is_file() else _of_config(path / CONFIG)


def require_no_kernels(config: Any, file: Path) -> None:
    """Refuse a configuration that names code on a hub, which transformers fetches and runs.

    Raises
    ------
    SourceError
        If an implementation of attention, or of another part, is a name on a hub.
    """
    if isinstance(config, dict):
        for key, value in config.items():
            if str(key).endswith("_implementation") and "/" in str(value):
                raise SourceError(
                    f"{file}: the configuration names code on a hub",
                    got=f"{key}: {str(value)[:100]}",
                    allowed="eager, sdpa and others that are part of transformers",
                    remedy=f"take the line {key} out of the file",
                )
            require_no_kernels(value, file)
    elif isinstance(config, list):
        for value in config:
            require_no_kernels(value, file)


def _of_config(file: Path) -> Card:
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{file}: the configuration cannot be read", got=str(error)) from error
    if not isinstance(config, dict):
        raise SourceError(f"{file}: this is no configuration of a model")
    require_no_kernels(config, file)
    kind = str(config.get("model_type", ""))
    named = config.get("architectures") or [""]
    architecture = str(named[0]) if isinstance(named, list) else ""
    both = config.get("is_encoder_decoder") is True
    dim = _number(config, _DIM, file)
    return Card(
        model_type=kind,
        architecture=_plain_class(architecture or kind, both=both),
        family=family_of(kind, architecture, both=both),
        dim=dim,
        top_dim=config.get("word_embed_proj_dim") or dim,
        top=_top(config, file, both=both),
        positions=_positions(config, kind),
    )


def _of_gguf(path: Path) -> Card:
    header = read_gguf_header(path)
    kind = str(header.values.get("general.architecture", ""))
    about = {
        key.removeprefix(f"{kind}."): value
        for key, value in header.values.items()
        if key.startswith(f"{kind}.")
    }
    dim = _number(about, ("embedding_length",), path)
    both = kind == "t5"
    return Card(
        model_type=kind,
        architecture=f"{kind} (GGUF)",
        # what transformers reads of these files are causal models, T5 and its encoder
        family=family_of(kind, "ForCausalLM", both=both or kind == "t5encoder"),
        dim=dim,
        top_dim=dim,
        top=_number(about, ("block_count",), path),
        positions=about.get("context_length"),
        weights=header.weights,
    )


def _top(config: Mapping[str, Any], file: Path, *, both: bool) -> int:
    """Number of the top layer; of the encoder, where there is also a decoder."""
    first = ("encoder_layers",) if both else ()
    return _number(config, (*first, *_LAYERS), file)


def _positions(config: Mapping[str, Any], kind: str) -> int | None:
    found = next((config[name] for name in _POSITIONS if isinstance(config.get(name), int)), None)
    if found is None or found <= 0:
        return None
    if kind in _AFTER_PADDING:
        padding = config.get("pad_token_id")
        return int(found) - (1 if padding is None else padding) - 1
    return int(found)


def _number(config: Mapping[str, Any], names: tuple[str, ...], file: Path) -> int:
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    raise SourceError(
        f"{file}: the configuration does not say what is needed",
        got=f"model type {config.get('model_type', 'unknown')}",
        allowed=f"a transformer of texts, with {' or '.join(names)}",
    )


def _plain_class(architecture: str, *, both: bool) -> str:
    """Class of the model below its head.

    >>> _plain_class("BertForMaskedLM", both=False)
    'BertModel'
    """
    plain = _HEAD.sub("Model", architecture)
    return f"{plain} (encoder)" if both else plain
