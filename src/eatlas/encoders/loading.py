"""A transformer and its tokenizer, loaded onto a device, and sources that compute with them."""

from __future__ import annotations

import gc
import hashlib
import inspect
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.encoder import Encoder, first_line, roundoff_of
from eatlas.encoders.images import load_processor
from eatlas.encoders.models import (
    Card,
    NamedModel,
    content_of,
    gguf_reader,
    gguf_values,
    location,
    one_reading_of_gguf,
    trust_remedy,
)
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding

T = TypeVar("T")
NO_LIMIT = 10**6
"""Tokenizers say 10^30 where they know no limit."""


Head = Literal["", "masked", "causal", "vision", "pooled", "towers"]
"""What a model computes. Vision is a model of images, pooled one that pools them itself, towers one
of texts and images."""


@dataclass(frozen=True)
class Model:
    """What is loaded: all that decides the numbers, and where it computes."""

    path: Path
    content: str
    """Hash of its files."""
    seed: int | None
    """Of random weights; None for trained ones."""
    precision: str
    device: str
    trust: bool
    card: Card = field(compare=False)
    head: Head = ""
    """What the model computes: vectors of texts or images, or log-probabilities of pieces."""

    @classmethod
    def of(cls, named: NamedModel, content: str, head: Head = "") -> Model:
        """What the options of a source string request."""
        o = named.options
        return cls(named.path, content, o.seed, o.precision, o.device, o.trust, named.card, head)


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
_REMEDIES = {
    "whole": "fetch the model again; weights=random is for models without training",
    "pooled": "the model was saved without its pooling; pool=cls or pool=mean needs none",
    "head": "log-probabilities need a model that was saved with the head that predicts words, "
    "which models made for vectors of sentences have not",
}
_LACKING = {"masked": "head", "causal": "head", "pooled": "pooled"}
_IMAGES = frozenset(("vision", "pooled", "towers"))
_lock = Lock()
_kept: dict[Model, Loaded] = {}


def load(model: Model) -> Loaded:
    """Load a model, unless it is the one that was loaded last.

    One is kept, so that sources which ask one model in several ways share it and two models are
    never in memory at once.
    """
    with _lock:
        if model not in _kept:
            forget()
            _kept[model] = _load(model)
        return _kept[model]


def forget() -> None:
    """Let go of the model that was loaded last."""
    if _kept:
        _kept.clear()
        gguf_reader.cache_clear()
        gc.collect()  # modules refer to each other in circles


def _load(model: Model) -> Loaded:
    """Load tokenizer and weights onto the device."""
    import torch  # noqa: PLC0415  (seconds; only who encodes needs it)

    repeat_products()
    device = _device(model)
    images, texts = model.head in _IMAGES, model.head not in _IMAGES or model.head == "towers"
    with quiet(), one_reading_of_gguf(model.path), torch.random.fork_rng(devices=[]):
        tokenizer = load_tokenizer(model) if texts else None
        processor = load_processor(model.path, trust=model.trust) if images else None
        module = _explained(lambda: _module(model), model).eval().to(device)
    towers = ("get_text_features", "get_image_features")
    if model.head == "towers" and not all(hasattr(module, tower) for tower in towers):
        raise SourceError(
            f"{model.path}: this model has no space that texts and images share",
            got=f"{type(module).__name__} without {' and '.join(towers)}",
            allowed="two-tower models such as CLIP, SigLIP, ALIGN and AltCLIP",
        )
    inputs = frozenset(inspect.signature(module.forward).parameters)
    limit = _limit(model.card, tokenizer, module) if texts else None
    return Loaded(tokenizer, module, limit, device, inputs, processor)


def load_tokenizer(model: Model) -> Any:
    """Load the tokenizer alone."""
    from transformers import AutoTokenizer  # noqa: PLC0415

    folder, more = location(model.path)
    if model.path.is_file():
        begins = gguf_values(model.path).get("tokenizer.ggml.add_bos_token")
        if begins is False:  # transformers 4 adds the token all the same
            more["add_bos_token"] = False
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=model.trust, **more)
    except Exception as error:
        raise SourceError(
            f"{model.path}: the tokenizer cannot be loaded",
            got=first_line(error),
            allowed="a folder with tokenizer.json or the files of a tokenizer of transformers",
            remedy=trust_remedy(error),
        ) from error
    _require_vocabulary(tokenizer, model.path)
    return tokenizer


def _require_vocabulary(tokenizer: Any, path: Path) -> None:
    """Refuse a tokenizer that transformers made of nothing, where its files are missing.

    It would know no word. Tokenizers of bytes have no files, and name none.
    """
    files = set(type(tokenizer).vocab_files_names.values())
    whole = "tokenizer.json"  # all that fast tokenizers need, and not always among their own files
    if path.is_file() or not files or any((path / name).is_file() for name in {*files, whole}):
        return
    raise SourceError(
        f"{path}: the vocabulary of the tokenizer is not there",
        got=f"none of {', '.join(sorted(files))}",
        remedy="fetch the model again, with the files of its tokenizer",
    )


def _module(model: Model) -> Any:
    """The part of the model that is used: for vectors the encoder, where there is a decoder."""
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    auto = getattr(transformers, _AUTO.get(model.head, "AutoModel"))
    folder, more = location(model.path)
    config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=model.trust, **more)
    config.use_cache = False
    common = {"config": config, "dtype": getattr(torch, model.precision)}
    if model.seed is not None:
        torch.manual_seed(model.seed)
        whole = auto.from_config(trust_remote_code=model.trust, **common)
        missing: set[str] = set()
    else:
        whole, info = auto.from_pretrained(
            folder,
            trust_remote_code=model.trust,
            weights_only=True,
            output_loading_info=True,
            **common,
            **more,
        )
        missing = set(info["missing_keys"])
    part = whole.get_encoder() if config.is_encoder_decoder and not model.head else whole
    _require_whole(whole, part, missing, model)
    return part


def _require_whole(whole: Any, part: Any, missing: set[str], model: Model) -> None:
    """Refuse weights that do not fill the model: transformers fills up with random ones.

    A pooler is not used here, unless it is chosen, nor the decoder beside an encoder.
    """
    whole_model = model.head in {"pooled", "towers"}
    used = {id(p) for name, p in part.named_parameters() if whole_model or "pooler" not in name}
    lacking = [name for name, p in whole.named_parameters() if name in missing and id(p) in used]
    if lacking:
        raise SourceError(
            f"{model.path}: the file of weights lacks some of the model's",
            got=f"{len(lacking)} are missing, such as {lacking[0]}",
            remedy=_REMEDIES[_LACKING.get(model.head, "whole")],
        )


def _explained(load: Callable[[], Any], model: Model) -> Any:
    """What a loader returns; its failures said as ours."""
    try:
        return load()
    except SourceError:
        raise
    except Exception as error:
        if ran_out(error):
            raise too_little(model.path) from error
        raise SourceError(
            f"{model.path}: the model cannot be loaded",
            got=first_line(error),
            allowed="what AutoModel of transformers loads, from safetensors or as plain numbers",
            remedy=trust_remedy(error),
        ) from error


def ran_out(error: BaseException) -> bool:
    """Whether an error of torch says that memory does not suffice."""
    import torch  # noqa: PLC0415

    out = (MemoryError, torch.OutOfMemoryError)
    return isinstance(error, out) or "allocate memory" in str(error)


def too_little(path: Path) -> SourceError:
    """Say that memory does not suffice."""
    return SourceError(
        f"{path}: there is not enough memory for this model",
        remedy="a smaller model, shorter texts, precision=bfloat16, or a machine with more memory",
    )


def _device(model: Model) -> Any:
    """Return the torch device of a model."""
    import torch  # noqa: PLC0415

    name = model.device
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    usable = (
        device.type == "cpu"
        or (device.type == "cuda" and (device.index or 0) < torch.cuda.device_count())
        or (device.type == "mps" and torch.backends.mps.is_available())
    )
    if not usable:
        number = torch.cuda.device_count()
        raise SourceError(
            f"device={model.device}: there is no such device here",
            allowed=f"cpu{', cuda with a number below ' + str(number) if number else ''}",
        )
    return device


def _limit(card: Card, tokenizer: Any, module: Any) -> int | None:
    """Tokens of a text at most, by the configuration, the tokenizer and the embeddings.

    RoBERTa and others count positions from behind the index of padding, so 514 places hold 512.
    """
    limits = [card.positions, tokenizer.model_max_length]
    for part in module.modules():
        places = getattr(part, "position_embeddings", None)
        if places is not None and getattr(places, "padding_idx", None) is not None:
            limits.append(places.weight.shape[0] - places.padding_idx - 1)
    return min((limit for limit in limits if limit is not None and limit < NO_LIMIT), default=None)


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


Array = NDArray[np.float32]


def in_halves(
    loaded: Loaded, rows: range, compute: Callable[[range], T], path: Path
) -> Iterator[tuple[range, T]]:
    """Compute some rows; where memory does not suffice, each half of them."""
    import torch  # noqa: PLC0415

    try:
        computed = compute(rows)
    except (RuntimeError, MemoryError) as error:
        if not ran_out(error):
            raise
        if len(rows) == 1:
            raise too_little(path) from error
    else:
        yield rows, computed
        return
    if loaded.device.type == "cuda":
        torch.cuda.empty_cache()
    half = len(rows) // 2
    for part in (rows[:half], rows[half:]):
        yield from in_halves(loaded, part, compute, path)


class ModelSource(Encoder):
    """A source whose vectors a model of transformers computes when they are needed.

    No weights are read before that.
    """

    head: Head = ""
    beside: tuple[str, ...] = ()
    """Files that decide how texts or images are prepared, beside those of every model."""

    def __init__(self, named: NamedModel) -> None:
        super().__init__(named.text)
        self.named, self.path, self.card = named, named.path, named.card
        self.options = named.options

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.card.dim

    @property
    def decides(self) -> str:
        """All options that decide numbers."""
        raise NotImplementedError

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files, and all options that decide numbers."""
        return f"sha256:{hashlib.sha256(f'{self._content};{self.decides}'.encode()).hexdigest()}"

    def encoding_with(self, **more: Any) -> Encoding:
        """How a text or image becomes a vector, with every default spelled out."""
        return Encoding(
            model=self.named.name,
            architecture=self.card.architecture,
            weights=self.options.weights,
            weights_seed=self.options.seed,
            precision=self.options.precision,
            roundoff=roundoff_of(self.options.precision),
            **more,
        )

    @cached_property
    def _content(self) -> str:
        return content_of(self.path, weights=self.options.weights, beside=self.beside)

    @property
    def _model(self) -> Model:
        return Model.of(self.named, self._content, self.head)
