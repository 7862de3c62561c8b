"""Files of models: here or fetched from the hub, a hash of each, and the memory they need."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection
from contextlib import suppress
from fnmatch import fnmatch
from importlib.metadata import version
from math import prod
from pathlib import Path
from typing import Any, Literal

from eatlas.encoders.model_config import CONFIG
from eatlas.encoders.options import Options
from eatlas.errors import ResultsError, SourceError
from eatlas.folders import cache_folder
from eatlas.sources.spec import model_at
from eatlas.untrusted import computes_afresh, require_trust
from eatlas.writing import atomic_file

SAFETENSORS = "model.safetensors"
PICKLED = "pytorch_model.bin"
MODULES = "modules.json"
ABOUT = "config_sentence_transformers.json"
FIRST = "sentence_bert_config.json"
README = "README.md"
SETTINGS = (MODULES, ABOUT, FIRST, "*_Pooling/config.json", README)
"""What a model says of itself, beside the model; patterns for a download."""
_INDEX = ".index.json"
TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model",
    "tokenizer.model", "spm.model", "bpe.codes",
)  # fmt: skip
"""What tokenizers of transformers are read from."""
PROCESSOR = ("preprocessor_config.json", "processor_config.json")
"""Where transformers keeps the settings of an image processor; the second nests them."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
ROOM = 1.15
"""Of what the weights alone take; MiniLM, 91 MB of weights, takes 8% more with one batch."""
_GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))


def weight_files(there: Collection[str]) -> tuple[str, ...]:
    """Return which files of a folder hold the weights, as transformers chooses.

    The safetensors before the pickled ones; several parts come with an index that names them.
    """
    for whole in (SAFETENSORS, PICKLED):
        if whole in there:
            return (whole,)
        if whole + _INDEX in there:
            stem, suffix = whole.rsplit(".", 1)
            parts = sorted(
                name for name in there if name.startswith(f"{stem}-") and name.endswith(suffix)
            )
            return (*parts, whole + _INDEX)
    return ()


def files_of(path: Path, *, weights: bool, beside: Collection[str] = ()) -> tuple[Path, ...]:
    """Return all files of a model that its vectors depend on, in a fixed order."""
    if path.is_file():
        return (path,)
    there = sorted(file.name for file in path.iterdir() if file.is_file())
    named = {CONFIG, *TOKENIZER, *beside}
    taken = [name for name in there if name in named or name.endswith(".py")]
    if weights:
        found = weight_files(there)
        if not found:
            raise _no_weights(path, there)
        taken += found
        _require_all_parts(path, found)
    return tuple(path / name for name in taken)


def content_of(
    path: Path, *, weights: Literal["trained", "random"], beside: Collection[str] = ()
) -> str:
    """Hash of all files that decide numbers; of the libraries, where they draw the weights."""
    random = weights == "random"
    digest = hashlib.sha256()
    for file in files_of(path, weights=not random, beside=beside):
        digest.update(f"{file.name} {sha256_of(file)}\n".encode())
    if random:
        digest.update(f"torch {version('torch')} {version('transformers')}".encode())
    return digest.hexdigest()


def sha256_of(file: Path) -> str:
    """SHA-256 of a file; kept by path, size, times and inode, so that it is computed once."""
    try:
        real = file.resolve(strict=True)
        state = real.stat()
        kept = cache_folder() / "hashes" / hashlib.sha256(os.fsencode(real)).hexdigest()
        mark = f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino} "
        known = "" if computes_afresh() else _read(kept)
        if known.startswith(mark):
            return known.removeprefix(mark)
        with real.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{file}: the file cannot be read", got=str(error)) from error
    # where it cannot be kept, the hash is computed again
    with suppress(ResultsError), atomic_file(kept) as written:
        written.write(mark + found)
    return found


def _read(kept: Path) -> str:
    try:
        text = kept.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
    return text if len(text.rpartition(" ")[2]) == 64 else ""


def _require_all_parts(path: Path, found: tuple[str, ...]) -> None:
    """Refuse weights in parts of which some are missing."""
    if not found[-1].endswith(_INDEX):
        return
    try:
        index = json.loads((path / found[-1]).read_text(encoding="utf-8"))
        named = sorted(set(index["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise SourceError(f"{path / found[-1]}: the index cannot be read") from error
    missing = [name for name in named if name not in found]
    if missing:
        raise SourceError(
            f"{path}: parts of the model's weights are not there",
            got=", ".join(missing),
            remedy="fetch the model again",
        )


def _no_weights(path: Path, there: list[str]) -> SourceError:
    return SourceError(
        f"{path}: there are no weights that can be read",
        got=", ".join(there[:20]) or "an empty folder",
        allowed=f"{SAFETENSORS}, {PICKLED} (only numbers are read from it), or parts of either "
        "with their index; a GGUF file is named itself",
        remedy="weights=random needs none",
    )


def number_of_weights(path: Path, known: int | None) -> int | None:
    """Return how many weights a model has: as its card says, or by the headers of its files."""
    if known is not None or path.is_file():
        return known
    names = [file.name for file in path.iterdir()]
    parts = [path / name for name in weight_files(names) if not name.endswith(".json")]
    if not parts:
        return None
    if parts[0].suffix == Path(PICKLED).suffix:
        return sum(part.stat().st_size for part in parts) // BYTES["float32"]
    return sum(_in_safetensors(part) for part in parts)


def require_memory(path: Path, known: int | None, precision: str) -> None:
    """Refuse a model whose weights do not fit into the memory that is free."""
    count, free = number_of_weights(path, known), available()
    if count is None or free is None:
        return
    needed = count * BYTES[precision] * ROOM
    if needed > free:
        raise too_little(path, f"about {needed / 1e9:.1f} GB for {count:,} weights", free)


def too_little(path: Path, needed: str, free: float | None = None) -> SourceError:
    """Say that memory does not suffice."""
    there = "" if free is None else f", and {free / 1e9:.1f} GB are free"
    return SourceError(
        f"{path}: there is not enough memory for this model",
        got=f"it needs {needed}{there}",
        remedy="a smaller model, precision=bfloat16, or a machine with more memory",
    )


def available() -> int | None:
    """Bytes of memory that are free for us; None where the system does not say it."""
    return min((each for each in (_of_machine(), _of_group()) if each is not None), default=None)


def _of_machine() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _of_group() -> int | None:
    """What a container still has."""
    try:
        most, used = (path.read_text(encoding="ascii").strip() for path in _GROUPS)
    except OSError:
        return None
    return int(most) - int(used) if most.isdigit() and used.isdigit() else None


def _in_safetensors(file: Path) -> int:
    """Number of weights by the header of a safetensors file."""
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415

    try:
        with safe_open(file, framework="numpy") as opened:
            names = opened.keys()
            return sum(prod(opened.get_slice(name).get_shape()) for name in names)
    except (OSError, SafetensorError) as error:
        raise SourceError(
            f"{file}: the head of these weights is damaged",
            got=str(error)[:200],
            remedy="fetch the file again",
        ) from error


def tensor_in(path: Path, name: str) -> float | None:
    """Read one number among the weights of a model, without the others."""
    for file in weight_files([each.name for each in path.iterdir()]):
        if file.endswith(_INDEX):
            continue
        found = _tensor(path / file, name)
        if found is not None:
            return float(found.reshape(-1)[0])
    return None


def _tensor(file: Path, name: str) -> Any:
    """A tensor of one file of weights; only it is read, where the format lets us."""
    if file.suffix == Path(SAFETENSORS).suffix:
        from safetensors import safe_open  # noqa: PLC0415

        with safe_open(file, framework="numpy") as opened:
            if name not in set(opened.keys()):
                return None
            if opened.get_slice(name).get_dtype() != "BF16":
                return opened.get_tensor(name)
        with safe_open(file, framework="pt") as opened:  # numpy does not know bfloat16
            return opened.get_tensor(name).float()
    import torch  # noqa: PLC0415  (seconds; only for what it alone reads)

    weights = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    return weights[name].float() if name in weights else None


_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
_PATH_LIKE = ("/", "./", "../", "~", ".\\", "..\\")
_ALLOWED = {
    "hf:": "a folder with config.json, a .gguf file, or a name on the hub such as bert-base-cased "
    "or facebook/opt-125m",
    "clip:": "a folder with config.json, or a name on the hub such as openai/clip-vit-base-patch32",
}
_OWNER = "sentence-transformers"
_UNUSED = ("*.onnx", "onnx/*", "openvino/*", "*.ot", "*.msgpack", "*.h5", "*.md")
"""What comes with models of sentence-transformers and is not used here."""


def transformer_on_the_hub(name: str, options: Options, scheme: str = "hf:") -> Path:
    """Folder of a transformer that has a name on the hub; what is missing is fetched."""
    if name.startswith(_PATH_LIKE) or not _NAME.fullmatch(name) or name.endswith(".gguf"):
        raise SourceError(
            f"{scheme}{name}: there is no such folder or file",
            allowed=_ALLOWED[scheme],
            remedy="check the path",
        )
    _require_trust(name)
    trained = options.weights == "trained"
    here = _in_cache(name, revision=options.revision)
    there = [file.name for file in here.iterdir()] if here is not None else []
    whole = scheme == "hf:" or any(file in there for file in PROCESSOR)
    if here is not None and CONFIG in there and whole and (weight_files(there) or not trained):
        return here
    return _fetch(name, options, scheme, trained=trained)


def sentence_model_on_the_hub(name: str, revision: str) -> Path:
    """Return the folder of a model of sentence-transformers, which owns names without an owner."""
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
            f"st:{name}: this is not a model of sentence-transformers",
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
    """Folder of a model that was fetched before; None without one."""
    from huggingface_hub.errors import (  # noqa: PLC0415
        HFValidationError,
        LocalEntryNotFoundError,
    )

    try:
        return _snapshot(name, local_files_only=True, **wanted)
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise SourceError(
            f"{name}: no model on the hub can have this name",
            got=str(error).splitlines()[0][:200],
            remedy="check the path of the folder, or the name on the hub",
        ) from error


def _fetch(name: str, options: Options, scheme: str, *, trained: bool) -> Path:
    """Fetch the files that are used, and no others: weights often lie there in five formats."""
    from huggingface_hub import HfApi  # noqa: PLC0415

    try:
        info = HfApi().model_info(name, revision=options.revision)
        there = [file.rfilename for file in info.siblings or ()]
        weights = weight_files(there) if trained else ()
        code = [file for file in there if options.trust and fnmatch(file, "*.py")]
        wanted = [CONFIG, *TOKENIZER, *SETTINGS, *PROCESSOR, *weights, *code]
        return _snapshot(name, revision=info.sha, allow_patterns=wanted)
    except Exception as error:
        raise _not_fetched(scheme, name, options, error) from error


def _not_fetched(scheme: str, name: str, options: Options, error: Exception) -> SourceError:
    """Explain why a model could not be fetched from the hub."""
    from huggingface_hub.errors import (  # noqa: PLC0415
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(error, GatedRepoError):
        return SourceError(
            f"{scheme}{name}: this model is gated: its authors grant access",
            remedy="request access on its page of the hub, and sign in: hf auth login",
        )
    if isinstance(error, RevisionNotFoundError):
        return SourceError(f"{scheme}{name}: there is no such revision", got=options.revision)
    if isinstance(error, RepositoryNotFoundError):
        return SourceError(
            f"{scheme}{name}: there is neither a folder nor a model on the hub of this name",
            remedy="check the name; for a private model: hf auth login",
        )
    return SourceError(
        f"{scheme}{name}: the model is not on this machine, and the hub cannot be reached",
        got=_first_line(error),
        remedy=f"connect to the network, or name a folder: {scheme}/path/to/model",
    )


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
