"""Effect sizes, p-values and patterns of every measure on every battery stay what they are.

``frozen_numbers.json.gz`` holds them, by case, result and path within the result's JSON.
Where a number is meant to change: ``python -m tests.whole.test_frozen_numbers CASE``, and say why.
"""

from __future__ import annotations

import gzip
import json
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.contracts.sessions import (
    call_eatlas,
    in_folder,
    link_minilm,
    link_smollm2,
    write_bert,
    write_census,
    write_corpus,
    write_garden,
    write_groups,
    write_sentences,
    write_series,
    write_speeches,
    write_vectors,
)

from eatlas.engine.verify import monte_carlo_numbers

pytestmark = pytest.mark.usefixtures("all_resamples")
FROZEN = Path(__file__).with_name("frozen_numbers.json.gz")
TOLERANCE = 1e-9
"""Of numbers whose vectors are read from files; the worst difference observed is 0."""
COMPUTED = 1e-4
"""Of numbers whose vectors a model computes, which other processors round otherwise; those of
random draws may also move by two draws."""
NEAR_TIES = {"greater": 1.5, "less": 1.5, "two_sided": 2.5}
"""Partitions by which exact p-values of such vectors may move."""

LEAVES = frozenset([
    "effect_size", "difference", "greater", "less", "two_sided", "p", "p_greater", "p_less",
    "p_two_sided", "label", "two_sided_label", "mean", "sd", "value", "bias", "signed",
    "mean_bias", "association", "distribution", "deviation", "rho", "tau2", "q", "se", "t", "df",
    "readings", "interval", "over_both", "slope", "skew", "stereotype", "claim", "verdict",
])  # fmt: skip
"""Names of the numbers and labels that are frozen."""
LEFT_OUT = {
    "": "concepts coverage diagnosis encoding influence power provenance scores similarities "
    "stimulus_level warnings",
    "p": "count permutations interval rel_err bracket",
}
"""Keys below which nothing is frozen, by the key above them; "" stands for the whole result."""


@dataclass(frozen=True)
class Case:
    """Commands that print JSON lines, and the inputs that they need."""

    name: str
    commands: tuple[str, ...]
    prepare: tuple[Callable[[], None], ...] = ()
    computed: bool = False


GROUPS = "run --json --frequency off --tests divdist-gender --tests divdist-face-validity "
TWO = "{target} is {attribute}.; Here {target} was {attribute}."


def write_images() -> None:
    """Pictures of two shapes in two colours, a small vision model, and a test of them."""
    from tests.tiny_vision import draw, make_towers

    make_towers(Path("towers"), "clip")
    for number in range(16):
        draw(Path(f"{'XYAB'[number // 4]}{number % 4}.png"), number)
    groups = [
        f'{role} = {{ name = "Pictures {role}", images = {json.dumps([f"{role}{i}.png" for i in range(4)])} }}'
        for role in "XYAB"
    ]
    head = 'schema = 1\n[[test]]\nid = "pictures"\ntitle = "Pictures"\ncitation = "Made up."\n'
    Path("pictures.toml").write_text(head + "\n".join(groups) + "\n", encoding="utf-8")


CASES = (
    Case("defaults", ("run --json",)),
    Case(
        "words",
        (
            "run --json --frequency off --tests caliskan --tests mind-your-bias --tests histwords "
            "--tests mind-your-bias-excerpts --tests angry-black-woman --tests double-bind "
            "--measure ml-eat(resamples=0)",
            "run --json --frequency off --tests caliskan --measure weat(resamples=0)",
            "run --json --frequency off --tests weat-1 --tests weat-6 --tests weat-9 --measure sc-eat",
            "run --json --frequency off --tests weat-1 --tests weat-6 --tests weat-10 "
            "--measure zero-shot(scale=20,resamples=0)",
            "run --json --frequency off --tests weat-1 --tests weat-9 --measure weat(p=normal,ddof=0) "
            "--measure ml-eat(tail=two-sided) --measure weat(p=sampled,permutations=2000)",
        ),
    ),
    Case(
        "groups",
        (
            GROUPS + "--tests divdist-race --tests divdist-religion --measure divdist --measure "
            "divdist(divergence=js,normalize=softmax,resamples=0) --measure divdist(resamples=0,p=off,"
            "negative=raw,divergence=tv)",
            GROUPS + "--measure rnd --measure mac --measure ect --measure rnsb --measure semaxis "
            "--measure ripa --measure direct-bias --measure indirect-bias",
            "run --json --tests garden-groups.toml --measure divdist --measure mac --measure rnd",
            "run --json --tests divdist-face-validity --vectors census.csv "
            "--measure divdist(soa=counts,resamples=0)",
        ),
        (write_groups, write_census),
    ),
    Case(
        "several-groups",
        (
            "run --json --tests divdist-face-validity --tests divdist-religion "
            "--measure same(permutations=500)",
            "run --json --frequency off --tests weat-1 --tests weat-6 --measure generalised-weat "
            "--measure same(permutations=0)",
            "text corpus.txt --tests garden-groups.toml --window 5 -o pairs.csv",
            "run --json --tests garden-groups.toml --vectors pairs.csv --measure pmi(smoothing=0.5)",
        ),
        (write_groups, write_corpus),
    ),
    Case(
        "sentences",
        (
            "run --json --frequency off --vectors cbow:glove-sample --tests sent-caliskan "
            "--tests sent-mind-your-bias --tests sent-angry-black-woman --tests sent-double-bind "
            "--measure ml-eat(resamples=0,p=normal)",
            "run --json --frequency off --vectors cbow:glove-sample --tests said.toml "
            "--measure ml-eat --measure ceat(n=400)",
        ),
        (write_sentences,),
    ),
    Case(
        "transforms",
        tuple(
            "run --json --frequency off --tests weat-6 --tests weat-8 --measure ml-eat(resamples=0) "
            f"--vectors glove-sample?transform={transform}"
            for transform in (
                "center",
                "standardize",
                "whiten",
                "all-but-the-top:2",
                "hard-debias:gender",
                "soft-debias:gender",
                "inlp:gender",
            )
        ),
    ),
    Case(
        "files",
        (
            "run --json --tests garden.toml --vectors planted.txt --vectors alike.txt "
            "--measure ml-eat --measure sc-eat",
        ),
        (write_garden, write_vectors),
    ),
    Case(
        "series",
        ("run --json --tests garden.toml --vectors decades --measure ml-eat --measure weat",),
        (write_garden, write_series),
    ),
    Case(
        "parts",
        (
            "embed speeches.jsonl --tests garden.toml --vectors space.txt --by party --unit who "
            "-o parts.npz",
            "run --json --tests garden.toml --vectors parts.npz --measure ml-eat(resamples=0)",
        ),
        (write_garden, write_speeches),
        computed=True,  # vectors of resamples are in single precision
    ),
    Case(
        "minilm",
        (
            "run --json --tests caliskan --vectors hf:minilm --measure ml-eat(resamples=0) "
            "--prompt {} --prompt 'This is {}.'",
            "run --json --tests garden.toml --vectors hf:minilm?layer=all --measure weat(resamples=0)",
            "run --json --tests said.toml --vectors st:minilm --measure ml-eat --measure ceat(n=400)",
        ),
        (write_garden, write_sentences, link_minilm),
        computed=True,
    ),
    Case(
        "contexts",
        (
            "contexts corpus.txt --tests garden.toml --per-term 12 -o contexts.jsonl",
            "contexts corpus.txt --tests garden.toml --pairs --per-term 4 -o pairs.jsonl",
            "run --json --tests garden.toml --vectors hf:bert --contexts contexts.jsonl --window 5 "
            "--measure ceat(n=300) --measure weat(resamples=0)",
            "run --json --tests garden.toml --vectors hf:bert --contexts pairs.jsonl "
            "--measure lpbs(resamples=0) --measure lpbs-ceat(n=300)",
            "text corpus.txt --tests garden-groups.toml -o counts.csv",
            "run --json --tests garden-groups.toml --vectors counts.csv "
            "--measure divdist(soa=counts,resamples=0)",
        ),
        (write_garden, write_groups, write_corpus, write_bert),
        computed=True,
    ),
    Case(
        "language",
        (
            "run --json --tests garden.toml --vectors hf:bert "
            f"--measure 'lpbs(resamples=0,templates=\"{TWO}\")' "
            f"--measure 'lpbs(resamples=0,pieces=pll,aggregate=logsum,templates=\"{TWO}\")' "
            f"--measure 'lpbs-ceat(n=300,templates=\"{TWO}\")'",
        ),
        (write_garden, write_bert),
        computed=True,
    ),
    Case(
        "published-forms",
        (
            "run --json --frequency off --tests divdist-face-validity "
            "--measure direct-bias(vectors=raw,pca=centred) --measure ripa(pca=centred) "
            "--measure indirect-bias(pca=centred) --measure divdist(divergence=linf,resamples=0,p=off)",
            "run --json --frequency off --vectors cbow:glove-sample --tests sent-weat-6 --tests "
            "sent-weat-10 --measure weat(over=sentences) --measure ml-eat(over=sentences,resamples=0)",
            "run --json --tests weat-7 --measure 'weat(association=projection,resamples=0,"
            'direction="she/he;woman/man;girl/boy",pca=centred)\'',
        ),
    ),
    Case(
        "published-lpbs",
        (
            "run --json --tests garden.toml --vectors hf:bert "
            f"--measure 'lpbs(over_targets=logsum,templates=\"{TWO}\")' "
            f"--measure 'lpbs(resamples=0,over_targets=logsum,aggregate=logsum,templates=\"{TWO}\")' "
            "--measure 'lpbs(over_targets=logsum,over=sentences,pieces=product,"
            f'templates="{TWO}")\'',
        ),
        (write_garden, write_bert),
        computed=True,
    ),
    Case(
        "smollm2",
        (
            "run --json --tests small.toml --vectors hf:smollm2.gguf --measure "
            f"'lpbs(model=causal,resamples=0,templates=\"{TWO}\")'",
        ),
        (write_garden, link_smollm2),
        computed=True,
    ),
    Case(
        "images",
        (
            "run --json --tests pictures.toml --vectors clip:towers --measure ml-eat(resamples=0) "
            "--measure weat(resamples=0) --measure zero-shot(resamples=0)",
        ),
        (write_images,),
        computed=True,
    ),
)


def numbers_of(case: Case) -> dict[str, dict[str, object]]:
    """What is frozen of each result of a case, which runs in the current folder."""
    return {name: dict(_frozen_in(result)) for name, result in results_of(case)}


def results_of(case: Case) -> Iterator[tuple[str, dict[str, object]]]:
    """Each result that the commands of a case print, by what distinguishes it."""
    for prepare in case.prepare:
        prepare()
    for command in case.commands:
        for line in _printed(shlex.split(command)).splitlines():
            if not line.startswith("{"):
                continue
            result = json.loads(line)
            keys = ("schema", "signature", "test", "source", "period")
            name = " | ".join(str(result[key]) for key in keys if result.get(key) is not None)
            name += (
                f" | {result['encoding']['prompt']}"
                if (result.get("encoding") or {}).get("prompt")
                else ""
            )
            yield name.replace(str(Path.cwd()), "HERE"), result


def _printed(words: list[str]) -> str:
    """JSON lines of a command, some of whose jobs may lack words."""
    code, out, err = call_eatlas([*words, *(["--workers", "1"] if words[0] == "run" else [])])
    assert code in (0, 1), f"eatlas {shlex.join(words)}\n{err}"
    return out


def _frozen_in(
    value: object, path: tuple[str, ...] = (), leaf: str = ""
) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        parent = path[-1] if path else ""
        for key, below in value.items():
            if key not in LEFT_OUT.get(parent, "").split():
                yield from _frozen_in(below, (*path, key), key)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _frozen_in(below, (*path, str(index)), leaf)
    elif leaf in LEAVES and not isinstance(value, bool):
        yield ".".join(path), value


SLOW = ("contexts", "groups", "minilm", "sentences", "smollm2", "transforms", "words")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.slow] * (case.name in SLOW)
            + [pytest.mark.xdist_group("smollm2")] * (case.name == "smollm2"),
        )
        for case in CASES
    ],
)
def test_numbers_are_those_that_were_frozen(case, tmp_path):
    frozen = json.loads(gzip.decompress(FROZEN.read_bytes()))[case.name]
    folder = tmp_path / "session"
    folder.mkdir()
    with in_folder(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = dict(results_of(case))
    computed = {name: dict(_frozen_in(result)) for name, result in results.items()}
    assert list(computed) == list(frozen)
    tolerance = COMPUTED if case.computed else TOLERANCE
    of_draws = {
        name: {".".join(map(str, path)): size for path, size in monte_carlo_numbers(result)}
        | dict(_exact_p_values(result))
        if case.computed
        else {}
        for name, result in results.items()
    }
    changed = [
        f"{result}: {path}: {number!r}, was {frozen[result].get(path)!r}"
        for result, numbers in computed.items()
        for path, number in numbers.items()
        if not _same(number, frozen[result].get(path), tolerance, of_draws[result].get(path, 0))
    ]
    gone = [
        f"{result}: {path} is gone"
        for result, numbers in frozen.items()
        for path in numbers.keys() - computed[result].keys()
    ]
    assert not changed + gone, "\n".join((changed + gone)[:40])


def _exact_p_values(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """Exact p-values by path, and a partition more or less: a near tie that an encoder decides."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("greater", "less", "two_sided") and value.get("method") == "exact":
                yield ".".join((*path, key)), NEAR_TIES[key] / value["total"]
            else:
                yield from _exact_p_values(below, (*path, key))


def _same(number: object, frozen: object, tolerance: float, of_draws: float) -> bool:
    if isinstance(number, int | float) and isinstance(frozen, int | float):
        return number == pytest.approx(frozen, rel=tolerance, abs=max(tolerance, of_draws))
    return number == frozen


if __name__ == "__main__":
    every = json.loads(gzip.decompress(FROZEN.read_bytes())) if FROZEN.exists() else {}
    for each in CASES:
        if not sys.argv[1:] or each.name in sys.argv[1:]:
            with tempfile.TemporaryDirectory() as scratch:
                (session := Path(scratch) / "session").mkdir()
                with in_folder(session):
                    every[each.name] = numbers_of(each)
    packed = json.dumps({each.name: every[each.name] for each in CASES}).encode()
    FROZEN.write_bytes(gzip.compress(packed, 9, mtime=0))
