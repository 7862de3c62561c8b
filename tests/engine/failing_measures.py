"""Measures that fail, each in its own way; apart, so that workers that do them load no pytest."""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import eatlas


@dataclass(frozen=True)
class Deadly(eatlas.WEAT):
    """A WEAT that kills its process the first so many times; a file keeps the count."""

    name: ClassVar[str] = "deadly"
    counter: str = ""
    deaths: int = 0

    def compute(self, given, notes):
        if given.head["test"] == "t3" and len(Path(self.counter).read_bytes()) < self.deaths:
            with Path(self.counter).open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().compute(given, notes)


@dataclass(frozen=True)
class CutOff(eatlas.WEAT):
    """A WEAT whose process is killed, once, when it has sent a part of its answer."""

    name: ClassVar[str] = "cut-off"
    mark: str = ""

    def compute(self, given, notes):
        if given.head["test"] == "t2" and not Path(self.mark).exists():
            Path(self.mark).touch()
            pipe = multiprocessing.current_process()._args[0]
            os.write(pipe.fileno(), struct.pack("!i", 10_000) + b"x" * 10)
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
