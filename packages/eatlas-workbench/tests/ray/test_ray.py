"""The executor on a real Ray cluster of two nodes on this machine."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from ipaddress import ip_address

import pytest
from tests.inputs import KILLS, wait_until
from tests.tiny_models import make_model

import eatlas
from eatlas import OnRay
from eatlas.executors import executor_of
from eatlas_workbench import ray_watch

pytestmark = [
    pytest.mark.usefixtures("all_resamples"),  # as in the cluster
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(sys.platform != "linux", reason="Ray's test cluster"),
    pytest.mark.xdist_group("ray"),
]
PLAN = {
    "tests": ["weat-6", "weat-7", "weat-8", "weat-9"],
    "measures": ["ml-eat"],
    "choices": {
        "transform": ["none", "center"],
        "ddof": [1, 0],
        "tail": ["directional", "two-sided"],
    },
}


def square(item):
    return item * item


def meet(item, folder):
    """Square, once both nodes are at work."""
    import ray

    (folder / ray.get_runtime_context().get_node_id()).touch()
    wait_until(lambda: len(list(folder.iterdir())) == 2)
    return item * item


def fail(item):
    raise eatlas.EatlasError("no square", got=str(item))


def odd(item):
    """Warn, hand over what cannot be, or end the process."""
    if item == 1:
        warnings.warn("look at this", eatlas.EatlasWarning, stacklevel=1)
    if item == 2:
        return threading.Lock()
    if item == 3:
        os.kill(os.getpid(), 9)
    return item


@pytest.mark.slow
def test_workers_write_their_own_parts_of_a_store(cluster, tmp_path):
    sources = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    arguments = "caliskan", sources, "weat(resamples=0)"
    there = eatlas.run(
        *arguments, executor=OnRay(cluster.address), store=tmp_path / "there.parquet"
    )
    here = eatlas.run(*arguments, store=tmp_path / "here.parquet")
    assert (len(there.parts), len(here.parts)) == (2, 1)
    assert list(there) == list(here)
    assert there.to_frame("all").equals(here.to_frame("all"))


@pytest.mark.slow
def test_items_are_done_on_both_nodes_and_numbers_are_the_same(cluster, bert, capfd, tmp_path):
    on_ray = OnRay(cluster.address)
    assert dict(on_ray(partial(meet, folder=tmp_path), range(6))) == {n: n * n for n in range(6)}
    assert dict(on_ray(lambda item: item + 1, iter(range(50)))) == {n: n + 1 for n in range(50)}
    assert dict(on_ray(square, [])) == {}
    # what goes wrong there is said here
    with pytest.raises(eatlas.EatlasError, match="no square") as caught:
        list(on_ray(fail, [7]))
    assert caught.value.got == "7"
    with pytest.warns(eatlas.EatlasWarning, match="look at this"):
        assert dict(on_ray(odd, [0, 1])) == {0: 0, 1: 1}
    with pytest.raises(eatlas.EatlasError, match="cannot be passed to other processes"):
        list(on_ray(odd, [2]))
    with pytest.raises(eatlas.EatlasError, match="the Ray cluster could not do the work"):
        list(on_ray(odd, [3]))
    # runs, studies with encoders, corpora and scans
    assert eatlas.run("caliskan", executor=on_ray) == eatlas.run("caliskan")
    plan = {**PLAN, "vectors": {"glove": "glove-sample", "bert": bert}}
    plan["choices"] = {"layer": {"values": [0, 3], "when": {"vectors": "bert"}}}
    there = eatlas.multiverse(plan, executor=on_ray)
    assert there.record == eatlas.multiverse(plan).record
    scanned = eatlas.scan("glove-sample", "weat-6", bands=(), executor=on_ray)
    alone = eatlas.scan("glove-sample", "weat-6", bands=())
    assert scanned.to_dict() == alone.to_dict()
    assert scanned.to_frame().equals(alone.to_frame())
    said = capfd.readouterr()
    assert (said.out, "ray" in said.err) == ("", False)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return f"hf:{make_model(tmp_path_factory.mktemp('bert'), 'bert')}"


@pytest.mark.slow
def test_a_node_is_killed_and_the_study_is_whole(ray, cluster, tmp_path, monkeypatch):
    expected = eatlas.multiverse(PLAN)
    other = next(node for node in cluster.list_all_nodes() if not node.head)
    on_ray = OnRay(cluster.address)
    done = 0

    def killing(function, items):
        nonlocal done
        for outcome in on_ray(partial(slowly, function=function), items):
            done += 1
            if done == 5:
                cluster.remove_node(other, allow_graceful=False)
            yield outcome

    study = eatlas.multiverse(PLAN, executor=killing, out=tmp_path)
    assert done == 32
    wait_until(lambda: sum(node["Alive"] for node in ray.nodes()) == 1)
    assert study.results == expected.results
    assert eatlas.read_study(tmp_path).record == expected.record


def slowly(task, function):
    time.sleep(0.1)
    return function(task)


def test_where_there_is_no_cluster():
    with pytest.raises(eatlas.EatlasError) as caught:
        OnRay("127.0.0.1:1")
    assert str(caught.value).splitlines()[:2] == [
        "there is no Ray cluster at 127.0.0.1:1",
        "  got: Connection refused",
    ]
    assert "ray start --head --port=6379" in caught.value.remedy
    with pytest.raises(eatlas.EatlasError, match="there is no Ray cluster at somewhere"):
        OnRay("somewhere")
    with pytest.raises(
        eatlas.EatlasError, match="unknown engine\n  got: rya\n  allowed: local, ray"
    ):
        executor_of("rya", None)


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(eatlas.EatlasError, match="Ray is not installed") as caught:
        OnRay()
    assert caught.value.remedy == "pip install ray"


ALONE = """
import time
from eatlas import OnRay

def never(item):
    time.sleep(9999)

if __name__ == "__main__":
    list(OnRay(workers=1)(never, [1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["command", "raylet"])
def test_a_cluster_of_this_machine_is_for_nobody_else_and_leaves_nothing(tmp_path, victim):
    import psutil

    def is_at_work(process):
        try:
            return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    (tmp_path / "alone.py").write_text(ALONE, encoding="utf-8")
    command = [sys.executable, "alone.py"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        all_of_it = lambda: psutil.Process(process.pid).children(recursive=True)  # noqa: E731
        wait_until(lambda: any("ray::_do_on_ray" in child.name() for child in all_of_it()))
        named = {child.name(): child for child in all_of_it()}
        connections = [c for child in all_of_it() for c in child.net_connections()]
        open_at = {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
        assert open_at
        assert all(ip_address(ip.removeprefix("::ffff:")).is_loopback for ip in open_at)
        started = all_of_it()
        agents = [child for name, child in named.items() if "Agent" in name]
        assert agents
        for agent in agents:
            agent.suspend()  # or it would end itself after a minute
        (process if victim == "command" else named["raylet"]).kill()
        printed = process.communicate()[1]
    wait_until(lambda: not any(map(is_at_work, started)))
    # Ray either ends the command at once, or first lets it say what became of its work
    said = ["the command was interrupted", "the Ray cluster could not do the work"]
    assert sum(printed.count(sentence) for sentence in said) == 1
    assert printed.count("finished jobs are kept") == 1


@pytest.mark.parametrize(("told", "printed"), [(b"", "error: it ended\n"), (b"x", "")])
def test_who_watches_speaks_where_the_command_could_not(tmp_path, told, printed):
    watch = [sys.executable, "-I", "-S", ray_watch.__file__, "error: it ended", tmp_path / "raylet"]
    agent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(9999)"])
    with socket.socket(socket.AF_UNIX) as raylet:
        raylet.bind(str(tmp_path / "raylet"))
        raylet.listen()
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        watcher = subprocess.Popen([*watch, str(agent.pid)], **pipes)
        line, _ = raylet.accept()
        assert agent.poll() is None
        line.close()
        assert agent.wait() == -signal.SIGKILL
        assert watcher.communicate(told)[1].decode() == printed


@pytest.mark.slow
def test_random_kills_of_workers_lose_nothing(ray, cluster, tmp_path):
    import psutil

    expected = eatlas.multiverse(PLAN)
    chance, ended, killed = random.Random(4), threading.Event(), []

    def kill():
        while not ended.wait(2.0) and len(killed) < KILLS:
            found = [
                one
                for one in psutil.process_iter(["cmdline"])
                if any("ray::_do_on_ray" in part for part in one.info["cmdline"] or ())
            ]
            if found:
                one = chance.choice(found)
                one.kill()
                killed.append(one.pid)

    killer = threading.Thread(target=kill, daemon=True)
    on_ray = OnRay(cluster.address, workers=2)
    killer.start()
    rounds = 0
    while len(killed) < KILLS and rounds < 10 * KILLS:
        rounds += 1
        function = lambda done, items: on_ray(partial(slowly, function=done), items)  # noqa: E731
        study = eatlas.multiverse(PLAN, executor=function)
        assert {one.status for one in study.record.specifications} <= {"done", "failed"}
        for one, other in zip(
            study.record.specifications, expected.record.specifications, strict=True
        ):
            if one.status == "failed":  # it met three kills, which is said
                assert "was killed" in one.reason
            else:
                assert (one.d, one.p) == (other.d, other.p)
    ended.set()
    killer.join()
    assert len(killed) == KILLS
