"""What a run that was killed left behind, what is downloaded, and what others did to both."""

import re
from types import SimpleNamespace

import pytest
from tests.engine.test_store import MEASURE, TESTS, VECTORS, counting
from tests.sources.published.serving import Publisher, register, serving, sha256, text_of
from tests.sources.published.test_fetching import MANY, left_over, serve

from eatlas import fetch_vectors
from eatlas.engine import Store, execute, make_plan
from eatlas.errors import EatlasWarning, ResultsError, SourceError
from eatlas.paths import data_folder
from eatlas.sources import downloads
from eatlas.sources.download import find
from eatlas.sources.downloads import LARGEST


@pytest.fixture
def plan():
    return make_plan(TESTS, VECTORS, MEASURE)


# --- finished jobs --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("default::eatlas.EatlasWarning")
def test_F26_a_number_that_was_edited_is_no_finding(eatlas_cli, tmp_path, test_file, vectors_csv):
    command = ("run", "--tests", test_file, "--vectors", vectors_csv, "--measure", "weat")
    eatlas_cli(*command)
    honest = (tmp_path / "out" / "results.jsonl").read_bytes()
    plan = make_plan(str(test_file), str(vectors_csv), "weat")
    with Store(tmp_path / "out") as store:
        execute(plan, store=store)
    path = tmp_path / "out" / "unfinished.jsonl"
    text = path.read_text("utf-8")
    edited = re.sub(r'"effect_size":-?\d', '"effect_size":9', text)
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    ended = eatlas_cli(*command)
    assert ended.code == 0
    assert (
        "unfinished.jsonl: 1 line is damaged; the missing results are computed again" in ended.err
    )
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == honest
    assert not path.exists()


@pytest.mark.parametrize("old", [b'"effect_size":', b'"job": "', b'"sha256": "', b"weat(", b"t2"])
@pytest.mark.parametrize("flip", [1, 2, 16])
def test_F26_a_line_that_was_changed_is_done_again_and_that_is_said(tmp_path, plan, old, flip):
    with Store(tmp_path) as store:
        whole = execute(plan, store=store)
    path = tmp_path / "unfinished.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    line = bytearray(lines[2])
    line[line.lower().index(old) + len(old) + 1] ^= flip
    path.write_bytes(b"".join([*lines[:2], bytes(line), *lines[3:]]))
    done = []
    said = f"{path}: 1 line is damaged; the missing results are computed again"
    with pytest.warns(EatlasWarning) as warned, Store(tmp_path) as store:
        assert execute(plan, counting(done), store=store) == whole
    assert [str(one.message) for one in warned] == [said]
    assert done == ["t2"]


@pytest.mark.parametrize("there", [True, False])
def test_F34_a_link_in_its_place_is_not_followed(tmp_path, there):
    other = tmp_path / "mine.txt"
    if there:
        other.write_text("mine", encoding="utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "unfinished.jsonl").symlink_to(other)
    with pytest.raises(ResultsError, match="unfinished.jsonl: Too many levels"), Store(folder):
        pass
    assert (other.read_text("utf-8") if there else other.exists()) == ("mine" if there else False)
    assert sorted(path.name for path in folder.iterdir()) == ["unfinished.jsonl"]


def test_F35_what_another_run_left_is_kept_until_it_is_done(tmp_path, plan):
    with Store(tmp_path) as store:
        execute(plan, store=store)
    other = make_plan(TESTS, VECTORS, "weat(ddof=0,resamples=0)")
    done = []
    with Store(tmp_path) as store:
        execute(other, counting(done), store=store)
        store.discard([job.identity for job in other])
    assert len(done) == 5
    done = []
    with Store(tmp_path) as store:
        execute(plan, counting(done), store=store)
        store.discard([job.identity for job in [*plan, *other]])
    assert done == []
    assert list(tmp_path.iterdir()) == []


# --- downloads ------------------------------------------------------------------------------------


@pytest.fixture
def publisher(monkeypatch, tmp_path):
    """A publisher on this machine, and a folder of data."""
    monkeypatch.setenv("EATLAS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(downloads, "PAUSE", 0)
    with serving(Publisher()) as each:
        yield each


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        (True, f"got: the file has {len(MANY):,} bytes, {len(MANY) - 1:,} were published"),
        (False, f"got: more than {len(MANY) - 1:,} bytes came"),
    ],
)
def test_F27_a_server_that_sends_more_than_was_published(publisher, lengths, said):
    publisher.lengths = lengths
    serve(publisher, data_folder(), size=len(MANY) - 1)
    with pytest.raises(SourceError) as caught:
        fetch_vectors("mine")
    assert said in str(caught.value)
    assert left_over(data_folder()) == []


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (
            "1" + "0" * 15,
            f"got: the file has 1,000,000,000,000,000 bytes, the largest has {LARGEST:,}",
        ),
        ("9" * 5000, "got: more than 1 bytes came"),
        ("\u00b2", "got: more than 1 bytes came"),
    ],
)
def test_F27_a_server_that_announces_more_than_there_is(publisher, monkeypatch, length, said):
    register(data_folder(), publisher.url, "mine.vec", {"name": "mine", "title": "t"})
    answer = SimpleNamespace(
        status_code=200,
        url="http://127.0.0.1",
        headers={"Content-Length": length},
        raw=SimpleNamespace(stream=lambda *_, **__: iter([b"ab"])),
    )
    if "the largest" not in said:
        monkeypatch.setattr(downloads, "LARGEST", 1)
    with pytest.raises(SourceError) as caught:
        downloads._write(find("mine"), answer, None)
    assert said in str(caught.value)
    assert left_over(data_folder()) == []


def test_F28_a_later_download_is_checked_against_the_first(publisher):
    serve(publisher, data_folder())
    fetch_vectors("mine").unlink()
    publisher.files["mine.vec"], publisher.etag = text_of(), '"two"'
    with pytest.raises(SourceError, match="is not the file that was first downloaded") as caught:
        fetch_vectors("mine")
    assert f"sha256:{caught.value.allowed}" == sha256(MANY)
    assert f"delete {data_folder() / 'mine.vec.hash'} and fetch again" in caught.value.remedy
    (data_folder() / "mine.vec.hash").unlink()
    assert fetch_vectors("mine").read_bytes() == text_of()


def test_F28_what_nobody_vouches_for_is_said_before_it_comes(publisher):
    serve(publisher, data_folder(), size=len(MANY))
    said = []
    fetch_vectors("mine", say=said.append).unlink()
    assert said[:2] == [
        "mine: no hash of this file was published; later downloads are compared with the first; "
        "http can be changed on the way",
        f"mine: downloading {publisher.url}/mine.vec",
    ]
    again = []
    fetch_vectors("mine", say=again.append)
    assert again == said
