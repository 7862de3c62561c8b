"""What a model's own files say about it, read without loading it: config.json, or GGUF's head.

GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from eatlas.decoding import json_value
from eatlas.encoders.model_settings import require_own_settings
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
DECODERS = frozenset(
    (
        "bloom", "codegen", "cohere", "cohere2", "ctrl", "deepseek_v2", "deepseek_v3", "exaone",
        "falcon", "falcon_h1", "falcon_mamba", "gemma", "gemma2", "gemma3_text", "glm", "glm4",
        "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox", "gpt_neox_japanese", "gpt_oss", "gptj",
        "granite", "granitemoe", "helium", "jamba", "jetmoe", "llama", "mamba", "mamba2",
        "mistral", "mixtral", "mpt", "nemotron", "olmo", "olmo2", "olmo3", "olmoe",
        "openai-gpt", "opt", "persimmon", "phi", "phi3", "phimoe", "qwen2", "qwen2_moe",
        "qwen3", "qwen3_moe", "recurrent_gemma", "rwkv", "smollm3", "stablelm", "starcoder2",
        "xglm", "zamba", "zamba2",
    )
)  # fmt: skip
"""Model types of config.json that read a text from left to right."""
ENCODERS = frozenset(
    (
        "albert", "bert", "big_bird", "camembert", "convbert", "data2vec-text", "deberta",
        "deberta-v2", "distilbert", "electra", "ernie", "esm", "eurobert", "flaubert", "funnel",
        "ibert", "layoutlm", "longformer", "luke", "megatron-bert", "mobilebert", "modernbert",
        "mpnet", "mra", "nezha", "nystromformer", "qdqbert", "rembert", "roberta",
        "roberta-prelayernorm", "roc_bert", "roformer", "splinter", "squeezebert", "xlm",
        "xlm-roberta", "xlm-roberta-xl", "xlnet", "xmod", "yoso",
    )
)  # fmt: skip
"""Model types whose every token sees the whole text."""
_DECODER_CLASS = re.compile(r"(ForCausalLM|LMHeadModel|DoubleHeadsModel)$")
_ENCODER_CLASS = re.compile(r"For(MaskedLM|PreTraining|QuestionAnswering|TokenClassification)$")
MOST_LAYERS = 2_000
"""The deepest transformers have 1,000."""
_LAYERED = re.compile(r"(layers?|depths?|blocks|block_count|experts?|expert_count)$")
"""Keys of what a model is built of, piece by piece."""
MAGIC = b"GGUF"
VERSIONS = (2, 3)
_PLAIN = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
"""Types of one value of fixed size, by their number in the file."""
_TEXT, _ARRAY = 8, 9
_DIMENSIONS = 4
"""Of a tensor at most, by the format."""
_LONGEST = 2**24
"""Characters of a text and values of an array beyond this mean that the file is damaged; the
largest vocabularies have 300,000 tokens."""


@dataclass(frozen=True)
class ModelFamily:
    """A kind of transformer, and its defaults; the top layer is the default of all."""

    name: str
    pool: str
    """How the tokens of a text become one vector."""
    subword: str
    """How the pieces of a stimulus become one vector."""


ENCODER = ModelFamily("encoder", pool="cls", subword="mean")
"""[CLS]: May et al. 2019, table 3. Mean of the pieces: Husse and Spitz 2022, section 3."""
DECODER = ModelFamily("causal", pool="last", subword="last")
"""Only the last token has seen the whole text: May et al. 2019, appendix; the last piece of the
stimulus: GPT-2 in ML-EAT."""
ENCODER_DECODER = ModelFamily("encoder-decoder", pool="mean", subword="mean")
"""T5 has no [CLS], and the mean of the encoder beats its first token (Ni et al. 2022,
Sentence-T5)."""


def family_of(model_type: str, architecture: str, *, both: bool) -> ModelFamily | None:
    """Tell the family of a model by what its configuration says; None where that is not known."""
    if both:
        return ENCODER_DECODER
    if model_type in DECODERS:
        return DECODER
    if model_type in ENCODERS:
        return ENCODER
    if _DECODER_CLASS.search(architecture):
        return DECODER
    return ENCODER if _ENCODER_CLASS.search(architecture) else None


@dataclass(frozen=True)
class ModelConfig:
    """What is known of a model before it is loaded."""

    model_type: str
    architecture: str
    """Class of the model that is used, such as BertModel."""
    family: ModelFamily | None
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


def read_card(path: Path) -> ModelConfig:
    """Read what the files of a model say: a folder with config.json, or a GGUF file."""
    return _of_gguf(path) if path.is_file() else _of_config(path / CONFIG)


def read_config(file: Path) -> dict[str, Any]:
    """Read config.json of a model."""
    require_own_settings(file.parent.iterdir())
    try:
        config = json_value(file.read_bytes())
    except (OSError, ValueError) as error:
        raise SourceError(f"{file}: the configuration cannot be read", got=str(error)) from error
    if not isinstance(config, dict):
        raise SourceError(f"{file}: this is not a configuration of a model")
    require_few_layers(config, file)
    return config


def require_few_layers(config: Any, file: Path) -> None:
    """Refuse a configuration of so many layers or experts that building them would never end."""
    for key, value in config.items():
        numbers = value if isinstance(value, list) else [value]
        if _LAYERED.search(str(key)) and any(_beyond(one) for one in numbers):
            raise SourceError(
                f"{file}: the configuration has more layers than any model",
                got=f"{key}: {str(value)[:100]}",
                allowed=f"at most {MOST_LAYERS:,}",
                remedy="fetch the model again",
            )
        for one in numbers:
            if isinstance(one, dict):
                require_few_layers(one, file)


def _beyond(value: Any) -> bool:
    return isinstance(value, int | float) and value > MOST_LAYERS


def _of_config(file: Path) -> ModelConfig:
    """Read a card from config.json."""
    config = read_config(file)
    kind = str(config.get("model_type", ""))
    named = config.get("architectures") or [""]
    architecture = str(named[0]) if isinstance(named, list) else ""
    both = config.get("is_encoder_decoder") is True
    dim = _number(config, _DIM, file)
    return ModelConfig(
        model_type=kind,
        architecture=_plain_class(architecture or kind, both=both),
        family=family_of(kind, architecture, both=both),
        dim=dim,
        top_dim=config.get("word_embed_proj_dim") or dim,
        top=_top(config, file, both=both),
        positions=_positions(config, kind),
    )


def _of_gguf(path: Path) -> ModelConfig:
    """Read a card from the header of a GGUF file."""
    header = read_gguf_header(path)
    require_few_layers(header.values, path)
    kind = str(header.values.get("general.architecture", ""))
    about = {
        key.removeprefix(f"{kind}."): value
        for key, value in header.values.items()
        if key.startswith(f"{kind}.")
    }
    dim = _number(about, ("embedding_length",), path)
    both = kind == "t5"
    return ModelConfig(
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


@dataclass(frozen=True)
class GGUFHeader:
    """Metadata without arrays, and the number of weights."""

    values: dict[str, Any]
    weights: int


def read_gguf_header(path: Path) -> GGUFHeader:
    """Read the header of a GGUF file."""
    try:
        with path.open("rb") as file:
            return _read(_Reader(file), path)
    except (struct.error, UnicodeDecodeError, EOFError, RecursionError) as error:
        raise SourceError(
            f"{path}: the header of this GGUF file is damaged or cut off",
            remedy="fetch the file again",
        ) from error
    except OSError as error:
        raise SourceError(f"{path}: the file cannot be read", got=str(error)) from error


def _read(reader: _Reader, path: Path) -> GGUFHeader:
    """Read magic, version, metadata and sizes of tensors."""
    magic = reader.take(4)
    version: int = reader.number("<I")
    if magic != MAGIC or version not in VERSIONS:
        raise SourceError(
            f"{path}: this is not a GGUF file that can be read",
            got=f"version {version}" if magic == MAGIC else repr(magic),
            allowed=f"a file that begins with GGUF, of version {VERSIONS[0]} or {VERSIONS[1]}",
        )
    tensors, count = reader.number("<Q"), reader.number("<Q")
    values = {}
    for _ in range(count):
        key, value = reader.text(), reader.value(reader.number("<I"))
        if value is not None:
            values[key] = value
    return GGUFHeader(values, sum(_size(reader) for _ in range(tensors)))


def _size(reader: _Reader) -> int:
    """Number of weights of the next tensor."""
    reader.text()
    dimensions = reader.number("<I")
    if dimensions > _DIMENSIONS:
        raise EOFError
    sizes = [reader.number("<Q") for _ in range(dimensions)]
    reader.take(4 + 8)  # the type of its numbers, and where they begin
    return prod(sizes)


class _Reader:
    """Numbers and texts of a GGUF header, read in turn; EOFError where the file ends early."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def take(self, size: int) -> bytes:
        if size > _LONGEST:
            raise EOFError
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def number(self, kind: str) -> Any:
        return struct.unpack(kind, self.take(struct.calcsize(kind)))[0]

    def text(self) -> str:
        return self.take(self.number("<Q")).decode("utf-8")

    def value(self, kind: int) -> Any:
        """Return the next value; None for an array, which is stepped over."""
        if kind == _TEXT:
            return self.text()
        if kind in _PLAIN:
            return self.number(_PLAIN[kind])
        if kind != _ARRAY:
            raise EOFError
        inner, length = self.number("<I"), self.number("<Q")
        if length > _LONGEST:
            raise EOFError
        self._skip(inner, length)
        return None

    def _skip(self, kind: int, length: int) -> None:
        """Step over the values of an array."""
        if kind in _PLAIN:
            self.take(struct.calcsize(_PLAIN[kind]) * length)
            return
        for _ in range(length):
            if kind == _TEXT:
                self.take(self.number("<Q"))
            else:
                self.value(kind)
