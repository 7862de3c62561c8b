"""How a model that is asked in words answered: statements and tables beside the findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eatlas.numbers import UNDEFINED, effect, interval, p_value, percent
from eatlas.present.account import Account
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.effects import levels_of
from eatlas.present.rendering import phrase
from eatlas.present.sections import distinct
from eatlas.present.text import isolate, one_line, readable
from eatlas.results import AssociationResult
from eatlas.results.parts import at
from eatlas.results.settings import Settings, source_name
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS
from eatlas_models.results.answers import AnswersRecord

HEADING = "How the model answered"
STATEMENTS = {
    "Prompts.": "asked",
    "Choices.": "choices",
    "Order.": "order",
    "Questions.": "templates",
    "Probability.": "mass",
    "Reasoning.": "reasoning",
    "Model.": "model",
}
"""What each statement is about, and its macro."""
OF_LISTS = {"Prompts.": "lists", "Assigned.": "assigned", "Model.": "model"}
"""The same of lists of words that were to be assigned."""


def answers_statements(result: AssociationResult) -> list[tuple[str, str]]:
    """The prompts and the answers, one statement each."""
    macros = OF_LISTS if answers_of(result) is None else STATEMENTS
    said = {head: phrase("answers", macro, result) for head, macro in macros.items()}
    return [(head, text) for head, text in said.items() if text]


MOVED = (
    "Other questions: interval for d of these words with other questions, pairs and answers, in "
    "standard deviations of the present scores. Refusals: least and greatest d if all refusals and "
    "unusable answers had gone one way; and the two-sided p after counting those that a kind of "
    "prompt has beyond chance as answers against the effect."
)


def sensitivity_table(result: AssociationResult) -> Table:
    """How far each effect size moves with other comparisons and with answers that chose nothing."""
    answers, rows = answers_of(result), []
    for shown in levels_of(result):
        if (moved := at(answers, shown.place)) is None:
            continue
        low, high = moved.range or (None, None)
        _, p = moved.against(shown.direction)
        ends = effect(low), effect(high), UNDEFINED if p is None else p_value(p)
        texts = effect(shown.d), interval(moved.d.interval), *ends
        first = Cell((shown.title, one_line(shown.name)))
        rows.append(
            (first, *(Cell((t,), star=shown.significant and i == 0) for i, t in enumerate(texts)))
        )
    columns = (
        Column("Level"),
        Column("d", number=True),
        Column("Other questions", number=True),
        Column("least", "If refusals went one way", number=True),
        Column("greatest", "If refusals went one way", number=True),
        Column("p against", "If refusals went one way", number=True),
    )
    return Table("moved", columns, tuple(rows), notes=(MOVED,))


def templates_table(result: AssociationResult) -> Table:
    """The questions, how many of their answers choose, and what each shows by itself."""
    answers = answers_of(result)
    rows = tuple(
        (
            Cell((readable(template.text),)),
            Cell((percent(template.usable),)),
            *(Cell((effect(d),)) for d in (template.effect_size, *template.level2.values())),
        )
        for template in (answers.templates if answers else ())
    )
    x, y = (isolate(result.concepts[role]) for role in TARGETS)
    heads = ("Usable", f"d {headline(result)}", f"d of {x}", f"d of {y}")
    columns = Column("Question"), *(Column(head, number=True) for head in heads)
    return Table("templates", columns, rows)


def headline(result: AssociationResult) -> str:
    """Where the effect size of a template is: over attributes, where X and Y have one term each."""
    single = all(len(result.coverage[role].used) == 1 for role in TARGETS)
    return "over attributes" if single else "at level 1"


def shares_table(result: AssociationResult) -> Table:
    """Of each attribute, the share of its assignments that go to X, the largest first."""
    shares = at(result, "shares") or {}
    group = {term: role for role in ATTRIBUTES for term in result.coverage[role].used}
    x, y = (isolate(result.concepts[role]) for role in TARGETS)
    rows = tuple(
        (
            Cell((one_line(term),)),
            Cell((isolate(result.concepts[group[term]]),)),
            Cell((percent(share),)),
            Cell((percent(1 - share),)),
        )
        for term, share in sorted(shares.items(), key=lambda pair: -pair[1])
        if term in group
    )
    columns = Column("Attribute"), Column("Group"), Column(x, number=True), Column(y, number=True)
    return Table("shares", columns, rows)


NO_CHOICE = (
    "Unusable: refusals and unusable answers; X, Y, A, B: to prompts with a term of the group. "
    "First option wins: 50% if the order of options plays no part."
)
NOT_ASSIGNED = "Refused: lists without an assignment. Unread: lines that assign no word."


def answers_tables(results: Sequence[AssociationResult]) -> list[Table]:
    """How models answered, a row for each result: paired comparisons, then lists of words."""
    settings, pairs, lists = Settings.from_results(results), [], []
    for result in results:
        name = one_line(settings.label(result))
        if (answers := answers_of(result)) is not None:
            first = percent(answers.first_place)
            if answers.first_place_interval:
                first += f" [{', '.join(map(percent, answers.first_place_interval))}]"
            shares = (answers.refused, *(answers.unusable[role] for role in ROLES))
            agreement = UNDEFINED if answers.agreement is None else effect(answers.agreement)
            pairs.append([name, f"{answers.asked:,}", *map(percent, shares), first, agreement])
        else:
            numbers = (lists_of(result), at(result, "refused"), at(result, "unread"))
            d, ends = effect(at(result, "score")), interval(at(result, "score_interval"))
            lists.append([name, d, ends, *(f"{number:,}" for number in numbers)])
    groups = [Column(role, "Unusable", number=True, short=f"\n{role}") for role in ROLES]
    heads = [
        Column("Answers", number=True),
        Column("all", "Unusable", number=True, short="Unusable\nall"),
        *groups,
        Column("First option wins", number=True, short="First option\nwins"),
        Column("Alpha", number=True, short="Alpha of\nquestions"),
    ]
    of_lists = [Column(n, number=True) for n in ("D", "interval", "Lists", "Refused", "Unread")]
    made = (("answers", heads, pairs, NO_CHOICE), ("lists", of_lists, lists, NOT_ASSIGNED))
    return [
        Table(id_, (Column("Test"), *columns), _cells(rows), notes=(note,))
        for id_, columns, rows, note in made
        if rows
    ]


def _cells(rows: Sequence[Sequence[str]]) -> tuple[tuple[Cell, ...], ...]:
    """Rows of texts as cells, the first of which is strong."""
    return tuple(
        (Cell((name,), strong=True), *(Cell((t,)) for t in texts)) for name, *texts in rows
    )


def answers_of(result: AssociationResult) -> AnswersRecord | None:
    """How a model answered paired comparisons; None of other measures."""
    answers: AnswersRecord | None = at(result, "answers")
    return answers


def lists_of(result: AssociationResult) -> int | None:
    """How many lists of words a model was given to assign; None of other measures."""
    lists: int | None = at(result, "lists")
    return lists


def answer_facts(results: Sequence[AssociationResult]) -> dict[str, Any]:
    """Who was asked, what and how, and how much was left out."""
    answers = [each for r in results if (each := answers_of(r)) is not None]
    shares = [each.refused for each in answers] or [at(r, "unanswered") for r in results]
    how = [
        "read from a file"
        if each.collected
        else "read from the log-probabilities of the options"
        if each.by == "logprobs"
        else "those of a function"
        if each.temperature is None
        else f"sampled at a temperature of {each.temperature:g}"
        for each in answers
    ]
    return {
        "models": distinct(source_name(r.source) for r in results),
        "names": distinct(name for r in results for name in at(r, "answers.models") or ()),
        "dates": sorted({date for each in answers for date in each.dates}),
        "templates": distinct(t for r in results for t in at(r, "templates") or ()),
        "answers": distinct(how),
        "without": " to ".join(dict.fromkeys(map(percent, (min(shares), max(shares))))),
        "comparisons": bool(answers),
        "drawn": any(each.by == "samples" for each in answers),
        "questions_vary": any(at(r, "generalisation.facets") for r in results),
    }


def ratio_facts(results: Sequence[AssociationResult]) -> dict[str, Any]:
    """What is conditioned on what, by which models, in which sentences."""
    numbers = sorted(n for r in results for row in at(r, "sentences") or () for n in row)
    return {
        "directions": distinct(at(r, "direction") for r in results),
        "models": distinct(source_name(r.source) for r in results),
        "templates": distinct(t for r in results for t in at(r, "templates") or ()),
        "counts": " to ".join(f"{n:,}" for n in dict.fromkeys(numbers[:1] + numbers[-1:])),
    }


def scales_of(results: Sequence[AssociationResult]) -> list[str]:
    """What cosines are multiplied by before a softmax."""
    return distinct(f"{at(result, 'logit_scale'):g}" for result in results)


ACCOUNT = Account(HEADING, answers_statements, answers_tables)
"""What the terminal prints of results of models that are asked."""
