"""From a source string to the files of the model that it names, and what they say of it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter
from safetensors import safe_open

from eatlas.decoding import require_file
from eatlas.encoders.encoder import Options, read_options, require_extra, wrap_errors
from eatlas.encoders.gguf_files import gguf_numbers, one_reading_of_gguf, state_of
from eatlas.errors import ResultsError, SourceError
from eatlas.lazy import import_torch, import_transformers
from eatlas.notes import Note
from eatlas.paths import cache_folder, is_file, is_folder, is_there
from eatlas.sources.spec import CONFIG, GGUF, MODULES, parse_file_spec
from eatlas.untrusted import computes_afresh, only_data, require_trust
from eatlas.writing import atomic_file

HF, CLIP = "hf:", "clip:"
OF_VECTORS = ("level", "layer", "pool", "subword", "special_tokens", "truncate")
"""Options that say how a text becomes a vector."""
SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"
WEIGHTS = (
    (SAFETENSORS, "model-*.safetensors", f"{SAFETENSORS}.index.json"),
    (PICKLED, "pytorch_model-*.bin", f"{PICKLED}.index.json"),
)
"""Patterns of weights in one file, in several, and of their index; the first are preferred."""
ABOUT = "config_sentence_transformers.json"
FIRST = "sentence_bert_config.json"
TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model",
    "tokenizer.model", "spm.model", "bpe.codes",
)  # fmt: skip
"""What tokenizers of transformers are read from."""
CHAT = ("chat_template.jinja", "chat_template.json", "generation_config.json")
"""What else decides how a model is asked, and where its answer ends."""
PROCESSOR = ("preprocessor_config.json", "processor_config.json")
"""Where transformers keeps the settings of an image processor; the second nests them."""
_SMALL = (CONFIG, *TOKENIZER, *CHAT, *PROCESSOR, MODULES, ABOUT, FIRST, "*_Pooling/config.json")
"""What is fetched from a hub next to the weights, which often lie there in five formats."""
_FORMS = {
    HF: "hf:NAME, hf:FOLDER with config.json, hf:FILE.gguf; NAME is a model on the Hugging Face "
    "hub, such as bert-base-cased or facebook/opt-125m",
    CLIP: "clip:NAME, clip:FOLDER with config.json; NAME is a model on the Hugging Face hub, such "
    "as openai/clip-vit-base-patch32",
}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_OWN_POOLS = {
    "Pooling(mean)": "mean-all",
    "Pooling(mean_sqrt_len)": "mean-all",
    "Pooling(cls)": "cls",
    "Pooling(max)": "max-all",
    "Pooling(lasttoken)": "last-all",
}
"""Our name of a pooling by that of sentence-transformers, up to the length of the vector. Theirs
takes special tokens with the others."""
Takes = Literal["texts", "images", "both"]
_TAKES = {"texts": "only texts", "images": "only images", "both": "texts and images"}
PADDED = {"siglip": 64, "siglip2": 64}
"""Model types whose texts are padded to so many tokens and read without a mask, as they were in
training (Zhai et al. 2023)."""
Family = Literal["encoder", "causal", "encoder-decoder", ""]
POOLS: dict[Family, tuple[str, str]] = {
    "encoder": ("cls", "mean"),
    "causal": ("last", "last"),
    "encoder-decoder": ("mean", "mean"),
}
"""How the tokens of a text become one vector by default, and the pieces of a stimulus.

[CLS]: May et al. 2019, table 3. Mean of the pieces: Husse and Spitz 2022, section 3. Of causal
models only the last token has seen the whole text: May et al. 2019, appendix; the last piece of the
stimulus: GPT-2 in ML-EAT. T5 has no [CLS], and the mean of the encoder beats its first token (Ni et
al. 2022, Sentence-T5)."""


FIRST_LOGIT_SCALE = 2.6592
"""Of CLIP, and of others whose configuration says nothing."""
VISION: dict[str, tuple[str, int, bool]] = {
    **dict.fromkeys(("vit", "vit_msn", "dinov2", "dinov2_with_registers", "dinov3_vit"),
                    ("cls", 1, True)),
    "deit": ("cls", 2, True),
    **dict.fromkeys(("beit", "data2vec-vision"), ("mean", 1, True)),
    "ijepa": ("mean", 0, True),
    "clip_vision_model": ("pooled", 1, True),
    "siglip_vision_model": ("pooled", 0, True),
    **dict.fromkeys(("convnext", "convnextv2", "efficientnet", "regnet", "resnet", "swin",
                     "swinv2"), ("pooled", 0, False)),
}  # fmt: skip
"""Models of images alone, by type: pooling by default, special tokens before the patches, such as
[CLS], and whether layers can be chosen, which differ in length in a pyramid. The mean of the
patches is what BEiT is fine-tuned on (Bao et al. 2022), [CLS] what ViT and DINOv2 are read by
(Dosovitskiy et al. 2021; Oquab et al. 2024)."""


@dataclass(frozen=True)
class ModelCard:
    """What is known of a model before its weights are loaded."""

    model_type: str
    """Type of the model in transformers, such as bert."""
    architecture: str
    """Class of the model that is used, such as BertModel."""
    takes: Takes
    dim: int
    """Components of a vector of the top layer."""
    top: int
    """Number of the top layer."""
    family: Family = ""
    pool: str = "pooled"
    """How the patches of an image become one vector by default."""
    before: int = 0
    """Special tokens before the patches."""
    layered: bool = False
    """Whether layers of images can be chosen."""
    saved_classes: tuple[str, ...] = ()
    """Classes of transformers that the model was saved as, such as BertForMaskedLM."""
    vocabulary: int = 0
    """Number of tokens that a model of texts knows."""
    first_logit_scale: float = FIRST_LOGIT_SCALE
    """Logarithm of what an untrained two-tower model multiplies cosines by."""
    max_logit_scale: float | None = None
    """What a two-tower model multiplies cosines by at most; None where there is no limit."""


_CARD = TypeAdapter(ModelCard)


@dataclass(frozen=True)
class LocatedModel:
    """Files that a source string names, none of which is read yet, and its options."""

    text: str
    """The source string."""
    label: str
    """The scheme and the model, without options."""
    given: Mapping[str, str]
    """Options as they are written."""
    options: Options
    path: Path
    """Folder of the model, or a GGUF file."""

    @property
    def name(self) -> str:
        """The model without scheme and options."""
        return self.label.partition(":")[2]


@dataclass(frozen=True)
class NamedModel(LocatedModel):
    """A model that a source string names, with its options, and what its files say of it."""

    card: ModelCard


# --- what is named --------------------------------------------------------------------------------


def find_model(
    text: str, scheme: str = HF, takes: tuple[Takes, ...] = ("texts",), useless: Sequence[str] = ()
) -> NamedModel:
    """Find the model that a source string names, and check its options.

    `useless` are options that have no effect for this purpose.
    """
    return read_model(locate_model(text, scheme, useless), takes)


def locate_model(
    text: str, scheme: str = HF, useless: Sequence[str] = (), kind: type[Options] = Options
) -> LocatedModel:
    """Find the files of a model, without the seconds that reading them takes."""
    spec = parse_file_spec(text.removeprefix(scheme))
    name = str(spec.path)
    label = f"{scheme}{name}"
    if spec.member is not None or not text.removeprefix(scheme).partition("?")[0]:
        raise SourceError(f"{text}: no model is named (# is written %23)", allowed=_FORMS[scheme])
    options = read_options(kind, spec.options, label)
    require_no_use(label, spec.options, useless, kind)
    if options.trust_remote_code:
        require_trust(f"run Python code that comes with the model {name}")
    require_extra(
        ("torch", "transformers"), f"{text}: transformers need packages that are not installed"
    )
    return LocatedModel(text, label, spec.options, options, _find(name, options, scheme))


def read_model(located: LocatedModel, takes: tuple[Takes, ...] = ("texts",)) -> NamedModel:
    """Read what the files of a model say of it."""
    name, path, options = located.name, located.path, located.options
    card = read_card(path, trust=options.trust_remote_code)
    if card.takes not in takes:
        raise SourceError(
            f"{located.label}: this model encodes {_TAKES[card.takes]}",
            got=f"model type {card.model_type}",
            remedy=f"use hf:{name} for models of texts or of images, and clip:{name} for models "
            "of both",
        )
    if card.takes != "texts":
        needs = "images need a package that is not installed"
        require_extra(("PIL",), f"{located.text}: {needs}", extra="clip")
    files_of(path, weights=options.weights == "trained")
    return NamedModel(**vars(located), card=card)


def require_no_use(
    label: str,
    given: Mapping[str, str],
    useless: Collection[str],
    kind: type[Options] = Options,
) -> None:
    """Refuse options that would change nothing."""
    for option in useless:
        if option in given:
            raise SourceError(
                f"{label}: the option {option} has no effect here",
                got=f"{option}={given[option]}",
                allowed=", ".join(sorted(kind.model_fields.keys() - set(useless))),
                remedy=f"remove {option}",
            )


def _find(name: str, options: Options, scheme: str) -> Path:
    """Folder of a model, or its GGUF file."""
    path, trained = Path(name).expanduser(), options.weights == "trained"
    if is_folder(path) and (path / CONFIG).is_file():
        return path
    if is_file(path) and path.suffix.lower() == GGUF and scheme == HF:
        return path
    if is_there(path):
        raise SourceError(
            f"{path}: not a transformer model", got=listing(path), allowed=_FORMS[scheme]
        )

    def whole(folder: Path) -> bool:
        return (folder / CONFIG).is_file() and bool(weight_files(folder) or not trained)

    small = [*_SMALL, *["*.py"] * options.trust_remote_code]
    tries = [{"allow_patterns": [*small, *(patterns if trained else ())]} for patterns in WEIGHTS]
    return on_the_hub(name, scheme, options.revision, whole, tries)


def on_the_hub(
    name: str,
    scheme: str,
    revision: str,
    whole: Callable[[Path], bool],
    tries: Iterable[Mapping[str, Any]],
    owner: str = "",
) -> Path:
    """Folder of a model that has a name on the hub; what is missing is fetched.

    `tries` are what the download is told, one after the other, until the folder is `whole`.
    """
    if not _NAME.fullmatch(name) or name.endswith(GGUF):
        raise SourceError(
            f"{scheme}{name}: there is no such folder or file",
            allowed=_FORMS.get(scheme),
            remedy="check the path, or the name on the Hugging Face hub",
        )
    require_trust(f"ask the hub of Hugging Face for the model {name}, and load it")
    from huggingface_hub import errors, snapshot_download  # noqa: PLC0415  (an optional extra)

    what = "the model is not on this machine, and cannot be fetched from the hub"
    remedy = (
        "check the name and the network; for a private or gated model, run hf auth login; or "
        f"give a folder: {scheme}/path/to/model"
    )
    with wrap_errors(f"{scheme}{name}: {what}", remedy=remedy):
        for told in ({"local_files_only": True}, *tries):
            with suppress(errors.LocalEntryNotFoundError):
                folder = Path(snapshot_download(owner + name, revision=revision, **told))
                if whole(folder):
                    return folder
        raise FileNotFoundError("the hub cannot be reached, or lacks some of the files")


# --- files ----------------------------------------------------------------------------------------


def listing(path: Path) -> str:
    """What a folder holds, for a message."""
    if not path.is_dir():
        return "a file"
    return ", ".join(sorted(file.name for file in path.iterdir())[:10]) or "an empty folder"


def settings_of(file: Path) -> dict[str, Any]:
    """A file of settings; empty where there is none that can be read."""
    try:
        settings = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def weight_files(folder: Path) -> list[Path]:
    """The weights as transformers chooses them: safetensors before pickled ones, whole or parts."""
    for whole, parts, index in WEIGHTS:
        if (folder / whole).is_file():
            return [folder / whole]
        if (folder / index).is_file():
            return [*sorted(folder.glob(parts)), folder / index]
    return []


def files_of(path: Path, *, weights: bool, beside: Collection[str] = ()) -> list[Path]:
    """Return all files of a model that its vectors depend on, in a fixed order."""
    if path.is_file():
        return [path]
    named = {CONFIG, *TOKENIZER, *beside}
    there = sorted(file for file in path.iterdir() if file.is_file())
    files = [file for file in there if file.name in named or file.suffix == ".py"]
    parts = weight_files(path) if weights else []
    if weights and not parts:
        raise SourceError(
            f"{path}: there are no weights that can be read",
            got=listing(path),
            allowed=f"{SAFETENSORS}, {PICKLED} (only numbers are read from it), or parts of "
            "either with their index; a GGUF file is named itself",
            remedy="weights=random needs none",
        )
    return files + parts


def content_of(named: LocatedModel, beside: Collection[str] = ()) -> str:
    """Hash of all files that decide numbers; of the libraries, where they draw the weights.

    Names say what files of a folder are; that of a file which is all of a model says nothing.
    """
    random = named.options.weights == "random"
    digest = hashlib.sha256()
    for file in files_of(named.path, weights=not random, beside=beside):
        name = "" if file == named.path else file.name
        digest.update(f"{name} {sha256_of(file)}\n".encode())
    if random:
        digest.update(f"torch {version('torch')} {version('transformers')}".encode())
    return digest.hexdigest()


def sha256_of(file: Path) -> str:
    """SHA-256 of a file; kept by path, size, times and inode, so that it is computed once."""
    with wrap_errors(f"{file}: the file cannot be read"):
        real = file.resolve(strict=True)
        state = real.stat()
    cached = cache_folder() / "hashes" / hashlib.sha256(os.fsencode(real)).hexdigest()
    mark = f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino} "
    with suppress(OSError, ValueError):
        text = "" if computes_afresh() else cached.read_text(encoding="ascii")
        if text.startswith(mark) and len(text) == len(mark) + 64:
            return text.removeprefix(mark)
    digest = hash_of(real)
    # where it cannot be stored, the hash is computed again
    with suppress(ResultsError), atomic_file(cached) as written:
        written.write(mark + digest)
    return digest


def hash_of(file: Path) -> str:
    """SHA-256 of the bytes of a file."""
    what = f"{file}: the file cannot be read"
    with wrap_errors(what, remedy="check the path"), file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


# --- settings that lead out of the folder ---------------------------------------------------------

_OF_DATA = ("tokenizer.json", "vocab.json", "*.index.json")
"""Large files that libraries read as tables of tokens and weights."""
_OF_A_PART = "sentence_*_config.json"
"""Settings of the transformer in a model of sentence-transformers."""
_ARGUMENTS = ("_args", "_kwargs")
"""Ends of settings there that are handed to functions of transformers."""
_PLAIN = frozenset(
    (
        "add_bos_token", "add_eos_token", "add_pooling_layer", "attn_implementation",
        "do_lower_case", "dtype", "low_cpu_mem_usage", "max_length", "model_max_length",
        "padding_side", "torch_dtype", "truncation_side", "use_cache", "use_fast",
        "use_safetensors",
    )
)  # fmt: skip
"""Arguments that name nothing outside the folder."""
MOST_LAYERS = 2_000
"""The deepest transformers have 1,000."""
_LAYERED = re.compile(r"(layers?|depths?|blocks|block_count|experts?|expert_count)$")
"""Keys of what a model is built of, piece by piece."""


def require_own_settings(files: Iterable[Path]) -> None:
    """Refuse settings of a model that name code or another model, on a hub or elsewhere.

    Libraries follow them. What is taken from there is in no fingerprint, and code of it would run.
    """
    for file in files:
        require_file(file, SourceError)
        if file.suffix != ".json" or any(fnmatch(file.name, pattern) for pattern in _OF_DATA):
            continue
        settings = settings_of(file)  # who needs a file that cannot be read says so
        if file.name == CONFIG:
            require_few_layers(settings, file)
        for key, value in _entries(settings):
            _require_own(file, key, value)


def _require_own(file: Path, key: str, value: Any) -> None:
    """Refuse one setting that leads out of the folder."""
    what, allowed = "", "files of this folder alone"
    if "_implementation" in key and "/" in str(value):
        what = "the configuration names code on a hub"
        allowed = "eager, sdpa and other built-in ones"
    elif "_implementation" in key and "flash" in str(value):
        require_trust(f"load {key} {value}, which transformers may take from a hub")
    elif key == "use_pretrained_backbone" and value:
        require_trust("ask a hub for the weights of the model's backbone")
    elif key in {"tokenizer_name_or_path", "base_model_name_or_path"} and value:
        what = "the settings name another model, which no fingerprint would cover"
    elif key.endswith(_ARGUMENTS) and fnmatch(file.name, _OF_A_PART) and isinstance(value, dict):
        value, allowed = sorted(value.keys() - _PLAIN), ", ".join(sorted(_PLAIN))
        what = "the settings hand arguments over that may lead out of the folder" * bool(value)
    if what:
        remedy, got = "take the line out of the file", f"{key}: {value}"[:200]
        raise SourceError(f"{file}: {what}", got=got, allowed=allowed, remedy=remedy)


def require_few_layers(settings: Any, file: Path) -> None:
    """Refuse so many layers or experts that building them would never end."""
    for key, value in _entries(settings):
        values = value if isinstance(value, list) else [value]
        most = max((number for number in values if isinstance(number, int | float)), default=0)
        if _LAYERED.search(str(key)) and most > MOST_LAYERS:
            raise SourceError(
                f"{file}: the configuration has more layers than any model",
                got=f"{key}: {str(value)[:100]}",
                allowed=f"at most {MOST_LAYERS:,}",
                remedy="fetch the model again",
            )


def _entries(settings: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    left = [settings]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield from value.items()
            left += value.values()
        elif isinstance(value, list):
            left += value


# --- configurations -------------------------------------------------------------------------------


def read_card(path: Path, *, trust: bool = False) -> ModelCard:
    """Read what the files of a model say, without its weights, once nothing leads out of them."""
    if path.is_file():
        require_extra(("gguf",), f"{path}: GGUF files need a package that is not installed")
        if only_data():
            require_trust(f"parse the GGUF file {path}, whose reader trusts what it reads")
        return _gguf_card(path, state_of(path))  # messages name the path as it was named
    require_own_settings(path.iterdir())
    return _card(path, trust=trust)


@lru_cache(maxsize=1)
def _gguf_card(path: Path, _: object) -> ModelCard:
    """The card of a GGUF file in this state; the last one is stored."""
    return _card(path)


def _card(path: Path, *, trust: bool = False) -> ModelCard:
    """The card of a model, read once for the same configuration and version of transformers.

    A run whose vectors are in the cache then imports neither torch nor transformers, which takes
    seconds. Code that comes with a model may say something else each time.
    """
    content = sha256_of(path if path.is_file() else path / CONFIG)
    key = hashlib.sha256(f"card {content} {version('transformers')}".encode()).hexdigest()
    file, keeps = cache_folder() / "hashes" / f"{key}.json", not trust
    if keeps and not computes_afresh():
        with suppress(OSError, ValueError):
            return _CARD.validate_json(file.read_bytes())
    config = load_config(path, trust=trust)
    with _wrap_errors_of_config(path):
        card = card_of(config, gguf=path.is_file())
    if keeps:
        # where it cannot be kept, it is read again
        with suppress(ResultsError), atomic_file(file) as written:
            written.write(_CARD.dump_json(card).decode())
    return card


def load_config(path: Path, *, trust: bool = False) -> Any:
    """Read the configuration of a model, as AutoConfig of transformers does."""
    folder, more = location(path)
    with _wrap_errors_of_config(path):
        if path.is_file():
            require_few_layers(gguf_numbers(path), path)
        with one_reading_of_gguf(path):
            return import_transformers().AutoConfig.from_pretrained(
                folder, trust_remote_code=trust, **more
            )


def _wrap_errors_of_config(path: Path) -> AbstractContextManager[None]:
    """Say that the configuration cannot be read, where something fails."""
    return wrap_errors(
        f"{path}: the configuration cannot be read",
        "a transformer of texts or images that AutoConfig of transformers reads",
        "fetch the model again",
    )


def card_of(config: Any, *, gguf: bool = False) -> ModelCard:
    """What a configuration of transformers says of a model."""

    def first(source: Any, *names: str) -> Any:
        return next(filter(None, (getattr(source, name, None) for name in names)), None)

    kind, saved = str(config.model_type), tuple(first(config, "architectures") or ())
    named = (saved or (kind,))[0]
    architecture = model_classes().MODEL_MAPPING_NAMES.get(kind, named)
    architecture = architecture if isinstance(architecture, str) else architecture[0]
    texts, images = first(config, "text_config"), first(config, "vision_config")
    if texts and images:
        dim = first(config, "projection_dim") or first(texts, "projection_size", "hidden_size")
        return ModelCard(
            kind, architecture, "both", dim, 1,
            first_logit_scale=getattr(config, "logit_scale_init_value", FIRST_LOGIT_SCALE),
            max_logit_scale=getattr(config, "max_logit_scale", None),
        )  # fmt: skip
    if kind in VISION:
        pool, before, layered = VISION[kind]
        if layered:
            before += first(config, "num_register_tokens") or 0
            top, dim = config.num_hidden_layers, config.hidden_size
        else:
            sizes = first(config, "hidden_sizes") or [first(config, "hidden_size", "hidden_dim")]
            top, dim = 1, sizes[-1]
        return ModelCard(kind, architecture, "images", dim, top, "", pool, before, layered)
    family = _family(config, str(named))
    if gguf:
        architecture = f"{kind} (GGUF)"
    elif first(config, "is_encoder_decoder"):
        architecture = f"{architecture} (encoder)"
    dim = first(config, "word_embed_proj_dim") or config.hidden_size  # OPT-350m projects its top
    top, vocabulary = config.num_hidden_layers, first(config, "vocab_size") or 0
    return ModelCard(
        kind, architecture, "texts", dim, top, family, saved_classes=saved, vocabulary=vocabulary
    )


def model_classes() -> Any:
    """The module of transformers that knows classes of models by type."""
    return import_transformers().models.auto.modeling_auto


def _family(config: Any, architecture: str) -> Family:
    """Tell the family of a model; empty where that is not known."""
    auto = model_classes()
    kind = str(config.model_type)
    if getattr(config, "is_encoder_decoder", False) or "t5" in kind:
        return "encoder-decoder"
    # BERT and others are in both lists; XLNet is in the second alone, and reads a text whole
    if kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES or kind == "xlnet":
        return "encoder"
    if kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    head = head_of(architecture)
    return "encoder" if head == "masked" else head or ""


def head_of(architecture: str) -> Literal["masked", "causal"] | None:
    """Tell what a class of transformers predicts; None where it is no language model.

    >>> head_of("BertForMaskedLM"), head_of("GPT2LMHeadModel"), head_of("BertModel")
    ('masked', 'causal', None)
    """
    if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
        return "masked"
    return "causal" if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def location(path: Path) -> tuple[str, dict[str, Any]]:
    """Folder of a model, and what else loaders of transformers are told of where it is."""
    if path.is_file():
        return str(path.parent), {"gguf_file": path.name}
    return str(path), {"local_files_only": True}


# --- models of sentence-transformers --------------------------------------------------------------


def own_pooling(folder: Path) -> tuple[str, str]:
    """Our name of the pooling that a model declares, or its parts where hf: has no pooling for it.

    Both are empty where nothing is said.
    """
    if not (folder / MODULES).is_file():
        return "", ""
    try:
        parts = [name for _, _, name in parts_of(folder)]
    except SourceError as error:
        return "", str(error.what)
    listed = ", ".join(parts)
    # next to the pooling these change no cosine
    changing = [part for part in parts if part not in ("Transformer", "Normalize")]
    if settings_of(folder / FIRST).get("do_lower_case") is True:
        return "", f"{listed}, of texts in lower case"
    pool = _OWN_POOLS.get(changing[0], "") if len(changing) == 1 else ""
    return pool, "" if pool else listed


def parts_of(folder: Path) -> list[tuple[Path, str, str]]:
    """The parts that a text goes through: folder, class and name, such as Pooling(mean)."""
    file = folder / MODULES
    with wrap_errors(
        f"{file}: this does not list the parts of a model of sentence-transformers",
        remedy="hf: opens other transformer models",
    ):
        parts = [(part["path"], str(part["type"])) for part in json.loads(file.read_bytes())]
        for path, _ in parts:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise SourceError(
                    f"{file}: a file of this model is outside its folder",
                    got=path,
                    allowed="folders in it",
                )
        return [(folder / path, kind, _part_name(folder / path, kind)) for path, kind in parts]


def _part_name(folder: Path, kind: str) -> str:
    """Name of a part; of a pooling with its mode, such as Pooling(mean)."""
    name = kind.rpartition(".")[2]
    return pooling_called(json.loads((folder / CONFIG).read_bytes())) if name == "Pooling" else name


def pooling_called(config: Mapping[str, Any]) -> str:
    """Name of a pooling by its settings."""
    chosen = config.get("pooling_mode") or [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    return f"Pooling({'+'.join([chosen] if isinstance(chosen, str) else chosen)})"


def model_prompt(folder: Path, hint: str = "") -> tuple[str, tuple[Note, ...]]:
    """The prompt that sentence-transformers puts before each text, and a note on those declared.

    `hint` is the source that would put one, where none is put.
    """
    return prompt_of(settings_of(folder / ABOUT), hint)


def prompt_of(
    about: Mapping[str, Any], hint: str = "", *, memory: bool = False
) -> tuple[str, tuple[Note, ...]]:
    """The same by the settings themselves, those of files or of a model in memory."""
    texts = about.get("prompts")
    texts = texts if isinstance(texts, dict) else {}
    prompts = {str(key): text for key, text in texts.items() if text and isinstance(text, str)}
    if not prompts:
        return "", ()
    put = "" if hint else prompts.get(str(about.get("default_prompt_name")), "")
    expected = [f"{key}: {text!r}" for key, text in list(prompts.items())[:4]]
    values = {"expected": expected, "put": put, "hint": hint, "memory": memory}
    return put, (Note("source.prompt", values=values),)


# --- logits of two towers -------------------------------------------------------------------------


def logits_of(path: Path, card: ModelCard, seed: int | None) -> tuple[float | None, float | None]:
    """What a two-tower model multiplies cosines by, and adds, before a softmax or sigmoid."""
    padded = card.model_type in PADDED
    if seed is not None:
        start = 0.0 if padded else card.first_logit_scale
        return math.exp(start), 0.0 if padded else None
    if temperature := _number_in(path, "temperature"):  # ALIGN divides
        return 1 / temperature, None
    scale = _number_in(path, "logit_scale")
    most = math.log(card.max_logit_scale or math.inf)
    return None if scale is None else math.exp(min(scale, most)), _number_in(path, "logit_bias")


def _number_in(path: Path, name: str) -> float | None:
    """One number among the weights of a model, read without the others."""
    torch = import_torch()
    with wrap_errors(f"{path}: the weights cannot be read", remedy="fetch the model again"):
        for file in weight_files(path):
            if file.suffix == ".safetensors":
                with safe_open(file, framework="pt") as weights:
                    if name in set(weights.keys()):
                        return float(weights.get_tensor(name).reshape(-1)[0])
            elif file.suffix == ".bin":
                pickled = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
                if name in pickled:
                    return float(pickled[name].reshape(-1)[0])
    return None
