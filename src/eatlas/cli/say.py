"""Messages to a person, always on standard error."""

from __future__ import annotations

import sys


def complain(error: Exception | str) -> None:
    """Say what is wrong."""
    sys.stderr.write(f"error: {error}\n")


def remark(text: str) -> None:
    """Say something worth knowing."""
    sys.stderr.write(f"{text}\n")
