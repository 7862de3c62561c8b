"""What sources are called for people, and what tells the settings of several results apart.

A setting is all that one test can be measured in: a source (file, model, layer, prompt), a period,
a window, a measure. Where there are several, each is called by what differs alone, such as
"layer 0"; what all have in common is said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from eatlas.decoding import own_toml
from eatlas.errors import joined

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.results.trend import TrendResult

Parts = Mapping[str, str]
"""What a setting is made of, such as ``{"model": "bert-base-uncased", "layer": "layer 3"}``."""
_FEW_FOLDERS = 12
_SCHEMES = ("hf:", "st:", "clip:")
_QUIET = {"level", "pool", "weights"}
"""Choices that are not worth a word where all results have them; random weights are."""


_KINDS = {"layer", "prompt", "window", "distance", "transform", "member"}
"""First words of what is called by them, as "layer 3" is."""


def repeated(results: Iterable[AssociationResult]) -> bool:
    """Whether a test occurs in several settings, or in a period."""
    every = list(results)
    tests = {result.test for result in every}
    return len(tests) < len(every) or any(result.period is not None for result in every)


class KnownSource(NamedTuple):
    """Published vectors as people call them."""

    name: str
    dim: int
    about: str = ""

    @property
    def short(self) -> str:
        """For titles and labels, such as "GloVe 6B (100d)"."""
        return f"{self.name} ({self.dim}d)"

    @property
    def full(self) -> str:
        """For a methods paragraph, such as "GloVe 6B, 100 dimensions"."""
        return f"{self.name}, {self.dim} dimensions{f' ({self.about})' if self.about else ''}"


@cache
def known_sources() -> Mapping[str, KnownSource]:
    """Published vectors by the name that ``--vectors`` takes."""
    data = resources.files("eatlas.results") / "data" / "sources.toml"
    entries = own_toml(data)
    return {key: KnownSource(**entry) for key, entry in entries.items()}


def source_name(source: str, *, full: bool = False) -> str:
    """What a person calls a source: its published name, or a file name without its path."""
    return ", ".join(_parts_of_text(source, full=full).values())


def _parts_of_text(source: str, *, full: bool = False) -> dict[str, str]:
    """A source string taken apart: its name, then each option."""
    head, _, tail = source.partition("?")
    options, _, member = tail.partition("#")
    if not tail:
        head, _, member = source.partition("#")
    parts = {"model": _short(head, full=full)}
    if member:
        parts["member"] = member.rpartition("/")[2]
    for pair in filter(None, options.split("&")):
        key, _, value = pair.partition("=")
        value = unquote(value)
        is_path = "/" in value and key != "prompt"
        parts[key] = f"{key} {PurePath(value).name if is_path else value}"
    return parts


def _short(head: str, *, full: bool = False) -> str:
    """The name of a source without its path; published vectors as people call them."""
    if published := known_sources().get(head):
        return published.full if full else published.short
    for scheme in _SCHEMES:
        if head.startswith(scheme):
            return _model(head.removeprefix(scheme))
    if head.startswith("cbow:"):
        return f"mean of words of {_short(head.removeprefix('cbow:'), full=full)}"
    if "://" in head or head.startswith("py:"):
        return head
    return PurePath(head.replace("\\", "/")).name or head


def _model(name: str) -> str:
    """A model on a hub by its whole name, one in a folder by the folder's."""
    is_path = name.startswith(("/", ".", "~")) or name.count("/") > 1 or "\\" in name
    return PurePath(name.replace("\\", "/")).name if is_path else name


def parts_of(result: AssociationResult) -> dict[str, str]:
    """What the source of a result is made of, in words, from the whole to the detail."""
    parts = _parts_of_text(result.source)
    encoding = result.encoding
    if encoding is not None and result.source_from and "prompt" in parts:
        parts["prompt"] = f"prompt “{encoding.prompt}”"
    # a source with a name of its own is called by it, and by what differs under it
    if encoding is None or not result.source.startswith(_SCHEMES):
        return parts
    beside = {key: text for key, text in parts.items() if key in ("transform", "member")}
    prompt = f"prompt “{encoding.prompt}”" if encoding.prompt else ""
    random = "" if encoding.weights_seed is None else f" {encoding.weights_seed}"
    told = {
        "model": _model(encoding.model),
        "layer": f"layer {encoding.layer}" if encoding.layer else "",
        "level": encoding.level,
        "pool": encoding.subword or encoding.pool,
        "prompt": prompt,
        "weights": f"{encoding.weights} weights{random}"
        if encoding.weights != "trained"
        else "trained",
    }
    return told | beside


@dataclass(frozen=True)
class Settings:
    """The settings of some results."""

    results: tuple[AssociationResult, ...]

    @classmethod
    def among(cls, results: Iterable[AssociationResult]) -> Settings:
        """Take the results that are shown together."""
        return cls(tuple(results))

    @cached_property
    def _parts(self) -> dict[str, dict[str, str]]:
        """Parts of each source, by its name in the results."""
        parts: dict[str, dict[str, str]] = {}
        for result in self.results:
            if result.source not in parts:
                parts[result.source] = parts_of(result)
        return parts

    @cached_property
    def _from(self) -> dict[str, str]:
        """What each source was opened from, where the run gave it a name."""
        return {result.source: result.source_from for result in self.results if result.source_from}

    @cached_property
    def sources(self) -> dict[str, str]:
        """What tells each source from the others; of one alone its name."""
        if len(self._parts) == 1:
            return dict.fromkeys(self._parts, self.subject)
        apart = _apart(list(self._parts.values()))
        if len({parts["model"] for parts in self._parts.values()}) > 1:  # names say it all
            pairs = zip(self._parts.items(), apart, strict=True)
            apart = [list(p.values()) if s in self._from else some for (s, p), some in pairs]
        words = [", ".join(filter(None, some)) for some in apart]
        # one encoding may have two strings, such as that of the last layer with and without ?layer
        different = {tuple(parts.items()) for parts in self._parts.values()}
        if len(set(words)) == len(different) and all(words):
            return dict(zip(self._parts, words, strict=True))
        return dict(zip(self._parts, _shortest(list(self._parts)), strict=True))

    @cached_property
    def subject(self) -> str:
        """What all results are about: the one source, or what the sources have in common."""
        if "model" in self._shared or not self._parts:
            return ", ".join(self._shared.values())
        encoded = all(result.encoding or result.language_model for result in self.results)
        return f"{len(self._parts)} {'models' if encoded else 'sources'}"

    @cached_property
    def _shared(self) -> dict[str, str]:
        """Parts that all sources have in common and that are worth a word."""
        first, *others = self._parts.values() or [{}]
        return {
            key: text
            for key, text in first.items()
            if text and (key not in _QUIET or text.startswith("random"))
            if all(parts.get(key) == text for parts in others)
        }

    @property
    def common(self) -> str:
        """The same; empty where sources have nothing in common."""
        return self.subject if "model" in self._shared else ""

    def in_words(self, *, full: bool = False) -> list[str]:
        """Sources as a sentence lists them: those of one model together, series with years."""
        models: dict[str, list[AssociationResult]] = {}
        for result in self.results:
            models.setdefault(self._parts[result.source]["model"], []).append(result)
        return [Settings.among(some)._in_words(full=full) for some in models.values()]

    def _in_words(self, *, full: bool) -> str:
        """The sources of one model."""
        name, first, several = self.subject, next(iter(self._parts)), len(self._parts) > 1
        named = first in self._from
        if full:
            parts = _parts_of_text(self._from.get(first, first), full=True)
            of_source = parts if named and not several else {"model": parts["model"]}
            meaning = ", ".join((self._shared | of_source).values())
            name = f"{meaning}, here “{name}”" if named and meaning != name else meaning
        years = sorted({result.period for result in self.results if result.period is not None})
        beside = [together(list(dict.fromkeys(self.sources.values())))] if several else []
        if len(years) > 1:
            beside.append(f"{len(years)} periods, {years[0]} to {years[-1]}")
        elif years:
            name = f"{name}, {years[0]}"
        if not beside:
            return name
        begun = f"{name[:-1]}; " if name.endswith(")") else f"{name} ("
        return f"{begun}{'; '.join(beside)})"

    def without_paths(self, text: str) -> str:
        """A text in which each source has the name that people give it."""
        return self._written.sub(lambda match: source_name(match[0]), text)

    @cached_property
    def _written(self) -> re.Pattern[str]:
        """Sources as records write them, with and without their options."""
        whole = {*self._parts, *self._from.values()}
        names = whole | {name.partition("?")[0] for name in whole}
        longest_first = sorted(
            (name for name in names if source_name(name) != name), key=len, reverse=True
        )
        any_of = "|".join(map(re.escape, longest_first)) or "(?!)"
        return re.compile(rf"(?<![\w/])(?:{any_of})(?![\w?])")

    @cached_property
    def measures(self) -> dict[str, str]:
        """What tells measures apart, by signature: names or differing parameters; of one, empty."""
        signatures = list(dict.fromkeys(result.signature for result in self.results))
        if len(signatures) == 1:
            return dict.fromkeys(signatures, "")
        measures = {result.signature: result.measure.upper() for result in self.results}
        words: dict[str, str] = {}
        for signature, measure in measures.items():
            _, *own = _parameters(signature)
            others = [_parameters(other) for other in signatures if measures[other] == measure]
            differing = [part for part in own if any(part not in other for other in others)]
            several = len(set(measures.values())) > 1
            words[signature] = ", ".join([measure] * several + differing)
        return words

    def of(self, result: AssociationResult) -> str:
        """What tells the setting of a result from the others; empty where there is one alone."""
        periods = {other.period for other in self.results}
        parts = [
            self.sources[result.source] if len(self._parts) > 1 else "",
            str(result.period) if len(periods) > 1 and result.period is not None else "",
            *(f"{name} {size}" for name, size in _sizes(result) if name in self._sizes),
            self.measures.get(result.signature, ""),
        ]
        return ", ".join(filter(None, parts))

    @cached_property
    def _sizes(self) -> set[str]:
        """What about contexts differs: "window", "distance"."""
        sizes_of: dict[str, set[str]] = {}
        for name, size in (pair for result in self.results for pair in _sizes(result)):
            sizes_of.setdefault(name, set()).add(size)
        return {name for name, sizes in sizes_of.items() if len(sizes) > 1}

    @cached_property
    def noun(self) -> str:
        """What differs between settings, such as "source", "layer" or "prompt"; else "setting"."""
        labels = list(dict.fromkeys(map(self.of, self.results)))
        kinds = {label.split(" ", 1)[0] for label in labels}
        if len(kinds) == 1 and kinds <= _KINDS and not any(", " in label for label in labels):
            return next(iter(kinds))
        only_source = len(labels) == len(self._parts) > 1
        return "source" if only_source else "setting"

    def place(self, result: AssociationResult) -> str:
        """Where a result is from: its source whole, and how much of a text contexts hold."""
        own = self.sources[result.source]
        common = "" if f"{own},".startswith(f"{self.common},") else self.common
        size = result.contexts.size if result.contexts else ""
        return ", ".join(filter(None, (common, own, size)))

    def short(self, result: AssociationResult) -> str:
        """The measure of a result in short: its name, and what tells it from other measures."""
        return self.measures[result.signature] or result.display_name

    def named(self, result: AssociationResult) -> str:
        """The test, and its setting where there are several."""
        setting = self.of(result)
        return f"{result.test} ({setting})" if setting else result.test

    def series(self, of: AssociationResult | TrendResult) -> str:
        """The test of a series, and what tells it from other series of the test."""
        source = self.sources.get(of.source, source_name(of.source))
        parts = source if len(self._parts) > 1 else "", self.measures.get(of.signature, "")
        setting = ", ".join(filter(None, parts))
        return f"{of.test} ({setting})" if setting else of.test


def together(names: Sequence[str]) -> str:
    """Settings as a sentence lists them, with the word that they have in common said once."""
    kinds = {name.split(" ")[0] for name in names}
    if (
        len(names) < 2
        or len(kinds) > 1
        or not kinds <= _KINDS
        or any(", " in name for name in names)
    ):
        return joined(names)
    kind = kinds.pop()
    runs: list[list[str]] = []
    for value in (name.removeprefix(f"{kind} ") for name in names):
        if runs and value.isdecimal() and runs[-1][-1] == str(int(value) - 1):
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else run for run in runs]
    return f"{kind}s {joined(list(chain(*parts)))}"


def _sizes(result: AssociationResult) -> list[tuple[str, str]]:
    """How much of a text the contexts of a result hold: name and size."""
    columns = {} if result.contexts is None else result.contexts.columns()
    return [(name, str(size)) for name, size in columns.items()]


def _parameters(signature: str) -> list[str]:
    """Name of a measure, and each of its parameters."""
    head, _, inside = signature.partition("(")
    return [head, *filter(None, inside.rstrip(")").split(","))]


def _apart(parts: Sequence[Parts]) -> list[list[str]]:
    """Of each, the parts that not all share."""
    keys = list(dict.fromkeys(key for own in parts for key in own))
    differing = [key for key in keys if len({own.get(key, "") for own in parts}) > 1]
    return [[own.get(key, "") or f"no {key}" for key in differing] for own in parts]


def _shortest(sources: Sequence[str]) -> list[str]:
    """As many last parts of each path as it takes to tell all apart."""
    pieces = [source.split("/") for source in sources]
    for length in range(1, _FEW_FOLDERS):
        ends = ["/".join(piece[-length:]) for piece in pieces]
        if len(set(ends)) == len(ends):
            return ends
    return list(sources)
