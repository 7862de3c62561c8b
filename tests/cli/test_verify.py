"""``eatlas verify``: the same, what differs, or why it could not be repeated."""

import json
import re

from tests.commands import QUICK

import eatlas


def test_all_the_same(eatlas_cli, test_file, vectors_csv):
    eatlas_cli(
        "run", "--tests", test_file, "--vectors", vectors_csv, "--measure", "ml-eat",
        "--measure", "sc-eat(ddof=0)", "--case", "exact", "--seed", 4,
    )  # fmt: skip
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("2 of 2 results are the same\ncomputed again: vectors, ")
    assert max(map(len, ended.out.splitlines())) <= 100
    everything = eatlas_cli("verify", "-v", "out/results.jsonl")
    assert everything.said.count(": same ") == 2


def test_a_changed_number_is_named(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(resamples=0)")
    path = tmp_path / "out" / "results.jsonl"
    line = json.loads(path.read_text("utf-8"))
    polished = json.loads(json.dumps(line))
    polished["level1"]["effect_size"] = 1.9
    path.write_text(json.dumps(polished) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 2
    assert "the finding does not follow from the numbers of the result" in ended.err
    del line["finding"]
    d = line["level1"]["effect_size"]
    line["level1"]["effect_size"] = 1.9
    line["level2"]["X"]["p"]["count"]["greater"] += 1
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ": differs\n" in ended.out
    assert f"  level1.effect_size: 1.9 in the file, {d!r} now" in ended.out
    assert "  level2.X.p.count.greater: " in ended.out
    assert ended.out.startswith("0 of 1 results are the same\n")


def test_what_another_machine_adds_otherwise_is_the_same(eatlas_cli, tmp_path):
    """The last bits of every number changed, and those kept to six decimals in their last digit."""

    def changed(value, where):
        if isinstance(value, dict):
            return {key: changed(inner, (*where, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner, where) for inner in value]
        if not isinstance(value, float) or "provenance" in where:
            return value
        if {"uncertainty", "influence", "matched", "diagnosis", "power"} & set(where):
            return value - 1e-6 if value > 0.01 else value
        if "p" in where or str(where[-1]).startswith("p_") or value == 1:
            return value
        return value * (1 - 9e-10)

    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-9", *QUICK)
    path = tmp_path / "out" / "results.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("\n".join(json.dumps(changed(line, ())) for line in lines), encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert (ended.code, ended.err) == (0, "")
    assert "2 of 2 results are the same" in ended.out


CHANGES = {
    "level1.p.greater": 1e-11, "level1.effect_size": 1e-8, "level3.XA.sd": 1e-9,
    "uncertainty.level1.se": 3e-6, "uncertainty.patterns.BY-Singular": 1.1e-3,
    "frequency.matched.level1.p_two_sided": 3e-6, "generalisation.level1.p_two_sided": 1e-9,
    "similarities[0][0]": 3e-6, "level1.p.count.greater": 1,
}  # fmt: skip
"""By so much a number may not differ."""


def test_more_than_that_is_a_difference(eatlas_cli, tmp_path):
    (result,) = eatlas.run("weat-6")
    line = result.to_dict()
    del line["finding"]
    for place, by in CHANGES.items():
        *above, last = [int(k) if k.isdigit() else k for k in re.findall(r"[^.\[\]]+", place)]
        inner = line
        for key in above:
            inner = inner[key]
        inner[last] += by
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ": differs\n" in ended.out
    named = re.findall(r"^  (\S+): .* in the file, ", ended.out, re.MULTILINE)
    assert sorted(named) == sorted(CHANGES)


def test_vectors_that_were_moved(eatlas_cli, test_file, vectors_csv, tmp_path):
    eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv)
    moved = vectors_csv.rename(tmp_path / "else=where.csv")
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert (
        f"remedy: check the path; if the vectors are somewhere else: --vectors {vectors_csv}=PATH"
        in ended.said
    )
    ended = eatlas_cli("verify", "out/results.jsonl", "--vectors", f"{vectors_csv}={moved}")
    assert (ended.code, ended.err) == (0, "")
    moved.write_text(moved.read_text("utf-8").replace("0.", "1."), encoding="utf-8")
    ended = eatlas_cli("verify", "out/results.jsonl", "--vectors", f"{vectors_csv}={moved}")
    assert ended.code == 1
    assert "provenance.source_fingerprint: " in ended.said
