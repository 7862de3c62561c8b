"""What was probably meant by a path that is not usable as it is written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from eatlas.nearest import nearest

CONFIG, MODULES, GGUF = "config.json", "modules.json", ".gguf"


def file_like(path: Path) -> str:
    """Return the path of the file or folder beside a missing one whose name is nearest to its own.

    Empty where there is none, and where the folder is not there either.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "glove.6B.50d.txt").write_text("")
    ...     Path(file_like(Path(folder, "glove.6B.50.txt"))).name
    'glove.6B.50d.txt'
    """
    beside: list[str] = []
    with suppress(OSError):
        beside = sorted(one.name for one in path.parent.iterdir() if not one.name.startswith("."))
    near = nearest(path.name, beside)
    return str(path.with_name(near[0])) if near else ""


def missing_folder(path: Path) -> str:
    """Return the first folder on the way to a file that is not there; empty where all are."""
    with suppress(OSError):
        for folder in reversed(path.parents):
            if not folder.exists():
                return str(folder)
    return ""


def model_at(path: Path) -> str:
    """Return how a model is named whose folder, or one of whose files, somebody took for vectors.

    Examples
    --------
    >>> model_at(Path("models/tiny.gguf"))
    'hf:models/tiny.gguf'
    """
    if path.suffix.lower() == GGUF:
        return f"hf:{path}"
    folder = path if path.is_dir() else path.parent
    with suppress(OSError):
        if (folder / MODULES).is_file():
            return f"st:{folder}"
        if (folder / CONFIG).is_file():
            return f"hf:{folder}"
    return ""
