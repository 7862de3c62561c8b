"""What pages, tables and paragraphs say of the documents behind parts of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from eatlas.errors import join_names
from eatlas.numbers import UNDEFINED, effect, interval, number_of, p_value
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.commentary import Commentary
from eatlas.present.rendering import lines, phrase
from eatlas.present.text import isolate, one_line
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.settings import Settings, source_name
from eatlas_corpora.results.documents import Documents, documents_of


def documents_in_words(documents: Documents) -> str:
    """How many documents a part of a corpus has, and what is resampled where it is not they."""
    number = number_of(documents.documents, "document")
    if documents.unit == "documents":
        return number
    why = ", whose values repeat" * documents.unit_found
    return f"{number} ({number_of(documents.blocks, 'unit')} by {documents.unit}{why})"


def resampling_units(results: Iterable[AssociationResult]) -> str:
    """What is resampled, and permuted between parts: documents, or units by a field."""
    units = dict.fromkeys(known.unit for r in results if (known := documents_of(r)))
    return join_names([unit if unit == "documents" else f"units by {unit}" for unit in units])


def larger_doubt(effect: Effect) -> str | None:
    """Which uncertainty is larger, about words or about documents, if they differ on the sign of d.

    Empty where they say the same of it; None where one of them is unknown.
    """
    over = effect.other_intervals.get(Documents.interval_name)
    if not (effect.interval and over):
        return None
    words, documents = ((low > 0) - (high < 0) for low, high in (effect.interval, over))
    wider = effect.interval[1] - effect.interval[0] > over[1] - over[0]
    return "" if words == documents else "words" if wider else "documents"


BOTH = (
    "95% intervals of d for other {0} and for other words. “agree”: both contain 0, or neither "
    "does. Otherwise the column names the larger uncertainty."
)


def doubts_tables(results: Sequence[AssociationResult]) -> list[Table]:
    """Both kinds of doubt about level 1 in parts of a corpus; none for other results."""
    many_tests, rows = len({result.test for result in results}) > 1, []
    for result in results:
        if (known := documents_of(result)) is None:
            continue
        shown = result.effect("level1")
        over, larger = known.interval_of(shown.place), larger_doubt(shown)
        units = f" ({known.blocks})" * (known.unit != "documents")
        texts = [
            effect(shown.d), interval(shown.interval), interval(over or None),
            {"": "agree", None: UNDEFINED}.get(larger, larger or ""),
            f"{known.documents:,}{units}", f"{sum(known.contexts.values()):,}",
        ]  # fmt: skip
        names = [*[result.test] * many_tests, known.part]
        cells = [*map(one_line, names), *texts]
        rows.append(tuple(Cell((text,)) for text in cells))
    if not rows:
        return []
    heads = [*["Test"] * many_tests, "Subcorpus"]
    documents = f"Documents{' (units)' * any('(' in row[-2].lines[0] for row in rows)}"
    numbers = ["d", "over words", "over documents", "Larger", documents, "Contexts"]
    columns = (
        *map(Column, heads),
        *(Column(name, number=name != "Larger") for name in numbers),
    )
    notes = (BOTH.format(resampling_units(results)),)
    return [Table("doubts", columns, tuple(rows), "Two kinds of uncertainty about level 1", notes)]


OVER_PARTS = (
    "d in one subcorpus minus d in another, with equally many contexts of each word that both "
    "have. 95% intervals over bootstrap samples of {0}, and of {0} and words (both). p: two-sided, "
    "{0} permuted between the two, not adjusted for the number of differences."
)


def parts_tables(
    results: Sequence[AssociationResult], *, whole: bool = True, few: bool = False
) -> list[Table]:
    """How effect sizes in parts of a corpus differ; none for other results.

    Of level 1 alone if not `whole`; `few` are those of neighbours in a series, and of other parts
    those that have an interval.
    """
    many_tests, rows = len({result.test for result in results}) > 1, []
    for result in results:
        known = documents_of(result)
        for shown in result.effects() if known else ():
            if known is None or (not whole and shown.place != "level1"):
                continue
            differences = known.of_level(shown.place)
            for gap in differences[-1:] if few and result.period else differences:
                if few and not (result.period or gap.interval):
                    continue
                p = UNDEFINED if gap.p is None else p_value(gap.p, shown.rule.alpha)
                names_of_parts = known.part, f"minus {gap.part}"
                names = [[result.test]] * many_tests + [[*names_of_parts]] + [[shown.title]] * whole
                numbers = [
                    effect(gap.difference), interval(gap.interval), interval(gap.over_both), p
                ]  # fmt: skip
                star = gap.p is not None and gap.p < shown.rule.alpha
                rows.append((
                    *(Cell(tuple(map(one_line, lines))) for lines in names),
                    *(Cell((text,), star=star and n == 0) for n, text in enumerate(numbers)),
                ))  # fmt: skip
    if not rows:
        return []
    heads = [*["Test"] * many_tests, "Subcorpus", *["Level"] * whole]
    numbers = ["Difference" if whole else "Difference of d", "over documents", "over both", "p"]
    columns = (*map(Column, heads), *(Column(name, number=True) for name in numbers))
    notes = (OVER_PARTS.format(resampling_units(results)),)
    id_, caption = f"{results[0].measure}-parts", "Between subcorpora"
    return [Table(id_, columns, tuple(rows), caption, notes)]


class DocumentsCommentary(Commentary):
    """The uncertainty about documents, beside that about words."""

    @cached_property
    def units(self) -> str:
        """What is resampled."""
        return resampling_units(self.results)

    def brief(self) -> list[str]:
        """Whether both kinds of uncertainty agree on the sign of d at level 1."""
        settings = Settings.from_results(self.results)
        doubts = [
            (isolate(settings.label(result)), larger)
            for result in self.results
            for effect in result.effects()
            if effect.place == "level1" and (larger := larger_doubt(effect)) is not None
        ]
        return lines("documents_brief", doubts=doubts) if doubts else []

    def methods_of_data(self) -> str:
        """How vectors of parts of a corpus were made, and what was resampled."""
        known = list(filter(None, map(documents_of, self.results)))
        return phrase(
            "documents",
            "methods",
            {
                "vectors": list(dict.fromkeys(source_name(found.vectors) for found in known)),
                "windows": list(dict.fromkeys(str(found.window) for found in known)),
                "quality": min(found.quality for found in known),
                "units": self.units,
                "resamples": list(dict.fromkeys(f"{found.resamples:,}" for found in known)),
                "compared": any(found.differences for found in known),
            },
        )

    def methods_cited(self) -> tuple[str, ...]:
        """Works on vectors of parts of a corpus, and on their intervals."""
        return ("documents",)

    def legend(self) -> str:
        """What an interval over documents is."""
        return f"Documents: 95% interval of d over bootstrap samples of {self.units}."

    def tables(self, *, whole: bool) -> list[Table]:
        """How effect sizes differ between parts of the corpus."""
        return parts_tables(self.results, whole=whole)

    def caption_end(self) -> str:
        """What intervals and p-values of differences between parts are over."""
        return (
            "; differences use equally many contexts of each word, intervals are over "
            f"{self.units} and words, p permutes {self.units}"
        )
