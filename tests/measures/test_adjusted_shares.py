"""DivDist given the frequency of the groups' words: by statsmodels, by relabelling, and where it is
null."""

import json

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from tests.inputs import Encoder
from tests.measures.test_frequency import WORDS

import eatlas
from eatlas.errors import EatlasError
from eatlas.present.columns import targets_table
from eatlas.results import read_results, to_json_line
from eatlas.sources.frequency_order import sample_order
from eatlas.stats.regression import Regression, groups_test

AGREEMENT = 1e-9
SAMPLE = "glove-sample"
THREE = eatlas.GroupsTest(
    id="three",
    targets={"Places": ["kitchen", "garden", "office", "hotel", "church"]},
    groups={
        "Animals": ["wolf", "dog", "cat", "horse", "lion", "sheep"],
        "Fruits": ["apple", "orange", "lemon", "banana", "grape"],
        "Tools": ["hammer", "knife", "axe", "drill", "saw", "wheel", "rope"],
    },
    reference="uniform",
)


def run(test="divdist-face-validity", measure="divdist(resamples=0)", vectors=SAMPLE):
    return eatlas.run(tests=test, vectors=vectors, measures=measure)[0]


def ranks_of(words):
    ranks = sample_order().ranks(words)
    return np.log([ranks[word] for word in words])


def by_hand(result, means="raw"):
    """Adjusted means of what each word adds to an association, and p of the cosines."""
    source, targets = eatlas.open_vectors(SAMPLE), [target.term for target in result.targets]
    spelled = {w: g.found_as.get(w, w) for g in result.coverage.values() for w in g.used}
    raw = source.lookup(set(spelled.values()))
    vectors = {w: np.asarray(raw[key], float) for w, key in spelled.items()}
    unit = {w: v / np.linalg.norm(v) for w, v in vectors.items()}
    parts, cosines, sizes, words = [], [], [], []
    for group in result.groups:
        used = sorted(result.coverage[group].used)
        rows = np.array([(unit if means == "unit" else vectors)[w] for w in used])
        parts += list(rows / np.linalg.norm(rows.mean(axis=0)))
        cosines += [unit[w] for w in used]
        sizes.append(len(used))
        words += [spelled[w] for w in used]
    x = ranks_of(words)
    x = (x - x.mean()) / x.std()
    z = np.column_stack([x, x**2])
    labels = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    of_targets = np.array([unit[t] for t in targets])
    fit = OLS(np.array(parts) @ of_targets.T, np.hstack([labels, z - z.mean(axis=0)])).fit()
    p = groups_test(of_targets @ np.array(cosines).T, Regression.of_groups(sizes, z))
    return fit.params[: len(sizes)].T, [tail.p for tail in p]


@pytest.mark.parametrize("test", ["divdist-face-validity", THREE], ids=["two", "three"])
@pytest.mark.parametrize("means", ["raw", "unit"])
def test_shares_are_those_of_the_group_means_at_equal_frequency(test, means):
    result = run(test, f"divdist(means={means},resamples=0)")
    expected, p = by_hand(result, means)
    k = len(result.groups)
    for target, s, each in zip(result.adjusted.targets, expected, p, strict=True):
        above = np.maximum(s, 0)
        assert target.deviation == pytest.approx(above / above.sum() - 1 / k, abs=AGREEMENT)
        assert target.bias == pytest.approx(np.abs(target.deviation).sum(), abs=AGREEMENT)
        assert target.p == each
    biases = [target.bias for target in result.adjusted.targets]
    assert result.adjusted.mean_bias == pytest.approx(np.mean(biases))
    assert [target.term for target in result.adjusted.targets] == [t.term for t in result.targets]
    assert result.adjusted.concept.term == result.concept.term
    assert 0 < result.adjusted.shared < 1
    assert (result.adjusted.covariates, result.adjusted.permutations) == (("frequency",), 9999)


def test_a_trend_that_groups_share_is_no_lean():
    """Cosines fall with the rank; the words of one group are rarer."""
    r = np.random.default_rng(0)
    words = [f"{chr(97 + i // 676)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(3000)]
    r.shuffle(words)
    along = 6.5 - np.log(np.arange(3000) + 1.0)
    vectors = np.column_stack([along, np.full(3000, 3.0), r.normal(size=(3000, 6)) * 0.5])
    often = [words[i] for i in r.choice(np.arange(20, 900), 20, replace=False)]
    seldom = [words[i] for i in r.choice(np.arange(300, 2900), 20, replace=False)]
    targets = [words[i] for i in range(12)]
    groups = {"Often": often, "Seldom": [word for word in seldom if word not in often]}
    test = eatlas.GroupsTest(targets={"First": targets}, groups=groups, reference="uniform")
    result = run(test, vectors=eatlas.ArraySource(words, vectors, ordered=True))
    plain = [target.deviation[0] for target in result.targets]
    left = [target.deviation[0] for target in result.adjusted.targets]
    assert np.mean(plain) > 0.1
    assert abs(np.mean(left)) < np.mean(plain) / 3
    assert np.median([target.labels.p for target in result.targets]) < 0.02
    assert np.median([target.p for target in result.adjusted.targets]) > 0.1


def test_the_order_of_words_changes_nothing():
    turned = {group.name: group.terms[::-1] for group in THREE.groups}
    other = eatlas.GroupsTest(
        id="three", targets={"Places": THREE.targets.terms}, groups=turned, reference="uniform"
    )
    for a, b in zip(run(THREE).adjusted.targets, run(other).adjusted.targets, strict=True):
        assert a.p == b.p
        assert a.deviation == pytest.approx(b.deviation, abs=AGREEMENT)


def test_plain_numbers_do_not_depend_on_it():
    with_it, without = run(THREE), run(THREE, "divdist(resamples=0,adjust=none)")
    assert without.adjusted is None
    assert "adjust=none" in without.signature
    assert (with_it.targets, with_it.mean_bias) == (without.targets, without.mean_bias)
    assert not [note for note in without.warnings if note.code.startswith("adjusted")]


def test_covariates_of_ones_own():
    length = {word: len(word) for group in THREE.groups for word in group.terms if word != "dog"}
    (result,) = eatlas.run(
        tests=THREE, vectors=SAMPLE, measures="divdist(resamples=0)", covariates={"length": length}
    )
    assert result.adjusted.covariates == ("frequency", "length")
    assert result.adjusted.left_out == {"Animals": ("dog",)}
    (note,) = [note for note in result.warnings if note.code == "adjusted.left-out"]
    assert "1 of 6 of Animals (dog)" in str(note)
    assert result.adjusted.targets[0].deviation != run(THREE).adjusted.targets[0].deviation
    assert result.targets == run(THREE).targets
    counts = {"kitchen": {"Animals": 3, "Fruits": 1, "Tools": 5}}
    with pytest.raises(EatlasError, match="covariates have no effect here"):
        eatlas.run(
            tests=THREE, vectors=counts, measures="divdist(soa=counts)", covariates={"x": length}
        )


def test_what_is_measured_again_is_the_same(tmp_path):
    test = "divdist-face-validity"
    results = eatlas.run(tests=test, vectors=SAMPLE, measures="divdist(resamples=0)")
    results.save(tmp_path / "results.jsonl")
    again = read_results(tmp_path / "results.jsonl")
    assert again[0].adjusted == results[0].adjusted
    assert [verdict.status for verdict in eatlas.verify(again)] == ["same"]
    record = json.loads(to_json_line(results[0]))
    record["adjusted"]["targets"][0]["p"] += 0.01
    (verdict,) = eatlas.verify([type(results[0]).from_dict(record)])
    assert verdict.status == "differs"


def test_p_only_where_labels_are_tested():
    assert {t.p for t in run(THREE, "divdist(resamples=0,p=off)").adjusted.targets} == {None}
    weighted = THREE.model_copy(
        update={"reference": (("Animals", 0.5), ("Fruits", 0.3), ("Tools", 0.2))}
    )
    result = run(weighted)
    assert {target.p for target in result.adjusted.targets} == {None}
    assert result.adjusted.permutations is None
    assert result.adjusted.targets[0].bias is not None


def test_what_has_no_adjusted_shares():
    few = eatlas.GroupsTest(
        targets={"Places": ["kitchen"]},
        groups={"Animals": ["wolf", "dog"], "Tools": ["saw", "axe", "rope"]},
        reference="uniform",
    )
    result = run(few)
    assert result.adjusted is None
    (note,) = [note for note in result.warnings if note.code == "adjusted.none"]
    assert "too few units" in str(note)
    for soa in ("softmax,scale=20", "cosine,adjust=none"):
        result = run(THREE, f"divdist(resamples=0,soa={soa})")
        assert result.adjusted is None
        assert not [note for note in result.warnings if note.code.startswith("adjusted")]
    assert "adjust" not in eatlas.DivDist(soa="counts", adjust="none").signature


def test_a_target_that_is_a_word_of_a_group_has_none():
    test = eatlas.GroupsTest(
        targets={"Places": ["kitchen", "dog"]},
        groups={group.name: group.terms for group in THREE.groups},
        reference="uniform",
    )
    kitchen, dog = run(test).adjusted.targets
    assert (dog.deviation, dog.bias, dog.p) == (None, None, None)
    assert kitchen.p is not None


def test_contexts_are_averaged():
    r, concepts = np.random.default_rng(4), {}
    for concept in (THREE.targets, *THREE.groups):
        concepts[concept.name] = eatlas.Concept(
            name=concept.name,
            sentences=[
                {"text": f"{w} {i}.", "stimulus": w}
                for w in concept.terms
                for i in range(r.integers(1, 4))
            ],
        )
    targets, *groups = concepts.values()
    test = eatlas.GroupsTest(id="said", targets=targets, groups=groups, reference="uniform")
    source = Encoder(list(test.terms), r.normal(size=(len(test.terms), 7)) + 1)
    (result,) = eatlas.run(tests=test, vectors=source, measures="divdist(soa=reduction)")
    means = {}
    for concept in concepts.values():
        for word in dict.fromkeys(concept.stimulus_of.values()):
            texts = [text for text, of in concept.stimulus_of.items() if of == word]
            means[word] = np.mean([source.lookup([text])[text] for text in texts], axis=0)
    words = eatlas.ArraySource(list(means), np.array(list(means.values())))
    (plain,) = eatlas.run(tests=THREE, vectors=words, measures="divdist")
    assert result.targets[0].deviation == pytest.approx(plain.targets[0].deviation)
    assert len(result.adjusted.targets) == 5
    assert result.adjusted.targets[0].p is not None


def test_frames_and_tables_have_adjusted_columns():
    result = run()
    first, after = result.to_frame("all").iloc[0], result.adjusted.targets[0]
    assert first["adjusted_deviation_Female"] == after.deviation[0]
    assert (first["adjusted_bias"], first["adjusted_p"]) == (after.bias, after.p)
    assert first["adjusted_for"] == "frequency"
    table = targets_table(result)
    assert [(column.group, column.title) for column in table.columns[-2:]] == [
        ("Adjusted for frequency", "Points"),
        ("Adjusted for frequency", "p"),
    ]
    shown = {row[0].lines[0]: [cell.lines[0] for cell in row[-2:]] for row in table.rows}
    assert shown[after.term] == [f"{100 * after.deviation[0]:+.1f}".replace("-", "−"), ".43"]
    assert shown["Professions of Table 3 as a whole"][1] == ".15"
    three = targets_table(run(THREE))
    assert three.columns[-2].title == "Bias"
    without = targets_table(run(measure="divdist(resamples=0,adjust=none)"))
    assert len(without.columns) == len(table.columns) - 2


@pytest.mark.slow
def test_frequency_alone_is_no_bias():
    """Random words, frequent against rare: labels alone differ in half of all tests."""
    ranks = sample_order().ranks(WORDS)
    rejected = []
    for seed in range(120):
        r, taken, groups = np.random.default_rng(seed), set(), {}
        for name, low, high in (("Often", 50, 1500), ("Seldom", 1000, 9000), ("T", 500, 5000)):
            fitting = [w for w in WORDS if low <= ranks.get(w, 0) <= high and w not in taken]
            groups[name] = r.choice(fitting, 1 if name == "T" else 12, replace=False).tolist()
            taken |= set(groups[name])
        test = eatlas.GroupsTest(targets={"T": groups.pop("T")}, groups=groups, reference="uniform")
        result = eatlas.DivDist(resamples=0, permutations=999)(test, SAMPLE)
        if result.targets[0].labels is not None:
            rejected.append(
                [result.targets[0].labels.p <= 0.05, result.adjusted.targets[0].p <= 0.05]
            )
    plain, adjusted = np.mean(rejected, axis=0)
    assert plain > 0.4
    assert adjusted <= 0.1
