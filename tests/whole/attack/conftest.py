"""A hostile server, and what tests of attacks share with those of the rooms that were attacked."""

import time
from types import SimpleNamespace

import pytest
from tests.annotation.conftest import contexts, items  # noqa: F401
from tests.served import running
from tests.whole.attack.hostile import KEY, KINDS, Hostile


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EATLAS_API_KEY", KEY)
    with running(Hostile()) as server:
        yield server
        server.over.set()


@pytest.fixture(params=KINDS)
def kind(request):
    """What the server is asked for."""
    return request.param


@pytest.fixture
def waits(monkeypatch):
    """Seconds that would have been waited between tries."""
    found = []
    clock = SimpleNamespace(sleep=found.append, monotonic=time.monotonic)
    monkeypatch.setattr("eatlas_models.encoders.endpoint.time", clock)
    return found
