"""PMI: by its equations, against Fisher's test, and as its authors' code has it."""

import math
import random

import pytest

import eatlas
from eatlas import GroupsTest
from eatlas.errors import CoverageError, SourceError, StimulusError, UndefinedWarning
from eatlas.present.family import DeclaredFamily
from eatlas.present.summaries import bibtex
from eatlas.testing import check_measure

GROUPS = {"F": ["she", "her"], "M": ["he", "his"]}
TEST = GroupsTest(id="jobs", targets=["nurse", "pilot", "clerk"], groups=GROUPS)
COUNTS = {
    "nurse": {"F": 132, "M": 83},
    "pilot": {"F": 94, "M": 63},
    "clerk": {"F": 55, "M": 49},
    "(all)": {"F": 3142, "M": 2437},
}
OF_AUTHORS = {
    "nurse": (0.20986954959941273, 0.12651788095297248, -0.06993880440978295, 0.4896779036086084),
    "pilot": (0.14606829068811092, 0.3628145238506322, -0.1775373007922665, 0.4696738821684884),
    "clerk": (-0.13857887806851588, 0.47639144586003823, -0.5272881195702696, 0.2501303634332378),
}
"""Difference of PMI, p of the log odds ratio and interval by ftvalentini/BiasPMI (commit 7336ac4),
for the words of `text`."""


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Random words, with she more often behind nurse."""
    rng = random.Random(2023)
    words = ["nurse", "pilot", "clerk", "she", "her", "he", "his"] + [f"w{i}" for i in range(12)]
    weights = [2, 2, 1, 3, 2, 3, 2] + [4] * 12
    lines = [" ".join(rng.choices(words, weights, k=rng.randint(3, 25))) for _ in range(400)]
    lines = [line.replace("nurse", "nurse she") if rng.random() < 0.2 else line for line in lines]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_contract_is_kept():
    check_measure(eatlas.PMI(), TEST, COUNTS)


def test_it_is_the_authors_from_the_text_to_the_interval(text, tmp_path):
    counts = eatlas.count_text(text, TEST, window=4, out=tmp_path / "counts.csv")
    assert {term: counts.counts(term) for term in COUNTS} == {
        term: {group.lower(): n for group, n in row.items()} for term, row in COUNTS.items()
    }
    (result,) = eatlas.run(TEST, COUNTS, "pmi")
    for target in result.targets:
        found = target.value, target.p, *target.interval
        assert found == pytest.approx(OF_AUTHORS[target.term], rel=1e-10)
    each = [eatlas.run(TEST, c, "pmi")[0] for c in (counts, tmp_path / "counts.csv")]
    for of_memory, of_file in zip(*(result.targets for result in each), strict=True):
        assert of_memory == of_file
        assert of_memory.value == pytest.approx(OF_AUTHORS[of_memory.term][0], rel=1e-10)
    assert each[0].across == each[1].across
    assert 80 < each[0].across.blocks <= 100  # 400 lines are documents
    table = tmp_path / "counts.csv"
    table.write_text(table.read_text().replace(",132,", ",133,"))
    assert eatlas.run(TEST, table, "pmi")[0].across is None  # a table of one's own
    spans = eatlas.count_text(text, TEST, span=1)
    assert spans.counts("(all)")["f"] < spans.spans["(all)"] == 400


def test_by_hand_for_one_and_for_all():
    counts = {"a": {"F": 30, "M": 10}, "b": {"F": 4, "M": 9}, "(all)": {"F": 1000, "M": 2000}}
    test = GroupsTest(id="t", targets=["a", "b"], groups=GROUPS)
    result = eatlas.PMI(confidence=0.9)(test, counts)
    values = math.log(30 / 1000 / (10 / 2000)), math.log(4 / 1000 / (9 / 2000))
    assert [one.value for one in result.targets] == pytest.approx(values)
    squares = 1 / 30 + 1 / 10 + 1 / 970 + 1 / 1990, 1 / 4 + 1 / 9 + 1 / 996 + 1 / 1991
    error = math.sqrt(sum(squares)) / 2
    assert result.value == pytest.approx(sum(values) / 2)
    reach = 1.6448536269514722
    assert result.interval == pytest.approx(
        (result.value - reach * error, result.value + reach * error)
    )
    odds = math.log(30 * 1990 / (10 * 970)), math.log(4 * 1991 / (9 * 996))
    z = sum(odds) / 2 / error
    assert result.p_values.two_sided == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert result.p_values.greater == pytest.approx(result.p_values.two_sided / 2)
    assert (result.p_values.method, result.whole.larger, result.confidence) == ("wald", "F", 0.9)
    metrics = result.metrics()
    assert (metrics["low"], metrics["high"]) == result.interval
    p = [one.p for one in result.targets]
    assert result.holm == pytest.approx((2 * min(p), max(p)))
    row = result.rows()[0]
    assert (row["count_F"], row["low"], row["p_holm"]) == (
        30,
        result.targets[0].interval[0],
        2 * p[0],
    )
    turned = GroupsTest(id="t", targets=["a", "b"], groups=dict(reversed(GROUPS.items())))
    assert eatlas.PMI()(turned, counts).value == pytest.approx(-result.value)


def test_p_is_near_that_of_fisher():
    stats = pytest.importorskip("scipy.stats")
    result = eatlas.PMI()(TEST, COUNTS)
    for target in result.targets:
        rest = [3142 - target.counts[0], 2437 - target.counts[1]]
        exact = stats.fisher_exact([target.counts, rest]).pvalue
        assert target.p == pytest.approx(exact, abs=0.06)


def test_a_count_of_0_is_undefined_or_smoothed():
    counts = {**COUNTS, "clerk": {"F": 55, "M": 0}}
    with pytest.warns(UndefinedWarning, match=r"Undefined pmi of clerk: a count of 0, which pmi\("):
        result = eatlas.PMI()(TEST, counts)
    clerk = result.targets[2]
    assert (clerk.value, clerk.interval, clerk.p, clerk.counts) == (None, None, None, (55, 0))
    assert result.value == pytest.approx((OF_AUTHORS["nurse"][0] + OF_AUTHORS["pilot"][0]) / 2)
    smoothed = eatlas.PMI(smoothing=0.5)(TEST, counts).targets[2]
    assert smoothed.value == pytest.approx(math.log(55.5 / 3143 / (0.5 / 2438)))


def test_mistakes(text):
    without = {term: row for term, row in COUNTS.items() if term != "(all)"}
    with pytest.raises(SourceError, match="needs the counts of each group with any word") as caught:
        eatlas.run(TEST, {"c": without}, "pmi")
    assert "(all)" in caught.value.got
    with pytest.raises(SourceError, match="needs the counts of each group"):
        eatlas.PMI()(TEST, without)
    with pytest.raises(CoverageError, match="more often with a group than all words do") as caught:
        eatlas.PMI()(TEST, {**COUNTS, "(all)": {"F": 100, "M": 90}})
    assert caught.value.got == "nurse"
    three = {group: dict.fromkeys("abc", 5) for group in ("x", "(all)")}
    test = GroupsTest(targets=["x"], groups={g: [g] for g in "abc"})
    with pytest.raises(StimulusError, match="compares two groups"):
        eatlas.PMI()(test, three)
    with pytest.raises(eatlas.EatlasError, match="window"):
        eatlas.count_text(text, TEST, window=0)


def test_the_finding_counts_targets_not_their_mean():
    rows = {"a": (600, 100), "b": (100, 600), "c": (350, 350), "(all)": (9000, 9000)}
    result = eatlas.PMI()(
        GroupsTest(targets=["a", "b", "c"], groups={"F": ["she"], "M": ["he"]}),
        {term: dict(zip("FM", row, strict=True)) for term, row in rows.items()},
    )
    assert result.p_values.two_sided > 0.5
    assert str(result.finding).startswith(
        "In these words and texts, 1 of 3 targets is associated with F and 1 with M"
    )
    assert result.finding.verdict == "these words"
    assert result.finding.questions["targets"].p.these == min(result.holm)
    assert result.finding.questions["targets"].reason.startswith("not shown for other documents")
    assert "holm1979simple" in bibtex([result], DeclaredFamily.of([result]))
