"""``eatlas tests check``: all faults at once, and what deserves a second look."""

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
    assert ended.out.endswith("1 test(s), no faults\n")
    one, other = ended.err.splitlines()
    assert one == (
        f"warning: {path}: test one: X (Female) has one term; a group of one cannot be permuted, "
        "so measures that permute it will refuse this test."
    )
    assert "B (Unpleasant) has one term" in other


def test_other_words_under_the_id_of_a_published_test_are_remarked_on(eatlas_cli, tmp_path):
    published = eatlas_cli("tests", "show", "weat-6").out
    ended, _ = check(eatlas_cli, tmp_path, published)
    assert (ended.code, ended.err) == (0, "")
    ended, path = check(eatlas_cli, tmp_path, published.replace('"executive"', '"boss"'))
    assert ended.code == 0
    assert ended.err == (
        f"warning: {path}: test weat-6: The battery caliskan has a test with the id weat-6 and "
        "other stimuli. Give this test another id, so that its "
        "results are not mistaken for those of the published test.\n"
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
