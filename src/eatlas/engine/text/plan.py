"""What is to be counted in which texts, checked before anything is counted."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from eatlas.corpora.extraction import stimuli_of
from eatlas.corpora.files import SAMPLE, Format, ReadingOptions, Unit, corpus_files, look_at
from eatlas.corpora.matching import Case, Compounds, Rule
from eatlas.corpora.shards import Shard, shards_of
from eatlas.corpora.spans import Search, WordFamily, interplay
from eatlas.errors import EatlasError, SourceError, StimulusError, StimulusWarning, described
from eatlas.paths import is_there
from eatlas.sources.archives import locate
from eatlas.sources.published import corpus_on_this_machine
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.version import __version__

FORM = 2
"""Raised whenever a shard's counts mean something else than before."""
Corpus = str | Path | Iterable[str | Path]


@dataclass(frozen=True)
class Failed:
    """A file, or a part of one, that could not be counted, and why."""

    label: str
    error: EatlasError

    def __str__(self) -> str:
        """What it is and why, on one line."""
        got = f" ({self.error.got})" if self.error.got else ""
        return f"{self.label}: {self.error.what.removeprefix(f'{self.label}: ')}{got}"


@dataclass(frozen=True)
class TextPlan:
    """A count that can be made."""

    tests: tuple[GroupsTest, ...]
    search: Search
    reading: ReadingOptions
    files: tuple[Path, ...]
    shards: tuple[Shard, ...]
    failed: tuple[Failed, ...]
    """Files that cannot be read at all."""

    @property
    def identity(self) -> str:
        """Names all that the counts of a shard depend on beside the shard."""
        search, reading = self.search, self.reading
        parts = [
            *(FORM, __version__, search.targets, search.span, search.sliding),
            *(search.rule.case, search.rule.compounds, reading.field, reading.unit),
            [[family.names, family.words] for family in search.families],
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def make_plan(  # noqa: PLR0913  (as the choices of count_text)
    corpus: Corpus,
    tests: Any,
    *,
    span: int = 3,
    sliding: bool = False,
    case: Case = "auto",
    compounds: Compounds = "either",
    format: Format = "auto",  # noqa: A002  (as the option is called)
    field: str | None = None,
    unit: Unit = "line",
    shard: int | None = None,
) -> TextPlan:
    """Resolve tests and files, and part the files into shards.

    Parameters are those of :func:`eatlas.count_text`.
    """
    for name, value in (("span", span), ("shard", 1 if shard is None else shard)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise EatlasError(
                f"{name} is not usable", got=described(value), allowed="a whole number from 1"
            )
    chosen = _of_groups(load_tests(tests))
    rule = Rule(case, compounds)
    search = Search(_targets(chosen), _families(chosen), rule, int(span), bool(sliding))
    rule.require_heads(search.stimuli)
    _warn(chosen)
    reading = ReadingOptions(format, field, unit)
    files = corpus_files(_found(corpus))
    parts, failed = _parted(files, reading, shard)
    unreadable = {one.label for one in failed}
    look_at([path for path in files if str(path) not in unreadable], reading)
    return TextPlan(chosen, search, reading, tuple(files), tuple(parts), tuple(failed))


def _of_groups(tests: Iterable[Any]) -> tuple[GroupsTest, ...]:
    """Tests of targets against groups, all of words."""
    tests = tuple(tests)
    for test in tests:
        if not isinstance(test, GroupsTest):
            raise StimulusError(
                f"the test {test.id} has no social groups",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind groups, such as divdist-gender",
                remedy="in Python, eatlas.GroupsTest.of_association(test) makes one of it",
            )
    stimuli_of(tests)  # refuses sentences
    return tests


def _targets(tests: Sequence[GroupsTest]) -> tuple[str, ...]:
    """Every target once; of those that differ by case alone, no table can hold both."""
    found = dict.fromkeys(term for test in tests for term in test.targets.terms)
    folded: dict[str, str] = {}
    for term in found:
        if (other := folded.setdefault(term.casefold(), term)) != term:
            raise StimulusError(
                "two targets differ by case alone",
                got=f"{other}, {term}",
                allowed="targets that a table of counts distinguishes",
                remedy="count their tests one by one",
            )
    return tuple(found)


def _families(tests: Sequence[GroupsTest]) -> tuple[WordFamily, ...]:
    """Groups that are distinguished; a name of a group in two families needs the same counts."""
    found: dict[WordFamily, str] = {}
    known: dict[str, tuple[WordFamily, str]] = {}
    for test in tests:
        family = WordFamily(
            tuple(group.name for group in test.groups),
            tuple(group.terms for group in test.groups),
        )
        found.setdefault(family, test.id)
        for name in family.names:
            other, its_test = known.setdefault(name.casefold(), (family, test.id))
            if other != family:
                raise StimulusError(
                    f"the tests {its_test} and {test.id} both have a group {name}, with other "
                    "words or beside other groups",
                    allowed="one meaning of each group's name in a table of counts",
                    remedy="count the two tests one by one, each to a file of its own",
                )
    return tuple(found)


def _warn(tests: Sequence[GroupsTest]) -> None:
    """Warn of stimuli that hide others, and of targets that are words of a group."""
    for test in tests:
        of = {word: group.name for group in test.groups for word in group.terms}
        if own := [f"{term} ({of[term]})" for term in test.targets.terms if term in of]:
            warnings.warn(
                f"{test.id}: targets are words of a group too, with which every span that mentions "
                f"them is associated: {', '.join(own)}",
                StimulusWarning,
                stacklevel=4,
            )
    named = [(test.id, test.terms) for test in tests]
    for test_id, stimulus, other, hidden in interplay(named):
        warnings.warn(
            f"{test_id} and {other} are looked for together: where {stimulus!r} is found, "
            f"{hidden!r} is not; count them one by one for the counts of each alone",
            StimulusWarning,
            stacklevel=4,
        )
        break  # one example says enough


def _found(corpus: Corpus) -> list[str | Path]:
    """Files, and published corpora by name."""
    given = [corpus] if isinstance(corpus, str | Path) else list(corpus)
    return [_by_name(one) for one in given]


def _by_name(one: Any) -> Any:
    """The file of a published corpus; anything else as it is."""
    if not isinstance(one, str) or is_there(Path(one)):
        return one
    return corpus_on_this_machine(one) or one


def _parted(
    files: Iterable[Path], reading: ReadingOptions, size: int | None
) -> tuple[list[Shard], list[Failed]]:
    """Shards of all files, and files that cannot be read."""
    parts: list[Shard] = []
    failed: list[Failed] = []
    for path in files:
        try:
            locate(path, long_windows=True).head(SAMPLE)  # a file that ends early may begin well
            parts += shards_of(path, reading, size)
        except SourceError as error:
            failed.append(Failed(str(path), error))
    if not parts:
        raise failed[0].error
    return parts, failed
