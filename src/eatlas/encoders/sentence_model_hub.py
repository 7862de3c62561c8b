"""Models of sentence-transformers by name: in the local cache of the hub, or fetched from it."""

from __future__ import annotations

import re
from pathlib import Path

from eatlas.encoders.sentence_model_files import MODULES
from eatlas.errors import SourceError
from eatlas.sources.care import require_trust
from eatlas.sources.misnamed import model_at

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_OWNER = "sentence-transformers"
_UNUSED = ("*.onnx", "onnx/*", "openvino/*", "*.ot", "*.msgpack", "*.h5", "*.md")


def _meant(path: Path) -> str:
    """The folder of a model of which one file was named."""
    model = model_at(path) if path.is_file() else ""
    return f"name the folder: {model}" if model else "check the path"


def on_the_hub(name: str, revision: str) -> Path:
    """Return the folder of a model; a name without an owner is one of sentence-transformers' own.

    Raises
    ------
    SourceError
        If there is no such model, or the hub cannot be reached.
    """
    if not _NAME.fullmatch(name):
        raise SourceError(
            f"st:{name}: there is no such folder",
            allowed=f"a folder with {MODULES}, or a name on the hub such as all-MiniLM-L6-v2",
            remedy=_meant(Path(name)),
        )
    require_trust(f"ask the hub of Hugging Face for the model {name}, and load it")
    full = name if "/" in name else f"{_OWNER}/{name}"
    folder = _snapshot(full, revision, local=True) or _fetched(full, revision, name)
    if not (folder / MODULES).is_file():
        raise SourceError(
            f"st:{name}: this is no model of sentence-transformers",
            got=f"no {MODULES}",
            remedy=f"hf:{name} takes other transformers",
        )
    return folder


def _snapshot(name: str, revision: str, *, local: bool) -> Path | None:
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return Path(
            snapshot_download(
                name, revision=revision, local_files_only=local, ignore_patterns=list(_UNUSED)
            )
        )
    except LocalEntryNotFoundError:
        if not local:
            raise
        return None


def _fetched(name: str, revision: str, asked: str) -> Path:
    try:
        folder = _snapshot(name, revision, local=False)
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0][:200]
        raise SourceError(
            f"st:{asked}: there is no such folder, and the model cannot be fetched from the hub",
            got=f"{type(error).__name__}: {first}",
            remedy="check the name and the network, or name a folder: st:/path/to/model",
        ) from error
    if folder is None:
        raise SourceError(f"st:{asked}: the hub gave no model")
    return folder
