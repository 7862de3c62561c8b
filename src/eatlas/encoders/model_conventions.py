"""What a model's own files, or its name, say of how a text becomes a vector.

Folders of sentence-transformers list the parts that a text goes through; they are read here without
the library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eatlas.encoders.model_config import CONFIG, read_config
from eatlas.encoders.model_files import ABOUT, FIRST, MODULES, PICKLED, README, SAFETENSORS
from eatlas.encoders.model_settings import require_own_settings
from eatlas.errors import SourceError
from eatlas.untrusted import only_data, require_trust

_UNUSED_FOLDERS = frozenset(("onnx", "openvino", ".git", ".cache"))
_UNUSED_SUFFIXES = frozenset((".md", ".onnx", ".ot", ".msgpack", ".h5", ".gitattributes", ".png"))
"""What a folder may hold beside the weights and settings that are used here."""
_OWN = re.compile(r"sentence_transformers(\.\w+)+", re.ASCII)
"""Parts of the library; others are code that comes with a model, or that its author chose."""
_OF_NUMBERS = frozenset(("Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "Dropout"))
"""Parts that are made of numbers alone; the settings of others name classes to be imported."""
_ACTIVATION = re.compile(r"torch\.nn\.modules\.(activation|linear)\.\w+", re.ASCII)
POOLS = {
    "mean": "mean-all",
    "mean_sqrt_len": "mean-all",
    "cls": "cls",
    "max": "max-all",
    "lasttoken": "last-all",
}
"""Our name of a pooling by that of sentence-transformers, up to the length of the vector. Theirs
takes special tokens with the others."""
PLAIN = ("Transformer", "Normalize")
"""Parts that change no cosine beside the pooling."""


@dataclass(frozen=True)
class KnownModel:
    """What the page of a well-known model prescribes."""

    name: str
    pattern: re.Pattern[str]
    pool: str
    prompts: tuple[str, ...]
    """Texts that its page wants before an input."""


KNOWN = (
    KnownModel(
        "E5",
        re.compile(r"\be5[-_](?!mistral)", re.IGNORECASE),
        "mean-all",
        ("query: ", "passage: "),
    ),
    # a prompt is for the queries of a search alone
    KnownModel("BGE", re.compile(r"\bbge[-_](small|base|large|m3)", re.IGNORECASE), "cls", ()),
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
"""Models whose pages say how they are pooled and which prompt precedes a text."""


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
    known = _known(path, name)
    about = _read(path / ABOUT)
    prompts = _prompts(about.get("prompts"))
    default = prompts.get(str(about.get("default_prompt_name")), "")
    if (path / MODULES).is_file():
        pool, theirs = _pooling(path)
        return ModelConventions(pool, MODULES, "" if pool else theirs, prompts, default, known)
    if known is not None:
        return ModelConventions(known.pool, "its name", "", prompts, default, known)
    return ModelConventions(None, "", "", prompts, default)


def _pooling(path: Path) -> tuple[str | None, str]:
    """Our name of the pooling, and the parts of the model in their words."""
    try:
        parts = parts_of(path)
    except SourceError as error:
        return None, str(error.what)
    said = ", ".join(parts)
    pooled = [part for part in parts if part.startswith("Pooling(")]
    others = [part for part in parts if part not in pooled and part not in PLAIN]
    if len(pooled) != 1 or others:
        return None, said
    if _read(path / FIRST).get("do_lower_case") is True:
        return None, f"{said}, of texts in lower case"
    return POOLS.get(pooled[0].removeprefix("Pooling(").removesuffix(")")), said


def _known(path: Path, name: str) -> KnownModel | None:
    """The well-known model that this is, by its name, its folder's or the title of its page."""
    said = _read(path / "config.json").get("_name_or_path")
    names = [name, path.name, said if isinstance(said, str) else "", _title(path / README)]
    return next((one for one in KNOWN if any(map(one.pattern.search, names))), None)


def _title(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            lines = opened.read(20_000).splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("# ")), "")


def _prompts(said: object) -> dict[str, str]:
    if not isinstance(said, dict):
        return {}
    return {str(key): text for key, text in said.items() if isinstance(text, str) and text}


def _read(file: Path) -> dict[str, Any]:
    """A file of settings; empty where there is none that can be read."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def prompt_note(found: ModelConventions, *, put: str | None, how: str) -> list[str]:
    """Name the prompt that a model expects and the one that is used."""
    if put is None:
        return []
    if found.prompts:
        listed = "; ".join(f"{key}: {text!r}" for key, text in list(found.prompts.items())[:4])
        said = f"The model declares prompts, texts that are put before an input ({listed})"
    elif found.known is not None and found.known.prompts:
        listed = " or ".join(repr(text) for text in found.known.prompts)
        said = (
            f"By its name this is a model of the kind {found.known.name}, whose page asks for a "
            f"prompt before each input ({listed})"
        )
    else:
        return []
    there = f"the model's own default, {put!r}, is put before each text" if put else "none was put"
    return [f"{said}; {there}. {how}"]


def modules_of(folder: Path) -> list[str]:
    """Names of the parts that a text goes through, such as Transformer and Normalize."""
    names = parts_of(folder)
    require_own_settings(_files(folder))
    for one in _settings(folder / MODULES):
        _require_plain(folder / one["path"], one["type"])
    return names


def parts_of(folder: Path) -> list[str]:
    """Names of the parts of a model that is not going to be loaded by the library."""
    listed = _settings(folder / MODULES)
    try:
        for one in listed:
            _require_inside(folder, one["path"])
        return [_module(folder / one["path"], one["type"]) for one in listed]
    except (TypeError, KeyError, AttributeError) as error:
        raise SourceError(f"{folder / MODULES}: this does not list the parts of a model") from error


def _require_inside(folder: Path, part: str) -> None:
    """Refuse a part of a model that lies outside its folder, where no fingerprint covers it."""
    if Path(part).is_absolute() or ".." in Path(part).parts:
        raise SourceError(
            f"{folder / MODULES}: a part of this model is outside its folder",
            got=part,
            allowed="folders in it",
        )


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
    if name == "Transformer" and (folder / CONFIG).is_file():
        read_config(folder / CONFIG)
    if only_data() and name not in _OF_NUMBERS:
        require_trust(f"load the part {kind} of the model, whose settings name what is imported")
    if only_data() and name == "Dense":
        activation = _settings(folder / CONFIG).get("activation_function", "")
        if activation and not _ACTIVATION.fullmatch(str(activation)):
            require_trust(f"import and call {activation}")


def _module(folder: Path, kind: str) -> str:
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


def _settings(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(
            f"{file}: cannot be read as a part of a model of sentence-transformers",
            got=str(error),
            allowed=f"a folder with {MODULES}",
            remedy="hf: takes other transformers",
        ) from error
