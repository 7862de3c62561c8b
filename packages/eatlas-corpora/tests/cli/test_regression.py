"""``eatlas embed --covariates``: what it prints and writes, and how it refuses."""

import json

import pytest
from tests.embedding.test_embed import D, vectors
from tests.embedding.test_regression import planted

pytestmark = pytest.mark.filterwarnings("ignore:The transformation fits")  # random vectors
__all__ = ["planted", "vectors"]


@pytest.fixture
def files(planted, vectors, tmp_path):
    lines = [" ".join([word, *(f"{x:.6f}" for x in row)]) for word, row in vectors.items()]
    (tmp_path / "vectors.txt").write_text("\n".join([f"{len(vectors)} {D}", *lines]))
    return planted, "--vectors", tmp_path / "vectors.txt"


def test_terms_are_regressed(eatlas_cli, files, tmp_path):
    options = ("--covariates", "party, n", "--permutations", 99, "--window", 3)
    ended = eatlas_cli("embed", *files, "--terms", "ivy,ant", *options)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[0] == "ivy: 360 contexts, 120 documents"
    assert lines[1].split("  ")[-1].strip() == "p"
    assert lines[2].startswith("party b, not a")
    assert lines[2].endswith("0.01")
    assert lines[3].startswith("n, per 34.6 (1 sd)")
    assert "  near at party a: " in ended.out
    assert "  nearer at b than at a: " in ended.out
    assert lines[-1] == "regression: regression.json"
    record = json.loads((tmp_path / "regression.json").read_text())
    assert [term["term"] for term in record["terms"]] == ["ivy", "ant"]
    assert not list(tmp_path.glob(".*unfinished"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--covariates", "party"), "a regression needs terms"),
        (("--covariates", "party", "--terms", "ivy", "--by", "party"), "exclude each other"),
        (("--covariates", "party", "--terms", "ivy", "--tests", "weat-6"), "exclude each other"),
        (("--covariates", "party", "--terms", "ivy", "--reference", "party"), "FIELD=VALUE"),
        (("--covariates", "party", "--terms", "ivy", "-o", "r.npz"), ".json"),
        (("--terms", "ivy"), "--terms needs a regression"),
        ((), "no tests or terms are named"),
    ],
)
def test_what_is_refused(eatlas_cli, files, options, says):
    ended = eatlas_cli("embed", *files, *options)
    assert ended.code == 2
    assert says in " ".join(ended.err.split())
