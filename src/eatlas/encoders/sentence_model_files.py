"""Folders of sentence-transformers: what is in them, read without the library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eatlas.encoders.card import CONFIG, require_no_kernels
from eatlas.encoders.files import PICKLED, SAFETENSORS
from eatlas.errors import SourceError
from eatlas.sources.care import only_data, require_trust

MODULES = "modules.json"
_UNUSED_FOLDERS = frozenset(("onnx", "openvino", ".git", ".cache"))
_UNUSED_SUFFIXES = frozenset((".md", ".onnx", ".ot", ".msgpack", ".h5", ".gitattributes", ".png"))
"""What a folder may hold beside the weights and settings that are used here."""
_OWN = re.compile(r"sentence_transformers(\.\w+)+", re.ASCII)
"""Parts of the library; others are code that comes with a model, or that its author chose."""
_OF_NUMBERS = frozenset(("Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "Dropout"))
"""Parts that are made of numbers alone; the settings of others name classes to be imported."""
_ACTIVATION = re.compile(r"torch\.nn\.modules\.(activation|linear)\.\w+", re.ASCII)


def modules_of(folder: Path) -> list[str]:
    """Names of the parts that a text goes through, such as Transformer, Pooling(mean), Normalize.

    Raises
    ------
    SourceError
        If the folder is none of sentence-transformers, or a part is code of its own.
    """
    names = parts_of(folder)
    for one in _read(folder / MODULES):
        _require_plain(folder / one["path"], one["type"])
    return names


def parts_of(folder: Path) -> list[str]:
    """Names of the parts of a model that is not going to be loaded by the library.

    Raises
    ------
    SourceError
        If the folder is none of sentence-transformers.
    """
    listed = _read(folder / MODULES)
    try:
        return [_module(folder / one["path"], one["type"]) for one in listed]
    except (TypeError, KeyError, AttributeError) as error:
        raise SourceError(f"{folder / MODULES}: this does not list the parts of a model") from error


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
    """Refuse a part that is code of its own; where a file names the model, all but numbers.

    Raises
    ------
    SourceError
        If it is.
    """
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
        require_no_kernels(_read(folder / CONFIG), folder / CONFIG)
    if only_data() and name not in _OF_NUMBERS:
        require_trust(f"load the part {kind} of the model, whose settings name what is imported")
    if only_data() and name == "Dense":
        activation = _read(folder / CONFIG).get("activation_function", "")
        if activation and not _ACTIVATION.fullmatch(str(activation)):
            require_trust(f"import and call {activation}")


def _module(folder: Path, kind: str) -> str:
    name = kind.rpartition(".")[2]
    if name != "Pooling":
        return name
    config = _read(folder / CONFIG)
    chosen = config.get("pooling_mode") or [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    return f"Pooling({'+'.join([chosen] if isinstance(chosen, str) else chosen)})"


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(
            f"{file}: cannot be read as a part of a model of sentence-transformers",
            got=str(error),
            allowed=f"a folder with {MODULES}",
            remedy="hf: takes other transformers",
        ) from error
