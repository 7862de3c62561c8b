"""Counts of associations in texts of any size: planned, counted part by part, added up."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.corpora.counts import (
    SCHEMA,
    TABLES,
    Search,
    SpanCounter,
    Tally,
    TextCounts,
    WordFamily,
    interplay,
)
from eatlas.corpora.files import (
    SAMPLE,
    Format,
    ReadingOptions,
    Shard,
    Unit,
    corpus_files,
    look_at,
    read_texts,
    shards_of,
)
from eatlas.corpora.matching import Case, Compounds, Rule
from eatlas.corpora.reading import Account, Damage, Tell, files_read
from eatlas.corpora.sampling import stimuli_of
from eatlas.corpora.writing import require_place
from eatlas.engine.store import FileJournal
from eatlas.errors import (
    EatlasError,
    SourceError,
    StimulusError,
    described,
)
from eatlas.executors import Executor, choose
from eatlas.notes import Note, warn
from eatlas.paths import is_there
from eatlas.sources.archives import locate
from eatlas.sources.published import corpus_on_this_machine
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

FORM = 3
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
    _warn_of_stimuli(chosen)
    reading = ReadingOptions(format, field, unit)
    files = corpus_files(_by_name(corpus))
    parts, failed = _parted(files, reading, shard)
    unreadable = {part.label for part in failed}
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
    targets = dict.fromkeys(term for test in tests for term in test.targets.terms)
    folded: dict[str, str] = {}
    for term in targets:
        if (earlier := folded.setdefault(term.casefold(), term)) != term:
            raise StimulusError(
                "two targets differ by case alone",
                got=f"{earlier}, {term}",
                allowed="targets that a table of counts distinguishes",
                remedy="count their tests one by one",
            )
    return tuple(targets)


def _families(tests: Sequence[GroupsTest]) -> tuple[WordFamily, ...]:
    """Groups that are distinguished; a name of a group in two families needs the same counts."""
    families: dict[WordFamily, str] = {}
    by_name: dict[str, tuple[WordFamily, str]] = {}
    for test in tests:
        family = WordFamily(
            tuple(group.name for group in test.groups),
            tuple(group.terms for group in test.groups),
        )
        families.setdefault(family, test.id)
        for name in family.names:
            earlier, its_test = by_name.setdefault(name.casefold(), (family, test.id))
            if earlier != family:
                raise StimulusError(
                    f"the tests {its_test} and {test.id} both have a group {name}, with other "
                    "words or beside other groups",
                    allowed="one meaning of each group's name in a table of counts",
                    remedy="count the two tests one by one, each to a file of its own",
                )
    return tuple(families)


def _warn_of_stimuli(tests: Sequence[GroupsTest]) -> None:
    """Warn of stimuli that hide others, and of targets that are words of a group."""
    for test in tests:
        of = {word: group.name for group in test.groups for word in group.terms}
        if own := [f"{term} ({of[term]})" for term in test.targets.terms if term in of]:
            warn(Note("stimuli.targets-in-groups", values={"targets": own}), test.id, stacklevel=4)
    named = [(test.id, test.terms) for test in tests]
    for test_id, stimulus, other_id, hidden in interplay(named):
        values = {"tests": [test_id, other_id], "found": stimulus, "hidden": hidden}
        warn(Note("stimuli.hidden-words", values=values), stacklevel=4)
        break  # one example says enough


def _by_name(corpus: Corpus) -> list[Any]:
    """Files, and those of published corpora by name."""
    parts = [corpus] if isinstance(corpus, str | Path) else list(corpus)
    return [
        (corpus_on_this_machine(part) or part)
        if isinstance(part, str) and not is_there(Path(part))
        else part
        for part in parts
    ]


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


SEVERAL = 10
"""Targets that a warning names."""
MANY = 0.5
"""Share of damaged lines in a file from which on its encoding is in question."""
Progress = Callable[[int, int], None]
"""Called with the number of shards done and of all."""


@dataclass
class ShardCounts:
    """What one shard gave; its damaged lines are numbered within it."""

    tally: Tally
    account: Account

    def to_json(self) -> bytes:
        """On one line."""
        tally = [self.tally.table.tolist(), self.tally.totals.tolist()]
        account = {**asdict(self.account), "named": [asdict(bad) for bad in self.account.named]}
        return json.dumps({"tally": tally, "account": account}, ensure_ascii=True).encode()

    @classmethod
    def from_json(cls, data: bytes, search: Search) -> ShardCounts:
        """Read what :meth:`to_json` wrote."""
        values = json.loads(data)
        empty = Tally.empty(search)
        table, totals = (np.array(part, np.int64) for part in values["tally"])
        if (table.shape, totals.shape) != (empty.table.shape, empty.totals.shape):
            raise ValueError("counts of another search")
        account = values["account"]
        named = [Damage(**bad) for bad in account.pop("named")]
        skipped = Counter(account.pop("skipped"))
        return cls(Tally(table, totals), Account(**account, skipped=skipped, named=named))


@lru_cache(maxsize=2)
def _counter(search: Search) -> SpanCounter:
    """What counts; of one search, made once in a process."""
    return SpanCounter(search)


def count_shard(shard: Shard, search: Search, reading: ReadingOptions) -> ShardCounts | Failed:
    """Count one shard, all of it or nothing."""
    account = Account(shard.path)
    counter = _counter(search).anew()
    try:
        for batch in read_texts(Path(shard.path), reading, account, shard):
            counter.take(batch)
    except SourceError as error:
        return Failed(shard.label, error)
    return ShardCounts(counter.tally, account)


class Shards(FileJournal):
    """The shards of a count that are counted."""

    work, task = "shards", "count"

    def __init__(self, out: Path | None, plan: TextPlan) -> None:
        super().__init__(out, plan.identity)
        self._plan = plan
        self._wanted = {self._name(shard) for shard in plan.shards}
        self._done: set[str] = set()

    def __contains__(self, shard: Shard) -> bool:
        return self._name(shard) in self._done

    def __len__(self) -> int:
        return len(self._done)

    def keep(self, shard: Shard, counts: ShardCounts) -> None:
        """Keep what a shard gave."""
        self.append(self._name(shard), counts.to_json())
        self._done.add(self._name(shard))

    def of(self, shard: Shard) -> ShardCounts:
        """What a shard gave."""
        return ShardCounts.from_json(self.read(self._name(shard)), self._plan.search)

    def forget(self) -> None:
        """Forget all shards, once the table is written."""
        self.discard(list(self._places))

    def take(self, name: str, result: bytes) -> None:
        """Take over a shard that was counted before."""
        if name in self._wanted:
            ShardCounts.from_json(result, self._plan.search)
            self._done.add(name)

    def _name(self, shard: Shard) -> str:
        return f"{self._plan.identity[:16]} {shard.identity}"


def count_all(
    plan: TextPlan,
    shards: Shards,
    executor: Executor,
    progress: Progress | None = None,
) -> list[Failed]:
    """Count every shard that is not counted yet; return those that cannot be."""
    left = [shard for shard in plan.shards if shard not in shards]
    failed = list(plan.failed)
    done = len(plan.shards) - len(left)
    work = partial(count_shard, search=plan.search, reading=plan.reading)
    with closing(executor(work, left)) as ended:
        for position, outcome in ended:
            shard = left[position]
            if isinstance(outcome, ShardCounts):
                shards.keep(shard, outcome)
            else:
                failed.append(outcome)
            done += 1
            if progress is not None:
                progress(done, len(plan.shards))
    order = {shard.label: place for place, shard in enumerate(plan.shards)}
    return sorted(failed, key=lambda part: (order.get(part.label, -1), part.label))


def conclude(
    plan: TextPlan, shards: Shards, failed: Sequence[Failed], tell: Tell | None = None
) -> TextCounts:
    """Add up what the shards gave."""
    tally = Tally.empty(plan.search)
    accounts = {str(path): Account(str(path)) for path in plan.files}
    counted = [shard for shard in plan.shards if shard in shards]
    if not counted:
        raise failed[0].error
    for shard in counted:  # in the order of their files
        part = shards.of(shard)
        tally.add(part.tally)
        bad = part.account.damaged and shard.part == "bytes"
        file = shard.label if shard.part == "streams" else shard.path
        accounts[shard.path].add(part.account, file, _lines_before(shard) if bad else 0)
    for account in accounts.values() if tell is not None else ():
        for damage in account.named:
            tell(damage)  # type: ignore[misc]
    return TextCounts(plan.search, tally, _provenance(plan, accounts.values(), failed))


def _lines_before(shard: Shard) -> int:
    """Count the lines of the file before a shard; read only where something is damaged."""
    count, left = 0, shard.start
    with Path(shard.path).open("rb") as file:
        while left and (data := file.read(min(left, 1 << 24))):
            count += data.count(b"\n")
            left -= len(data)
    return count


def _provenance(
    plan: TextPlan, accounts: Iterable[Account], failed: Sequence[Failed]
) -> dict[str, Any]:
    """What is needed to count again, and to see that it is the same text."""
    read = files_read(accounts)
    search, reading = plan.search, plan.reading
    return {
        "schema": SCHEMA,
        "version": __version__,
        "tests": [test.id for test in plan.tests],
        "stimuli_sha256": [test.stimuli_sha256 for test in plan.tests],
        "span": search.span,
        "sliding": search.sliding,
        "case": search.rule.case,
        "compounds": search.rule.compounds,
        "unit": reading.unit,
        "field": reading.field,
        "format": reading.format,
        "corpus_sha256": _corpus_hash(read["files"]),
        **read,
        "failed": [{"part": part.label, "why": str(part)} for part in failed],
    }


def _corpus_hash(files: Sequence[dict[str, Any]]) -> str:
    """Hash of the sizes and ends of all files; their names and order leave it unchanged."""
    parts = sorted((file["size"], file["ends_sha256"]) for file in files)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _warn(result: TextCounts, failed: Sequence[Failed]) -> None:
    """Warn of what was not counted, of files that may be no UTF-8, and of targets never seen."""
    if failed:
        values = {"count": len(failed), "such": list(map(str, failed[:SEVERAL]))}
        warn(Note("source.parts-unread", values=values), stacklevel=4)
    for file in result.provenance["files"]:
        lines = file["texts"] + file["damaged"]
        if file["damaged"] and file["damaged"] >= MANY * lines:
            values = {"file": file["file"], "count": file["damaged"], "of": lines}
            warn(Note("source.lines-unread", values=values), stacklevel=4)
    if unseen := result.unseen:
        values = {"targets": list(unseen), "of": len(result.targets), "most": SEVERAL}
        warn(Note("undefined.counts", values=values), stacklevel=4)


def count_text(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: Corpus,
    tests: TestsLike,
    *,
    span: int = 3,
    sliding: bool = False,
    case: Case = "auto",
    compounds: Compounds = "either",
    format: Format = "auto",  # noqa: A002  (as the option is called)
    field: str | None = None,
    unit: Unit = "line",
    out: str | Path | None = None,
    workers: int | None = 1,
    executor: Executor | None = None,
    shard: int | None = None,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> TextCounts:
    """Count associations of targets with social groups in a text of any size.

    A context is a span of sentences that mentions the target. It associates the target with a group
    if some word of this group occurs in it, and no word of the other groups (Bommasani and Liang
    2022, section 4.1). Counts depend on the texts alone, not on how they are shared out.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files, folders or patterns: plain text, JSON Lines, CSV, TSV, Parquet, dumps of Wikipedia
        (XML); all but Parquet may be compressed. Or the name of a published corpus that was
        fetched.
    tests : anything that :func:`eatlas.load_tests` takes
        Tests of the kind groups; all are counted in one pass.
    span : int
        Sentences of a span.
    sliding : bool
        Let a span begin with every sentence; by default spans are disjoint.
    case, compounds, format, field, unit
        How words are found and files are read, as in :func:`eatlas.find_contexts`. A document (a
        line or paragraph, an object, a row, an article) is never parted.
    out : path, optional
        Write the table to this file, ``.csv`` or ``.parquet``. A count that is cut off goes on
        where it was when it is started again.
    workers : int or None
        Processes that count; None: as many as are useful. A script that starts several
        guards what it runs with ``if __name__ == "__main__":``.
    executor : Executor, optional
        Who counts, instead of processes of this machine.
    shard : int, optional
        Bytes of the parts that are counted and kept one by one; changes no count.
    tell : callable, optional
        Called with damaged lines, up to 100 of each shard.
    progress : callable, optional
        Called with the number of shards that are done and the number of all.

    Returns
    -------
    TextCounts
        A source of counts for ``divdist(soa=counts)``.

    Raises
    ------
    EatlasError
        If tests, options or all files are not usable.

    Warns
    -----
    UndefinedWarning
        If the text never mentions a target; its counts are undefined, not 0.
    SourceWarning
        If a part of the corpus cannot be read; the rest is counted.

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
    path = None if out is None else Path(out)
    if path is not None:
        require_place(path, *TABLES)
    choices = {"case": case, "compounds": compounds, "format": format, "field": field, "unit": unit}
    plan = make_plan(corpus, tests, span=span, sliding=sliding, shard=shard, **choices)  # type: ignore[arg-type]
    executor = executor or choose(workers, len(plan.shards))
    return counted(plan, path, executor, tell=tell, progress=progress)


def counted(
    plan: TextPlan,
    out: Path | None,
    executor: Executor,
    *,
    begun: Callable[[Shards], None] | None = None,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> TextCounts:
    """Count what a plan says, and write the table where there is a place for it.

    Shards that were counted are kept until all are; `begun` is called with those that were counted
    before.
    """
    with Shards(out, plan) as shards:
        if begun is not None:
            begun(shards)
        failed = count_all(plan, shards, executor, progress)
        result = conclude(plan, shards, failed, tell)
        if out is not None:
            result.write(out)
        if not failed:
            shards.forget()
    _warn(result, failed)
    return result
