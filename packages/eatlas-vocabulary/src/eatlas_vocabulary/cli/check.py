"""``eatlas vectors check``: whether cosines have a meaning, and what a transform costs."""

from __future__ import annotations

from eatlas.cli.messages import output_of_a_command, print_line, print_rows
from eatlas.cli.progress import bars
from eatlas.numbers import effect, p_value
from eatlas.sources.opening import open_named
from eatlas_vocabulary.cli.diagnosis_tables import print_diagnoses, print_diagnosis
from eatlas_vocabulary.results.residual import ResidualBias, TransformCost
from eatlas_vocabulary.sources.cost import OF_GENSIM, transform_cost
from eatlas_vocabulary.sources.diagnosis import diagnose, residual_bias

SAMPLE = "glove-sample"
OWN, ALL = "own", "all"
"""Names the word sets of a source's own transform; all similarity and analogy sets by name."""


def check(
    source: str = SAMPLE,
    *,
    residual: str | None = None,
    cost: list[str] | None = None,
) -> None:
    """Check whether cosines are meaningful in an embedding space: anisotropy and rogue dimensions.

    Reads every vector of the source once. For a source that encodes texts, it encodes the texts of
    sent-caliskan, or of caliskan for vectors of words. Several layers (?layer=all) are shown side
    by side.

    With --residual, the command tests instead whether a bias remains after a transform, by
    clusters, neighbours and a classifier (Gonen and Goldberg 2019). It compares the figures before
    and after, and with the removal of 19 random directions. This needs the extra probes.

    With --cost, the command shows the cost of a transform: how well cosines agree with people's
    scores of pairs of words, and how many analogies are correct, before and after. You can combine
    --cost and --residual. all is wordsim353, simlex999 and google-analogies, which come with the
    extra gensim.

    Exit codes: 0 done; 2 the source cannot be used.

    Parameters
    ----------
    source : [NAME=]SOURCE
        Vectors: a file or a name, as for eatlas run. Add ?transform=... to see the effect of a
        transform.
    residual : gender|race|religion|FILE.toml|TEST|own
        Word sets that define the bias; own: the word sets of the transform.
    cost : all|NAME|FILE
        Pairs with scores of people, or analogies; may be given several times.
    """
    sets = [name for each in cost or () for name in (OF_GENSIM if each == ALL else [each])]
    if residual is not None:
        bias = residual_bias(source, sets=None if residual == OWN else residual, cost=sets)
        with output_of_a_command():
            _print_residual(bias)
            if bias.cost:
                print_line("")
                _print_cost(bias.cost)
        return
    if sets:
        measured = transform_cost(source, sets)
        with output_of_a_command():
            print_line(f"{measured.source}")
            print_line("")
            _print_cost(measured)
        return

    several = open_named(source)
    with bars() as watch:
        diagnoses = [
            diagnose(
                named.source,
                tell=None if watch is None else watch("texts by", named.name or named.source.name),
            ).called(named.name)
            for named in several
        ]

    with output_of_a_command():
        if len(diagnoses) == 1:
            print_diagnosis(diagnoses[0])
        else:
            print_diagnoses(diagnoses)


def _print_residual(bias: ResidualBias) -> None:
    """Print a row for each figure, what each is, and where it is beside chance."""
    meaning = {
        "projection": "mean cosine with the direction of the group; what debiasing targets",
        "clusters": f"{bias.clustered:,} most biased words in the cluster of their group",
        "neighbours": f"correlation of the bias of {bias.targets:,} targets and their neighbours",
        "classifier": f"accuracy on {bias.tested:,} biased words, trained on {bias.trained:,}",
    }
    rows = [("", "before", "after", "chance", f"{bias.directions} directions", "")]
    for name, figure in bias.figures().items():
        before, after, chance, lowest, highest = (
            f"{number + 0.0:.3f}".replace("-0.000", "0.000") for _, number in figure
        )
        ends = f"[{lowest}, {highest}]"
        rows.append((name, before, after, chance, ends, meaning[name]))
    print_line(f"{bias.source}: {', '.join(bias.groups)}; {bias.vocabulary:,} words")
    print_line("")
    print_rows(rows, "lrrrrl", least=(11, 6, 6, 6, 4))
    print_line("")
    for warning in bias.warnings:
        print_line(str(warning))


def _print_cost(cost: TransformCost) -> None:
    """Print a row for each set of pairs, then a table for each set of analogies."""
    if cost.similarity:
        head = ("correlation with scores", "pairs", "before", "after", "95% interval of change")
        rows: list[tuple[str, ...]] = [head]
        for each in cost.similarity:
            ends = (effect(end, 3) for end in each.interval or (None, None))
            rho = effect(each.before, 3), effect(each.after, 3)
            rows.append((each.name, f"{each.pairs} of {each.of}", *rho, f"[{', '.join(ends)}]"))
        print_rows(rows)
        if any(each.interval is None for each in cost.similarity):
            print_line("–: fewer than 4 pairs have vectors, or their numbers are equal.")
    for i, answers in enumerate(cost.analogies):
        by_name = {f"{answers.name}, 3CosAdd": answers.add, "3CosMul": answers.mul}
        by_name |= {f"  {name}": share for name, share in answers.categories.items()}
        rows = [("analogies answered", "questions", "before", "after", "lost", "gained", "p")]
        for name, share in by_name.items():
            shares = effect(share.before, 3), effect(share.after, 3)
            counts = map(str, (share.questions, *shares, share.lost, share.gained))
            rows.append((name, *counts, p_value(share.p)))
        if i or cost.similarity:
            print_line("")
        print_rows(rows)
    if cost.analogies:
        print_line("")
        print_line("Questions share words: p is smaller than they warrant.")
