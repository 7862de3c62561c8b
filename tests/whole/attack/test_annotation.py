"""Labels of crowds, kills of the page that people label on, and requests that never end."""

import socket
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from tests.served import ask
from tests.test_serving import BODY, app
from tests.whole.attack.bounded import ends_within

import eatlas
from eatlas.errors import EatlasWarning, SourceError
from eatlas.writing import remove_leftovers
from eatlas_workbench import serving
from eatlas_workbench.annotation.items import MOST_ANNOTATORS, LabelJournal
from eatlas_workbench.serving import Served
from eatlas_workbench.stats import agreement
from eatlas_workbench.stats.agreement import MISSING, MOST_PAIRS, rater_agreement


def labels_of(items, people):
    """Each person labels the first contexts, one more than the one before, up to all."""
    ids = [one.id for one in items]
    each = {f"p{i:04}": ids[: 1 + i % len(ids)] for i in range(people)}
    return {
        name: dict.fromkeys(own, ("Female", "Male")[len(own) % 2]) for name, own in each.items()
    }


def test_A14_N20_of_many_annotators_some_pairs_are_compared(items):
    labels = eatlas.read_labels(items, labels_of(items, 300))
    said = "190 of 44,850 pairs of annotators are compared: those with the most contexts in common."
    with ends_within(), pytest.warns(EatlasWarning) as warned:
        found = labels.agreement()
    assert str(warned[0].message) == said
    assert len(found.pairs) == MOST_PAIRS
    assert {pair.items for pair in found.pairs} == {13}  # of all contexts
    assert found.compared == 13
    assert len(found.annotators) == 300


def test_A14_pairs_are_those_with_the_most_items_in_common(monkeypatch):
    codes = np.random.default_rng(2).integers(-1, 3, (40, 8))
    every = rater_agreement(codes, 3, resamples=0)["pairs"]
    monkeypatch.setattr(agreement, "MOST_PAIRS", 10)
    few = rater_agreement(codes, 3, resamples=0)["pairs"]
    common = ((codes[:, pair[0]] != MISSING) & (codes[:, pair[1]] != MISSING) for pair in every)
    sizes = sorted((int(each.sum()) for each in common), reverse=True)
    assert sorted((pair[2] for pair in few), reverse=True) == sizes[:10]
    assert few == [pair for pair in every if pair[:2] in {one[:2] for one in few}]


def test_A14_there_is_a_most_of_annotators(items, tmp_path):
    ids = [one.id for one in items]
    path = tmp_path / "labels.csv"
    rows = [f"p{i},{ids[0]},Male" for i in range(MOST_ANNOTATORS + 1)]
    path.write_text("\n".join(["annotator,item,label", *rows]) + "\n")
    with pytest.raises(SourceError, match="line 1002: too many annotators\n  allowed: up to 1,000"):
        eatlas.read_labels(items, path)


def test_A15_what_a_killed_page_left_is_removed_at_the_next_start(items, tmp_path):
    path = tmp_path / "items.labels.jsonl"
    with LabelJournal(path, items) as journal:
        journal.label("Anna", items.rows[0].id, "Male")
    left = [tmp_path / f".{path.name}.{name}" for name in ("k1ll3d__", "abcdefgh")]
    others = [tmp_path / f".{path.name}.{name}" for name in ("backup", "ABCDEFGH")]
    for each in (*left, *others, tmp_path / ".other.labels.jsonl.abcdefgh"):
        each.write_text("half a line")
    with LabelJournal(path, items) as journal:
        assert journal.done == {"Anna": 1}
        assert not any(each.exists() for each in left)
        assert all(each.exists() for each in others)
    assert (tmp_path / ".other.labels.jsonl.abcdefgh").exists()


def test_A15_a_name_with_signs_of_patterns_removes_nothing_else(tmp_path):
    (tmp_path / ".ab.abcdefgh").write_text("mine")
    (tmp_path / ".[a]b.abcdefgh").write_text("left")
    remove_leftovers(tmp_path / "[a]b")
    assert [each.name for each in tmp_path.iterdir()] == [".ab.abcdefgh"]


@pytest.fixture
def page():
    with Served(app()) as served:
        yield urlsplit(served.address)


def connected(page):
    return socket.create_connection((page.hostname, page.port), timeout=60)


@pytest.mark.parametrize(
    "size", ["9" * 5000, "1" * 10, "-5", "\u00b2", "\u0665", "1_0", "+1", "0x1", " "]
)
def test_A16_a_length_that_is_none_is_refused(page, capsys, size):
    for token in ("", page.path.strip("/")):
        with connected(page) as stranger, ends_within():
            stranger.sendall(
                f"POST /{token}/say HTTP/1.1\r\nHost: {page.netloc}\r\nOrigin: http://{page.netloc}\r\n"
                f"Content-Length: {size}\r\n\r\n".encode("latin-1", "replace")
            )
            stranger.shutdown(socket.SHUT_WR)
            assert stranger.recv(99).startswith(b"HTTP/1.0 4")
    assert "Traceback" not in capsys.readouterr().err
    assert ask(page.geturl(), "say", BODY).status == 200


def dripped(stranger, seconds):
    """Send a letter time and again; how long the other side listened."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        try:
            stranger.sendall(b"T")
        except OSError:
            break
        time.sleep(0.05)
    return time.monotonic() - begun


@pytest.mark.parametrize(
    "head", ["GET / HT", "POST {path}say HTTP/1.1\r\nX: ", "{whole}", "{refused}"]
)
def test_A16_a_request_has_an_end_however_many_pieces_it_comes_in(page, monkeypatch, head):
    monkeypatch.setattr(serving, "LONGEST_REQUEST", 0.5)
    monkeypatch.setattr(serving, "UNREAD", 0.5)
    start = f"POST {page.path}say HTTP/1.1\r\nHost: {page.netloc}\r\nOrigin: http://"
    whole = f"{start}{page.netloc}\r\nContent-Length: 9000\r\n\r\n"
    refused = f"{start}evil.example\r\nContent-Length: 9000\r\n\r\n"
    with connected(page) as stranger:
        stranger.sendall(head.format(path=page.path, whole=whole, refused=refused).encode())
        assert dripped(stranger, 60) < 50
    assert ask(page.geturl(), "say", BODY).status == 200
