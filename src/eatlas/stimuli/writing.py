"""Tests are written as TOML, as they would be written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eatlas.stimuli.concepts import Concept, Sentence
from eatlas.stimuli.images import Image
from eatlas.stimuli.records import Frozen

DEFAULT_KIND = "association"
DEFAULT = f'kind = "{DEFAULT_KIND}"'
"""Not written."""
KEYS = (
    "id", "kind", "title", "citation", "table", "sentences_from", "explored", "contexts", "notes",
    "X", "Y", "A", "B", "targets", "groups", "pairs", "reference",
)  # fmt: skip
"""What a file says of tests of all kinds, in its order; what is empty is left out."""
WIDTH = 100


def to_toml(tests: Iterable[Frozen], folder: Path | None = None) -> str:
    """A whole test file.

    Parameters
    ----------
    tests : iterable of Test
    folder : path, optional
        Where the file will be: images below it get relative paths, others and all others without
        it absolute ones. Each has its hash, so that a file that changed is noticed.

    Raises
    ------
    StimulusError
        If it is not known where an image lies.

    Examples
    --------
    >>> from eatlas.stimuli import load_tests
    >>> print(to_toml(load_tests("weat-6")).splitlines()[3])
    id = "weat-6"
    """
    return "\n\n".join(["schema = 1", *(_table(test, folder) for test in tests)]) + "\n"


def _table(test: Frozen, folder: Path | None) -> str:
    """One test as a ``[[test]]`` table."""
    values = ((key, getattr(test, key, None)) for key in KEYS)
    lines = [f"{key} = {_value(key, value, folder)}" for key, value in values if value]
    return "\n".join(["[[test]]", *(one for one in lines if one != DEFAULT)])


def _value(key: str, value: Any, folder: Path | None) -> str:
    """A value of a test; a list has a line for each thing."""
    if key == "contexts":
        return inline(value.model_dump(exclude_none=True))
    if key == "reference" and not isinstance(value, str):
        return inline(dict(value))
    if isinstance(value, Concept):
        return _concept(value, folder)
    if isinstance(value, tuple) and key:
        return "\n".join(["[", *(f"  {_value('', item, folder)}," for item in value), "]"])
    return inline(value)


def _concept(concept: Concept, folder: Path | None) -> str:
    """A concept as an inline table; a list too long for one line is broken between its items."""
    head: dict[str, Any] = {
        "name": concept.name,
        "clusters": concept.clusters,
        "absent": concept.absent,
    }
    if concept.images_from:
        head |= {"absent": (), "images": concept.images_from}
        return inline({key: value for key, value in head.items() if value})
    if concept.images:
        key, items = "images", [_image(image, folder) for image in concept.images]
    elif concept.sentences:
        spans = concept.span_of
        key, items = "sentences", [_sentence(s, spans.get(s.term)) for s in concept.sentences]
    else:
        key, items = "terms", [inline(term) for term in concept.terms]
    parts = inline({key: value for key, value in head.items() if value})
    start = f"{parts[:-2]}, {key} = ["
    line = f"{start}{', '.join(items)}] }}"
    if key == "terms" and len(line) + len("targets = ") <= WIDTH:
        return line
    lines = [start]
    for item in items:
        if key == "terms" and len(lines) > 1 and len(lines[-1]) + len(item) + 3 <= WIDTH:
            lines[-1] += f" {item},"
        else:
            lines.append(f"  {item},")
    return "\n".join([*lines, "] }"])


def _image(image: Image, folder: Path | None) -> str:
    """An image by its path, with its hash."""
    if not image.path:
        from eatlas.stimuli.image_files import not_here  # noqa: PLC0415  (only tests of images need it)

        raise not_here([], f"the image {image.name}")
    path = Path(image.path)
    if folder is not None and path.is_relative_to(folder):
        path = path.relative_to(folder)
    name = {} if image.name == path.name else {"name": image.name}
    return inline({"path": path.as_posix(), **name, "sha256": image.sha256})


def _sentence(sentence: Sentence, span: tuple[int, int] | None) -> str:
    keys = ("text", "stimulus", "template", "key")
    values = {key: getattr(sentence, key) for key in keys} | {"span": span}
    return inline({key: value for key, value in values.items() if value})


def inline(value: Any) -> str:
    """A value, or a key, as TOML on one line."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(str(key))} = {inline(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    # a JSON string is a TOML basic string, but for DEL, which TOML wants escaped
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    """A key, in quotation marks where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else inline(key)
