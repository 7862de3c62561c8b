"""Models of sentence-transformers: what their files say, and ``st:``, vectors pooled as they say.

The parts that a text goes through are read without the library.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, as_rows, explained, require_extra, roundoff_of
from eatlas.encoders.loading import Loaded, quiet, repeat_products
from eatlas.encoders.models import (
    ABOUT,
    FIRST,
    PICKLED,
    SAFETENSORS,
    listing,
    on_the_hub,
    require_own_settings,
    settings_of,
    sha256_of,
)
from eatlas.encoders.options import Options, read_options
from eatlas.encoders.transformer import Wanted, batches, read_items
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Found, Item, Read
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
_POOLS = {
    "mean": "mean-all",
    "mean_sqrt_len": "mean-all",
    "cls": "cls",
    "max": "max-all",
    "lasttoken": "last-all",
}
"""Our name of a pooling by that of sentence-transformers, up to the length of the vector. Theirs
takes special tokens with the others."""


class SentenceOptions(BaseModel):
    """Options of ``st:``."""

    level: Literal["sentence"] = "sentence"
    prefix: str = ""
    """A text that the model wants before each sentence, such as 'query: '."""
    device: str | None = None
    revision: str = "main"


# --- what files say -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelConventions:
    """How a text becomes a vector, as the files of a model say."""

    pool: str | None = None
    """Our name of the pooling; None where nothing is said, or what is said is not ours to do."""
    theirs: str = ""
    """The parts of the model in their words, where hf: has no pooling for them."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Texts that are put before an input, by what they are for; only those that are not empty."""
    default: str = ""
    """The one that sentence-transformers puts there unasked; empty for none."""


def declared(path: Path) -> ModelConventions:
    """Read what a model says of itself."""
    about = settings_of(path / ABOUT)
    texts = about.get("prompts")
    texts = texts if isinstance(texts, dict) else {}
    prompts = {str(key): text for key, text in texts.items() if text and isinstance(text, str)}
    default = prompts.get(str(about.get("default_prompt_name")), "")
    pool, theirs = _pooling(path) if (path / MODULES).is_file() else (None, "")
    return ModelConventions(pool, "" if pool else theirs, prompts, default)


def _pooling(path: Path) -> tuple[str | None, str]:
    """Our name of the pooling, and the parts of the model in their words."""
    try:
        parts = [name for _, _, name in parts_of(path)]
    except SourceError as error:
        return None, str(error.what)
    listed = ", ".join(parts)
    # beside the pooling these change no cosine
    changing = [part for part in parts if part not in ("Transformer", "Normalize")]
    if len(changing) != 1 or not changing[0].startswith("Pooling("):
        return None, listed
    if settings_of(path / FIRST).get("do_lower_case") is True:
        return None, f"{listed}, of texts in lower case"
    return _POOLS.get(changing[0].removeprefix("Pooling(").removesuffix(")")), listed


def prompt_note(model: ModelConventions, *, put: str = "", hint: str = "") -> list[Note]:
    """Name the prompts that a model declares; `hint` is the source that would put one."""
    if not model.prompts:
        return []
    expected = [f"{key}: {text!r}" for key, text in list(model.prompts.items())[:4]]
    return [Note("source.prompt", values={"expected": expected, "put": put, "hint": hint})]


def parts_of(folder: Path) -> list[tuple[Path, str, str]]:
    """The parts that a text goes through: folder, class and name, such as Pooling(mean)."""
    file = folder / MODULES
    with explained(
        f"{file}: this does not list the parts of a model of sentence-transformers",
        remedy="hf: takes other transformers",
    ):
        parts = [(part["path"], str(part["type"])) for part in json.loads(file.read_bytes())]
        for path, _ in parts:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise SourceError(
                    f"{file}: a part of this model is outside its folder",
                    got=path,
                    allowed="folders in it",
                )
        return [(folder / path, kind, _called(folder / path, kind)) for path, kind in parts]


def _called(folder: Path, kind: str) -> str:
    """Name of a part; of a pooling with its mode, such as Pooling(mean)."""
    name = kind.rpartition(".")[2]
    if name != "Pooling":
        return name
    config = json.loads((folder / CONFIG).read_bytes())
    chosen = config.get("pooling_mode") or [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    return f"Pooling({'+'.join([chosen] if isinstance(chosen, str) else chosen)})"


def _require_plain(folder: Path, kind: str) -> None:
    """Refuse a part that is code of its own; where a file names the model, all but numbers."""
    if not _OWN.fullmatch(kind):
        raise SourceError(
            f"{folder}: a part of this model is code of its own",
            got=kind,
            allowed="parts of sentence-transformers itself",
            remedy="code that comes with a model is never run here; py: takes a function of your "
            "own that loads it",
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


# --- st: ------------------------------------------------------------------------------------------


class SentenceModelSource(Encoder):
    """Sentences encoded by a model of sentence-transformers.

    Pooling, normalisation and every further layer are the model's own. Nothing heavy is imported
    before a sentence is encoded.
    """

    shares = True

    def __init__(self, text: str, name: str, folder: Path, options: SentenceOptions) -> None:
        super().__init__(text)
        self.folder, self.options, self.model_name = folder, options, name
        parts = parts_of(folder)
        require_own_settings(files_of_sentence_model(folder))
        for path, kind, _ in parts:
            _require_plain(path, kind)
        self._parts = ", ".join(called for _, _, called in parts)
        self._conventions = declared(folder)
        self._before = options.prefix or self._conventions.default
        """Prompt before each text: the user's choice, or the model's own default."""

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and the prefix."""
        digest = hashlib.sha256(f"st 1;prefix={self.options.prefix}\n".encode())
        for file in files_of_sentence_model(self.folder):
            name = file.relative_to(self.folder).as_posix()
            digest.update(f"{name} {sha256_of(file)}\n".encode())
        return f"sha256:{digest.hexdigest()}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Prompts that the model declares, where the user chose none."""
        if self.options.prefix:
            return ()
        return tuple(prompt_note(self._conventions, put=self._conventions.default))

    @property
    def encoding(self) -> Encoding:
        """How a sentence becomes a vector."""
        return Encoding(
            model=self.model_name,
            architecture=f"SentenceTransformer {version('sentence-transformers')}",
            level="sentence",
            pool=self._parts,
            prompt=self._before and f"{self._before}{{}}",
            roundoff=roundoff_of(""),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors, the longest texts first.

        Texts of the same tokens share one vector. Texts of one number of tokens are computed
        together, so that none is padded and its vector depends little on the texts beside it.
        """
        wanted, _, about = self._read(items)
        prompt = {"prompt": self.options.prefix} if self.options.prefix else {}
        for batch in batches(wanted, self.loaded):
            several = [next(iter(places.values())) for _, places in batch]
            texts = [same[0].content for same in several]
            with quiet():
                returned = self.loaded.module.encode(
                    texts, batch_size=len(texts), show_progress_bar=False, **prompt
                )
            rows = as_rows(returned, texts, self.name)
            answers = {
                item: replace(about[item], vector=row)
                for row, same in zip(rows, several, strict=True)
                for item in same
            }
            self.recall(answers)
            yield answers

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens of each item."""
        return self._read(items)[1]

    def _read(self, items: Collection[Item]) -> tuple[Wanted, dict[Item, Read], dict[Item, Found]]:
        with quiet():
            return read_items(self.loaded, items, self.name, Options(), before=self._before)

    @cached_property
    def loaded(self) -> Loaded:
        """The model, loaded by sentence-transformers."""
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (many seconds)

        repeat_products()
        remedy = "code that comes with a model is never run; py: takes a function that runs it"
        what = f"{self.name}: sentence-transformers cannot load this model"
        with quiet(), explained(what, remedy=remedy):
            model = SentenceTransformer(
                str(self.folder), device=self.options.device, local_files_only=True
            ).eval()
            if not callable(model.tokenizer):
                raise TypeError("its tokenizer is none of transformers")
            return Loaded(model.tokenizer, model, model.max_seq_length, model.device)


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
            f"{label}: this folder holds no model of sentence-transformers",
            got=listing(folder),
            allowed=f"a folder with {MODULES}",
            remedy=f"hf:{name} takes other transformers",
        )
    return (SentenceModelSource(text, name, folder, options),)
