"""A recipe: what a paper chose, each choice with where it is said, as a file of data.

A paper has a folder ``data/PAPER``. Its ``cells.csv`` has the printed numbers, its ``recipe.toml``
how they are measured, and ``tests.toml`` tests that no battery has. Nothing of a paper is in code.

``recipe.toml``, by example::

    title = "ML-EAT"                      # short name of the paper
    citation = "Wolfe, R. ..."
    left_out = ["Figure 3 is a drawing."] # what of the paper is not among the cells
    reasons = ["Stars: ..."]              # known reasons why numbers differ

    [choice.tokens]                       # a choice, by an id of your own
    what = "Vector of a text"
    [choice.tokens.paper]                 # what the text says
    where = "Table 3"
    says = "[CLS] of BERT; the mean of the words of CBoW"
    vectors.masked = { options = { level = "sentence", pool = "cls" }, needs = "cls" }
    vectors.static = { scheme = "cbow:" }
    [choice.tokens.code]                  # what the authors' published code does
    where = "sentbias/encoders/bert.py"
    says = "the first word piece of BERT, without special tokens"
    vectors.masked = { options = { level = "sentence", pool = "first", special_tokens = "no" } }
    vectors.static = { scheme = "cbow:" }

    [choice.words.code]                   # where only one of the two says it, both follow it
    where = "empirical_analysis.ipynb"
    says = "short in place of short-term"
    tests = { weat-9 = "weat-9-google-news" }

    [choice.labour.code]                  # numbers of targets next to the proportions of a table
    where = "predictive_validity.py"
    says = "rank correlation with the distance of proportions from equal ones"
    correlated = { tables = { divdist-gender-104 = "census-gender" }, year = 2010 }

    [method.words]                        # what a cell needs: some of the choices
    title = "vectors of words"
    choices = ["measure", "tokens"]

    [[model]]                             # a model of the paper
    id = "glove-840b"                     # or MODEL.STAGE, of a table that compares stages
    title = "GloVe, Common Crawl"
    family = "static"                     # counts: a table of numbers by term and group
    bundled = "glove-840b-words"          # a source of the package that is this model
    published = "glove.840B.300d"         # name by which eatlas vectors fetch fetches it
    get = "the folder of the model"       # or else how to get it
    not_run = "needs a TPU"               # or why eatlas cannot measure it by itself

    [[table]]
    id = "table-1"                        # eatlas replicate ... --table 1
    title = "Table 1: GloVe"
    method = "words"                      # of its cells, where a cell names no other
    says = "p as printed"
    not_run = ""                          # why none of its cells is measured

    [[difference]]                        # a cell that differs on the paper's own vectors, and why
    table = "table-1"
    row = "EA/AA32 P/U25"
    column = "Level 1"
    ours = 1.4052
    why = "cut after two digits, not rounded"

A reading of a choice (``paper``, ``code``) has ``where`` and ``says``, and what it sets, if it sets
anything (:class:`Reading`). A method takes its choices in order: a later one adds to what the ones
before it set, or replaces it. A cell of ``cells.csv`` names its table, model, row and column; the
method where it is not the table's; the test, the period of a series, and the place of the number in
a result, such as ``level2.X.effect_size`` or ``targets.nurse.signed``; then what is printed. In a
table of several models a column is called by its model, or ``MODEL, NUMBER``.

A place may begin with two stages, ``L2-L1/targets.nurse.signed``: the number of the first stage
less that of the second; or with ``1-``, for numbers that are printed as 1 less what is measured. Of
a method whose numbers are correlated, it is ``rho`` or ``r2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import Field, model_validator

from eatlas.decoding import own_toml
from eatlas.errors import EatlasError, did_you_mean
from eatlas.measures import Measure, get_measure
from eatlas.results.parts import Record
from eatlas.sources import CaseRule
from eatlas.stimuli import ROLES, Test, load_tests
from eatlas_workbench.leanings import plain

DATA = Path(__file__).parent / "data"
RECIPE, TESTS, CELLS = "recipe.toml", "tests.toml", "cells.csv"
PAPERS = ("caliskan", "ml-eat", "seat", "divdist", "mind-your-bias")
Followed = Literal["code", "paper"]
"""What is done where the text of a paper and its authors' code differ."""
FOLLOWED: tuple[Followed, ...] = get_args(Followed)
Family = Literal["static", "masked", "causal", "encoder-decoder", "texts", "image-text", "counts"]
"""Kinds of models, by what can be taken of them: vectors of words; transformers by their training;
other encoders of texts; encoders of texts and images in one space. Numbers by term and group, of a
text or of a census, are in place of a model."""


class Vectors(Record):
    """How texts become vectors in models of one family."""

    scheme: str = ""
    """Put before the source, such as ``cbow:``."""
    options: dict[str, str] = Field(default_factory=dict)
    """Of the source, such as ``{"pool": "cls"}``; no user's source may set them otherwise."""
    lower: bool = False
    """Whether texts are written in lower case before they are encoded."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the measure that this kind of model decides."""
    needs: Literal["", "cls", "decades", "mask", "word"] = ""
    """What the model must have besides: a tokenizer that adds [CLS]; vectors by decade; a head that
    fills masks; a vector of a stimulus in its text, of encoders that are no transformers."""


class _OfGroups(Record):
    """What is done to the words of some groups."""

    tests: tuple[str, ...] = ()
    """Of which tests; of all, if none is named."""
    roles: str = "".join(ROLES)
    """Of which groups of a test."""

    def is_for(self, test: str, role: str) -> bool:
        """Whether it is done to the words of a group."""
        return role in self.roles and (not self.tests or test in self.tests)


class Prompt(_OfGroups):
    """A text that words are put into, such as ``"This is {}"``."""

    text: str
    """``{a}`` is *an* before a word that begins with a, e, i, o or u, else *a*."""


class Replaced(_OfGroups):
    """Words in place of others, such as ``{ love = "lovable" }``."""

    words: dict[str, str]
    """An empty one leaves the other out."""


class Stars(Record):
    """When a star is printed, where it is not the rule of the measure: by the upper tail's p."""

    alpha: float
    p: str = "level1.p.greater"
    """Where a result has the p."""
    holm: str = ""
    """The table whose tests, of all models that are measured, are one family. A second star is for
    a p that Holm's adjustment over it leaves at alpha or below."""


class Correlated(Record):
    """With what shares of a table the sizes of biases are rank correlated, over targets.

    The numbers of the table are how far its proportions are from equal ones, as sum of absolute
    differences. Of vectors by year the means over targets are correlated over the years.
    """

    tables: dict[str, str]
    """By test, the model of the paper that is the table."""
    year: int
    """Of the table, beside vectors of no year."""
    years: tuple[int, int]
    """The first and the last, of vectors by year."""


class Reading(Record):
    """What the text of a paper, or its authors' code, says of a choice."""

    where: str
    """Section or table of the text, or file of the code."""
    says: str
    measure: str = ""
    """Signature of the measure, or its name."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the measure that this choice decides."""
    of_tests: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Parameters of the measure for single tests, by their ids."""
    vectors: dict[Family, Vectors] = Field(default_factory=dict)
    """What is taken of a model, by its family; others cannot be measured."""
    prompts: tuple[Prompt, ...] = ()
    """The first that is for a word takes it."""
    replaced: tuple[Replaced, ...] = ()
    tests: dict[str, str] = Field(default_factory=dict)
    """The test that is measured in place of another, by ids."""
    groups: dict[str, str] = Field(default_factory=dict)
    """The test whose groups are in place of those of another, by ids."""
    case: CaseRule | None = None
    """The rule by which words are looked up; by default that of eatlas."""
    correlated: Correlated | None = None
    stars: Stars | None = None


class Choice(Record):
    """One choice: what the text says, what the code does, or both."""

    what: str
    paper: Reading | None = None
    code: Reading | None = None

    @model_validator(mode="after")
    def _is_said(self) -> Choice:
        if self.paper is None and self.code is None:
            raise ValueError(f"neither text nor code says anything of {self.what!r}")
        return self

    @property
    def differs(self) -> bool:
        """Whether text and code differ."""
        return self.paper is not None and self.code is not None

    def reading(self, follow: Followed) -> Reading:
        """What is followed: the other of the two where one says nothing."""
        first, second = (self.code, self.paper) if follow == "code" else (self.paper, self.code)
        return cast("Reading", first or second)  # one of them is there


class Method(Record):
    """What the numbers of some cells need."""

    title: str
    """What is measured, for messages: ``vectors of words``."""
    choices: tuple[str, ...]


class PaperModel(Record):
    """A model that a paper measured, and how to get it."""

    id: str
    title: str
    family: Family
    published: str = ""
    bundled: str = ""
    get: str = ""
    not_run: str = ""
    note: str = ""


class PaperTable(Record):
    """A table of a paper."""

    id: str
    title: str
    method: str = ""
    says: str = ""
    not_run: str = ""
    of_numbers: bool = False
    """Whether its columns are different numbers, although of different models: another model has
    them in the same columns."""
    reasons: tuple[str, ...] = ()
    """Known reasons why its numbers differ."""


class Difference(Record):
    """Why a cell differs from what the paper's own vectors give."""

    table: str
    row: str
    column: str
    ours: float
    """What these vectors give, to four decimals; another number has another reason."""
    why: str

    def is_it(self, value: object) -> bool:
        """Whether this explains a number that was computed."""
        return isinstance(value, float) and round(value, 4) == self.ours


class Recipe(Record):
    """All that is known of a paper beside its printed numbers."""

    title: str
    citation: str
    left_out: tuple[str, ...]
    reasons: tuple[str, ...]
    stages: tuple[str, ...] = ()
    """What follows the last dot in the names of models of which a table compares several."""
    choice: dict[str, Choice] = Field(default_factory=dict)
    method: dict[str, Method] = Field(default_factory=dict)
    model: tuple[PaperModel, ...]
    table: tuple[PaperTable, ...]
    difference: tuple[Difference, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> Recipe:
        chosen = [name for method in self.method.values() for name in method.choices]
        unknown = [name for name in chosen if name not in self.choice]
        unknown += [t.method for t in self.table if t.method and t.method not in self.method]
        models = {model.id for model in self.model}
        readings = (one for choice in self.choice.values() for one in (choice.paper, choice.code))
        rules = (one.correlated for one in readings if one and one.correlated)
        unknown += [
            table for rule in rules for table in rule.tables.values() if table not in models
        ]
        if unknown:
            raise ValueError(f"no choice, method or model {unknown[0]!r}")
        return self

    def stage(self, model: str) -> str:
        """Which stage a model is by its name; empty of others."""
        stem, _, stage = model.rpartition(".")
        return stage if stem and stage in self.stages else ""

    def stem(self, model: str) -> str:
        """The name that all stages of a model share."""
        stage = self.stage(model)
        return model.removesuffix(f".{stage}") if stage else model

    def tables(self, number: str | None = None) -> tuple[PaperTable, ...]:
        """The tables of a number, such as ``"2"`` or ``"table-2"``; all of them by default."""
        if number is None:
            return self.table
        wanted = f"table-{number}" if number.isdecimal() else number
        found = tuple(t for t in self.table if f"{t.id}-".startswith(f"{wanted}-"))
        if not found:
            ids = [table.id for table in self.table]
            raise EatlasError(
                f"{self.title} has no table {number!r} here{did_you_mean(wanted, ids)}",
                allowed=", ".join(ids),
                remedy="a table is named by its number, 4, or as it is listed here",
            )
        return found

    def procedure(self, method: str, follow: Followed = "code") -> Procedure:
        """Put the choices of a method together."""
        named = self.method[method]
        choices = tuple(self.choice[name] for name in named.choices)
        readings = [choice.reading(follow) for choice in choices]
        parameters = {k: v for reading in readings for k, v in reading.parameters.items()}
        signatures = [reading.measure for reading in readings if reading.measure]
        return Procedure(
            method=method,
            title=named.title,
            choices=choices,
            measure=get_measure(signatures[-1]).with_parameters(**parameters),
            of_tests=_merge_parameters(reading.of_tests for reading in readings),
            vectors={k: v for reading in readings for k, v in reading.vectors.items()},
            prompts=tuple(prompt for reading in readings for prompt in reading.prompts),
            replaced=tuple(one for reading in readings for one in reading.replaced),
            tests={k: v for reading in readings for k, v in reading.tests.items()},
            groups={k: v for reading in readings for k, v in reading.groups.items()},
            case=next((r.case for r in reversed(readings) if r.case), "auto"),
            correlated=next((r.correlated for r in reversed(readings) if r.correlated), None),
            stars=next((r.stars for r in reversed(readings) if r.stars), None),
        )


def _merge_parameters(several: Iterable[Mapping[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Parameters by test, what a later choice says of a test beside what the earlier ones say."""
    merged: dict[str, dict[str, Any]] = {}
    for of_tests in several:
        for test, parameters in of_tests.items():
            merged[test] = merged.get(test, {}) | parameters
    return merged


@dataclass(frozen=True)
class Procedure:
    """A method as the text or the code has it: what is measured, and how."""

    method: str
    title: str
    choices: tuple[Choice, ...]
    measure: Measure
    vectors: dict[Family, Vectors]
    prompts: tuple[Prompt, ...] = ()
    tests: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    case: CaseRule = "auto"
    correlated: Correlated | None = None
    stars: Stars | None = None
    of_tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    replaced: tuple[Replaced, ...] = ()

    def measure_of(self, family: Family, test: str) -> Measure:
        """The measure as models of a family, and a test, have it.

        If numbers of targets are correlated, without what only says how sure they are.
        """
        own = {**self.vectors[family].parameters, **self.of_tests.get(test, {})}
        measure = self.measure.with_parameters(**own)
        return plain(measure) if self.correlated else measure

    def prompt(self, test: str, role: str) -> str:
        """The text that words of a group are put into; empty for none."""
        return next((p.text for p in self.prompts if p.is_for(test, role)), "")

    def words(self, test: str, role: str) -> dict[str, str]:
        """The words in place of others of a group."""
        several = (one.words for one in self.replaced if one.is_for(test, role))
        return {word: other for words in several for word, other in words.items()}


@cache
def read_recipe(name: str) -> Recipe:
    """Read what is known of a paper."""
    if name not in PAPERS:
        raise EatlasError(
            f"no paper {name!r} is known{did_you_mean(name, PAPERS)}", allowed=", ".join(PAPERS)
        )
    return Recipe(**own_toml(DATA / name / RECIPE))


@cache
def own_tests(name: str) -> dict[str, Test]:
    """Tests of a paper that no battery has, by id."""
    file = DATA / name / TESTS
    return {test.id: test for test in load_tests(file)} if file.exists() else {}
