"""The methods paragraph and what to cite."""

import re

import pytest
from tests.present.records import (
    full,
    ml_eat,
    p_values,
    planted,
    sc_eat,
    trend,
    weat,
    with_adjusted,
)
from tests.present.test_other_measures import mac

import eatlas
from eatlas.present.family import DeclaredFamily
from eatlas.present.summaries import bibtex, methods_paragraph


@pytest.mark.usefixtures("all_resamples")
def test_the_main_job():
    results = eatlas.run(tests=["weat-6", "weat-7"])
    text = methods_paragraph(results, DeclaredFamily.of(results))
    assert text.startswith(
        "We measured 2 association tests (weat-6 and weat-7) on GloVe 6B, 100 dimensions (the "
        "sample of 10,496 words that comes with "
        "eatlas) with eatlas "
        f"{eatlas.__version__}. We used the Multilevel Embedding Association Test (ML-EAT; Wolfe, "
        "Hiniker and Howe 2024)"
    )
    for part in (
        "divided by the standard deviation of all values together (N − 1).",
        "By the rule of the published tables a target group counts as associated with an attribute "
        "if |d| > 0.2 and p < .05 in the direction of d.",
        "p-values come from permutation tests, exact, over all permutations.",
        "We drew 100,000 bootstrap samples of the target and attribute terms within their groups "
        "(seed 0) and counted their EAT patterns (Efron and Tibshirani 1993).",
        "Near-synonyms in a list count as one word: words whose vectors, minus the mean of the "
        "list, have a mean cosine of .4 or more (average linkage).",
        "their crossed test uses the HC2 variance over targets",
        "The 95% intervals of effect sizes come from the crossed test, at equal values of these "
        "covariates.",
        "of both level 1 comparisons as one family and adjusted them by Holm's (1979) method.",
        "Signature: ML-EAT(alpha=0.05,ddof=1,p=auto,tail=directional,threshold=0.2).",
    ):
        assert part in text


def test_what_a_claim_rests_on():
    text = methods_paragraph([planted(words=0.01, others=0.01)])
    assert (
        "An association is called supported if the two-sided p-values of the permutation test and "
        "of the crossed test are all at most alpha and their effects have the same sign (an "
        "intersection-union test; Berger 1982). We adjusted the largest of these p-values by "
        "Holm's (1979) method over the tests of a setting, separately for each question."
    ) in text
    (run,) = eatlas.run(tests="weat-9", measures="weat(resamples=0)")
    assert (
        "the permutation test, of the crossed test and of the crossed test at equal frequency are"
    ) in methods_paragraph([run])
    alone = methods_paragraph([weat()])
    assert "supported" not in alone
    assert "Claims are limited to these words." in alone
    assert "Claims" not in methods_paragraph([mac()])


def test_each_work_is_cited_once():
    cited = (
        "Names: Bee (2004); attributes: Ant and Bee (1998); as used by Cricket (2017)",
        "Targets and attributes: Ant and Bee (1998); as used by Cricket (2017)",
        "Attributes: Ant and Bee (1998); targets: the same as above",
        "",
    )
    results = []
    for n, citation in enumerate(cited):
        provenance = {**ml_eat().to_dict()["provenance"], "citation": citation}
        results.append(ml_eat(test=f"test-{n}", provenance=provenance))
    assert (
        "Stimuli: Bee (2004); Ant and Bee (1998); Attributes: Ant and Bee (1998); targets: the same "
        "as above; as used by Cricket (2017)."
    ) in methods_paragraph(results)


def test_how_p_values_were_found():
    values = weat().to_dict()
    values["level1"]["p"] = p_values(100) | {"method": "inversion", "count": None}
    inverted = weat().from_dict(values)
    text = methods_paragraph([weat(), inverted])
    assert (
        "exact, over all permutations or, if that was not possible, computed by Fourier "
        "inversion of the permutation distribution with a stated relative error."
    ) in text


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(\w+),$", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("results", "adjust", "wanted"),
    [
        ([ml_eat()], "holm", ["eatlas", "wolfe2024mleat", "caliskan2017semantics", "holm1979simple"]),
        ([weat()], "bh", ["eatlas", "caliskan2017semantics", "holm1979simple",
                          "benjamini1995controlling"]),
        ([planted(words=0.01, others=0.01)], "holm",
         ["eatlas", "wolfe2024mleat", "caliskan2017semantics", "clark1973language",
          "berger1982multiparameter", "holm1979simple"]),
        ([full()], "by", ["eatlas", "wolfe2024mleat", "caliskan2017semantics",
                          "efron1993introduction", "holm1979simple", "benjamini2001control"]),
        ([sc_eat({"a": 1.0}, source="glove-sample")], "holm",
         ["eatlas", "caliskan2017semantics", "pennington2014glove"]),
        ([], "holm", []),
    ],
)  # fmt: skip
def test_what_was_used_is_cited(results, adjust, wanted):
    text = bibtex(results, DeclaredFamily.of(results, adjust=adjust))
    assert keys(text) == wanted
    assert text.count("{") == text.count("}")


def test_a_series_is_named_with_its_periods_and_its_null_is_cited():
    years = [ml_eat(period=year) for year in range(1800, 2000, 10)]
    family = DeclaredFamily.of(years)
    given = [*years, ml_eat(source="other"), ml_eat(source="third", period=1990)]
    text = methods_paragraph(given, None, [trend(range(1800, 2000, 10))])
    assert "on some-vectors (20 periods, 1800 to 1990), other and third, 1990 with eatlas" in text
    assert "(Sen 1968), with 95% intervals over documents and words; the two-sided" in text
    assert "permuting blocks of 4 neighbouring periods (Carlstein 1986)." in text
    assert "carlstein1986use" in bibtex(years, family, [trend([1800])])
    assert "carlstein" not in bibtex(years, family).lower()
    assert "Carlstein" not in methods_paragraph(years)
    silent = trend([1800], level1=None, level2=None)
    assert "Trends" not in methods_paragraph(years, None, [silent])
    assert "carlstein" not in bibtex(years, family, [silent])


def test_covariates_are_named_with_what_was_done_and_by_whom():
    results = [with_adjusted(ml_eat(), ml_eat(), "frequency", "valence")]
    text = methods_paragraph(results)
    assert (
        "We also adjusted effect sizes for the frequency of the words (the logarithm of the "
        "rank in the source, and its square) and valence, by least squares and with the same "
        "denominator; their p-values permute the residuals of a regression on the covariates "
        "(Freedman and Lane 1983), in all orders, and compare the difference divided by its HC2 standard "
        "error (MacKinnon and White 1985; Anderson and Robinson 2001)."
    ) in text
    works = ["freedman1983nonstochastic", "anderson2001permutation", "mackinnon1985some"]
    none = DeclaredFamily(None)
    assert [key for key in keys(bibtex(results, none)) if key in works] == works
    assert not set(works).intersection(keys(bibtex([ml_eat()], none)))
    assert "also adjusted" not in methods_paragraph([ml_eat()])
    (run,) = eatlas.run(tests="weat-9", measures="weat(resamples=0)", frequency="off")
    text = methods_paragraph([run])
    assert "their crossed test uses" in text
    assert "Freedman" not in text
    assert "Freedman" not in bibtex([run], none)
