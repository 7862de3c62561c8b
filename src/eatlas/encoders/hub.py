"""Models by name: in the local cache of the hub of Hugging Face, or fetched from it."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from eatlas.care import require_trust
from eatlas.encoders.card import CONFIG
from eatlas.encoders.declared import FILES, MODULES
from eatlas.encoders.files import TOKENIZER, weight_files
from eatlas.encoders.options import Options
from eatlas.errors import SourceError
from eatlas.sources.spec import model_at

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_PATH_LIKE = ("/", "./", "../", "~", ".\\", "..\\")
_OWNER = "sentence-transformers"
_UNUSED = ("*.onnx", "onnx/*", "openvino/*", "*.ot", "*.msgpack", "*.h5", "*.md")
"""What comes with models of sentence-transformers and is not used here."""


def transformer_on_the_hub(name: str, options: Options) -> Path:
    """Return the folder of a transformer that has a name on the hub; what is not here is fetched.

    Raises
    ------
    SourceError
        If the name cannot be one, there is no such model, it may not be had, or the hub cannot be
        reached.
    """
    if name.startswith(_PATH_LIKE) or not _NAME.fullmatch(name) or name.endswith(".gguf"):
        raise SourceError(
            f"hf:{name}: there is no such folder or file",
            allowed="a folder with config.json, a .gguf file, or a name on the hub such as "
            "bert-base-cased or facebook/opt-125m",
            remedy="check the path",
        )
    _require_trust(name)
    trained = options.weights == "trained"
    here = _in_cache(name, revision=options.revision)
    there = [file.name for file in here.iterdir()] if here is not None else []
    if here is not None and CONFIG in there and (weight_files(there) or not trained):
        return here
    return _fetch(name, options, trained=trained)


def sentence_model_on_the_hub(name: str, revision: str) -> Path:
    """Return the folder of a model of sentence-transformers, which owns names without an owner.

    Raises
    ------
    SourceError
        If there is no such model, or the hub cannot be reached.
    """
    if not _NAME.fullmatch(name):
        model = model_at(Path(name)) if Path(name).is_file() else ""
        raise SourceError(
            f"st:{name}: there is no such folder",
            allowed=f"a folder with {MODULES}, or a name on the hub such as all-MiniLM-L6-v2",
            remedy=f"name the folder: {model}" if model else "check the path",
        )
    _require_trust(name)
    full = name if "/" in name else f"{_OWNER}/{name}"
    wanted: dict[str, Any] = {"revision": revision, "ignore_patterns": list(_UNUSED)}
    folder = _in_cache(full, **wanted)
    if folder is None:
        try:
            folder = _snapshot(full, **wanted)
        except Exception as error:
            raise SourceError(
                f"st:{name}: there is no such folder, and the model cannot be fetched from the hub",
                got=_first_line(error),
                remedy="check the name and the network, or name a folder: st:/path/to/model",
            ) from error
    if not (folder / MODULES).is_file():
        raise SourceError(
            f"st:{name}: this is no model of sentence-transformers",
            got=f"no {MODULES}",
            remedy=f"hf:{name} takes other transformers",
        )
    return folder


def _require_trust(name: str) -> None:
    require_trust(f"ask the hub of Hugging Face for the model {name}, and load it")


def _snapshot(name: str, **wanted: Any) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    return Path(snapshot_download(name, **wanted))


def _in_cache(name: str, **wanted: Any) -> Path | None:
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return _snapshot(name, local_files_only=True, **wanted)
    except LocalEntryNotFoundError:
        return None


def _fetch(name: str, options: Options, *, trained: bool) -> Path:
    """Fetch the files that are used, and no others: weights often lie there in five formats."""
    from huggingface_hub import HfApi  # noqa: PLC0415

    try:
        info = HfApi().model_info(name, revision=options.revision)
        there = [file.rfilename for file in info.siblings or ()]
        weights = weight_files(there) if trained else ()
        code = [file for file in there if options.trust and fnmatch(file, "*.py")]
        wanted = [CONFIG, *TOKENIZER, *FILES, *weights, *code]
        return _snapshot(name, revision=info.sha, allow_patterns=wanted)
    except Exception as error:
        raise _not_fetched(name, options, error) from error


def _not_fetched(name: str, options: Options, error: Exception) -> SourceError:
    from huggingface_hub.errors import (  # noqa: PLC0415
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(error, GatedRepoError):
        return SourceError(
            f"hf:{name}: this model is only for those who have asked for it",
            remedy="ask for it on its page of the hub, and sign in: hf auth login",
        )
    if isinstance(error, RevisionNotFoundError):
        return SourceError(f"hf:{name}: there is no such revision", got=options.revision)
    if isinstance(error, RepositoryNotFoundError):
        return SourceError(
            f"hf:{name}: there is neither a folder nor a model on the hub of this name",
            remedy="check the name; for a private model: hf auth login",
        )
    return SourceError(
        f"hf:{name}: the model is not on this machine, and the hub cannot be reached",
        got=_first_line(error),
        remedy="connect to the network, or name a folder: hf:/path/to/model",
    )


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
