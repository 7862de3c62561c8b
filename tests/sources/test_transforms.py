"""Transformed sources: what they promise, what they are called, and what is refused."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.sources.files import writers
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.errors import AnisotropyWarning, SourceError
from eatlas.sources import Snapshot, Source, open_sources
from eatlas.sources.spec import take_option
from eatlas.sources.transforms import parse_transforms

RNG = np.random.default_rng(11)
WORDS = [f"w{i}" for i in range(300)]
AXES, _ = np.linalg.qr(RNG.standard_normal((6, 6)))
ROWS = (RNG.standard_normal((300, 6)) * [9, 4, 2, 1, 1, 0.5]) @ AXES + 3
SOURCE = eatlas.ArraySource(WORDS, ROWS, name="cloud")
EXACT = 1e-10
"""Largest difference seen in 300 draws: 9e-14."""


def all_rows(source):
    return np.concatenate([rows for _, rows in source.iter_chunks()])


def test_center_subtracts_the_mean_of_all_vectors():
    source = eatlas.transformed(SOURCE, "center")
    assert all_rows(source) == pytest.approx(ROWS - ROWS.mean(axis=0), abs=EXACT)
    assert source.fitted_on == 300


def test_standardize_gives_z_scores():
    expected = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0, ddof=1)
    assert all_rows(eatlas.transformed(SOURCE, "standardize")) == pytest.approx(expected, abs=EXACT)


def test_whiten_leaves_no_anisotropy():
    source = eatlas.transformed(SOURCE, "whiten")
    assert np.cov(all_rows(source).T) == pytest.approx(np.eye(6), abs=EXACT)
    found = eatlas.diagnose(source)
    assert found.iso_score == 1
    assert found.source == "cloud?transform=whiten"


def test_all_but_the_top_is_a_plain_pca():
    centred = ROWS - ROWS.mean(axis=0)
    _, _, components = np.linalg.svd(centred, full_matrices=False)
    expected = centred - centred @ components[:2].T @ components[:2]
    found = all_rows(eatlas.transformed(SOURCE, "all-but-the-top:2"))
    assert found == pytest.approx(expected, abs=EXACT)


def test_several_are_done_in_order():
    both = eatlas.transformed(SOURCE, "all-but-the-top:1,standardize")
    one = eatlas.transformed(eatlas.transformed(SOURCE, "all-but-the-top:1"), "standardize")
    other = eatlas.transformed(SOURCE, "standardize,all-but-the-top:1")
    again = eatlas.ArraySource(WORDS, all_rows(eatlas.transformed(SOURCE, "all-but-the-top:1")))
    expected = all_rows(eatlas.transformed(again, "standardize"))
    assert all_rows(both) == pytest.approx(expected, abs=EXACT)
    assert (one.name, one.fingerprint) == (both.name, both.fingerprint)
    assert (all_rows(one) == all_rows(both)).all()
    assert np.abs(all_rows(other) - all_rows(both)).max() > 0.1


def test_a_looked_up_word_is_its_row():
    source = eatlas.transformed(SOURCE, "whiten")
    found = source.lookup(["w7", "w299", "nobody"])
    assert set(found) == {"w7", "w299"}
    assert found["w7"] == pytest.approx(all_rows(source)[7], abs=EXACT)
    assert (source.lookup(["w7"])["w7"] == found["w7"]).all()
    assert source.lookup(["nobody"]) == {}
    assert isinstance(source, Source)


def test_chunks_change_no_fit():
    parts = [rows for _, rows in eatlas.transformed(SOURCE, "whiten").iter_chunks(7)]
    assert len(parts) == 43
    assert np.concatenate(parts) == pytest.approx(
        all_rows(eatlas.transformed(SOURCE, "whiten")), abs=EXACT
    )


def test_double_precision_even_of_single():
    single = eatlas.transformed((WORDS, ROWS.astype(np.float32)), "center")
    assert single.lookup(["w1"])["w1"].dtype == all_rows(single).dtype == np.float64


def test_name_notes_and_fingerprint_say_what_was_done():
    source = eatlas.transformed(SOURCE, " All-but-the-top:2 ")
    assert source.name == "cloud?transform=all-but-the-top:2"
    assert str(source.notes[-1]) == (
        "Vectors transformed by all-but-the-top:2, fitted on 300 vectors of cloud."
    )
    assert source.fingerprint == (f"{SOURCE.fingerprint};transform=all-but-the-top:2;fitted_on=300")


def test_zeros_stay_zero_and_are_not_fitted_on():
    words, rows = [*WORDS, "gone"], np.vstack([ROWS, np.zeros(6)])
    source = eatlas.transformed((words, rows), "center")
    assert source.fitted_on == 300
    assert not source.lookup(["gone"])["gone"].any()
    assert not all_rows(source)[300].any()


def test_a_word_at_the_mean_becomes_zero_and_counts_as_missing():
    test = make_test()
    vectors = make_vectors(test)
    rest = [v for term, v in vectors.items() if term != "aster"]
    vectors["aster"] = np.mean(rest, axis=0)
    (result,) = eatlas.run(
        tests=test, vectors=eatlas.transformed(vectors, "center"), measures="weat"
    )
    assert result.coverage.X.missing == ("aster",)
    assert "is zero (norm 0)" in result.coverage.X.reasons["aster"]


def test_a_source_of_zeros_has_no_usable_vector_and_no_fault():
    source = eatlas.transformed({"a": [0.0, 0.0], "b": [0.0, 0.0]}, "whiten")
    assert not source.lookup(["a"])["a"].any()
    assert source.fitted_on == 0


@pytest.mark.parametrize("write", [writers.glove, writers.npy, writers.npz, writers.zip_member])
def test_any_file_can_be_transformed(write, tmp_path):
    spec = write(tmp_path)
    plain = eatlas.open_vectors(spec)
    mark = "&" if "?" in spec else "?"
    path, hash_, member = spec.partition("#")
    named = f"{path}{mark}transform=center{hash_}{member}"
    source = eatlas.open_vectors(named)
    assert source.name == named
    expected = all_rows(plain) - all_rows(plain).mean(axis=0)
    assert all_rows(source) == pytest.approx(expected, abs=1e-6)
    by_hand = eatlas.transformed(plain, "center")
    assert by_hand.fingerprint == source.fingerprint
    assert by_hand.name == named


def test_a_result_names_the_transform_and_verifies(tmp_path):
    from eatlas.engine.verify import verify

    results = eatlas.run(tests="weat-6", vectors="glove-sample?transform=center", measures="weat")
    (result,) = results
    assert result.source == "glove-sample?transform=center"
    assert result.provenance.source_fingerprint.endswith(";transform=center;fitted_on=10496")
    assert any(
        note.startswith("Vectors transformed by center") for note in map(str, result.warnings)
    )
    assert [verdict.status for verdict in verify(results)] == ["same"]
    again = eatlas.WEAT()(
        eatlas.load_tests("weat-6")[0], eatlas.transformed("glove-sample", "center")
    )
    assert again.level1 == result.level1
    plain = eatlas.run(tests="weat-6", measures="weat")[0]
    assert again.level1.effect_size != plain.level1.effect_size


def test_center_brings_back_a_pattern_that_a_common_vector_hid():
    """The first lesson of the study, on one world of it."""
    rng = np.random.default_rng(4)
    g = rng.standard_normal(100)
    g *= 2.5 / np.linalg.norm(g)
    groups = {role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"}
    side = {"X": 1, "Y": -1, "A": 1, "B": -1}
    vectors = {
        term: (rng.standard_normal(100) + side[role] * g) * np.exp(0.15 * rng.standard_normal())
        for role, terms in groups.items()
        for term in terms
    }
    vectors |= {f"w{i}": rng.standard_normal(100) for i in range(2000)}
    vectors = {term: row + 3 for term, row in vectors.items()}
    test = make_test("planted", **groups)
    with pytest.warns(AnisotropyWarning, match="All four level 3 means are 0.8"):
        raw = eatlas.MLEAT(resamples=0)(test, vectors)
    mended = eatlas.MLEAT(resamples=0)(test, eatlas.transformed(vectors, "center"))
    assert raw.pattern.label != "AB-Divergent"
    assert raw.level1.p.greater < 0.001
    assert mended.pattern.label == "AB-Divergent"
    assert mended.diagnosis.remarks() == ()


def test_each_period_of_a_series_is_fitted_on_itself(tmp_path):
    decades = {
        1900: dict(zip("abc", np.eye(3), strict=True)),
        1910: dict(zip("abc", np.eye(3) + 1, strict=True)),
        1920: dict.fromkeys("abc", np.zeros(3)),
    }
    folder = write_histwords(tmp_path / "h", decades)
    sources = open_sources(f"{folder}?transform=center")
    assert [source.period for source in sources] == [1900, 1910, 1920]
    assert {source.name for source in sources} == {f"{folder}?transform=center"}
    assert all_rows(sources[0]) == pytest.approx(np.eye(3) - 1 / 3, abs=1e-6)
    assert all_rows(sources[1]) == pytest.approx(np.eye(3) - 1 / 3, abs=1e-6)
    assert [source.fitted_on for source in sources] == [3, 3, 0]
    one = eatlas.open_vectors(f"{folder}?period=1910&transform=center")
    assert one.period == 1910


@pytest.mark.parametrize(
    ("spec", "plain", "transform"),
    [
        ("a.npy?transform=center&vocab=w", "a.npy?vocab=w", "center"),
        ("a.npy?vocab=w&transform=center", "a.npy?vocab=w", "center"),
        ("a.npy?vocab=w&transform=center&x=1", "a.npy?vocab=w&x=1", "center"),
        ("a.zip?transform=center,whiten#m.txt", "a.zip#m.txt", "center,whiten"),
        ("glove-sample?transform=all-but-the-top%3A3", "glove-sample", "all-but-the-top:3"),
        ("a.txt", "a.txt", None),
    ],
)
def test_the_option_is_taken_out(spec, plain, transform):
    assert take_option(spec, "transform") == (plain, transform)


def test_a_file_that_is_called_like_an_option_is_a_file(tmp_path):
    path = tmp_path / "v.txt?transform=center"
    path.write_text("a 1 2\nb 3 4\n", encoding="utf-8")
    assert eatlas.open_vectors(path).lookup(["a"])["a"].tolist() == [1, 2]
    assert eatlas.transformed(path, "center").name == f"{path}?transform=center"
    again = eatlas.open_vectors(f"{path}?transform=center")
    assert again.lookup(["a"])["a"].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("text", "got"),
    [("centre", "'centre'"), ("", "''"), ("all-but-the-top", "'all-but-the-top'"),
     ("all-but-the-top:0", "'all-but-the-top:0'"), ("whiten,,center", "''")],
)  # fmt: skip
def test_unknown_transforms(text, got):
    with pytest.raises(SourceError) as caught:
        parse_transforms(text)
    said = str(caught.value)
    assert said.startswith("unknown transform\n")
    assert f"got: {got}" in said
    assert "allowed: center, standardize, whiten, all-but-the-top:K" in said
    assert ("all-but-the-top needs a number of components" in said) == text.startswith("all")
    assert ("did you mean center?" in said) == (text == "centre")


@pytest.mark.parametrize(
    ("transform", "vectors", "message"),
    [
        ("center", {"a": [1.0, 2.0]},
         "dict: the transform center cannot be fitted\n"
         "  got: 1 vectors that are not zero, of 2 components\n  allowed: 2 vectors or more"),
        ("whiten", {"a": [1.0, 2.0], "b": [0.0, 1.0], "c": [3.0, 0.0]},
         "dict: the transform whiten cannot be fitted\n"
         "  got: 3 vectors that are not zero, of 2 components\n"
         "  allowed: 4 vectors or more\n  remedy: center needs the fewest"),
        ("all-but-the-top:2", {"a": [1.0, 2.0], "b": [0.0, 1.0], "c": [3.0, 0.0]},
         "dict: the transform all-but-the-top:2: without its first 2 principal components nothing "
         "is left of the vectors\n  got: 2 components with any variance\n  allowed: up to 1"),
        ("center", {"a": [1.0, 2.0], "b": [np.inf, 1.0]},
         "dict: the vector of 'b' has a component that is not usable\n  got: inf\n"
         "  allowed: finite numbers up to 1e+100"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted(transform, vectors, message):
    source = eatlas.transformed(vectors, transform)
    with pytest.raises(SourceError) as caught:
        source.lookup(["a"])
    assert str(caught.value) == message


def test_a_source_that_cannot_be_listed():
    with pytest.raises(SourceError) as caught:
        eatlas.transformed(Snapshot.of(SOURCE, ["w1"]), "center")
    assert str(caught.value) == (
        "cloud: a transform is fitted on all vectors, and this source cannot list its vectors\n"
        "  got: Snapshot\n"
        "  allowed: files and arrays, or a source that has iter_chunks()"
    )
