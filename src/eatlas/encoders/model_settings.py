"""What the settings of a model may say: nothing that leads out of its folder.

Libraries follow settings that name code or models on a hub. What is taken from there is in no
fingerprint, and code of it would run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from eatlas.decoding import require_file
from eatlas.errors import SourceError
from eatlas.untrusted import require_trust

_OF_DATA = ("tokenizer.json", "vocab.json", "*.index.json")
"""Large files that libraries read as tables of tokens and weights."""
_OF_A_PART = "sentence_*_config.json"
"""Settings of the transformer in a model of sentence-transformers."""
_ARGUMENTS = frozenset(
    (
        "config_args", "config_kwargs", "model_args", "model_kwargs", "processor_kwargs",
        "tokenizer_args",
    )
)  # fmt: skip
"""Settings there that are handed to functions of transformers."""
_PLAIN = frozenset(
    (
        "add_bos_token", "add_eos_token", "add_pooling_layer", "attn_implementation",
        "do_lower_case", "dtype", "low_cpu_mem_usage", "max_length", "model_max_length",
        "padding_side", "torch_dtype", "truncation_side", "use_cache", "use_fast",
        "use_safetensors",
    )
)  # fmt: skip
"""Arguments that name nothing outside the folder."""
MOST_LAYERS = 2_000
"""The deepest transformers have 1,000."""
_LAYERED = re.compile(r"(layers?|depths?|blocks|block_count|experts?|expert_count)$")
"""Keys of what a model is built of, piece by piece."""
_ELSEWHERE = frozenset(("tokenizer_name_or_path", "base_model_name_or_path"))
"""Settings that name another model."""


def require_own_settings(files: Iterable[Path]) -> None:
    """Refuse settings of a model that name code or another model, on a hub or elsewhere."""
    for file in files:
        require_file(file, SourceError)
        settings = file.suffix == ".json" and not any(
            fnmatch(file.name, pattern) for pattern in _OF_DATA
        )
        if not settings or not file.is_file():
            continue
        try:
            values = json.loads(file.read_bytes())
        except (OSError, ValueError):
            continue  # who needs the file says so
        except RecursionError as error:
            raise SourceError(
                f"{file}: the configuration cannot be read", got="values nested hundreds deep"
            ) from error
        if file.name == "config.json":
            require_few_layers(values, file)
        for key, value in _entries(values):
            _check(file, key, value)


def require_few_layers(settings: Any, file: Path) -> None:
    """Refuse so many layers or experts that building them would never end."""
    for key, value in _entries(settings):
        numbers = value if isinstance(value, list) else [value]
        if _LAYERED.search(str(key)) and any(
            isinstance(number, int | float) and number > MOST_LAYERS for number in numbers
        ):
            raise SourceError(
                f"{file}: the configuration has more layers than any model",
                got=f"{key}: {str(value)[:100]}",
                allowed=f"at most {MOST_LAYERS:,}",
                remedy="fetch the model again",
            )


def _entries(settings: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    left = [settings]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield from value.items()
            left += value.values()
        elif isinstance(value, list):
            left += value


def _check(file: Path, key: str, value: Any) -> None:
    """Refuse one setting that leads out of the folder."""
    if "_implementation" in key and "/" in str(value):
        raise _refused(
            file,
            "the configuration names code on a hub",
            f"{key}: {value}",
            "eager, sdpa and others that are part of transformers",
        )
    if "_implementation" in key and "flash" in str(value):
        require_trust(f"load {key} {value}, which transformers may take from a hub")
    if key == "use_pretrained_backbone" and value:
        require_trust("ask a hub for the weights of the model's backbone")
    if key in _ELSEWHERE and value:
        what = "the settings name another model, which no fingerprint would cover"
        raise _refused(file, what, f"{key}: {value}", "files of this folder alone")
    handed_over = key in _ARGUMENTS and fnmatch(file.name, _OF_A_PART)
    if handed_over and isinstance(value, dict) and (more := sorted(value.keys() - _PLAIN)):
        what = "the settings hand arguments over that may lead out of the folder"
        raise _refused(file, what, f"{key}: {', '.join(more)}", ", ".join(sorted(_PLAIN)))


def _refused(file: Path, what: str, got: str, allowed: str) -> SourceError:
    remedy = "take the line out of the file"
    return SourceError(f"{file}: {what}", got=got[:200], allowed=allowed, remedy=remedy)
