"""Counts on a real Ray cluster of two nodes: the same as in one process, whoever is killed."""

import os
import signal
import sys
import threading
import time
import warnings

import pytest
from tests.inputs import wait_until
from tests.text.test_counting import TEST, WORDS, quiet, same

import eatlas
from eatlas import OnRay
from eatlas_corpora.reading import files

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(sys.platform != "linux", reason="Ray's test cluster"),
    pytest.mark.xdist_group("ray"),
]


class Slowly:
    """Counts once so many nodes are at work; kills its worker once, where told to."""

    def __init__(self, function, folder, kills=False, nodes=1):
        self.function, self.folder, self.kills, self.nodes = function, folder, kills, nodes

    def __call__(self, item):
        import ray

        (self.folder / ray.get_runtime_context().get_node_id()).touch()
        wait_until(lambda: len(list(self.folder.iterdir())) >= self.nodes)
        found = self.function(item)
        time.sleep(0.05)
        mark = self.folder / "killed"
        if self.kills and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return found


def slowly(on_ray, folder, **options):
    return lambda function, items: on_ray(Slowly(function, folder, **options), items)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    lines = (
        " ".join(f"So {WORDS[n * k % 17]} {WORDS[(n + k) % 17]}." for k in range(n % 7 + 1))
        for n in range(4000)
    )
    path.write_text("\n".join(lines))
    return path


@pytest.mark.slow
def test_two_nodes_count_what_one_process_counts(cluster, corpus, tmp_path, monkeypatch):
    alone = quiet(corpus, TEST)
    monkeypatch.setattr(files, "SIZE", corpus.stat().st_size // 24)
    on_ray = OnRay(cluster.address)
    nodes = tmp_path / "nodes"
    nodes.mkdir()
    same(alone, quiet(corpus, TEST, executor=slowly(on_ray, nodes, nodes=2)))
    assert len(list(nodes.iterdir())) == 2
    # a worker is killed half-way
    killed = tmp_path / "worker"
    killed.mkdir()
    same(alone, quiet(corpus, TEST, executor=slowly(on_ray, killed, kills=True)))
    assert (killed / "killed").exists()
    # a node is lost half-way
    lost = tmp_path / "node"
    lost.mkdir()
    done = []

    def lose(count, _):
        done.append(count)
        if count == 6:
            node = next(one for one in cluster.worker_nodes)
            threading.Thread(
                target=lambda: cluster.remove_node(node, allow_graceful=False), daemon=True
            ).start()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = quiet(
            corpus, TEST, executor=slowly(on_ray, lost), progress=lose,
            out=tmp_path / "counts.csv",
        )  # fmt: skip
    same(alone, counts)
    assert max(done) >= 24


def test_a_cluster_that_is_not_there(corpus):
    with pytest.raises(eatlas.EatlasError, match="there is no Ray cluster at 127.0.0.1:1"):
        OnRay("127.0.0.1:1")
