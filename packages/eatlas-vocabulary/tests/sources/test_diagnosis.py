"""Diagnosis of a source against figures computed the plain way, and what it refuses."""

import json

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eatlas
from eatlas.errors import SourceError
from eatlas.results.diagnosis import Diagnosis
from eatlas.results.parts import schema_of
from eatlas.sources import Snapshot
from eatlas_vocabulary.cli.diagnosis_tables import verdict

RNG = np.random.default_rng(8)
N, D = 400, 12
ROWS = (RNG.standard_normal((N, D)) * np.linspace(3, 0.5, D) + 0.7) * np.linspace(2, 1, N)[:, None]
WORDS = [f"w{i}" for i in range(N)]
SOURCE = eatlas.ArraySource(WORDS, ROWS, name="cloud")
FIGURE = 2e-6
"""Figures are kept to six decimals."""


@pytest.fixture(scope="module")
def found():
    return eatlas.diagnose(SOURCE)


@pytest.fixture(scope="module")
def unit():
    return ROWS / np.linalg.norm(ROWS, axis=1, keepdims=True)


def test_cosines_of_all_pairs(found, unit):
    cosines = (unit @ unit.T)[np.triu_indices(N, 1)]
    assert found.mean_cosine == pytest.approx(cosines.mean(), abs=FIGURE)
    assert found.sd_cosine == pytest.approx(cosines.std(), abs=FIGURE)
    (band,) = found.bands
    assert (band.first, band.last) == (1, N)
    assert band.mean_cosine == pytest.approx(cosines.mean(), abs=FIGURE)


def test_rogue_and_loudest_dimensions(found, unit):
    first, second = np.triu_indices(N, 1)
    contributions = (unit[first] * unit[second]).mean(axis=0)
    order = np.argsort(-contributions)[:3]
    assert [one.dimension for one in found.rogue] == order.tolist()
    for one in found.rogue:
        assert one.contribution == pytest.approx(contributions[one.dimension], abs=FIGURE)
        share = contributions[one.dimension] / contributions.sum()
        assert one.share == pytest.approx(share, abs=FIGURE)
    lengths = (unit**2).mean(axis=0)
    assert found.loudest.dimension == lengths.argmax()
    assert found.loudest.length == pytest.approx(lengths.max(), abs=FIGURE)


def test_bands_by_rank(tmp_path):
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((1500, 4))
    rows[:1000] += 1
    bands = eatlas.diagnose(([f"w{i}" for i in range(1500)], rows)).bands
    assert [(band.first, band.last) for band in bands] == [(1, 1000), (1001, 1500)]
    for band, part in zip(bands, (rows[:1000], rows[1000:]), strict=True):
        unit = part / np.linalg.norm(part, axis=1, keepdims=True)
        cosines = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
        assert band.mean_cosine == pytest.approx(cosines.mean(), abs=FIGURE)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=5)
def test_turning_a_space_changes_no_figure_but_those_of_dimensions(seed):
    axes, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((D, D)))
    turned = eatlas.diagnose((WORDS, ROWS @ axes * 3.0))
    plain = eatlas.diagnose(SOURCE)
    assert turned.variance.top3 == pytest.approx(plain.variance.top3, abs=FIGURE)
    for figure in ("mean_cosine", "sd_cosine", "iso_score"):
        assert getattr(turned, figure) == pytest.approx(getattr(plain, figure), abs=FIGURE)


def space(make, seed=0):
    rows = make(np.random.default_rng(seed).standard_normal((2000, 50)))
    return [f"w{i}" for i in range(2000)], rows


def loud(rows):
    rows[:, 4] *= 8
    return rows


def power_law(rows):
    axes, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((50, 50)))
    return (rows * np.arange(1.0, 51) ** -0.75) @ axes


@pytest.mark.parametrize(
    ("make", "starts"),
    [
        (lambda rows: rows, []),
        (lambda rows: rows + 0.8,
         ["The mean cosine of random pairs is 0.39, at or above 0.3. In such embedding spaces more "
          "than 1 in 5 planted EAT patterns is missed; level 1 changes little. Try ?transform=center."]),
        (lambda rows: rows + 10 * (np.arange(50) == 7),
         ["The mean cosine of random pairs is 0.67 (all of it from one dimension, 7)",
          "One dimension, 7, makes up 67% of the squared length of the vectors"]),
        (lambda rows: rows + 10,
         ["Cosines of random pairs are near 1 (mean 0.99) with almost no spread (sd 0.002)"]),
        (loud, ["IsoScore is 0.04, at or below 0.2", "One dimension, 4, makes up 40%"]),
        (power_law, ["IsoScore is 0.07, at or below 0.2"]),
    ],
)  # fmt: skip
def test_warnings_name_the_figure(make, starts):
    found = eatlas.diagnose(space(make))
    assert len(found.warnings) == len(starts)
    for warning, start in zip(map(str, found.warnings), starts, strict=True):
        assert warning.startswith(start)
    assert ("No figure passes its limit" in verdict(found)) == (not starts)
    assert eatlas.diagnose(eatlas.transformed(space(make), "whiten")).warnings == ()


def test_it_is_json_by_the_published_schema(found):
    schema = schema_of(Diagnosis, "Diagnosis")
    jsonschema.Draft202012Validator.check_schema(schema)
    few = eatlas.diagnose({"a": [1.0, 0.0, 0.0], "b": [1.0, 0.0, 0.0]})
    for one in (found, few):
        line = json.loads(json.dumps(one.to_dict(), allow_nan=False))
        jsonschema.Draft202012Validator(schema).validate(line)
        assert line["schema"] == "eatlas/diagnosis/1"
        assert Diagnosis.from_dict(line) == one


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ({"a": [1.0, 2.0], "b": [0.0, 0.0]}, {},
         "dict: too few vectors for a diagnosis\n  got: 1 that are not zero\n  allowed: 2 or more"),
        ({"a": [1.0, 2.0], "b": [0.0, np.nan]}, {},
         "dict: the vector of 'b' has a component that is not usable\n  got: nan"),
        ({"a": [1.0, 2.0], "b": [0.0, 1e200]}, {}, "got: 1e+200\n  allowed: finite numbers up to"),
        (Snapshot.of(SOURCE, ["w1"]), {},
         "cloud: a diagnosis looks at all vectors, and this source cannot list its vectors"),
        (SOURCE, {"tests": "weat-6"}, "cloud: tests apply only to encoders"),
    ],
)  # fmt: skip
def test_what_cannot_be_diagnosed(source, options, message):
    with pytest.raises(SourceError) as caught:
        eatlas.diagnose(source, **options)
    assert message in str(caught.value)
