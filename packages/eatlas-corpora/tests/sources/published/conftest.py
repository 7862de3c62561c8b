"""The folder of data and the publisher of the core's tests."""

from tests.sources.published.conftest import data, publisher  # noqa: F401
