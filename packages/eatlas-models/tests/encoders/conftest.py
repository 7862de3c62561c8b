"""Tiny models of the core's tests."""

from tests.encoders.conftest import model  # noqa: F401
