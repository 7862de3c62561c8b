"""Tests as TOML, as they would be written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError
from eatlas.stimuli.concepts import Concept, Sentence
from eatlas.stimuli.images import Image, not_here
from eatlas.stimuli.records import Frozen
from eatlas.writing import atomic_file

KEYS = (
    "id", "kind", "title", "citation", "language", "table", "sentences_from", "explored",
    "explored_on", "contexts", "notes", "X", "Y", "A", "B", "targets", "groups", "pairs",
    "expected", "reference",
)  # fmt: skip
"""What a file says of tests of all kinds, in its order; what is empty is left out."""
WIDTH = 88
"""Characters of a list on one line."""


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


def write_toml(tests: Iterable[Frozen], path: str | Path) -> None:
    """Write tests to a TOML file, which is replaced."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise StimulusError(
            f"{path}: tests can only be written as TOML", allowed="a name that ends in .toml"
        )
    text = to_toml(tests, path.absolute().parent)
    with atomic_file(path) as file:
        file.write(text)


def _table(test: Frozen, folder: Path | None) -> str:
    """One test as a ``[[test]]`` table."""
    values = {key: _plain(test.__dict__.get(key), folder) for key in KEYS}
    values |= {"kind": None} if values["kind"] == "association" else {}
    for key in ("reference", "expected"):
        if isinstance(test.__dict__.get(key), tuple):
            values[key] = dict(values[key])
    values |= dict(test.__dict__.get("more", ()))
    if (values["kind"] or "").startswith("sentence-"):
        values |= dict.fromkeys(("targets", "groups", "reference", "pairs"))
        tests: Any = test
        values["sides"] = list(tests.custom_sides)
        values[tests.kind.removeprefix("sentence-")] = tests.tables
    return "\n".join(["[[test]]", *(f"{key} = {inline(v)}" for key, v in values.items() if v)])


def _plain(value: Any, folder: Path | None) -> Any:
    """A value of a test as tables, lists and texts; what is empty is left out of a table."""
    table: dict[str, Any] = {}
    if isinstance(value, tuple):
        return [_plain(item, folder) for item in value]
    if isinstance(value, Concept):
        fields = ("images",) if value.images else ("sentences",) if value.sentences else ("terms",)
        fields = ("name", *(() if value.images_from else ("absent", *fields)))
        table = {name: _plain(getattr(value, name), folder) for name in fields}
        table |= {"images": value.images_from} if value.images_from else {}
    elif isinstance(value, Image):
        if not value.path:
            raise not_here([], f"the image {value.name}")
        path = Path(value.path)
        if folder is not None and path.is_relative_to(folder):
            path = path.relative_to(folder)
        name = "" if value.name == path.name else value.name
        table = {"path": path.as_posix(), "name": name, "sha256": value.sha256}
    elif isinstance(value, Sentence):
        table = value.model_dump(include={"text", "stimulus", "template", "key"})
        table |= {"span": value.stated_span}
    elif isinstance(value, Frozen):  # where contexts, or what was explored, come from
        return value.model_dump(exclude_none=True)
    else:
        return value
    return {name: item for name, item in table.items() if item}


def inline(value: Any) -> str:
    """A value, or a key, as TOML on one line; a long list is broken between its items."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(str(key))} = {inline(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        items = [inline(item) for item in value]
        line = f"[{', '.join(items)}]"
        if len(line) <= WIDTH or len(items) == 1:
            return line
        lines = ["["]
        for item, content in zip(items, value, strict=True):
            if isinstance(content, str) and 1 < len(lines[-1]) <= WIDTH - len(item):
                lines[-1] += f" {item},"
            else:
                lines.append(f"  {item},")
        return "\n".join([*lines, "]"])
    # a JSON string is a TOML basic string, but for DEL, which TOML wants escaped
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    """A key, in quotation marks where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else inline(key)
