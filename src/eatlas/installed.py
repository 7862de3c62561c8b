"""Entry points of the packages that are installed, read once: that takes 10 ms or more."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

every: Any = cache(entry_points)
"""All entry points."""
