"""Debiased sources: what is done to which words, what they are called, what is refused."""

import json
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import eatlas
from eatlas_vocabulary.sources.debiasing import FAMILIES, bias_sets

EXACT = 1e-12
"""Largest seen in all words of the sample: 4e-17."""
SETS = """
schema = 1
groups = ["Left", "Right"]
defining = [["l0", "r0"], ["l1", "r1"]]
specific = ["l0", "r0", "l1", "r1", "special"]
"""


@cache
def debiased(transform):
    return eatlas.transformed("glove-sample", transform)


def rows_of(source):
    words = [word for some, _ in source.iter_chunks() for word in some]
    return words, np.concatenate([rows for _, rows in source.iter_chunks()])


def toy(seed=0, dim=8, extra=30):
    rng = np.random.default_rng(seed)
    words = ["l0", "r0", "l1", "r1", "special", *(f"w{i}" for i in range(extra))]
    return eatlas.ArraySource(words, rng.standard_normal((len(words), dim)), name="toy")


def write(tmp_path, text=SETS):
    path = tmp_path / "sets.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("transform", ["hard-debias:gender", "hard-debias:race"])
def test_the_bias_is_exactly_zero_in_all_neutral_words(transform):
    source = debiased(transform)
    sets = transform.partition(":")[2]
    words, rows = rows_of(source)
    neutral = np.array([word not in source.fit.map.spared for word in words])
    placed = {w for one in bias_sets(sets).equalize for w in one}
    free = neutral & np.array([word not in placed for word in words])
    assert free.sum() > 10_000
    assert np.abs(rows[free] @ source.fit.map.basis.T).max() < EXACT
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(rows)), abs=EXACT)


@pytest.mark.parametrize("sets", ["gender", "religion"])
def test_equalized_words_are_as_near_to_every_neutral_word(sets):
    source = debiased(f"hard-debias:{sets}")
    neutral = source.lookup(["nurse", "doctor", "terrorist", "cheap", "music"])
    rows = np.stack(list(neutral.values()))
    found = 0
    for one in bias_sets(sets).equalize:
        vectors = source.lookup(one)
        if len(vectors) == len(one):
            found += 1
            for a, b in combinations(vectors.values(), 2):
                assert rows @ a == pytest.approx(rows @ b, abs=EXACT)
    assert found >= 2


def test_two_groups_are_hard_debiasing_by_hand():
    """Bolukbasi et al. (2016), section 6, of its definition, pair by pair."""
    plain = eatlas.open_vectors("glove-sample")
    source = eatlas.transformed(plain, "hard-debias:gender")
    sets = bias_sets("gender")
    words = {w.lower() for one in sets.defining for w in one} | {"nurse", "king", "queen"}
    unit = {w: v / np.linalg.norm(v) for w, v in plain.lookup(words).items() if v is not None}
    unit = {w: v.astype(np.float64) / np.linalg.norm(v.astype(np.float64)) for w, v in unit.items()}
    scatter = np.zeros((100, 100))
    for a, b in sets.defining:
        if a.lower() in unit and b.lower() in unit:
            pair = np.stack([unit[a.lower()], unit[b.lower()]])
            scatter += (pair - pair.mean(0)).T @ (pair - pair.mean(0)) / 2
    g = np.linalg.eigh(scatter)[1][:, -1]
    nurse = unit["nurse"] - unit["nurse"] @ g * g
    found = source.lookup(["nurse", "king", "queen", "actress"])
    close = 1e-6  # the unit vectors above were single precision
    assert found["nurse"] == pytest.approx(nurse / np.linalg.norm(nurse), abs=close)
    mean = (unit["king"] + unit["queen"]) / 2
    nu = mean - mean @ g * g
    z = np.sqrt(1 - nu @ nu) * np.sign((unit["king"] - unit["queen"]) @ g)
    assert found["king"] == pytest.approx(nu + z * g, abs=close)
    assert found["queen"] == pytest.approx(nu - z * g, abs=close)
    actress = plain.lookup(["actress"])["actress"]
    assert found["actress"] == pytest.approx(actress / np.linalg.norm(actress), abs=close)


def test_name_fingerprint_and_notes_say_what_was_done():
    source = eatlas.open_vectors("glove-sample?transform=Hard-Debias:GENDER")
    plain = eatlas.open_vectors("glove-sample").fingerprint
    assert eatlas.transformed("glove-sample", "Hard-Debias:GENDER").name == (
        "glove-sample?transform=hard-debias:gender"
    )
    sets = bias_sets("gender").sha256[:16]
    assert source.fingerprint == f"{plain};transform=hard-debias:gender;sets={sets}"
    assert tuple(map(str, source.notes)) == (
        "Vectors debiased by hard-debias:gender (Bolukbasi et al. 2016, Manzini et al. 2019): the "
        "bias direction was removed from all words except group-specific ones; 24 equality sets "
        "were equalized. Measures along other directions need not change.",
        "9 of 10 defining sets were used; words without a vector: gal.",
    )


def leaning(plain, source, most=1_554):
    """The words nearest to the direction of each group, and as many that are near to neither."""
    sets = bias_sets("gender")
    spared = eatlas.transformed(plain, "hard-debias:gender").fit.map.spared
    words = [w for some, _ in plain.iter_chunks() for w in some if w.isalpha() and w not in spared]
    pairs = [[w.lower() for w in pair] for pair in sets.defining]
    vectors = plain.lookup([*words, *(w for pair in pairs for w in pair)])
    unit = {word: v / np.linalg.norm(v) for word, v in vectors.items()}
    direction = sum(unit[a] - unit[b] for a, b in pairs if a in unit and b in unit)
    order = sorted(words, key=lambda word: float(unit[word] @ direction))
    middle = sorted(order[most:-most], key=lambda word: abs(float(unit[word] @ direction)))[:most]
    return [*order[-most:], *order[:most], *middle], np.repeat([0, 1, 2], most)


@pytest.mark.slow
def test_null_space_projection_leaves_a_fresh_classifier_at_chance():
    svm = pytest.importorskip("sklearn.svm")
    plain = eatlas.open_vectors("glove-sample")
    source = eatlas.transformed(plain, "inlp:gender")
    assert "linear classifiers of 4,662 words removed" in str(source.notes[0])
    words, labels = leaning(plain, source)
    order = np.random.default_rng(0).permutation(len(words))
    train, test = order[:3000], order[3000:]

    def accuracy(one):
        vectors = one.lookup(words)
        rows = np.stack([vectors[word] for word in words])
        fresh = svm.LinearSVC(dual=False, random_state=1).fit(rows[train], labels[train])
        return np.mean(fresh.predict(rows[test]) == labels[test])

    assert accuracy(plain) > 0.85
    assert accuracy(source) < 1 / 3 + 0.06


def test_words_are_found_in_every_case_form(tmp_path):
    rng = np.random.default_rng(1)
    words = ["L0", "r0", "R0", "SPECIAL", "w1", "w2"]
    text = SETS + 'equalize = [["l0", "r0"]]\n'
    source = eatlas.transformed(
        (words, rng.standard_normal((6, 5))), f"hard-debias:{write(tmp_path, text)}"
    )
    _, rows = rows_of(source)
    parts = np.abs(rows @ source.fit.map.basis.T).ravel()
    assert parts[4:].max() < EXACT
    assert parts[:4].min() > 1e-3
    assert rows[0] @ rows[4] == pytest.approx(rows[2] @ rows[4], abs=EXACT)  # L0 and R0


def test_zeros_stay_zero_and_words_within_the_bias_become_zero(tmp_path):
    rows = np.eye(4)[[0, 1, 0, 2, 3]]
    rows[2] = rows[0] - rows[1]
    words = ["l0", "r0", "pure", "w", "none"]
    rows[4] = 0
    source = eatlas.transformed((words, rows), f"hard-debias:{write(tmp_path)}")
    found = source.lookup(words)
    assert not found["pure"].any()
    assert not found["none"].any()
    assert found["w"].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("name", FAMILIES)
def test_bundled_sets_are_well_formed_and_cited(name):
    sets = bias_sets(name)
    assert "arXiv" in sets.citation
    assert sets.notes
    assert all(len(one) == len(sets.groups) for one in sets.defining)
    used = {w.lower() for one in sets.equalize for w in one}
    assert used - {"catholic_priest", "granny"} <= {w.lower() for w in sets.specific}


def test_a_debiased_file_gives_the_numbers_of_the_transform(tmp_path):
    spec = "glove-sample?transform=hard-debias:gender"
    note = eatlas.write_vectors(spec, tmp_path / "debiased.npz")
    (one,) = eatlas.run(tests="weat-6", vectors=spec, measures="weat")
    (other,) = eatlas.run(tests="weat-6", vectors=tmp_path / "debiased.npz", measures="weat")
    assert other.effect_size == pytest.approx(one.effect_size, abs=1e-5)
    said = json.loads(note.read_text(encoding="utf-8"))
    assert said["source"] == spec
    assert said["source_fingerprint"] == one.provenance.source_fingerprint
    assert said["transform"] == "hard-debias:gender"
    assert said["notes"][0].startswith("Vectors debiased by hard-debias:gender")
