"""The bias that is left after a transform: each figure on vectors whose answer is known."""

import json
import sys
from importlib import resources

import jsonschema
import numpy as np
import pytest

import eatlas
from eatlas.errors import SourceError
from eatlas.results.residual import BeforeAfter, ResidualBias

SCHEMA = json.loads(
    (resources.files("eatlas.results") / "data" / "residual-1.schema.json").read_text("utf-8")
)
SETS = 'schema = 1\ngroups = ["Left", "Right"]\ndefining = [["la", "ra"], ["lb", "rb"]]\n'
WORDS = 2_000


def letters(number):
    return "".join(chr(97 + number // 26**i % 26) for i in range(4))


def planted(spread):
    """Words that lean along the first axis; `spread` writes the same leaning along others."""
    rng = np.random.default_rng(4)
    leaning = rng.uniform(-1, 1, WORDS)
    rows = rng.standard_normal((WORDS, 20)) * 0.2
    rows[:, 0] = leaning
    rows[:, 1:4] += spread * leaning[:, None]
    ends = rng.standard_normal((2, 20)) * 0.2
    ends[:, 0] = 0
    axis = np.eye(20)[0]
    defining = [ends[0] + axis, ends[0] - axis, ends[1] + axis, ends[1] - axis]
    words = [f"{letters(i)}x" for i in range(WORDS)]
    return eatlas.ArraySource(["la", "ra", "lb", "rb", *words], np.stack([*defining, *rows]))


def targets(tmp_path):
    terms = ", ".join(f'"{letters(i)}x"' for i in range(0, WORDS, 10))
    path = tmp_path / "targets.toml"
    path.write_text(
        f'schema = 1\n[[test]]\nid = "t"\nkind = "groups"\nreference = "uniform"\n'
        f'targets = {{ name = "T", terms = [{terms}] }}\n'
        'groups = [{ name = "L", terms = ["la"] }, { name = "R", terms = ["ra"] }]\n'
    )
    return path


def found(tmp_path, spread):
    path = tmp_path / "sets.toml"
    path.write_text(SETS)
    source = eatlas.transformed(planted(spread), f"hard-debias:{path}")
    return eatlas.residual_bias(source, targets=targets(tmp_path))


def test_what_lies_along_one_direction_alone_is_gone(tmp_path):
    pytest.importorskip("sklearn")
    one = found(tmp_path, spread=0)
    assert one.projection.before > 0.5
    assert one.projection.after == pytest.approx(0, abs=1e-9)
    for figure in (one.clusters, one.classifier):
        assert figure.before > 0.95
        assert figure.after == pytest.approx(0.5, abs=0.09)
    assert one.neighbours.before > 0.9
    assert abs(one.neighbours.after) < 0.25


def test_what_is_written_elsewhere_too_is_recovered(tmp_path):
    pytest.importorskip("sklearn")
    one = found(tmp_path, spread=0.7)
    assert one.projection.after == pytest.approx(0, abs=1e-9)
    assert one.clusters.after > 0.95
    assert one.classifier.after > 0.95
    assert one.neighbours.after > 0.9
    assert one.clusters.kept == pytest.approx(1, abs=0.1)
    assert one.warnings[0].startswith("Share of the bias beyond chance that remains: clusters")


def test_the_record_fits_its_schema_and_its_frame(tmp_path):
    one = found(tmp_path, spread=0.7)
    jsonschema.validate(one.to_dict(), SCHEMA)
    assert ResidualBias.from_dict(one.to_dict()) == one
    frame = one.to_frame()
    assert list(frame.index) == ["projection", "clusters", "neighbours", "classifier"]
    assert frame.loc["clusters", "after"] == one.clusters.after
    assert (one.vocabulary, one.clustered, one.targets) == (WORDS, 600, 200)
    assert one == found(tmp_path, spread=0.7)
    assert repr(one).startswith("<Residual bias of array?transform=hard-debias:")


def test_without_scikit_learn_the_classifier_is_not_known(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    one = found(tmp_path, spread=0)
    assert one.classifier.before is one.classifier.after is one.classifier.kept is None
    assert "No classifier was trained, as scikit-learn is not installed" in one.warnings[-1]


def test_three_groups_and_a_transform_that_is_no_debiasing():
    one = eatlas.residual_bias("glove-sample?transform=center", sets="religion")
    assert one.groups == ("Judaism", "Christianity", "Islam")
    assert one.clusters.chance == pytest.approx(1 / 3, abs=1e-6)
    assert one.projection.after > 0.9 * one.projection.before


def test_what_is_kept_of_nothing_is_not_known():
    assert BeforeAfter(before=0.5, after=0.5, chance=0.5).kept is None
    assert BeforeAfter(before=0.9, after=0.6, chance=0.5).kept == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("source", "more", "message"),
    [
        ("glove-sample", {}, "nothing was done to these vectors that could leave a bias"),
        ("glove-sample?transform=center", {}, "the word sets that define the bias are needed"),
        ("glove-sample?transform=center", {"sets": "gendre"}, "did you mean gender?"),
        ("glove-sample?transform=hard-debias:gender", {"targets": "weat-6"},
         "weat-6: targets are taken from a test of groups"),
    ],
)  # fmt: skip
def test_what_is_refused(source, more, message):
    with pytest.raises(SourceError) as caught:
        eatlas.residual_bias(source, **more)
    assert message in str(caught.value)


def test_too_few_words():
    few = {"she": [1.0, 0.0], "he": [0.0, 1.0], "nurse": [1.0, 1.0]}
    name = "dict[?]transform=hard-debias:gender"
    with pytest.raises(SourceError, match=f"^{name}: there are too few words to learn from"):
        eatlas.residual_bias(eatlas.transformed(few, "hard-debias:gender"))
    with pytest.raises(SourceError, match="^dict: the transform hard-debias:gender: no defining"):
        eatlas.residual_bias(eatlas.transformed({"nurse": [1.0, 1.0]}, "hard-debias:gender"))
