"""Batteries that come with eatlas-models."""

from __future__ import annotations

from pathlib import Path


def bai() -> Path:
    """The file of the tests of Bai and others (2025), which ask a model to decide."""
    return Path(__file__).parent / "data" / "bai.toml"
