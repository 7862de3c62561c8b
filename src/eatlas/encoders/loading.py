"""A transformer with its tokenizer or image processor, loaded onto a device."""

from __future__ import annotations

import gc
import inspect
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

from eatlas.encoders.encoder import explained
from eatlas.encoders.images import load_processor
from eatlas.encoders.models import (
    NamedModel,
    gguf_numbers,
    gguf_reader,
    location,
    one_reading_of_gguf,
)
from eatlas.errors import SourceError

P = TypeVar("P")
T = TypeVar("T")
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
    """Tokens of a text at most, special ones included; None where that is not known."""
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

    One is kept, so that sources which ask one model in several ways share it and two models are
    never in memory at once.
    """
    o = named.options
    key = (named.path, content, o.random_seed, o.precision, o.device, o.trust_remote_code, head)
    with _lock:
        if key not in _kept:
            forget()
            _kept[key] = _load(named, head)
        return _kept[key]


def forget() -> None:
    """Let go of the model that was loaded last."""
    if _kept:
        _kept.clear()
        gguf_reader.cache_clear()
        gc.collect()  # modules refer to each other in circles


def _load(named: NamedModel, head: Head) -> Loaded:
    """Load tokenizer and weights onto the device."""
    import torch  # noqa: PLC0415  (seconds; only who encodes needs it)

    repeat_products()
    path, trust = named.path, named.options.trust_remote_code
    device = named.options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    with quiet(), one_reading_of_gguf(path), torch.random.fork_rng(devices=[]):
        texts = head not in {"vision", "pooled"}
        tokenizer = load_tokenizer(path, trust=trust) if texts else None
        images = head in {"vision", "pooled", "towers"}
        processor = load_processor(path, trust=trust) if images else None
        with explained(
            f"{path}: the model cannot be loaded",
            "what AutoModel of transformers loads: safetensors, or plain numbers; on a device that "
            "is here, and has the memory",
        ):
            module = _module(named, head).eval().to(device)
    takes = frozenset(inspect.signature(module.forward).parameters)
    limit = _limit(named.card.config, tokenizer, module) if texts else None
    return Loaded(tokenizer, module, limit, module.device, takes, processor)


def load_tokenizer(path: Path, *, trust: bool) -> Any:
    """Load the tokenizer alone.

    One that transformers makes of nothing, where its files are missing, is refused: it would know
    no word. Tokenizers of bytes have no files, and name none.
    """
    from transformers import AutoTokenizer  # noqa: PLC0415

    folder, more = location(path)
    if path.is_file() and gguf_numbers(path).get("tokenizer.ggml.add_bos_token") is False:
        more["add_bos_token"] = False  # transformers adds the token all the same
    with explained(
        f"{path}: the tokenizer cannot be loaded",
        "a folder with tokenizer.json or the files of a tokenizer of transformers",
    ):
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trust, **more)
    files = {*type(tokenizer).vocab_files_names.values()}
    there = any((path / name).is_file() for name in {*files, "tokenizer.json"})
    if files and not there and not path.is_file():
        raise SourceError(
            f"{path}: the vocabulary of the tokenizer is not there",
            got=f"none of {', '.join(sorted(files))}",
            remedy="fetch the model again, with the files of its tokenizer",
        )
    return tokenizer


def _module(named: NamedModel, head: Head) -> Any:
    """The part of the model that is used: for vectors the encoder, where there is a decoder."""
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    options = named.options
    auto = getattr(transformers, _AUTO.get(head, "AutoModel"))
    config = deepcopy(named.card.config)
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
    The products take no longer. A setting of the user is kept.
    """
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back the library's log, progress bars and warnings.

    What a user must know is said by ourselves: as an error, or in the notes of the source.
    """
    from transformers.utils import logging  # noqa: PLC0415  (seconds; only where it is used)

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
    batch: list[P], compute: Callable[[list[P]], T], named: NamedModel
) -> Iterator[tuple[list[P], T]]:
    """Compute a batch; where memory does not suffice, each half of it."""
    import torch  # noqa: PLC0415

    try:
        computed = compute(batch)
    except (RuntimeError, MemoryError) as error:
        ran_out = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not ran_out and "allocate memory" not in str(error):
            raise
        if len(batch) == 1:
            raise SourceError(
                f"{named.path}: there is not enough memory for this model",
                remedy="a smaller model, shorter texts, precision=bfloat16, or a machine with more",
            ) from error
        half = len(batch) // 2
        parts = [batch[:half], batch[half:]]
    else:
        yield batch, computed
        parts = []
    for part in parts:
        yield from in_halves(part, compute, named)
