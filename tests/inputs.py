"""A small test, its vectors and its file, for every ring of tests."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from eatlas import AssociationTest, Concept
from eatlas.sources import ArraySource
from eatlas.stimuli import ROLES

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("EATLAS_SHARED_DATA") or ROOT.parent / "shared" / "data")
"""Files whose licences keep them out of the repository."""
KILLS = int(os.environ.get("EATLAS_KILLS", "4"))
"""Kills at random moments of each test that kills; EATLAS_KILLS=200 goes on for half an hour."""

SHORT_QUESTION = "{target}: {first} or {second}?"
"""Of a test that looks at what comes of the answers, in place of the eight that eatlas brings."""
HALF = "\\ud800"
OF_HALF = f"{HALF} occurs alone, which is not a character"
"""Half a character in JSON, and what is said of it."""

TERMS = {
    "X": ("aster", "clover", "iris", "lily"),
    "Y": ("ant", "flea", "wasp", "gnat"),
    "A": ("love", "peace", "joy", "heaven"),
    "B": ("hatred", "war", "filth", "agony"),
}
NAMES = {"X": "Flowers", "Y": "Insects", "A": "Pleasant", "B": "Unpleasant"}


def load_benchmark(name: str) -> ModuleType:
    """A script of ``benchmarks`` as a module, for the small form of its study."""
    spec = spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # where its data classes look for names
        spec.loader.exec_module(module)
    return module


def optional_data(name: str) -> Path:
    """A folder of published files; the test is skipped on a machine that lacks it."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"needs optional data: {name}, in the folder of EATLAS_SHARED_DATA")
    return folder


def google_news() -> dict[str, np.ndarray]:
    """The published vectors of Google News that packages carry: 13,013 of ``wefe`` 1.0.1, raw, and
    the words of the papers' tests; all but *Billy* of the words that ML-EAT needs.
    """
    file = np.load(optional_data("published-vectors") / "google-news-items.npz")
    return dict(zip(file["words"].tolist(), file["vectors"], strict=True)) | raw_google_news()


def raw_google_news() -> dict[str, np.ndarray]:
    """The 13,013 vectors of Google News that the package ``wefe`` 1.0.1 carries, of their lengths."""
    wefe = find_spec("wefe")
    if wefe is None:
        pytest.skip("needs optional data: the vectors in the package wefe 1.0.1")
    from gensim.models import KeyedVectors

    (folder,) = wefe.submodule_search_locations
    raw = KeyedVectors.load(str(Path(folder) / "datasets" / "data" / "test_model.kv"))
    return {word: raw[word] for word in raw.index_to_key}


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for what must come; on a busy machine that may take long."""
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.005)


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes meanwhile; the system says so much as of a full disk."""
    import resource  # Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Encoder(ArraySource):
    """Vectors of texts that are known, whose words have the ranks of common English."""

    encodes = True


def make_test(test_id: str = "tiny", **terms: tuple[str, ...]) -> AssociationTest:
    chosen = TERMS | terms
    concepts = {role: Concept(name=NAMES[role], terms=chosen[role]) for role in "XYAB"}
    return AssociationTest(id=test_id, **concepts)


def make_vectors(test: AssociationTest, dim: int = 5, seed: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {term: rng.standard_normal(dim) for role in "XYAB" for term in test.concept(role).terms}


def make_sentences(counts: dict[str, tuple[int, ...]], test_id: str = "said") -> AssociationTest:
    """A test whose i-th stimulus in a group has so many sentences: "x0 1." is the second of x0."""

    def concept(role: str) -> Concept:
        texts = [(i, j) for i, count in enumerate(counts[role]) for j in range(count)]
        sentences = [
            {"text": f"{role.lower()}{i} {j}.", "stimulus": f"{role.lower()}{i}"} for i, j in texts
        ]
        return Concept(name=NAMES[role], sentences=sentences)

    return AssociationTest(id=test_id, **{role: concept(role) for role in "XYAB"})


TOML = """\
schema = 1
[[test]]
id = "tiny"
title = "Flowers and insects"
citation = "made for the tests"
X = { name = "Flowers", terms = ["aster", "clover", "iris", "lily"] }
Y = { name = "Insects", terms = ["ant", "flea", "wasp", "gnat"] }
A = { name = "Pleasant", terms = ["love", "peace", "joy", "heaven"] }
B = { name = "Unpleasant", terms = ["hatred", "war", "filth", "agony"] }
"""


def streams_of(rng):
    """Return a generator for each group of a test, of numbers from one generator."""
    return {role: np.random.default_rng(rng.integers(0, 2**32, size=4)) for role in ROLES}
