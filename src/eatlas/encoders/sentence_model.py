"""``st:``: sentences encoded by a model of sentence-transformers, pooled as its files say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from fnmatch import fnmatch
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import (
    Encoder,
    Options,
    as_rows,
    read_options,
    require_extra,
    roundoff_of,
    wrap_errors,
)
from eatlas.encoders.loading import Loaded, in_halves, quiet, repeat_products
from eatlas.encoders.models import (
    PICKLED,
    SAFETENSORS,
    listing,
    model_prompt,
    on_the_hub,
    parts_of,
    require_own_settings,
    settings_of,
    sha256_of,
)
from eatlas.encoders.transformer import Batch, batches, read_items
from eatlas.errors import SourceError
from eatlas.lazy import import_transformers
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item
from eatlas.sources.spec import CONFIG, MODULES, parse_file_spec
from eatlas.untrusted import only_data, require_trust

SCHEME = "st:"
_UNUSED = (
    "*.onnx", "onnx/*", "openvino/*", "*.ot", "*.msgpack", "*.h5", "*.md", "*.png", ".git*",
    ".cache/*",
)  # fmt: skip
"""What is not fetched from a hub, and not hashed."""
_OWN = re.compile(r"sentence_transformers(\.\w+)+", re.ASCII)
"""Parts of the library; others are code that comes with a model, or that its author chose."""
_OF_NUMBERS = frozenset(("Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "Dropout"))
"""Parts that are made of numbers alone; the settings of others name classes to be imported."""
_ACTIVATION = re.compile(r"torch\.nn\.modules\.(activation|linear)\.\w+", re.ASCII)


class SentenceOptions(BaseModel):
    """Options of ``st:``."""

    level: Literal["sentence"] = "sentence"
    prefix: str = ""
    """A text that the model wants before each sentence, such as 'query: '."""
    device: str | None = None
    revision: str = "main"


def _require_plain(folder: Path, kind: str) -> None:
    """Refuse a part that is code of its own; where a file names the model, all but numbers."""
    if not _OWN.fullmatch(kind):
        raise SourceError(
            f"{folder}: this model contains its own code",
            got=kind,
            allowed="parts of sentence-transformers itself",
            remedy="eatlas never runs code that comes with a model; load the model in your own "
            "function, and use py:",
        )
    name = kind.rpartition(".")[2]
    if only_data() and name not in _OF_NUMBERS:
        require_trust(f"load the part {kind} of the model, whose settings name what is imported")
    if only_data() and name == "Dense":
        activation = settings_of(folder / CONFIG).get("activation_function", "")
        if activation and not _ACTIVATION.fullmatch(str(activation)):
            require_trust(f"import and call {activation}")


def files_of_sentence_model(folder: Path) -> list[Path]:
    """All files that vectors may depend on, in a fixed order."""

    def is_used(file: Path) -> bool:
        doubled = file.name == PICKLED and file.with_name(SAFETENSORS).is_file()
        name = file.relative_to(folder).as_posix()
        return file.is_file() and not doubled and not any(fnmatch(name, p) for p in _UNUSED)

    return sorted(filter(is_used, folder.rglob("*")))


class SentenceModelSource(Encoder):
    """Sentences encoded by a model of sentence-transformers.

    Pooling, normalisation and every further layer are the model's own. Nothing heavy is imported
    before a sentence is encoded.
    """

    precision = ""

    def __init__(self, text: str, name: str, folder: Path, options: SentenceOptions) -> None:
        super().__init__(text)
        self.folder, self.model_name, self.prefix = folder, name, options.prefix
        self.options = options
        parts = parts_of(folder)
        require_own_settings(files_of_sentence_model(folder))
        for path, kind, _ in parts:
            _require_plain(path, kind)
        self._parts = ", ".join(called for _, _, called in parts)
        self._prompt, self._notes = model_prompt(folder)
        if options.prefix:
            self._prompt, self._notes = options.prefix, ()

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and the prefix."""
        digest = hashlib.sha256(f"st 1;prefix={self.prefix}\n".encode())
        for file in files_of_sentence_model(self.folder):
            name = file.relative_to(self.folder).as_posix()
            digest.update(f"{name} {sha256_of(file)}\n".encode())
        return f"sha256:{digest.hexdigest()}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Prompts that the model declares, where the user chose none."""
        return self._notes

    @property
    def encoding(self) -> Encoding:
        """How a sentence becomes a vector."""
        return Encoding(
            model=self.model_name,
            architecture=f"SentenceTransformer {version('sentence-transformers')}",
            level="sentence",
            pool=self._parts,
            prompt=self._prompt and f"{self._prompt}{{}}",
            precision=self.precision,
            roundoff=roundoff_of(self.precision),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors, the longest texts first.

        Texts of the same tokens share one vector. Texts of one number of tokens are computed
        together, so that none is padded and its vector depends little on the texts next to it.
        """
        with quiet():
            wanted, about = read_items(
                self.loaded, items, self.name, Options(), before=self._prompt
            )
        module = self.loaded.module
        for batch in batches(wanted, self.loaded):
            for part, rows in in_halves(batch, self._encode_batch, module, self.name):
                answers = {
                    item: replace(about[item], vector=row)
                    for row, (_, places) in zip(rows, part, strict=True)
                    for same in places.values()
                    for item in same
                }
                self.recall(answers)
                yield answers

    def _encode_batch(self, batch: Batch) -> NDArray[np.floating]:
        """Vectors of a batch of texts, computed by sentence-transformers."""
        texts = [next(iter(places.values()))[0].content for _, places in batch]
        prompt = {"prompt": self.prefix} if self.prefix else {}
        with quiet():
            returned = self.loaded.module.encode(
                texts, batch_size=len(texts), show_progress_bar=False, **prompt
            )
        return as_rows(returned, texts, self.name)

    @cached_property
    def loaded(self) -> Loaded:
        """The model, loaded by sentence-transformers."""
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (many seconds)

        repeat_products()
        remedy = "code that comes with a model is never run; py: takes a function that runs it"
        what = f"{self.name}: sentence-transformers cannot load this model"
        with quiet(), wrap_errors(what, remedy=remedy):
            model = SentenceTransformer(
                str(self.folder), device=self.options.device, local_files_only=True
            ).eval()
            return wrap_model(model, self.name)


def wrap_model(model: Any, name: str) -> Loaded:
    """A model of sentence-transformers with its tokenizer."""
    tokenizer, limit = model.tokenizer, model.max_seq_length
    if hasattr(tokenizer, "encode_batch"):  # of static embeddings, without the layer above
        unknown = getattr(tokenizer.model, "unk_token", None)
        cut = tokenizer.truncation
        limit = cut and cut["max_length"]
        fast = import_transformers().PreTrainedTokenizerFast
        tokenizer = fast(tokenizer_object=tokenizer, unk_token=unknown)
    elif not hasattr(tokenizer, "convert_ids_to_tokens"):
        raise SourceError(
            f"{name}: the tokenizer of this model is not from the transformers library",
            got=type(tokenizer).__name__,
            remedy="pass a function that takes a list of texts: model.encode",
        )
    elif tokenizer.pad_token is None:
        raise SourceError(
            f"{name}: sentence-transformers pads all texts, and the tokenizer has no pad token",
            got=f"{type(tokenizer).__name__} without pad_token",
            remedy="model.tokenizer.pad_token = model.tokenizer.eos_token, which masks hide from "
            "the model; of a folder, save it so",
        )
    return Loaded(tokenizer, model, limit, model.device)


@keeping
def open_st(text: str) -> tuple[SentenceModelSource, ...]:
    """Open a model of sentence-transformers."""
    spec = parse_file_spec(text.removeprefix(SCHEME))
    name = text.removeprefix(SCHEME).partition("?")[0]
    label = SCHEME + name
    if not name.strip():
        raise SourceError(f"{text}: no model is named", allowed="st:NAME, st:FOLDER")
    options = read_options(SentenceOptions, spec.options, label)
    needed = ("torch", "sentence_transformers")
    require_extra(needed, f"{text}: sentence-transformers is not installed")
    folder, owner = spec.path.expanduser(), "" if "/" in name else "sentence-transformers/"
    if not folder.exists():
        folder = on_the_hub(
            spec.path.as_posix(), SCHEME, options.revision,
            lambda folder: (folder / MODULES).is_file(), [{"ignore_patterns": list(_UNUSED)}],
            owner,
        )  # fmt: skip
    if not (folder / MODULES).is_file():
        raise SourceError(
            f"{label}: this folder is not a model of sentence-transformers",
            got=listing(folder),
            allowed=f"a folder with {MODULES}",
            remedy=f"hf:{name} opens other transformer models",
        )
    return (SentenceModelSource(text, name, folder, options),)
