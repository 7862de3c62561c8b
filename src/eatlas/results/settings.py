"""What sources are called for people, and what distinguishes the settings of several results apart.

A setting is all that one test can be measured in: a source (file, model, layer, prompt), a period,
a window, a measure. Where there are several, each is called by what differs alone, such as
"layer 0"; common parts appear once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from eatlas.decoding import own_toml
from eatlas.errors import ResultsError, described, join_names, nearest
from eatlas.results.base import places_of

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.base import AssociationResult, FrameColumns
    from eatlas.results.parts import Encoding
    from eatlas.results.trend import TrendResult

FACTS = ("test", "source", "signature", "period", "window", "distance")
"""What distinguishes a result from others: its test and its setting."""
_FEW_FOLDERS = 12
_SCHEMES = ("hf:", "st:", "clip:")
_NO_NAMES = {"model", "models", "weights", "checkpoint", "final", "output"}
"""Last folders of models that say nothing about them."""
_FEW_SOURCES = 6
"""Sources of one model that a sentence lists."""
_QUIET = {"level", "pool", "weights"}
"""Choices that are not worth a word where all results have them; random weights are."""


KINDS = {"layer", "prompt", "window", "distance", "transform", "member"}
"""First words of what is called by them, as "layer 3" is."""


def has_repeated_tests(results: Iterable[AssociationResult]) -> bool:
    """Whether a test occurs in several settings, or in a period."""
    every = list(results)
    tests = {result.test for result in every}
    return len(tests) < len(every) or any(result.period is not None for result in every)


@cache
def source_catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Published vectors by the name that ``--vectors`` takes: name, dimensions, what they are."""
    return own_toml(resources.files("eatlas.results") / "data" / "sources.toml")


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
        parts["member"] = unquote(member.rpartition("/")[2])
    for pair in filter(None, options.split("&")):
        key, _, value = pair.partition("=")
        value = unquote(value)
        is_path = "/" in value and key != "prompt"
        parts[key] = f"{key} {PurePath(value).name if is_path else value}"
    return parts


def _short(head: str, *, full: bool = False) -> str:
    """The name of a source without its path; published vectors as people call them."""
    if published := source_catalogue().get(head):
        name, dim, about = published["name"], published["dim"], published.get("about")
        more = f" ({about})" if about else ""
        return f"{name}, {dim} dimensions{more}" if full else f"{name} ({dim}d)"
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
    if not is_path:
        return name
    path = PurePath(name.replace("\\", "/"))
    return path.parent.name if path.name in _NO_NAMES and path.parent.name else path.name


def _without(encoding: Encoding) -> str:
    """What texts lack that other encodings give them."""
    return "" if encoding.special_tokens else ", no special tokens"


def test_and_setting(result: AssociationResult) -> tuple[Any, ...]:
    """The test of a result and its setting, in the order of `FACTS`."""
    sizes = {} if result.contexts is None else result.contexts.columns()
    setting = (result.source, result.signature, result.period)
    return (result.test, *setting, sizes.get("window"), sizes.get("distance"))


def parts_of(result: AssociationResult) -> dict[str, str]:
    """What the source of a result is made of, in words, from the whole to the detail."""
    parts = _parts_of_text(result.source)
    encoding = result.encoding
    if encoding is not None and result.source_from and "prompt" in parts:
        parts["prompt"] = f"prompt “{encoding.prompt}”"
    # a source with a name of its own is called by it, and by what differs under it
    if encoding is None or not result.source.startswith(_SCHEMES):
        return parts
    seed = "" if encoding.weights_seed is None else f" {encoding.weights_seed}"
    random = "" if encoding.weights == "trained" else f" weights{seed}"
    return {
        "model": _model(encoding.model),
        "layer": f"layer {encoding.layer}" if encoding.layer else "",
        "level": encoding.level,
        "pool": f"{encoding.subword or encoding.pool}{_without(encoding)}",
        "prompt": f"prompt “{encoding.prompt}”" if encoding.prompt else "",
        "weights": f"{encoding.weights}{random}",
        **{key: text for key, text in parts.items() if key in ("transform", "member")},
    }


@dataclass(frozen=True)
class Settings:
    """The settings of some results."""

    results: tuple[AssociationResult, ...]

    @classmethod
    def from_results(cls, results: Iterable[AssociationResult]) -> Settings:
        """Take the results that are shown together."""
        return cls(tuple(results))

    @cached_property
    def _parts(self) -> dict[str, dict[str, str]]:
        """Parts of each source, by its name in the results."""
        firsts: dict[str, AssociationResult] = {}
        for result in self.results:
            firsts.setdefault(result.source, result)
        return {source: parts_of(result) for source, result in firsts.items()}

    @cached_property
    def _from(self) -> dict[str, str]:
        """What each source was opened from, where the run gave it a name."""
        return {result.source: result.source_from for result in self.results if result.source_from}

    @cached_property
    def sources(self) -> dict[str, str]:
        """What distinguishes each source from the others; of one alone its name."""
        if len(self._parts) == 1:
            return dict.fromkeys(self._parts, self.subject)
        every = list(self._parts.values())
        keys = dict.fromkeys(key for parts in every for key in parts)
        differing = [key for key in keys if len({parts.get(key, "") for parts in every}) > 1]
        words = {}
        for source, parts in self._parts.items():
            named = source in self._from and "model" in differing  # names say it all
            chosen = parts.values() if named else (parts.get(k) or f"no {k}" for k in differing)
            words[source] = ", ".join(filter(None, chosen))
        # one encoding may have two strings, such as that of the last layer with and without ?layer
        different = {tuple(parts.items()) for parts in every}
        apart = all(words.values()) and len(set(words.values())) == len(different)
        return words if apart else _shortest(list(self._parts))

    @cached_property
    def subject(self) -> str:
        """What all results are about: the one source, or what the sources have in common."""
        if "model" in self._common_parts or not self._parts:
            return ", ".join(self._common_parts.values())
        if self.runs:
            return self.runs
        encoded = all(result.of_model for result in self.results)
        return f"{len(self._parts)} {'models' if encoded else 'sources'}"

    @property
    def runs(self) -> str:
        """How many training runs of what all results are on; empty where they are on others."""
        of = {result.run_of for result in self.results}
        runs = {parts["model"] for parts in self._parts.values()}
        is_alone = len(of) == 1 and all(of)
        return f"{len(runs)} training runs of {of.pop()}" if is_alone and len(runs) > 1 else ""

    @cached_property
    def _common_parts(self) -> dict[str, str]:
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
        return self.subject if "model" in self._common_parts else ""

    def in_words(self, *, full: bool = False) -> list[str]:
        """Sources as a sentence lists them: sources of one model together, series with years."""
        models: dict[str, list[AssociationResult]] = {}
        for result in self.results:
            model = result.run_of or self._parts[result.source]["model"]
            models.setdefault(model, []).append(result)
        return [_of_model(Settings.from_results(results), full=full) for results in models.values()]

    def without_paths(self, text: str) -> str:
        """A text in which each source has the name that people give it."""
        return self._source_pattern.sub(lambda match: source_name(match[0]), text)

    @cached_property
    def _source_pattern(self) -> re.Pattern[str]:
        """Sources as records write them, with and without their options."""
        behind = {
            name
            for result in self.results
            for part in result.parts.values()
            for name in part.sources
        }
        whole = {*self._parts, *self._from.values(), *behind}
        names = whole | {name.partition("?")[0] for name in whole}
        names = {name for name in names if source_name(name) != name}
        any_of = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
        return re.compile(rf"(?<![\w/])(?:{any_of})(?![\w?])")

    @cached_property
    def measures(self) -> dict[str, str]:
        """What distinguishes measures, by signature: names or parameters; empty for one measure."""
        measures = {result.signature: result.measure.upper() for result in self.results}
        if len(measures) == 1:
            return dict.fromkeys(measures, "")
        several = len(set(measures.values())) > 1
        words: dict[str, str] = {}
        for signature, measure in measures.items():
            alike = [_parameters(other) for other in measures if measures[other] == measure]
            own = _parameters(signature)
            differing = [part for part in own if any(part not in other for other in alike)]
            words[signature] = ", ".join([measure] * several + differing)
        return words

    def of(self, result: AssociationResult) -> str:
        """What distinguishes the setting of a result from others; empty for a single setting."""
        parts = [self.sources[result.source]] if len(self._parts) > 1 else []
        if len(self._periods) > 1 and result.period is not None and not result.member:
            parts.append(str(result.period))  # a member has its years in its name
        parts += [f"{name} {size}" for name, size in _sizes(result) if name in self._sizes]
        return ", ".join(filter(None, [*parts, self.measures.get(result.signature, "")]))

    @cached_property
    def _periods(self) -> set[int | None]:
        return {result.period for result in self.results}

    @cached_property
    def _sizes(self) -> set[str]:
        """What about contexts differs: "window", "distance"."""
        sizes = {size for result in self.results for size in _sizes(result)}
        return {name for name, times in Counter(name for name, _ in sizes).items() if times > 1}

    @cached_property
    def noun(self) -> str:
        """What differs between settings, such as "source" or "layer"; else "setting"."""
        labels = set(map(self.of, self.results))
        kinds = {label.split(" ", 1)[0] for label in labels}
        if len(kinds) == 1 and kinds <= KINDS and not any(", " in label for label in labels):
            return kinds.pop()
        return "source" if len(labels) == len(self._parts) > 1 else "setting"

    def place(self, result: AssociationResult) -> str:
        """Where a result is from: its source whole, and how much of a text contexts hold."""
        own = self.sources[result.source]
        common = "" if f"{own},".startswith(f"{self.common},") else self.common
        size = result.contexts.size if result.contexts else ""
        return ", ".join(filter(None, (common, own, size)))

    def short(self, result: AssociationResult) -> str:
        """The measure of a result in short: its name, or what distinguishes it from other ones."""
        return self.measures[result.signature] or result.display_name

    def label(self, result: AssociationResult) -> str:
        """The test, and its setting where there are several."""
        setting = self.of(result)
        return f"{result.test} ({setting})" if setting else result.test

    def series(self, of: AssociationResult | TrendResult) -> str:
        """The test of a series, and what distinguishes it from other series of the test."""
        source = self.sources.get(of.source, source_name(of.source))
        if of.source.partition("#")[2] and getattr(of, "member", ""):  # one of several
            source = source_name(of.source.partition("#")[0])
        parts = source if len(self._parts) > 1 else "", self.measures.get(of.signature, "")
        setting = ", ".join(filter(None, parts))
        return f"{of.test} ({setting})" if setting else of.test


def _sizes(result: AssociationResult) -> list[tuple[str, str]]:
    """How much of a text the contexts of a result hold: name and size."""
    columns = {} if result.contexts is None else result.contexts.columns()
    return [(name, str(size)) for name, size in columns.items()]


def _parameters(signature: str) -> list[str]:
    """Each parameter of a measure, as its signature writes it."""
    return [part for part in signature.partition("(")[2].rstrip(")").split(",") if part]


def _of_model(settings: Settings, *, full: bool) -> str:
    """The sources of one model in words."""
    parts, opened = settings._parts, settings._from
    name, first, several = settings.subject, next(iter(parts)), len(parts) > 1
    if full and not settings.runs:
        whole = _parts_of_text(opened.get(first, first), full=True)
        of_source = whole if first in opened and not several else {"model": whole["model"]}
        meaning = ", ".join((settings._common_parts | of_source).values())
        name = f"{meaning}, here “{name}”" if first in opened and meaning != name else meaning
    years = sorted({result.period for result in settings.results if result.period is not None})
    beside = [join_names(list(dict.fromkeys(settings.sources.values())))] if several else []
    if len(parts) > _FEW_SOURCES or settings.runs:
        keys = dict.fromkeys(key for of_source in parts.values() for key in of_source)
        counts = {key: len({each.get(key, "") for each in parts.values()}) for key in keys}
        nouns = {p.member_noun for r in settings.results for p in r.parts.values() if p.member}
        for noun in nouns if "member" in counts else ():
            counts[noun] = counts.pop("member")
        if settings.runs:
            counts.pop("model")
        beside = [" by ".join(f"{n} {key}s" for key, n in counts.items() if n > 1)]
    if len(years) > 1:
        beside.append(f"{len(years)} periods, {years[0]} to {years[-1]}")
    elif years:
        name = f"{name}, {years[0]}"
    return f"{name} ({'; '.join(filter(None, beside))})" if any(beside) else name


def _shortest(sources: Sequence[str]) -> dict[str, str]:
    """The fewest last parts of each path that distinguish all paths."""
    for length in range(1, _FEW_FOLDERS):
        ends = {source: "/".join(source.split("/")[-length:]) for source in sources}
        if len(set(ends.values())) == len(ends):
            return ends
    return dict(zip(sources, sources, strict=True))


BRIEF = (
    "test", "source", "measure", "group", "term", "value", "effect_size", "low", "high",
    "p_two_sided", "effect_size_X", "effect_size_Y", "pattern", "p_claim", "verdict", "missing",
)  # fmt: skip
"""Columns of a brief frame, besides the numbers of a measure."""
SETTINGS = (
    "language", "source_from", "run_of", "period", "encoded", "layer", "pool", "subword", "prompt",
    "weights", "window", "distance", "signature",
)  # fmt: skip
"""Columns of a brief frame if results differ in them."""


def choose_columns(
    columns: FrameColumns,
    names: list[str],
    kinds: Mapping[str, type[AssociationResult]],
    what: str,
) -> list[str]:
    """Names of the columns of a frame, of those that there are.

    `kinds` are the records in the frame by measure. A column of the name of a measure has its
    number. `what` begins the message about a column that there is not, such as "the store has".
    """
    if columns == "all":
        return names
    if columns == "brief":
        own = (name for kind in kinds.values() for name in (*kind.brief, *places_of(kind)))
        numbers = (measure.replace("-", "_") for measure in kinds)
        known = {*BRIEF, *SETTINGS, *own, *numbers}
        return [name for name in names if name in known]
    given: Any = [columns] if isinstance(columns, str) else columns
    chosen = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(name, str) for name in chosen):
        raise ResultsError(
            "the columns of a frame are not usable",
            got=described(columns),
            allowed='"brief", "all", or names of columns',
            remedy='for all columns, use columns="all"',
        )
    for name in chosen:
        if name not in names:
            near = nearest(name, [*names, "all", "brief"])
            raise ResultsError(
                f"{what} no such column",
                got=name,
                allowed=", ".join(names),
                remedy=f"did you mean {near[0]}?" if near else None,
            )
    return chosen


def without_common_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame without the settings that all results have in common."""
    settings = {name: frame[name] for name in SETTINGS if name in frame}
    numbers = {
        name: column.dropna().astype(str).nunique() + column.isna().any()
        for name, column in settings.items()
    }
    least = {"signature": frame["measure"].nunique()} if "measure" in frame else {}
    common = [name for name, number in numbers.items() if number <= least.get(name, 1)]
    return frame.drop(columns=common)
