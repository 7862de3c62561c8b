"""The bias that is left after a transform: each figure on vectors whose answer is known."""

import jsonschema
import numpy as np
import pytest

import eatlas
from eatlas.results.parts import schema_of
from eatlas_vocabulary.results.residual import ResidualBias

SCHEMA = schema_of(ResidualBias, "Residual bias")
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eatlas_vocabulary.sources.diagnosis.TARGETS", targets(tmp_path))
        patch.setattr("eatlas_vocabulary.sources.diagnosis.DIRECTIONS", 6)
        return eatlas.residual_bias(source)


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
    assert {figure.beside_chance for figure in one.figures().values()} <= {"below", "within"}
    assert "so this is no evidence of remaining bias" in str(one.warnings[0])


def without(source, words, rng):
    """Vectors of which the mean difference of nine random pairs of words is removed."""
    unit = {word: v / np.linalg.norm(v) for word, v in source.lookup(words).items()}
    drawn = rng.choice(sorted(unit), (9, 2), replace=False)
    direction = np.mean([unit[a] - unit[b] for a, b in drawn], axis=0)
    direction /= np.linalg.norm(direction)
    rest = {word: row for word, row in unit.items() if word not in drawn}
    return direction, {word: row - row @ direction * direction for word, row in rest.items()}


@pytest.mark.slow
def test_chance_is_what_random_directions_leave(monkeypatch):
    """Its own loop, of other directions: means within four standard errors."""
    svm = pytest.importorskip("sklearn.svm")
    source = eatlas.open_vectors("glove-sample")
    monkeypatch.setattr("eatlas_vocabulary.sources.diagnosis.DIRECTIONS", 4)
    found = eatlas.residual_bias("glove-sample?transform=hard-debias:gender")
    spared = eatlas.transformed(source, "hard-debias:gender").fit.map.spared
    words = [w for some, _ in source.iter_chunks() for w in some if w.isalpha()]
    words = [word for word in words if word not in spared]
    unit = {word: v / np.linalg.norm(v) for word, v in source.lookup(words).items()}
    accuracies = []
    for seed in range(3):
        direction, rest = without(source, words, np.random.default_rng(seed))
        order = sorted(rest, key=lambda word: float(unit[word] @ direction))
        n = int(0.15 * len(order))
        sides = [order[:n], order[-n:][::-1]]
        rows = [np.stack([rest[w] / np.linalg.norm(rest[w]) for w in side]) for side in sides]
        train = np.concatenate([row[::5] for row in rows])
        test = np.concatenate([np.delete(row, np.s_[::5], axis=0) for row in rows])
        fitted = svm.SVC().fit(train, np.repeat([0, 1], len(train) // 2))
        accuracies.append(np.mean(fitted.predict(test) == np.repeat([0, 1], len(test) // 2)))
    assert np.mean(accuracies) == pytest.approx(found.classifier.chance, abs=4 * 0.025 / 3**0.5)
    assert found.classifier.chance > 0.85
    assert found.classifier.after < found.classifier.highest
    assert found.neighbours.beside_chance == "within"
    assert found.clusters.chance > 0.6
    assert "no evidence of remaining bias" in str(found.warnings[0])


def test_the_record_fits_its_schema(tmp_path):
    one = found(tmp_path, spread=0.7)
    jsonschema.validate(one.to_dict(), SCHEMA)
    assert ResidualBias.from_dict(one.to_dict()) == one
    assert (one.vocabulary, one.clustered, one.targets) == (WORDS, 600, 200)
    assert one == found(tmp_path, spread=0.7)
    assert repr(one).startswith("<Residual bias of array?transform=hard-debias:")
