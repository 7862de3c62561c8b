"""Measures that fail, each in its own way; apart, so that workers that do them load no pytest."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import eatlas


@dataclass(frozen=True)
class Deadly(eatlas.WEAT):
    """A WEAT that kills its process once, in its last test; a file keeps that it did."""

    name: ClassVar[str] = "deadly"
    mark: str = ""

    def compute(self, given, notes):
        if given.head["test"] == "t5" and not Path(self.mark).exists():
            Path(self.mark).touch()
            time.sleep(0.5)  # until the others have ended
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compute(given, notes)


class Unsendable(eatlas.EatlasError):
    def __reduce__(self):
        raise TypeError("not this one")


@dataclass(frozen=True)
class Silent(eatlas.WEAT):
    """A WEAT whose answer cannot be pickled, for one test."""

    name: ClassVar[str] = "silent"

    def compute(self, given, notes):
        if given.head["test"] == "t1":
            raise Unsendable("x")
        return super().compute(given, notes)


@dataclass(frozen=True)
class Faulty(eatlas.WEAT):
    """A WEAT that fails as our own faults would, and where memory ends."""

    name: ClassVar[str] = "faulty"

    def compute(self, given, notes):
        if given.head["test"] in FAULTS:
            raise FAULTS[given.head["test"]]
        return super().compute(given, notes)


FAULTS = {"t1": RuntimeError("a bug"), "t3": MemoryError()}
