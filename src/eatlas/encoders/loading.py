"""A transformer with its tokenizer or image processor, loaded onto a device."""

from __future__ import annotations

import gc
import hashlib
import inspect
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

from eatlas.encoders.encoder import first_line, wrap_errors
from eatlas.encoders.gguf_files import forget_gguf, gguf_numbers, one_reading_of_gguf
from eatlas.encoders.images import load_processor
from eatlas.encoders.models import NamedModel, load_config, location
from eatlas.errors import SourceError
from eatlas.lazy import import_torch, import_transformers

P = TypeVar("P")
T = TypeVar("T")
_RAN_OUT = ("allocate memory", "ALLOC_FAILED")
_OF_ORIGIN = frozenset(("_name_or_path", "transformers_version"))
NO_LIMIT = 10**6
"""Tokenizers say 10^30 where they know no limit."""
Head = Literal["", "masked", "causal", "vision", "pooled", "towers"]
"""What a model computes: states of texts, log-probabilities, or states of images; pooled is a model
of images that pools them itself, towers one of texts and images."""


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to compute."""

    tokenizer: Any
    module: Any
    limit: int | None = None
    """Tokens of a text at most, including special tokens; None where that is not known."""
    device: Any = None
    takes: frozenset[str] = frozenset()
    """Names of the inputs that the model knows."""
    processor: Any = None
    """What makes images the input of the model; None where it takes none."""


_AUTO = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
_LACKING = (
    "fetch the model again; or it was saved without a part that is needed: log-probabilities need "
    "the head that predicts words, pool=pooled its pooling, where pool=cls and pool=mean need none"
)
_lock = Lock()
_kept: dict[tuple[object, ...], Loaded] = {}


def load(named: NamedModel, content: str, head: Head = "") -> Loaded:
    """Load a model, unless it is the one that was loaded last; `content` is the hash of its files.

    One is stored, so that sources which ask one model in several ways share it and two models are
    never in memory at once.
    """
    o, path = named.options, named.path.resolve()
    key = (path, content, o.random_seed, o.precision, o.device, o.trust_remote_code, head)
    with _lock:
        if key not in _kept:
            forget()
            _kept[key] = _load(named, head)
        return _kept[key]


def forget() -> None:
    """Let go of the model that was loaded last."""
    if _kept:
        _kept.clear()
        forget_gguf()
        gc.collect()  # modules refer to each other in circles


def _load(named: NamedModel, head: Head) -> Loaded:
    """Load tokenizer and weights onto the device."""
    torch = import_torch()

    repeat_products()
    path, trust = named.path, named.options.trust_remote_code
    device = named.options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    with quiet(), one_reading_of_gguf(path), torch.random.fork_rng(devices=[]):
        config = load_config(path, trust=trust)
        texts = head not in {"vision", "pooled"}
        tokenizer = load_tokenizer(path, trust=trust) if texts else None
        images = head in {"vision", "pooled", "towers"}
        processor = load_processor(path, trust=trust) if images else None
        with wrap_errors(
            f"{path}: the model cannot be loaded",
            "what AutoModel of transformers loads: safetensors, or plain numbers; on a device that "
            "is here, and has the memory",
        ):
            module = _module(named, head, config).eval().to(device)
    return wrap_module(tokenizer, module, config, processor)


def wrap_module(tokenizer: Any, module: Any, config: Any, processor: Any = None) -> Loaded:
    """A model that is on its device, with what is known of its inputs."""
    takes = frozenset(inspect.signature(module.forward).parameters)
    limit = None if tokenizer is None else _limit(config, tokenizer, module)
    return Loaded(tokenizer, module, limit, module.device, takes, processor)


def tokenizer_of(path: Path, *, trust: bool) -> Any:
    """The tokenizer of a model that is not loaded."""
    with quiet(), one_reading_of_gguf(path):
        return load_tokenizer(path, trust=trust)


def load_tokenizer(path: Path, *, trust: bool) -> Any:
    """Load only the tokenizer.

    One that transformers makes of nothing, where its files are missing, is refused: it would know
    no word. Tokenizers of bytes have no files, and name none.
    """
    folder, more = location(path)
    if path.is_file() and gguf_numbers(path).get("tokenizer.ggml.add_bos_token") is False:
        more["add_bos_token"] = False  # transformers adds the token all the same
    with wrap_errors(
        f"{path}: the tokenizer cannot be loaded",
        "a folder with tokenizer.json or the files of a tokenizer of transformers",
    ):
        tokenizer = import_transformers().AutoTokenizer.from_pretrained(
            folder, trust_remote_code=trust, **more
        )
    files = {*type(tokenizer).vocab_files_names.values()}
    there = any((path / name).is_file() for name in {*files, "tokenizer.json"})
    if files and not there and not path.is_file():
        raise SourceError(
            f"{path}: the vocabulary of the tokenizer is missing",
            got=f"none of {', '.join(sorted(files))}",
            remedy="fetch the model again, with the files of its tokenizer",
        )
    return tokenizer


def _module(named: NamedModel, head: Head, config: Any) -> Any:
    """The part of the model that is used: for vectors the encoder, where there is a decoder."""
    torch = import_torch()
    options = named.options
    auto = getattr(import_transformers(), _AUTO.get(head, "AutoModel"))
    config.use_cache = False
    common = {
        "config": config,
        "dtype": getattr(torch, options.precision),
        "trust_remote_code": options.trust_remote_code,
    }
    missing: set[str] = set()
    if options.random_seed is not None:
        torch.manual_seed(options.random_seed)
        whole = auto.from_config(**common)
    else:
        folder, more = location(named.path)
        whole, info = auto.from_pretrained(
            folder, weights_only=True, output_loading_info=True, **common, **more
        )
        missing = set(info["missing_keys"])
    part = whole.get_encoder() if config.is_encoder_decoder and not head else whole
    # transformers fills up with random weights; a pooler that is not chosen is not used
    used = {
        id(weights)
        for name, weights in part.named_parameters()
        if head in {"pooled", "towers"} or "pooler" not in name
    }
    lacking = [n for n, weights in whole.named_parameters() if n in missing and id(weights) in used]
    if lacking:
        raise SourceError(
            f"{named.path}: the file of weights lacks some of the model's",
            got=f"{len(lacking)} are missing, such as {lacking[0]}",
            remedy=_LACKING,
        )
    return part


def _limit(config: Any, tokenizer: Any, module: Any) -> int | None:
    """Tokens of a text at most, by the configuration, the tokenizer and the embeddings.

    RoBERTa and others count positions from behind the index of padding, so 514 places hold 512.
    """
    texts = getattr(config, "text_config", None) or config
    limits = [getattr(texts, name, None) for name in ("max_position_embeddings", "n_positions")]
    limits.append(tokenizer.model_max_length)
    for part in module.modules():
        places = getattr(part, "position_embeddings", None)
        if places is not None and getattr(places, "padding_idx", None) is not None:
            limits.append(places.weight.shape[0] - places.padding_idx - 1)
    return min((limit for limit in limits if limit and 0 < limit < NO_LIMIT), default=None)


def repeat_products() -> None:
    """Let products of matrices give the same bits with any number of threads and of texts.

    Intel's library, which computes them in torch on x86, reads the setting at its first product.
    The products take no longer. A setting of the user is stored.
    """
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back the library's log, progress bars and warnings.

    eatlas itself reports what a user must know: as an error, or in the notes of the source.
    """
    logging = import_transformers().utils.logging
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        # the bar of the GGUF reader heeds no setting and writes to stderr
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


# --- memory ---------------------------------------------------------------------------------------


def in_halves(
    batch: list[P], compute: Callable[[list[P]], T], module: Any, label: str
) -> Iterator[tuple[list[P], T]]:
    """Compute a batch in evaluation mode; where memory does not suffice, each half of it."""
    torch = import_torch()

    try:
        with in_evaluation(module):
            computed = compute(batch)
    except (RuntimeError, MemoryError, IndexError) as error:
        ran_out = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not ran_out and not any(words in str(error) for words in _RAN_OUT):
            raise SourceError(
                f"{label}: the model fails",
                got=first_line(error),
                remedy="check that the tokenizer belongs to this model, and that all weights have "
                "the same precision and device",
            ) from error
        if len(batch) == 1:
            raise SourceError(
                f"{label}: there is not enough memory for this model",
                got=first_line(error),
                remedy="use a smaller model, shorter texts, half precision, or a device with more "
                "free memory",
            ) from error
        half = len(batch) // 2
        parts = [batch[:half], batch[half:]]
    else:
        yield batch, computed
        parts = []
    for part in parts:
        yield from in_halves(part, compute, module, label)


# --- models in memory -----------------------------------------------------------------------------


@contextmanager
def in_evaluation(module: Any) -> Iterator[None]:
    """Turn dropout off; afterwards restore training mode where it was on."""
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def require_plain(module: Any, label: str) -> None:
    """Refuse a model whose weights are not numbers in memory."""
    torch = import_torch()

    state = [*module.state_dict().values()]
    tensors = [weights for weights in state if isinstance(weights, torch.Tensor)]
    function = "pass a function that takes a list of texts, such as model.encode"
    if not state:
        raise SourceError(
            f"{label}: this model has no weights of torch",
            allowed='a model that torch computes, not backend="onnx" or "openvino"',
            remedy=function,
        )
    quantised = len(tensors) < len(state) or any(weights.is_quantized for weights in tensors)
    if quantised or getattr(module, "is_quantized", False):
        raise SourceError(
            f"{label}: the weights of this model are quantised",
            allowed="a model in single, half or double precision",
            remedy=f"load it without quantisation, or {function}",
        )
    if any(weights.is_meta for weights in tensors):
        raise SourceError(
            f"{label}: weights of this model are not in memory, but on the meta device",
            remedy="load it without device_map, or with low_cpu_mem_usage=False",
        )


def digest_of(module: Any, tokenizer: Any) -> str:
    """Hash of all weights, of what the model is built of, and of how the tokenizer cuts texts.

    It is computed anew each time, in a second for 1 GB: a model may be trained in between.
    """
    torch = import_torch()

    digest = hashlib.sha256("\n".join([repr(module), *_settings_in(module)]).encode())
    for key, weights in sorted(module.state_dict().items()):
        digest.update(f"{key}{tuple(weights.shape)}{weights.dtype}".encode())
        digest.update(weights.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    digest.update(tokenizer_digest(tokenizer).encode())
    return digest.hexdigest()


def _settings_in(module: Any) -> Iterator[str]:
    """Configurations of all models of transformers in a model, without where they came from."""
    for part in module.modules():
        config: Any = getattr(part, "config", None)
        if hasattr(config, "to_dict"):
            settings = config.to_dict()
            yield repr(sorted((k, v) for k, v in settings.items() if k not in _OF_ORIGIN))


def tokenizer_digest(tokenizer: Any) -> str:
    """Hash of how a tokenizer cuts texts, whatever it was last asked to pad or truncate."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):  # padding and truncation come first
        state = "".join(backend.to_str().partition('"added_tokens"')[1:])
    else:
        state = f"{sorted(tokenizer.get_vocab().items())}{tokenizer}"
    return hashlib.sha256(state.encode()).hexdigest()
