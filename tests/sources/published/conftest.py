"""A folder of data of its own for every test, and a publisher to fetch from."""

import pytest
from tests.sources.published.serving import Publisher, serving


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    """EATLAS_DATA; the publisher on this machine is reached without a proxy."""
    folder = tmp_path / "data"
    monkeypatch.setenv("EATLAS_DATA", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return folder


@pytest.fixture
def publisher():
    with serving(Publisher()) as each:
        yield each
