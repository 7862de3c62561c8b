"""``eatlas tests check``: all faults at once, and what deserves a second look."""

import json
import re

KURITA = """\
schema = 1
[[test]]
id = "one"
X = { name = "Female", terms = ["she"] }
Y = { name = "Male", terms = ["he", "man"] }
A = { name = "Pleasant", terms = ["love", "peace"] }
B = { name = "Unpleasant", terms = ["war"] }
"""


def check(eatlas_cli, tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return eatlas_cli("tests", "check", path), path


def test_groups_of_one_term_are_no_fault_but_said(eatlas_cli, tmp_path):
    ended, path = check(eatlas_cli, tmp_path, KURITA)
    assert ended.code == 0
    assert ended.out.endswith("1 test, no faults\n")
    one, other = ended.err.splitlines()
    assert one == (
        f"warning: {path}: test one: X (Female) has one term; an SC-EAT replaces a WEAT of this "
        "test, and other measures that permute the terms of X and Y, such as ml-eat, refuse it."
    )
    assert other == (
        f"warning: {path}: test one: B (Unpleasant) has one term; a group of one cannot be "
        "permuted, so measures that permute it refuse this test."
    )


def test_other_words_under_the_id_of_a_published_test_are_remarked_on(eatlas_cli, tmp_path):
    published = eatlas_cli("tests", "show", "weat-6").out
    ended, _ = check(eatlas_cli, tmp_path, published)
    assert (ended.code, ended.err) == (0, "")
    ended, path = check(eatlas_cli, tmp_path, published.replace('"executive"', '"boss"'))
    assert ended.code == 0
    assert ended.err == (
        f"warning: {path}: test weat-6: The battery caliskan has a test with the id weat-6 and "
        "other stimuli. Give this test another id, so that its "
        "results are not mistaken for results of the published test.\n"
    )


WILD = """schema = 1
[[test]]
id = "wild"
title = "Wild"
citation = "None."
X = { name = "Care", terms = ["nurs*", "zzzzq*", "teacher"] }
Y = { name = "Tech", terms = ["engineer", "pilot"] }
A = { name = "Male", terms = ["he", "him"] }
B = { name = "Female", terms = ["she", "her"] }
"""


def test_words_are_not_written_over_the_file_with_wildcards(eatlas_cli, tmp_path):
    (tmp_path / "wild.toml").write_text(WILD)
    ended = eatlas_cli("tests", "expand", "wild.toml", "glove-sample", "-o", "wild.toml")
    assert ended.code == 2
    assert (tmp_path / "wild.toml").read_text() == WILD


MISSPELT = """schema = 1
[[test]]
id = "mine"
X = { name = "Male", terms = ["he", "him", "Davdi", "Peter", "brothr"] }
Y = { name = "Female", terms = ["she", "her", "Mary", "sister"] }
A = { name = "Career", terms = ["offcie", "salary", "business", "career"] }
B = { name = "Family", terms = ["home", "parents", "children", "zzzzqqq"] }
"""


def _narrow(text):
    """A text without the widths of columns, which rich before 14.3 counts otherwise."""
    return re.sub("─+", "─", re.sub(" +", " ", text))


def test_what_vectors_have_for_a_test(eatlas_cli, tmp_path):
    (tmp_path / "mine.toml").write_text(MISSPELT)
    ended = eatlas_cli("tests", "check", "mine.toml", "--vectors", "glove-sample")
    assert (ended.code, ended.err) == (0, "")
    assert _narrow(ended.out) == _narrow(
        """\
mine: X Male: 5, Y Female: 4, A Career: 4, B Family: 4
mine.toml: 1 test, no faults

mine in glove-sample: 13 of 17 terms found
Group       found   median rank
───────────────────────────────
X Male     3 of 5           104
Y Female   4 of 4         1,018
A Career   3 of 4           433
B Family   3 of 4           272
X missing: Davdi (did you mean david?), brothr (did you mean brother?).
A missing: offcie (did you mean office?).
B missing: zzzzqqq.
Ranks by frequency are those in GloVe 6B, of 400,000 words.
Smallest d detectable with power 0.8: 1.76 at level 1 (3 v 4), none at level 2 (3 v 3); two-sided p
< .05.
"""
    )


def test_what_vectors_have_as_json(eatlas_cli, tmp_path):
    (tmp_path / "mine.toml").write_text(MISSPELT)
    lines = "he 1 2\nhim 1 2.1\nher 2 1\nhome 1 1\nhouse 3 2\n"
    (tmp_path / "few.txt").write_text(lines)
    ended = eatlas_cli(
        "tests", "check", "mine.toml", "--vectors", "few=few.txt", "--vectors", "glove-sample",
        "--json",
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    few, glove = map(json.loads, ended.out.splitlines())
    assert (few["source"], few["found"], few["terms"]) == ("few", 4, 17)
    assert (
        few["hint"]
        == "4 of 17 words found. The vectors may be in another language, or distinguish capitals."
    )
    assert few["no_ranks"].startswith("few.txt has 5 words")
    assert few["groups"]["X"]["found"] == ["he", "him"]
    assert few["power"]["level2"] is None  # A has no word
    assert few["power"]["level1"] == {"n": [2, 1], "min_p": 1 / 3, "smallest_d": None}
    assert (glove["source"], glove["hint"], glove["ranked_words"]) == ("glove-sample", "", 400_000)
    assert glove["groups"]["X"] == {
        "concept": "Male",
        "found": ["he", "him", "Peter"],
        "missing": ["Davdi", "brothr"],
        "near": {"Davdi": ["david"], "brothr": ["brother"]},
        "median_rank": 104,
        "clusters": [],
    }
    refused = eatlas_cli("tests", "check", "mine.toml", "--json")
    assert (refused.code, refused.err) == (
        2,
        "error: --json prints what vectors have for a test\n  got: no --vectors\n"
        "  allowed: --vectors SOURCE --json\n",
    )


def test_vectors_of_another_language_and_words_that_count_as_one(eatlas_cli, tmp_path):
    (tmp_path / "de.txt").write_text("der 1 2 3\nund 2 3 1\nhaus 1 1 2\n")
    words = eatlas_cli("tests", "show", "weat-7").out
    (tmp_path / "weat-7.toml").write_text(words)
    ended = eatlas_cli("tests", "check", "weat-7.toml", "--vectors", "de.txt")
    assert ended.code == 0
    assert "weat-7 in de.txt: 0 of 32 terms found\n" in ended.out
    assert (
        "\n0 of 32 words found. The vectors may be in another language, or distinguish capitals.\n"
        in ended.out
    )
    assert "Smallest d" not in ended.out
    ended = eatlas_cli("tests", "check", "weat-7.toml", "--vectors", "glove-sample")
    assert "A, count as one word: " in ended.out


def test_tests_of_groups_have_no_power(eatlas_cli, tmp_path):
    jobs = eatlas_cli("tests", "show", "divdist").out
    (tmp_path / "jobs.toml").write_text(jobs)
    ended = eatlas_cli("tests", "check", "jobs.toml", "--vectors", "glove-sample")
    assert ended.code == 0
    assert " terms found" in ended.out
    assert "Smallest d" not in ended.out


def test_a_test_that_comes_with_eatlas_is_checked_by_its_name(eatlas_cli, tmp_path):
    done = eatlas_cli("tests", "check", "weat-7", "--vectors", "glove-sample")
    assert done.code == 0, done.err
    assert done.out.startswith("weat-7: X Math: 8, Y Arts: 8, ")
    assert "weat-7 in glove-sample: 32 of 32 terms found" in done.out
