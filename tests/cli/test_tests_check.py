"""``eatlas tests check``: all faults at once, and what deserves a second look."""

from tests.inputs import TOML

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


def test_a_good_file(eatlas_cli, tmp_path):
    ended, path = check(eatlas_cli, tmp_path, TOML)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith(f"{path}: 1 test(s), no faults\n")


def test_all_faults_of_one_group_at_once(eatlas_cli, tmp_path):
    ended, path = check(eatlas_cli, tmp_path, TOML.replace('"lily"]', '"aster", 3, "ant", " x"]'))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        f"error: {path}: test tiny, key X.terms, term 5 (3): is not text (allowed: a quoted string)",
        f"{path}: test tiny, key X.terms, term 7: ' x' begins or ends with a space, so no vector "
        "would match it",
        f"{path}: test tiny, key X.terms: duplicate terms 'aster'; each term may occur once",
        f"{path}: test tiny, key terms: terms 'ant' are on both sides, X and Y; a term that is "
        "both cannot distinguish the two concepts",
        f"  remedy: correct the file and run: eatlas tests check {path}",
    ]


def test_groups_of_one_term_are_no_fault_but_said(eatlas_cli, tmp_path):
    ended, path = check(eatlas_cli, tmp_path, KURITA)
    assert ended.code == 0
    assert ended.out.endswith("1 test(s), no faults\n")
    one, other = ended.err.splitlines()
    assert one == (
        f"warning: {path}: test one: X (Female) has one term; a group of one cannot be permuted, "
        "so ml-eat, weat, ceat and zero-shot will refuse this test."
    )
    assert "B (Unpleasant) has one term" in other
    assert "so ml-eat, sc-eat, ceat, lpbs, lpbs-ceat and zero-shot will refuse this test." in other


def test_two_concepts_of_one_name(eatlas_cli, tmp_path, vectors_csv):
    text = TOML.replace('"Insects"', '"Flowers"')
    ended, path = check(eatlas_cli, tmp_path, text)
    said = "X and Y have the same name, Flowers: tables and sentences cannot distinguish them."
    assert (ended.code, ended.err) == (0, f"warning: {path}: test tiny: {said}\n")
    ran = eatlas_cli("run", "--tests", path, "--vectors", vectors_csv, "--json")
    assert ran.code == 0
    assert said in ran.out


def test_an_id_is_not_a_file(eatlas_cli):
    ended = eatlas_cli("tests", "check", "weat-6")
    assert ended.code == 2
    assert "remedy: weat-6 comes with eatlas: eatlas tests show weat-6 prints it" in ended.err


def test_other_words_under_the_id_of_a_published_test_are_remarked_on(eatlas_cli, tmp_path):
    published = eatlas_cli("tests", "show", "weat-6").out
    ended, _ = check(eatlas_cli, tmp_path, published)
    assert (ended.code, ended.err) == (0, "")
    ended, path = check(eatlas_cli, tmp_path, published.replace('"executive"', '"boss"'))
    assert ended.code == 0
    assert ended.err == (
        f"warning: {path}: test weat-6: The battery caliskan has a test with the id weat-6 and "
        "other stimuli (in A: 1 added and 1 missing). Give this test another id, so that its "
        "results are not mistaken for those of the published test.\n"
    )
