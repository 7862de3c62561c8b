"""Models of sentence-transformers: what their files say, and ``st:``, vectors pooled as they say.

The parts that a text goes through are read without the library.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import (
    Encoder,
    as_rows,
    first_line,
    require_extra,
    roundoff_of,
    shown,
)
from eatlas.encoders.loading import quiet, repeat_products
from eatlas.encoders.model_settings import require_own_settings
from eatlas.encoders.models import (
    ABOUT,
    CONFIG,
    FIRST,
    MODULES,
    PICKLED,
    SAFETENSORS,
    listing,
    on_the_hub,
    sha256_of,
)
from eatlas.encoders.tokens import unknown_of
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Read, Unknown, cut
from eatlas.sources.spec import check_options, model_at, parse_file_spec
from eatlas.untrusted import only_data, require_trust

SCHEME = "st:"
Ids = tuple[int, ...]
"""Numbers of the tokens of a text, special ones included."""
AT_ONCE = 512
"""Texts handed over at a time: the library sorts them by length, and progress moves."""
BATCH = 64
OPTIONS = {
    "level": "sentence, the only one",
    "prefix": "a text that the model wants before each sentence, such as 'query: '",
    "device": "where it computes: cpu, cuda, mps",
    "revision": "branch, tag or commit of a model on the hub",
}
_UNUSED_FOLDERS = frozenset(("onnx", "openvino", ".git", ".cache"))
_UNUSED_SUFFIXES = frozenset((".md", ".onnx", ".ot", ".msgpack", ".h5", ".gitattributes", ".png"))
"""What a folder may hold beside the weights and settings that are used here."""
_UNUSED = ("*.onnx", "onnx/*", "openvino/*", "*.ot", "*.msgpack", "*.h5", "*.md")
"""The same as patterns for a download."""
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


# --- what files say -------------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownModel:
    """What the page of a well-known model prescribes."""

    name: str
    pattern: re.Pattern[str]
    pool: str
    prompts: tuple[str, ...] = ()
    """Texts that its page wants before an input."""


_KNOWN = (
    KnownModel(
        "E5",
        re.compile(r"\be5[-_](?!mistral)", re.IGNORECASE),
        "mean-all",
        ("query: ", "passage: "),
    ),
    # a prompt is for the queries of a search alone
    KnownModel("BGE", re.compile(r"\bbge[-_](small|base|large|m3)", re.IGNORECASE), "cls"),
    KnownModel(
        "Instructor",
        re.compile(r"\binstructor[-_](base|large|xl)", re.IGNORECASE),
        "mean-all",
        ("Represent the sentence: ",),
    ),
    KnownModel(
        "Nomic Embed",
        re.compile(r"\bnomic-embed-text", re.IGNORECASE),
        "mean-all",
        ("search_query: ", "search_document: ", "clustering: ", "classification: "),
    ),
)


@dataclass(frozen=True)
class ModelConventions:
    """How a text becomes a vector, as the files of a model or its name say."""

    pool: str | None = None
    """Our name of the pooling; None where nothing is said, or what is said is not ours to do."""
    by: str = ""
    """Where that is said."""
    theirs: str = ""
    """The parts of the model in their words, where hf: has no pooling for them."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Texts that are put before an input, by what they are for; only those that are not empty."""
    default: str = ""
    """The one that sentence-transformers puts there unasked; empty for none."""
    known: KnownModel | None = None


def declared(path: Path, name: str = "") -> ModelConventions:
    """Read what a model says of itself."""
    if not path.is_dir():
        return ModelConventions()
    names = (name, path.name, str(_read(path / CONFIG).get("_name_or_path")))
    known = next((model for model in _KNOWN if any(map(model.pattern.search, names))), None)
    about = _read(path / ABOUT)
    texts = about.get("prompts")
    texts = texts if isinstance(texts, dict) else {}
    prompts = {str(key): text for key, text in texts.items() if text and isinstance(text, str)}
    default = prompts.get(str(about.get("default_prompt_name")), "")
    pool, by, theirs = (known.pool, "its name", "") if known else (None, "", "")
    if (path / MODULES).is_file():
        (pool, theirs), by = _pooling(path), MODULES
    return ModelConventions(pool, by, "" if pool else theirs, prompts, default, known)


def _pooling(path: Path) -> tuple[str | None, str]:
    """Our name of the pooling, and the parts of the model in their words."""
    try:
        parts = parts_of(path)
    except SourceError as error:
        return None, str(error.what)
    listed = ", ".join(parts)
    # beside the pooling these change no cosine
    changing = [part for part in parts if part not in ("Transformer", "Normalize")]
    if len(changing) != 1 or not changing[0].startswith("Pooling("):
        return None, listed
    if _read(path / FIRST).get("do_lower_case") is True:
        return None, f"{listed}, of texts in lower case"
    return _POOLS.get(changing[0].removeprefix("Pooling(").removesuffix(")")), listed


def _read(file: Path) -> dict[str, Any]:
    """A file of settings; empty where there is none that can be read."""
    try:
        settings = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def prompt_note(model: ModelConventions, *, put: str = "", hint: str = "") -> list[Note]:
    """Name the prompts that a model expects; `hint` is the source that would put one."""
    if model.prompts:
        expected = [f"{key}: {text!r}" for key, text in list(model.prompts.items())[:4]]
        kind = ""
    elif model.known is not None and model.known.prompts:
        expected, kind = list(map(repr, model.known.prompts)), model.known.name
    else:
        return []
    values = {"kind": kind, "expected": expected, "put": put, "hint": hint}
    return [Note("source.prompt", values=values)]


def parts_of(folder: Path) -> list[str]:
    """Names of the parts that a text goes through, such as Transformer and Pooling(mean)."""
    parts = _settings(folder / MODULES)
    try:
        for part in parts:
            if Path(part["path"]).is_absolute() or ".." in Path(part["path"]).parts:
                raise SourceError(
                    f"{folder / MODULES}: a part of this model is outside its folder",
                    got=part["path"],
                    allowed="folders in it",
                )
        return [_called(folder / part["path"], part["type"]) for part in parts]
    except (TypeError, KeyError, AttributeError) as error:
        raise SourceError(f"{folder / MODULES}: this does not list the parts of a model") from error


def _called(folder: Path, kind: str) -> str:
    """Name of a part; of a pooling with its mode, such as Pooling(mean)."""
    name = kind.rpartition(".")[2]
    if name != "Pooling":
        return name
    config = _settings(folder / CONFIG)
    chosen = config.get("pooling_mode") or [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    return f"Pooling({'+'.join([chosen] if isinstance(chosen, str) else chosen)})"


def modules_of(folder: Path) -> list[str]:
    """The same of a model that the library is going to load; refuse parts that are code."""
    names = parts_of(folder)
    require_own_settings(files_of_sentence_model(folder))
    for part in _settings(folder / MODULES):
        _require_plain(folder / part["path"], part["type"])
    return names


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
        activation = _settings(folder / CONFIG).get("activation_function", "")
        if activation and not _ACTIVATION.fullmatch(str(activation)):
            require_trust(f"import and call {activation}")


def files_of_sentence_model(folder: Path) -> list[Path]:
    """All files that vectors may depend on, in a fixed order."""
    return sorted(_files(folder))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in _UNUSED_FOLDERS:
                yield from _files(path)
        elif path.name == PICKLED and (folder / SAFETENSORS).is_file():
            continue
        elif path.suffix not in _UNUSED_SUFFIXES and path.name not in _UNUSED_SUFFIXES:
            yield path


def _settings(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(
            f"{file}: cannot be read as a part of a model of sentence-transformers",
            got=str(error),
            allowed=f"a folder with {MODULES}",
            remedy="hf: takes other transformers",
        ) from error


# --- st: ------------------------------------------------------------------------------------------


class SentenceModelSource(Encoder):
    """Sentences encoded by a model of sentence-transformers.

    Pooling, normalisation and every further layer are the model's own. Nothing heavy is imported
    before a sentence is encoded.
    """

    shares = True

    def __init__(
        self, name: str, folder: Path, prefix: str = "", device: str | None = None
    ) -> None:
        super().__init__(name)
        self.folder, self.prefix, self.device = folder, prefix, device
        self._modules = modules_of(folder)
        self._conventions = declared(folder, name.removeprefix(SCHEME).partition("?")[0])

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
        if self.prefix:
            return ()
        return tuple(prompt_note(self._conventions, put=self._conventions.default))

    @property
    def encoding(self) -> Encoding:
        """How a sentence becomes a vector."""
        return Encoding(
            model=self.name.removeprefix(SCHEME).partition("?")[0],
            architecture=f"SentenceTransformer {version('sentence-transformers')}",
            level="sentence",
            pool=", ".join(self._modules),
            prompt=self._before and f"{self._before}{{}}",
            roundoff=roundoff_of(""),
        )

    @property
    def _before(self) -> str:
        """Prompt before each text: the user's choice, or the model's own default."""
        return self.prefix or self._conventions.default

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors, the longest texts first.

        Texts of the same tokens share one vector. Texts of one number of tokens are computed
        together, so that none is padded and its vector depends little on the texts beside it.
        """
        grouped: defaultdict[str | Ids, list[tuple[Item, Unknown]]] = defaultdict(list)
        for item, (what, unknown) in self._tokens(items).items():
            grouped[what].append((item, unknown))
        order = sorted(grouped, key=lambda what: (-len(what), what))
        for _, alike in groupby(order, len):
            for several in cut(alike, AT_ONCE):
                texts = [grouped[what][0][0].content for what in several]
                with quiet():
                    returned = self._model.encode(
                        texts, batch_size=BATCH, show_progress_bar=False, **self._prompt
                    )
                rows = as_rows(returned, texts, self.name)
                self._dim = rows.shape[1]
                yield {
                    item: Found(row, unknown=unknown)
                    for what, row in zip(several, rows, strict=True)
                    for item, unknown in grouped[what]
                }

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens of each item, or its text where the model has no tokenizer."""
        return {item: Read(repr(what), how) for item, (what, how) in self._tokens(items).items()}

    @property
    def _prompt(self) -> dict[str, str]:
        return {"prompt": self.prefix} if self.prefix else {}

    @cached_property
    def _model(self) -> Any:
        """The model, loaded by sentence-transformers."""
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (many seconds)

        repeat_products()
        try:
            return SentenceTransformer(
                str(self.folder), device=self.device, local_files_only=True
            ).eval()
        except Exception as error:
            raise SourceError(
                f"{self.name}: sentence-transformers cannot load this model",
                got=first_line(error),
                remedy="code that comes with a model is never run here; py: takes a function of "
                "yours that runs it",
            ) from error

    def _tokens(self, items: Collection[Item]) -> dict[Item, tuple[str | Ids, Unknown]]:
        """Numbers of the tokens of each item, or its text where the model has no tokenizer.

        A text that the library would cut without a word is refused.
        """
        with quiet():
            model = self._model
        limit, tokenizer = model.max_seq_length, model.tokenizer
        if not callable(tokenizer):
            return {item: (item.content, "") for item in items}
        tokens: dict[str, tuple[str | Ids, Unknown]] = {}
        texts = {item.content for item in items}
        with quiet():
            for text in sorted(texts, key=lambda text: (-len(text), text)):
                ids = tuple(tokenizer(self._before + text, truncation=False)["input_ids"])
                if limit is not None and len(ids) > limit:
                    raise SourceError(
                        f"{self.name}: a text is longer than the model takes: {shown(text)}",
                        got=f"{len(ids):,} tokens",
                        allowed=f"up to {limit:,} tokens, special ones included",
                        remedy="shorten it; a --window in words keeps contexts short",
                    )
                tokens[text] = ids, unknown_of(tokenizer, text, ids)
        return {item: tokens[item.content] for item in items}


@keeping
def open_st(text: str) -> tuple[SentenceModelSource, ...]:
    """Open a model of sentence-transformers."""
    spec = parse_file_spec(text.removeprefix(SCHEME))
    name = text.removeprefix(SCHEME).partition("?")[0]
    label = SCHEME + name
    if not name.strip():
        raise SourceError(f"{text}: no model is named", allowed="st:NAME, st:FOLDER")
    check_options(spec.options, OPTIONS, label)
    if spec.options.get("level", "sentence") != "sentence":
        raise SourceError(
            f"{label}: the option level cannot have this value",
            got=f"level={spec.options['level']}",
            allowed="sentence",
            remedy="for vectors of words in their sentence: hf: and level=word",
        )
    needed = ("torch", "sentence_transformers")
    require_extra(needed, f"{text}: sentence-transformers is not installed")
    options = spec.options
    folder = _find(spec.path, options.get("revision", "main"))
    return (SentenceModelSource(text, folder, options.get("prefix", ""), options.get("device")),)


def _find(path: Path, revision: str) -> Path:
    """Folder of a model, here or fetched from the hub, which owns names without an owner."""
    folder, name = path.expanduser(), path.as_posix()
    if folder.is_file() and (model := model_at(folder)):
        raise SourceError(f"{SCHEME}{name}: this is no folder", remedy=f"name the folder: {model}")
    if not folder.is_dir():
        full_name = name if "/" in name else f"sentence-transformers/{name}"
        folder = on_the_hub(
            name, full_name, SCHEME, revision, lambda folder: (folder / MODULES).is_file(),
            lambda: {"ignore_patterns": list(_UNUSED)},
        )  # fmt: skip
    if not (folder / MODULES).is_file():
        raise SourceError(
            f"{SCHEME}{name}: this folder holds no model of sentence-transformers",
            got=listing(folder),
            allowed=f"a folder with {MODULES}",
            remedy=f"hf:{name} takes other transformers",
        )
    return folder
