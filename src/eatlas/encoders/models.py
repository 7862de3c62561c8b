"""From a source string to the files of the model that it names, and what they say of it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from eatlas.encoders.encoder import first_line, require_extra
from eatlas.encoders.model_settings import require_few_layers, require_own_settings
from eatlas.encoders.options import EVERY, OPTIONS, POOLS_OF_IMAGES, Layers, Options, parse
from eatlas.errors import ResultsError, SourceError
from eatlas.folders import cache_folder
from eatlas.paths import is_file, is_folder
from eatlas.sources.spec import FileSpec, check_options, escape, parse_file_spec
from eatlas.untrusted import computes_afresh, only_data, require_trust
from eatlas.writing import atomic_file

HF, CLIP = "hf:", "clip:"
CONFIG = "config.json"
GGUF = ".gguf"
SAFETENSORS = "model.safetensors"
PICKLED = "pytorch_model.bin"
INDEX = ".index.json"
MODULES = "modules.json"
ABOUT = "config_sentence_transformers.json"
FIRST = "sentence_bert_config.json"
README = "README.md"
TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model",
    "tokenizer.model", "spm.model", "bpe.codes",
)  # fmt: skip
"""What tokenizers of transformers are read from."""
PROCESSOR = ("preprocessor_config.json", "processor_config.json")
"""Where transformers keeps the settings of an image processor; the second nests them."""
_WANTED = (
    CONFIG, *TOKENIZER, *PROCESSOR, MODULES, ABOUT, FIRST, "*_Pooling/config.json", README,
)  # fmt: skip
"""What is fetched from a hub beside the weights, which often lie there in five formats."""
_FORMS = {
    HF: "hf:NAME, hf:FOLDER with config.json, hf:FILE.gguf; a NAME on the hub is such as "
    "bert-base-cased or facebook/opt-125m",
    CLIP: "clip:NAME, clip:FOLDER with config.json; a NAME on the hub is such as "
    "openai/clip-vit-base-patch32",
}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
Takes = Literal["texts", "images", "both"]
_OTHERS: dict[Takes, tuple[str, str]] = {
    "texts": ("takes texts alone", "hf:{name} takes models of texts, and of images"),
    "images": ("takes images alone", "hf:{name} takes models of texts, and of images"),
    "both": ("takes texts and images, in one space", "name it clip:{name}"),
}
PADDED = {"siglip": 64, "siglip2": 64}
"""Model types whose texts are padded to so many tokens and read without a mask, as they were in
training (Zhai et al. 2023)."""


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


@dataclass(frozen=True)
class Vision:
    """A kind of model of images alone."""

    pool: str = "pooled"
    """How its patches become one vector by default."""
    before: int = 0
    """Special tokens before the patches, such as [CLS]."""
    layers: bool = False
    """Whether layers can be chosen: those of a pyramid differ in length."""

    @property
    def pools(self) -> tuple[str, ...]:
        """What the option pool may be."""
        return tuple(pool for pool in POOLS_OF_IMAGES if self.before or pool != "cls")


VISION = {
    **dict.fromkeys(("vit", "vit_msn", "dinov2", "dinov2_with_registers", "dinov3_vit"),
                    Vision("cls", 1, layers=True)),
    "deit": Vision("cls", 2, layers=True),
    **dict.fromkeys(("beit", "data2vec-vision"), Vision("mean", 1, layers=True)),
    "ijepa": Vision("mean", layers=True),
    "clip_vision_model": Vision("pooled", 1, layers=True),
    "siglip_vision_model": Vision("pooled", layers=True),
    **dict.fromkeys(("convnext", "convnextv2", "efficientnet", "regnet", "resnet", "swin",
                     "swinv2"), Vision()),
}  # fmt: skip
"""By model type. The mean of the patches is what BEiT is fine-tuned on (Bao et al. 2022), [CLS]
what ViT and DINOv2 are read by (Dosovitskiy et al. 2021; Oquab et al. 2024)."""


@dataclass(frozen=True)
class Card:
    """What is known of a model before its weights are loaded."""

    config: Any = field(repr=False)
    """As AutoConfig of transformers reads it."""
    architecture: str
    """Class of the model that is used, such as BertModel."""
    takes: Takes
    dim: int
    """Components of a vector of any layer but the top."""
    top_dim: int
    """Components of a vector of the top layer; OPT-350m projects it."""
    top: int
    """Number of the top layer."""
    positions: int | None = None
    """Tokens that the configuration has positions for; None without a limit."""
    family: ModelFamily | None = None
    vision: Vision = Vision()

    @property
    def model_type(self) -> str:
        """Such as bert."""
        return str(self.config.model_type)

    def dim_of(self, layer: int) -> int:
        """Components of a vector of one layer."""
        return self.top_dim if layer == self.top else self.dim


# --- what is named --------------------------------------------------------------------------------


@dataclass(frozen=True)
class NamedModel:
    """A model that a source string names, with its options."""

    text: str
    """The source string."""
    scheme: str
    spec: FileSpec
    options: Options
    path: Path
    """Folder of the model, or a GGUF file."""
    card: Card

    @property
    def name(self) -> str:
        """The model without scheme and options."""
        return str(self.spec.path)

    @property
    def label(self) -> str:
        """The model as messages name it."""
        return f"{self.scheme}{self.name}"

    def by_layer(self, choices: tuple[Layers, ...]) -> Iterator[tuple[Layers, NamedModel]]:
        """Yield the model as it is named for one choice of layers by itself."""
        for layers in choices:
            if self.options.layer != EVERY:
                yield layers, self
                continue
            options = {**self.spec.options, "layer": str(layers)}
            query = "&".join(f"{key}={escape(value)}" for key, value in options.items())
            alone = replace(self.options, layer=str(layers))
            yield layers, replace(self, text=f"{self.label}?{query}", options=alone)


def find_model(
    text: str,
    scheme: str = HF,
    allowed: Mapping[str, str] = OPTIONS,
    takes: tuple[Takes, ...] = ("texts",),
) -> NamedModel:
    """Find the files of the model that a source string names, and check its options."""
    spec = parse_file_spec(text.removeprefix(scheme))
    name = str(spec.path)
    label = f"{scheme}{name}"
    if spec.member is not None or not text.removeprefix(scheme).partition("?")[0]:
        raise SourceError(f"{text}: no model is named (# is written %23)", allowed=_FORMS[scheme])
    check_options(spec.options, allowed, label)
    options = parse(spec.options, label)
    if options.trust:
        require_trust(f"run Python code that comes with the model {name}")
    require_extra(
        ("torch", "transformers"), f"{text}: transformers need packages that are not installed"
    )
    path = _find(name, options, scheme)
    card = read_card(path, trust=options.trust)
    if card.takes not in takes:
        fault, remedy = _OTHERS[card.takes]
        raise SourceError(
            f"{label}: this model {fault}",
            got=f"model type {card.model_type}",
            remedy=remedy.format(name=name),
        )
    if card.takes != "texts":
        needs = "images need a package that is not installed"
        require_extra(("PIL",), f"{text}: {needs}", extra="clip")
    files_of(path, weights=options.weights == "trained")
    return NamedModel(text, scheme, spec, options, path, card)


def _find(name: str, options: Options, scheme: str) -> Path:
    """Folder of a model, or its GGUF file."""
    path = Path(name).expanduser()
    if is_folder(path):
        if (path / CONFIG).is_file():
            return path
        raise SourceError(
            f"{path}: this folder holds no transformer", got=listing(path), allowed=_FORMS[scheme]
        )
    if is_file(path):
        if path.suffix.lower() == GGUF and scheme == HF:
            return path
        near = path.parent if (path.parent / CONFIG).is_file() else None
        raise SourceError(
            f"{path}: this file is not a transformer",
            allowed=_FORMS[scheme],
            remedy=f"name the folder: {scheme}{near}" if near else None,
        )
    trained = options.weights == "trained"

    def whole(folder: Path) -> bool:
        there = [file.name for file in folder.iterdir()]
        seeing = scheme == HF or any(file in there for file in PROCESSOR)
        return CONFIG in there and seeing and bool(weight_files(there) or not trained)

    def wanted() -> dict[str, Any]:
        from huggingface_hub import HfApi  # noqa: PLC0415

        info = HfApi().model_info(name, revision=options.revision)
        weights = weight_files([f.rfilename for f in info.siblings or ()]) if trained else ()
        return {"allow_patterns": [*_WANTED, *weights, *["*.py"] * options.trust]}

    return on_the_hub(name, name, scheme, options.revision, whole, wanted)


def on_the_hub(
    name: str,
    full_name: str,
    scheme: str,
    revision: str,
    whole: Callable[[Path], bool],
    wanted: Callable[[], dict[str, Any]],
) -> Path:
    """Folder of a model that has a name on the hub; what is missing is fetched."""
    if not _NAME.fullmatch(name) or name.endswith(GGUF):
        raise SourceError(
            f"{scheme}{name}: there is no such folder or file",
            allowed=_FORMS.get(scheme),
            remedy="check the path, or the name on the hub",
        )
    require_trust(f"ask the hub of Hugging Face for the model {name}, and load it")
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    try:
        with suppress(LocalEntryNotFoundError):
            folder = Path(snapshot_download(full_name, revision=revision, local_files_only=True))
            if whole(folder):
                return folder
        return Path(snapshot_download(full_name, revision=revision, **wanted()))
    except Exception as error:
        raise SourceError(
            f"{scheme}{name}: the model is not on this machine, and cannot be fetched from the hub",
            got=first_line(error),
            remedy="check the name and the network; for a private or gated model: hf auth login; "
            f"or name a folder: {scheme}/path/to/model",
        ) from error


# --- files ----------------------------------------------------------------------------------------


def listing(folder: Path) -> str:
    """What a folder holds, for a message."""
    return ", ".join(sorted(file.name for file in folder.iterdir())[:10]) or "an empty folder"


def weight_files(there: Collection[str]) -> tuple[str, ...]:
    """Return which files of a folder hold the weights, as transformers chooses.

    The safetensors before the pickled ones; several parts come with an index that names them.
    """
    for whole in (SAFETENSORS, PICKLED):
        if whole in there:
            return (whole,)
        if whole + INDEX in there:
            stem, suffix = whole.rsplit(".", 1)
            parts = [file for file in there if re.fullmatch(rf"{stem}-.*\.{suffix}", file)]
            return (*sorted(parts), whole + INDEX)
    return ()


def files_of(path: Path, *, weights: bool, beside: Collection[str] = ()) -> tuple[Path, ...]:
    """Return all files of a model that its vectors depend on, in a fixed order."""
    if path.is_file():
        return (path,)
    there = sorted(file.name for file in path.iterdir() if file.is_file())
    named = {CONFIG, *TOKENIZER, *beside}
    files = [name for name in there if name in named or name.endswith(".py")]
    if weights:
        parts = weight_files(there)
        if not parts:
            raise SourceError(
                f"{path}: there are no weights that can be read",
                got=listing(path),
                allowed=f"{SAFETENSORS}, {PICKLED} (only numbers are read from it), or parts of "
                "either with their index; a GGUF file is named itself",
                remedy="weights=random needs none",
            )
        if parts[-1].endswith(INDEX):
            _require_parts(path / parts[-1], parts)
        files += parts
    return tuple(path / name for name in files)


def _require_parts(index: Path, parts: Collection[str]) -> None:
    """Refuse an index that names parts which are not in the folder."""
    try:
        named = set(json.loads(index.read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise SourceError(f"{index}: the index cannot be read") from error
    if missing := sorted(map(str, named.difference(parts))):
        raise SourceError(
            f"{index.parent}: parts of the model's weights are not there",
            got=", ".join(missing)[:200],
            remedy="fetch the model again",
        )


def content_of(
    path: Path, *, weights: Literal["trained", "random"], beside: Collection[str] = ()
) -> str:
    """Hash of all files that decide numbers; of the libraries, where they draw the weights."""
    random = weights == "random"
    digest = hashlib.sha256()
    for file in files_of(path, weights=not random, beside=beside):
        digest.update(f"{file.name} {sha256_of(file)}\n".encode())
    if random:
        digest.update(f"torch {version('torch')} {version('transformers')}".encode())
    return digest.hexdigest()


def sha256_of(file: Path) -> str:
    """SHA-256 of a file; kept by path, size, times and inode, so that it is computed once."""
    try:
        real = file.resolve(strict=True)
        state = real.stat()
        cached = cache_folder() / "hashes" / hashlib.sha256(os.fsencode(real)).hexdigest()
        mark = f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino} "
        with suppress(OSError, ValueError):
            text = "" if computes_afresh() else cached.read_text(encoding="ascii")
            if text.startswith(mark) and len(text) == len(mark) + 64:
                return text.removeprefix(mark)
        with real.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{file}: the file cannot be read", got=str(error)) from error
    # where it cannot be kept, the hash is computed again
    with suppress(ResultsError), atomic_file(cached) as written:
        written.write(mark + digest)
    return digest


# --- configurations -------------------------------------------------------------------------------


def read_card(path: Path, *, trust: bool = False) -> Card:
    """Read what the files of a model say, without its weights."""
    config = _config(path, trust=trust)
    try:
        return _card(config, path)
    except (AttributeError, TypeError, IndexError) as error:
        raise SourceError(
            f"{path}: the configuration does not say what is needed",
            got=f"model type {config.model_type}: {error}",
            allowed="a transformer of texts or images",
        ) from error


def _card(config: Any, path: Path) -> Card:
    """What a configuration says of a model, read by transformers."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES  # noqa: PLC0415

    kind = str(config.model_type)
    named = (getattr(config, "architectures", None) or [kind])[0]
    architecture = MODEL_MAPPING_NAMES.get(kind, named)
    architecture = architecture if isinstance(architecture, str) else architecture[0]
    texts, images = (getattr(config, f"{part}_config", None) for part in ("text", "vision"))
    if texts is not None and images is not None:
        lengths = [getattr(config, "projection_dim", None)]
        lengths += [getattr(texts, key, None) for key in ("projection_size", "hidden_size")]
        dim = next(filter(None, lengths))
        positions = PADDED.get(kind) or getattr(texts, "max_position_embeddings", None)
        return Card(config, architecture, "both", dim, dim, 1, positions)
    if kind in VISION:
        vision = VISION[kind]
        more = getattr(config, "num_register_tokens", 0) * vision.layers
        vision = replace(vision, before=vision.before + more)
        sizes = getattr(config, "hidden_sizes", None)
        dim = sizes[-1] if sizes else getattr(config, "hidden_size", None) or config.hidden_dim
        top = config.num_hidden_layers if vision.layers else 1
        return Card(config, architecture, "images", dim, dim, top, vision=vision)
    both = bool(getattr(config, "is_encoder_decoder", False))
    if path.is_file():
        architecture = f"{kind} (GGUF)"
    elif both:
        architecture = f"{architecture} (encoder)"
    dim, top = config.hidden_size, config.num_hidden_layers
    keys = ("max_position_embeddings", "n_positions")
    positions = next((n for key in keys if (n := getattr(config, key, None)) and n > 0), None)
    return Card(
        config,
        architecture,
        "texts",
        dim=dim,
        top_dim=getattr(config, "word_embed_proj_dim", None) or dim,
        top=top,
        positions=positions,
        family=_family(kind, str(named), both=both),
    )


def _family(kind: str, architecture: str, *, both: bool) -> ModelFamily | None:
    """Tell the family of a model; None where that is not known."""
    from transformers.models.auto import modeling_auto as auto  # noqa: PLC0415

    if both or "t5" in kind:
        return ENCODER_DECODER
    # BERT and others are in both lists; XLNet is in the second alone, and reads a text whole
    if kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES or kind == "xlnet":
        return ENCODER
    if kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return DECODER
    if architecture.endswith(("ForCausalLM", "LMHeadModel")):
        return DECODER
    return ENCODER if architecture.endswith(("ForMaskedLM", "ForPreTraining")) else None


def _config(path: Path, *, trust: bool) -> Any:
    """The configuration of transformers, once nothing in the folder leads out of it."""
    if path.is_file():
        require_extra(("gguf",), f"{path}: GGUF files need a package that is not installed")
        if only_data():
            require_trust(f"parse the GGUF file {path}, whose lengths its reader does not check")
        values = gguf_values(path)
        require_few_layers({key: v for key, v in values.items() if isinstance(v, int)}, path)
    else:
        require_own_settings(path.iterdir())
    from transformers import AutoConfig  # noqa: PLC0415  (seconds)

    folder, more = location(path)
    try:
        with one_reading_of_gguf(path):
            return AutoConfig.from_pretrained(folder, trust_remote_code=trust, **more)
    except Exception as error:
        raise SourceError(
            f"{path}: the configuration cannot be read",
            got=first_line(error),
            allowed="what AutoConfig of transformers reads",
            remedy=trust_remedy(error),
        ) from error


def location(path: Path) -> tuple[str, dict[str, Any]]:
    """Folder of a model, and what else loaders of transformers are told of where it is."""
    if path.is_file():
        return str(path.parent), {"gguf_file": path.name}
    return str(path), {"local_files_only": True}


def trust_remedy(error: BaseException) -> str | None:
    """What to do about a model that needs code of its own."""
    if "trust_remote_code" not in str(error):
        return None
    return "the model comes with code of its own; if you trust it: trust_remote_code=yes"


@lru_cache(maxsize=1)
def gguf_reader(path: str) -> Any:
    """The library's reader of a GGUF file, which takes seconds; the last one is kept."""
    from gguf.gguf_reader import GGUFReader  # noqa: PLC0415  (not the one that is replaced below)

    return GGUFReader(path)


@contextmanager
def one_reading_of_gguf(path: Path) -> Iterator[None]:
    """Let configuration, tokenizer and weights share one reading of a GGUF file, which is slow."""
    if not path.is_file():
        yield
        return
    import gguf  # noqa: PLC0415

    with (
        patch.object(gguf, "GGUFReader", lambda file, *_: gguf_reader(str(file))),
        patch.object(gguf, "get_tensor_name_map", cache(gguf.get_tensor_name_map)),
    ):
        yield


def gguf_values(path: Path) -> dict[str, Any]:
    """Metadata of a GGUF file, without arrays."""
    import gguf  # noqa: PLC0415

    try:
        fields = gguf_reader(str(path)).fields.items()
        array = gguf.GGUFValueType.ARRAY
        return {key: field.contents() for key, field in fields if field.types[:1] != [array]}
    except Exception as error:
        raise SourceError(
            f"{path}: this is not a GGUF file that can be read, or it is damaged",
            got=first_line(error),
            remedy="fetch the file again",
        ) from error


# --- logits of two towers -------------------------------------------------------------------------


@dataclass(frozen=True)
class Logits:
    """What makes a logit of a cosine."""

    scale: float | None = None
    bias: float | None = None


def logits_of(path: Path, card: Card, seed: int | None) -> Logits:
    """Read what a two-tower model multiplies cosines by, and adds, before a softmax or sigmoid."""
    config, trained, padded = card.config, seed is None, card.model_type in PADDED
    if card.model_type == "align":
        temperature = _number_in(path, "temperature") if trained else config.temperature_init_value
        return Logits(1 / temperature if temperature else None)
    if not trained:
        start = 0.0 if padded else getattr(config, "logit_scale_init_value", 2.6592)
        return Logits(math.exp(start), 0.0 if padded else None)
    scale = _number_in(path, "logit_scale")
    if scale is None:
        return Logits()
    most = math.log(getattr(config, "max_logit_scale", math.inf))
    return Logits(math.exp(min(scale, most)), _number_in(path, "logit_bias"))


def _number_in(path: Path, name: str) -> float | None:
    """One number among the weights of a model, read without the others."""
    import torch  # noqa: PLC0415
    from safetensors import safe_open  # noqa: PLC0415

    try:
        for file in weight_files([each.name for each in path.iterdir()]):
            if file.endswith(Path(SAFETENSORS).suffix):
                with safe_open(path / file, framework="pt") as weights:
                    if name in set(weights.keys()):
                        return float(weights.get_tensor(name).reshape(-1)[0])
            elif file.endswith(Path(PICKLED).suffix):
                pickled = torch.load(path / file, map_location="cpu", weights_only=True, mmap=True)
                if name in pickled:
                    return float(pickled[name].reshape(-1)[0])
    except Exception as error:
        raise SourceError(
            f"{path}: the weights cannot be read",
            got=first_line(error),
            remedy="fetch the model again",
        ) from error
    return None
