"""Models by name: in the local cache of the hub, or fetched from it."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

from eatlas.encoders.card import CONFIG
from eatlas.encoders.declared import FILES
from eatlas.encoders.files import TOKENIZER, weight_files
from eatlas.encoders.options import Options
from eatlas.errors import SourceError
from eatlas.sources.care import require_trust

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_PATH_LIKE = ("/", "./", "../", "~", ".\\", "..\\")


def on_the_hub(name: str, options: Options) -> Path:
    """Return the folder of a model that has a name on the hub; what is not here is fetched.

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
    require_trust(f"ask the hub of Hugging Face for the model {name}, and load it")
    trained = options.weights == "trained"
    here = _in_cache(name, options.revision)
    if here is not None and _is_whole(here, trained=trained):
        return here
    return _fetch(name, options, trained=trained)


def _in_cache(name: str, revision: str) -> Path | None:
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _is_whole(folder: Path, *, trained: bool) -> bool:
    there = [file.name for file in folder.iterdir()]
    return CONFIG in there and (bool(weight_files(there)) or not trained)


def _fetch(name: str, options: Options, *, trained: bool) -> Path:
    """Fetch the files that are used, and no others: weights often lie there in five formats."""
    from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415

    try:
        info = HfApi().model_info(name, revision=options.revision)
        there = [file.rfilename for file in info.siblings or ()]
        weights = weight_files(there) if trained else ()
        code = [file for file in there if options.trust and fnmatch(file, "*.py")]
        wanted = [CONFIG, *TOKENIZER, *FILES, *weights, *code]
        return Path(snapshot_download(name, revision=info.sha, allow_patterns=wanted))
    except Exception as error:
        raise _not_fetched(name, options, error) from error


def _not_fetched(name: str, options: Options, error: Exception) -> SourceError:
    from huggingface_hub.errors import (  # noqa: PLC0415
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    got = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
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
        got=got,
        remedy="connect to the network, or name a folder: hf:/path/to/model",
    )
