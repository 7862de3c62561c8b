"""``eatlas verify``: the same, what differs, or why it could not be repeated."""

import json


def test_all_the_same(eatlas_cli, test_file, vectors_csv):
    eatlas_cli(
        "run", "--tests", test_file, "--vectors", vectors_csv, "--measure", "ml-eat",
        "--measure", "sc-eat(ddof=0)", "--case", "exact", "--seed", 4,
    )  # fmt: skip
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count(": same\n") == 2
    assert "2 of 2 results are the same" in ended.out


def test_the_built_in_tests_are_the_same(eatlas_cli):
    eatlas_cli("run", "--tests", "weat-1", "--tests", "weat-8")
    assert eatlas_cli("verify", "out/results.jsonl").code == 0


def test_missing_terms_are_part_of_the_test(eatlas_cli, test_file, vectors_csv):
    text = vectors_csv.read_text("utf-8")
    vectors_csv.write_text(text.replace("clover", "trefoil"), encoding="utf-8")
    eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv)
    assert eatlas_cli("verify", "out/results.jsonl").code == 0


def test_a_changed_number_is_named(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6")
    path = tmp_path / "out" / "results.jsonl"
    line = json.loads(path.read_text("utf-8"))
    d = line["level1"]["effect_size"]
    line["level1"]["effect_size"] = 1.9
    line["level2"]["X"]["p"]["count"]["greater"] += 1
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ": differs\n" in ended.out
    assert f"  level1.effect_size: 1.9 in the file, {d!r} now" in ended.out
    assert "  level2.X.p.count.greater: " in ended.out
    assert "0 of 1 results are the same" in ended.out


def test_changed_vectors_are_named(eatlas_cli, test_file, vectors_csv):
    eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv)
    vectors_csv.write_text(vectors_csv.read_text("utf-8").replace("0.", "1."), encoding="utf-8")
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert "provenance.source_fingerprint: " in ended.out
    assert "more" in ended.out


def test_another_version_alone_is_no_difference(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6")
    path = tmp_path / "out" / "results.jsonl"
    text = path.read_text("utf-8").replace('"version": "0.1.0"', '"version": "0.0.9"')
    assert "0.0.9" in text
    path.write_text(text, encoding="utf-8")
    assert eatlas_cli("verify", path).code == 0


def test_what_cannot_be_repeated_says_why(eatlas_cli, test_file, vectors_csv):
    eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv)
    vectors_csv.unlink()
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert ": not repeated\n" in ended.out
    assert "there is no such file" in ended.out


def test_nothing_to_verify(eatlas_cli, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    ended = eatlas_cli("verify", "bad.jsonl")
    assert ended.code == 2
    assert "there are no results to verify" in ended.err
