"""``eatlas vectors``: list, fetch and transform, and a run on what was fetched."""

import json

import pytest
from tests.sources.published.conftest import data, publisher  # noqa: F401  (fixtures)
from tests.sources.published.serving import register, sha256

import eatlas


@pytest.fixture
def vectors():
    """A few words of the sample, as a publisher's file."""
    (test,) = eatlas.load_tests("weat-6")
    found = eatlas.open_vectors("glove-sample").lookup({term.lower() for term in test.terms})
    lines = (f"{word} {' '.join(map(repr, row.tolist()))}\n" for word, row in found.items())
    return "".join(lines).encode()


def test_list(eatlas_cli):
    ended = eatlas_cli("vectors", "list")
    assert (ended.code, ended.err) == (0, "")
    (line,) = [line for line in ended.out.splitlines() if line.startswith("glove.840B.300d ")]
    assert line.split()[:6] == ["glove.840B.300d", "300", "d", "2.2", "GB", "-"]
    assert line.endswith("GloVe, Common Crawl, 840 billion tokens, 2.2 million words, cased")
    (line,) = [line for line in ended.out.splitlines() if line.startswith("histwords-eng-all ")]
    assert line.split()[3] == "?"


def test_show(eatlas_cli):
    out = eatlas_cli("vectors", "list", "histwords-eng-all").out
    assert "size:      unknown\n" in out
    assert "hash:      unknown\n" in out
    assert "licence:   unknown\n" in out
    assert "here:      no; eatlas vectors fetch histwords-eng-all\n" in out
    out = eatlas_cli("vectors", "list", "glove.6B.50d").out
    assert "size:      862,182,613 bytes (862 MB)\n" in out
    assert "citation:  Pennington, J., Socher, R. and Manning, C. D. (2014). GloVe: Global" in out
    values = json.loads(eatlas_cli("vectors", "list", "glove.6B.50d", "--json").out)
    assert values["name"] == "glove.6B.50d"


def test_from_fetch_to_a_result(eatlas_cli, publisher, data, vectors):  # noqa: F811
    publisher.files["mine.txt"] = vectors
    register(data, publisher.url, "mine.txt", {"name": "mine", "title": "t"}, hash=sha256(vectors))
    ended = eatlas_cli("vectors", "fetch", "mine")
    path = data / "mine" / "mine.txt"
    assert (ended.code, ended.out) == (0, f"mine: {path}\n")
    assert ended.err == f"mine: downloading {publisher.url}/mine.txt\nmine: unpacking\n"
    assert f"here:      {path}\n" in eatlas_cli("vectors", "list", "mine").out
    line = json.loads(eatlas_cli("vectors", "list", "--json").out.splitlines()[-1])
    assert line["path"] == str(path)
    assert eatlas_cli("vectors", "fetch", "mine").err == ""  # it is here
    ended = eatlas_cli("run", "--tests", "weat-6", "--vectors", "mine", "--json")
    result = json.loads(ended.out.splitlines()[0])
    assert (ended.code, result["source"]) == (0, "mine")
    assert result["pattern"]["label"] == "BY-Singular"


def test_nothing_is_fetched_where_one_name_is_wrong(eatlas_cli, publisher, data):  # noqa: F811
    register(data, publisher.url, "mine.txt", {"name": "mine", "title": "t"})
    assert eatlas_cli("vectors", "fetch", "mine", "mime").code == 2
    assert publisher.asked == []
