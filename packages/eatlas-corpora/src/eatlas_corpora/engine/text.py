"""Counts of associations in texts of any size: planned, counted part by part, added up."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from eatlas.engine.store import FileJournal
from eatlas.errors import StimulusError, require_whole
from eatlas.executors import Executor, Progress, choose, watch_of
from eatlas.notes import Note, warn
from eatlas.packing import pack, unpack
from eatlas.sources.outputs import require_other_files, require_place
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.stimuli.languages import fold_case
from eatlas.version import __version__
from eatlas_corpora.reading.counts import SCHEMA, TABLES, Family, Search, TextCounts
from eatlas_corpora.reading.files import (
    Account,
    Corpus,
    Part,
    Unit,
    files_read,
    look_at,
    on_disk,
    parts_of,
)
from eatlas_corpora.reading.matching import Case, Compounds, MatchRule
from eatlas_corpora.reading.sampling import language_of, stimuli_of, warn_of_scripts

FORM = 7
"""Raised whenever a part's counts mean something else than before."""


def _tests_of_groups(tests: TestsLike) -> list[GroupsTest]:
    """Load tests of groups, of words; refuse others."""
    of_groups: list[GroupsTest] = []
    for test in load_tests(tests):
        if not isinstance(test, GroupsTest):
            raise StimulusError(
                f"the test {test.id} has no social groups",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind groups, such as divdist-gender",
                remedy="in Python, eatlas.GroupsTest.of_association(test) converts one",
            )
        test.require_disjoint()
        of_groups.append(test)
    stimuli_of(of_groups)  # refuses sentences
    return of_groups


def _collect_terms(tests: Sequence[GroupsTest]) -> tuple[tuple[str, ...], tuple[Family, ...]]:
    """Every target and every family of groups once; no table can hold two of one name."""
    targets: dict[str, str] = {}
    groups: dict[str, Family] = {}
    for test in tests:
        for term in test.targets.terms:
            if (earlier := targets.setdefault(term.casefold(), term)) != term:
                raise StimulusError(
                    "two targets differ only in case",
                    got=f"{earlier}, {term}",
                    allowed="targets that differ in more than case",
                    remedy="count their tests one by one",
                )
        family = tuple((group.name, group.terms) for group in test.groups)
        for name, _ in family:
            if groups.setdefault(name.casefold(), family) != family:
                raise StimulusError(
                    f"test {test.id}: another test has a group {name}, with different words or "
                    "different other groups",
                    allowed="group names with the same meaning in all tests",
                    remedy="count each test separately, into its own file",
                )
    return tuple(targets.values()), tuple(dict.fromkeys(groups.values()))


def _warn_of_stimuli(tests: Sequence[GroupsTest]) -> None:
    """Warn of targets that are words of a group, and of stimuli that hide others."""
    for test in tests:
        of = {word: group.name for group in test.groups for word in group.terms}
        if own := [f"{term} ({of[term]})" for term in test.targets.terms if term in of]:
            warn(Note("stimuli.targets-in-groups", values={"targets": own}), test.id, stacklevel=4)
    for test, second in permutations(tests, 2):
        alone = {fold_case(term): term for term in second.terms if term not in test.terms}
        for stimulus in sorted(set(test.terms).difference(second.terms)):
            words = re.split(r"[\W_]+", fold_case(stimulus))
            if hidden := [alone[word] for word in words if word in alone]:
                values = {"tests": [test.id, second.id], "found": stimulus, "hidden": hidden[0]}
                warn(Note("stimuli.hidden-words", values=values), stacklevel=4)
                return  # one example says enough


class CountedParts(FileJournal):
    """The parts of a count that are counted: table, totals, and what was read, by their number."""

    work, task = "parts", "count"

    def __init__(self, out: Path | None, search: Search, parts: Sequence[Part]) -> None:
        settings = json.dumps([FORM, __version__, asdict(search)], ensure_ascii=False)
        super().__init__(out, hashlib.sha256(settings.encode()).hexdigest())
        self._names = [f"{self.identity[:16]} {part.identity}" for part in parts]
        self.done: dict[int, tuple[Any, Any, Account]] = {}

    def keep(self, number: int, table: Any, totals: Any, account: Account) -> None:
        """Keep what a part gave."""
        self.done[number] = table, totals, account
        read = {"account": vars(account), "table": table, "totals": totals}
        self.append(self._names[number], pack(read))

    def take(self, name: str, result: bytes) -> None:
        """Take over a part that was counted before."""
        if name in self._names:
            read = unpack(result)
            account = Account(**read["account"])
            self.done[self._names.index(name)] = read["table"], read["totals"], account


SEVERAL = 10
"""Targets that a warning names."""


def count_text(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: Corpus,
    tests: TestsLike,
    *,
    span: int = 3,
    window: int | None = None,
    case: Case = "auto",
    compounds: Compounds = "either",
    field: str | None = None,
    unit: Unit = "line",
    out: str | Path | None = None,
    workers: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = False,
) -> TextCounts:
    """Count associations of targets with social groups in a text of any size.

    A context is a span of sentences that mentions the target. It associates the target with a group
    if some word of this group occurs in it, and no word of the other groups (Bommasani and Liang
    2022, section 4.1). With a window, pairs of words are counted instead: each occurrence of a
    target with each of a group's words that is near. Counts depend on the texts alone, not on how
    they are shared out.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files, folders or patterns: plain text, JSON Lines, CSV, TSV, Parquet; all but Parquet may
        be compressed. Or the name of a published corpus that was fetched.
    tests : anything that :func:`eatlas.load_tests` takes
        Tests of the kind groups; all are counted in one pass.
    span : int
        Sentences of a span.
    window : int, optional
        Count pairs of words that are at most so many words apart in a document, in place of spans.
    case, compounds, field, unit
        How words are found and files are read, as in :func:`eatlas.find_contexts`. A document (a
        line or paragraph, an object, a row, an article) is never split.
    out : path, optional
        Write the table to this file, ``.csv`` or ``.parquet``. If you repeat an interrupted count,
        it continues.
    workers : int or None
        Processes that count; None: as many as are useful. A script that starts several
        guards what it runs with ``if __name__ == "__main__":``.
    executor : Executor, optional
        Who counts, instead of processes of this machine.
    progress : bool or callable
        Show how much of the corpus is read: True shows a bar on a terminal and a line in a
        notebook; a function is called with the number of parts read and of all.

    Returns
    -------
    TextCounts
        A source of counts for ``divdist(soa=counts)`` and ``pmi``.

    Raises
    ------
    EatlasError
        If tests, options or a file are not usable; what was counted before is stored with `out`.

    Warns
    -----
    UndefinedWarning
        If the text never mentions a target; its counts are undefined, not 0.

    Examples
    --------
    >>> import eatlas
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> test = eatlas.GroupsTest(
    ...     targets=["nurse"], groups={"Female": ["she"], "Male": ["he"]}, reference="uniform"
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "text.txt")
    ...     _ = path.write_text("The nurse came. She smiled. A bell rang. A nurse? He left.")
    ...     counts = eatlas.count_text(path, test)
    >>> dict(counts.counts("nurse"))
    {'female': 1, 'male': 1}
    """
    require_whole("span", span, 1)
    if window is not None:
        require_whole("window", window, 1)
    groups_tests = _tests_of_groups(tests)
    rule = MatchRule(case, compounds, language_of(groups_tests))
    search = Search(*_collect_terms(groups_tests), rule, int(span), window)
    _warn_of_stimuli(groups_tests)
    path = require_place(out, *TABLES)
    parts = parts_of(on_disk(corpus), field, unit)
    require_other_files(path, [part.path for part in parts])
    executor = executor or choose(workers, len(parts))
    with watch_of(progress) as watch, CountedParts(path, search, parts) as counted:
        tick = watch("parts", "") if watch else lambda _done, _all: None
        tick(len(counted.done), len(parts))
        left = [k for k in range(len(parts)) if k not in counted.done]
        read = partial(look_at, search)
        with closing(executor(read, [parts[k] for k in left])) as outcomes:
            for position, ((table, totals), account) in outcomes:
                counted.keep(left[position], table, totals, account)
                tick(len(counted.done), len(parts))
        tables, sums, accounts = zip(*(counted.done[k] for k in range(len(parts))), strict=True)
        about = {
            "schema": SCHEMA,
            "version": __version__,
            "tests": [test.id for test in groups_tests],
            "stimuli_sha256": [test.stimuli_sha256 for test in groups_tests],
            **({"span": int(span)} if window is None else {"window": int(window)}),
            "case": case,
            "compounds": compounds,
            "unit": unit,
            "field": field,
            **files_read(parts, accounts),
        }
        result = TextCounts(search, sum(tables), sum(sums), about)
        if path is not None:
            result.write(path)
        counted.discard(list(counted.pieces))
    warn_of_scripts(((target,), result.spans[target]) for target in result.targets)
    if result.unseen:
        values = {"targets": list(result.unseen), "of": len(result.targets), "most": SEVERAL}
        warn(Note("undefined.counts", values=values), stacklevel=3)
    return result
