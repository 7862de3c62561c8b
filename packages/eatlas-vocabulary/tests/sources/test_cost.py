"""What a transform costs: by hand, against gensim's own evaluation, and files of every form."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, spearmanr

import eatlas
from eatlas.stats.correlation import sign_test
from eatlas_vocabulary.results.residual import TransformCost
from eatlas_vocabulary.sources.cost import OF_GENSIM, word_set
from eatlas_vocabulary.stats.rank_change import rank_correlation_change

SETS = 'schema = 1\ngroups = ["L", "R"]\ndefining = [["la", "ra"]]\nequalize = []\n'
HARD = "glove-sample?transform=hard-debias:gender"


@pytest.fixture
def planted(tmp_path: Path) -> eatlas.ArraySource:
    """Without the first axis a man is a woman, and a prince a king."""
    vectors = {
        "la": [1, 0, 0, 0], "ra": [-1, 0, 0, 0], "man": [1, 1, 0, 0], "woman": [-1, 1, 0, 0],
        "king": [1, 0, 1, 0], "queen": [-1, 0, 1, 0.1], "prince": [1.2, 0, 1, 0], "Paris": [0, 1, 1, 3], "france": [0, 0, 1, 3],
    }  # fmt: skip
    (tmp_path / "sets.toml").write_text(SETS)
    source = eatlas.ArraySource([*vectors], np.array([*vectors.values()], float))
    return eatlas.transformed(source, f"hard-debias:{tmp_path / 'sets.toml'}")


def test_analogies_by_hand(planted: eatlas.ArraySource, tmp_path: Path) -> None:
    path = tmp_path / "analogies.txt"
    path.write_text(": royal\nman woman KING queen\nman king woman queen\n: other\nman king x y\n")
    (cost,) = eatlas.transform_cost(planted, str(path)).analogies
    assert (cost.name, cost.of, list(cost.categories)) == ("analogies.txt", 3, ["royal"])
    # afterwards king - man + woman is king, and the prince stands nearest to it
    assert cost.categories["royal"] == cost.add == cost.mul
    numbers = (cost.add.questions, cost.add.before, cost.add.after, cost.add.lost, cost.add.gained)
    assert numbers == (2, 1, 0, 2, 0)
    assert cost.add.p == pytest.approx(0.5)


def test_pairs_by_hand(planted: eatlas.ArraySource, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    rows = [("man", "woman", 9), ("paris", "FRANCE", 8), ("king", "queen", 5), ("man", "la", 1)]
    path.write_text("word 1,word 2,POS,score\n" + "".join(f"{a},{b},n,{s}\n" for a, b, s in rows)
                    + "man,nothing,n,3\n")  # fmt: skip
    cost = eatlas.transform_cost(planted, str(path))
    (pairs,) = cost.similarity
    assert (pairs.pairs, pairs.of, cost.words) == (4, 5, 0)
    for source, rho in ((planted.original, pairs.before), (planted, pairs.after)):
        vectors = source.lookup(["man", "woman", "Paris", "france", "king", "queen", "la"])
        unit = {word.lower(): v / np.linalg.norm(v) for word, v in vectors.items()}
        cosines = [unit[a.lower()] @ unit[b.lower()] for a, b, _ in rows]
        assert rho == pytest.approx(spearmanr(cosines, [s for *_, s in rows])[0], abs=1e-6)


def test_change_of_a_correlation_is_of_the_same_pairs() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=80)
    near, far = scores + rng.normal(size=80), scores + 4 * rng.normal(size=80)
    before, after, interval = rank_correlation_change(scores, near, far, rng=rng)
    assert before == pytest.approx(spearmanr(scores, near)[0])
    assert after == pytest.approx(spearmanr(scores, far)[0])
    assert interval[0] < after - before < interval[1] < 0
    assert rank_correlation_change(scores, near, near, rng=rng)[2] == (0, 0)
    assert sign_test(0, 0).two_sided.p == 1
    assert 0 < sign_test(3, 5000).two_sided.p < 1e-300
    for lost, gained in ((3, 9), (9, 3), (0, 5), (7, 7)):
        expected = binomtest(lost, lost + gained).pvalue
        assert sign_test(gained, lost).two_sided.p == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_numbers_are_those_of_gensim(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    utils = pytest.importorskip("gensim.test.utils")
    questions = Path(utils.datapath("questions-words.txt")).read_text().split(": ")
    few = [part for part in questions if part.split("\n")[0] in {"family", "gram2-opposite"}]
    path = tmp_path / "few.txt"
    path.write_text("".join(f": {part}" for part in few))
    cost = eatlas.transform_cost(HARD, ["wordsim353", "simlex999", str(path)])
    after = eatlas.open_vectors(HARD)
    for when, source in (("before", after.original), ("after", after)):
        words = [word for chunk, _ in after.original.iter_chunks() for word in chunk]
        vectors = source.lookup(words)
        keyed = models.KeyedVectors(source.dim)
        keyed.add_vectors([*vectors], np.stack([*vectors.values()]).astype(np.float32))
        for pairs in cost.similarity:
            file = utils.datapath(OF_GENSIM[pairs.name])
            _, (rho, _), lost = keyed.evaluate_word_pairs(file, case_insensitive=True)
            assert getattr(pairs, when) == pytest.approx(rho, abs=1e-5)
            assert pairs.pairs == round(pairs.of * (1 - lost / 100))
        share, sections = keyed.evaluate_word_analogies(str(path), case_insensitive=True)
        (analogies,) = cost.analogies
        assert getattr(analogies.add, when) == pytest.approx(share, abs=1e-6)
        counts = {s["section"]: (len(s["correct"]), len(s["incorrect"])) for s in sections}
        for name, accuracy in analogies.categories.items():
            right, wrong = counts[name]
            assert accuracy.questions == right + wrong
            assert getattr(accuracy, when) == pytest.approx(right / (right + wrong), abs=1e-6)


def test_published_sets_are_read_whole() -> None:
    if find_spec("gensim") is None:
        pytest.skip("gensim has the files")
    sets = {name: word_set(name) for name in OF_GENSIM}
    assert {name: len(each.rows) for name, each in sets.items()} == {
        "wordsim353": 353, "simlex999": 999, "google-analogies": 19544,
    }  # fmt: skip
    assert sets["wordsim353"].rows[0] == ("love", "sex")
    assert sets["wordsim353"].scores[0] == 6.77
    assert len(set(sets["google-analogies"].categories)) == 14


def test_record_is_read_again(planted: eatlas.ArraySource, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("man\twoman\t9\nking\tqueen\t2.5\n")
    cost = eatlas.transform_cost(planted, str(path))
    assert TransformCost.from_dict(json.loads(json.dumps(cost.to_dict()))) == cost
    assert cost.similarity[0].before is None
    assert repr(cost).endswith("pairs.tsv – to –>")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a b 1\nc d\n", ["line 2", "neither", "two words and a score"]),
        ("a b c d\na b c\n", ["line 2", "neither"]),
        ("\n# nothing\n", ["not a set of pairs or analogies"]),
    ],
)
def test_files_that_are_no_sets(text: str, parts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "set.txt"
    path.write_text(text)
    with pytest.raises(eatlas.EatlasError) as caught:
        word_set(str(path))
    assert all(part in str(caught.value) for part in parts)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(eatlas.EatlasError, match="these vectors were not transformed"):
        eatlas.transform_cost("glove-sample")
    with pytest.raises(eatlas.EatlasError, match="no set called 'men'"):
        eatlas.transform_cost(HARD, "men")
    monkeypatch.setattr("eatlas_vocabulary.sources.cost.find_spec", lambda _: None)
    with pytest.raises(eatlas.EatlasError, match=r"eatlas\[gensim\]"):
        eatlas.transform_cost(HARD, "wordsim353")
