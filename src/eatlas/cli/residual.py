"""``eatlas residual``: a bias before and after a transform, beside random directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows

if TYPE_CHECKING:
    from eatlas.results.residual import BeforeAfter, ResidualBias


def residual(
    source: str,
    *,
    sets: str | None = None,
    targets: str = "divdist-gender",
    as_json: bool = False,
    seed: int = 0,
) -> None:
    """Look for a bias after a transform, by clusters, neighbours and a classifier.

    Follows Gonen and Goldberg (2019), before the transform and after it. Do the most biased words
    still cluster by group? Are biased words still neighbours? Can a classifier distinguish them?
    Chance is the same for 19 random directions, each after it is removed: the mean, and the range
    from the lowest to the highest. The projection that debiasing removes is shown too.

    Exit codes: 0 done; 2 the source cannot be used.

    Parameters
    ----------
    source : SOURCE
        Vectors with a transform, such as "glove-sample?transform=hard-debias:gender"; compared
        with the same vectors without it.
    sets : gender|race|religion|FILE.toml|TEST
        Word sets that define the bias. [default: those of the transform]
    targets : TEST
        Test of groups whose targets are used to count neighbours.
    as_json : --json
        Print only JSON: one object.
    seed : N >= 0
        Seed of the clustering and of the random directions.
    """
    from eatlas.sources.residual import residual_bias  # noqa: PLC0415  (--help need not wait)

    found = residual_bias(source, sets=sets, targets=targets, seed=seed)
    with output_of_a_command():
        if as_json:
            print_json([found.to_dict()])
        else:
            _print(found)


def _print(found: ResidualBias) -> None:
    """Print a row for each figure, what each is, and where it is beside chance."""
    said = {
        "projection": "mean cosine with the direction of the group; what debiasing targets",
        "clusters": f"{found.clustered:,} most biased words in the cluster of their group",
        "neighbours": f"correlation of the bias of {found.targets:,} targets and their neighbours",
        "classifier": f"accuracy on {found.tested:,} biased words, trained on {found.trained:,}",
    }
    print_line(f"{found.source}: {', '.join(found.groups)}; {found.vocabulary:,} words")
    print_line("")
    rows = [("", "before", "after", "chance", f"{found.directions} directions", "")]
    rows += [(name, *_numbers(one), said[name]) for name, one in found.figures().items()]
    print_rows(rows, "lrrrrl", least=(11, 6, 6, 6, 4))
    print_line("")
    for warning in found.warnings:
        print_line(warning)


def _numbers(figure: BeforeAfter) -> tuple[str, str, str, str]:
    """Write the numbers of a figure; one that is not known as a dash."""
    before, after, chance, lowest, highest = (
        "–" if number is None else f"{number + 0.0:.3f}".replace("-0.000", "0.000")
        for number in figure.to_dict().values()
    )
    return before, after, chance, "–" if lowest == "–" else f"[{lowest}, {highest}]"
