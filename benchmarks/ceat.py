"""CEAT of 25 stimuli a group, 1,000 contexts each, 768 dimensions: time, memory, the plain loop.

Three plain loops make the same draws one by one: cosines by numpy, one target at a time; by the
function of scikit-learn that published code calls, if it is installed; and pair by pair, as the
formula is written. Each d is compared with ours. Then 10,000 draws, in processes of their own: from
unit vectors to the record ("after encoding"), and the whole call with a source of 100,000
contexts in memory. At last how the published p falls with the number of draws.

    OPENBLAS_NUM_THREADS=1 python benchmarks/ceat.py
"""

from __future__ import annotations

import json
import platform
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

import eatlas
from eatlas.stats.effect_size import draw_contexts, draw_effects
from eatlas_corpora.kernels.context_draws import compact_rows, draw_associations

STIMULI, CONTEXTS, DIM, DRAWS = 25, 1_000, 768, 10_000
LOOP = 20
"""Draws of a plain loop."""
SIZES = (STIMULI,) * 4


def vectors():
    """Contexts that scatter about their stimulus, in single precision as encoders give them."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((4 * STIMULI * CONTEXTS, DIM), dtype=np.float32)
    own = 0.7 * rng.standard_normal((4 * STIMULI, 1, DIM), dtype=np.float32)
    blocks = rows.reshape(4 * STIMULI, CONTEXTS, DIM)
    blocks += own
    blocks[:STIMULI] += 0.05 * blocks[2 * STIMULI, 0]
    return rows


def choose(draws):
    streams = [np.random.default_rng([0, k]) for k in range(4 * STIMULI)]
    starts = np.arange(4 * STIMULI) * CONTEXTS
    chosen = [draw_contexts(CONTEXTS, draws, stream, "auto") for stream in streams]
    return starts + np.stack(chosen, axis=1)


def by_numpy(w, group):
    return (group @ w / (np.linalg.norm(group, axis=1) * np.linalg.norm(w))).mean()


def by_pairs(w, group):
    cosines = [w @ a / (np.linalg.norm(w) * np.linalg.norm(a)) for a in group]
    return sum(cosines) / len(cosines)


def by_sklearn(w, group):
    from sklearn.metrics.pairwise import cosine_similarity  # noqa: PLC0415  (may be missing)

    return cosine_similarity(w.reshape(1, -1), group).mean()


def loop(rows, chosen, mean_cosine):
    """Effect sizes draw by draw; every association twice, for the means and for the deviation."""
    found = []
    for places in chosen:
        x, y, a, b = np.split(rows[places].astype(np.float64), 4)

        def s(w, a=a, b=b):
            return mean_cosine(w, a) - mean_cosine(w, b)

        gap = np.mean([s(w) for w in x]) - np.mean([s(w) for w in y])
        found.append(gap / np.std([s(w) for w in (*x, *y)], ddof=1))
    return np.array(found)


def processor(run):
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def compare():
    rows, chosen = vectors(), choose(DRAWS)
    held = compact_rows(rows)
    # compiled before the clock runs, and kept on disk after the first time
    draw_associations(held, chosen, SIZES)
    taken, found = processor(lambda: draw_effects(draw(held, chosen), STIMULI).d)
    ours = taken / DRAWS
    print(f"ours: {1e3 * ours:.3f} ms of processor time a draw, all three levels")
    names = {"numpy, target by target": by_numpy, "pair by pair": by_pairs}
    try:
        by_sklearn(rows[0], rows[:2])
        names = {"scikit-learn, target by target": by_sklearn, **names}
    except ImportError:
        print("scikit-learn is not installed: its loop is left out")
    for name, cosine in names.items():
        count = LOOP if cosine is not by_pairs else LOOP // 4
        taken, d = processor(lambda c=cosine, n=count: loop(rows, chosen[:n], c))
        worst = np.abs(d - found[:count]).max()
        print(
            f"{name}: {1e3 * taken / count:.1f} ms a draw, {taken / count / ours:,.0f} times as "
            f"long; largest difference of a d {worst:.0e}"
        )


def draw(held, chosen):
    return draw_associations(held, chosen, SIZES).targets


def the_test():
    def concept(role):
        sentences = [
            {"text": f"{role}{i} {j:04}", "stimulus": f"{role}{i}"}
            for i in range(STIMULI)
            for j in range(CONTEXTS)
        ]
        return eatlas.Concept(name=role, sentences=sentences)

    return eatlas.AssociationTest(id="large", **{role: concept(role) for role in "XYAB"})


def whole():
    """One CEAT from a source in memory; the part after encoding is timed apart."""
    warnings.simplefilter("ignore", eatlas.EatlasWarning)
    test, rows = the_test(), vectors()
    source = eatlas.ArraySource(list(test.terms), rows, name="contexts")
    del rows
    measure, times = eatlas.CEAT(), {}
    compute = eatlas.CEAT.compute

    def timed(self, given, notes):
        times["before"] = peak()
        start = time.perf_counter(), time.process_time()
        result = compute(self, given, notes)
        times["wall"], times["cpu"] = time.perf_counter() - start[0], time.process_time() - start[1]
        return result

    eatlas.CEAT.compute = timed
    start = time.process_time()
    result = measure(test, source)
    print(
        json.dumps(
            {
                **times,
                "all": time.process_time() - start,
                "peak": peak(),
                "d": result.level1.effect_size,
            }
        )
    )


def head():
    """What a result says of its test and source, of a small one."""
    (result,) = eatlas.run(
        tests="sent-weat-9", vectors="cbow:glove-sample", measures=eatlas.CEAT(n=2)
    )
    names = ("signature", "test", "source", "concepts", "coverage", "provenance")
    return {name: getattr(result, name) for name in names}


def after():
    """From vectors by group to the record, in a process that holds nothing else."""
    from eatlas.measures.base import Input  # noqa: PLC0415
    from eatlas_corpora.measures.ceat import StimulusContexts  # noqa: PLC0415

    warnings.simplefilter("ignore", eatlas.EatlasWarning)
    rows = compact_rows(vectors())
    counts = {role: {f"{role}{i:02}": CONTEXTS for i in range(STIMULI)} for role in "XYAB"}
    contexts = StimulusContexts(rows, counts)
    given = Input({}, None, head(), np.random.default_rng(0), contexts=contexts)
    eatlas.CEAT(n=2_000).compute(given, [])  # loads compiled code
    start = time.perf_counter(), time.process_time()
    eatlas.CEAT(n=DRAWS).compute(given, [])
    taken = time.perf_counter() - start[0], time.process_time() - start[1]
    print(json.dumps({"wall": taken[0], "cpu": taken[1], "peak": peak()}))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def published_p():
    """How p behaves as draws are added: ours by permutation, published by z."""
    warnings.simplefilter("ignore", eatlas.EatlasWarning)
    (test,) = eatlas.load_tests("sent-weat-9")
    source = eatlas.open_vectors("cbow:glove-sample")
    print("sent-weat-9 on cbow:glove-sample: draws, CES, z, published p, exact permutation p")
    for n in (30, 100, 300, 1_000, 3_000, 10_000, 30_000):
        result = eatlas.CEAT(n=n, variance="ceat")(test, source)
        combined = result.samples.level1.combined
        print(
            f"{n:7,} {combined.effect_size:6.3f} {combined.z:6.1f} {combined.p.greater:9.1e} "
            f"{result.level1.p.greater:.3f}"
        )


def child(part):
    ran = subprocess.run(
        [sys.executable, __file__, part], check=True, capture_output=True, text=True
    )
    return json.loads(ran.stdout.splitlines()[-1])


def main():
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, {STIMULI} stimuli a group, ",
        end="",
    )
    print(f"{CONTEXTS:,} contexts each, {DIM} dimensions")
    compare()
    for part in ("after", "whole"):
        found = {key: round(value, 2) for key, value in child(part).items()}
        print(f"{part}, {DRAWS:,} draws (seconds, MB): {found}")
    published_p()


if __name__ == "__main__":
    {"after": after, "whole": whole}.get(sys.argv[-1], main)()
